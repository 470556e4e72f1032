//! What C sees and what is here are the same: sizes, offsets and numbers, as a C compiler tells them.

use super::names::name;
use super::numbers::{self, ack_of, failure, list, list_of, number, search_of};
use super::types::{CCounter, CEvent, CIovec, CLe, CLimits, CMd, CMe, CProcess};
use packetloom_portals::{Ack, Code, MatchList, NiFail, SearchMode, atomics, constants};
use std::collections::BTreeMap;
use std::mem::{offset_of, size_of};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The names of the headers with their numbers, as the program in `tests/c/everything.c` prints them.
static C: LazyLock<BTreeMap<String, u64>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("everything");
    compile(
        "cc",
        &["-std=c11", "-DPRINT", "-o", program.to_str().expect("text")],
    );
    let printed = Command::new(program).output().expect("started");
    let printed = String::from_utf8(printed.stdout).expect("text");
    printed
        .lines()
        .map(|line| line.rsplit_once(' ').expect("a name and a number"))
        .map(|(name, number)| (name.to_owned(), number.parse().expect("a number")))
        .collect()
});

fn c(name: &str) -> u64 {
    *C.get(name)
        .unwrap_or_else(|| panic!("{name} is not in the headers"))
}

/// Compiles the program that names everything.
#[track_caller]
fn compile(compiler: &str, options: &[&str]) {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source: PathBuf = crate_folder.join("tests/c/everything.c");
    let output = Command::new(compiler)
        .args(["-Wall", "-Werror", "-I"])
        .arg(crate_folder.join("include"))
        .args(options)
        .arg(source)
        .output()
        .expect("a C compiler");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{compiler} {options:?}: {said}");
}

/// A program that uses all of the interface compiles without a warning.
#[test]
fn everything_compiles_as_c_and_as_cxx() {
    for standard in ["c99", "c11", "c17", "gnu17"] {
        compile("cc", &["-c", "-o", "/dev/null", &format!("-std={standard}")]);
    }
    for standard in ["c++11", "c++17", "c++20"] {
        compile(
            "c++",
            &["-x", "c++", "-c", "-o", "/dev/null", &format!("-std={standard}")],
        );
    }
}

macro_rules! layout {
    ($c_type:literal = $type:ty { $($c_field:literal = $field:ident),* $(,)? }) => {
        assert_eq!(size_of::<$type>() as u64, c(concat!("sizeof ", $c_type)), $c_type);
        $(assert_eq!(offset_of!($type, $field) as u64, c(concat!($c_type, ".", $c_field)), concat!($c_type, ".", $c_field));)*
        let fields = C.keys().filter(|name| name.starts_with(concat!($c_type, "."))).count();
        assert_eq!(fields, [$($c_field),*].len(), "fields of {}", $c_type);
    };
}

#[test]
fn structures_lie_in_memory_as_c_has_them() {
    layout!("ptl_process_t" = CProcess {
        "rank" = nid_or_rank, "phys" = nid_or_rank, "phys.nid" = nid_or_rank, "phys.pid" = pid
    });
    layout!("ptl_md_t" = CMd {
        "start" = start, "length" = length, "options" = options, "eq_handle" = eq_handle, "ct_handle" = ct_handle
    });
    layout!("ptl_iovec_t" = CIovec { "iov_base" = iov_base, "iov_len" = iov_len });
    layout!("ptl_le_t" = CLe {
        "start" = start, "length" = length, "ct_handle" = ct_handle, "uid" = uid, "ac_id" = uid, "options" = options
    });
    layout!("ptl_me_t" = CMe {
        "start" = start, "length" = length, "ct_handle" = ct_handle, "uid" = uid, "ac_id" = uid, "options" = options,
        "match_id" = match_id, "match_bits" = match_bits, "ignore_bits" = ignore_bits, "min_free" = min_free
    });
    layout!("ptl_ct_event_t" = CCounter { "success" = success, "failure" = failure });
    layout!("ptl_ni_limits_t" = CLimits {
        "max_entries" = max_entries, "max_unexpected_headers" = max_unexpected_headers, "max_mds" = max_mds,
        "max_cts" = max_cts, "max_eqs" = max_eqs, "max_pt_index" = max_pt_index, "max_iovecs" = max_iovecs,
        "max_list_size" = max_list_size, "max_triggered_ops" = max_triggered_ops, "max_msg_size" = max_msg_size,
        "max_atomic_size" = max_atomic_size, "max_fetch_atomic_size" = max_fetch_atomic_size,
        "max_waw_ordered_size" = max_waw_ordered_size, "max_war_ordered_size" = max_war_ordered_size,
        "max_volatile_size" = max_volatile_size, "features" = features
    });
    layout!("ptl_event_t" = CEvent {
        "start" = start, "user_ptr" = user_ptr, "hdr_data" = hdr_data, "match_bits" = match_bits, "rlength" = rlength,
        "mlength" = mlength, "remote_offset" = remote_offset, "uid" = uid, "jid" = jid, "initiator" = initiator,
        "type" = kind, "ptl_list" = ptl_list, "pt_index" = pt_index, "ni_fail_type" = ni_fail_type,
        "atomic_operation" = atomic_operation, "atomic_type" = atomic_type
    });
}

/// The functions' parameters of these types have the size that is read here.
#[test]
fn numbers_have_the_size_that_functions_read() {
    for kind in ["ptl_size_t", "ptl_match_bits_t", "ptl_hdr_data_t", "ptl_addr_t"] {
        assert_eq!(c(&format!("sizeof {kind}")), 8, "{kind}");
    }
    for kind in [
        "ptl_pt_index_t",
        "ptl_index_t",
        "ptl_time_t",
        "ptl_interface_t",
        "ptl_nid_t",
        "ptl_pid_t",
        "ptl_rank_t",
        "ptl_uid_t",
        "ptl_jid_t",
        "ptl_handle_any_t",
        "ptl_handle_ni_t",
        "ptl_handle_eq_t",
        "ptl_handle_ct_t",
        "ptl_handle_md_t",
        "ptl_handle_le_t",
        "ptl_handle_me_t",
        "ptl_sr_value_t",
        "ptl_sr_index_t",
        "ptl_list_t",
        "ptl_search_op_t",
        "ptl_ack_req_t",
        "ptl_op_t",
        "ptl_datatype_t",
        "ptl_ni_fail_t",
        "ptl_event_kind_t",
    ] {
        assert_eq!(c(&format!("sizeof {kind}")), 4, "{kind}");
    }
}

#[test]
fn codes_and_failures_have_their_numbers_and_names() {
    let codes = [
        (Code::ArgInvalid, "PTL_ARG_INVALID"),
        (Code::CtNoneReached, "PTL_CT_NONE_REACHED"),
        (Code::EqDropped, "PTL_EQ_DROPPED"),
        (Code::EqEmpty, "PTL_EQ_EMPTY"),
        (Code::Fail, "PTL_FAIL"),
        (Code::Ignored, "PTL_IGNORED"),
        (Code::InUse, "PTL_IN_USE"),
        (Code::Interrupted, "PTL_INTERRUPTED"),
        (Code::ListTooLong, "PTL_LIST_TOO_LONG"),
        (Code::NoInit, "PTL_NO_INIT"),
        (Code::NoSpace, "PTL_NO_SPACE"),
        (Code::PidInUse, "PTL_PID_IN_USE"),
        (Code::PtFull, "PTL_PT_FULL"),
        (Code::PtEqNeeded, "PTL_PT_EQ_NEEDED"),
        (Code::PtInUse, "PTL_PT_IN_USE"),
        (Code::SizeInvalid, "PTL_SIZE_INVALID"),
        (Code::TryAgain, "PTL_TRY_AGAIN"),
        (Code::Aborted, "PTL_ABORTED"),
    ];
    for (code, text) in codes {
        assert_eq!(number(code) as u64, c(text), "{text}");
    }
    assert_eq!(numbers::OK as u64, c("PTL_OK"));
    let failures = [
        (NiFail::Ok, "PTL_NI_OK"),
        (NiFail::Undeliverable, "PTL_NI_UNDELIVERABLE"),
        (NiFail::Dropped, "PTL_NI_DROPPED"),
        (NiFail::PtDisabled, "PTL_NI_PT_DISABLED"),
        (NiFail::PermViolation, "PTL_NI_PERM_VIOLATION"),
        (NiFail::OpViolation, "PTL_NI_OP_VIOLATION"),
        (NiFail::NoMatch, "PTL_NI_NO_MATCH"),
        (NiFail::Segv, "PTL_NI_SEGV"),
        (NiFail::TargetInvalid, "PTL_NI_TARGET_INVALID"),
    ];
    for (fail, text) in failures {
        assert_eq!(u64::from(failure(fail)), c(text), "{text}");
        assert_eq!(name(failure(fail) as i32, 2).to_str(), Ok(text));
    }
}

/// `PtlToStr` gives each number of the header its name there, and nothing else one.
#[test]
fn names_are_those_of_the_header() {
    for kind in 0..3 {
        let mut named = 0;
        for value in -1..1000 {
            let text = name(value, kind).to_str().expect("text");
            if text != "Unknown" {
                assert_eq!(c(text), value as u64, "{text}");
                named += 1;
            }
        }
        let expected = match kind {
            0 => c("PTL_STATUS_LAST"),
            1 => c("PTL_EVENT_SEARCH") + 1,
            _ => c("PTL_NI_TARGET_INVALID") + 1,
        };
        assert_eq!(named, expected);
    }
    assert_eq!(name(0, 3).to_str(), Ok("Unknown"));
}

#[test]
fn choices_have_their_numbers() {
    let last = |of: fn(u32) -> bool| (0..u32::MAX).take_while(|&number| of(number)).count();
    assert_eq!(u64::from(list(MatchList::Priority)), c("PTL_PRIORITY_LIST"));
    assert_eq!(u64::from(list(MatchList::Overflow)), c("PTL_OVERFLOW_LIST"));
    assert_eq!(list_of(c("PTL_OVERFLOW") as u32), Some(MatchList::Overflow));
    assert_eq!(last(|number| list_of(number).is_some()), 2);
    assert_eq!(search_of(c("PTL_SEARCH_ONLY") as u32), Some(SearchMode::Only));
    assert_eq!(search_of(c("PTL_SEARCH_DELETE") as u32), Some(SearchMode::Delete));
    assert_eq!(last(|number| search_of(number).is_some()), 2);
    assert_eq!(ack_of(c("PTL_NO_ACK_REQ") as u32), Some(Ack::None));
    assert_eq!(ack_of(c("PTL_ACK_REQ") as u32), Some(Ack::Full));
    assert_eq!(ack_of(c("PTL_CT_ACK_REQ") as u32), Some(Ack::Counting));
    assert_eq!(ack_of(c("PTL_OC_ACK_REQ") as u32), Some(Ack::OperationCompleted));
    assert_eq!(last(|number| ack_of(number).is_some()), 4);
    assert_eq!(numbers::patience(c("PTL_TIME_FOREVER") as u32), None);
    assert_eq!(numbers::patience(0), Some(0));
}

#[test]
fn options_and_wildcards_that_are_read_here_have_their_numbers() {
    assert_eq!(u64::from(numbers::IOVEC), c("PTL_IOVEC"));
    assert_eq!(u64::from(numbers::AUTH_USE_JID), c("PTL_ME_AUTH_USE_JID"));
    assert_eq!(c("PTL_ME_APPEND_OPTIONS_MASK") & c("PTL_ME_AUTH_USE_JID"), 0);
    for any in ["PTL_UID_ANY", "PTL_JID_ANY"] {
        assert_eq!(u64::from(numbers::ANY), c(any), "{any}");
    }
}

/// Operators and types go together as `atomics` says under the numbers that C gives them.
#[test]
fn operators_and_types_are_numbered_as_atomics_has_them() {
    let sizes = [
        ("PTL_INT8_T", 1),
        ("PTL_UINT8_T", 1),
        ("PTL_INT16_T", 2),
        ("PTL_UINT16_T", 2),
        ("PTL_INT32_T", 4),
        ("PTL_UINT32_T", 4),
        ("PTL_FLOAT", 4),
        ("PTL_INT64_T", 8),
        ("PTL_UINT64_T", 8),
        ("PTL_DOUBLE", 8),
        ("PTL_FLOAT_COMPLEX", 8),
        ("PTL_DOUBLE_COMPLEX", 16),
        ("PTL_LONG_DOUBLE", 16),
        ("PTL_LONG_DOUBLE_COMPLEX", 32),
    ];
    for (datatype, size) in sizes {
        assert_eq!(atomics::size_of(c(datatype) as u32), Some(size), "{datatype}");
    }
    assert_eq!(atomics::size_of(c("PTL_DATATYPE_LAST") as u32), None);
    // 5 and 3: what each operator makes of them, with the operand 5 for swaps.
    let results = [
        ("PTL_MIN", 3),
        ("PTL_MAX", 5),
        ("PTL_SUM", 8),
        ("PTL_PROD", 15),
        ("PTL_LOR", 1),
        ("PTL_LAND", 1),
        ("PTL_BOR", 7),
        ("PTL_BAND", 1),
        ("PTL_LXOR", 0),
        ("PTL_BXOR", 6),
        ("PTL_SWAP", 3),
        ("PTL_CSWAP", 3),
        ("PTL_CSWAP_NE", 5),
        ("PTL_CSWAP_LE", 3),
        ("PTL_CSWAP_LT", 5),
        ("PTL_CSWAP_GE", 3),
        ("PTL_CSWAP_GT", 5),
        // 101 with 011 at the bits of 101: 001.
        ("PTL_MSWAP", 1),
    ];
    for (operator, result) in results {
        let mut target = [5];
        let mut operand = [0; 32];
        operand[0] = 5;
        atomics::apply(
            c(operator) as u32,
            c("PTL_UINT8_T") as u32,
            &mut target,
            &[3],
            &operand,
        );
        assert_eq!(target, [result], "{operator}");
    }
    assert_eq!(results.len() as u64, c("PTL_OP_LAST"));
}

macro_rules! same {
    ($($name:ident),* $(,)?) => {
        $(assert_eq!(u64::from(constants::$name), c(stringify!($name)), stringify!($name));)*
    };
}

/// What rules and NIC go by is what programs were compiled with.
#[test]
fn constants_are_those_of_the_header() {
    same!(
        PTL_OK,
        PTL_ARG_INVALID,
        PTL_CT_NONE_REACHED,
        PTL_EQ_DROPPED,
        PTL_EQ_EMPTY,
        PTL_FAIL,
        PTL_IGNORED,
        PTL_IN_USE,
        PTL_INTERRUPTED,
        PTL_LIST_TOO_LONG,
        PTL_NO_INIT,
        PTL_NO_SPACE,
        PTL_PID_IN_USE,
        PTL_PT_FULL,
        PTL_PT_EQ_NEEDED,
        PTL_PT_IN_USE,
        PTL_SIZE_INVALID,
        PTL_TRY_AGAIN,
        PTL_ABORTED,
        PTL_EQ_NONE,
        PTL_CT_NONE,
        PTL_INVALID_HANDLE,
        PTL_IFACE_DEFAULT,
        PTL_PID_ANY,
        PTL_NID_ANY,
        PTL_UID_ANY,
        PTL_JID_ANY,
        PTL_JID_NONE,
        PTL_PT_ANY,
        PTL_RANK_ANY,
        PTL_TIME_FOREVER,
        PTL_SR_DROP_COUNT,
        PTL_SR_PERMISSION_VIOLATIONS,
        PTL_SR_OPERATION_VIOLATIONS,
        PTL_SR_LAST,
        PTL_NI_MATCHING,
        PTL_NI_NO_MATCHING,
        PTL_NI_LOGICAL,
        PTL_NI_PHYSICAL,
        PTL_NI_INIT_OPTIONS_MASK,
        PTL_NI_OK,
        PTL_NI_UNDELIVERABLE,
        PTL_NI_DROPPED,
        PTL_NI_PT_DISABLED,
        PTL_NI_PERM_VIOLATION,
        PTL_NI_OP_VIOLATION,
        PTL_NI_NO_MATCH,
        PTL_NI_SEGV,
        PTL_NI_TARGET_INVALID,
        PTL_TARGET_BIND_INACCESSIBLE,
        PTL_TOTAL_DATA_ORDERING,
        PTL_COHERENT_ATOMICS,
        PTL_PT_ONLY_USE_ONCE,
        PTL_PT_FLOWCTRL,
        PTL_PT_ONLY_TRUNCATE,
        PTL_PT_MATCH_UNORDERED,
        PTL_PT_ALLOC_DISABLED,
        PTL_PT_ALLOC_OPTIONS_MASK,
        PTL_IOVEC,
        PTL_MD_EVENT_CT_SEND,
        PTL_MD_EVENT_CT_REPLY,
        PTL_MD_EVENT_CT_ACK,
        PTL_MD_UNORDERED,
        PTL_MD_EVENT_SUCCESS_DISABLE,
        PTL_MD_VOLATILE,
        PTL_MD_EVENT_SEND_DISABLE,
        PTL_MD_UNRELIABLE,
        PTL_MD_EVENT_CT_BYTES,
        PTL_MD_OPTIONS_MASK,
        PTL_ME_OP_PUT,
        PTL_ME_OP_GET,
        PTL_ME_USE_ONCE,
        PTL_ME_ACK_DISABLE,
        PTL_ME_UNEXPECTED_HDR_DISABLE,
        PTL_ME_IS_ACCESSIBLE,
        PTL_ME_EVENT_LINK_DISABLE,
        PTL_ME_EVENT_COMM_DISABLE,
        PTL_ME_EVENT_FLOWCTRL_DISABLE,
        PTL_ME_EVENT_SUCCESS_DISABLE,
        PTL_ME_EVENT_OVER_DISABLE,
        PTL_ME_EVENT_UNLINK_DISABLE,
        PTL_ME_EVENT_CT_COMM,
        PTL_ME_EVENT_CT_OVERFLOW,
        PTL_ME_EVENT_CT_BYTES,
        PTL_LE_APPEND_OPTIONS_MASK,
        PTL_ME_MANAGE_LOCAL,
        PTL_ME_NO_TRUNCATE,
        PTL_ME_MAY_ALIGN,
        PTL_ME_LOCAL_INC_UH_RLENGTH,
        PTL_ME_APPEND_OPTIONS_MASK,
        PTL_ME_AUTH_USE_JID,
        PTL_PRIORITY_LIST,
        PTL_OVERFLOW_LIST,
        PTL_SEARCH_ONLY,
        PTL_SEARCH_DELETE,
        PTL_NO_ACK_REQ,
        PTL_ACK_REQ,
        PTL_CT_ACK_REQ,
        PTL_OC_ACK_REQ,
        PTL_MIN,
        PTL_MAX,
        PTL_SUM,
        PTL_PROD,
        PTL_LOR,
        PTL_LAND,
        PTL_BOR,
        PTL_BAND,
        PTL_LXOR,
        PTL_BXOR,
        PTL_SWAP,
        PTL_CSWAP,
        PTL_CSWAP_NE,
        PTL_CSWAP_LE,
        PTL_CSWAP_LT,
        PTL_CSWAP_GE,
        PTL_CSWAP_GT,
        PTL_MSWAP,
        PTL_OP_LAST,
        PTL_INT8_T,
        PTL_UINT8_T,
        PTL_INT16_T,
        PTL_UINT16_T,
        PTL_INT32_T,
        PTL_UINT32_T,
        PTL_FLOAT,
        PTL_INT64_T,
        PTL_UINT64_T,
        PTL_DOUBLE,
        PTL_FLOAT_COMPLEX,
        PTL_DOUBLE_COMPLEX,
        PTL_LONG_DOUBLE,
        PTL_LONG_DOUBLE_COMPLEX,
        PTL_DATATYPE_LAST,
        PTL_EVENT_GET,
        PTL_EVENT_GET_OVERFLOW,
        PTL_EVENT_PUT,
        PTL_EVENT_PUT_OVERFLOW,
        PTL_EVENT_ATOMIC,
        PTL_EVENT_ATOMIC_OVERFLOW,
        PTL_EVENT_FETCH_ATOMIC,
        PTL_EVENT_FETCH_ATOMIC_OVERFLOW,
        PTL_EVENT_REPLY,
        PTL_EVENT_SEND,
        PTL_EVENT_ACK,
        PTL_EVENT_PT_DISABLED,
        PTL_EVENT_LINK,
        PTL_EVENT_AUTO_UNLINK,
        PTL_EVENT_AUTO_FREE,
        PTL_EVENT_SEARCH,
        PTL_SIZE_MAX,
    );
    for name in C.keys() {
        if let Some(of_entries) = name.strip_prefix("PTL_LE_")
            && of_entries != "APPEND_OPTIONS_MASK"
        {
            assert_eq!(c(name), c(&format!("PTL_ME_{of_entries}")), "{name}");
        }
    }
}

//! Codes, kinds of events and failures as text.

use std::ffi::{CStr, c_char, c_int, c_uint};

/// `enum ptl_retvals`, by number
const CODES: [&CStr; 20] = [
    c"PTL_OK",
    c"PTL_ARG_INVALID",
    c"PTL_CT_NONE_REACHED",
    c"PTL_EQ_DROPPED",
    c"PTL_EQ_EMPTY",
    c"PTL_FAIL",
    c"PTL_IGNORED",
    c"PTL_IN_USE",
    c"PTL_INTERRUPTED",
    c"PTL_LIST_TOO_LONG",
    c"PTL_NO_INIT",
    c"PTL_NO_SPACE",
    c"PTL_PID_IN_USE",
    c"PTL_PT_FULL",
    c"PTL_PT_EQ_NEEDED",
    c"PTL_PT_IN_USE",
    c"PTL_SIZE_INVALID",
    c"PTL_TRY_AGAIN",
    c"PTL_ABORTED",
    c"PTL_NI_NOT_LOGICAL",
];

/// `ptl_event_kind_t`, by number
const EVENTS: [&CStr; 16] = [
    c"PTL_EVENT_GET",
    c"PTL_EVENT_GET_OVERFLOW",
    c"PTL_EVENT_PUT",
    c"PTL_EVENT_PUT_OVERFLOW",
    c"PTL_EVENT_ATOMIC",
    c"PTL_EVENT_ATOMIC_OVERFLOW",
    c"PTL_EVENT_FETCH_ATOMIC",
    c"PTL_EVENT_FETCH_ATOMIC_OVERFLOW",
    c"PTL_EVENT_REPLY",
    c"PTL_EVENT_SEND",
    c"PTL_EVENT_ACK",
    c"PTL_EVENT_PT_DISABLED",
    c"PTL_EVENT_LINK",
    c"PTL_EVENT_AUTO_UNLINK",
    c"PTL_EVENT_AUTO_FREE",
    c"PTL_EVENT_SEARCH",
];

/// `ptl_ni_fail_t`, by number
const FAILURES: [&CStr; 9] = [
    c"PTL_NI_OK",
    c"PTL_NI_UNDELIVERABLE",
    c"PTL_NI_DROPPED",
    c"PTL_NI_PT_DISABLED",
    c"PTL_NI_PERM_VIOLATION",
    c"PTL_NI_OP_VIOLATION",
    c"PTL_NI_NO_MATCH",
    c"PTL_NI_SEGV",
    c"PTL_NI_TARGET_INVALID",
];

/// The name that a program finds for a number.
pub fn name(value: c_int, kind: c_uint) -> &'static CStr {
    let names: &[&CStr] = match kind {
        0 => &CODES,
        1 => &EVENTS,
        2 => &FAILURES,
        _ => &[],
    };
    usize::try_from(value)
        .ok()
        .and_then(|value| names.get(value))
        .copied()
        .unwrap_or(c"Unknown")
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlToStr(value: c_int, kind: c_uint) -> *const c_char {
    name(value, kind).as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlFailTypeSize() -> c_int {
    FAILURES.len() as c_int
}

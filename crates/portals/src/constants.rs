//! The numbers of the public header `portals4.h`, by their names there.
//!
//! They are those of the newest public revision (Portals 4.1: `PTL_EVENT_LINK`, `PTL_NI_PT_DISABLED`,
//! `PTL_MD_EVENT_SEND_DISABLE`). What only other revisions or S4BXI have follows behind.

#![allow(missing_docs, reason = "the names of the header, documented there")]

use crate::types::{Code, MatchList, NiFail};

// Return codes (`enum ptl_retvals`).
pub const PTL_OK: u32 = 0;
pub const PTL_ARG_INVALID: u32 = 1;
pub const PTL_CT_NONE_REACHED: u32 = 2;
pub const PTL_EQ_DROPPED: u32 = 3;
pub const PTL_EQ_EMPTY: u32 = 4;
pub const PTL_FAIL: u32 = 5;
pub const PTL_IGNORED: u32 = 6;
pub const PTL_IN_USE: u32 = 7;
pub const PTL_INTERRUPTED: u32 = 8;
pub const PTL_LIST_TOO_LONG: u32 = 9;
pub const PTL_NO_INIT: u32 = 10;
pub const PTL_NO_SPACE: u32 = 11;
pub const PTL_PID_IN_USE: u32 = 12;
pub const PTL_PT_FULL: u32 = 13;
pub const PTL_PT_EQ_NEEDED: u32 = 14;
pub const PTL_PT_IN_USE: u32 = 15;

// Codes that the header names without numbering them, or that S4BXI adds: they follow the others.
pub const PTL_SIZE_INVALID: u32 = 16;
pub const PTL_TRY_AGAIN: u32 = 17;
pub const PTL_ABORTED: u32 = 18;

// Handles that stand for none, and wildcards.
pub const PTL_EQ_NONE: u32 = 0x3fff_ffff;
pub const PTL_CT_NONE: u32 = 0x5fff_ffff;
pub const PTL_INVALID_HANDLE: u32 = 0xffff_ffff;
pub const PTL_IFACE_DEFAULT: u32 = 0xffff_ffff;
pub const PTL_PID_ANY: u32 = 0xffff;
pub const PTL_NID_ANY: u32 = 0xffff;
pub const PTL_UID_ANY: u32 = 0xffff_ffff;
pub const PTL_JID_ANY: u32 = 0xffff_ffff;
pub const PTL_JID_NONE: u32 = 0;
pub const PTL_PT_ANY: u32 = 0xffff_ffff;
pub const PTL_RANK_ANY: u32 = 0xffff_ffff;
pub const PTL_TIME_FOREVER: u32 = 0xffff_ffff;

// Status registers (`ptl_sr_index_t`).
pub const PTL_SR_DROP_COUNT: u32 = 0;
pub const PTL_SR_PERMISSION_VIOLATIONS: u32 = 1;
pub const PTL_SR_OPERATION_VIOLATIONS: u32 = 2;
pub const PTL_SR_LAST: u32 = 3;

// Options of `PtlNIInit`.
pub const PTL_NI_MATCHING: u32 = 1;
pub const PTL_NI_NO_MATCHING: u32 = 1 << 1;
pub const PTL_NI_LOGICAL: u32 = 1 << 2;
pub const PTL_NI_PHYSICAL: u32 = 1 << 3;
pub const PTL_NI_INIT_OPTIONS_MASK: u32 = (1 << 4) - 1;

// How an operation failed (`ptl_ni_fail_t`); the last is S4BXI's.
pub const PTL_NI_OK: u32 = 0;
pub const PTL_NI_UNDELIVERABLE: u32 = 1;
pub const PTL_NI_DROPPED: u32 = 2;
pub const PTL_NI_PT_DISABLED: u32 = 3;
pub const PTL_NI_PERM_VIOLATION: u32 = 4;
pub const PTL_NI_OP_VIOLATION: u32 = 5;
pub const PTL_NI_NO_MATCH: u32 = 6;
pub const PTL_NI_SEGV: u32 = 7;
pub const PTL_NI_TARGET_INVALID: u32 = 8;

// Features in the limits.
pub const PTL_TARGET_BIND_INACCESSIBLE: u32 = 1;
pub const PTL_TOTAL_DATA_ORDERING: u32 = 1 << 1;
pub const PTL_COHERENT_ATOMICS: u32 = 1 << 2;

// Options of `PtlPTAlloc`.
pub const PTL_PT_ONLY_USE_ONCE: u32 = 1;
pub const PTL_PT_FLOWCTRL: u32 = 1 << 1;
pub const PTL_PT_ONLY_TRUNCATE: u32 = 1 << 2;
pub const PTL_PT_MATCH_UNORDERED: u32 = 1 << 3;
pub const PTL_PT_ALLOC_DISABLED: u32 = 1 << 4;
pub const PTL_PT_ALLOC_OPTIONS_MASK: u32 = (1 << 5) - 1;

// Of descriptors and entries: the region is an array of `ptl_iovec_t`.
pub const PTL_IOVEC: u32 = 1;

// Options of memory descriptors.
pub const PTL_MD_EVENT_CT_SEND: u32 = 1 << 1;
pub const PTL_MD_EVENT_CT_REPLY: u32 = 1 << 2;
pub const PTL_MD_EVENT_CT_ACK: u32 = 1 << 3;
pub const PTL_MD_UNORDERED: u32 = 1 << 4;
pub const PTL_MD_EVENT_SUCCESS_DISABLE: u32 = 1 << 5;
pub const PTL_MD_VOLATILE: u32 = 1 << 6;
pub const PTL_MD_EVENT_SEND_DISABLE: u32 = 1 << 7;
pub const PTL_MD_UNRELIABLE: u32 = 1 << 8;
pub const PTL_MD_EVENT_CT_BYTES: u32 = 1 << 15;
pub const PTL_MD_OPTIONS_MASK: u32 = ((1 << 9) - 1) | PTL_MD_EVENT_CT_BYTES;

// Options of list entries; those of `PTL_LE_…` have the same numbers.
pub const PTL_ME_OP_PUT: u32 = 1 << 1;
pub const PTL_ME_OP_GET: u32 = 1 << 2;
pub const PTL_ME_USE_ONCE: u32 = 1 << 3;
pub const PTL_ME_ACK_DISABLE: u32 = 1 << 4;
pub const PTL_ME_UNEXPECTED_HDR_DISABLE: u32 = 1 << 5;
pub const PTL_ME_IS_ACCESSIBLE: u32 = 1 << 6;
pub const PTL_ME_EVENT_LINK_DISABLE: u32 = 1 << 7;
pub const PTL_ME_EVENT_COMM_DISABLE: u32 = 1 << 8;
pub const PTL_ME_EVENT_FLOWCTRL_DISABLE: u32 = 1 << 9;
pub const PTL_ME_EVENT_SUCCESS_DISABLE: u32 = 1 << 10;
pub const PTL_ME_EVENT_OVER_DISABLE: u32 = 1 << 11;
pub const PTL_ME_EVENT_UNLINK_DISABLE: u32 = 1 << 12;
pub const PTL_ME_EVENT_CT_COMM: u32 = 1 << 13;
pub const PTL_ME_EVENT_CT_OVERFLOW: u32 = 1 << 14;
pub const PTL_ME_EVENT_CT_BYTES: u32 = 1 << 15;
pub const PTL_LE_APPEND_OPTIONS_MASK: u32 = (1 << 16) - 1;

// Options of match list entries only.
pub const PTL_ME_MANAGE_LOCAL: u32 = 1 << 16;
pub const PTL_ME_NO_TRUNCATE: u32 = 1 << 17;
pub const PTL_ME_MAY_ALIGN: u32 = 1 << 18;
pub const PTL_ME_LOCAL_INC_UH_RLENGTH: u32 = 1 << 19;
pub const PTL_ME_APPEND_OPTIONS_MASK: u32 = (1 << 20) - 1;

// Of early revisions: the entry is for a job, not a user.
pub const PTL_ME_AUTH_USE_JID: u32 = 1 << 20;

// Lists (`ptl_list_t`) and what a search does (`ptl_search_op_t`).
pub const PTL_PRIORITY_LIST: u32 = 0;
pub const PTL_OVERFLOW_LIST: u32 = 1;
pub const PTL_SEARCH_ONLY: u32 = 0;
pub const PTL_SEARCH_DELETE: u32 = 1;

// Acknowledgements (`ptl_ack_req_t`).
pub const PTL_NO_ACK_REQ: u32 = 0;
pub const PTL_ACK_REQ: u32 = 1;
pub const PTL_CT_ACK_REQ: u32 = 2;
pub const PTL_OC_ACK_REQ: u32 = 3;

// Operators of atomic operations (`ptl_op_t`).
pub const PTL_MIN: u32 = 0;
pub const PTL_MAX: u32 = 1;
pub const PTL_SUM: u32 = 2;
pub const PTL_PROD: u32 = 3;
pub const PTL_LOR: u32 = 4;
pub const PTL_LAND: u32 = 5;
pub const PTL_BOR: u32 = 6;
pub const PTL_BAND: u32 = 7;
pub const PTL_LXOR: u32 = 8;
pub const PTL_BXOR: u32 = 9;
pub const PTL_SWAP: u32 = 10;
pub const PTL_CSWAP: u32 = 11;
pub const PTL_CSWAP_NE: u32 = 12;
pub const PTL_CSWAP_LE: u32 = 13;
pub const PTL_CSWAP_LT: u32 = 14;
pub const PTL_CSWAP_GE: u32 = 15;
pub const PTL_CSWAP_GT: u32 = 16;
pub const PTL_MSWAP: u32 = 17;
pub const PTL_OP_LAST: u32 = 18;

// Types of atomic operations (`ptl_datatype_t`).
pub const PTL_INT8_T: u32 = 0;
pub const PTL_UINT8_T: u32 = 1;
pub const PTL_INT16_T: u32 = 2;
pub const PTL_UINT16_T: u32 = 3;
pub const PTL_INT32_T: u32 = 4;
pub const PTL_UINT32_T: u32 = 5;
pub const PTL_FLOAT: u32 = 6;
pub const PTL_INT64_T: u32 = 7;
pub const PTL_UINT64_T: u32 = 8;
pub const PTL_DOUBLE: u32 = 9;
pub const PTL_FLOAT_COMPLEX: u32 = 10;
pub const PTL_DOUBLE_COMPLEX: u32 = 11;
pub const PTL_LONG_DOUBLE: u32 = 12;
pub const PTL_LONG_DOUBLE_COMPLEX: u32 = 13;
pub const PTL_DATATYPE_LAST: u32 = 14;

// Kinds of events (`ptl_event_kind_t`).
pub const PTL_EVENT_GET: u32 = 0;
pub const PTL_EVENT_GET_OVERFLOW: u32 = 1;
pub const PTL_EVENT_PUT: u32 = 2;
pub const PTL_EVENT_PUT_OVERFLOW: u32 = 3;
pub const PTL_EVENT_ATOMIC: u32 = 4;
pub const PTL_EVENT_ATOMIC_OVERFLOW: u32 = 5;
pub const PTL_EVENT_FETCH_ATOMIC: u32 = 6;
pub const PTL_EVENT_FETCH_ATOMIC_OVERFLOW: u32 = 7;
pub const PTL_EVENT_REPLY: u32 = 8;
pub const PTL_EVENT_SEND: u32 = 9;
pub const PTL_EVENT_ACK: u32 = 10;
pub const PTL_EVENT_PT_DISABLED: u32 = 11;
pub const PTL_EVENT_LINK: u32 = 12;
pub const PTL_EVENT_AUTO_UNLINK: u32 = 13;
pub const PTL_EVENT_AUTO_FREE: u32 = 14;
pub const PTL_EVENT_SEARCH: u32 = 15;

/// Largest size of anything (`PTL_SIZE_MAX`).
pub const PTL_SIZE_MAX: u64 = u64::MAX;

impl Code {
    /// Its number in the header.
    pub const fn number(self) -> u32 {
        match self {
            Self::ArgInvalid => PTL_ARG_INVALID,
            Self::CtNoneReached => PTL_CT_NONE_REACHED,
            Self::EqDropped => PTL_EQ_DROPPED,
            Self::EqEmpty => PTL_EQ_EMPTY,
            Self::Fail => PTL_FAIL,
            Self::Ignored => PTL_IGNORED,
            Self::InUse => PTL_IN_USE,
            Self::Interrupted => PTL_INTERRUPTED,
            Self::ListTooLong => PTL_LIST_TOO_LONG,
            Self::NoInit => PTL_NO_INIT,
            Self::NoSpace => PTL_NO_SPACE,
            Self::PidInUse => PTL_PID_IN_USE,
            Self::PtFull => PTL_PT_FULL,
            Self::PtEqNeeded => PTL_PT_EQ_NEEDED,
            Self::PtInUse => PTL_PT_IN_USE,
            Self::SizeInvalid => PTL_SIZE_INVALID,
            Self::TryAgain => PTL_TRY_AGAIN,
            Self::Aborted => PTL_ABORTED,
        }
    }
}

impl NiFail {
    /// Its number in the header.
    pub const fn number(self) -> u32 {
        match self {
            Self::Ok => PTL_NI_OK,
            Self::Undeliverable => PTL_NI_UNDELIVERABLE,
            Self::PtDisabled => PTL_NI_PT_DISABLED,
            Self::Dropped => PTL_NI_DROPPED,
            Self::PermViolation => PTL_NI_PERM_VIOLATION,
            Self::OpViolation => PTL_NI_OP_VIOLATION,
            Self::Segv => PTL_NI_SEGV,
            Self::NoMatch => PTL_NI_NO_MATCH,
            Self::TargetInvalid => PTL_NI_TARGET_INVALID,
        }
    }
}

impl MatchList {
    /// Its number in the header.
    pub const fn number(self) -> u32 {
        match self {
            Self::Priority => PTL_PRIORITY_LIST,
            Self::Overflow => PTL_OVERFLOW_LIST,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Values as the public header has them: an enumeration counts from 0, an option is a bit.
    #[test]
    fn numbers_are_the_headers() {
        assert_eq!(
            (PTL_OK, Code::ArgInvalid.number(), Code::PtInUse.number()),
            (0, 1, 15)
        );
        assert_eq!((Code::NoInit.number(), Code::NoSpace.number()), (10, 11));
        assert_eq!((NiFail::Ok.number(), NiFail::Segv.number()), (0, 7));
        assert_eq!((NiFail::PtDisabled.number(), NiFail::NoMatch.number()), (3, 6));
        assert_eq!((PTL_EVENT_ACK, PTL_EVENT_LINK, PTL_EVENT_SEARCH), (10, 12, 15));
        assert_eq!((PTL_SWAP, PTL_MSWAP, PTL_LONG_DOUBLE_COMPLEX), (10, 17, 13));
        assert_eq!((PTL_MD_EVENT_CT_BYTES, PTL_ME_EVENT_CT_BYTES), (0x8000, 0x8000));
        assert_eq!((PTL_ME_MANAGE_LOCAL, PTL_ME_MAY_ALIGN), (0x1_0000, 0x4_0000));
        assert_eq!(
            (MatchList::Priority.number(), MatchList::Overflow.number()),
            (0, 1)
        );
    }

    #[test]
    fn each_code_and_failure_has_a_number_of_its_own() {
        let codes = [
            Code::ArgInvalid,
            Code::CtNoneReached,
            Code::EqDropped,
            Code::EqEmpty,
            Code::Fail,
            Code::Ignored,
            Code::InUse,
            Code::Interrupted,
            Code::ListTooLong,
            Code::NoInit,
            Code::NoSpace,
            Code::PidInUse,
            Code::PtFull,
            Code::PtEqNeeded,
            Code::PtInUse,
            Code::SizeInvalid,
            Code::TryAgain,
        ];
        assert!(codes.iter().map(|code| code.number()).eq(1..18));
        let failures = [
            NiFail::Ok,
            NiFail::Undeliverable,
            NiFail::Dropped,
            NiFail::PtDisabled,
            NiFail::PermViolation,
            NiFail::OpViolation,
            NiFail::NoMatch,
            NiFail::Segv,
            NiFail::TargetInvalid,
        ];
        assert!(failures.iter().map(|fail| fail.number()).eq(0..9));
    }
}

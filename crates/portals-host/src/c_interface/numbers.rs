//! Names of the interface by the numbers they have in `portals4.h`.

use packetloom_portals::{Ack, Code, MatchList, NiFail, SearchMode};
use std::ffi::{c_int, c_uint};

/// `PTL_OK`
pub const OK: c_int = 0;
/// `PTL_IOVEC`
pub const IOVEC: c_uint = 1;
/// `PTL_ME_AUTH_USE_JID`
pub const AUTH_USE_JID: c_uint = 1 << 20;
/// `PTL_UID_ANY`, `PTL_JID_ANY`
pub const ANY: u32 = 0xffff_ffff;
/// `PTL_TIME_FOREVER`
pub const TIME_FOREVER: c_uint = 0xffff_ffff;

/// `enum ptl_retvals`
pub const fn number(code: Code) -> c_int {
    match code {
        Code::ArgInvalid => 1,
        Code::CtNoneReached => 2,
        Code::EqDropped => 3,
        Code::EqEmpty => 4,
        Code::Fail => 5,
        Code::Ignored => 6,
        Code::InUse => 7,
        Code::Interrupted => 8,
        Code::ListTooLong => 9,
        Code::NoInit => 10,
        Code::NoSpace => 11,
        Code::PidInUse => 12,
        Code::PtFull => 13,
        Code::PtEqNeeded => 14,
        Code::PtInUse => 15,
        Code::SizeInvalid => 16,
        Code::TryAgain => 17,
        Code::Aborted => 18,
    }
}

/// `ptl_ni_fail_t`
pub const fn failure(fail: NiFail) -> c_uint {
    match fail {
        NiFail::Ok => 0,
        NiFail::Undeliverable => 1,
        NiFail::Dropped => 2,
        NiFail::PtDisabled => 3,
        NiFail::PermViolation => 4,
        NiFail::OpViolation => 5,
        NiFail::NoMatch => 6,
        NiFail::Segv => 7,
        NiFail::TargetInvalid => 8,
    }
}

/// `ptl_list_t`
pub const fn list(list: MatchList) -> c_uint {
    match list {
        MatchList::Priority => 0,
        MatchList::Overflow => 1,
    }
}

/// `ptl_list_t`; `None`: there is none.
pub const fn list_of(number: c_uint) -> Option<MatchList> {
    match number {
        0 => Some(MatchList::Priority),
        1 => Some(MatchList::Overflow),
        _ => None,
    }
}

/// `ptl_search_op_t`; `None`: there is none.
pub const fn search_of(number: c_uint) -> Option<SearchMode> {
    match number {
        0 => Some(SearchMode::Only),
        1 => Some(SearchMode::Delete),
        _ => None,
    }
}

/// `ptl_ack_req_t`; `None`: there is none.
pub const fn ack_of(number: c_uint) -> Option<Ack> {
    match number {
        0 => Some(Ack::None),
        1 => Some(Ack::Full),
        2 => Some(Ack::Counting),
        3 => Some(Ack::OperationCompleted),
        _ => None,
    }
}

/// A time to wait in milliseconds; `None`: for ever.
pub const fn patience(timeout: c_uint) -> Option<u32> {
    if timeout == TIME_FOREVER {
        None
    } else {
        Some(timeout)
    }
}

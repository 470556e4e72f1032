//! Names of the interface by the numbers they have in `portals4.h`.

use packetloom_portals::constants::{
    PTL_ACK_REQ, PTL_CT_ACK_REQ, PTL_IOVEC, PTL_NO_ACK_REQ, PTL_OC_ACK_REQ, PTL_OK, PTL_OVERFLOW_LIST,
    PTL_PRIORITY_LIST, PTL_SEARCH_DELETE, PTL_SEARCH_ONLY, PTL_TIME_FOREVER, PTL_UID_ANY,
};
use packetloom_portals::{Ack, Code, MatchList, NiFail, SearchMode};
use std::ffi::{c_int, c_uint};

/// `PTL_OK`
pub const OK: c_int = PTL_OK as c_int;
/// `PTL_IOVEC`
pub const IOVEC: c_uint = PTL_IOVEC;
/// `PTL_ME_AUTH_USE_JID`
pub const AUTH_USE_JID: c_uint = 1 << 20;
/// `PTL_UID_ANY`, `PTL_JID_ANY`
pub const ANY: u32 = PTL_UID_ANY;
/// `PTL_TIME_FOREVER`
pub const TIME_FOREVER: c_uint = PTL_TIME_FOREVER;

/// `enum ptl_retvals`
pub const fn number(code: Code) -> c_int {
    code.number() as c_int
}

/// `ptl_ni_fail_t`
pub const fn failure(fail: NiFail) -> c_uint {
    fail.number()
}

/// `ptl_list_t`
pub const fn list(list: MatchList) -> c_uint {
    list.number()
}

/// `ptl_list_t`; `None`: there is none.
pub const fn list_of(number: c_uint) -> Option<MatchList> {
    match number {
        PTL_PRIORITY_LIST => Some(MatchList::Priority),
        PTL_OVERFLOW_LIST => Some(MatchList::Overflow),
        _ => None,
    }
}

/// `ptl_search_op_t`; `None`: there is none.
pub const fn search_of(number: c_uint) -> Option<SearchMode> {
    match number {
        PTL_SEARCH_ONLY => Some(SearchMode::Only),
        PTL_SEARCH_DELETE => Some(SearchMode::Delete),
        _ => None,
    }
}

/// `ptl_ack_req_t`; `None`: there is none.
pub const fn ack_of(number: c_uint) -> Option<Ack> {
    match number {
        PTL_NO_ACK_REQ => Some(Ack::None),
        PTL_ACK_REQ => Some(Ack::Full),
        PTL_CT_ACK_REQ => Some(Ack::Counting),
        PTL_OC_ACK_REQ => Some(Ack::OperationCompleted),
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

//! Counting events.

use super::numbers::{OK, number, patience};
use super::pointers::{In, Out};
use super::types::CCounter;
use super::{command, command_for_handle, plain};
use crate::current;
use packetloom_portals::{Call, Code, Command, Handle, Return};
use std::ffi::{c_int, c_uint};

/// Asks for a value, and writes it and where it was found.
fn value(call: Call, event: Out<CCounter>, which: Out<c_uint>) -> c_int {
    match current::call(call) {
        Return::Counter { value, which: place } => {
            event.set(value.into());
            which.set(place);
            OK
        }
        Return::TimedOut => number(Code::CtNoneReached),
        other => plain(other),
    }
}

/// Nowhere.
const NOWHERE: Out<c_uint> = Out(std::ptr::null_mut());

#[unsafe(no_mangle)]
pub extern "C" fn PtlCTAlloc(ni_handle: u32, ct_handle: Out<u32>) -> c_int {
    if ct_handle.is_null() {
        return number(Code::ArgInvalid);
    }
    command_for_handle(Command::CtAlloc(Handle(ni_handle)), ct_handle)
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlCTFree(ct_handle: u32) -> c_int {
    command(Command::CtFree(Handle(ct_handle)))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlCTCancelTriggered(ct_handle: u32) -> c_int {
    command(Command::CtCancelTriggered(Handle(ct_handle)))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlCTGet(ct_handle: u32, event: Out<CCounter>) -> c_int {
    if event.is_null() {
        return number(Code::ArgInvalid);
    }
    value(Call::CtGet(Handle(ct_handle)), event, NOWHERE)
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlCTWait(ct_handle: u32, test: u64, event: Out<CCounter>) -> c_int {
    if event.is_null() {
        return number(Code::ArgInvalid);
    }
    value(Call::CtWait(Handle(ct_handle), test), event, NOWHERE)
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlCTPoll(
    ct_handles: In<u32>,
    tests: In<u64>,
    size: c_uint,
    timeout: c_uint,
    event: Out<CCounter>,
    which: Out<c_uint>,
) -> c_int {
    let (handles, tests) = (ct_handles.list(size as usize), tests.list(size as usize));
    let (Some(handles), Some(tests)) = (handles, tests) else {
        return number(Code::ArgInvalid);
    };
    if size == 0 || event.is_null() || which.is_null() {
        return number(Code::ArgInvalid);
    }
    let watched = handles.into_iter().map(Handle).zip(tests).collect();
    value(Call::CtPoll(watched, patience(timeout)), event, which)
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlCTSet(ct_handle: u32, new_ct: CCounter) -> c_int {
    plain(current::call(Call::CtSet(Handle(ct_handle), new_ct.into())))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlCTInc(ct_handle: u32, increment: CCounter) -> c_int {
    plain(current::call(Call::CtInc(Handle(ct_handle), increment.into())))
}

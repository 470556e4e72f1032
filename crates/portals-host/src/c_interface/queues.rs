//! Event queues.

use super::numbers::{OK, number, patience};
use super::pointers::{In, Out};
use super::types::CEvent;
use super::{command, command_for_handle, plain};
use crate::current;
use packetloom_portals::{Call, Code, Command, Handle, Return};
use std::ffi::{c_int, c_uint};

/// Asks for an event, and writes it and where it was found.
fn event(call: Call, into: Out<CEvent>, which: Out<c_uint>) -> c_int {
    match current::call(call) {
        Return::Event {
            event,
            which: place,
            dropped,
        } => {
            into.set((&*event).into());
            which.set(place);
            if dropped { number(Code::EqDropped) } else { OK }
        }
        Return::TimedOut => number(Code::EqEmpty),
        other => plain(other),
    }
}

/// Nowhere.
const NOWHERE: Out<c_uint> = Out(std::ptr::null_mut());

#[unsafe(no_mangle)]
pub extern "C" fn PtlEQAlloc(ni_handle: u32, count: u64, eq_handle: Out<u32>) -> c_int {
    if eq_handle.is_null() {
        return number(Code::ArgInvalid);
    }
    command_for_handle(Command::EqAlloc(Handle(ni_handle), count), eq_handle)
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlEQFree(eq_handle: u32) -> c_int {
    command(Command::EqFree(Handle(eq_handle)))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlEQGet(eq_handle: u32, into: Out<CEvent>) -> c_int {
    if into.is_null() {
        return number(Code::ArgInvalid);
    }
    event(Call::EqGet(Handle(eq_handle)), into, NOWHERE)
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlEQWait(eq_handle: u32, into: Out<CEvent>) -> c_int {
    if into.is_null() {
        return number(Code::ArgInvalid);
    }
    event(Call::EqWait(Handle(eq_handle)), into, NOWHERE)
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlEQPoll(
    eq_handles: In<u32>,
    size: c_uint,
    timeout: c_uint,
    into: Out<CEvent>,
    which: Out<c_uint>,
) -> c_int {
    let Some(handles) = eq_handles.list(size as usize) else {
        return number(Code::ArgInvalid);
    };
    if size == 0 || into.is_null() || which.is_null() {
        return number(Code::ArgInvalid);
    }
    let queues = handles.into_iter().map(Handle).collect();
    event(Call::EqPoll(queues, patience(timeout)), into, which)
}

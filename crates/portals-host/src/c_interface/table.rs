//! Portal table entries.

use super::numbers::{OK, number};
use super::pointers::Out;
use super::{command, plain};
use crate::current;
use packetloom_portals::{Call, Code, Command, Handle, Return};
use std::ffi::{c_int, c_uint};

#[unsafe(no_mangle)]
pub extern "C" fn PtlPTAlloc(
    ni_handle: u32,
    options: c_uint,
    eq_handle: u32,
    requested: u32,
    pt_index: Out<u32>,
) -> c_int {
    if pt_index.is_null() {
        return number(Code::ArgInvalid);
    }
    let command = Command::PtAlloc {
        ni: Handle(ni_handle),
        options,
        eq: Handle(eq_handle),
        requested,
    };
    match current::call(Call::Command(Box::new(command))) {
        Return::Index(index) => {
            pt_index.set(index);
            OK
        }
        other => plain(other),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlPTFree(ni_handle: u32, pt_index: u32) -> c_int {
    command(Command::PtFree(Handle(ni_handle), pt_index))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlPTDisable(ni_handle: u32, pt_index: u32) -> c_int {
    command(Command::PtDisable(Handle(ni_handle), pt_index))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlPTEnable(ni_handle: u32, pt_index: u32) -> c_int {
    command(Command::PtEnable(Handle(ni_handle), pt_index))
}

//! Memory descriptors.

use super::numbers::number;
use super::pointers::{In, Out};
use super::types::CMd;
use super::{command, command_for_handle};
use packetloom_portals::{Code, Command, Handle};
use std::ffi::c_int;

#[unsafe(no_mangle)]
pub extern "C" fn PtlMDBind(ni_handle: u32, md: In<CMd>, md_handle: Out<u32>) -> c_int {
    let spec = md.get().and_then(|md| md.spec());
    match spec {
        Some(spec) if !md_handle.is_null() => {
            command_for_handle(Command::MdBind(Handle(ni_handle), spec), md_handle)
        }
        _ => number(Code::ArgInvalid),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlMDRelease(md_handle: u32) -> c_int {
    command(Command::MdRelease(Handle(md_handle)))
}

//! Entries of the lists of a portal table entry.

use super::numbers::{list_of, number, search_of};
use super::pointers::{In, Out};
use super::types::{CLe, CMe};
use super::{command, command_for_handle};
use crate::current;
use packetloom_portals::{Code, Command, EntrySpec, Handle};
use std::ffi::{c_int, c_uint};

/// The caller's user on an interface; of a wrong interface, which the call itself finds, any.
fn own_uid(ni_handle: u32) -> u32 {
    current::with_library(|library| library.uid(Handle(ni_handle))).unwrap_or(0)
}

fn append(
    non_matching: bool,
    ni_handle: u32,
    pt_index: u32,
    entry: Option<EntrySpec>,
    list: c_uint,
    user_ptr: u64,
    handle: Out<u32>,
) -> c_int {
    match (entry, list_of(list)) {
        (Some(entry), Some(list)) if !handle.is_null() => command_for_handle(
            Command::Append {
                ni: Handle(ni_handle),
                pt_index,
                entry,
                list,
                user_ptr,
                non_matching,
            },
            handle,
        ),
        _ => number(Code::ArgInvalid),
    }
}

fn search(
    non_matching: bool,
    ni_handle: u32,
    pt_index: u32,
    entry: Option<EntrySpec>,
    mode: c_uint,
    user_ptr: u64,
) -> c_int {
    match (entry, search_of(mode)) {
        (Some(entry), Some(mode)) => command(Command::Search {
            ni: Handle(ni_handle),
            pt_index,
            entry,
            mode,
            user_ptr,
            non_matching,
        }),
        _ => number(Code::ArgInvalid),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlLEAppend(
    ni_handle: u32,
    pt_index: u32,
    le: In<CLe>,
    list: c_uint,
    user_ptr: u64,
    le_handle: Out<u32>,
) -> c_int {
    let entry = le.get().and_then(|le| le.spec(own_uid(ni_handle)));
    append(true, ni_handle, pt_index, entry, list, user_ptr, le_handle)
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlLEUnlink(le_handle: u32) -> c_int {
    command(Command::Unlink(Handle(le_handle)))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlLESearch(
    ni_handle: u32,
    pt_index: u32,
    le: In<CLe>,
    mode: c_uint,
    user_ptr: u64,
) -> c_int {
    let entry = le.get().and_then(|le| le.spec(own_uid(ni_handle)));
    search(true, ni_handle, pt_index, entry, mode, user_ptr)
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlMEAppend(
    ni_handle: u32,
    pt_index: u32,
    me: In<CMe>,
    list: c_uint,
    user_ptr: u64,
    me_handle: Out<u32>,
) -> c_int {
    let entry = me.get().and_then(|me| me.spec(own_uid(ni_handle)));
    append(false, ni_handle, pt_index, entry, list, user_ptr, me_handle)
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlMEUnlink(me_handle: u32) -> c_int {
    command(Command::Unlink(Handle(me_handle)))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlMESearch(
    ni_handle: u32,
    pt_index: u32,
    me: In<CMe>,
    mode: c_uint,
    user_ptr: u64,
) -> c_int {
    let entry = me.get().and_then(|me| me.spec(own_uid(ni_handle)));
    search(false, ni_handle, pt_index, entry, mode, user_ptr)
}

//! Start, end, and interfaces: who the process is on them, and which process has which rank.

use super::numbers::{OK, number};
use super::pointers::{In, Out};
use super::types::{CLimits, CProcess, JOB};
use super::{answer, command, done, plain};
use crate::current;
use packetloom_portals::{Call, Code, Command, Handle, Process, Return};
use std::ffi::{c_int, c_uint};

#[unsafe(no_mangle)]
pub extern "C" fn PtlInit() -> c_int {
    plain(current::call(Call::Init))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlFini() {
    current::call(Call::Fini);
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlAbort() {
    current::call(Call::Abort);
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlNIInit(
    iface: c_uint,
    options: c_uint,
    pid: u32,
    desired: In<CLimits>,
    actual: Out<CLimits>,
    ni_handle: Out<u32>,
) -> c_int {
    if ni_handle.is_null() {
        return number(Code::ArgInvalid);
    }
    let command = Command::NiInit {
        iface,
        options,
        pid,
        desired: desired.get().map(Into::into),
    };
    match current::call(Call::Command(Box::new(command))) {
        Return::Interface(handle, limits) => {
            actual.set(limits.into());
            ni_handle.set(handle.0);
            OK
        }
        other => plain(other),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlNIFini(ni_handle: u32) -> c_int {
    command(Command::NiFini(Handle(ni_handle)))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlNIStatus(ni_handle: u32, register: c_uint, status: Out<c_int>) -> c_int {
    answer(status, || {
        current::with_library(|library| library.status(Handle(ni_handle), register))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlNIHandle(handle: u32, ni_handle: Out<u32>) -> c_int {
    answer(ni_handle, || {
        current::with_library(|library| library.interface_of(Handle(handle))).map(|ni| ni.0)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlSetMap(ni_handle: u32, map_size: u64, mapping: In<CProcess>) -> c_int {
    // A map holds each process that there is at most a few times; more is a wrong size.
    const MAX_MAP: u64 = 1 << 24;
    let map = usize::try_from(map_size)
        .ok()
        .filter(|_| map_size <= MAX_MAP)
        .and_then(|size| mapping.list(size));
    let Some(map) = map else {
        return number(Code::ArgInvalid);
    };
    let map: Vec<Process> = map
        .iter()
        .map(|process| Process {
            nid: process.nid_or_rank,
            pid: process.pid,
        })
        .collect();
    done(current::with_library(|library| {
        library.set_map(Handle(ni_handle), &map)
    }))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlGetMap(
    ni_handle: u32,
    map_size: u64,
    mapping: Out<CProcess>,
    actual_map_size: Out<u64>,
) -> c_int {
    if mapping.is_null() && (map_size > 0 || actual_map_size.is_null()) {
        return number(Code::ArgInvalid);
    }
    done(current::with_library(|library| {
        let map = library.map(Handle(ni_handle))?;
        let room = usize::try_from(map_size).unwrap_or(usize::MAX);
        mapping.fill(map.iter().take(room).map(|&process| process.into()));
        actual_map_size.set(map.len() as u64);
        Ok(())
    }))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlGetUid(ni_handle: u32, uid: Out<u32>) -> c_int {
    answer(uid, || {
        current::with_library(|library| library.uid(Handle(ni_handle)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlGetId(ni_handle: u32, id: Out<CProcess>) -> c_int {
    answer(id, || {
        current::with_library(|library| library.id(Handle(ni_handle))).map(Into::into)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlGetPhysId(ni_handle: u32, id: Out<CProcess>) -> c_int {
    answer(id, || {
        current::with_library(|library| library.physical_id(Handle(ni_handle))).map(Into::into)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlGetJid(ni_handle: u32, jid: Out<u32>) -> c_int {
    answer(jid, || {
        current::with_library(|library| library.uid(Handle(ni_handle))).map(|_| JOB)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlStartBundle(ni_handle: u32) -> c_int {
    done(current::with_library(|library| {
        library.bundle(Handle(ni_handle), true)
    }))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlEndBundle(ni_handle: u32) -> c_int {
    done(current::with_library(|library| {
        library.bundle(Handle(ni_handle), false)
    }))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlAtomicSync() -> c_int {
    done(current::with_library(|library| library.atomic_sync()))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlNIAtomicSync(ni_handle: u32) -> c_int {
    done(current::with_library(|library| {
        library.uid(Handle(ni_handle))?;
        library.atomic_sync()
    }))
}

#[unsafe(no_mangle)]
pub extern "C" fn PtlHandleIsEqual(handle1: u32, handle2: u32) -> c_int {
    if handle1 == handle2 {
        OK
    } else {
        number(Code::Fail)
    }
}

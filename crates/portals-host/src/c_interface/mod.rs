//! The functions that programs in C call, by the names they have there.
//!
//! Each reads what the program points to, asks the machine in the name of the thread that runs, and writes what comes of it
//! where the program wants it. A pointer that may not be null and is makes the call fail with `PTL_ARG_INVALID`. Other
//! wrong pointers are the program's fault, and its crash: see [`pointers`].
//!
//! - `pointers`, `types`, `numbers`: how C sees arguments, structures and codes
//! - `interfaces`, `table`, `descriptors`, `entries`, `counters`, `queues`, `moves`, `triggered`, `nonblocking`: Portals
//! - `names`: codes as text
//! - `pmi`, `s4bxi`, `shared`: start-up, S4BXI's helpers, memory that processes share
//! - `exports`: all of them, by name

#![allow(non_snake_case, reason = "the names are those of the headers")]
#![allow(
    clippy::too_many_arguments,
    reason = "the parameters are those of the headers"
)]

mod counters;
mod descriptors;
mod entries;
mod exports;
mod interfaces;
mod moves;
mod names;
mod nonblocking;
mod numbers;
mod pmi;
mod pointers;
mod queues;
mod s4bxi;
mod shared;
mod table;
#[cfg(test)]
mod tests;
mod triggered;
mod types;

pub use exports::exports;

use crate::current;
use numbers::{OK, number};
use packetloom_portals::{Call, Code, Command, Handle, Return};
use pointers::Out;
use std::ffi::c_int;

/// Carries out a command that gives nothing back.
fn command(command: Command) -> c_int {
    plain(current::call(Call::Command(Box::new(command))))
}

/// Carries out a command that gives a handle back; `out` has been found not to be null.
fn command_for_handle(command: Command, out: Out<u32>) -> c_int {
    match current::call(Call::Command(Box::new(command))) {
        Return::Handle(Handle(handle)) => {
            out.set(handle);
            OK
        }
        other => plain(other),
    }
}

/// The code of a call that gives nothing back.
fn plain(returned: Return) -> c_int {
    match returned {
        Return::Done => OK,
        Return::Failed(code) => number(code),
        other => unreachable!("a call that gives nothing back gave {other:?}"),
    }
}

/// The code of a question that took no time; what it gives back goes to `out`.
fn answer<T: Copy>(out: Out<T>, ask: impl FnOnce() -> Result<T, Code>) -> c_int {
    if out.is_null() {
        return number(Code::ArgInvalid);
    }
    match ask() {
        Ok(value) => {
            out.set(value);
            OK
        }
        Err(code) => number(code),
    }
}

/// The code of something that is done or not.
fn done(result: Result<(), Code>) -> c_int {
    result.map_or_else(number, |()| OK)
}

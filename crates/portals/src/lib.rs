//! Portals 4 without I/O, clock or C: objects and rules, and a NIC that carries them out.
//!
//! - `atomics`: what the operators do to memory
//! - `types`: identifiers, handles, codes, and the structures of the interface
//! - `constants`: the numbers of the public header
//! - `library`: the objects of one process, and the rules they follow
//! - `call`: what a program asks of its node that takes time, and what it gets back
//! - `message`: what crosses the network
//! - `notices`: what follows from an operation: events, counters, triggered operations

pub mod atomics;
mod call;
pub mod constants;
mod library;
mod memory;
mod message;
mod notices;
mod pids;
mod types;

pub use call::{Call, Command, Move, Return, ThreadId, Trigger};
pub use library::{Library, Place};
pub use memory::Memory;
pub use message::{Ack, Header, Operation, Outcome, Payload};
pub use notices::{Completion, Notices, Receipt, Respond};
pub use pids::Pids;
pub use types::{
    Code, Counter, EntrySpec, Event, Handle, Limits, MatchList, MdSpec, NiFail, Process, RawProcess, Region,
    SearchMode,
};

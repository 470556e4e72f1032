//! What a program asks of its node that takes time, waits or sets something off, and what it gets back.
//!
//! Questions that neither take time nor change anything others see go to the process's `Library` at once.

use crate::message::{Ack, Operation};
use crate::types::{
    Code, Counter, EntrySpec, Event, Handle, Limits, MatchList, MdSpec, RawProcess, SearchMode,
};

/// A thread of a simulated process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId {
    /// The process, by its rank
    pub process: u32,
    /// The thread in it; 0 is the one that runs `main`
    pub thread: u32,
}

/// A call. Where a value may be wrong, it is what the program gave.
#[derive(Clone, Debug)]
pub enum Call {
    /// `PtlInit`
    Init,
    /// `PtlFini`
    Fini,
    /// A call that costs one command to the NIC
    Command(Box<Command>),
    /// A data movement operation; with `try_only` one that answers [`Code::TryAgain`] instead of waiting for a place
    Move {
        /// What to do
        operation: Box<Move>,
        /// The `Ptl…NB` variant
        try_only: bool,
    },
    /// A triggered operation: registered, and carried out when the counting event reaches the threshold
    Triggered {
        /// What to do
        operation: Box<Trigger>,
        /// Counting event that is watched
        ct: Handle,
        /// Value of its successes at which the operation is due
        threshold: u64,
    },
    /// `PtlEQGet`
    EqGet(Handle),
    /// `PtlEQWait`
    EqWait(Handle),
    /// `PtlEQPoll`: queues, and the time to wait in milliseconds, none: for ever
    EqPoll(Vec<Handle>, Option<u32>),
    /// `PtlCTGet`
    CtGet(Handle),
    /// `PtlCTWait`: until successes reach the value or there is a failure
    CtWait(Handle, u64),
    /// `PtlCTPoll`: counting events with the value each must reach, and the time to wait in milliseconds, none: for ever
    CtPoll(Vec<(Handle, u64)>, Option<u32>),
    /// `PtlCTSet`
    CtSet(Handle, Counter),
    /// `PtlCTInc`
    CtInc(Handle, Counter),
    /// Sleep for so many seconds
    Sleep(f64),
    /// Something that returns at once and may be called in a loop: reading a clock, `sched_yield`
    Poll,
    /// So many floating-point operations on the process's processor
    Compute(f64),
    /// As many floating-point operations as the process's processor does in so many seconds
    ComputeSeconds(f64),
    /// `PtlAbort`: ends the waits of all threads of the process in event queues and counting events with
    /// [`Code::Aborted`]
    Abort,
    /// Wait for all processes
    Barrier,
    /// Wait until another thread of the process calls for this one by [`Return::Woken`]; with a time in seconds to wait at
    /// most
    Park(Option<f64>),
}

/// A call that costs one command to the NIC, see [`Call::Command`].
#[derive(Clone, Debug)]
#[allow(
    missing_docs,
    reason = "the functions' parameters by their names in the header"
)]
pub enum Command {
    NiInit {
        iface: u32,
        options: u32,
        pid: u32,
        desired: Option<Limits>,
    },
    NiFini(Handle),
    PtAlloc {
        ni: Handle,
        options: u32,
        eq: Handle,
        requested: u32,
    },
    PtFree(Handle, u32),
    PtEnable(Handle, u32),
    PtDisable(Handle, u32),
    EqAlloc(Handle, u64),
    EqFree(Handle),
    CtAlloc(Handle),
    CtFree(Handle),
    CtCancelTriggered(Handle),
    MdBind(Handle, MdSpec),
    MdRelease(Handle),
    /// `PtlMEAppend` and `PtlLEAppend`
    Append {
        ni: Handle,
        pt_index: u32,
        entry: EntrySpec,
        list: MatchList,
        user_ptr: u64,
        /// An `LE` function was called: the interface must be a non-matching one, else a matching one
        non_matching: bool,
    },
    /// `PtlMEUnlink` and `PtlLEUnlink`
    Unlink(Handle),
    /// `PtlMESearch` and `PtlLESearch`
    Search {
        ni: Handle,
        pt_index: u32,
        entry: EntrySpec,
        mode: SearchMode,
        user_ptr: u64,
        non_matching: bool,
    },
}

/// A data movement operation as a program gave it.
#[derive(Clone, Debug)]
#[allow(
    missing_docs,
    reason = "the functions' parameters by their names in the header"
)]
pub struct Move {
    pub operation: Operation,
    pub md: Handle,
    pub local_offset: u64,
    pub length: u64,
    pub ack: Ack,
    pub target: RawProcess,
    pub pt_index: u32,
    pub match_bits: u64,
    pub remote_offset: u64,
    pub user_ptr: u64,
    pub hdr_data: u64,
    /// Of fetching operations
    pub get_md: Handle,
    /// Of fetching operations
    pub get_local_offset: u64,
}

/// What a triggered operation does.
#[derive(Clone, Debug)]
pub enum Trigger {
    /// A data movement
    Move(Move),
    /// Sets a counting event
    CtSet(Handle, Counter),
    /// Increments a counting event
    CtInc(Handle, Counter),
}

/// What a call gives back.
#[derive(Clone, Debug, PartialEq)]
pub enum Return {
    /// Nothing but success
    Done,
    /// A code other than success
    Failed(Code),
    /// A new object, or an interface's
    Handle(Handle),
    /// An interface and its limits
    Interface(Handle, Limits),
    /// An index of the portal table
    Index(u32),
    /// An event, which queue of those polled had it, and whether events before it were dropped
    Event {
        /// The event
        event: Box<Event>,
        /// Place of its queue among those polled, 0 where there was one
        which: u32,
        /// Whether events were lost before it
        dropped: bool,
    },
    /// A counting event's value, and which of those polled it was
    Counter {
        /// Its value
        value: Counter,
        /// Place among those polled, 0 where there was one
        which: u32,
    },
    /// Another thread called for this one
    Woken,
    /// The time to wait is over
    TimedOut,
}

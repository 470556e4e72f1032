//! What a node needs of the world around it.

use super::message::Message;
use crate::{Memory, Return, ThreadId};

/// Which way over PCI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the processor to the NIC
    ToNic,
    /// From the NIC to the processor
    ToCpu,
}

/// What ended, for the node that began it: given back to `Node::step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A step of the call that a thread of the node is in
    Main {
        /// Place of the process on the node
        process: u32,
        /// The thread
        thread: u32,
    },
    /// The time-out of a thread's wait
    TimeOut {
        /// Place of the process on the node
        process: u32,
        /// The thread
        thread: u32,
    },
    /// A transmitter's current step
    Tx(u32),
    /// A transmitter's DMA
    TxDma(u32),
    /// A receiver's current step
    Rx(u32),
    /// A receiver's payload is written
    RxWrite(u32),
    /// An event has reached its process
    Event(u32),
    /// An event has left a transmitter for PCI
    TxEvent(u32),
    /// An event has left a receiver for PCI
    RxEvent(u32),
    /// An event that no unit waits for has left for PCI
    EventLeft(u32),
    /// The end-to-end unit's time is up
    E2e,
    /// Something whose end concerns the log alone
    Nothing,
}

/// An operation as the log of operations knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Logged {
    /// What it is
    pub kind: Kind,
    /// Node it starts at
    pub initiator: u32,
    /// Node it goes to
    pub target: u32,
    /// When it began, seconds
    pub start: f64,
}

/// Kinds of operations in the log, with S4BXI's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    E2eAck = 0,
    PortalsAck = 1,
    GetResponse = 2,
    Put = 3,
    Get = 4,
    Atomic = 5,
    FetchAtomic = 6,
    FetchAtomicResponse = 7,
    PioPayload = 8,
    DmaPayload = 9,
    DmaRequest = 10,
    PayloadWrite = 11,
    Event = 12,
    Command = 13,
    Compute = 14,
}

/// How much a process computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Floating-point operations
    Flops(f64),
    /// As many as a core of its processor does in so many seconds
    Seconds(f64),
}

/// What a node needs: time, ways for bytes, memory, and threads to resume.
pub trait Surroundings {
    /// The memory of processes.
    type Memory: Memory;

    /// What cancels a time-out.
    type TimeOut: Copy + std::fmt::Debug;

    /// The time, seconds.
    fn now(&self) -> f64;

    /// Starts a transfer over the node's PCI; `step` comes back at its end, and then the log has it if it is to be logged.
    fn pci(&mut self, direction: Direction, bytes: u64, step: Step, logged: Option<Logged>);

    /// Starts a message of so many bytes on its way. At its end its target receives it and `step` comes back. When it is
    /// lost on the way, `step` comes back at that time, and if nobody will send it again `Node::skip` is called at its target
    /// and `Node::undeliverable` at its operation's initiator.
    fn wire(&mut self, message: Message, bytes: u64, step: Step, logged: Logged);

    /// An operation that takes no time has begun and ended.
    fn log(&mut self, logged: Logged);

    /// A message was given up: its target must not carry it out if it has not, nor wait for it.
    fn given_up(&mut self, message: &Message);

    /// Whether there is a node with this identifier.
    fn reaches(&self, nid: u32) -> bool;

    /// Gives a message to its target at this instant.
    fn instant(&mut self, message: Message);

    /// Has `step` come back after so many seconds.
    fn sleep(&mut self, span: f64, step: Step);

    /// As `sleep`, but to be cancelled if it is not needed; an outstanding one does not hold the run back.
    fn time_out(&mut self, span: f64, step: Step) -> Self::TimeOut;

    /// Cancels a time-out that has not come back.
    fn cancel(&mut self, time_out: Self::TimeOut);

    /// Starts a computation of a process: `step` comes back at its end.
    fn compute(&mut self, process: u32, work: Work, step: Step);

    /// A thread's call returns.
    fn resume(&mut self, thread: ThreadId, value: Return);

    /// A thread waits for all processes.
    fn barrier(&mut self, thread: ThreadId);

    /// The memory of a process, by its rank.
    fn memory(&mut self, process: u32) -> &mut Self::Memory;
}

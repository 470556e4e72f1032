//! The Portals library of one simulated process: its interfaces and all that belongs to them. No time passes here.

#![allow(unused_variables, clippy::unimplemented, reason = "signatures first")]

use crate::{
    Code, Command, Completion, Counter, Event, Handle, Header, Memory, Move, Notices, Outcome, Payload, Pids,
    Process, RawProcess, Receipt, Return, Trigger,
};

/// Where and who a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its node
    pub nid: u32,
    /// Its user
    pub uid: u32,
    /// Its job
    pub jid: u32,
}

/// The Portals library of one process.
#[derive(Debug)]
pub struct Library {
    place: Place,
}

impl Library {
    /// Of a process at `place`, before `PtlInit`.
    pub fn new(place: Place) -> Self {
        Self { place }
    }

    // What takes no time: asked by the C interface directly.

    /// `PtlInit`: counted.
    pub fn init(&mut self) {
        unimplemented!()
    }

    /// `PtlFini`: the last one frees everything, interfaces and process identifier included.
    pub fn fini(&mut self, pids: &mut Pids) {
        unimplemented!()
    }

    /// Whether `PtlInit` was called more often than `PtlFini`.
    pub fn is_initialized(&self) -> bool {
        unimplemented!()
    }

    /// `PtlNIStatus`.
    pub fn status(&self, ni: Handle, register: u32) -> Result<i32, Code> {
        unimplemented!()
    }

    /// `PtlNIHandle`.
    pub fn interface_of(&self, handle: Handle) -> Result<Handle, Code> {
        unimplemented!()
    }

    /// `PtlSetMap`.
    pub fn set_map(&mut self, ni: Handle, map: &[Process]) -> Result<(), Code> {
        unimplemented!()
    }

    /// `PtlGetMap`.
    pub fn map(&self, ni: Handle) -> Result<&[Process], Code> {
        unimplemented!()
    }

    /// `PtlGetUid`.
    pub fn uid(&self, ni: Handle) -> Result<u32, Code> {
        unimplemented!()
    }

    /// `PtlGetId`: node and process identifiers, or the rank on a logical interface.
    pub fn id(&self, ni: Handle) -> Result<RawProcess, Code> {
        unimplemented!()
    }

    /// `PtlGetPhysId`.
    pub fn physical_id(&self, ni: Handle) -> Result<Process, Code> {
        unimplemented!()
    }

    /// `PtlStartBundle` and `PtlEndBundle`.
    pub fn bundle(&mut self, ni: Handle, start: bool) -> Result<(), Code> {
        unimplemented!()
    }

    /// `PtlAtomicSync`.
    pub fn atomic_sync(&self) -> Result<(), Code> {
        unimplemented!()
    }

    /// Whether the interface of this object matches; `None`: there is no such object.
    pub fn is_matching(&self, handle: Handle) -> Option<bool> {
        unimplemented!()
    }

    /// The process identifier, once an interface is there.
    pub fn pid(&self) -> Option<u32> {
        unimplemented!()
    }

    // What a program calls for, carried out at the end of the call's time.

    /// Carries a command out. What it returns goes to the program once the notices are issued.
    pub fn command(
        &mut self,
        command: &Command,
        pids: &mut Pids,
        memory: &mut impl Memory,
    ) -> (Return, Notices) {
        unimplemented!()
    }

    /// Checks a data movement's arguments and makes the request of it; its memory descriptors are in use until `closed`.
    pub fn prepare(&mut self, operation: &Move) -> Result<Header, Code> {
        unimplemented!()
    }

    /// Registers a triggered operation; it is due at once if the threshold is reached already.
    pub fn trigger(&mut self, operation: &Trigger, ct: Handle, threshold: u64) -> Result<Notices, Code> {
        unimplemented!()
    }

    /// `PtlCTSet`.
    pub fn ct_set(&mut self, ct: Handle, value: Counter) -> Result<Notices, Code> {
        unimplemented!()
    }

    /// `PtlCTInc`.
    pub fn ct_increment(&mut self, ct: Handle, by: Counter) -> Result<Notices, Code> {
        unimplemented!()
    }

    /// The value of a counting event.
    pub fn counter(&self, ct: Handle) -> Result<Counter, Code> {
        unimplemented!()
    }

    /// Takes the next event out of a queue, with whether events were dropped before it.
    pub fn take_event(&mut self, eq: Handle) -> Result<Option<(Event, bool)>, Code> {
        unimplemented!()
    }

    // The initiator's side of an operation, called by the NIC.

    /// The bytes that a put, an atomic operation or the like sends.
    pub fn outgoing(&self, header: &Header, memory: &impl Memory) -> Payload {
        unimplemented!()
    }

    /// The memory descriptor has `PTL_MD_VOLATILE`.
    pub fn is_volatile(&self, header: &Header) -> bool {
        unimplemented!()
    }

    /// Put and atomic: the message has left (or failed): SEND. Called once an operation.
    pub fn sent(&mut self, header: &Header, outcome: &Outcome) -> Notices {
        unimplemented!()
    }

    /// Put and atomic with an acknowledgement asked for: it is here (or never will be): ACK. Called once an operation.
    pub fn acknowledged(&mut self, header: &Header, outcome: &Outcome) -> Notices {
        unimplemented!()
    }

    /// Get, fetching and swap: the reply is here (or never will be): the bytes are written, REPLY. Called once.
    pub fn replied(
        &mut self,
        header: &Header,
        outcome: &Outcome,
        bytes: &[u8],
        memory: &mut impl Memory,
    ) -> Notices {
        unimplemented!()
    }

    /// Nothing more comes of the operation: its memory descriptors are free of it.
    pub fn closed(&mut self, header: &Header) {
        unimplemented!()
    }

    // The target's side, called by the NIC.

    /// Carries a request out: finds the entry, moves the bytes, counts, and says what is owed and what follows.
    pub fn receive(&mut self, header: &Header, payload: &mut Payload, memory: &mut impl Memory) -> Receipt {
        unimplemented!()
    }

    /// The reply of a fetching operation has left: its event at the target.
    pub fn fetched(&mut self, completion: Completion) -> Notices {
        unimplemented!()
    }

    /// Puts an event with a reserved place into its queue; false: the queue is gone.
    pub fn deliver(&mut self, eq: Handle, event: Event) -> bool {
        unimplemented!()
    }
}

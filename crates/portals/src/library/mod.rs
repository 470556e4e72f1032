//! The Portals library of one simulated process: its interfaces and all that belongs to them. No time passes here.
//!
//! - `handles`, `limits`: what names an object, and how many there can be
//! - `interface`, `table`, `descriptors`, `queues`, `counters`, `matching`: the objects
//! - `command`: the calls that cost a command
//! - `initiator`, `target`, `transfer`: data movement, seen from both ends
//! - `triggered`: what counting events set off

mod atomics;
mod command;
mod counters;
mod descriptors;
mod handles;
mod initiator;
mod interface;
mod limits;
mod matching;
mod queues;
mod table;
mod target;
mod transfer;
mod triggered;

#[cfg(test)]
mod tests;

use crate::constants::PTL_MD_VOLATILE;
use crate::memory::Memory;
use crate::message::{Header, Outcome, Payload};
use crate::notices::{Completion, Notices, Receipt};
use crate::pids::Pids;
use crate::types::{Code, Counter, Event, Handle, NiFail, Process, RawProcess};
use handles::{Key, Kind, Parts, parts};
use interface::Interface;

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
    /// Calls of `PtlInit` less calls of `PtlFini`.
    references: u32,
    pid: Option<u32>,
    interfaces: [Interface; 4],
}

impl Library {
    /// Of a process at `place`, before `PtlInit`.
    pub fn new(place: Place) -> Self {
        Self {
            place,
            references: 0,
            pid: None,
            interfaces: [0, 1, 2, 3].map(Interface::new),
        }
    }

    // What takes no time: asked by the C interface directly.

    /// `PtlInit`: counted.
    pub fn init(&mut self) {
        self.references += 1;
    }

    /// `PtlFini`: the last one frees everything, interfaces and process identifier included. Without `PtlInit` it does
    /// nothing.
    pub fn fini(&mut self, pids: &mut Pids) {
        if self.references == 0 {
            return;
        }
        self.references -= 1;
        if self.references == 0 {
            for interface in &mut self.interfaces {
                interface.close();
            }
            self.release_pid(pids);
        }
    }

    /// `PtlNIStatus`.
    ///
    /// # Errors
    ///
    /// [`Code::NoInit`], or [`Code::ArgInvalid`] when there is no such interface or register.
    pub fn status(&self, ni: Handle, register: u32) -> Result<i32, Code> {
        let registers = &self.interface(ni)?.registers;
        registers.get(register as usize).copied().ok_or(Code::ArgInvalid)
    }

    /// `PtlNIHandle`.
    ///
    /// # Errors
    ///
    /// [`Code::NoInit`], or [`Code::ArgInvalid`] when the handle names nothing.
    pub fn interface_of(&self, handle: Handle) -> Result<Handle, Code> {
        Ok(self.owner(handle)?.handle())
    }

    /// `PtlSetMap`.
    ///
    /// # Errors
    ///
    /// [`Code::NoInit`], or [`Code::ArgInvalid`] when the interface is not a logical one or the map is empty.
    pub fn set_map(&mut self, ni: Handle, map: &[Process]) -> Result<(), Code> {
        self.interface_mut(ni)?.set_map(map)
    }

    /// `PtlGetMap`.
    ///
    /// # Errors
    ///
    /// [`Code::NoInit`], or [`Code::ArgInvalid`] when the interface has no map.
    pub fn map(&self, ni: Handle) -> Result<&[Process], Code> {
        self.interface(ni)?.map()
    }

    /// `PtlGetUid`.
    ///
    /// # Errors
    ///
    /// [`Code::NoInit`], or [`Code::ArgInvalid`] when there is no such interface.
    pub fn uid(&self, ni: Handle) -> Result<u32, Code> {
        self.interface(ni)?;
        Ok(self.place.uid)
    }

    /// `PtlGetId`: node and process identifiers, or the rank on a logical interface.
    ///
    /// # Errors
    ///
    /// [`Code::NoInit`], or [`Code::ArgInvalid`] when there is no such interface, or it is a logical one without a map.
    pub fn id(&self, ni: Handle) -> Result<RawProcess, Code> {
        self.interface(ni)?.id()
    }

    /// `PtlGetPhysId`.
    ///
    /// # Errors
    ///
    /// [`Code::NoInit`], or [`Code::ArgInvalid`] when there is no such interface.
    pub fn physical_id(&self, ni: Handle) -> Result<Process, Code> {
        Ok(self.interface(ni)?.process)
    }

    /// `PtlStartBundle` and `PtlEndBundle`.
    ///
    /// # Errors
    ///
    /// [`Code::NoInit`], or [`Code::ArgInvalid`] when there is no such interface or no bundle to end.
    pub fn bundle(&mut self, ni: Handle, start: bool) -> Result<(), Code> {
        let interface = self.interface_mut(ni)?;
        interface.bundles = if start {
            interface.bundles + 1
        } else {
            interface.bundles.checked_sub(1).ok_or(Code::ArgInvalid)?
        };
        Ok(())
    }

    /// `PtlAtomicSync`.
    ///
    /// # Errors
    ///
    /// [`Code::NoInit`].
    pub fn atomic_sync(&self) -> Result<(), Code> {
        self.initialised()
    }

    /// Whether the interface of this object matches; `None`: there is no such object.
    pub fn is_matching(&self, handle: Handle) -> Option<bool> {
        self.owner(handle).ok().map(Interface::is_matching)
    }

    /// The process identifier, once an interface is there.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// The value of a counting event.
    ///
    /// # Errors
    ///
    /// [`Code::NoInit`], or [`Code::ArgInvalid`] when there is no such counting event.
    pub fn counter(&self, ct: Handle) -> Result<Counter, Code> {
        let (interface, key) = self.find(ct, Kind::Counter)?;
        let counter = interface.counters.get(key).ok_or(Code::ArgInvalid)?;
        Ok(counter.value)
    }

    /// Takes the next event out of a queue, with whether events were dropped before it.
    ///
    /// # Errors
    ///
    /// [`Code::NoInit`], or [`Code::ArgInvalid`] when there is no such queue.
    pub fn take_event(&mut self, eq: Handle) -> Result<Option<(Event, bool)>, Code> {
        let (interface, key) = self.find_mut(eq, Kind::Queue)?;
        let queue = interface.queues.get_mut(key).ok_or(Code::ArgInvalid)?;
        Ok(queue.take())
    }

    // The initiator's side of an operation, called by the NIC.

    /// The bytes that a put, an atomic operation or the like sends.
    pub fn outgoing(&self, header: &Header, memory: &impl Memory) -> Payload {
        self.interfaces[usize::from(header.interface & 3)].outgoing(header, memory)
    }

    /// The memory descriptor has `PTL_MD_VOLATILE`.
    pub fn is_volatile(&self, header: &Header) -> bool {
        self.interfaces[usize::from(header.interface & 3)]
            .descriptor(header.md)
            .is_some_and(|descriptor| descriptor.has(PTL_MD_VOLATILE))
    }

    /// Put, atomic, fetching and swap: the message has left (or failed): SEND. Called once an operation.
    pub fn sent(&mut self, header: &Header, outcome: &Outcome) -> Notices {
        let notices = self.of_header(header).sent(header, outcome);
        self.settled(notices)
    }

    /// Put and atomic with an acknowledgement asked for: it is here (or never will be): ACK. Called once an operation.
    pub fn acknowledged(&mut self, header: &Header, outcome: &Outcome) -> Notices {
        let notices = self.of_header(header).acknowledged(header, outcome);
        self.settled(notices)
    }

    /// Get, fetching and swap: the reply is here (or never will be): the bytes are written, REPLY. Called once.
    pub fn replied(
        &mut self,
        header: &Header,
        outcome: &Outcome,
        bytes: &[u8],
        memory: &mut impl Memory,
    ) -> Notices {
        let notices = self.of_header(header).replied(header, outcome, bytes, memory);
        self.settled(notices)
    }

    /// Nothing more comes of the operation: its memory descriptors are free of it.
    pub fn closed(&mut self, header: &Header) {
        self.of_header(header).release_descriptors(header);
    }

    // The target's side, called by the NIC.

    /// Carries a request out: finds the entry, moves the bytes, counts, and says what is owed and what follows. A process
    /// without the interface is no target for it: [`NiFail::TargetInvalid`].
    pub fn receive(&mut self, header: &Header, payload: &mut Payload, memory: &mut impl Memory) -> Receipt {
        let interface = self.of_header(header);
        if interface.references == 0 {
            return target::refused(header, NiFail::TargetInvalid, Notices::default());
        }
        let mut receipt = interface.receive(header, payload, memory);
        self.settle(&mut receipt.now);
        receipt
    }

    /// The reply of a fetching operation has left: its event at the target.
    pub fn fetched(&mut self, completion: Completion) -> Notices {
        let Some(Parts { interface, key, .. }) = parts(Handle(completion.0)) else {
            return Notices::default();
        };
        let notices = self.interfaces[usize::from(interface)].fetched(key);
        self.settled(notices)
    }

    /// Puts an event with a reserved place into its queue; false: the queue is gone.
    pub fn deliver(&mut self, eq: Handle, event: Event) -> bool {
        let Ok((interface, key)) = self.find_mut(eq, Kind::Queue) else {
            return false;
        };
        let Some(queue) = interface.queues.get_mut(key) else {
            return false;
        };
        queue.deliver(event);
        true
    }

    // Finding things.

    fn initialised(&self) -> Result<(), Code> {
        if self.references == 0 {
            return Err(Code::NoInit);
        }
        Ok(())
    }

    /// The interface and the key of a handle of that kind; whether there is such an object is not asked.
    fn find(&self, handle: Handle, kind: Kind) -> Result<(&Interface, Key), Code> {
        self.initialised()?;
        match parts(handle) {
            Some(parts) if parts.kind == kind => {
                let interface = &self.interfaces[usize::from(parts.interface)];
                Ok((interface, parts.key))
            }
            _ => Err(Code::ArgInvalid),
        }
    }

    fn find_mut(&mut self, handle: Handle, kind: Kind) -> Result<(&mut Interface, Key), Code> {
        self.initialised()?;
        match parts(handle) {
            Some(parts) if parts.kind == kind => {
                let interface = &mut self.interfaces[usize::from(parts.interface)];
                Ok((interface, parts.key))
            }
            _ => Err(Code::ArgInvalid),
        }
    }

    /// The interface that a handle names.
    fn interface(&self, ni: Handle) -> Result<&Interface, Code> {
        let (interface, key) = self.find(ni, Kind::Interface)?;
        if key == Key::ONLY && interface.references > 0 {
            Ok(interface)
        } else {
            Err(Code::ArgInvalid)
        }
    }

    fn interface_mut(&mut self, ni: Handle) -> Result<&mut Interface, Code> {
        let (interface, key) = self.find_mut(ni, Kind::Interface)?;
        if key == Key::ONLY && interface.references > 0 {
            Ok(interface)
        } else {
            Err(Code::ArgInvalid)
        }
    }

    /// The interface of an object that is there.
    fn owner(&self, handle: Handle) -> Result<&Interface, Code> {
        self.initialised()?;
        let Parts { kind, interface, key } = parts(handle).ok_or(Code::ArgInvalid)?;
        let interface = &self.interfaces[usize::from(interface)];
        let there = match kind {
            Kind::Interface => key == Key::ONLY && interface.references > 0,
            Kind::Queue => interface.queues.get(key).is_some(),
            Kind::Counter => interface.counters.get(key).is_some(),
            Kind::Descriptor => interface.descriptors.get(key).is_some(),
            Kind::Entry => interface.linked_entry(handle).is_some(),
        };
        there.then_some(interface).ok_or(Code::ArgInvalid)
    }

    fn of_header(&mut self, header: &Header) -> &mut Interface {
        &mut self.interfaces[usize::from(header.interface & 3)]
    }

    fn release_pid(&mut self, pids: &mut Pids) {
        if let Some(pid) = self.pid.take() {
            pids.release(pid);
        }
    }
}

//! A node: the main actors of its processes, and its NIC with transmitters, receivers and the end-to-end unit.
//!
//! The four kinds of actors are state machines. What takes time is asked of the [`Surroundings`] and comes back by
//! [`Node::step`]; messages come by [`Node::arrive`].
//!
//! - `settings`: options, and the numbers of the model
//! - `surroundings`: what a node needs of the world
//! - `message`: what crosses the wire
//! - `main_actor`: calls of programs, step by step, with `post`, `waits` and `names`
//! - `tx`: transmitters, one queue a virtual network
//! - `rx`: receivers, likewise, with `answers`
//! - `e2e`: acknowledgement end to end, and sending again
//! - `order`: once and in order
//! - `events`: from the NIC into a program's queue

mod answers;
mod e2e;
mod events;
mod main_actor;
mod message;
mod names;
mod order;
mod post;
mod rx;
pub mod settings;
mod surroundings;
mod tx;
mod waits;

pub use message::{Body, Message, OperationId, Sequence, Vn};
pub use settings::{Features, Settings};
pub use surroundings::{Direction, Kind, Logged, Step, Surroundings, Work};

use crate::{Header, Library, NiFail, Notices, Outcome, Pids, Place};
use e2e::EndToEnd;
use events::Delivery;
use main_actor::Thread;
use order::{Incoming, Outgoing};
use rx::{Receiver, RxQueue};
use slab::Slab;
use slotmap::SlotMap;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tx::{Transmitter, TxQueue};

/// A process of a node.
#[derive(Debug)]
struct Process<T> {
    /// Its rank, by which the world knows it
    rank: u32,
    library: Library,
    threads: Vec<Thread<T>>,
    /// Its operations travel on the networks of services
    service: bool,
    /// Commands of each interface that no transmitter has taken yet
    commands: [u32; 4],
    /// Threads that wait for a place in each
    waiting: [VecDeque<u32>; 4],
}

/// An operation that one of the node's processes began and that is not closed.
#[derive(Debug)]
struct Operation {
    header: Arc<Header>,
    /// Place of its process on the node
    process: u32,
    /// SEND was issued
    sent: bool,
    /// The library knows that nothing more comes of it
    closed: bool,
    /// Where the end-to-end unit has its request: peer and virtual network, and number
    place: Option<((u32, u8), u64)>,
}

/// A node.
#[derive(Debug)]
pub struct Node<S: Surroundings> {
    nid: u32,
    features: Features,
    settings: Settings,
    pids: Pids,
    processes: Vec<Process<S::TimeOut>>,
    operations: SlotMap<OperationId, Operation>,
    transmitters: Vec<Transmitter>,
    tx: [TxQueue; Vn::COUNT],
    receivers: Vec<Receiver>,
    rx: [RxQueue; Vn::COUNT],
    e2e: EndToEnd<S::TimeOut>,
    outgoing: BTreeMap<(u32, u8), Outgoing>,
    incoming: BTreeMap<(u32, u8), Incoming>,
    deliveries: Slab<Delivery>,
    /// Kept between arrivals
    ready: Vec<Message>,
}

impl<S: Surroundings> Node<S> {
    /// A node without processes whose NIC has the given units for each virtual network.
    pub fn new(nid: u32, features: Features, settings: Settings) -> Self {
        Self {
            nid,
            features,
            settings,
            pids: Pids::default(),
            processes: Vec::new(),
            operations: SlotMap::new(),
            transmitters: Vec::new(),
            tx: Default::default(),
            receivers: Vec::new(),
            rx: Default::default(),
            e2e: EndToEnd::default(),
            outgoing: BTreeMap::new(),
            incoming: BTreeMap::new(),
            deliveries: Slab::new(),
            ready: Vec::new(),
        }
    }

    /// Adds a transmitter for a virtual network.
    pub fn add_transmitter(&mut self, vn: Vn) {
        let unit = self.transmitters.len() as u32;
        self.transmitters.push(Transmitter::new(vn));
        self.tx[vn.index()].idle.push(unit);
    }

    /// Adds a receiver for a virtual network.
    pub fn add_receiver(&mut self, vn: Vn) {
        let unit = self.receivers.len() as u32;
        self.receivers.push(Receiver::new(vn));
        self.rx[vn.index()].idle.push(unit);
    }

    /// Adds a process and returns its place on the node.
    pub fn add_process(&mut self, rank: u32, place: Place, service: bool) -> u32 {
        self.processes.push(Process {
            rank,
            library: Library::new(place),
            threads: vec![Thread::default()],
            service,
            commands: [0; 4],
            waiting: Default::default(),
        });
        self.processes.len() as u32 - 1
    }

    /// The node's identifier.
    pub fn nid(&self) -> u32 {
        self.nid
    }

    /// What the node models.
    pub fn features(&self) -> Features {
        self.features
    }

    /// The library of a process, by its place on the node.
    pub fn library(&mut self, process: u32) -> &mut Library {
        &mut self.processes[process as usize].library
    }

    /// A process has ended: its threads never go on. Its Portals objects stay, since `main` of a process that has returned
    /// waits for those of all others.
    pub fn end_process(&mut self, process: u32, world: &mut S) {
        let at = &mut self.processes[process as usize];
        at.waiting = Default::default();
        for thread in &mut at.threads {
            thread.abandon(world);
        }
    }

    /// Goes on with what a step was begun for.
    pub fn step(&mut self, step: Step, world: &mut S) {
        match step {
            Step::Main { process, thread } => self.main_step(process, thread, world),
            Step::TimeOut { process, thread } => self.timed_out(process, thread, world),
            Step::Tx(unit) => self.tx_step(unit, world),
            Step::TxDma(unit) => self.tx_dma_ended(unit, world),
            Step::TxEvent(unit) => self.tx_event_left(unit, world),
            Step::Rx(unit) => self.rx_step(unit, world),
            Step::RxWrite(unit) => self.rx_written(unit, world),
            Step::RxEvent(unit) => self.rx_event_left(unit, world),
            Step::EventLeft(slot) => self.event_left(slot, world),
            Step::Event(slot) => self.event_arrived(slot, world),
            Step::E2e => self.e2e_due(world),
            Step::Nothing => {}
        }
    }

    /// What follows from an operation at a process besides its events: whoever waits for a counter, and operations set off.
    fn follow(&mut self, process: u32, notices: &mut Notices, world: &mut S) {
        if !notices.counters.is_empty() {
            notices.counters.clear();
            self.counters_changed(process, world);
        }
        for header in std::mem::take(&mut notices.launched) {
            self.launch(process, header, world);
        }
    }

    /// An operation that a counter set off goes to the transmitters without a command.
    fn launch(&mut self, process: u32, header: Header, world: &mut S) {
        let message = self.request(process, header);
        self.submit(message, world);
    }

    /// The message that asks for an operation.
    fn request(&mut self, process: u32, header: Header) -> Message {
        let header = Arc::new(header);
        let operation = self.operations.insert(Operation {
            header: Arc::clone(&header),
            process,
            sent: false,
            closed: false,
            place: None,
        });
        Message {
            from: self.nid,
            to: header.target.nid,
            vn: Vn::request(self.processes[process as usize].service),
            sequence: Sequence::default(),
            operation,
            fetches: matches!(
                header.operation,
                crate::Operation::FetchAtomic { .. } | crate::Operation::Swap { .. }
            ),
            e2e: self.features.e2e,
            retries: 0,
            pids: (header.initiator.pid, header.target.pid),
            carried: false,
            commanded: false,
            credited: false,
            completion: None,
            body: Body::Request(header, crate::Payload::new()),
        }
    }

    /// An operation that will never be answered ends in failure: everything still owed to its process is said.
    fn fail(&mut self, id: OperationId, fail: NiFail, world: &mut S) {
        let outcome = Outcome {
            fail,
            ..Outcome::default()
        };
        let Some(operation) = self.operations.remove(id) else {
            return;
        };
        let index = operation.process as usize;
        let header = &operation.header;
        let Process { rank, library, .. } = &mut self.processes[index];
        let mut notices = Notices::default();
        match header.operation {
            crate::Operation::Put | crate::Operation::Atomic { .. } => {
                if !operation.sent {
                    notices.append(library.sent(header, &outcome));
                }
                if header.ack != crate::Ack::None {
                    notices.append(library.acknowledged(header, &outcome));
                }
            }
            crate::Operation::Get | crate::Operation::FetchAtomic { .. } | crate::Operation::Swap { .. } => {
                if !operation.sent {
                    notices.append(library.sent(header, &outcome));
                }
                notices.append(library.replied(header, &outcome, &[], world.memory(*rank)));
            }
        }
        if !operation.closed {
            library.closed(header);
        }
        self.issue_detached(operation.process, notices, world);
    }
}

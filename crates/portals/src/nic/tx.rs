//! Transmitters: they take messages from the queue of their virtual network one by one, fetch payload, and put them on the
//! wire.

use super::events::Batch;
use super::message::{Body, Message, Vn};
use super::surroundings::{Direction, Kind, Logged, Step, Surroundings};
use super::{Node, settings};
use crate::{Ack, NiFail, Operation, Outcome};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// The messages that wait for a transmitter of one virtual network.
#[derive(Debug, Default)]
pub(super) struct TxQueue {
    pub(super) waiting: VecDeque<Message>,
    pub(super) idle: SmallVec<[u32; 2]>,
}

/// A transmitter.
#[derive(Debug)]
pub(super) struct Transmitter {
    vn: Vn,
    doing: Doing,
    message: Option<Message>,
    /// When it took the message
    since: f64,
    dma_over: bool,
    batch: Batch,
}

/// What a transmitter does with its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Idle,
    /// Prepares it
    Prepare,
    /// Waits for a free place in the end-to-end unit
    Entry,
    /// Asks for payload by DMA
    Request,
    /// Waits for the payload's first packet
    FirstPacket,
    /// Waits for the end of the DMA
    Dma,
    /// Busy with a message on its way
    Busy,
    /// Waits for a get's request to arrive
    GetWire,
    /// Waits for an acknowledgement to arrive
    AckWire,
    /// Issues events
    Issue,
}

impl Transmitter {
    pub(super) fn new(vn: Vn) -> Self {
        Self {
            vn,
            doing: Doing::Idle,
            message: None,
            since: 0.0,
            dma_over: false,
            batch: Batch::default(),
        }
    }
}

/// Bytes of a message on the wire: its payload alone, or what the model gives a message without.
fn wire_bytes(message: &Message) -> u64 {
    match &message.body {
        Body::Request(header, _) if header.operation == Operation::Get => settings::GET_REQUEST,
        Body::Request(header, _) => header.length,
        Body::Reply(outcome, _) => outcome.mlength,
        Body::Ack(_) | Body::E2eAck { .. } => settings::ACK,
    }
}

impl<S: Surroundings> Node<S> {
    /// Puts a message into the queue of its virtual network.
    pub(super) fn submit(&mut self, message: Message, world: &mut S) {
        let queue = &mut self.tx[message.vn.index()];
        queue.waiting.push_back(message);
        if let Some(unit) = queue.idle.pop() {
            self.tx_next(unit, world);
        }
    }

    /// A transmitter's step is over.
    pub(super) fn tx_step(&mut self, unit: u32, world: &mut S) {
        match self.transmitters[unit as usize].doing {
            Doing::Prepare => self.tx_prepared(unit, world),
            Doing::Request => self.tx_fetch(unit, world),
            Doing::FirstPacket => {
                self.tx_wire(unit, Step::Nothing, world);
                let tx = &mut self.transmitters[unit as usize];
                if tx.dma_over {
                    self.tx_sent(unit, world);
                } else {
                    tx.doing = Doing::Dma;
                }
            }
            Doing::Busy => self.tx_sent(unit, world),
            Doing::GetWire => self.tx_busy(unit, settings::GET_BUSY, world),
            Doing::AckWire => {
                let plain = matches!(
                    self.transmitters[unit as usize].message,
                    Some(Message {
                        body: Body::E2eAck { .. },
                        ..
                    })
                );
                if plain {
                    self.tx_sent(unit, world);
                } else {
                    self.tx_busy(unit, settings::ACK_BUSY, world);
                }
            }
            Doing::Idle | Doing::Entry | Doing::Dma | Doing::Issue => {
                debug_assert!(false, "a transmitter's step without a reason");
            }
        }
    }

    /// A transmitter's DMA is over.
    pub(super) fn tx_dma_ended(&mut self, unit: u32, world: &mut S) {
        let tx = &mut self.transmitters[unit as usize];
        tx.dma_over = true;
        if tx.doing == Doing::Dma {
            self.tx_sent(unit, world);
        }
    }

    /// An event of a transmitter has crossed PCI.
    pub(super) fn tx_event_left(&mut self, unit: u32, world: &mut S) {
        let mut batch = std::mem::take(&mut self.transmitters[unit as usize].batch);
        if self.batch_left(&mut batch, Step::TxEvent(unit), world) {
            self.tx_next(unit, world);
        } else {
            self.transmitters[unit as usize].batch = batch;
        }
    }

    /// A place in the end-to-end unit is free for a transmitter that waited.
    pub(super) fn tx_entry_free(&mut self, unit: u32, world: &mut S) {
        self.tx_transmit(unit, world);
    }

    /// Takes the next message, or is idle.
    fn tx_next(&mut self, unit: u32, world: &mut S) {
        let vn = self.transmitters[unit as usize].vn;
        loop {
            let Some(message) = self.tx[vn.index()].waiting.pop_front() else {
                let tx = &mut self.transmitters[unit as usize];
                tx.doing = Doing::Idle;
                tx.message = None;
                self.tx[vn.index()].idle.push(unit);
                return;
            };
            let Some(mut message) = self.with_credit(message) else {
                continue;
            };
            if message.commanded {
                message.commanded = false;
                self.free_place(&message, world);
            }
            let tx = &mut self.transmitters[unit as usize];
            tx.message = Some(message);
            tx.since = world.now();
            tx.dma_over = false;
            tx.doing = Doing::Prepare;
            world.sleep(settings::PREPARE, Step::Tx(unit));
            return;
        }
    }

    fn tx_prepared(&mut self, unit: u32, world: &mut S) {
        let message = self.tx_message(unit);
        let (to, operation) = (message.to, message.operation);
        if !world.reaches(to) {
            if let Some(message) = self.transmitters[unit as usize].message.take() {
                self.return_credit(&message, world);
            }
            self.fail(operation, NiFail::TargetInvalid, world);
            return self.tx_next(unit, world);
        }
        let message = self.tx_message(unit);
        let request = matches!(message.body, Body::Request(..));
        if request && message.e2e && message.retries == 0 && !self.has_entry(unit) {
            self.transmitters[unit as usize].doing = Doing::Entry;
            return;
        }
        self.tx_transmit(unit, world);
    }

    /// The message gets its place in the order, and goes its way.
    fn tx_transmit(&mut self, unit: u32, world: &mut S) {
        let mut message = self.transmitters[unit as usize]
            .message
            .take()
            .expect("a transmitter at work has a message");
        self.assign(&mut message);
        self.guard(&message, world);
        let pci = self.features.pci;
        let (doing, busy) = match &mut message.body {
            Body::Request(header, _) if header.operation == Operation::Get => (Doing::GetWire, None),
            Body::Request(header, payload) => {
                let inline = settings::inline_size(header.is_matching());
                let again = message.retries > 0;
                let fetches = header.length > if again { settings::BUFFERED } else { inline };
                if pci && fetches && (again || !message.carried) {
                    (Doing::Request, None)
                } else {
                    if !message.carried
                        && let Some(operation) = self.operations.get(message.operation)
                    {
                        let at = &self.processes[operation.process as usize];
                        *payload = at.library.outgoing(header, world.memory(at.rank));
                        message.carried = true;
                        self.keep_payload(&message);
                    }
                    (Doing::Busy, Some(settings::PUT_BUSY))
                }
            }
            Body::Reply(outcome, _) if pci && outcome.mlength > 0 => (Doing::Request, None),
            Body::Reply(..) => (Doing::Busy, Some(settings::RESPONSE_BUSY)),
            Body::Ack(_) | Body::E2eAck { .. } => (Doing::AckWire, None),
        };
        let tx = &mut self.transmitters[unit as usize];
        tx.message = Some(message);
        tx.doing = doing;
        match doing {
            Doing::Request => {
                let logged = self.pci_log(Kind::DmaRequest, world);
                world.pci(
                    Direction::ToCpu,
                    settings::DMA_REQUEST,
                    Step::Tx(unit),
                    Some(logged),
                );
            }
            Doing::Busy => {
                self.tx_wire(unit, Step::Nothing, world);
                self.tx_busy(unit, busy.unwrap_or_default(), world);
            }
            _ => self.tx_wire(unit, Step::Tx(unit), world),
        }
    }

    /// The host has the request: the payload comes.
    fn tx_fetch(&mut self, unit: u32, world: &mut S) {
        let mut message = self.transmitters[unit as usize]
            .message
            .take()
            .expect("a transmitter at work has a message");
        let (bytes, first) = match &mut message.body {
            Body::Request(header, payload) => {
                if !message.carried
                    && let Some(operation) = self.operations.get(message.operation)
                {
                    let at = &self.processes[operation.process as usize];
                    *payload = at.library.outgoing(header, world.memory(at.rank));
                    message.carried = true;
                }
                let inline = settings::inline_size(header.is_matching());
                (header.length - inline, header.length)
            }
            Body::Reply(outcome, _) => (outcome.mlength, outcome.mlength),
            Body::Ack(_) | Body::E2eAck { .. } => unreachable!("acknowledgements have no payload"),
        };
        self.keep_payload(&message);
        let tx = &mut self.transmitters[unit as usize];
        tx.message = Some(message);
        tx.doing = Doing::FirstPacket;
        let logged = self.pci_log(Kind::DmaPayload, world);
        world.pci(Direction::ToNic, bytes, Step::TxDma(unit), Some(logged));
        world.sleep(settings::first_packet(first), Step::Tx(unit));
    }

    /// Puts a transmitter's message on the wire.
    fn tx_wire(&mut self, unit: u32, step: Step, world: &mut S) {
        let tx = &self.transmitters[unit as usize];
        let message = self.tx_message(unit);
        // Gets and acknowledgements are logged from when they were taken, others from when they are on the wire.
        let start = match step {
            Step::Tx(_) => tx.since,
            _ => world.now(),
        };
        let logged = Logged {
            kind: message.kind(),
            initiator: message.from,
            target: message.to,
            start,
        };
        let bytes = wire_bytes(message);
        // What is left here is only what `tx_sent` asks for.
        let left = message.without_payload();
        let tx = &mut self.transmitters[unit as usize];
        if let Some(message) = tx.message.replace(left) {
            world.wire(message, bytes, step, logged);
        }
    }

    fn tx_busy(&mut self, unit: u32, span: f64, world: &mut S) {
        self.transmitters[unit as usize].doing = Doing::Busy;
        world.sleep(span, Step::Tx(unit));
    }

    /// The transmitter is done with its message but for events.
    fn tx_sent(&mut self, unit: u32, world: &mut S) {
        let message = self.transmitters[unit as usize]
            .message
            .take()
            .expect("a transmitter at work has a message");
        let mut batch = Batch::default();
        match &message.body {
            Body::Request(header, _) if header.operation != Operation::Get => {
                let buffered = header.length <= settings::BUFFERED;
                let unanswered = !message.e2e
                    && header.ack == Ack::None
                    && matches!(header.operation, Operation::Put | Operation::Atomic { .. });
                if (buffered || unanswered) && message.retries == 0 {
                    batch = self.send_event(
                        message.operation,
                        &Outcome {
                            mlength: header.length,
                            ..Outcome::default()
                        },
                        world,
                    );
                }
                if unanswered {
                    self.close_operation(message.operation);
                }
            }
            Body::Reply(..) if !message.e2e => {
                if let Some((process, completion)) = message.completion {
                    batch = self.fetched_events(process, completion, world);
                }
            }
            _ => {}
        }
        if self.issue(&mut batch, Step::TxEvent(unit), world) {
            self.tx_next(unit, world);
        } else {
            let tx = &mut self.transmitters[unit as usize];
            tx.batch = batch;
            tx.doing = Doing::Issue;
        }
    }

    /// SEND of an operation, unless it was issued.
    pub(super) fn send_event(&mut self, id: super::OperationId, outcome: &Outcome, world: &mut S) -> Batch {
        let Some(operation) = self.operations.get_mut(id) else {
            return Batch::default();
        };
        let at = &mut self.processes[operation.process as usize];
        if operation.sent {
            return Batch::default();
        }
        operation.sent = true;
        let process = operation.process;
        let mut notices = at.library.sent(&operation.header, outcome);
        let puts = matches!(
            operation.header.operation,
            Operation::Put | Operation::Atomic { .. }
        );
        if puts && operation.header.ack == Ack::None {
            // The process hears no more of it, and may release the memory.
            operation.closed = true;
            at.library.closed(&operation.header);
        }
        self.follow(process, &mut notices, world);
        Batch::new(process, notices.events)
    }

    /// The event of a fetching operation at its target, whose reply has left or is known to have arrived.
    pub(super) fn fetched_events(
        &mut self,
        process: u32,
        completion: crate::Completion,
        world: &mut S,
    ) -> Batch {
        let at = &mut self.processes[process as usize];
        let mut notices = at.library.fetched(completion);
        self.follow(process, &mut notices, world);
        Batch::new(process, notices.events)
    }

    /// Nothing more comes of an operation.
    pub(super) fn close_operation(&mut self, id: super::OperationId) {
        if let Some(operation) = self.operations.remove(id)
            && !operation.closed
        {
            let at = &mut self.processes[operation.process as usize];
            at.library.closed(&operation.header);
        }
    }

    fn tx_message(&self, unit: u32) -> &Message {
        self.transmitters[unit as usize]
            .message
            .as_ref()
            .expect("a transmitter at work has a message")
    }

    pub(super) fn pci_log(&self, kind: Kind, world: &S) -> Logged {
        Logged {
            kind,
            initiator: self.nid,
            target: self.nid,
            start: world.now(),
        }
    }
}

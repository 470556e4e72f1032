//! Receivers: they take messages that have arrived one by one, carry them out, and answer.

use super::events::Batch;
use super::message::{Body, Message, Sequence, Vn};
use super::order::Arrival;
use super::surroundings::{Direction, Kind, Step, Surroundings};
use super::{Node, settings};
use crate::{Ack, Header, NiFail, Operation, Outcome, Payload, Receipt, Respond};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// The messages that wait for a receiver of one virtual network.
#[derive(Debug, Default)]
pub(super) struct RxQueue {
    pub(super) waiting: VecDeque<Message>,
    pub(super) idle: SmallVec<[u32; 2]>,
}

/// A receiver.
#[derive(Debug)]
pub(super) struct Receiver {
    vn: Vn,
    doing: Doing,
    batch: Batch,
    /// What it answers once the events are out, or the first packet is
    answer: Option<Message>,
    /// A response whose first packet is being written
    response: Option<Message>,
    /// Bytes still to be written when the events are out
    write: u64,
    written: bool,
}

/// What a receiver does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Idle,
    /// Issues events; then it answers, then it writes the payload
    IssueFirst,
    /// Waits for the first packet of the payload, to write all of it
    FirstPacket,
    /// Waits for the first packet that is being written; then it answers and issues events
    Writing,
    /// Issues the last events
    IssueLast,
    /// Waits until the payload is written
    Write,
}

impl Receiver {
    pub(super) fn new(vn: Vn) -> Self {
        Self {
            vn,
            doing: Doing::Idle,
            batch: Batch::default(),
            answer: None,
            response: None,
            write: 0,
            written: true,
        }
    }
}

impl<S: Surroundings> Node<S> {
    /// A message has come over the wire.
    pub fn arrive(&mut self, message: Message, world: &mut S) {
        if matches!(message.body, Body::E2eAck { .. }) {
            return self.receive_in(message, world);
        }
        let way = (message.from, message.vn.number());
        let mut ready = std::mem::take(&mut self.ready);
        let incoming = self.incoming.entry(way).or_default();
        let (from, pids, vn, operation) = (message.from, message.pids, message.vn, message.operation);
        let (number, e2e) = (message.sequence.number, message.e2e);
        let response = !matches!(message.body, Body::Request(..));
        let arrival = incoming.arrive(message, &mut ready);
        // What was answered by an end-to-end acknowledgement alone may have lost it.
        let answer = arrival == Arrival::Duplicate && (response || incoming.was_answered_plainly(number));
        for message in ready.drain(..) {
            self.receive_in(message, world);
        }
        self.ready = ready;
        if answer && e2e {
            let answer = self.e2e_ack(from, vn, number, operation, pids, Outcome::default());
            self.submit(answer, world);
        }
    }

    /// A message from `from` will never come: those behind it need not wait for it.
    pub fn skip(&mut self, from: u32, vn: Vn, sequence: Sequence, world: &mut S) {
        let mut ready = std::mem::take(&mut self.ready);
        let incoming = self.incoming.entry((from, vn.number())).or_default();
        incoming.skip(sequence.number, &mut ready);
        for message in ready.drain(..) {
            self.receive_in(message, world);
        }
        self.ready = ready;
    }

    /// A message without end-to-end protection that belongs to an operation of this node was lost.
    pub fn undeliverable(&mut self, message: &Message, world: &mut S) {
        if !matches!(message.body, Body::E2eAck { .. }) {
            self.fail(message.operation, NiFail::Undeliverable, world);
        }
    }

    /// An answer that takes effect at once.
    pub fn answered(&mut self, message: Message, world: &mut S) {
        let mut batch = Batch::default();
        match message.body {
            Body::Ack(outcome) => {
                self.request_answered(&message, world);
                batch = self.ack_events(&message, &outcome, world);
            }
            Body::E2eAck { vn, number, outcome } => {
                batch = self.e2e_events(&message, vn, number, outcome, world)
            }
            Body::Request(..) | Body::Reply(..) => {}
        }
        self.issue_batch_detached(batch, world);
    }

    fn receive_in(&mut self, message: Message, world: &mut S) {
        let queue = &mut self.rx[message.vn.index()];
        queue.waiting.push_back(message);
        if let Some(unit) = queue.idle.pop() {
            self.rx_next(unit, world);
        }
    }

    /// A receiver's step is over.
    pub(super) fn rx_step(&mut self, unit: u32, world: &mut S) {
        let rx = &mut self.receivers[unit as usize];
        match rx.doing {
            Doing::FirstPacket => {
                let bytes = rx.write;
                rx.doing = Doing::Write;
                rx.written = false;
                self.rx_write(unit, bytes, world);
            }
            Doing::Writing => {
                let answer = rx.answer.take();
                let response = rx.response.take();
                if let Some(answer) = answer {
                    self.submit(answer, world);
                }
                if let Some(response) = response {
                    self.receivers[unit as usize].batch = self.reply_events(response, world);
                }
                self.rx_issue_last(unit, world);
            }
            Doing::Idle | Doing::IssueFirst | Doing::IssueLast | Doing::Write => {
                debug_assert!(false, "a receiver's step without a reason");
            }
        }
    }

    /// A receiver's payload is written.
    pub(super) fn rx_written(&mut self, unit: u32, world: &mut S) {
        let rx = &mut self.receivers[unit as usize];
        rx.written = true;
        if rx.doing == Doing::Write {
            self.rx_next(unit, world);
        }
    }

    /// An event of a receiver has crossed PCI.
    pub(super) fn rx_event_left(&mut self, unit: u32, world: &mut S) {
        let mut batch = std::mem::take(&mut self.receivers[unit as usize].batch);
        let out = self.batch_left(&mut batch, Step::RxEvent(unit), world);
        let rx = &mut self.receivers[unit as usize];
        rx.batch = batch;
        if out {
            match rx.doing {
                Doing::IssueFirst => self.rx_answer(unit, world),
                _ => self.rx_end(unit, world),
            }
        }
    }

    fn rx_next(&mut self, unit: u32, world: &mut S) {
        let vn = self.receivers[unit as usize].vn;
        let rx = &mut self.receivers[unit as usize];
        rx.doing = Doing::Idle;
        let Some(message) = self.rx[vn.index()].waiting.pop_front() else {
            self.rx[vn.index()].idle.push(unit);
            return;
        };
        rx.batch = Batch::default();
        rx.written = true;
        rx.write = 0;
        self.rx_handle(unit, message, world);
    }

    fn rx_handle(&mut self, unit: u32, mut message: Message, world: &mut S) {
        match std::mem::replace(&mut message.body, Body::Ack(Outcome::default())) {
            Body::Request(header, payload) => self.rx_request(unit, message, &header, payload, world),
            Body::Ack(outcome) => {
                self.request_answered(&message, world);
                self.confirm(&message, world);
                self.receivers[unit as usize].batch = self.ack_events(&message, &outcome, world);
                self.rx_issue_last(unit, world);
            }
            Body::E2eAck { vn, number, outcome } => {
                self.receivers[unit as usize].batch = self.e2e_events(&message, vn, number, outcome, world);
                self.rx_issue_last(unit, world);
            }
            Body::Reply(outcome, payload) => {
                self.request_answered(&message, world);
                let bytes = outcome.mlength;
                message.body = Body::Reply(outcome, payload);
                let confirmation = message.e2e.then(|| self.confirmation(&message));
                let rx = &mut self.receivers[unit as usize];
                if self.features.pci && bytes > 0 {
                    rx.answer = confirmation;
                    rx.response = Some(message);
                    self.rx_start_writing(unit, bytes, world);
                } else {
                    if let Some(confirmation) = confirmation {
                        self.submit(confirmation, world);
                    }
                    self.receivers[unit as usize].batch = self.reply_events(message, world);
                    self.rx_issue_last(unit, world);
                }
            }
        }
    }

    fn rx_request(
        &mut self,
        unit: u32,
        message: Message,
        header: &Header,
        mut payload: Payload,
        world: &mut S,
    ) {
        let (process, receipt) = self.carry_out_request(header, &mut payload, world);
        let Receipt {
            outcome,
            respond,
            now: mut notices,
            later,
        } = receipt;
        if let Some(process) = process {
            self.follow(process, &mut notices, world);
        }
        let answer = self.answer_to(&message, header, outcome, respond, process.zip(later));
        let batch = Batch::new(process.unwrap_or(0), notices.events);
        let writes = if self.features.pci && outcome.fail == NiFail::Ok {
            outcome.mlength
        } else {
            0
        };
        let rx = &mut self.receivers[unit as usize];
        rx.batch = batch;
        rx.answer = answer;
        match header.operation {
            Operation::Put => {
                rx.write = writes;
                rx.doing = Doing::IssueFirst;
                let mut batch = std::mem::take(&mut rx.batch);
                if self.issue(&mut batch, Step::RxEvent(unit), world) {
                    self.rx_answer(unit, world);
                } else {
                    self.receivers[unit as usize].batch = batch;
                }
            }
            Operation::Atomic { .. } if writes > 0 => self.rx_start_writing(unit, writes, world),
            _ => {
                if let Some(answer) = rx.answer.take() {
                    self.give_answer(answer, world);
                }
                self.rx_issue_last(unit, world);
            }
        }
    }

    /// Finds the process and has its library carry the request out.
    fn carry_out_request(
        &mut self,
        header: &Header,
        payload: &mut Payload,
        world: &mut S,
    ) -> (Option<u32>, Receipt) {
        let found = self
            .processes
            .iter()
            .position(|at| at.library.pid() == Some(header.target.pid));
        let Some(index) = found else {
            let respond = match header.operation {
                Operation::Put | Operation::Atomic { .. } if header.ack == Ack::None => Respond::Nothing,
                Operation::Put | Operation::Atomic { .. } => Respond::Ack,
                _ => Respond::Reply(Payload::new()),
            };
            let receipt = Receipt {
                outcome: Outcome {
                    fail: NiFail::TargetInvalid,
                    ..Outcome::default()
                },
                respond,
                now: Default::default(),
                later: None,
            };
            return (None, receipt);
        };
        let at = &mut self.processes[index];
        let receipt = at.library.receive(header, payload, world.memory(at.rank));
        (Some(index as u32), receipt)
    }

    /// The message that answers a request, if any does.
    fn answer_to(
        &mut self,
        message: &Message,
        header: &Header,
        outcome: Outcome,
        respond: Respond,
        completion: Option<(u32, crate::Completion)>,
    ) -> Option<Message> {
        let body = match respond {
            Respond::Ack => Body::Ack(outcome),
            Respond::Reply(payload) => Body::Reply(outcome, payload),
            Respond::Nothing => {
                // Without end-to-end acknowledgements an operation that asked for one of Portals' must still end.
                if !message.e2e && header.ack == Ack::None {
                    return None;
                }
                if message.e2e {
                    self.incoming
                        .entry((message.from, message.vn.number()))
                        .or_default()
                        .answered_plainly(message.sequence.number);
                }
                return Some(self.e2e_ack(
                    message.from,
                    message.vn,
                    message.sequence.number,
                    message.operation,
                    message.pids,
                    outcome,
                ));
            }
        };
        Some(Message {
            body,
            from: self.nid,
            to: message.from,
            vn: message.vn.response(),
            sequence: Sequence::default(),
            operation: message.operation,
            fetches: message.fetches,
            e2e: self.features.e2e,
            retries: 0,
            pids: (message.pids.1, message.pids.0),
            carried: true,
            commanded: false,
            credited: false,
            completion,
        })
    }

    /// Sends an answer, or has it take effect at once.
    fn give_answer(&mut self, answer: Message, world: &mut S) {
        if self.settings.quick_acks && !matches!(answer.body, Body::Reply(..)) {
            world.instant(answer);
        } else {
            self.submit(answer, world);
        }
    }

    /// The events are out: answers, then writes the payload.
    fn rx_answer(&mut self, unit: u32, world: &mut S) {
        if let Some(answer) = self.receivers[unit as usize].answer.take() {
            self.give_answer(answer, world);
        }
        let rx = &mut self.receivers[unit as usize];
        if rx.write == 0 {
            return self.rx_next(unit, world);
        }
        rx.doing = Doing::FirstPacket;
        let span = settings::first_packet(rx.write);
        world.sleep(span, Step::Rx(unit));
    }

    /// Writes the payload; when its first packet is there, answers and issues the events.
    fn rx_start_writing(&mut self, unit: u32, bytes: u64, world: &mut S) {
        let rx = &mut self.receivers[unit as usize];
        rx.doing = Doing::Writing;
        rx.written = false;
        self.rx_write(unit, bytes, world);
        world.sleep(settings::first_packet(bytes), Step::Rx(unit));
    }

    fn rx_write(&mut self, unit: u32, bytes: u64, world: &mut S) {
        let logged = self.pci_log(Kind::PayloadWrite, world);
        world.pci(Direction::ToCpu, bytes, Step::RxWrite(unit), Some(logged));
    }

    fn rx_issue_last(&mut self, unit: u32, world: &mut S) {
        let rx = &mut self.receivers[unit as usize];
        rx.doing = Doing::IssueLast;
        let mut batch = std::mem::take(&mut rx.batch);
        if self.issue(&mut batch, Step::RxEvent(unit), world) {
            self.rx_end(unit, world);
        } else {
            self.receivers[unit as usize].batch = batch;
        }
    }

    fn rx_end(&mut self, unit: u32, world: &mut S) {
        let rx = &mut self.receivers[unit as usize];
        if rx.written {
            self.rx_next(unit, world);
        } else {
            rx.doing = Doing::Write;
        }
    }
}

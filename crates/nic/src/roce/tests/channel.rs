//! Two NICs on a link that loses, repeats and delays frames, with an oracle that looks at every event.
//!
//! The oracle knows the messages only. From these follow the packets and their order; from the frames that arrive follows
//! what a receiver must write over PCIe, and what a sender may take for acknowledged.

mod oracle;

use super::super::*;
use oracle::{Counts, Flow, Packet, packets};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What the link does to a frame; times in picoseconds.
#[derive(Clone, Copy, Debug)]
pub enum Fate {
    Passes,
    IsLost,
    /// The second one comes so much later.
    ComesTwice(u64),
    /// It comes so much later, behind what was sent after it.
    ComesLate(u64),
}

/// The messages of one queue pair.
#[derive(Clone, Debug)]
pub struct Work {
    /// The side that sends.
    pub side: usize,
    /// When the connection is asked for, in picoseconds.
    pub start: u64,
    /// How many work requests are outstanding at once.
    pub pending: usize,
    /// Sizes of the messages in bytes.
    pub sizes: Vec<u64>,
}

/// Everything a run is made of.
#[derive(Clone, Debug)]
pub struct Case {
    pub attributes: RoceNicAttributes,
    pub rate: Rate,
    pub delay: Span,
    pub first_psn: u32,
    pub work: Vec<Work>,
    /// By receiving side: what becomes of one frame after another. Behind the last entry the link is clean.
    pub fates: [Vec<Fate>; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Timer { slot: u32, count: u16 },
    Arrival { frame: usize },
    Connect { flow: usize },
}

/// The context of one side.
#[derive(Debug, Default)]
struct Side {
    now: Time,
    timers: Vec<(u32, u16, Time)>,
    sent: Vec<(Time, Frame)>,
}

impl Context for Side {
    type Message = Frame;
    type Observation = ();
    fn now(&self) -> Time {
        self.now
    }
    fn send(&mut self, _: u16, end: Time, frame: Frame) {
        self.sent.push((end, frame));
    }
    fn set_timer(&mut self, slot: u32, count: u16, at: Time) {
        assert!(at >= self.now);
        self.timers.push((slot, count, at));
    }
    fn is_past(&self, _: u32, _: u16, at: Time) -> bool {
        at < self.now
    }
    fn observe(&mut self, (): ()) {}
}

/// The two NICs, the link between them, and the oracle.
pub struct World {
    nics: [RoceNic; 2],
    sides: [Side; 2],
    due: BinaryHeap<Reverse<(Time, u64, usize, Due)>>,
    count: u64,
    frames: Vec<Frame>,
    fates: [std::vec::IntoIter<Fate>; 2],
    flows: Vec<Flow>,
    pending: Vec<usize>,
    counts: [Counts; 2],
    first_psn: u32,
    delay: Span,
    timeout: Span,
    /// `AckThreshold` and `AckDelay`, if acknowledgements are coalesced.
    coalescing: Option<(u64, Span)>,
    /// Frames that the link lost, repeated or delayed.
    pub disturbed: u64,
}

impl World {
    pub fn new(case: &Case) -> World {
        let mss = case.attributes.scala_roce_qp_manager.mss.0;
        let mut nics = [0, 1].map(|host| {
            let mut nic = RoceNic::new(HostId(host), &case.attributes, case.rate, case.delay);
            nic.set_first_psn(case.first_psn);
            nic
        });
        let mut flows: Vec<Flow> = Vec::new();
        let mut due = BinaryHeap::new();
        for (number, work) in case.work.iter().enumerate() {
            let index = flows.iter().filter(|flow| flow.side == work.side).count() as u32;
            let peer = |host, queue_pair| Peer {
                host: HostId(host as u32),
                queue_pair,
                source_port: 49_152,
                flow: 7,
                data_class: 0,
                control_class: 1,
            };
            let other = 1 - work.side;
            nics[work.side].add_requester(peer(other, RoceNic::responder_number(index)));
            nics[other].add_responder(peer(work.side, RoceNic::requester_number(index)));
            let cut: Vec<Vec<Packet>> = work.sizes.iter().map(|&size| packets(size, mss)).collect();
            let ends = cut.iter().scan(0, |end, message| {
                *end += message.len();
                Some(*end)
            });
            flows.push(Flow {
                side: work.side,
                index,
                ends: ends.collect(),
                packets: cut.concat(),
                sizes: work.sizes.clone(),
                posted: 0,
                completed: 0,
                sent: 0,
                written: 0,
                bytes: 0,
                gap: false,
                held: 0,
                ack_timer: None,
                acknowledged: 0,
                learnt: Time::ZERO,
            });
            due.push(Reverse((
                Time::from_ps(work.start),
                number as u64,
                work.side,
                Due::Connect { flow: number },
            )));
        }
        let transport = &case.attributes.transport_processing_layers.roce_transport_layer;
        World {
            nics,
            sides: Default::default(),
            count: due.len() as u64,
            due,
            frames: Vec::new(),
            fates: case.fates.clone().map(Vec::into_iter),
            flows,
            pending: case.work.iter().map(|work| work.pending).collect(),
            counts: Default::default(),
            first_psn: case.first_psn,
            delay: case.delay,
            timeout: transport.retransmit_timeout,
            coalescing: transport
                .ack_coalescing_enabled
                .then_some((transport.ack_threshold, transport.ack_delay)),
            disturbed: 0,
        }
    }

    /// Runs until nothing happens any more, checking every event, and then what came of it.
    pub fn run(&mut self, most: u64) {
        let mut events = 0;
        while let Some(Reverse((at, _, side, due))) = self.due.pop() {
            self.sides[side].now = at;
            match due {
                Due::Connect { flow } => {
                    let index = self.flows[flow].index;
                    self.nics[side].connect(index, &mut self.sides[side]);
                }
                Due::Timer { slot, count } => self.timer(side, slot, count),
                Due::Arrival { frame } => self.arrival(side, self.frames[frame]),
            }
            // A look at everything in a NIC takes its time when there is much.
            if events < 4_000 || events % 64 == 0 {
                self.nics[side].check();
                self.books(side);
            }
            self.collect(side);
            events += 1;
            assert!(events < most, "after {most} events there is no end");
        }
        for nic in &mut self.nics {
            nic.settle_before(Time::NEVER);
        }
        self.finished();
    }

    /// Looks at what a side has sent and gives it to the link.
    fn collect(&mut self, side: usize) {
        for (slot, count, at) in std::mem::take(&mut self.sides[side].timers) {
            self.push(at, side, Due::Timer { slot, count });
        }
        for (end, frame) in std::mem::take(&mut self.sides[side].sent) {
            let other = 1 - side;
            assert!(i64::from(frame.psn) < 1 << 24, "a PSN has 24 bits");
            if frame.kind.is_data() {
                self.sending(side, &frame);
            }
            let arrival = end + self.delay;
            let fate = self.fates[other].next().unwrap_or(Fate::Passes);
            self.disturbed += u64::from(!matches!(fate, Fate::Passes));
            self.frames.push(frame);
            let due = Due::Arrival {
                frame: self.frames.len() - 1,
            };
            match fate {
                Fate::Passes => self.push(arrival, other, due),
                Fate::IsLost => {}
                Fate::ComesTwice(later) => {
                    self.push(arrival, other, due);
                    self.push(arrival + Span::from_ps(later), other, due);
                }
                Fate::ComesLate(later) => self.push(arrival + Span::from_ps(later), other, due),
            }
        }
    }

    fn push(&mut self, at: Time, side: usize, due: Due) {
        self.count += 1;
        self.due.push(Reverse((at, self.count, side, due)));
    }

    /// Retransmission episodes of both sides.
    pub fn retransmissions(&self) -> u64 {
        self.nics.iter().map(|nic| nic.stats.retransmissions).sum()
    }
}

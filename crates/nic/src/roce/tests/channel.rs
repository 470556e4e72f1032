//! Two NICs on a link that loses, repeats and delays frames, and what the byte stream of each queue pair must look like.
//!
//! The oracle knows the messages only. From these follow the packets and their order; from the frames that arrive follows
//! what a receiver must write over PCIe, and what a sender may take for acknowledged.

use super::super::*;
use packetloom_fabric::frame::Kind;
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

/// One packet as the message says it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packet {
    kind: Kind,
    payload: u32,
    solicited: bool,
}

/// One queue pair as the oracle sees it. Packets count from 0 over all messages.
#[derive(Debug)]
struct Flow {
    side: usize,
    /// Index among the requesters of its side and the responders of the other.
    index: u32,
    packets: Vec<Packet>,
    /// The packet after the last of each message.
    ends: Vec<usize>,
    sizes: Vec<u64>,
    posted: usize,
    completed: usize,
    /// Packets that were on the wire at least once.
    sent: usize,
    /// Packets written to the receiver's host, and their bytes.
    written: usize,
    bytes: u64,
    /// A NAK is out for the gap behind what was written.
    gap: bool,
    /// Packets whose acknowledgement is held, and when the timer that ends this goes off.
    held: u64,
    ack_timer: Option<Time>,
    /// Packets the sender knows to have arrived, and when it learnt something last.
    acknowledged: usize,
    learnt: Time,
}

impl Flow {
    /// Whether a packet that is in order or a duplicate is acknowledged at once (public RoCE NIC page "Transport").
    fn acknowledges(&mut self, solicited: bool, now: Time, rule: &Option<(u64, Span)>) -> bool {
        let &Some((threshold, delay)) = rule else {
            return true;
        };
        if !solicited && self.held < threshold {
            self.held += 1;
            self.ack_timer.get_or_insert(now + delay);
            false
        } else {
            self.held = 0;
            self.ack_timer = Some(now + delay);
            true
        }
    }
}

/// What a side must have counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    data_sent: u64,
    duplicates: u64,
    gaps: u64,
    acks: u64,
    discarded: u64,
    naks: u64,
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

/// The packets of a message.
fn packets(size: u64, mss: u64) -> Vec<Packet> {
    let count = size.div_ceil(mss).max(1);
    let packet = |n| Packet {
        kind: match (n == 0, n + 1 == count) {
            (true, true) => Kind::WriteOnly,
            (true, false) => Kind::WriteFirst,
            (false, true) => Kind::WriteLast,
            (false, false) => Kind::WriteMiddle,
        },
        payload: mss.min(size - n * mss) as u32,
        solicited: n + 1 == count,
    };
    (0..count).map(packet).collect()
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
            self.nics[side].check();
            self.books(side);
            self.collect(side);
            events += 1;
            assert!(events < most, "after {most} events there is no end");
        }
        self.finished();
    }

    /// The number of a frame's packet, counted from the first of its queue pair. PSNs have 24 bits.
    fn packet(&self, psn: u32) -> usize {
        (psn.wrapping_sub(self.first_psn) & 0xFF_FFFF) as usize
    }

    /// The flow that a frame to `side` belongs to.
    fn flow(&self, side: usize, frame: &Frame) -> usize {
        let (index, to_sender) = (frame.queue_pair / 2, frame.queue_pair.is_multiple_of(2));
        let sender = if to_sender { side } else { 1 - side };
        let same = |flow: &Flow| flow.side == sender && flow.index == index;
        self.flows.iter().position(same).expect("a queue pair of ours")
    }

    fn timer(&mut self, side: usize, slot: u32, count: u16) {
        let timeouts = self.nics[side].stats.timeouts;
        let upcall = self.nics[side].handle(Event::Timer { slot, count }, &mut self.sides[side]);
        assert_eq!(upcall, None);
        self.acknowledgement_timer(side, slot);
        if self.nics[side].stats.timeouts > timeouts {
            let now = self.sides[side].now;
            let index = (slot - SLOT_QUEUE_PAIRS) / 2;
            let same = |flow: &&Flow| flow.side == side && flow.index == index;
            let flow = self.flows.iter().find(same).expect("a queue pair of ours");
            assert!(
                now >= flow.learnt + self.timeout,
                "the timer of {index} expired at {now:?}, less than {:?} after {:?}",
                self.timeout,
                flow.learnt
            );
            // What it waits for may be numbered only, and not on the wire yet.
            let posted = flow.ends[flow.posted - 1];
            assert!(
                flow.acknowledged < posted,
                "the timer runs while something is outstanding"
            );
        }
    }

    /// The timer of a responder acknowledges what is held.
    fn acknowledgement_timer(&mut self, side: usize, slot: u32) {
        let now = self.sides[side].now;
        let number = slot
            .checked_sub(SLOT_QUEUE_PAIRS)
            .filter(|number| number % 2 == 1);
        let Some(index) = number.map(|number| number / 2) else {
            return;
        };
        let same = |flow: &&mut Flow| flow.side != side && flow.index == index;
        let flow = self.flows.iter_mut().find(same).expect("a queue pair of ours");
        if flow.ack_timer == Some(now) {
            flow.ack_timer = None;
            self.counts[side].acks += u64::from(std::mem::take(&mut flow.held) > 0);
        }
    }

    /// A frame arrives: what must be written over PCIe is, at once and nothing else.
    fn arrival(&mut self, side: usize, frame: Frame) {
        let now = self.sides[side].now;
        let drops = self.nics[side].port.counters.receive_drops;
        let free = self.nics[side].to_host.free();
        let upcall = self.nics[side].handle(
            Event::Arrival {
                port: 0,
                message: frame,
            },
            &mut self.sides[side],
        );
        let lane = &self.nics[side].to_host;
        let mut expected = free;
        if self.nics[side].port.counters.receive_drops > drops {
            assert_eq!(upcall, None, "what is dropped has no effect");
        } else if frame.kind.is_data() {
            let (flow, number) = (self.flow(side, &frame), self.packet(frame.psn));
            let (flow, counts) = (&mut self.flows[flow], &mut self.counts[side]);
            if number <= flow.written {
                counts.acks += u64::from(flow.acknowledges(frame.solicited, now, &self.coalescing));
            }
            if number == flow.written {
                // The next bytes of the stream, no others.
                expected = free.max(now) + lane.time_for(frame.payload as u64);
                flow.written += 1;
                flow.bytes += frame.payload as u64;
                flow.gap = false;
            } else if number < flow.written {
                counts.duplicates += 1;
            } else {
                counts.discarded += 1;
                if !flow.gap {
                    // The NAK acknowledges what was held.
                    flow.held = 0;
                    counts.gaps += 1;
                }
                flow.gap = true;
            }
            let delivered = self.nics[side].delivered().nth(flow.index as usize);
            assert_eq!(delivered, Some(flow.bytes));
        } else if matches!(frame.kind, Kind::Ack | Kind::Nak) {
            self.acknowledgement(side, &frame);
        }
        assert_eq!(
            self.nics[side].to_host.free(),
            expected,
            "what went over PCIe after {frame:?}"
        );
        if let Some(upcall) = upcall {
            self.upcall(side, upcall);
        }
    }

    fn acknowledgement(&mut self, side: usize, frame: &Frame) {
        let now = self.sides[side].now;
        let flow = self.flow(side, frame);
        // An ACK names the last packet received, a NAK the one expected.
        let next = self.packet(frame.psn.wrapping_add(u32::from(frame.kind == Kind::Ack)));
        let flow = &mut self.flows[flow];
        assert!(
            next <= flow.written,
            "packet {next} is not written yet: {frame:?}"
        );
        if frame.kind == Kind::Nak && next >= flow.acknowledged {
            self.counts[side].naks += 1;
            flow.learnt = now;
        }
        if next > flow.acknowledged {
            flow.acknowledged = next;
            flow.learnt = now;
        }
    }

    fn upcall(&mut self, side: usize, upcall: Upcall) {
        let (Upcall::Connected(index) | Upcall::Completed(index)) = upcall;
        let same = |flow: &Flow| flow.side == side && flow.index == index;
        let number = self.flows.iter().position(same).expect("a queue pair of ours");
        let flow = &mut self.flows[number];
        if upcall == Upcall::Connected(index) {
            assert_eq!(flow.posted, 0, "a connection is set up once");
        } else {
            assert!(
                flow.completed < flow.posted,
                "only what was posted completes, and once"
            );
            let end = flow.ends[flow.completed];
            assert!(
                flow.written >= end,
                "message {} is not written whole",
                flow.completed
            );
            assert!(
                flow.acknowledged >= end,
                "message {} is not acknowledged whole",
                flow.completed
            );
            flow.completed += 1;
        }
        while flow.posted < flow.sizes.len() && flow.posted < flow.completed + self.pending[number] {
            let size = flow.sizes[flow.posted];
            flow.posted += 1;
            self.nics[side].post(index, size, 92, &mut self.sides[side]);
        }
    }

    /// The counters say what the oracle counted.
    fn books(&self, side: usize) {
        let (stats, counts) = (self.nics[side].stats, self.counts[side]);
        assert_eq!(
            stats.retransmissions - stats.timeouts,
            counts.naks,
            "one a NAK received"
        );
        assert_eq!(stats.duplicates, counts.duplicates);
        let queued = self.nics[side]
            .port
            .contents()
            .filter(|frame| frame.kind == Kind::Ack);
        assert_eq!(
            stats.acks_sent + queued.count() as u64,
            counts.acks,
            "ACKs sent and to be sent"
        );
        assert_eq!(stats.out_of_order, counts.gaps);
        assert_eq!(stats.after_nak, counts.discarded);
        assert_eq!(
            stats.receive_drops(),
            counts.discarded,
            "no other reason to discard"
        );
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

    /// A data packet is what its message says, and none is left out.
    fn sending(&mut self, side: usize, frame: &Frame) {
        let (flow, number) = (self.flow(1 - side, frame), self.packet(frame.psn));
        let flow = &mut self.flows[flow];
        let found = Packet {
            kind: frame.kind,
            payload: frame.payload,
            solicited: frame.solicited,
        };
        assert_eq!(flow.packets.get(number), Some(&found), "packet {number}");
        assert!(number <= flow.sent, "packet {} is left out", flow.sent);
        let message = flow.ends.partition_point(|&end| end <= number);
        assert!(message <= flow.completed, "one message at a time");
        flow.sent = flow.sent.max(number + 1);
        self.counts[side].data_sent += 1;
    }

    /// The link has been clean for long: all is done, and nothing is left anywhere.
    fn finished(&self) {
        for flow in &self.flows {
            assert_eq!(
                flow.completed,
                flow.sizes.len(),
                "every message completes: {flow:?}"
            );
            assert_eq!(flow.written, flow.packets.len());
            assert_eq!(flow.held, 0, "no acknowledgement is held for ever: {flow:?}");
            assert_eq!(flow.bytes, flow.sizes.iter().sum::<u64>(), "every byte once");
        }
        for (side, nic) in self.nics.iter().enumerate() {
            assert_eq!(nic.held(), (Bytes(0), Bytes(0)));
            assert_eq!(nic.port.contents().count(), 0);
            let stats = nic.stats;
            let first: usize = self
                .flows
                .iter()
                .filter(|flow| flow.side == side)
                .map(|flow| flow.packets.len())
                .sum();
            assert_eq!(stats.data_sent, self.counts[side].data_sent);
            assert_eq!(
                stats.data_sent,
                first as u64 + stats.repeats,
                "sent once, and again"
            );
            assert_eq!(stats.naks_sent, stats.out_of_order, "one a NAK sent");
        }
    }

    /// Retransmission episodes of both sides.
    pub fn retransmissions(&self) -> u64 {
        self.nics.iter().map(|nic| nic.stats.retransmissions).sum()
    }
}

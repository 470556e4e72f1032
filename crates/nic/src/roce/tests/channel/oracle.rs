//! What the byte stream of each queue pair must look like, and what each NIC must have counted.

use super::super::super::*;
use super::World;
use packetloom_fabric::frame::Kind;

/// One packet as the message says it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    pub kind: Kind,
    pub payload: u32,
    pub solicited: bool,
}

/// One queue pair as the oracle sees it. Packets count from 0 over all messages.
#[derive(Debug)]
pub(super) struct Flow {
    pub side: usize,
    /// Index among the requesters of its side and the responders of the other.
    pub index: u32,
    pub packets: Vec<Packet>,
    /// The packet after the last of each message.
    pub ends: Vec<usize>,
    pub sizes: Vec<u64>,
    pub posted: usize,
    pub completed: usize,
    /// Packets that were on the wire at least once.
    pub sent: usize,
    /// Packets written to the receiver's host, and their bytes.
    pub written: usize,
    pub bytes: u64,
    /// A NAK is out for the gap behind what was written.
    pub gap: bool,
    /// Packets whose acknowledgement is held, and when the timer that ends this goes off.
    pub held: u64,
    pub ack_timer: Option<Time>,
    /// Packets the sender knows to have arrived, and when it learnt something last.
    pub acknowledged: usize,
    pub learnt: Time,
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
pub(super) struct Counts {
    pub data_sent: u64,
    pub duplicates: u64,
    pub gaps: u64,
    pub acks: u64,
    pub discarded: u64,
    pub naks: u64,
}

/// The packets of a message.
pub(super) fn packets(size: u64, mss: u64) -> Vec<Packet> {
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
    /// The number of a frame's packet, counted from the first of its queue pair. PSNs have 24 bits.
    pub(super) fn packet(&self, psn: u32) -> usize {
        (psn.wrapping_sub(self.first_psn) & 0xFF_FFFF) as usize
    }

    /// The flow that a frame to `side` belongs to.
    pub(super) fn flow(&self, side: usize, frame: &Frame) -> usize {
        let (index, to_sender) = (frame.queue_pair / 2, frame.queue_pair.is_multiple_of(2));
        let sender = if to_sender { side } else { 1 - side };
        let same = |flow: &Flow| flow.side == sender && flow.index == index;
        self.flows.iter().position(same).expect("a queue pair of ours")
    }

    pub(super) fn timer(&mut self, side: usize, slot: u32, count: u16) {
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
    pub(super) fn acknowledgement_timer(&mut self, side: usize, slot: u32) {
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
    pub(super) fn arrival(&mut self, side: usize, frame: Frame) {
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

    pub(super) fn acknowledgement(&mut self, side: usize, frame: &Frame) {
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

    pub(super) fn upcall(&mut self, side: usize, upcall: Upcall) {
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
    pub(super) fn books(&self, side: usize) {
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

    /// A data packet is what its message says, and none is left out.
    pub(super) fn sending(&mut self, side: usize, frame: &Frame) {
        let (flow, number) = (self.flow(1 - side, frame), self.packet(frame.psn));
        let flow = &mut self.flows[flow];
        let found = Packet {
            kind: frame.kind,
            payload: frame.payload as u32,
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
    pub(super) fn finished(&self) {
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
            nic.check();
            self.books(side);
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
}

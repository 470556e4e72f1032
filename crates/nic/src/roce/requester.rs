//! The sending end of a queue pair: work requests, PSNs, acknowledgements, go-back-N.

use super::psn;
use packetloom_des::{LazyTimer, Time};
use packetloom_fabric::frame::{Frame, HostId, Kind};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The other end of a queue pair and how packets get there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// Its host.
    pub host: HostId,
    /// Its queue pair number.
    pub queue_pair: u32,
    /// UDP source port of packets to it.
    pub source_port: u16,
    /// Unsalted flow hash of packets to it.
    pub flow: u32,
    /// Class of data packets.
    pub data_class: u8,
    /// Class of ACKs, NAKs and connection packets.
    pub control_class: u8,
}

impl Peer {
    /// A packet without payload length, size or kind of its own yet, to this peer.
    pub(super) fn frame(&self, source: HostId, kind: Kind, class: u8) -> Frame {
        Frame {
            source,
            destination: self.host,
            flow: self.flow,
            queue_pair: self.queue_pair,
            source_port: self.source_port,
            kind,
            class,
            ..Frame::pfc(0, 0)
        }
    }
}

/// How far a connection's set-up has come at the initiator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum RequesterState {
    /// Not asked for yet.
    Idle,
    /// The request is sent.
    Requesting,
    /// The response has come.
    Established,
}

/// A segment asked for over PCIe, on its way to get a PSN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    pub(super) requester: u32,
    pub(super) epoch: u32,
    pub(super) psn: i64,
    pub(super) payload: u32,
}

/// The sending end.
///
/// Invariant: `start <= oldest <= next_number <= next_generate <= end` but for `oldest` and `next_number` just after an ACK
/// that retires more than was numbered since a rewind, which [`Requester::retire`] mends.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Requester {
    pub peer: Peer,
    pub state: RequesterState,
    /// Sizes of work requests behind the current one.
    pub queue: VecDeque<u64>,
    /// Size of the current message in bytes.
    size: u64,
    /// First PSN of the current message, and the one after its last; equal when there is no message.
    start: i64,
    end: i64,
    /// Next segment to fetch.
    next_generate: i64,
    /// Next PSN to give.
    next_number: i64,
    /// Oldest PSN not acknowledged.
    oldest: i64,
    /// The PSN after the highest ever given.
    high: i64,
    /// Goes up with each rewind; payload fetched before is stale.
    epoch: u32,
    /// Whether the queue pair is in the ready queue.
    pub ready: bool,
    /// When each outstanding PSN was given last, from `oldest` on.
    given: VecDeque<Time>,
    /// Transport timer, and before that the timer of the connection request.
    pub timer: LazyTimer,
}

impl Requester {
    pub fn new(peer: Peer, first_psn: u32) -> Self {
        let first = first_psn as i64;
        Requester {
            peer,
            state: RequesterState::Idle,
            queue: VecDeque::new(),
            size: 0,
            start: first,
            end: first,
            next_generate: first,
            next_number: first,
            oldest: first,
            high: first,
            epoch: 0,
            ready: false,
            given: VecDeque::new(),
            timer: LazyTimer::default(),
        }
    }

    /// Whether the connection is set up.
    pub fn connected(&self) -> bool {
        self.state == RequesterState::Established
    }

    /// Whether a message is under way.
    pub fn busy(&self) -> bool {
        self.start != self.end
    }

    /// Makes the next work request the current message. Returns whether there was one.
    pub fn begin(&mut self, mss: u64) -> bool {
        debug_assert!(!self.busy());
        let Some(size) = self.queue.pop_front() else {
            return false;
        };
        self.size = size;
        self.start = self.end;
        self.end = self.start + size.div_ceil(mss).max(1) as i64;
        self.next_generate = self.start;
        self.next_number = self.start;
        true
    }

    /// Whether a segment of the message is still to be fetched.
    #[inline]
    pub fn has_segment(&self) -> bool {
        self.next_generate < self.end
    }

    /// Payload of the next segment to fetch.
    #[inline]
    pub fn next_payload(&self, mss: u64) -> u64 {
        self.payload(self.next_generate, mss)
    }

    #[inline]
    fn payload(&self, psn: i64, mss: u64) -> u64 {
        if psn + 1 < self.end {
            mss
        } else {
            self.size - (psn - self.start) as u64 * mss
        }
    }

    /// Takes the next segment to fetch.
    #[inline]
    pub fn take_segment(&mut self, requester: u32, mss: u64) -> Segment {
        let psn = self.next_generate;
        self.next_generate += 1;
        Segment {
            requester,
            epoch: self.epoch,
            psn,
            payload: self.payload(psn, mss) as u32,
        }
    }

    /// Whether a segment's PSN was given before a rewind took it back.
    #[inline]
    pub fn is_repeat(&self, segment: &Segment) -> bool {
        segment.psn < self.high
    }

    /// Whether a fetched segment is still the one to be numbered next.
    #[inline]
    pub fn wants(&self, segment: &Segment) -> bool {
        segment.epoch == self.epoch && segment.psn == self.next_number
    }

    /// Gives a fetched segment its PSN. Returns its frame, and whether the window was empty.
    #[inline]
    pub fn number(&mut self, segment: &Segment, source: HostId, now: Time) -> (Frame, bool) {
        debug_assert!(self.wants(segment));
        let first = segment.psn == self.start;
        let last = segment.psn + 1 == self.end;
        let kind = match (first, last) {
            (true, true) => Kind::WriteOnly,
            (true, false) => Kind::WriteFirst,
            (false, true) => Kind::WriteLast,
            (false, false) => Kind::WriteMiddle,
        };
        let mut frame = self.peer.frame(source, kind, self.peer.data_class);
        frame.psn = psn::on_wire(segment.psn);
        frame.payload = segment.payload as u16;
        frame.solicited = last;
        let empty = self.given.is_empty();
        self.given.push_back(now);
        self.next_number += 1;
        self.high = self.high.max(self.next_number);
        (frame, empty)
    }

    /// Where an ACK's or NAK's PSN stands.
    pub fn locate(&self, wire: u32) -> i64 {
        psn::near(wire, self.oldest)
    }

    /// Whether the PSN has never been given.
    pub fn is_ghost(&self, psn: i64) -> bool {
        psn >= self.high
    }

    /// The oldest PSN not acknowledged.
    pub fn oldest(&self) -> i64 {
        self.oldest
    }

    /// Whether PSNs are outstanding.
    pub fn outstanding(&self) -> bool {
        !self.given.is_empty()
    }

    /// When `psn` was given last, if that was since the last rewind.
    pub fn given_at(&self, psn: i64) -> Option<Time> {
        self.given.get(usize::try_from(psn - self.oldest).ok()?).copied()
    }

    /// Retires every PSN before `next`. An ACK may retire packets that a rewind took back: they need not be sent again.
    pub fn retire(&mut self, next: i64) {
        debug_assert!(self.oldest <= next && next <= self.high && next <= self.end);
        let retired = ((next - self.oldest) as usize).min(self.given.len());
        self.given.drain(..retired);
        self.oldest = next;
        self.next_number = self.next_number.max(next);
        self.next_generate = self.next_generate.max(next);
    }

    /// Goes back to `psn`: everything from there is fetched and sent again.
    pub fn rewind(&mut self, psn: i64) {
        debug_assert!(self.oldest <= psn && psn < self.end);
        self.epoch = self.epoch.wrapping_add(1);
        self.given.clear();
        self.next_number = psn;
        self.next_generate = psn;
    }

    /// Whether the current message is acknowledged whole.
    pub fn finished(&self) -> bool {
        self.busy() && self.oldest == self.end
    }

    /// Ends the current message.
    pub fn finish(&mut self) {
        self.start = self.end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer() -> Peer {
        Peer {
            host: HostId(1),
            queue_pair: 1,
            source_port: 49_152,
            flow: 0,
            data_class: 0,
            control_class: 1,
        }
    }

    /// PSNs, payloads and kinds of a message of `size` bytes.
    fn packets(size: u64) -> Vec<(u32, u32, Kind)> {
        let mut requester = Requester::new(peer(), 0);
        requester.queue.push_back(size);
        assert!(requester.begin(4_096));
        let mut packets = Vec::new();
        while requester.has_segment() {
            let segment = requester.take_segment(0, 4_096);
            let (frame, _) = requester.number(&segment, HostId(0), Time::ZERO);
            assert_eq!(
                frame.solicited,
                !requester.has_segment(),
                "only the last packet asks for an ACK at once"
            );
            packets.push((frame.psn, frame.payload as u32, frame.kind));
        }
        packets
    }

    #[test]
    fn a_250_000_byte_write_is_62_packets() {
        let packets = packets(250_000);
        assert_eq!(packets.len(), 62);
        assert_eq!(packets[0], (0, 4_096, Kind::WriteFirst));
        assert!(
            packets[1..61]
                .iter()
                .all(|p| (p.1, p.2) == (4_096, Kind::WriteMiddle))
        );
        assert_eq!(packets[61], (61, 144, Kind::WriteLast));
        let wire: u64 = packets.iter().map(|p| p.1 as u64 + 58).sum();
        assert_eq!(wire, 253_596);
    }

    #[test]
    fn one_packet_messages_and_exact_multiples() {
        assert_eq!(packets(0), [(0, 0, Kind::WriteOnly)]);
        assert_eq!(packets(4_096), [(0, 4_096, Kind::WriteOnly)]);
        assert_eq!(
            packets(8_192),
            [(0, 4_096, Kind::WriteFirst), (1, 4_096, Kind::WriteLast)]
        );
    }

    #[test]
    fn an_ack_beyond_a_rewind_skips_ahead() {
        let mut requester = Requester::new(peer(), 0);
        requester.queue.push_back(10 * 4_096);
        requester.begin(4_096);
        for _ in 0..10 {
            let segment = requester.take_segment(0, 4_096);
            requester.number(&segment, HostId(0), Time::ZERO);
        }
        requester.rewind(0);
        let stale = requester.take_segment(0, 4_096);
        assert_eq!(stale.psn, 0);
        assert!(!requester.is_ghost(6) && requester.is_ghost(10));
        // The ACK for PSN 6 was only late.
        requester.retire(7);
        assert!(!requester.wants(&stale), "PSN 0 need not be sent again");
        assert_eq!(requester.take_segment(0, 4_096).psn, 7);
    }
}

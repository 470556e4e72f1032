//! The PCIe link between a host and its NIC.
//!
//! A message of n payload bytes moves as `ceil(n / 512)` transfers of at most 512 bytes, each with 34 bytes of overhead and
//! each rounded to the picosecond on its own; a message without payload is one transfer of 34 bytes. Each direction sends
//! transfers in order at its lane rate, without propagation delay (public RoCE NIC page, "Fetching the payload over PCIe").
//!
//! A transfer leaves its transmit buffer when it goes on the link, and a message is accepted by the buffer whole or waits. So
//! the link never idles while a message waits, and the times of every message are known when it is submitted: nothing here
//! needs an event a transfer.

use crate::roce::attributes::{PhysicalLayer, TransactionLayer};
use packetloom_des::{Bytes, Rate, Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Most payload of one transfer, in bytes.
pub const TRANSFER_PAYLOAD: u64 = 512;
/// Overhead of one transfer on the link, in bytes; also what one transfer takes of a header buffer.
pub const TRANSFER_OVERHEAD: u64 = 34;

/// Transfers of a message of `payload` bytes.
pub fn transfers(payload: u64) -> u64 {
    payload.div_ceil(TRANSFER_PAYLOAD).max(1)
}

/// One direction of the link.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lanes {
    rate: Rate,
    /// Time of a full transfer.
    full: Span,
    /// When the link has sent everything submitted.
    free: Time,
}

impl Lanes {
    /// A direction with these lanes.
    pub fn new(physical: &PhysicalLayer) -> Self {
        let rate = Rate::from_bps(physical.lane_bps.bps() * physical.lane_count);
        let full = rate.time_for(Bytes(TRANSFER_PAYLOAD + TRANSFER_OVERHEAD));
        Lanes {
            rate,
            full,
            free: Time::ZERO,
        }
    }

    /// How long a message of `payload` bytes takes on the link.
    #[inline]
    pub fn time_for(&self, payload: u64) -> Span {
        let (whole, rest) = (payload / TRANSFER_PAYLOAD, payload % TRANSFER_PAYLOAD);
        let full = self.full * whole;
        if rest > 0 || whole == 0 {
            full + self.rate.time_for(Bytes(rest + TRANSFER_OVERHEAD))
        } else {
            full
        }
    }

    /// Sends a message that is ready at `ready`; gives the start and the end of its time on the link.
    #[inline]
    fn send(&mut self, ready: Time, payload: u64) -> (Time, Time) {
        let start = ready.max(self.free);
        self.free = start + self.time_for(payload);
        (start, self.free)
    }

    /// When a message that is ready at `ready` would have passed, if nothing is sent before it.
    fn end_if_sent(&self, ready: Time, payload: u64) -> Time {
        ready.max(self.free) + self.time_for(payload)
    }
}

/// A message in a transmit buffer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Buffered {
    start: Time,
    payload: u64,
    transfers: u64,
}

/// A direction whose transmit buffer matters: what waits for it holds room elsewhere.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BufferedLanes {
    lanes: Lanes,
    data_size: u64,
    header_size: u64,
    /// Messages not known to have left the buffer whole, oldest first, and their sums.
    buffered: VecDeque<Buffered>,
    data: u64,
    transfers: u64,
    /// When the newest message was accepted; the next is accepted no earlier.
    accepted: Time,
}

impl BufferedLanes {
    /// A direction with these lanes and the transmit buffers of `transaction`.
    pub fn new(physical: &PhysicalLayer, transaction: &TransactionLayer) -> Self {
        BufferedLanes {
            lanes: Lanes::new(physical),
            data_size: transaction.tx_data_buffer_size.0,
            header_size: transaction.tx_header_buffer_size.0,
            buffered: VecDeque::new(),
            data: 0,
            transfers: 0,
            accepted: Time::ZERO,
        }
    }

    /// Submits a message now. Gives when the buffer accepts it and when its last byte has passed.
    #[inline]
    pub fn submit(&mut self, now: Time, payload: u64) -> (Time, Time) {
        let count = transfers(payload);
        let mut at = now.max(self.accepted);
        while let Some(&oldest) = self.buffered.front() {
            // Its last transfer is on the link.
            if oldest.start + self.lanes.full * (oldest.transfers - 1) > at {
                break;
            }
            self.data -= oldest.payload;
            self.transfers -= oldest.transfers;
            self.buffered.pop_front();
        }
        if !self.fits(self.data, self.transfers, payload, count) {
            at = self.room_at(at, payload, count);
        }
        self.accepted = at;
        let (start, end) = self.lanes.send(now, payload);
        debug_assert!(at <= start, "the link never waits for the buffer");
        self.buffered.push_back(Buffered {
            start,
            payload,
            transfers: count,
        });
        self.data += payload;
        self.transfers += count;
        (at, end)
    }

    /// When everything submitted so far will have passed.
    pub fn free(&self) -> Time {
        self.lanes.free
    }

    /// How long a message of `payload` bytes takes on the link.
    pub fn time_for(&self, payload: u64) -> Span {
        self.lanes.time_for(payload)
    }

    #[inline]
    fn fits(&self, data: u64, held: u64, payload: u64, count: u64) -> bool {
        data + payload <= self.data_size && (held + count) * TRANSFER_OVERHEAD <= self.header_size
    }

    /// The first instant from `at` on at which enough transfers have left.
    #[cold]
    fn room_at(&self, at: Time, payload: u64, count: u64) -> Time {
        let (mut data, mut held) = (self.data, self.transfers);
        for message in &self.buffered {
            for transfer in 0..message.transfers {
                let leaves = message.start + self.lanes.full * transfer;
                if leaves > at && self.fits(data, held, payload, count) {
                    return at;
                }
                data -= TRANSFER_PAYLOAD.min(message.payload - transfer * TRANSFER_PAYLOAD);
                held -= 1;
                if leaves >= at && self.fits(data, held, payload, count) {
                    return leaves;
                }
            }
        }
        // Everything has left; validation makes sure that one message fits in an empty buffer.
        at
    }
}

/// What arrives at the NIC from its host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FromHost<S> {
    /// A doorbell for the `requester`-th queue pair that sends, with a work request of `size` bytes.
    Doorbell {
        /// The queue pair.
        requester: u32,
        /// Size of the work request's message in bytes.
        size: u64,
    },
    /// A segment's payload, fetched from host memory.
    Payload(S),
}

/// The host-to-NIC direction: doorbells, and payload that answers read requests.
///
/// The host answers a read request when its last byte has arrived. A doorbell rung before that goes ahead, so the time of an
/// answer is settled only when its request has arrived.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HostLanes<S> {
    lanes: Lanes,
    requests: VecDeque<(Time, u64, S)>,
    arriving: VecDeque<(Time, FromHost<S>)>,
}

impl<S: Copy> HostLanes<S> {
    /// An idle direction with these lanes.
    pub fn new(physical: &PhysicalLayer) -> Self {
        HostLanes {
            lanes: Lanes::new(physical),
            requests: VecDeque::new(),
            arriving: VecDeque::new(),
        }
    }

    /// A read request for `payload` bytes reaches the host at `at`, no earlier than those before it.
    #[inline]
    pub fn request(&mut self, at: Time, payload: u64, segment: S) {
        debug_assert!(self.requests.back().is_none_or(|(last, ..)| *last <= at));
        self.requests.push_back((at, payload, segment));
    }

    /// The host rings a doorbell of `bytes` bytes now.
    pub fn doorbell(&mut self, now: Time, bytes: u64, doorbell: FromHost<S>) {
        self.settle(now);
        let (_, end) = self.lanes.send(now, bytes);
        self.arriving.push_back((end, doorbell));
    }

    /// Answers every request that has reached the host by `now`.
    #[inline]
    fn settle(&mut self, now: Time) {
        while let Some(&(at, payload, segment)) = self.requests.front() {
            if at > now {
                break;
            }
            self.requests.pop_front();
            let (_, end) = self.lanes.send(at, payload);
            self.arriving.push_back((end, FromHost::Payload(segment)));
        }
    }

    /// When the next message reaches the NIC, unless a doorbell still goes ahead of it.
    #[inline]
    pub fn next_arrival(&self) -> Option<Time> {
        match self.arriving.front() {
            Some(&(at, _)) => Some(at),
            None => self
                .requests
                .front()
                .map(|&(at, payload, _)| self.lanes.end_if_sent(at, payload)),
        }
    }

    /// Takes the message that has reached the NIC by `now`.
    #[inline]
    pub fn arrival(&mut self, now: Time) -> Option<FromHost<S>> {
        self.settle(now);
        match self.arriving.front() {
            Some(&(at, message)) if at <= now => {
                self.arriving.pop_front();
                Some(message)
            }
            _ => None,
        }
    }

    /// Segments asked for and not yet arrived.
    pub fn outstanding(&self) -> impl Iterator<Item = &S> {
        let arriving = self.arriving.iter().filter_map(|(_, message)| match message {
            FromHost::Payload(segment) => Some(segment),
            FromHost::Doorbell { .. } => None,
        });
        arriving.chain(self.requests.iter().map(|(_, _, segment)| segment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn physical(gbps_hundredths: u64) -> PhysicalLayer {
        PhysicalLayer {
            lane_bps: Rate::from_bps(gbps_hundredths * 10_000_000),
            ..PhysicalLayer::default()
        }
    }

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    #[test]
    fn documented_times_at_504_gbps() {
        let lanes = Lanes::new(&PhysicalLayer::default());
        // 4,096 B are 4,368 B on the link: eight transfers of 546 B, each 8,661.17 ps rounded: 69.288 ns.
        assert_eq!(lanes.time_for(4_096), Span::from_ps(69_288));
        // A read request of 64 B is 98 B: 1,554.57 ps. A doorbell of 92 B is 126 B: 1,998.73 ps.
        assert_eq!(lanes.time_for(64), Span::from_ps(1_555));
        assert_eq!(lanes.time_for(92), Span::from_ps(1_999));
        // No payload: one transfer of 34 B, 539.34 ps.
        assert_eq!(lanes.time_for(0), Span::from_ps(539));
        // 513 B: a full transfer and one of 1 + 34 B, 8,661 + 555 ps.
        assert_eq!(lanes.time_for(513), Span::from_ps(8_661 + 555));
    }

    #[test]
    fn pcie_3_lanes_carry_118_gbps_of_payload() {
        let lanes = Lanes::new(&physical(788));
        let gbps = 4_096.0 * 8.0 / (lanes.time_for(4_096).ps() as f64 / 1_000.0);
        assert!((gbps - 118.2).abs() < 0.05, "{gbps}");
    }

    #[test]
    fn a_write_waits_until_the_buffer_holds_it_whole() {
        let transaction = TransactionLayer {
            tx_data_buffer_size: Bytes(5_000),
            ..TransactionLayer::default()
        };
        let mut lanes = BufferedLanes::new(&PhysicalLayer::default(), &transaction);
        assert_eq!(lanes.submit(at(0), 4_096), (at(0), at(69_288)));
        // 4,096 of 5,000 B are taken. Room for 4,096 more comes when 3,192 B have left: with the seventh transfer, which
        // goes on the link after six others of 8,661 ps.
        assert_eq!(lanes.submit(at(0), 4_096), (at(6 * 8_661), at(2 * 69_288)));
        // The third waits for the seventh transfer of the second.
        assert_eq!(
            lanes.submit(at(0), 4_096),
            (at(69_288 + 6 * 8_661), at(3 * 69_288))
        );
        // Long after, the buffer is empty.
        assert_eq!(lanes.submit(at(1_000_000), 4_096), (at(1_000_000), at(1_069_288)));
    }

    #[test]
    fn the_header_buffer_bounds_too() {
        // Nine headers: a second write of eight transfers waits until seven of the first have left.
        let transaction = TransactionLayer {
            tx_header_buffer_size: Bytes(9 * 34),
            ..TransactionLayer::default()
        };
        let mut lanes = BufferedLanes::new(&PhysicalLayer::default(), &transaction);
        assert_eq!(lanes.submit(at(0), 4_096).0, at(0));
        assert_eq!(lanes.submit(at(0), 4_096).0, at(6 * 8_661));
    }

    #[test]
    fn a_doorbell_goes_ahead_of_an_answer_whose_request_is_under_way() {
        let mut lanes = HostLanes::new(&PhysicalLayer::default());
        lanes.request(at(10_000), 4_096, 'a');
        assert_eq!(lanes.next_arrival(), Some(at(79_288)));
        lanes.doorbell(
            at(9_000),
            92,
            FromHost::Doorbell {
                requester: 0,
                size: 1,
            },
        );
        assert_eq!(lanes.next_arrival(), Some(at(10_999)));
        assert_eq!(
            lanes.arrival(at(10_999)),
            Some(FromHost::Doorbell {
                requester: 0,
                size: 1
            })
        );
        // The link is free at 10,999, after the request came in at 10,000.
        assert_eq!(lanes.next_arrival(), Some(at(10_999 + 69_288)));
        assert_eq!(lanes.arrival(at(79_288)), None);
        assert_eq!(lanes.arrival(at(10_999 + 69_288)), Some(FromHost::Payload('a')));
        assert_eq!(lanes.next_arrival(), None);
    }

    /// The buffer, transfer by transfer: (accepted, end) of each message.
    fn by_transfers(data: u64, headers: u64, messages: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let lanes = Lanes::new(&PhysicalLayer::default());
        let mut leaves: Vec<(u64, u64)> = Vec::new(); // when a transfer goes on the link, its payload
        let (mut free, mut accepted, mut result) = (0u64, 0u64, Vec::new());
        for &(now, payload) in messages {
            let count = transfers(payload);
            let mut instants: Vec<u64> = leaves
                .iter()
                .map(|l| l.0)
                .filter(|&t| t > now.max(accepted))
                .collect();
            instants.insert(0, now.max(accepted));
            accepted = *instants
                .iter()
                .find(|&&t| {
                    let inside = leaves.iter().filter(|l| l.0 > t);
                    let (held, bytes) = inside.fold((0, 0), |(n, b), l| (n + 1, b + l.1));
                    bytes + payload <= data && (held + count) * 34 <= headers
                })
                .expect("an empty buffer holds a message");
            free = free.max(now);
            for transfer in 0..count {
                let bytes = TRANSFER_PAYLOAD.min(payload - transfer * TRANSFER_PAYLOAD);
                leaves.push((free, bytes));
                free += lanes.rate.time_for(Bytes(bytes + TRANSFER_OVERHEAD)).ps();
            }
            result.push((accepted, free));
        }
        result
    }

    proptest! {
        #[test]
        fn acceptance_matches_a_model_of_single_transfers(
            data in 2_000u64..20_000,
            headers in 4u64..60,
            steps in prop::collection::vec((0u64..80_000, 0u64..2_000), 1..60),
        ) {
            let transaction = TransactionLayer {
                tx_data_buffer_size: Bytes(data),
                tx_header_buffer_size: Bytes(headers * 34),
                ..TransactionLayer::default()
            };
            let mut lanes = BufferedLanes::new(&PhysicalLayer::default(), &transaction);
            let mut now = 0;
            let messages: Vec<(u64, u64)> = steps.iter().map(|&(gap, payload)| { now += gap; (now, payload) }).collect();
            let expected = by_transfers(data, headers * 34, &messages);
            for (&(now, payload), &(accepted, end)) in messages.iter().zip(&expected) {
                prop_assert_eq!(lanes.submit(at(now), payload), (at(accepted), at(end)));
            }
        }
    }
}

//! The PCIe link between a host and its NIC.
//!
//! A message of n payload bytes moves as `ceil(n / 512)` transfers of at most 512 bytes, each with 34 bytes of overhead and
//! each rounded to the picosecond on its own; a message without payload is one transfer of 34 bytes. Each direction sends
//! transfers in order at its lane rate, without propagation delay (public RoCE NIC page, "Fetching the payload over PCIe").
//!
//! A transfer leaves its transmit buffer when it goes on the link, and a message is accepted by the buffer whole or waits. So
//! the link never idles while a message waits, and the times of every message are known when it is submitted: nothing here
//! needs an event a transfer.

#[cfg(test)]
mod tests;
mod traffic;

pub use traffic::{LaneReport, LaneStats};

use crate::roce::attributes::{PhysicalLayer, TransactionLayer};
use packetloom_des::{Bytes, Rate, Ring, Span, Time};
use serde::{Deserialize, Serialize};
use traffic::Traffic;

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
    /// Payload and time of the last transfer sent that was not full: most messages of a direction end alike.
    short: (u64, Span),
    /// When the link has sent everything submitted.
    free: Time,
    /// Only if a record wants it.
    traffic: Option<Box<Traffic>>,
}

impl Lanes {
    /// A direction with these lanes.
    pub fn new(physical: &PhysicalLayer) -> Self {
        let rate = Rate::from_bps(physical.lane_bps.bps() * physical.lane_count);
        let full = rate.time_for(Bytes(TRANSFER_PAYLOAD + TRANSFER_OVERHEAD));
        Lanes {
            rate,
            full,
            short: (0, rate.time_for(Bytes(TRANSFER_OVERHEAD))),
            free: Time::ZERO,
            traffic: None,
        }
    }

    /// Counts from now on what goes over the link. To be called while it is idle.
    fn observe(&mut self) {
        self.traffic = Some(Box::default());
    }

    /// What has gone over the link before `now`, if that was to be counted; the next interval starts.
    fn report(&mut self, now: Time) -> Option<LaneReport> {
        let (rate, free) = (self.rate, self.free);
        Some(self.traffic.as_mut()?.report(now, rate, free))
    }

    /// How long a message of `payload` bytes takes on the link.
    #[inline]
    pub fn time_for(&self, payload: u64) -> Span {
        let (whole, rest) = (payload / TRANSFER_PAYLOAD, payload % TRANSFER_PAYLOAD);
        let full = self.full * whole;
        if rest > 0 || whole == 0 {
            full + self.short_transfer(rest)
        } else {
            full
        }
    }

    /// How long a transfer that is not full takes.
    #[inline]
    fn short_transfer(&self, payload: u64) -> Span {
        if payload == self.short.0 {
            self.short.1
        } else {
            self.rate.time_for(Bytes(payload + TRANSFER_OVERHEAD))
        }
    }

    /// Sends a message that is ready at `ready`; gives the start and the end of its time on the link.
    #[inline]
    fn send(&mut self, ready: Time, payload: u64) -> (Time, Time) {
        let start = ready.max(self.free);
        self.free = start + self.time_for(payload);
        let rest = payload % TRANSFER_PAYLOAD;
        if rest > 0 && rest != self.short.0 {
            self.short = (rest, self.short_transfer(rest));
        }
        if let Some(traffic) = &mut self.traffic {
            traffic.send(ready, start, self.free, payload);
        }
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
#[repr(align(64))]
pub struct BufferedLanes {
    lanes: Lanes,
    data_size: u64,
    header_size: u64,
    /// Messages not known to have left the buffer whole, oldest first, and their sums.
    buffered: Ring<Buffered>,
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
            buffered: Ring::new(),
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
        if self.lanes.traffic.is_some() {
            let held = self.held_at(at) + payload;
            if let Some(traffic) = &mut self.lanes.traffic {
                traffic.buffered(at.since(now), held);
            }
        }
        self.buffered.push_back(Buffered {
            start,
            payload,
            transfers: count,
        });
        self.data += payload;
        self.transfers += count;
        (at, end)
    }

    /// Payload of the messages in the buffer that it still holds at `at`.
    #[inline]
    fn held_at(&self, at: Time) -> u64 {
        let mut held = self.data;
        // Of those that have begun to leave there is rarely more than one.
        for message in self.buffered.iter() {
            if message.start > at {
                break;
            }
            // A transfer leaves when it goes on the link, the first one at the start.
            let transfers = at.since(message.start).ps() / self.lanes.full.ps() + 1;
            held -= message.payload.min(transfers * TRANSFER_PAYLOAD);
        }
        held
    }

    /// Counts from now on what goes through. To be called while the direction is idle.
    pub fn observe(&mut self) {
        self.lanes.observe();
    }

    /// What has gone through before `now`, if that was to be counted; the next interval starts.
    pub fn report(&mut self, now: Time) -> Option<LaneReport> {
        let report = self.lanes.report(now)?;
        Some(LaneReport {
            buffer: self.data_size,
            ..report
        })
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
        for message in self.buffered.iter() {
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
#[repr(align(64))]
pub struct HostLanes<S> {
    lanes: Lanes,
    requests: Ring<(Time, u64, S)>,
    arriving: Ring<(Time, FromHost<S>)>,
}

impl<S: Copy> HostLanes<S> {
    /// An idle direction with these lanes.
    pub fn new(physical: &PhysicalLayer) -> Self {
        HostLanes {
            lanes: Lanes::new(physical),
            requests: Ring::new(),
            arriving: Ring::new(),
        }
    }

    /// Counts from now on what goes through. To be called while the direction is idle.
    pub fn observe(&mut self) {
        self.lanes.observe();
    }

    /// What has gone through before `now`, if that was to be counted; the next interval starts.
    pub fn report(&mut self, now: Time) -> Option<LaneReport> {
        self.lanes.traffic.as_ref()?;
        // As the next event, which comes no earlier, would do first.
        self.settle(now);
        self.lanes.report(now)
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

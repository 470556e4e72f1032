//! Packet generation: the ready queue, egress reservations, payload fetches, and the PSN a packet gets when its payload has
//! arrived (public RoCE NIC page, "Queue pairs and messages" to "Packets on the wire").

use super::requester::Segment;
use super::{GENERATION_RESTART, RoceNic, SLOT_FROM_HOST, SLOT_GENERATION, SLOT_PORT};
use packetloom_des::Context;
use packetloom_fabric::frame::{DATA_OVERHEAD, Ecn, Frame};
use serde::{Deserialize, Serialize};

/// Whether packets are being generated. Generation itself takes no time; its restart does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Generation {
    /// The ready queue ran empty.
    Idle,
    /// The restart is under way.
    Starting,
    /// The egress pool of this class had no room for the packet at the head of the ready queue.
    NoRoom(u8),
}

impl RoceNic {
    /// A work request has reached the NIC.
    pub(super) fn accept<C: Context<Message = Frame>>(&mut self, requester: u32, size: u64, context: &mut C) {
        let queue_pair = &mut self.requesters[requester as usize];
        queue_pair.queue.push_back(size);
        if !queue_pair.busy() {
            self.begin_message(requester, context);
        }
    }

    /// Starts the next message of a queue pair that has none under way.
    pub(super) fn begin_message<C: Context<Message = Frame>>(&mut self, requester: u32, context: &mut C) {
        if self.requesters[requester as usize].begin(self.settings.mss) {
            self.make_ready(requester, context);
        }
    }

    /// Puts a queue pair with segments to fetch at the tail of the ready queue. An empty ready queue starts generation.
    pub(super) fn make_ready<C: Context<Message = Frame>>(&mut self, requester: u32, context: &mut C) {
        let queue_pair = &mut self.requesters[requester as usize];
        if !queue_pair.ready {
            queue_pair.ready = true;
            self.ready.push_back(requester);
        }
        if self.generation == Generation::Idle {
            self.restart(context);
        }
    }

    fn restart<C: Context<Message = Frame>>(&mut self, context: &mut C) {
        self.generation = Generation::Starting;
        self.generation_count = self.generation_count.wrapping_add(1);
        context.set_timer(
            SLOT_GENERATION,
            self.generation_count,
            context.now() + GENERATION_RESTART,
        );
    }

    /// Serves the ready queue, one segment each in turn, until it is empty or a packet finds no room.
    pub(super) fn generate<C: Context<Message = Frame>>(&mut self, context: &mut C) {
        debug_assert_eq!(self.generation, Generation::Starting);
        let now = context.now();
        while let Some(&head) = self.ready.front() {
            let queue_pair = &self.requesters[head as usize];
            if queue_pair.has_segment() {
                let class = queue_pair.peer.data_class;
                let reservation = queue_pair.next_payload(self.settings.mss) + DATA_OVERHEAD;
                if !self.egress.fits(class, reservation) {
                    self.generation = Generation::NoRoom(class);
                    if self.port.unwatched().is_some() {
                        self.port.arm(SLOT_PORT, context);
                    }
                    self.await_host(context);
                    return;
                }
                self.egress.take(class, reservation);
                let segment = self.requesters[head as usize].take_segment(head, self.settings.mss);
                let (_, at_host) = self.to_host.submit(now, self.settings.read_request);
                self.from_host.request(at_host, segment.payload as u64, segment);
            }
            self.ready.pop_front();
            let queue_pair = &mut self.requesters[head as usize];
            if queue_pair.has_segment() {
                self.ready.push_back(head);
            } else {
                queue_pair.ready = false;
            }
        }
        self.generation = Generation::Idle;
        self.await_host(context);
    }

    /// Sets the timer for what comes next over PCIe.
    #[inline]
    pub(super) fn await_host<C: Context<Message = Frame>>(&mut self, context: &mut C) {
        if let Some(at) = self.from_host.next_arrival() {
            self.from_host_timer.set(SLOT_FROM_HOST, at, context);
        }
    }

    /// A segment's payload has arrived: the segment gets its PSN and joins the queue of its class, unless a rewind has made
    /// it stale.
    #[inline]
    pub(super) fn fetched<C: Context<Message = Frame>>(&mut self, segment: Segment, context: &mut C) {
        let queue_pair = &mut self.requesters[segment.requester as usize];
        let size = segment.payload as u64 + DATA_OVERHEAD;
        if !queue_pair.wants(&segment) {
            let class = queue_pair.peer.data_class;
            self.stats.payload_discards += 1;
            self.egress.release(class, size);
            self.room_released(class, context);
            return;
        }
        self.stats.repeats += queue_pair.is_repeat(&segment) as u64;
        let (mut frame, empty) = queue_pair.number(&segment, self.host, context.now());
        frame.size = size as u16;
        frame.ecn = if self.settings.ect { Ecn::Ect0 } else { Ecn::NotEct };
        if empty {
            let slot = Self::queue_pair_slot(Self::requester_number(segment.requester));
            let expiry = context.now() + self.settings.retransmit_timeout;
            queue_pair.timer.set(slot, expiry, context);
        }
        self.queue(frame, context);
    }

    /// Room in the egress pool of `class` was released. Generation that stopped for want of it starts again once the pool is half
    /// empty.
    #[inline]
    pub(super) fn room_released<C: Context<Message = Frame>>(&mut self, class: u8, context: &mut C) {
        if self.generation == Generation::NoRoom(class) && self.egress.at_most_half(class) {
            self.restart(context);
        }
    }
}

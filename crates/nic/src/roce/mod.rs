//! The RoCE NIC: queue pairs, packet generation, go-back-N, receive pools, PFC and connection set-up, over the host's PCIe
//! link and one network port.
//!
//! Each event enters through [`RoceNic::handle`]; what the application has to know comes back as an [`Upcall`].
//!
//! - `generation`: the ready queue, reservations and payload fetches (sending up to the PSN)
//! - `transport`: what arriving packets and the transport timer do to queue pairs
//! - `connect`: connection set-up
//! - `requester`, `responder`: the two ends of a queue pair, without a clock or a port
//! - `pfc`: pauses the NIC sends
//! - `report`: what is kept only for records

pub mod attributes;
mod connect;
mod generation;
mod pfc;
mod psn;
mod report;
mod requester;
mod responder;
mod stats;
#[cfg(test)]
mod tests;
mod transport;

pub use psn::PSN_MODULUS;
pub use requester::{Peer, Segment};
pub use stats::{RoundTrips, TransportStats};

use crate::pcie::{BufferedLanes, FromHost, HostLanes};
use crate::pools::Pools;
use attributes::{EgressBufferManager, QueueScheduling, RoceNicAttributes};
use generation::Generation;
use packetloom_des::{Bytes, Context, Event, LazyTimer, Rate, Ring, Span, Time};
use packetloom_fabric::frame::{CLASSES, ETHERNET_HEADER, FRAME_CHECK, Frame, HostId, Kind};
use packetloom_fabric::loss::Losses;
use packetloom_fabric::port::{Port, Sent};
use packetloom_fabric::scheduler::Scheduler;
use pfc::PauseSender;
use requester::Requester;
use responder::Responder;
use serde::{Deserialize, Serialize};

/// The port ends a transmission.
const SLOT_PORT: u32 = 0;
/// A paused class is resumed; one slot a class.
const SLOT_PAUSE: u32 = 1;
/// A pause is sent again; one slot a class.
const SLOT_REFRESH: u32 = SLOT_PAUSE + CLASSES as u32;
/// A doorbell or payload reaches the NIC over PCIe.
const SLOT_FROM_HOST: u32 = SLOT_REFRESH + CLASSES as u32;
/// The PCIe transmit buffer accepts received data.
const SLOT_ACCEPTED: u32 = SLOT_FROM_HOST + 1;
/// Packet generation starts.
const SLOT_GENERATION: u32 = SLOT_ACCEPTED + 1;
/// First of the slots the NIC leaves to the applications of its host.
pub const FIRST_HOST_SLOT: u32 = SLOT_GENERATION + 1;
/// Number of slots left to the applications.
pub const HOST_SLOTS: u32 = 12;
/// First of the queue pairs' timers: requester i on 2i, responder j on 2j + 1 from here.
const SLOT_QUEUE_PAIRS: u32 = FIRST_HOST_SLOT + HOST_SLOTS;

/// Time from the cause of a restart of packet generation to the restart: 80 ns (public RoCE NIC page, "Queue pairs and
/// messages").
pub const GENERATION_RESTART: Span = Span::from_ns(80);

/// Something the application has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upcall {
    /// The connection of this requester is set up.
    Connected(u32),
    /// The oldest work request of this requester is complete.
    Completed(u32),
}

/// The scheduler of the network port. Turns go over the classes that have a transmit pool.
fn scheduler(attributes: &EgressBufferManager) -> Scheduler {
    match attributes.queue_scheduling_type {
        QueueScheduling::StrictPriority => Scheduler::Strict,
        QueueScheduling::RoundRobin => Scheduler::round_robin(),
        QueueScheduling::WeightedRoundRobin => {
            let highest = attributes
                .pool_allocation_vector
                .iter()
                .rposition(|&share| share > 0.0);
            Scheduler::weighted(
                attributes.wrr_queue_weights.map(|weight| weight as u32),
                highest.unwrap_or(0) as u8,
            )
        }
    }
}

/// Whether a frame holds room in an egress pool from its generation to the end of its serialization.
fn holds_room(kind: Kind) -> bool {
    !matches!(kind, Kind::Pfc | Kind::Cnp)
}

/// What the attributes come to for the transport.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(align(64))]
struct Settings {
    mss: u64,
    read_request: u64,
    retransmit_timeout: Span,
    coalescing: bool,
    ack_delay: Span,
    ack_threshold: u64,
    /// Data is sent ECN-capable.
    ect: bool,
    first_psn: u32,
}

/// A RoCE NIC and its host's PCIe link.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoceNic {
    host: HostId,
    settings: Settings,
    port: Port<Frame>,
    egress: Pools,
    ingress: Pools,
    pauses: PauseSender,
    /// NIC to host: received data and read requests.
    to_host: BufferedLanes,
    /// Host to NIC: doorbells and fetched payload.
    from_host: HostLanes<Segment>,
    from_host_timer: LazyTimer,
    /// Received data that the PCIe transmit buffer has yet to accept: when, its class, the bytes it holds.
    to_accept: Ring<(Time, u8, u32)>,
    accepted_timer: LazyTimer,
    requesters: Vec<Requester>,
    responders: Vec<Responder>,
    ready: Ring<u32>,
    generation: Generation,
    generation_count: u16,
    stats: TransportStats,
    losses: Losses,
}

impl RoceNic {
    /// A NIC on `host` whose link runs at `rate` with `delay`.
    pub fn new(host: HostId, attributes: &RoceNicAttributes, rate: Rate, delay: Span) -> Self {
        let buffers = &attributes.network_interface;
        let port = Port::new(rate, delay).with_scheduler(scheduler(&buffers.egress_buffer_manager));
        let pool = |total, share| Pools::new(total, share);
        let receive = &buffers.ingress_buffer_manager;
        let send = &buffers.egress_buffer_manager;
        let ingress = pool(receive.total_buffer_size, receive.pool_allocation_vector);
        let nic_side = &attributes.host_interface.nic_side;
        let nic_pcie = &nic_side.pcie_gen3.nic_device_layer.nic_pcie_interface;
        let host_pcie = &attributes
            .host_interface
            .host_side
            .pcie_gen3
            .scala_host_pcie_device_layer
            .host_pcie_interface;
        let transport = &attributes.transport_processing_layers.roce_transport_layer;
        RoceNic {
            host,
            settings: Settings {
                mss: attributes.scala_roce_qp_manager.mss.0,
                read_request: nic_side.nic_pcie_handler.read_request_size.0,
                retransmit_timeout: transport.retransmit_timeout,
                coalescing: transport.ack_coalescing_enabled,
                ack_delay: transport.ack_delay,
                ack_threshold: transport.ack_threshold,
                ect: attributes.ecn_handler.enable_ecn,
                first_psn: 0,
            },
            egress: pool(send.total_buffer_size, send.pool_allocation_vector),
            pauses: PauseSender::new(receive, &ingress, &port, SLOT_REFRESH),
            ingress,
            port,
            to_host: BufferedLanes::new(&nic_pcie.physical_layer, &nic_pcie.transaction_layer),
            from_host: HostLanes::new(&host_pcie.physical_layer),
            from_host_timer: LazyTimer::default(),
            to_accept: Ring::new(),
            accepted_timer: LazyTimer::default(),
            requesters: Vec::new(),
            responders: Vec::new(),
            ready: Ring::new(),
            generation: Generation::Idle,
            generation_count: 0,
            stats: TransportStats::default(),
            losses: Losses::default(),
        }
    }

    /// Lets every queue pair added from now on start with this PSN instead of 0, for tests of the 24-bit wrap.
    pub fn set_first_psn(&mut self, psn: u32) {
        self.settings.first_psn = psn;
    }

    /// Loses frames on the link into this NIC, for tests.
    pub fn set_losses(&mut self, losses: Losses) {
        self.losses = losses;
    }

    /// Frames lost on purpose on the link into this NIC.
    pub fn lost(&self) -> u64 {
        self.losses.lost()
    }

    /// Queue pair number of the `index`-th requester of a NIC.
    pub fn requester_number(index: u32) -> u32 {
        index * 2
    }

    /// Queue pair number of the `index`-th responder of a NIC.
    pub fn responder_number(index: u32) -> u32 {
        index * 2 + 1
    }

    /// Adds the sending end of a connection; its index is the number of those before it.
    pub fn add_requester(&mut self, peer: Peer) {
        self.requesters
            .push(Requester::new(peer, self.settings.first_psn));
    }

    /// Adds the receiving end of a connection; its index is the number of those before it.
    pub fn add_responder(&mut self, peer: Peer) {
        self.responders
            .push(Responder::new(peer, self.settings.first_psn));
    }

    /// Rings the doorbell for a work request of `size` bytes on a requester. The doorbell is a message of `doorbell` bytes
    /// over PCIe.
    pub fn post<C: Context<Message = Frame>>(
        &mut self,
        requester: u32,
        size: u64,
        doorbell: u64,
        context: &mut C,
    ) {
        self.stats.work_requests += 1;
        self.from_host
            .doorbell(context.now(), doorbell, FromHost::Doorbell { requester, size });
        self.await_host(context);
    }

    /// Handles one event that is not the application's.
    #[inline]
    pub fn handle<C: Context<Message = Frame>>(
        &mut self,
        event: Event<Frame>,
        context: &mut C,
    ) -> Option<Upcall> {
        self.settle(context);
        match event {
            Event::Arrival { message, .. } => self.arrive(message, context),
            Event::Timer { slot, count } => {
                self.timer(slot, count, context);
                None
            }
        }
    }

    fn timer<C: Context<Message = Frame>>(&mut self, slot: u32, count: u16, context: &mut C) {
        match slot {
            SLOT_PORT => self.sent(context),
            SLOT_FROM_HOST => {
                if self.from_host_timer.due(slot, count, context) {
                    while let Some(message) = self.from_host.arrival(context.now()) {
                        match message {
                            FromHost::Doorbell { requester, size } => self.accept(requester, size, context),
                            FromHost::Payload(segment) => self.fetched(segment, context),
                        }
                    }
                    self.await_host(context);
                }
            }
            SLOT_GENERATION => self.generate(context),
            SLOT_ACCEPTED => {
                if self.accepted_timer.due(slot, count, context) {
                    self.release_accepted(context);
                }
            }
            SLOT_PAUSE..SLOT_REFRESH => {
                if self
                    .port
                    .expire_pause((slot - SLOT_PAUSE) as usize, SLOT_PAUSE, count, context)
                {
                    self.transmit(context);
                }
            }
            SLOT_REFRESH..SLOT_FROM_HOST => {
                let class = (slot - SLOT_REFRESH) as u8;
                if self
                    .pauses
                    .refresh(class, count, &self.ingress, &mut self.port, context)
                {
                    self.transmit(context);
                }
            }
            _ => self.queue_pair_timer(slot - SLOT_QUEUE_PAIRS, slot, count, context),
        }
    }

    fn queue_pair_timer<C: Context<Message = Frame>>(
        &mut self,
        number: u32,
        slot: u32,
        count: u16,
        context: &mut C,
    ) {
        let index = number / 2;
        if number.is_multiple_of(2) {
            if self.requesters[index as usize].timer.due(slot, count, context) {
                self.requester_timer(index, context);
            }
        } else if self.responders[index as usize].timer.due(slot, count, context) {
            self.responder_timer(index, context);
        }
    }

    /// The slot of the timer of queue pair `number`.
    fn queue_pair_slot(number: u32) -> u32 {
        SLOT_QUEUE_PAIRS + number
    }

    /// A frame arrives from the network.
    #[inline]
    fn arrive<C: Context<Message = Frame>>(&mut self, frame: Frame, context: &mut C) -> Option<Upcall> {
        if self.losses.takes(&frame) {
            return None;
        }
        self.port.count_arrival(&frame);
        if frame.kind == Kind::Pfc {
            if self.port.receive_pause(&frame, SLOT_PAUSE, context) {
                self.transmit(context);
            }
            return None;
        }
        let charge = frame.size as u64 - (ETHERNET_HEADER + FRAME_CHECK);
        if self
            .pauses
            .arrive(frame.class, charge, &self.ingress, &mut self.port, context)
        {
            self.transmit(context);
        }
        if !self.ingress.fits(frame.class, charge) {
            self.port.counters.receive_drops += 1;
            self.ingress.refuse(frame.class);
            return None;
        }
        self.ingress.take(frame.class, charge);
        self.receive(&frame, charge, context)
    }

    /// Gives back room in a receive pool, which may resume the sender.
    #[inline]
    fn release_ingress<C: Context<Message = Frame>>(&mut self, class: u8, bytes: u64, context: &mut C) {
        self.ingress.release(class, bytes);
        if self.pauses.release(class, &self.ingress, &mut self.port) {
            self.transmit(context);
        }
    }

    /// Writes received data to the host. Its receive pool is free again when the PCIe transmit buffer accepts the write.
    #[inline]
    fn write_to_host<C: Context<Message = Frame>>(&mut self, frame: &Frame, charge: u64, context: &mut C) {
        let now = context.now();
        let (accepted, _) = self.to_host.submit(now, frame.payload as u64);
        if accepted == now {
            self.release_ingress(frame.class, charge, context);
        } else {
            self.to_accept.push_back((accepted, frame.class, charge as u32));
            if self.to_accept.len() == 1 {
                self.accepted_timer.set(SLOT_ACCEPTED, accepted, context);
            }
        }
    }

    fn release_accepted<C: Context<Message = Frame>>(&mut self, context: &mut C) {
        while let Some(&(at, class, bytes)) = self.to_accept.front() {
            if at > context.now() {
                self.accepted_timer.set(SLOT_ACCEPTED, at, context);
                break;
            }
            self.to_accept.pop_front();
            self.release_ingress(class, bytes as u64, context);
        }
    }

    /// Starts sending if the port is idle. The end of a transmission matters when generation waits for room in a pool.
    #[inline]
    fn transmit<C: Context<Message = Frame>>(&mut self, context: &mut C) {
        let generation = self.generation;
        self.port.transmit(0, SLOT_PORT, context, |_| {
            matches!(generation, Generation::NoRoom(_))
        });
    }

    /// Catches up with the end of a transmission for which no event was set, before anything else happens.
    #[inline]
    fn settle<C: Context<Message = Frame>>(&mut self, context: &C) {
        if let Some(frame) = self.port.ended(SLOT_PORT, context) {
            self.count_sent(&frame);
        }
    }

    /// Between windows: catches up with the end of a transmission before `at`, for a report.
    pub fn settle_before(&mut self, at: Time) {
        if let Some(frame) = self.port.ended_before(at) {
            self.count_sent(&frame);
        }
    }

    /// Lets every transmission end with an event; see [`Port::set_eager`].
    pub fn set_eager(&mut self, eager: bool) {
        self.port.set_eager(eager);
    }

    /// Queues a packet that holds room in its egress pool.
    #[inline]
    fn queue<C: Context<Message = Frame>>(&mut self, frame: Frame, context: &mut C) {
        let generation = self.generation;
        self.port.send(frame, 0, SLOT_PORT, context, |_| {
            matches!(generation, Generation::NoRoom(_))
        });
    }

    /// The port has sent a frame, and an event says so. Generation that stopped for want of room starts again once the pool is
    /// half empty.
    #[inline]
    fn sent<C: Context<Message = Frame>>(&mut self, context: &mut C) {
        let frame = self.port.sent();
        self.count_sent(&frame);
        if holds_room(frame.kind) {
            self.room_released(frame.class, context);
        }
        self.transmit(context);
    }

    /// Counts a frame that was sent: its reservation is free.
    #[inline]
    fn count_sent(&mut self, frame: &Sent) {
        let stats = &mut self.stats;
        match frame.kind {
            Kind::WriteFirst | Kind::WriteMiddle | Kind::WriteLast | Kind::WriteOnly => stats.data_sent += 1,
            Kind::Ack => stats.acks_sent += 1,
            Kind::Nak => stats.naks_sent += 1,
            Kind::Cnp => stats.cnps_sent += 1,
            Kind::ConnectRequest | Kind::ConnectResponse | Kind::ConnectAcknowledge => {
                stats.connection_sent += 1
            }
            // It sends no segments.
            Kind::Pfc | Kind::Tcp => {}
        }
        if holds_room(frame.kind) {
            self.egress.release(frame.class, frame.size as u64);
        }
    }

    /// Payload each responder has received in order, in bytes.
    pub fn delivered(&self) -> impl Iterator<Item = u64> + '_ {
        self.responders.iter().map(Responder::delivered)
    }

    /// Whether each requester's connection is set up.
    pub fn connected(&self) -> impl Iterator<Item = bool> + '_ {
        self.requesters.iter().map(Requester::connected)
    }

    /// The network port.
    pub fn port(&self) -> &Port<Frame> {
        &self.port
    }

    /// The network port, to be reported on between windows.
    pub fn port_mut(&mut self) -> &mut Port<Frame> {
        &mut self.port
    }

    /// Transport counters.
    pub fn stats(&self) -> &TransportStats {
        &self.stats
    }

    /// Transport counters; those of the interval start anew.
    pub fn report_stats(&mut self) -> TransportStats {
        let stats = self.stats;
        self.stats.interval_round_trips = RoundTrips::default();
        stats
    }

    /// Bytes that the transmit pools and the receive pools hold, over all classes.
    pub fn held(&self) -> (Bytes, Bytes) {
        let sum = |pools: &Pools| Bytes((0..CLASSES as u8).map(|class| pools.used(class)).sum());
        (sum(&self.egress), sum(&self.ingress))
    }

    /// Checks that what the pools hold is what waits in the NIC.
    ///
    /// # Panics
    /// When it is not.
    pub fn check(&self) {
        for class in 0..CLASSES as u8 {
            let queued = self
                .port
                .contents()
                .filter(|f| holds_room(f.kind) && f.class == class);
            let fetching = self
                .from_host
                .outstanding()
                .filter(|segment| self.requesters[segment.requester as usize].peer.data_class == class);
            let egress: u64 = queued.map(|f| f.size as u64).sum::<u64>()
                + fetching
                    .map(|s| s.payload as u64 + packetloom_fabric::frame::DATA_OVERHEAD)
                    .sum::<u64>();
            assert_eq!(egress, self.egress.used(class), "egress pool {class}");
            let ingress: u64 = self
                .to_accept
                .iter()
                .filter(|a| a.1 == class)
                .map(|a| a.2 as u64)
                .sum();
            assert_eq!(ingress, self.ingress.used(class), "ingress pool {class}");
        }
    }
}

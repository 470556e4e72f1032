//! The plain Ethernet NIC, under TCP: one port behind one transmit buffer, without PCIe.
//!
//! A segment that is queued holds room in the buffer until the end of its serialization. While there is no room for a full
//! one, connections wait for their turn, so the NIC never drops what its host sends. What arrives is handed to the host at
//! once.
//!
//! The host asks [`EthernetNic::has_room`] before it queues a segment, lets a connection [`EthernetNic::wait`] when there is
//! none, and after every event asks [`EthernetNic::next_turn`] until nobody's turn is left.

pub mod attributes;
#[cfg(test)]
mod tests;

use crate::pools::Pools;
use attributes::EthernetNicAttributes;
use packetloom_des::{Bytes, Context, Event, Rate, Ring, Span, Time};
use packetloom_fabric::frame::tcp::LARGEST_TCP_FRAME;
use packetloom_fabric::frame::{CLASSES, ETHERNET_HEADER, FRAME_CHECK, Frame, HostId, Kind};
use packetloom_fabric::loss::Losses;
use packetloom_fabric::port::{Port, Sent};
use serde::{Deserialize, Serialize};

/// The port ends a transmission.
const SLOT_PORT: u32 = 0;
/// A paused class is resumed; one slot a class.
const SLOT_PAUSE: u32 = 1;
/// First of the slots the NIC leaves to its host.
pub const FIRST_HOST_SLOT: u32 = SLOT_PAUSE + CLASSES as u32;
/// The pool that stands for the whole transmit buffer: one for all classes.
const POOL: u8 = 0;
/// What the largest TCP frame is charged: 1,536 B.
const LARGEST_CHARGE: u64 = LARGEST_TCP_FRAME - (ETHERNET_HEADER + FRAME_CHECK);

/// A plain Ethernet NIC.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EthernetNic {
    port: Port<Frame>,
    /// The transmit buffer, in the pool [`POOL`].
    egress: Pools,
    /// Pools of no size: there is no receive buffer.
    ingress: Pools,
    /// Connections that wait for room, the next one first.
    waiting: Ring<u32>,
    host: HostId,
    losses: Losses,
}

impl EthernetNic {
    /// A NIC on `host` whose link runs at `rate` with `delay`.
    pub fn new(host: HostId, attributes: &EthernetNicAttributes, rate: Rate, delay: Span) -> Self {
        let buffer = &attributes.network_interface.egress_buffer_manager;
        let mut whole = [0.0; CLASSES];
        whole[POOL as usize] = 1.0;
        EthernetNic {
            port: Port::new(rate, delay),
            egress: Pools::new(buffer.total_buffer_size, whole),
            ingress: Pools::new(Bytes(0), [0.0; CLASSES]),
            waiting: Ring::new(),
            host,
            losses: Losses::default(),
        }
    }

    /// The host it belongs to.
    pub fn host(&self) -> HostId {
        self.host
    }

    /// Whether there is room for the largest TCP frame, 1,554 B on the wire, of which 1,536 B are charged.
    #[inline]
    pub fn has_room<C: Context>(&mut self, context: &C) -> bool {
        self.settle(context);
        self.fits()
    }

    #[inline]
    fn fits(&self) -> bool {
        self.egress.fits(POOL, LARGEST_CHARGE)
    }

    /// Queues a TCP frame, and starts sending if the port is idle. There must be room, which the host has
    /// [asked for](Self::has_room) at this event.
    #[inline]
    pub fn queue<C: Context<Message = Frame>>(&mut self, frame: Frame, context: &mut C) {
        debug_assert!(
            self.port.unwatched().is_none() || !self.port.is_past(SLOT_PORT, context),
            "asking for room has caught up with the port"
        );
        debug_assert_eq!(frame.kind, Kind::Tcp, "there is no other traffic");
        debug_assert!(self.fits(), "the host asks for room first");
        self.egress.take(POOL, frame.charge().0);
        let waited_for = !self.waiting.is_empty();
        self.port.send(frame, 0, SLOT_PORT, context, |_| waited_for);
    }

    /// Lets a connection wait for its turn. Each waits at most once at a time, which is the caller's to see to.
    ///
    /// The end of the transmission under way matters from now on.
    #[inline]
    pub fn wait<C: Context<Message = Frame>>(&mut self, connection: u32, context: &mut C) {
        self.settle(context);
        self.waiting.push_back(connection);
        if self.port.unwatched().is_some() {
            self.port.arm(SLOT_PORT, context);
        }
    }

    /// Whether a connection waits for its turn.
    #[inline]
    pub fn anyone_waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The connection whose turn it is, if one waits and there is room; it waits no more. It may queue one segment; with more
    /// to send it waits again, behind the others.
    #[inline]
    pub fn next_turn<C: Context>(&mut self, context: &C) -> Option<u32> {
        if self.waiting.is_empty() || !self.has_room(context) {
            return None;
        }
        self.waiting.pop_front()
    }

    /// Handles one event that is not the host's own. Gives the TCP frame that has arrived, if it was that.
    #[inline]
    pub fn handle<C: Context<Message = Frame>>(
        &mut self,
        event: Event<Frame>,
        context: &mut C,
    ) -> Option<Frame> {
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
            SLOT_PORT => {
                let frame = self.port.sent();
                self.release(&frame);
                self.transmit(context);
            }
            SLOT_PAUSE..FIRST_HOST_SLOT => {
                let class = (slot - SLOT_PAUSE) as usize;
                if self.port.expire_pause(class, SLOT_PAUSE, count, context) {
                    self.transmit(context);
                }
            }
            _ => unreachable!("timer {slot} is the host's own"),
        }
    }

    /// A frame arrives from the network.
    #[inline]
    fn arrive<C: Context<Message = Frame>>(&mut self, frame: Frame, context: &mut C) -> Option<Frame> {
        if self.losses.takes(&frame) {
            return None;
        }
        self.port.count_arrival(&frame);
        match frame.kind {
            Kind::Tcp => Some(frame),
            Kind::Pfc => {
                if self.port.receive_pause(&frame, SLOT_PAUSE, context) {
                    self.transmit(context);
                }
                None
            }
            kind => {
                debug_assert!(false, "{kind:?} comes to a NIC that has no queue pairs");
                self.port.counters.receive_drops += 1;
                None
            }
        }
    }

    /// Starts sending if the port is idle. The end of a transmission matters when a connection waits for room.
    #[inline]
    fn transmit<C: Context<Message = Frame>>(&mut self, context: &mut C) {
        let waited_for = !self.waiting.is_empty();
        self.port.transmit(0, SLOT_PORT, context, |_| waited_for);
    }

    /// Catches up with the end of a transmission for which no event was set, before anything else happens.
    #[inline]
    fn settle<C: Context>(&mut self, context: &C) {
        if let Some(frame) = self.port.ended(SLOT_PORT, context) {
            self.release(&frame);
        }
    }

    /// Between windows: catches up with the end of a transmission before `at`, for a report.
    pub fn settle_before(&mut self, at: Time) {
        if let Some(frame) = self.port.ended_before(at) {
            self.release(&frame);
        }
    }

    /// A frame was sent: its room is free.
    #[inline]
    fn release(&mut self, frame: &Sent) {
        self.egress.release(POOL, frame.charge().0);
    }

    /// Lets every transmission end with an event; see [`Port::set_eager`].
    pub fn set_eager(&mut self, eager: bool) {
        self.port.set_eager(eager);
    }

    /// Loses frames on the link into this NIC, for tests.
    pub fn set_losses(&mut self, losses: Losses) {
        self.losses = losses;
    }

    /// Frames lost on purpose on the link into this NIC.
    pub fn lost(&self) -> u64 {
        self.losses.lost()
    }

    /// The network port.
    pub fn port(&self) -> &Port<Frame> {
        &self.port
    }

    /// The network port, to be reported on between windows.
    pub fn port_mut(&mut self) -> &mut Port<Frame> {
        &mut self.port
    }

    /// Counts from now on what goes through the transmit buffer. To be called before the run.
    pub fn observe_pools(&mut self) {
        self.egress.observe();
    }

    /// The receive pools, of which there are none, and the transmit pools, of which that of class 0 is the whole buffer; to be
    /// reported on between windows.
    pub fn pools_mut(&mut self) -> [&mut Pools; 2] {
        [&mut self.ingress, &mut self.egress]
    }

    /// Bytes that the transmit buffer and the receive buffer hold; there is no receive buffer.
    pub fn held(&self) -> (Bytes, Bytes) {
        (Bytes(self.egress.used(POOL)), Bytes(0))
    }

    /// Checks that what the buffer holds is what waits in the NIC, and that whoever waits will be woken.
    ///
    /// # Panics
    /// When it is not so.
    pub fn check(&self) {
        let charged: u64 = self.port.contents().map(|frame| frame.charge().0).sum();
        assert_eq!(charged, self.egress.used(POOL), "transmit buffer");
        assert!(
            self.egress.used(POOL) <= self.egress.size(POOL).0,
            "more in the transmit buffer than it holds"
        );
        assert!(
            self.waiting.is_empty() || self.port.unwatched().is_none(),
            "a connection waits, and no event is set for the end of a transmission"
        );
    }
}

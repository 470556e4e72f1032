//! The shared-buffer switch.
//!
//! A packet's way: classify, admit (or drop, perhaps pausing the sender), route, queue by class, send by strict priority,
//! release when its serialization ends (public switch page "Packet handling").

pub mod attributes;
mod balance;
mod layout;
pub mod shared_buffer;
#[cfg(test)]
mod tests;
mod usage;

pub use balance::{Group, Member};
pub use usage::{BufferReport, PortReport};

use crate::ecmp::FlowHasher;
use crate::frame::{CLASSES, Frame, Kind};
use crate::loss::Losses;
use crate::pause::pause_time;
use crate::port::{Carries, Port};
use crate::topology::Routes;
use attributes::EcmpHashMethod;
use balance::Balance;
use packetloom_des::{Context, Event, LazyTimer};
use serde::{Deserialize, Serialize};
use shared_buffer::{POOLS, SharedBuffer};

/// Quanta of every pause a switch sends.
pub const SWITCH_QUANTA: u16 = 65_535;

/// A packet in the switch and the port it came in on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Stored {
    frame: Frame,
    ingress: u16,
}

impl Carries for Stored {
    #[inline]
    fn frame(&self) -> &Frame {
        &self.frame
    }
}

/// A switch: its ports, its buffer and its routes.
///
/// Timers: port p ends its transmission on slot p, class c of port p is resumed on slot P + 8p + c, and the pause of pool i
/// is sent again on slot 9P + 8p + i, with P ports.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Switch {
    ports: Vec<Port<Stored>>,
    buffer: SharedBuffer,
    /// Not stored with the rest: they come from the topology again; see [`Switch::set_routes`].
    #[serde(skip)]
    routes: Routes,
    hasher: FlowHasher,
    /// By port and pool: when the pause is sent again.
    refresh: Vec<LazyTimer>,
    losses: Losses,
    /// Only if a record wants it.
    balance: Option<Box<Balance>>,
}

/// Where a packet goes on.
struct Way {
    port: u16,
    /// The equal-cost set and its member that were chosen; nothing where there was no choice.
    chosen: Option<(u16, u16)>,
}

impl Switch {
    /// An idle switch. `number` is its node id, which salts its flow hash, and `method` how it picks among equal-cost
    /// ports.
    pub fn new(
        number: u32,
        method: EcmpHashMethod,
        ports: Vec<Port<Stored>>,
        buffer: SharedBuffer,
        routes: Routes,
    ) -> Self {
        let refresh = vec![LazyTimer::default(); ports.len() * POOLS];
        Switch {
            ports,
            buffer,
            routes,
            hasher: FlowHasher::new(method, number),
            refresh,
            losses: Losses::default(),
            balance: None,
        }
    }

    /// Counts from now on what the members of equal-cost sets are given.
    pub fn observe_balance(&mut self) {
        self.balance = Some(Box::new(Balance::new(&self.routes)));
    }

    /// The equal-cost sets of several members that packets have taken, with what each member was given so far. None if that
    /// was not to be counted.
    pub fn balance(&self) -> impl Iterator<Item = Group<'_>> {
        self.balance.iter().flat_map(|balance| balance.groups())
    }

    /// Gives a switch that was stored and read back its routes again.
    pub fn set_routes(&mut self, routes: Routes) {
        self.routes = routes;
    }

    /// Loses frames on the links into this switch, for tests.
    pub fn set_losses(&mut self, losses: Losses) {
        self.losses = losses;
    }

    /// Frames lost on purpose on the links into this switch.
    pub fn lost(&self) -> u64 {
        self.losses.lost()
    }

    /// The ports.
    pub fn ports(&self) -> &[Port<Stored>] {
        &self.ports
    }

    /// The ports, to be reported on between windows.
    pub fn ports_mut(&mut self) -> &mut [Port<Stored>] {
        &mut self.ports
    }

    /// The shared buffer.
    pub fn buffer(&self) -> &SharedBuffer {
        &self.buffer
    }

    /// The shared buffer, to be reported on between windows.
    pub fn buffer_mut(&mut self) -> &mut SharedBuffer {
        &mut self.buffer
    }

    /// Handles one event.
    #[inline]
    pub fn handle<C: Context<Message = Frame>>(&mut self, event: Event<Frame>, context: &mut C) {
        self.buffer.set_now(context.now());
        match event {
            Event::Arrival { port, message } => self.arrive(port, message, context),
            Event::Timer { slot, count } => self.timer(slot, count, context),
        }
    }

    #[inline]
    fn arrive<C: Context<Message = Frame>>(&mut self, port: u16, frame: Frame, context: &mut C) {
        if self.losses.takes(&frame) {
            return;
        }
        self.ports[port as usize].count_arrival(&frame);
        if frame.kind == Kind::Pfc {
            let first_slot = self.pause_slot(port);
            if self.ports[port as usize].receive_pause(&frame, first_slot, context) {
                self.transmit(port, context);
            }
            return;
        }
        let admission = self.buffer.arrive(port, frame.class, frame.charge());
        if admission.pause {
            let pool = self.buffer.pool_of(frame.class);
            self.send_pause(port, pool, SWITCH_QUANTA, context);
        }
        if !admission.admitted {
            self.ports[port as usize].counters.receive_drops += 1;
            return;
        }
        let way = self.route(&frame);
        let out = way.port;
        if let (Some(balance), Some((set, _))) = (&mut self.balance, way.chosen) {
            balance.see(set, context.now());
        }
        if self.buffer.queue(out, frame.class, frame.charge()) {
            if let (Some(balance), Some((set, member))) = (&mut self.balance, way.chosen) {
                balance.admit(set, member, frame.wire().0);
            }
            self.ports[out as usize].queue(Stored { frame, ingress: port });
            self.transmit(out, context);
        } else {
            self.ports[out as usize].counters.send_drops += 1;
            let resume = self.buffer.discard(port, frame.class, frame.charge());
            self.resumed(resume, port, frame.class, context);
        }
    }

    /// The equal-cost member a frame takes.
    #[inline]
    fn route(&self, frame: &Frame) -> Way {
        match self.routes.way(frame.destination) {
            (&[port], _) => Way { port, chosen: None },
            (members, set) => {
                let member = self.hasher.member(frame, members.len());
                Way {
                    port: members[member],
                    chosen: set.map(|set| (set, member as u16)),
                }
            }
        }
    }

    fn timer<C: Context<Message = Frame>>(&mut self, slot: u32, count: u16, context: &mut C) {
        let ports = self.ports.len() as u32;
        if slot < ports {
            let port = slot as u16;
            let sent = self.ports[slot as usize].sent();
            if sent.frame.kind != Kind::Pfc {
                self.release(port, sent, context);
            }
            self.transmit(port, context);
        } else if slot < ports * (1 + CLASSES as u32) {
            let (port, class) = ((slot - ports) / CLASSES as u32, (slot - ports) as usize % CLASSES);
            let first_slot = self.pause_slot(port as u16);
            if self.ports[port as usize].expire_pause(class, first_slot, count, context) {
                self.transmit(port as u16, context);
            }
        } else {
            let place = (slot - ports * (1 + CLASSES as u32)) as usize;
            let (port, pool) = ((place / POOLS) as u16, (place % POOLS) as u8);
            if self.refresh[place].due(slot, count, context) && self.buffer.paused(port, pool) {
                self.send_pause(port, pool, SWITCH_QUANTA, context);
            }
        }
    }

    /// Gives back what a packet that was sent on `port` was charged; the port it came in on may resume its sender.
    #[inline]
    fn release<C: Context<Message = Frame>>(&mut self, port: u16, sent: Stored, context: &mut C) {
        let Stored { frame, ingress } = sent;
        let resume = self.buffer.depart(ingress, port, frame.class, frame.charge());
        self.resumed(resume, ingress, frame.class, context);
    }

    /// Lets `port` resume its sender for the pool of `class`, if it is to.
    #[inline]
    fn resumed<C: Context<Message = Frame>>(&mut self, resume: bool, port: u16, class: u8, context: &mut C) {
        if resume {
            let pool = self.buffer.pool_of(class);
            self.refresh[port as usize * POOLS + pool as usize].stop();
            self.send_pause(port, pool, 0, context);
        }
    }

    /// Sends one PFC frame for each lossless class of the pool. A pause is sent again after half its time.
    fn send_pause<C: Context<Message = Frame>>(&mut self, port: u16, pool: u8, quanta: u16, context: &mut C) {
        let group = self.buffer.layout().priority_groups[pool as usize];
        for class in (0..CLASSES).filter(|class| group & 1 << class != 0) {
            let frame = Frame::pfc(1 << class, quanta);
            self.ports[port as usize].queue_control(Stored { frame, ingress: port });
        }
        if quanta > 0 {
            let out = &self.ports[port as usize];
            let again = context.now() + pause_time(quanta, out.rate(), out.delay()) / 2;
            let slot = self.refresh_slot(port, pool);
            self.refresh[port as usize * POOLS + pool as usize].set(slot, again, context);
        }
        self.transmit(port, context);
    }

    #[inline]
    fn transmit<C: Context<Message = Frame>>(&mut self, port: u16, context: &mut C) {
        self.ports[port as usize].transmit(port, port as u32, context);
    }

    fn pause_slot(&self, port: u16) -> u32 {
        self.ports.len() as u32 + port as u32 * CLASSES as u32
    }

    fn refresh_slot(&self, port: u16, pool: u8) -> u32 {
        self.ports.len() as u32 * (1 + CLASSES as u32) + port as u32 * POOLS as u32 + pool as u32
    }

    /// Checks that the buffer's books balance and match the packets in the switch.
    ///
    /// # Panics
    /// When they do not.
    pub fn check(&self) {
        self.buffer.check();
        let inside: u64 = self
            .ports
            .iter()
            .flat_map(Port::contents)
            .filter(|stored| stored.frame.kind != Kind::Pfc)
            .map(|stored| stored.frame.charge().0)
            .sum();
        assert_eq!(
            inside,
            self.buffer.bytes_held(),
            "bytes held are those of the packets inside"
        );
    }
}

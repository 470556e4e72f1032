//! The shared-buffer switch.
//!
//! A packet's way: classify, admit (or drop, perhaps pausing the sender), route, queue by class, send by strict priority,
//! release when its serialization ends (public switch page "Packet handling").
//!
//! Releases are lazy. Most transmissions end without an event ([`Port::ended`]); their ends wait in a list, in order of time,
//! and the switch catches up with those that have passed before it handles an event or is reported on. So the buffer's books
//! are exact whenever they are looked at. A port that has paused its sender has to resume it at an exact instant: what came
//! in there leaves with an event.

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
use crate::port::{Carries, Port, Sent};
use crate::topology::Routes;
use attributes::EcmpHashMethod;
use balance::Balance;
use packetloom_des::{Context, Event, LazyTimer, Ring, Time};
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

    #[inline]
    fn mark(&self) -> u16 {
        self.ingress
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
    /// Ends of transmissions for which no event was set, in order, each with its port. Some may have got an event since.
    ends: Ring<(Time, u16)>,
    /// What has arrived on each port. Side by side, since many ports receive and send nothing for a while; the counters of the
    /// ports catch up for reports.
    arrived: Vec<Arrived>,
    lossless_drops: u64,
}

/// What has arrived on a port since the start of the run.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Arrived {
    frames: u64,
    bytes: u64,
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
        let arrived = vec![Arrived::default(); ports.len()];
        Switch {
            ports,
            buffer,
            routes,
            hasher: FlowHasher::new(method, number),
            refresh,
            losses: Losses::default(),
            balance: None,
            ends: Ring::new(),
            arrived,
            lossless_drops: 0,
        }
    }

    /// Lets every transmission end with an event; see [`Port::set_eager`].
    pub fn set_eager(&mut self, eager: bool) {
        for port in &mut self.ports {
            port.set_eager(eager);
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

    /// Packets of lossless classes that the buffer had no room for.
    pub fn lossless_drops(&self) -> u64 {
        self.lossless_drops
    }

    /// Frames lost on purpose on the links into this switch.
    pub fn lost(&self) -> u64 {
        self.losses.lost()
    }

    /// The ports. What has arrived on them, and what they have sent, is counted up to the last
    /// [`settle_before`](Self::settle_before).
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
        self.catch_up(context);
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
        let arrived = &mut self.arrived[port as usize];
        arrived.frames += 1;
        arrived.bytes += frame.size as u64;
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
            self.watch_from(port, pool, context);
            self.send_pause(port, pool, SWITCH_QUANTA, context);
        }
        if !admission.admitted {
            self.ports[port as usize].counters.receive_drops += 1;
            self.lossless_drops += self.buffer.is_lossless(frame.class) as u64;
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
            let (stored, buffer) = (Stored { frame, ingress: port }, &self.buffer);
            let unwatched = self.ports[out as usize].send(stored, out, out as u32, context, |next| {
                buffer.paused(next.ingress, buffer.pool_of(next.frame.class))
            });
            if unwatched {
                self.await_end(out);
            }
        } else {
            self.ports[out as usize].counters.send_drops += 1;
            if self.buffer.discard(port, frame.class, frame.charge()) {
                self.resume(port, frame.class, context);
            }
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
            if let Some((ingress, class)) = self.release(port, sent) {
                self.resume(ingress, class, context);
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

    /// Gives back what was charged for a packet that was sent on `port`. Gives the port that is to resume its sender, and for
    /// which class.
    #[inline]
    fn release(&mut self, port: u16, sent: Sent) -> Option<(u16, u8)> {
        let ingress = sent.mark;
        let resume = sent.kind != Kind::Pfc && self.buffer.depart(ingress, port, sent.class, sent.charge());
        resume.then_some((ingress, sent.class))
    }

    /// Lets `port` resume its sender for the pool of `class`.
    fn resume<C: Context<Message = Frame>>(&mut self, port: u16, class: u8, context: &mut C) {
        let pool = self.buffer.pool_of(class);
        self.refresh[port as usize * POOLS + pool as usize].stop();
        self.send_pause(port, pool, 0, context);
    }

    /// Notes the end of the transmission that began on `port` without an event.
    #[inline]
    fn await_end(&mut self, port: u16) {
        let entry = (self.ports[port as usize].end(), port);
        // Most frames are as long as those before them.
        if self.ends.back().is_none_or(|last| *last < entry) {
            self.ends.push_back(entry);
        } else {
            self.ends.insert_before(entry, |other| *other > entry);
        }
    }

    /// Catches up with the ends of transmissions that would have come before the event being handled.
    #[inline]
    fn catch_up<C: Context>(&mut self, context: &C) {
        while let Some(&(end, port)) = self.ends.front() {
            if end > context.now() {
                break;
            }
            // If it has got an event since, the port may have begun another transmission.
            let out = &mut self.ports[port as usize];
            if out.ends_unwatched(end) {
                if !out.is_past(port as u32, context) {
                    break;
                }
                let sent = out.sent();
                self.buffer.set_now(end);
                self.release_late(port, sent);
            }
            self.ends.pop_front();
        }
    }

    /// Between windows: catches up with the ends of transmissions before `at`, and so do the ports' counters with what has
    /// arrived, for a report.
    pub fn settle_before(&mut self, at: Time) {
        for (port, arrived) in self.ports.iter_mut().zip(&self.arrived) {
            port.counters.received = arrived.frames;
            port.counters.received_bytes = arrived.bytes;
        }
        while let Some(&(end, port)) = self.ends.front() {
            if end >= at {
                break;
            }
            self.ends.pop_front();
            let out = &mut self.ports[port as usize];
            if out.ends_unwatched(end) {
                let sent = out.sent();
                self.buffer.set_now(end);
                self.release_late(port, sent);
            }
        }
    }

    #[inline]
    fn release_late(&mut self, port: u16, sent: Sent) {
        let resume = self.release(port, sent);
        debug_assert!(
            resume.is_none(),
            "what came in on a paused port leaves with an event"
        );
    }

    /// Sets events for the ends of all transmissions of packets that came in on `ingress` into `pool`, as it pauses its
    /// sender.
    fn watch_from<C: Context<Message = Frame>>(&mut self, ingress: u16, pool: u8, context: &mut C) {
        for &(_, port) in self.ends.iter() {
            let from = |sent: &Sent| sent.mark == ingress && self.buffer.pool_of(sent.class) == pool;
            if self.ports[port as usize].unwatched().is_some_and(from) {
                self.ports[port as usize].arm(port as u32, context);
            }
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

    /// Starts sending if the port is idle.
    #[inline]
    fn transmit<C: Context<Message = Frame>>(&mut self, port: u16, context: &mut C) {
        let buffer = &self.buffer;
        let unwatched = self.ports[port as usize].transmit(port, port as u32, context, |next| {
            buffer.paused(next.ingress, buffer.pool_of(next.frame.class))
        });
        if unwatched {
            self.await_end(port);
        }
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
            .filter(|packet| packet.kind != Kind::Pfc)
            .map(|packet| packet.charge().0)
            .sum();
        assert_eq!(
            inside,
            self.buffer.bytes_held(),
            "bytes held are those of the packets inside"
        );
    }
}

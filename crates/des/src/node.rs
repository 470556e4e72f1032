//! What a node is, and what it sees of the engine.

use crate::time::Time;

/// Something that happens at a node.
#[derive(Clone, Copy, Debug)]
pub enum Event<M> {
    /// A message has arrived in full on input port `port`.
    Arrival {
        /// The node's port.
        port: u16,
        /// What arrived.
        message: M,
    },
    /// A timer the node set for itself is due.
    Timer {
        /// Which timer.
        slot: u32,
        /// The count it was set with; see [`Context::set_timer`].
        count: u16,
    },
}

/// A part of the simulated system that owns all its state and meets others only through links.
pub trait Node {
    /// What crosses links: small and `Copy`.
    type Message: Copy;
    /// What the node tells whoever watches.
    type Observation;

    /// Called once, at time 0, before any event.
    fn start<C>(&mut self, context: &mut C)
    where
        C: Context<Message = Self::Message, Observation = Self::Observation>;

    /// Handles one event. Events of a node come in the order of their keys.
    fn handle<C>(&mut self, event: Event<Self::Message>, context: &mut C)
    where
        C: Context<Message = Self::Message, Observation = Self::Observation>;
}

/// The engine as a node sees it while it handles an event.
pub trait Context {
    /// What crosses links.
    type Message: Copy;
    /// What a node tells whoever watches.
    type Observation;

    /// The time of the event being handled.
    fn now(&self) -> Time;

    /// Sends `message` out of `port`. Its serialization ends at `end`, which is later than now and than every earlier
    /// `end` on this port; it arrives at the other side the link's delay after that.
    fn send(&mut self, port: u16, end: Time, message: Self::Message);

    /// Sets timer `slot` of this node to go off at `at`, not before now. `count` comes back with the event; it should
    /// go up with each setting of the slot. Nothing is ever taken out of the queue: see
    /// [`LazyTimer`](crate::timer::LazyTimer).
    fn set_timer(&mut self, slot: u32, count: u16, at: Time);

    /// Whether an event that [`set_timer`](Self::set_timer) would have set with the same arguments would have come before the
    /// one being handled. A node that knows what such an event would do may leave it out and catch up later.
    fn is_past(&self, slot: u32, count: u16, at: Time) -> bool;

    /// Tells whoever watches. Compiles to nothing when nobody does.
    fn observe(&mut self, observation: Self::Observation);
}

/// Receives what the nodes of one partition observe.
pub trait Probe<O> {
    /// `node` (its number in the whole system) observed `observation` at `now`.
    fn observe(&mut self, now: Time, node: u32, observation: O);
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct NoProbe;

impl<O> Probe<O> for NoProbe {
    #[inline(always)]
    fn observe(&mut self, _: Time, _: u32, _: O) {}
}

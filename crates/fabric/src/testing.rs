//! A context without an engine, for the tests of components that live inside a node.

use crate::frame::Frame;
use packetloom_des::{Context, Time};

/// Keeps what a component sends and sets; the test moves the time.
#[derive(Clone, Debug, Default)]
pub struct Bench {
    /// The time the component sees.
    pub now: Time,
    /// What was sent: port, end of serialization, frame.
    pub sent: Vec<(u16, Time, Frame)>,
    /// Timers set: slot, count, time.
    pub timers: Vec<(u32, u16, Time)>,
}

impl Bench {
    /// Takes the earliest timer that was set and moves the time to it.
    pub fn next_timer(&mut self) -> Option<(u32, u16)> {
        let first = (0..self.timers.len()).min_by_key(|&i| self.timers[i].2)?;
        let (slot, count, at) = self.timers.remove(first);
        self.now = at;
        Some((slot, count))
    }
}

impl Context for Bench {
    type Message = Frame;
    type Observation = ();

    fn now(&self) -> Time {
        self.now
    }

    fn send(&mut self, port: u16, end: Time, frame: Frame) {
        self.sent.push((port, end, frame));
    }

    fn set_timer(&mut self, slot: u32, count: u16, at: Time) {
        self.timers.push((slot, count, at));
    }

    /// Events at the same instant count as those to come.
    fn is_past(&self, _: u32, _: u16, at: Time) -> bool {
        at < self.now
    }

    fn observe(&mut self, (): ()) {}
}

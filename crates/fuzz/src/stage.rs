//! A context that plays the engine for one node and holds the node to its rules.

use packetloom_des::{Context, Event, Time};
use packetloom_fabric::frame::Frame;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// What is to happen at the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Timer { slot: u32, count: u16 },
    Arrival { port: u16, frame: usize },
}

/// The engine as one node sees it: its timers and the frames on their way to it, in the order of time.
#[derive(Debug, Default)]
pub struct Stage {
    now: Time,
    count: u64,
    due: BinaryHeap<Reverse<(Time, u64, Due)>>,
    arriving: Vec<Frame>,
    /// End of the last transmission of each port.
    ends: BTreeMap<u16, Time>,
    /// What the node has sent: port, end of serialization, frame. Whoever looks may take it.
    pub sent: Vec<(u16, Time, Frame)>,
}

impl Stage {
    fn push(&mut self, at: Time, due: Due) {
        self.count += 1;
        self.due.push(Reverse((at, self.count, due)));
    }

    /// Lets `frame` arrive on `port` at `at`, or now if that is later.
    pub fn arrive(&mut self, at: Time, port: u16, frame: Frame) {
        self.arriving.push(frame);
        self.push(
            at.max(self.now),
            Due::Arrival {
                port,
                frame: self.arriving.len() - 1,
            },
        );
    }

    /// Takes the next event that is due by `until` and moves the time to it; with none left, moves the time to `until`.
    pub fn next(&mut self, until: Time) -> Option<Event<Frame>> {
        let Some(&Reverse((at, _, due))) = self.due.peek().filter(|next| next.0.0 <= until) else {
            if until != Time::NEVER {
                self.now = self.now.max(until);
            }
            return None;
        };
        self.due.pop();
        self.now = at;
        Some(match due {
            Due::Timer { slot, count } => Event::Timer { slot, count },
            Due::Arrival { port, frame } => Event::Arrival {
                port,
                message: self.arriving[frame],
            },
        })
    }
}

impl Context for Stage {
    type Message = Frame;
    type Observation = ();

    fn now(&self) -> Time {
        self.now
    }

    fn send(&mut self, port: u16, end: Time, frame: Frame) {
        assert!(end > self.now, "a transmission takes time");
        let before = self.ends.insert(port, end);
        assert!(
            before.is_none_or(|before| before <= self.now),
            "port {port} sends one frame at a time"
        );
        self.sent.push((port, end, frame));
    }

    fn set_timer(&mut self, slot: u32, count: u16, at: Time) {
        assert!(at >= self.now, "slot {slot} is set for the past");
        self.push(at, Due::Timer { slot, count });
    }

    fn is_past(&self, _: u32, _: u16, at: Time) -> bool {
        at < self.now
    }

    fn observe(&mut self, (): ()) {}
}

//! What follows from an operation at one process: events to put into queues, counters that moved, operations they set off.

use crate::message::{Header, Outcome, Payload};
use crate::types::{Event, Handle};
use smallvec::SmallVec;

/// What follows. The caller delivers the events in order, wakes whoever waits for the counters, and sends what was
/// launched.
#[derive(Clone, Debug, Default)]
pub struct Notices {
    /// Events and their queues, in order; each has its place in its queue reserved
    pub events: SmallVec<[(Handle, Event); 2]>,
    /// Counting events whose value changed
    pub counters: SmallVec<[Handle; 2]>,
    /// Triggered operations that are due, in order
    pub launched: Vec<Header>,
}

impl Notices {
    /// Whether nothing follows.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.counters.is_empty() && self.launched.is_empty()
    }

    /// Adds what `later` holds behind what this holds.
    pub fn append(&mut self, later: Self) {
        self.events.extend(later.events);
        self.counters.extend(later.counters);
        self.launched.extend(later.launched);
    }
}

/// What the target owes the initiator.
#[derive(Clone, Debug, PartialEq)]
pub enum Respond {
    /// Nothing of Portals' own
    Nothing,
    /// An acknowledgement
    Ack,
    /// A reply with these bytes
    Reply(Payload),
}

/// What a target made of a request.
#[derive(Clone, Debug)]
pub struct Receipt {
    /// How it ended
    pub outcome: Outcome,
    /// What is owed
    pub respond: Respond,
    /// What follows at once at the target: counters, and for put and atomic the events
    pub now: Notices,
    /// For operations that fetch: what is due once the reply has left, given to `Library::fetched`
    pub later: Option<Completion>,
}

/// The end of a fetching operation at its target, kept until the reply has left: an index that only the library reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion(pub u32);

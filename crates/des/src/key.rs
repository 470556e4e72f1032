//! The order of events.

use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Bits of a key's tail that number the source node.
pub const NODE_BITS: u32 = 24;
/// Bits of a key's tail that number the source's port or timer.
pub const SLOT_BITS: u32 = 24;

/// An event's place in the order of all events: time, then source node, then the source's port or timer, then the
/// count on it.
///
/// The node that schedules an event sets its key, so the order depends on the simulated system alone and not on how nodes
/// are spread over partitions, threads or ranks. The count keeps its low 16 bits: it only separates events of one port or
/// timer at one instant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Key {
    time: Time,
    tail: u64,
}

impl Key {
    /// Time and tail as one number: keys are compared more often than anything else, and this compares without a branch.
    #[inline]
    fn number(self) -> u128 {
        (self.time.ps() as u128) << 64 | self.tail as u128
    }

    /// No later than any event.
    pub const FIRST: Key = Key {
        time: Time::ZERO,
        tail: 0,
    };

    /// Later than every event.
    pub const NEVER: Key = Key {
        time: Time::NEVER,
        tail: u64::MAX,
    };

    /// The key of the `count`-th event on port or timer `slot` of node `source`, due at `time`.
    #[inline]
    pub fn new(time: Time, source: u32, slot: u32, count: u16) -> Key {
        debug_assert!(source < 1 << NODE_BITS && slot < 1 << SLOT_BITS);
        Key {
            time,
            tail: (source as u64) << (SLOT_BITS + 16) | (slot as u64) << 16 | count as u64,
        }
    }

    /// When the event is due.
    #[inline]
    pub fn time(self) -> Time {
        self.time
    }

    /// The count on the source's port or timer, modulo 2^16.
    #[inline]
    pub fn count(self) -> u16 {
        self.tail as u16
    }
}

impl Ord for Key {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.number().cmp(&other.number())
    }

    #[inline]
    fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }
}

impl PartialOrd for Key {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.number() < other.number()
    }

    #[inline]
    fn gt(&self, other: &Self) -> bool {
        self.number() > other.number()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_before_node_before_slot_before_count() {
        let at = |time, node, slot, count| Key::new(Time::from_ps(time), node, slot, count);
        assert!(at(1, 9, 9, 9) < at(2, 0, 0, 0));
        assert!(at(1, 1, 9, 9) < at(1, 2, 0, 0));
        assert!(at(1, 1, 1, 9) < at(1, 1, 2, 0));
        assert!(at(1, 1, 1, 1) < at(1, 1, 1, 2));
        assert!(at(u64::MAX - 1, (1 << 24) - 1, (1 << 24) - 1, u16::MAX) < Key::NEVER);
    }
}

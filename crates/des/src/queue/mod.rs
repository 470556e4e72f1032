//! Pending events of a partition: one trait, two implementations, kept and measured side by side.

mod heap;
mod wheel;

pub use heap::Heap;
pub use wheel::Wheel;

use crate::key::Key;
use serde::{Deserialize, Serialize};

/// A pending event: its key, the node it is for, and what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// When, and in which order.
    pub key: Key,
    /// The node's place in its partition.
    pub node: u32,
    /// Input port for an arrival; timer slot with [`TIMER`] set for a timer.
    pub what: u32,
}

/// Bit of [`Entry::what`] that tells a timer from an arrival.
pub const TIMER: u32 = 1 << 31;

/// Events in the order of their keys.
pub trait Queue: Default {
    /// Adds an event. Its time must not be earlier than that of the event popped last.
    fn push(&mut self, entry: Entry);
    /// The key of the next event, [`Key::NEVER`] when there is none.
    fn next_key(&mut self) -> Key;
    /// Takes the next event.
    fn pop(&mut self) -> Option<Entry>;
    /// Number of pending events.
    fn len(&self) -> usize;
    /// Whether nothing is pending.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use crate::time::Time;

    /// Holds the pending number near `pending` while time moves on, and compares with a sorted list.
    fn agrees_with_a_sorted_list<Q: Queue>(seed: u64, spread: u64) {
        let mut stream = Stream::new(seed, "queue", "test");
        let mut queue = Q::default();
        let mut model: Vec<Entry> = Vec::new();
        let (mut now, mut count) = (0u64, 0u16);
        for step in 0..20_000u32 {
            let grow = if step < 10_000 { 60 } else { 45 };
            if model.is_empty() || stream.below(100) < grow {
                // Mostly near, sometimes at once, sometimes far beyond a wheel's horizon.
                let ahead = match stream.below(10) {
                    0 => 0,
                    1 => stream.below(spread * 10_000),
                    _ => stream.below(spread),
                };
                count = count.wrapping_add(1);
                let key = Key::new(
                    Time::from_ps(now + ahead),
                    stream.below(9) as u32,
                    stream.below(3) as u32,
                    count,
                );
                let entry = Entry {
                    key,
                    node: step,
                    what: TIMER,
                };
                queue.push(entry);
                model.push(entry);
            } else {
                let least = (0..model.len()).min_by_key(|&i| model[i].key).expect("not empty");
                let expected = model.swap_remove(least);
                assert_eq!(queue.next_key(), expected.key);
                assert_eq!(queue.pop(), Some(expected));
                now = expected.key.time().ps();
            }
            assert_eq!(queue.len(), model.len());
        }
        model.sort_by_key(|e| e.key);
        for expected in model {
            assert_eq!(queue.pop(), Some(expected));
        }
        assert_eq!(queue.pop(), None);
        assert_eq!(queue.next_key(), Key::NEVER);
    }

    #[test]
    fn heap_pops_in_key_order() {
        for seed in 0..4 {
            agrees_with_a_sorted_list::<Heap>(seed, 100_000);
        }
    }

    #[test]
    fn wheel_pops_in_key_order() {
        for seed in 0..4 {
            for spread in [10, 5_000, 100_000, 30_000_000] {
                agrees_with_a_sorted_list::<Wheel>(seed, spread);
            }
        }
    }
}

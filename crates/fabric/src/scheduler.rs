//! Which class of a port sends next (public RoCE NIC page, "Transmit scheduling"). Switches use strict priority.

use crate::frame::CLASSES;
use serde::{Deserialize, Serialize};

/// How classes take turns, and whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scheduler {
    /// The highest class that may send.
    Strict,
    /// One packet of each class in turn, starting after the class served last.
    RoundRobin {
        /// The class served last.
        last: u8,
    },
    /// Up to its weight in packets of each class in turn. Turns go upward and start at the highest class; a class that has
    /// nothing to send, or is paused, gives up its turn.
    Weighted {
        /// Packets in a turn of each class.
        weights: [u32; CLASSES],
        /// Whose turn it is.
        class: u8,
        /// Packets left in this turn.
        left: u32,
    },
}

impl Scheduler {
    /// Round robin that starts with class 0.
    pub fn round_robin() -> Self {
        Scheduler::RoundRobin {
            last: CLASSES as u8 - 1,
        }
    }

    /// Weighted round robin that starts with the turn of `highest`.
    pub fn weighted(weights: [u32; CLASSES], highest: u8) -> Self {
        Scheduler::Weighted {
            weights,
            class: highest,
            left: weights[highest as usize],
        }
    }

    /// The highest class in `ready` (bit n for class n).
    #[inline]
    pub fn highest(ready: u8) -> Option<usize> {
        (ready != 0).then(|| 7 - ready.leading_zeros() as usize)
    }

    /// The class that sends one packet now, of those in `ready` (bit n for class n).
    #[inline]
    pub fn pick(&mut self, ready: u8) -> Option<usize> {
        if ready == 0 {
            return None;
        }
        match self {
            Scheduler::Strict => Scheduler::highest(ready),
            Scheduler::RoundRobin { last } => {
                // Rotated so that bit 0 is the class after the last one.
                let first = (*last + 1) % CLASSES as u8;
                let turn = ready.rotate_right(first as u32).trailing_zeros() as u8;
                *last = (first + turn) % CLASSES as u8;
                Some(*last as usize)
            }
            Scheduler::Weighted { weights, class, left } => {
                // Once round, and the class whose turn it was again.
                for _ in 0..=CLASSES {
                    if ready & 1 << *class != 0 && *left > 0 {
                        *left -= 1;
                        return Some(*class as usize);
                    }
                    *class = (*class + 1) % CLASSES as u8;
                    *left = weights[*class as usize];
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The classes served when each of `queues` packets waits from the start.
    fn served(mut scheduler: Scheduler, mut queues: [u32; CLASSES]) -> Vec<usize> {
        let mut order = Vec::new();
        loop {
            let ready = (0..CLASSES)
                .filter(|&c| queues[c] > 0)
                .fold(0, |mask, class| mask | 1 << class);
            let Some(class) = scheduler.pick(ready) else {
                return order;
            };
            queues[class] -= 1;
            order.push(class);
        }
    }

    #[test]
    fn strict_priority_serves_the_highest() {
        assert_eq!(
            served(Scheduler::Strict, [2, 1, 0, 0, 0, 0, 0, 2]),
            [7, 7, 1, 0, 0]
        );
    }

    #[test]
    fn round_robin_serves_one_each() {
        assert_eq!(
            served(Scheduler::round_robin(), [3, 2, 0, 1, 0, 0, 0, 0]),
            [0, 1, 3, 0, 1, 0]
        );
        // After class 0 alone was served, class 1 is next although class 0 waits.
        let mut scheduler = Scheduler::round_robin();
        assert_eq!(scheduler.pick(0b01), Some(0));
        assert_eq!(scheduler.pick(0b11), Some(1));
        assert_eq!(scheduler.pick(0b11), Some(0));
    }

    /// The documented default weights: class 1 sends up to three packets for each packet of class 0.
    #[test]
    fn weights_of_one_and_three() {
        let weights = [1, 3, 0, 0, 0, 0, 0, 0];
        assert_eq!(
            served(Scheduler::weighted(weights, 1), [3, 7, 0, 0, 0, 0, 0, 0]),
            [1, 1, 1, 0, 1, 1, 1, 0, 1, 0]
        );
        // Class 1 gives up the rest of its turn when it has nothing to send.
        let mut scheduler = Scheduler::weighted(weights, 1);
        assert_eq!(
            [0b11, 0b01, 0b11, 0b11].map(|ready| scheduler.pick(ready)),
            [Some(1), Some(0), Some(1), Some(1)]
        );
    }

    #[test]
    fn one_class_alone_is_served_again_and_again() {
        assert_eq!(
            served(
                Scheduler::weighted([2, 1, 0, 0, 0, 0, 0, 0], 1),
                [5, 0, 0, 0, 0, 0, 0, 0]
            ),
            [0; 5]
        );
        assert_eq!(served(Scheduler::round_robin(), [0, 0, 3, 0, 0, 0, 0, 0]), [2; 3]);
    }

    #[test]
    fn a_weight_of_zero_is_never_served() {
        let mut scheduler = Scheduler::weighted([1, 0, 0, 0, 0, 0, 0, 0], 0);
        assert_eq!(scheduler.pick(0b10), None);
        assert_eq!(scheduler.pick(0b11), Some(0));
    }
}

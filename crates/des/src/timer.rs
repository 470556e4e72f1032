//! Timers that are usually stopped or moved later before they go off.

use crate::node::Context;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// A timer with at most one live event in the queue.
///
/// Moving the deadline later, or stopping the timer, only changes a field; the event checks the deadline when it goes off
/// and is set again if the deadline has moved. A deadline earlier than the pending event sets a new event, stamped with the
/// next count; the older one is then ignored. Nothing is searched for or removed in the queue.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct LazyTimer {
    deadline: Time,
    pending: Time,
    count: u16,
}

impl Default for LazyTimer {
    fn default() -> Self {
        LazyTimer {
            deadline: Time::NEVER,
            pending: Time::NEVER,
            count: 0,
        }
    }
}

impl LazyTimer {
    /// Sets the deadline, whether or not the timer runs.
    #[inline]
    pub fn set<C: Context>(&mut self, slot: u32, at: Time, context: &mut C) {
        self.deadline = at;
        if at < self.pending {
            self.arm(slot, context);
        }
    }

    /// Stops the timer.
    #[inline]
    pub fn stop(&mut self) {
        self.deadline = Time::NEVER;
    }

    /// Whether a deadline is set.
    #[inline]
    pub fn running(&self) -> bool {
        self.deadline != Time::NEVER
    }

    /// When the timer goes off, [`Time::NEVER`] when it does not run.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// Takes the timer's event. Returns whether the timer went off; it is stopped then.
    #[inline]
    pub fn due<C: Context>(&mut self, slot: u32, count: u16, context: &mut C) -> bool {
        // The time tells too: a count of 16 bits comes round again.
        if count != self.count || self.pending != context.now() {
            return false;
        }
        self.pending = Time::NEVER;
        if self.deadline > context.now() {
            if self.running() {
                self.arm(slot, context);
            }
            return false;
        }
        self.deadline = Time::NEVER;
        true
    }

    fn arm<C: Context>(&mut self, slot: u32, context: &mut C) {
        self.count = self.count.wrapping_add(1);
        self.pending = self.deadline;
        context.set_timer(slot, self.count, self.deadline);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A context that keeps what was set.
    #[derive(Default)]
    struct Bench {
        now: Time,
        set: Vec<(u32, u16, Time)>,
    }

    impl Context for Bench {
        type Message = ();
        type Observation = ();
        fn now(&self) -> Time {
            self.now
        }
        fn send(&mut self, _: u16, _: Time, (): ()) {}
        fn set_timer(&mut self, slot: u32, count: u16, at: Time) {
            self.set.push((slot, count, at));
        }
        fn is_past(&self, _: u32, _: u16, at: Time) -> bool {
            at < self.now
        }
        fn observe(&mut self, (): ()) {}
    }

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    #[test]
    fn moving_later_costs_no_event_until_the_pending_one_goes_off() {
        let (mut bench, mut timer) = (Bench::default(), LazyTimer::default());
        timer.set(3, at(100), &mut bench);
        timer.set(3, at(200), &mut bench);
        assert_eq!(bench.set, [(3, 1, at(100))]);
        bench.now = at(100);
        assert!(!timer.due(3, 1, &mut bench));
        assert_eq!(bench.set[1..], [(3, 2, at(200))]);
        bench.now = at(200);
        assert!(timer.due(3, 2, &mut bench));
        assert!(!timer.running());
    }

    #[test]
    fn a_stopped_timer_stays_silent_and_can_start_again() {
        let (mut bench, mut timer) = (Bench::default(), LazyTimer::default());
        timer.set(0, at(100), &mut bench);
        timer.stop();
        bench.now = at(100);
        assert!(!timer.due(0, 1, &mut bench));
        assert_eq!(bench.set.len(), 1);
        timer.set(0, at(150), &mut bench);
        assert_eq!(bench.set[1..], [(0, 2, at(150))]);
    }

    #[test]
    fn an_earlier_deadline_makes_the_older_event_stale() {
        let (mut bench, mut timer) = (Bench::default(), LazyTimer::default());
        timer.set(0, at(100), &mut bench);
        timer.set(0, at(50), &mut bench);
        assert_eq!(bench.set, [(0, 1, at(100)), (0, 2, at(50))]);
        bench.now = at(50);
        assert!(timer.due(0, 2, &mut bench));
        timer.set(0, at(100), &mut bench);
        bench.now = at(100);
        assert!(!timer.due(0, 1, &mut bench), "the first event was replaced");
        assert!(timer.due(0, 3, &mut bench));
    }
}

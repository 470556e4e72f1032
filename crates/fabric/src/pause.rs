//! Priority flow control as its receiver sees it: which classes of a port are paused, and until when.
//!
//! Serves switch ports and NIC ports alike (public switch page, "Receiving a pause"; RoCE NIC page, the same heading).

use crate::frame::{CLASSES, Frame};
use packetloom_des::{Context, LazyTimer, Rate, Span, Time};
use serde::{Deserialize, Serialize};

/// Bit times of one pause quantum (IEEE 802.1Q).
pub const QUANTUM_BITS: u128 = 512;

/// How long a pause of `quanta` lasts at a port: 512 bit times a quantum at the port's rate, plus the link's delay.
pub fn pause_time(quanta: u16, rate: Rate, delay: Span) -> Span {
    rate.time_for_bits(quanta as u128 * QUANTUM_BITS) + delay
}

/// How long something was so: in the whole run, and in the interval since the last report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lasted {
    /// Since the start of the run.
    pub total: Span,
    /// Since the last report.
    pub interval: Span,
    /// The longest stretch since the last report. Of a stretch that began before, only what came after counts.
    pub longest: Span,
}

/// For how long PFC held back one class of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseTimes {
    /// The class was paused.
    pub paused: Lasted,
    /// It was paused and at least one of its frames waited in the port's queue.
    pub waiting: Lasted,
}

/// Measures how long something is so.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Stopwatch {
    since: Option<Time>,
    lasted: Lasted,
}

impl Stopwatch {
    /// It is so from now on; nothing changes if it was already.
    fn start(&mut self, now: Time) {
        self.since.get_or_insert(now);
    }

    fn stop(&mut self, now: Time) {
        if let Some(since) = self.since.take() {
            let stretch = now.since(since);
            self.lasted.total += stretch;
            self.lasted.interval += stretch;
            self.lasted.longest = self.lasted.longest.max(stretch);
        }
    }

    /// What was measured, a stretch still under way included; the next interval begins.
    fn report(&mut self, now: Time) -> Lasted {
        if self.since.is_some() {
            self.stop(now);
            self.start(now);
        }
        let total = self.lasted.total;
        let begun = Lasted {
            total,
            ..Lasted::default()
        };
        std::mem::replace(&mut self.lasted, begun)
    }
}

/// The watches of one class.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Watches {
    paused: Stopwatch,
    waiting: Stopwatch,
}

/// The paused classes of one port.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Paused {
    mask: u8,
    expiry: [LazyTimer; CLASSES],
    /// From the first pause on: most ports never see one, and a large network has many ports.
    watches: Option<Box<[Watches; CLASSES]>>,
}

impl Paused {
    /// Bit n set: class n is paused.
    #[inline]
    pub fn mask(&self) -> u8 {
        self.mask
    }

    /// Takes a PFC frame. The timers of the classes are `first_slot` to `first_slot + 7`. Returns whether a class was
    /// resumed, so that transmission may have to restart.
    pub fn receive<C: Context>(
        &mut self,
        frame: &Frame,
        rate: Rate,
        delay: Span,
        first_slot: u32,
        context: &mut C,
    ) -> bool {
        let before = self.mask;
        for class in 0..CLASSES {
            if frame.pfc_classes & 1 << class == 0 {
                continue;
            }
            if frame.quanta == 0 {
                self.expiry[class].stop();
                self.resume(class, context.now());
            } else {
                // A fresh pause restarts the time in full.
                self.mask |= 1 << class;
                self.watches()[class].paused.start(context.now());
                let until = context.now() + pause_time(frame.quanta, rate, delay);
                self.expiry[class].set(first_slot + class as u32, until, context);
            }
        }
        before & !self.mask != 0
    }

    /// Takes the timer event of `class`. Returns whether the class was resumed by it.
    pub fn expire<C: Context>(&mut self, class: usize, first_slot: u32, count: u16, context: &mut C) -> bool {
        let due = self.expiry[class].due(first_slot + class as u32, count, context);
        if due {
            self.resume(class, context.now());
        }
        due
    }

    fn resume(&mut self, class: usize, now: Time) {
        if self.mask & 1 << class != 0 {
            self.mask &= !(1 << class);
            let watches = &mut self.watches()[class];
            watches.paused.stop(now);
            watches.waiting.stop(now);
        }
    }

    /// Tells which classes have frames waiting: whenever a class has been paused, and when a frame has come to a paused
    /// class that had none. A class that is paused keeps what waits in it.
    pub fn wait(&mut self, waiting: u8, now: Time) {
        let held = self.mask & waiting;
        for class in (0..CLASSES).filter(|class| held & 1 << class != 0) {
            self.watches()[class].waiting.start(now);
        }
    }

    fn watches(&mut self) -> &mut [Watches; CLASSES] {
        self.watches.get_or_insert_default()
    }

    /// For how long each class has been held back up to `now`; the next interval begins.
    pub fn report(&mut self, now: Time) -> [PauseTimes; CLASSES] {
        let mut times = [PauseTimes::default(); CLASSES];
        if let Some(watches) = &mut self.watches {
            for (times, watches) in times.iter_mut().zip(watches.iter_mut()) {
                times.paused = watches.paused.report(now);
                times.waiting = watches.waiting.report(now);
            }
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_pause_at_400_gbps() {
        // 65,535 x 512 bits / 400 Gbps = 83.8848 us; with 100 ns 83.985 us (NIC), with 500 ns 84.385 us (switch).
        let rate = Rate::from_gbps(400);
        assert_eq!(
            pause_time(65_535, rate, Span::from_ns(100)),
            Span::from_ps(83_984_800)
        );
        assert_eq!(
            pause_time(65_535, rate, Span::from_ns(100)) / 2,
            Span::from_ps(41_992_400)
        );
        assert_eq!(
            pause_time(65_535, rate, Span::from_ns(500)) / 2,
            Span::from_ps(42_192_400)
        );
    }

    #[test]
    fn stretches_add_up_and_are_cut_where_the_interval_ends() {
        let at = Time::from_ps;
        let lasted = |total, interval, longest| Lasted {
            total: Span::from_ps(total),
            interval: Span::from_ps(interval),
            longest: Span::from_ps(longest),
        };
        let mut watch = Stopwatch::default();
        assert_eq!(watch.report(at(5)), Lasted::default());
        watch.start(at(10));
        watch.start(at(12)); // a fresh pause of a paused class
        watch.stop(at(17));
        watch.stop(at(18));
        watch.start(at(20));
        watch.stop(at(23));
        watch.start(at(29));
        // 10 to 17, 20 to 23, 29 to 30 so far.
        assert_eq!(watch.report(at(30)), lasted(11, 11, 7));
        // All of the next interval, and none of the one behind it.
        assert_eq!(watch.report(at(40)), lasted(21, 10, 10));
        watch.stop(at(40));
        assert_eq!(watch.report(at(50)), lasted(21, 0, 0));
    }
}

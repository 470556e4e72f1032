//! Reno's windows (RFC 5681) as NewReno keeps them over a recovery (RFC 6582): half after a loss, one more segment a round trip.

use super::hystart::SlowStart;
use super::{Acknowledged, Algorithm};
use packetloom_des::Time;
use serde::{Deserialize, Serialize};

/// The state of one connection.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewReno {
    mss: u64,
    initial: u64,
    /// The congestion window in bytes (cwnd).
    window: u64,
    /// The slow start threshold in bytes (ssthresh).
    threshold: u64,
    /// Bytes acknowledged since the window last grew in congestion avoidance.
    counted: u64,
    slow_start: SlowStart,
}

impl NewReno {
    /// A connection that begins with a window of `initial_window` bytes and sends segments of up to `mss` bytes.
    pub fn new(mss: u64, initial_window: u64, hystart: bool) -> Self {
        NewReno {
            mss,
            initial: initial_window,
            window: initial_window,
            threshold: u64::MAX,
            counted: 0,
            slow_start: SlowStart::new(mss, hystart),
        }
    }

    /// Half of what was in flight, and at least 2 segments (RFC 5681, equation 4).
    fn halve(&mut self, flight: u64) {
        self.threshold = (flight / 2).max(2 * self.mss);
    }
}

impl Algorithm for NewReno {
    #[inline]
    fn window(&self) -> u64 {
        self.window
    }

    #[inline]
    fn slow_start_threshold(&self) -> u64 {
        self.threshold
    }

    fn acknowledged(&mut self, event: &Acknowledged) {
        if self.window < self.threshold {
            let step = self.slow_start.acknowledged(event);
            self.window = (self.window + step.growth).min(self.threshold);
            if step.over {
                self.threshold = self.window;
            }
        } else if event.window_limited {
            // One segment for each window's worth of bytes: the counting that RFC 5681, section 3.1 recommends.
            self.counted += event.bytes;
            if self.counted >= self.window {
                self.counted -= self.window;
                self.window += self.mss;
            }
        }
    }

    fn lost(&mut self, _now: Time, flight: u64) {
        self.halve(flight);
        self.window = self.threshold;
        self.counted = 0;
        self.slow_start.finish();
    }

    fn timed_out(&mut self, _now: Time, flight: u64, again: bool) {
        if !again {
            self.halve(flight);
        }
        self.window = self.mss;
        self.counted = 0;
        self.slow_start.finish();
    }

    fn restarted(&mut self) {
        self.window = self.window.min(self.initial);
        self.counted = 0;
    }
}

#[cfg(test)]
mod tests;

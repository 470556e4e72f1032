//! CUBIC (RFC 9438): the window grows with the cube of the time since the last loss, and no slower than Reno's would.
//!
//! The RFC counts segments; here windows are bytes, held as fractions, and C is taken times the segment size. Nothing but
//! `+ - * /` and libm's cube root is used, so that results are the same everywhere.

use super::hystart::SlowStart;
use super::{Acknowledged, Algorithm};
use packetloom_des::{Span, Time};
use serde::{Deserialize, Serialize};

/// How fast the window grows, in segments per second cubed (section 5.1).
const C: f64 = 0.4;
/// What a loss leaves of the window, in tenths (beta, section 4.6).
const BETA_TENTHS: u64 = 7;
/// The same as a fraction.
const BETA: f64 = 0.7;
/// Segments a round trip by which Reno's window would grow to have the same average with this beta (section 4.3).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// A stage of congestion avoidance, from a loss or the end of slow start to the next.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Epoch {
    /// How long it has lasted (t), without times in which the window was not what limited the sender (section 5.8).
    elapsed: Span,
    /// When it was last added to.
    last: Time,
    /// Whether something was in flight, and the window full, from then on.
    busy: bool,
    /// When the curve reaches its plateau, in seconds of `elapsed` (K).
    plateau_at: f64,
    /// The height of the plateau in bytes (W_max).
    plateau: f64,
    /// What Reno's window would be, in bytes (W_est).
    reno: f64,
}

/// How the next stage of congestion avoidance begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Start {
    /// After a loss: below the window of then, which is the plateau.
    AfterLoss,
    /// After slow start that followed a timeout, or that ended without a loss: on the plateau (sections 4.8 and 4.10).
    AfterSlowStart,
}

/// The state of one connection.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cubic {
    mss: f64,
    initial: f64,
    /// The congestion window in bytes (cwnd).
    window: f64,
    /// The slow start threshold in bytes (ssthresh); `u64::MAX` before the first loss.
    threshold: u64,
    /// The window just before the last loss, or less (W_max, section 4.7); 0 before any.
    w_max: f64,
    /// The window when the threshold was set last (cwnd_prior).
    prior: f64,
    start: Start,
    epoch: Option<Epoch>,
    slow_start: SlowStart,
    /// Whether a window that did not come back to the last W_max leaves room for others (section 4.7).
    fast_convergence: bool,
}

impl Cubic {
    /// A connection that begins with a window of `initial_window` bytes and sends segments of up to `mss` bytes.
    pub fn new(mss: u64, initial_window: u64, hystart: bool) -> Self {
        Cubic {
            mss: mss as f64,
            initial: initial_window as f64,
            window: initial_window as f64,
            threshold: u64::MAX,
            w_max: 0.0,
            prior: 0.0,
            start: Start::AfterSlowStart,
            epoch: None,
            slow_start: SlowStart::new(mss, hystart),
            fast_convergence: true,
        }
    }

    /// The same, with fast convergence or without it.
    pub fn with_fast_convergence(self, fast_convergence: bool) -> Self {
        Cubic {
            fast_convergence,
            ..self
        }
    }

    /// Begins a stage of congestion avoidance with the window as it is (cwnd_epoch).
    fn begin(&mut self, now: Time) -> Epoch {
        if self.start == Start::AfterSlowStart {
            self.w_max = self.window;
        }
        // The floor of two segments can put the window above what a loss has left of W_max: it begins on its plateau then.
        let plateau = self.w_max.max(self.window);
        Epoch {
            elapsed: Span::ZERO,
            last: now,
            busy: false,
            plateau_at: libm::cbrt((plateau - self.window) / (C * self.mss)),
            plateau,
            reno: self.window,
        }
    }

    /// The curve `t` seconds into the stage (W_cubic, figure 1), in bytes.
    fn curve(&self, epoch: &Epoch, t: f64) -> f64 {
        let x = t - epoch.plateau_at;
        C * self.mss * (x * x * x) + epoch.plateau
    }

    /// One acknowledgement in congestion avoidance.
    fn avoid(&mut self, event: &Acknowledged) {
        let mut epoch = match self.epoch.take() {
            Some(epoch) => epoch,
            None => self.begin(event.now),
        };
        epoch.count(event);
        if event.window_limited {
            let bytes = event.bytes as f64;
            let alpha = if epoch.reno >= self.prior { 1.0 } else { ALPHA };
            epoch.reno += alpha * self.mss * bytes / self.window;
            let t = epoch.elapsed.as_seconds();
            let grown = if self.curve(&epoch, t) < epoch.reno {
                epoch.reno
            } else {
                let round_trip = event.smoothed.unwrap_or(Span::ZERO).as_seconds();
                let target = self
                    .curve(&epoch, t + round_trip)
                    .clamp(self.window, 1.5 * self.window);
                // An acknowledgement of more than a window goes to the target, not beyond.
                self.window + (target - self.window) * (bytes / self.window).min(1.0)
            };
            // Reno's window may be a fraction below one that aims a round trip ahead: no acknowledgement makes it smaller.
            self.window = self.window.max(grown);
        }
        self.epoch = Some(epoch);
    }

    /// What a loss and a timeout have in common: W_max and the threshold (sections 4.6 to 4.8).
    fn reduce(&mut self, flight: u64) {
        // Fast convergence: a window that did not come back to the last W_max leaves room for a new flow.
        self.w_max = if self.fast_convergence && self.window < self.w_max {
            self.window * (1.0 + BETA) / 2.0
        } else {
            self.window
        };
        self.prior = self.window;
        self.threshold = (flight * BETA_TENTHS / 10).max(2 * self.mss as u64);
    }
}

impl Epoch {
    /// Adds the time since the last acknowledgement as far as the window limited the sender.
    ///
    /// Where the sender had paused before, that is at most a round trip: the segment now acknowledged filled the window.
    fn count(&mut self, event: &Acknowledged) {
        let passed = event.now.since(self.last);
        self.last = event.now;
        if event.window_limited {
            let most = match event.smoothed {
                Some(round_trip) if !self.busy => round_trip,
                _ => passed,
            };
            self.elapsed += passed.min(most);
        }
        self.busy = event.window_limited && event.in_flight > event.bytes;
    }
}

impl Algorithm for Cubic {
    #[inline]
    fn window(&self) -> u64 {
        self.window as u64
    }

    #[inline]
    fn slow_start_threshold(&self) -> u64 {
        self.threshold
    }

    fn acknowledged(&mut self, event: &Acknowledged) {
        // At the threshold itself RFC 5681, section 3.1 leaves the choice: congestion avoidance, since a recovery ends there.
        if self.window < self.threshold as f64 {
            let step = self.slow_start.acknowledged(event);
            self.window = (self.window + step.growth as f64).min(self.threshold as f64);
            if step.over {
                self.threshold = self.window as u64;
                self.prior = self.window;
            }
        } else {
            self.avoid(event);
        }
    }

    fn lost(&mut self, _now: Time, flight: u64) {
        self.reduce(flight);
        self.window = self.threshold as f64;
        self.start = Start::AfterLoss;
        self.epoch = None;
        self.slow_start.finish();
    }

    fn timed_out(&mut self, _now: Time, flight: u64, again: bool) {
        if !again {
            self.reduce(flight);
        }
        self.window = self.mss;
        self.start = Start::AfterSlowStart;
        self.epoch = None;
        self.slow_start.finish();
    }

    fn restarted(&mut self) {
        if self.window > self.initial {
            self.window = self.initial;
            self.epoch = None;
        }
    }
}

#[cfg(test)]
mod tests;

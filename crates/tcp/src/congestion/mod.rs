//! Congestion control: how large the window is. What is sent, lost and repaired is the connection's.
//!
//! Windows are in bytes. While a loss is repaired the connection itself limits what it sends (RFC 6937), from the slow start
//! threshold that the algorithm has set; the algorithm's own window counts again when the repair is over.

mod cubic;
mod hystart;
mod newreno;
#[cfg(test)]
mod tests;

pub use cubic::Cubic;
pub use newreno::NewReno;

use packetloom_des::{Span, Time};
use serde::{Deserialize, Serialize};

packetloom_params::choice! {
    /// Which algorithm sizes the congestion window.
    pub enum CongestionControl {
        /// CUBIC, RFC 9438.
        Cubic = "cubic",
        /// Reno's response with NewReno's recovery, RFC 5681 and RFC 6582.
        NewReno = "newreno",
    }
}

/// An acknowledgement of new data outside of loss recovery.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledged {
    /// Now.
    pub now: Time,
    /// Bytes it acknowledges that were not acknowledged before.
    pub bytes: u64,
    /// Bytes in flight before it arrived.
    pub in_flight: u64,
    /// Whether the window was what kept the sender from sending more, when it last sent. Where it was not, the window does
    /// not grow (RFC 9438, section 5.8; RFC 5681, section 3.1 read with RFC 7661).
    pub window_limited: bool,
    /// Its sample of the round-trip time, if it gives one (never from a segment that was sent again).
    pub round_trip: Option<Span>,
    /// Smoothed round-trip time with that sample taken in; none before the first.
    pub smoothed: Option<Span>,
    /// Bytes of the stream acknowledged by now, from the start of the connection.
    pub acknowledged: u64,
    /// Bytes of the stream sent by now for the first time, from the start of the connection: a round ends when they are
    /// acknowledged.
    pub sent: u64,
}

/// An algorithm that sizes the congestion window.
pub trait Algorithm {
    /// The congestion window in bytes.
    fn window(&self) -> u64;

    /// The slow start threshold in bytes; `u64::MAX` before the first loss.
    fn slow_start_threshold(&self) -> u64;

    /// New data was acknowledged outside of loss recovery.
    fn acknowledged(&mut self, event: &Acknowledged);

    /// A loss was found that begins an episode of recovery, with this much in flight (RFC 5681's FlightSize, without what
    /// limited transmit has sent): sets the slow start threshold, and the window to it.
    fn lost(&mut self, now: Time, flight: u64);

    /// The retransmission timer went off. `again` says that it did so already for the same segment, in which case
    /// the threshold stays (RFC 5681, section 3.1). The window becomes one segment.
    fn timed_out(&mut self, now: Time, flight: u64, again: bool);

    /// The sender is about to send after it has sent nothing for longer than a retransmission timeout: the window becomes
    /// the initial one if it is larger (RFC 5681, section 4.1). The threshold stays.
    fn restarted(&mut self);
}

/// The congestion control of one connection: one of the algorithms.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Congestion {
    /// The algorithm's window and threshold, which every segment is held against and few events change.
    window: u64,
    threshold: u64,
    algorithm: Chosen,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Chosen {
    Cubic(Cubic),
    NewReno(NewReno),
}

impl Congestion {
    /// `algorithm` for segments of up to `mss` bytes, with a first window of `initial_window` bytes, and with HyStart++ in
    /// its initial slow start if `hystart`.
    pub fn new(algorithm: CongestionControl, mss: u64, initial_window: u64, hystart: bool) -> Self {
        let algorithm = match algorithm {
            CongestionControl::Cubic => Chosen::Cubic(Cubic::new(mss, initial_window, hystart)),
            CongestionControl::NewReno => Chosen::NewReno(NewReno::new(mss, initial_window, hystart)),
        };
        Congestion {
            window: initial_window,
            threshold: u64::MAX,
            algorithm,
        }
    }

    /// The same, with fast convergence or without it (RFC 9438, section 4.7); only CUBIC has it.
    pub fn with_fast_convergence(mut self, fast_convergence: bool) -> Self {
        if let Chosen::Cubic(cubic) = self.algorithm {
            self.algorithm = Chosen::Cubic(cubic.with_fast_convergence(fast_convergence));
        }
        self
    }
}

/// Tells the algorithm something, and takes note of its window and threshold.
macro_rules! tell {
    ($self:ident, $algorithm:ident => $call:expr) => {
        ($self.window, $self.threshold) = match &mut $self.algorithm {
            Chosen::Cubic($algorithm) => {
                $call;
                ($algorithm.window(), $algorithm.slow_start_threshold())
            }
            Chosen::NewReno($algorithm) => {
                $call;
                ($algorithm.window(), $algorithm.slow_start_threshold())
            }
        }
    };
}

impl Algorithm for Congestion {
    #[inline]
    fn window(&self) -> u64 {
        self.window
    }

    #[inline]
    fn slow_start_threshold(&self) -> u64 {
        self.threshold
    }

    fn acknowledged(&mut self, event: &Acknowledged) {
        tell!(self, algorithm => algorithm.acknowledged(event));
    }

    fn lost(&mut self, now: Time, flight: u64) {
        tell!(self, algorithm => algorithm.lost(now, flight));
    }

    fn timed_out(&mut self, now: Time, flight: u64, again: bool) {
        tell!(self, algorithm => algorithm.timed_out(now, flight, again));
    }

    fn restarted(&mut self) {
        tell!(self, algorithm => algorithm.restarted());
    }
}

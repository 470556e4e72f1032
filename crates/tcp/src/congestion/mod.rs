//! Congestion control: how large the window is. What is sent, lost and repaired is the connection's.
//!
//! Windows are in bytes. While a loss is repaired the connection itself limits what it sends (RFC 6937), from the slow start
//! threshold that the algorithm has set; the algorithm's own window counts again when the repair is over.

use packetloom_des::{Span, Time};

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

    /// A loss was found that begins an episode of recovery, with this much in flight (RFC 5681's FlightSize): sets
    /// the slow start threshold, and the window to it.
    fn lost(&mut self, now: Time, flight: u64);

    /// The retransmission timer went off. `again` says that it did so already for the same segment, in which case
    /// the threshold stays (RFC 5681, section 3.1). The window becomes one segment.
    fn timed_out(&mut self, now: Time, flight: u64, again: bool);
}

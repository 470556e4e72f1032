//! What a connection is told before it starts.

use crate::congestion::CongestionControl;
use crate::segment::MSS;
use packetloom_des::Span;
use serde::{Deserialize, Serialize};

/// The settings of an endpoint.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// Largest payload of a segment in bytes, 1 to 65,535. A connection uses the smaller one of its two ends'.
    pub mss: u32,
    /// Room for data that the peer has not acknowledged, in bytes.
    pub send_buffer: u64,
    /// Room for data that the application has not read, in bytes; up to 2^30.
    pub receive_buffer: u64,
    /// The congestion window to begin with, in segments (RFC 6928).
    pub initial_window: u32,
    /// What sizes the congestion window.
    pub congestion: CongestionControl,
    /// Whether slow start ends early when delays grow (RFC 9406).
    pub hystart: bool,
    /// Whether CUBIC leaves room for new flows where its window did not come back to that of the last loss. RFC 9438, section
    /// 4.7 would have it off where a flow is alone.
    pub fast_convergence: bool,
    /// How long an acknowledgement may wait for another segment, or for data to ride on.
    pub delayed_ack: Span,
    /// Every so many segments with data are acknowledged at once, 1 to 255.
    pub ack_every: u8,
    /// The retransmission timeout before the first sample of the round-trip time (RFC 6298, rule 2.1).
    pub rto_initial: Span,
    /// The least retransmission timeout.
    pub rto_min: Span,
    /// The greatest retransmission timeout.
    pub rto_max: Span,
    /// The clock granularity G of RFC 6298.
    pub granularity: Span,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            mss: MSS,
            send_buffer: 4_000_000,
            receive_buffer: 4_000_000,
            initial_window: 10,
            congestion: CongestionControl::Cubic,
            hystart: true,
            fast_convergence: true,
            delayed_ack: Span::from_ms(4),
            ack_every: 2,
            rto_initial: Span::from_ms(1_000),
            rto_min: Span::from_ms(20),
            rto_max: Span::from_ms(60_000),
            granularity: Span::from_ms(1),
        }
    }
}

impl Settings {
    /// How far windows are shifted: the least shift with which the receive buffer fits into 16 bits, at most 14
    /// (RFC 7323, section 2.3). 4,000,000 / 2^6 = 62,500.
    pub fn window_scale(&self) -> u8 {
        (0..14)
            .find(|shift| self.receive_buffer >> shift <= u16::MAX as u64)
            .unwrap_or(14)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_shift_that_holds_the_buffer() {
        let scale = |receive_buffer| {
            Settings {
                receive_buffer,
                ..Settings::default()
            }
            .window_scale()
        };
        assert_eq!(scale(4_000_000), 6, "4,000,000 / 32 = 125,000; / 64 = 62,500");
        assert_eq!((scale(1), scale(65_535), scale(65_536)), (0, 0, 1));
        assert_eq!(scale(65_535 << 6), 6);
        assert_eq!(
            scale(1 << 30),
            14,
            "2^30 / 2^14 = 65,536, of which 65,535 are offered"
        );
    }
}

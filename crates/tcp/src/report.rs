//! What a connection tells of itself.

use crate::congestion::Algorithm;
use crate::connection::{Connection, State};
use crate::sender::{CongestionState, Entered};
use packetloom_des::Span;
use serde::{Deserialize, Serialize};

/// What the connection itself counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Counters {
    pub segments_sent: u64,
    pub received_bytes: u64,
}

/// A connection as it stands: what a row of `tcp-stats` is made of. Sizes are in bytes, counts since the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The state of the connection.
    pub state: State,
    /// What the sender makes of the acknowledgements.
    pub congestion_state: CongestionState,
    /// How often each congestion state was entered.
    pub entered: Entered,
    /// The congestion window; while a loss is repaired, the threshold.
    pub congestion_window: u64,
    /// What may be in flight now: while a loss is repaired, what is there and what PRR lets go beyond it; else the
    /// congestion window.
    pub inflated_window: u64,
    /// The window that the peer offers.
    pub receive_window: u64,
    /// The window offered to the peer, as far as it is not used up.
    pub advertised_window: u64,
    /// Bytes thought to be in the network: the pipe of RFC 6675.
    pub in_flight: u64,
    /// The slow start threshold; `u64::MAX` before the first loss.
    pub slow_start_threshold: u64,
    /// The retransmission timeout, doublings included.
    pub retransmission_timeout: Span,
    /// The smoothed round-trip time; none before the first sample.
    pub smoothed_round_trip: Option<Span>,
    /// Acknowledgements with SACK blocks that were received.
    pub acks_with_sack: u64,
    /// Segments sent: data, acknowledgements and SYNs, first or again.
    pub segments_sent: u64,
    /// Segments of data, SYNs and SYN-ACKs that were sent again.
    pub segments_resent: u64,
    /// How often the retransmission timer went off, in the handshake too. Probes do not count.
    pub timeouts: u64,
    /// How often a fast retransmit began an episode of repair.
    pub fast_retransmits: u64,
    /// Acknowledgements that report data beyond a gap, or acknowledge nothing new (RFC 5681, section 2).
    pub duplicates: u64,
    /// Payload sent, that which was sent again included.
    pub sent_bytes: u64,
    /// Payload received, duplicates included.
    pub received_bytes: u64,
}

impl Connection {
    /// How the connection stands.
    pub fn report(&self) -> Report {
        let sender = &self.sender;
        let counts = &sender.counts;
        Report {
            state: self.state,
            congestion_state: sender.state(),
            entered: counts.entered,
            congestion_window: sender.congestion().window(),
            inflated_window: sender.inflated_window(),
            receive_window: sender.peer_window(),
            advertised_window: self.receiver.window(),
            in_flight: sender.pipe(),
            slow_start_threshold: sender.congestion().slow_start_threshold(),
            retransmission_timeout: sender.round_trip().timeout(),
            smoothed_round_trip: sender.round_trip().smoothed(),
            acks_with_sack: counts.with_sack,
            segments_sent: self.counters.segments_sent,
            segments_resent: counts.segments_resent,
            timeouts: counts.timeouts,
            fast_retransmits: counts.fast_retransmits,
            duplicates: counts.duplicates,
            sent_bytes: counts.sent_bytes,
            received_bytes: self.counters.received_bytes,
        }
    }
}

//! Transport counters of a NIC, sampled at report times.

use packetloom_des::Span;
use serde::{Deserialize, Serialize};

/// Totals since the start of the run. Packets count as sent when their serialization ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransportStats {
    /// Data packets sent, retransmissions included.
    pub data_sent: u64,
    /// Data packets received, before their queue pair is looked up.
    pub data_received: u64,
    /// ACKs sent.
    pub acks_sent: u64,
    /// ACKs received.
    pub acks_received: u64,
    /// NAKs sent.
    pub naks_sent: u64,
    /// NAKs received.
    pub naks_received: u64,
    /// CNPs sent.
    pub cnps_sent: u64,
    /// CNPs received.
    pub cnps_received: u64,
    /// Connection packets sent.
    pub connection_sent: u64,
    /// Connection packets received.
    pub connection_received: u64,
    /// Gaps seen as a receiver: one for each NAK.
    pub out_of_order: u64,
    /// Duplicate data packets received.
    pub duplicates: u64,
    /// Work requests posted to the NIC.
    pub work_requests: u64,
    /// Work requests whose last packet was acknowledged.
    pub completed: u64,
    /// Retransmission episodes: NAKs acted on and timer expiries.
    pub retransmissions: u64,
    /// Transport timer expiries.
    pub timeouts: u64,
    /// Data packets given a PSN again after a rewind.
    pub repeats: u64,
    /// Data packets without a queue pair.
    pub no_queue_pair_data: u64,
    /// Control packets without a queue pair.
    pub no_queue_pair_control: u64,
    /// Data packets discarded behind a gap.
    pub after_nak: u64,
    /// ACKs and NAKs that name a PSN not sent.
    pub ghost_acks: u64,
    /// Fetched payload discarded before it got a PSN.
    pub payload_discards: u64,
    /// Round-trip times since the start.
    pub round_trips: RoundTrips,
    /// Round-trip times since the last report.
    pub interval_round_trips: RoundTrips,
}

/// Least, greatest and mean of round-trip times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundTrips {
    count: u64,
    sum: u64,
    min: u64,
    max: u64,
}

impl RoundTrips {
    fn add(&mut self, span: Span) {
        let ps = span.ps();
        self.min = if self.count == 0 { ps } else { self.min.min(ps) };
        self.max = self.max.max(ps);
        self.sum += ps;
        self.count += 1;
    }

    /// The least, 0 when there was none.
    pub fn min(&self) -> Span {
        Span::from_ps(self.min)
    }

    /// The greatest, 0 when there was none.
    pub fn max(&self) -> Span {
        Span::from_ps(self.max)
    }

    /// The mean in microseconds, 0 when there was none.
    pub fn mean_us(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.sum as f64 / self.count as f64 / 1e6
        }
    }

    /// Number of round trips measured.
    pub fn count(&self) -> u64 {
        self.count
    }
}

impl TransportStats {
    /// Counts a round trip.
    pub(super) fn round_trip(&mut self, span: Span) {
        self.round_trips.add(span);
        self.interval_round_trips.add(span);
    }

    /// Control packets sent: ACKs, NAKs, CNPs and connection packets.
    pub fn control_sent(&self) -> u64 {
        self.acks_sent + self.naks_sent + self.cnps_sent + self.connection_sent
    }

    /// Received packets the transport discarded, for its four reasons.
    pub fn receive_drops(&self) -> u64 {
        self.no_queue_pair_data + self.no_queue_pair_control + self.after_nak + self.ghost_acks
    }
}

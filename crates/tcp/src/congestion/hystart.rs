//! Slow start: standard (RFC 5681, section 3.1), or HyStart++ (RFC 9406), which leaves it when round trips grow longer.
//!
//! HyStart++ is for the initial slow start only (RFC 9406, section 4.3): later ones end at the threshold that a loss has set.
//! Its least threshold is 4 ms, so at the round trips of a datacenter it finds something only behind a queue of milliseconds.

use super::Acknowledged;
use packetloom_des::Span;
use serde::{Deserialize, Serialize};

/// Least growth of the round trip that counts (MIN_RTT_THRESH).
const LEAST_THRESHOLD: Span = Span::from_ms(4);
/// Growth of the round trip that always counts (MAX_RTT_THRESH).
const MOST_THRESHOLD: Span = Span::from_ms(16);
/// Between the two, the share of the last round's round trip that counts (MIN_RTT_DIVISOR).
const THRESHOLD_DIVISOR: u64 = 8;
/// Samples a round must have before it is compared (N_RTT_SAMPLE).
const SAMPLES: u32 = 8;
/// How much slower the window grows in conservative slow start (CSS_GROWTH_DIVISOR).
const GROWTH_DIVISOR: u64 = 4;
/// Rounds that conservative slow start lasts at most (CSS_ROUNDS).
const CONSERVATIVE_ROUNDS: u32 = 5;
/// Segments for which one acknowledgement opens the window at most, where nothing paces them (L, section 4.3).
const SEGMENTS_AN_ACK: u64 = 8;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Phase {
    /// Standard slow start: HyStart++ is off, or the initial slow start is over.
    Standard,
    /// Slow start that watches the round trip.
    Watching,
    /// Conservative slow start: the round trip has grown, maybe by chance.
    Conservative {
        /// The round trip that led here (cssBaselineMinRtt); one below it leads back.
        baseline: Span,
        /// Rounds that have ended in this phase.
        rounds: u32,
    },
}

/// What an acknowledgement leads to in slow start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// Bytes by which the window grows.
    pub growth: u64,
    /// Whether slow start is over: the threshold becomes the window.
    pub over: bool,
}

/// Slow start of one connection.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SlowStart {
    mss: u64,
    phase: Phase,
    /// The round ends when this many bytes of the stream are acknowledged (windowEnd); 0 before the first round.
    round_end: u64,
    /// Least round trip of the last round; `Span::MAX` if it had no sample.
    last_round: Span,
    /// Least round trip of this round so far; `Span::MAX` before its first sample.
    this_round: Span,
    /// Samples in this round.
    samples: u32,
}

impl SlowStart {
    pub fn new(mss: u64, hystart: bool) -> Self {
        SlowStart {
            mss,
            phase: if hystart { Phase::Watching } else { Phase::Standard },
            round_end: 0,
            last_round: Span::MAX,
            this_round: Span::MAX,
            samples: 0,
        }
    }

    /// The initial slow start is over, by a loss or by itself.
    pub fn finish(&mut self) {
        self.phase = Phase::Standard;
    }

    /// New data was acknowledged in slow start.
    pub fn acknowledged(&mut self, event: &Acknowledged) -> Step {
        let growth = match self.phase {
            Phase::Standard => event.bytes.min(self.mss),
            Phase::Watching => event.bytes.min(SEGMENTS_AN_ACK * self.mss),
            Phase::Conservative { .. } => event.bytes.min(SEGMENTS_AN_ACK * self.mss) / GROWTH_DIVISOR,
        };
        let over = self.phase != Phase::Standard && self.watch(event);
        let growth = if event.window_limited { growth } else { 0 };
        Step { growth, over }
    }

    /// Takes in the sample of the round trip and ends the round if it is over. True if slow start is over.
    fn watch(&mut self, event: &Acknowledged) -> bool {
        if self.round_end == 0 {
            self.round_end = event.sent;
        }
        if let Some(sample) = event.round_trip {
            self.this_round = self.this_round.min(sample);
            self.samples += 1;
            self.compare();
        }
        event.acknowledged >= self.round_end && self.next_round(event.sent)
    }

    /// Compares the round's least round trip with the last round's, or in conservative slow start with the baseline.
    fn compare(&mut self) {
        if self.samples < SAMPLES {
            return;
        }
        match self.phase {
            Phase::Standard => {}
            Phase::Watching => {
                if self.last_round != Span::MAX
                    && self.this_round >= self.last_round + threshold(self.last_round)
                {
                    self.phase = Phase::Conservative {
                        baseline: self.this_round,
                        rounds: 0,
                    };
                }
            }
            Phase::Conservative { baseline, .. } => {
                if self.this_round < baseline {
                    self.phase = Phase::Watching;
                }
            }
        }
    }

    /// Begins the next round. True if conservative slow start has lasted long enough.
    fn next_round(&mut self, sent: u64) -> bool {
        self.round_end = sent;
        self.last_round = self.this_round;
        self.this_round = Span::MAX;
        self.samples = 0;
        // A round in which conservative slow start began counts, although it is not whole.
        if let Phase::Conservative { rounds, .. } = &mut self.phase {
            *rounds += 1;
            if *rounds == CONSERVATIVE_ROUNDS {
                self.finish();
                return true;
            }
        }
        false
    }
}

/// How much longer than `last_round` a round trip must be to count: an eighth of it, from 4 ms to 16 ms.
fn threshold(last_round: Span) -> Span {
    (last_round / THRESHOLD_DIVISOR).clamp(LEAST_THRESHOLD, MOST_THRESHOLD)
}

#[cfg(test)]
mod tests;

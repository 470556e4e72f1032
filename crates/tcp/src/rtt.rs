//! The round-trip time and the retransmission timeout (RFC 6298).

use crate::settings::Settings;
use packetloom_des::Span;
use serde::{Deserialize, Serialize};

/// What is known of the round-trip time. All divisions are rounded down to the picosecond.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct RoundTrip {
    /// The timeout in force, doublings included.
    timeout: Span,
    /// SRTT; zero before the first sample.
    smoothed: Span,
    /// RTTVAR.
    variation: Span,
    least: Span,
    most: Span,
    granularity: Span,
}

impl RoundTrip {
    pub fn new(settings: &Settings) -> Self {
        RoundTrip {
            timeout: settings.rto_initial,
            smoothed: Span::ZERO,
            variation: Span::ZERO,
            least: settings.rto_min,
            most: settings.rto_max,
            granularity: settings.granularity,
        }
    }

    /// The retransmission timeout.
    #[inline]
    pub fn timeout(&self) -> Span {
        self.timeout
    }

    /// The greatest timeout.
    pub fn most(&self) -> Span {
        self.most
    }

    /// The smoothed round-trip time; none before the first sample.
    #[inline]
    pub fn smoothed(&self) -> Option<Span> {
        (self.smoothed > Span::ZERO).then_some(self.smoothed)
    }

    /// Takes a sample in (rules 2.2 and 2.3, with alpha 1/8 and beta 1/4). It ends the doublings.
    #[inline]
    pub fn sample(&mut self, round_trip: Span) {
        // A sample of zero would look like none.
        let sample = round_trip.max(Span::from_ps(1));
        if self.smoothed == Span::ZERO {
            self.smoothed = sample;
            self.variation = sample / 2;
        } else {
            let off = self.smoothed.max(sample) - self.smoothed.min(sample);
            self.variation = (self.variation * 3 + off) / 4;
            self.smoothed = (self.smoothed * 7 + sample) / 8;
        }
        let timeout = self.smoothed + self.granularity.max(self.variation * 4);
        self.timeout = timeout.max(self.least).min(self.most);
    }

    /// The timer went off (rule 5.5).
    pub fn back_off(&mut self) {
        self.timeout = (self.timeout * 2).min(self.most);
    }

    /// The handshake is over, and its timer has gone off meanwhile: without a sample the timeout is three seconds (rule 5.7).
    pub fn established_after_timeout(&mut self) {
        if self.smoothed().is_none() {
            self.timeout = Span::from_ms(3_000).max(self.least).min(self.most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> RoundTrip {
        RoundTrip::new(&Settings::default())
    }

    #[test]
    fn the_first_sample() {
        let mut rtt = fresh();
        assert_eq!(rtt.timeout(), Span::from_ms(1_000), "2.1");
        assert_eq!(rtt.smoothed(), None);
        rtt.sample(Span::from_ms(100));
        // 2.2: SRTT = R, RTTVAR = R / 2, RTO = 100 + 4 x 50.
        assert_eq!(rtt.smoothed(), Some(Span::from_ms(100)));
        assert_eq!(rtt.timeout(), Span::from_ms(300));
    }

    #[test]
    fn further_samples() {
        let mut rtt = fresh();
        rtt.sample(Span::from_ms(100));
        rtt.sample(Span::from_ms(140));
        // 2.3: RTTVAR = 3/4 x 50 + 1/4 x |100 - 140| = 47.5; SRTT = 7/8 x 100 + 1/8 x 140 = 105; RTO = 105 + 190.
        assert_eq!(rtt.smoothed(), Some(Span::from_ms(105)));
        assert_eq!(rtt.timeout(), Span::from_ms(295));
    }

    #[test]
    fn the_variation_counts_at_least_one_granule() {
        let mut rtt = fresh();
        for _ in 0..100 {
            rtt.sample(Span::from_ms(50));
        }
        // The variation has gone to almost nothing: 50 ms + G.
        assert_eq!(rtt.timeout(), Span::from_ms(51));
    }

    #[test]
    fn floor_and_ceiling() {
        let mut rtt = fresh();
        rtt.sample(Span::from_us(10));
        assert_eq!(rtt.timeout(), Span::from_ms(20));
        rtt.sample(Span::from_ms(100_000));
        assert_eq!(rtt.timeout(), Span::from_ms(60_000));
    }

    #[test]
    fn doubling_lasts_until_a_sample() {
        let mut rtt = fresh();
        let timeouts: Vec<Span> = (0..8)
            .map(|_| {
                rtt.back_off();
                rtt.timeout()
            })
            .collect();
        let seconds = [2, 4, 8, 16, 32, 60, 60, 60];
        assert_eq!(timeouts, seconds.map(|seconds| Span::from_ms(seconds * 1_000)));
        rtt.sample(Span::from_ms(1));
        assert_eq!(rtt.timeout(), Span::from_ms(20));
    }

    #[test]
    fn three_seconds_after_a_lost_syn() {
        let mut rtt = fresh();
        rtt.back_off();
        rtt.established_after_timeout();
        assert_eq!(rtt.timeout(), Span::from_ms(3_000));
        rtt.sample(Span::from_ms(100));
        rtt.established_after_timeout();
        assert_eq!(rtt.timeout(), Span::from_ms(300), "a sample counts for more");
    }
}

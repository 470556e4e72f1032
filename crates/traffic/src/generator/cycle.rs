//! The burst cycle: when a connection's requests are generated.

use packetloom_des::random::Stream;
use packetloom_des::time::PS_PER_SECOND;
use packetloom_des::{Span, Time};
use serde::{Deserialize, Serialize};

/// On periods with requests at random gaps, and Off periods between them.
///
/// An On period starts with a request. Further requests follow at gaps drawn from an exponential distribution while the
/// gaps since the period began add up to less than the On time. The time the last gap points to starts the Off period
/// instead of a request; when the Off time has passed, the next On period starts with a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cycle {
    /// Requests a second in On periods.
    rate: f64,
    on: Span,
    off: Span,
    gaps: Stream,
    /// When the On period began.
    began: Time,
    /// When the next request is due.
    next: Time,
}

impl Cycle {
    /// A cycle whose first On period starts at `start`. `rate` is the mean number of requests a second in On periods,
    /// above 0.
    pub fn new(start: Time, rate: f64, on: Span, off: Span, gaps: Stream) -> Self {
        debug_assert!(rate > 0.0, "{rate} requests a second");
        Cycle {
            rate,
            on,
            off,
            gaps,
            began: start,
            next: start,
        }
    }

    /// When the next request is due.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// The request that was due has been generated: draws when the one after it is.
    #[inline]
    pub fn advance(&mut self) {
        let after = self.next.saturating_add(gap(self.rate, &mut self.gaps));
        if after.since(self.began) < self.on {
            self.next = after;
        } else {
            self.next = after.saturating_add(self.off);
            self.began = self.next;
        }
    }
}

/// A gap between two requests: `-ln(1 - u) / rate` seconds with `u` from `[0, 1)`, rounded to whole picoseconds, and at
/// least one, so that no two requests of a connection are generated at once.
#[inline]
fn gap(rate: f64, gaps: &mut Stream) -> Span {
    let seconds = -libm::log(1.0 - gaps.unit()) / rate;
    let ps = (seconds * PS_PER_SECOND as f64).round();
    // What is above 2^64 - 1 becomes that, which is longer than any run.
    Span::from_ps((ps as u64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream() -> Stream {
        Stream::new(18_760, "test", "gaps")
    }

    /// The times of the first `count` requests.
    fn times(cycle: &mut Cycle, count: usize) -> Vec<Time> {
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            times.push(cycle.next());
            cycle.advance();
        }
        times
    }

    fn continuous(rate: f64) -> Cycle {
        Cycle::new(Time::ZERO, rate, Span::from_ms(100), Span::ZERO, stream())
    }

    #[test]
    fn the_first_gaps_are_pinned() {
        let first: Vec<u64> = times(&mut continuous(500.0), 4)
            .into_iter()
            .map(Time::ps)
            .collect();
        assert_eq!(
            first, PINNED,
            "the draw of gaps changed: every documented run would change with it"
        );
    }

    // Also what an independent program gives that was written from the documentation alone.
    const PINNED: [u64; 4] = [0, 391_010_327, 1_056_015_259, 2_682_258_666];

    #[test]
    fn gaps_are_exponential_with_the_rates_mean() {
        // 500 a second: a mean of 2 ms = 2 x 10^9 ps and the same standard deviation.
        const COUNT: usize = 100_000;
        let mut gaps: Vec<f64> = times(&mut continuous(500.0), COUNT + 1)
            .windows(2)
            .map(|pair| pair[1].since(pair[0]).ps() as f64)
            .collect();
        let mean = gaps.iter().sum::<f64>() / COUNT as f64;
        // Four standard deviations of the mean: 4 x 2 ms / sqrt(100,000) = 0.0253 ms.
        assert!((mean - 2e9).abs() < 0.0253e9, "{mean}");
        // Kolmogorov-Smirnov: the largest distance from 1 - exp(-gap / mean) stays below 1.95 / sqrt(n) in all but one
        // of a thousand samples.
        gaps.sort_by(f64::total_cmp);
        let distance = gaps.iter().enumerate().fold(0.0f64, |largest, (i, gap)| {
            let law = 1.0 - libm::exp(-gap / 2e9);
            let (below, through) = (i as f64 / COUNT as f64, (i + 1) as f64 / COUNT as f64);
            largest.max(law - below).max(through - law)
        });
        assert!(distance < 1.95 / (COUNT as f64).sqrt(), "{distance}");
    }

    #[test]
    fn with_50_ms_on_and_off_a_period_has_26_requests_and_a_second_254_9() {
        // On average 1 + 500 x 0.050 = 26 requests in 0.050 + 1/500 = 0.052 s, then 0.050 s without:
        // 26 / 0.102 = 254.902 a second.
        const PERIODS: usize = 20_000;
        let (on, off) = (Span::from_ms(50), Span::from_ms(50));
        let mut cycle = Cycle::new(Time::ZERO, 500.0, on, off, stream());
        let (mut requests, mut periods, mut last) = (0u64, 0, Time::ZERO);
        while periods < PERIODS {
            let before = cycle.next();
            requests += 1;
            cycle.advance();
            // Gaps above 50 ms are e^-25 likely, so such a gap is an Off period; it includes the gap that started it.
            if cycle.next().since(before) > off {
                periods += 1;
                last = cycle.next();
            }
        }
        // A period has 1 + Poisson(25) requests: a standard deviation of 5, of the mean 5 / sqrt(20,000) = 0.0354.
        let mean = requests as f64 / PERIODS as f64;
        assert!((mean - 26.0).abs() < 4.0 * 0.0354, "{mean}");
        // The rate varies as the mean does, by 0.14 % at one standard deviation.
        let rate = requests as f64 / last.as_seconds();
        assert!((rate - 254.902).abs() < 254.902 * 0.0055, "{rate}");
    }

    #[test]
    fn requests_stay_within_the_on_time_and_the_last_gap_starts_the_off_time() {
        let (on, off) = (Span::from_ms(10), Span::from_ms(70));
        let start = Time::from_ps(12_345);
        let mut cycle = Cycle::new(start, 500.0, on, off, stream());
        // The same gaps without a cycle.
        let mut gaps = stream();
        let (mut began, mut due) = (start, start);
        for _ in 0..10_000 {
            assert_eq!(cycle.next(), due);
            let after = due + gap(500.0, &mut gaps);
            if after < began + on {
                due = after;
            } else {
                due = after + off;
                began = due;
            }
            cycle.advance();
        }
    }

    #[test]
    fn without_an_off_time_the_on_time_changes_nothing() {
        let of = |on| {
            times(
                &mut Cycle::new(Time::ZERO, 500.0, on, Span::ZERO, stream()),
                1_000,
            )
        };
        assert_eq!(of(Span::from_ms(100)), of(Span::from_ms(1)));
        assert_eq!(of(Span::from_ms(100)), of(Span::ZERO));
    }

    #[test]
    fn an_on_time_of_0_has_one_request_a_period() {
        let off = Span::from_ms(3);
        let mut cycle = Cycle::new(Time::ZERO, 500.0, Span::ZERO, off, stream());
        let mut gaps = stream();
        let mut due = Time::ZERO;
        for _ in 0..100 {
            assert_eq!(cycle.next(), due);
            due = due + gap(500.0, &mut gaps) + off;
            cycle.advance();
        }
    }

    #[test]
    fn a_gap_is_at_least_one_picosecond_and_at_most_the_longest_time() {
        // A mean of 1 ps: 1 - exp(-0.5) = 39 % of the gaps would round to 0.
        let mut gaps = stream();
        let all: Vec<u64> = (0..1_000).map(|_| gap(1e12, &mut gaps).ps()).collect();
        assert!(all.iter().all(|&ps| ps >= 1));
        assert!(all.contains(&1) && all.iter().any(|&ps| ps > 3));
        assert_eq!(gap(1e-300, &mut gaps), Span::MAX);
        let mut rare = continuous(1e-300);
        rare.advance();
        assert_eq!(rare.next(), Time::NEVER);
        rare.advance();
        assert_eq!(rare.next(), Time::NEVER, "and stays there");
    }
}

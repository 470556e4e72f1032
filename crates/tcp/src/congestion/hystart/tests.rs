use super::super::tests::MSS;
use super::*;
use packetloom_des::Time;

/// Slow start with the stream's byte counts beside it. Every round has 10 segments.
struct Rounds {
    slow_start: SlowStart,
    acknowledged: u64,
    round_end: u64,
}

impl Rounds {
    fn new() -> Self {
        Rounds {
            slow_start: SlowStart::new(MSS, true),
            acknowledged: 0,
            round_end: 10 * MSS,
        }
    }

    /// One segment acknowledged with this sample.
    fn sample(&mut self, sample: Option<Span>) -> Step {
        self.acknowledged += MSS;
        let ends = self.acknowledged == self.round_end;
        let step = self.slow_start.acknowledged(&Acknowledged {
            now: Time::ZERO,
            bytes: MSS,
            in_flight: 10 * MSS,
            window_limited: true,
            round_trip: sample,
            smoothed: sample,
            acknowledged: self.acknowledged,
            sent: self.round_end + if ends { 10 * MSS } else { 0 },
        });
        if ends {
            self.round_end += 10 * MSS;
        }
        step
    }

    /// `count` segments of a round trip of `us` microseconds; the last step.
    fn samples(&mut self, count: usize, us: u64) -> Step {
        let mut step = None;
        for _ in 0..count {
            step = Some(self.sample(Some(Span::from_us(us))));
        }
        step.expect("at least one")
    }

    fn conservative(&self) -> bool {
        matches!(self.slow_start.phase, Phase::Conservative { .. })
    }
}

#[test]
fn the_threshold_is_an_eighth_from_4_to_16_ms() {
    let ms = |last, expected| {
        assert_eq!(
            threshold(Span::from_ms(last)),
            Span::from_us(expected),
            "{last} ms"
        )
    };
    ms(1, 4_000);
    ms(32, 4_000);
    ms(100, 12_500);
    ms(128, 16_000);
    ms(500, 16_000);
}

#[test]
fn the_eighth_sample_4_ms_above_the_last_round_begins_conservative_slow_start() {
    let mut rounds = Rounds::new();
    rounds.samples(10, 10_000);
    assert_eq!(rounds.samples(7, 14_000).growth, MSS);
    assert!(!rounds.conservative(), "7 samples");
    assert_eq!(
        rounds.samples(1, 14_000).growth,
        MSS,
        "it was found after the window grew"
    );
    assert!(rounds.conservative());
    assert_eq!(rounds.samples(1, 14_000).growth, MSS / 4);
}

#[test]
fn a_growth_below_the_threshold_is_let_pass() {
    let mut rounds = Rounds::new();
    rounds.samples(10, 10_000);
    rounds.samples(10, 13_999);
    assert!(!rounds.conservative());
    // The next round is compared with this one, not with the first.
    rounds.samples(10, 17_998);
    assert!(!rounds.conservative());
    rounds.samples(10, 21_998);
    assert!(rounds.conservative());
}

#[test]
fn one_short_sample_keeps_the_round_short() {
    let mut rounds = Rounds::new();
    rounds.samples(10, 10_000);
    rounds.samples(1, 10_000);
    rounds.samples(9, 50_000);
    assert!(!rounds.conservative());
}

#[test]
fn the_first_round_has_nothing_to_be_compared_with() {
    let mut rounds = Rounds::new();
    rounds.samples(2, 10_000);
    rounds.samples(8, 500_000);
    assert!(!rounds.conservative());
}

#[test]
fn acknowledgements_without_a_sample_do_not_count() {
    let mut rounds = Rounds::new();
    rounds.samples(10, 10_000);
    for _ in 0..3 {
        rounds.sample(None);
    }
    rounds.samples(7, 50_000);
    assert!(!rounds.conservative(), "7 samples");
    // That round had samples all the same, and so is what the next is compared with.
    rounds.samples(10, 51_000);
    assert!(!rounds.conservative());
}

#[test]
fn a_round_without_samples_leaves_nothing_to_compare_with() {
    let mut rounds = Rounds::new();
    for _ in 0..10 {
        rounds.sample(None);
    }
    rounds.samples(10, 50_000);
    assert!(!rounds.conservative());
}

#[test]
fn a_round_trip_below_the_baseline_resumes_slow_start() {
    let mut rounds = Rounds::new();
    rounds.samples(10, 10_000);
    rounds.samples(10, 14_000);
    assert!(rounds.conservative());
    // Below the 14 ms it began with, but only the eighth sample of a round is enough.
    rounds.samples(7, 13_999);
    assert!(rounds.conservative());
    rounds.samples(1, 13_999);
    assert!(!rounds.conservative());
    assert_eq!(rounds.samples(2, 13_999).growth, MSS);
    // And the search goes on: 4 ms above 13.999 ms.
    rounds.samples(10, 17_999);
    assert!(rounds.conservative());
}

#[test]
fn at_the_baseline_it_stays_conservative_and_ends_after_5_rounds() {
    let mut rounds = Rounds::new();
    rounds.samples(10, 10_000);
    // The round in which it began is the first of the five.
    assert!(!rounds.samples(10, 14_000).over);
    for _ in 0..3 {
        assert!(!rounds.samples(10, 14_000).over);
    }
    assert!(!rounds.samples(9, 14_000).over);
    let last = rounds.samples(1, 14_000);
    assert!(last.over);
    assert_eq!(last.growth, MSS / 4);
    assert_eq!(rounds.slow_start.phase, Phase::Standard);
}

#[test]
fn rounds_are_counted_anew_after_a_resumed_slow_start() {
    let mut rounds = Rounds::new();
    rounds.samples(10, 10_000);
    for _ in 0..3 {
        rounds.samples(10, 14_000);
    }
    rounds.samples(10, 12_000);
    assert!(!rounds.conservative());
    for round in 0..5 {
        assert_eq!(rounds.samples(10, 16_000).over, round == 4, "round {round}");
    }
}

#[test]
fn an_acknowledgement_opens_the_window_by_8_segments_at_most() {
    let mut slow_start = SlowStart::new(MSS, true);
    let step = |slow_start: &mut SlowStart| {
        slow_start.acknowledged(&Acknowledged {
            now: Time::ZERO,
            bytes: 20 * MSS,
            in_flight: 20 * MSS,
            window_limited: true,
            round_trip: None,
            smoothed: None,
            acknowledged: 20 * MSS,
            sent: 40 * MSS,
        })
    };
    assert_eq!(step(&mut slow_start).growth, 8 * MSS);
    slow_start.phase = Phase::Conservative {
        baseline: Span::ZERO,
        rounds: 0,
    };
    assert_eq!(step(&mut slow_start).growth, 2 * MSS);
    slow_start.finish();
    assert_eq!(
        step(&mut slow_start).growth,
        MSS,
        "standard slow start: RFC 5681, section 3.1"
    );
}

#[test]
fn switched_off_it_watches_nothing() {
    let mut rounds = Rounds::new();
    rounds.slow_start = SlowStart::new(MSS, false);
    rounds.samples(10, 10_000);
    assert!(!rounds.samples(10, 50_000).over);
    assert_eq!(rounds.slow_start.phase, Phase::Standard);
}

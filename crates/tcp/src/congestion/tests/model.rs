//! Long runs in which every (1/p)-th segment is lost: the average window against the published formulas.
//!
//! CUBIC's formula holds for a window that comes back to the last W_max each time. Here it is at times a fraction of a segment
//! less, since rounds are whole, and fast convergence then gives room to others. So its own response is measured
//! without it, and what it costs is measured beside it.

use super::*;

/// The average window in segments over `rounds` round trips, after as many to come to a steady state.
fn average<A: Algorithm>(
    algorithm: A,
    round_trip: Span,
    every: u64,
    mut lost: impl FnMut(&mut A, Time, u64),
) -> f64 {
    let rounds = 20_000;
    let mut drive = Drive::new(algorithm, round_trip);
    let mut until_loss = every;
    let mut sum = 0;
    for round in 0..2 * rounds {
        let segments = drive.algorithm.window() / MSS;
        if round >= rounds {
            sum += segments;
        }
        if segments < until_loss {
            until_loss -= segments;
            drive.part_of_round(segments, segments);
        } else {
            // The segments before the lost one are acknowledged; then the duplicate acknowledgements tell of it.
            let start = drive.now;
            drive.part_of_round(until_loss - 1, segments);
            drive.now = start + round_trip;
            lost(&mut drive.algorithm, drive.now, segments * MSS);
            until_loss = every + until_loss - segments;
        }
    }
    sum as f64 / rounds as f64
}

/// AVG_W_cubic of RFC 9438, section 5.1, in segments: ((C (3 + b)) / (4 (1 - b)))^(1/4) RTT^(3/4) / p^(3/4).
fn cubic_average(round_trip: f64, p: f64) -> f64 {
    (0.4 * 3.7 / (4.0 * 0.3_f64)).powf(0.25) * (round_trip / p).powf(0.75)
}

/// AVG_AIMD(a, b) of RFC 9438, section 4.3, in segments: sqrt(a (1 + b) / (2 (1 - b) p)).
fn aimd_average(alpha: f64, beta: f64, p: f64) -> f64 {
    (alpha * (1.0 + beta) / (2.0 * (1.0 - beta) * p)).sqrt()
}

/// Whether the average window is within 10 % of `expected`.
#[track_caller]
fn check(average: f64, expected: f64) {
    assert_near(average, expected, 0.1 * expected, "average window");
}

fn cubic(round_trip: Span, every: u64) -> f64 {
    average(
        Cubic::new(MSS, 10 * MSS, true).with_fast_convergence(false),
        round_trip,
        every,
        Algorithm::lost,
    )
}

fn whole_cubic(round_trip: Span, every: u64) -> f64 {
    average(
        Cubic::new(MSS, 10 * MSS, true),
        round_trip,
        every,
        Algorithm::lost,
    )
}

#[test]
fn cubic_at_200_ms_and_one_loss_in_10_000() {
    // (0.2 / 0.0001)^0.75 = 299.1; times (1.2333)^0.25 = 1.0538.
    assert_near(cubic_average(0.2, 1e-4), 315.2, 0.1, "by hand");
    check(cubic(Span::from_ms(200), 10_000), 315.2);
    check(whole_cubic(Span::from_ms(200), 10_000), 315.2);
}

#[test]
fn cubic_at_500_ms_and_one_loss_in_1_000() {
    // (0.5 / 0.001)^0.75 = 105.7; times 1.0538.
    assert_near(cubic_average(0.5, 1e-3), 111.4, 0.1, "by hand");
    check(cubic(Span::from_ms(500), 1_000), 111.4);
    // A loss every 10 rounds: a round more or less is much, and fast convergence takes part in more of them.
    let whole = whole_cubic(Span::from_ms(500), 1_000);
    assert!((0.8 * 111.4..111.4).contains(&whole), "{whole}");
}

#[test]
fn cubic_is_as_fast_as_reno_where_its_curve_is_slower() {
    // sqrt(3 / (2 p)), also with alpha 9/17 and beta 0.7: 9/17 x 1.7 / 0.6 = 1.5. The curve alone would come to 5.9 and 1.05.
    for (every, expected) in [(10_000, 122.5), (1_000, 38.7)] {
        let p = 1.0 / every as f64;
        assert_near(aimd_average(9.0 / 17.0, 0.7, p), expected, 0.05, "by hand");
        assert!(cubic_average(0.001, p) < 6.0);
        check(whole_cubic(Span::from_ms(1), every), expected);
    }
}

#[test]
fn newreno_whatever_the_round_trip() {
    // AIMD(1, 0.5): sqrt(1.5 / (2 x 0.5 p)) = sqrt(1.5 / p).
    for round_trip in [1, 200] {
        for (every, expected) in [(10_000, 122.5), (1_000, 38.7)] {
            assert_near(
                aimd_average(1.0, 0.5, 1.0 / every as f64),
                expected,
                0.05,
                "by hand",
            );
            let reno = NewReno::new(MSS, 10 * MSS, true);
            check(
                average(reno, Span::from_ms(round_trip), every, Algorithm::lost),
                expected,
            );
        }
    }
}

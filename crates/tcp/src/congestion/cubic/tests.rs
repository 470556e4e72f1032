use super::super::tests::{Drive, MSS, SECOND, assert_near};
use super::*;

/// A connection at a window of `segments`, which were in flight, as one of them was lost.
fn after_loss_at(segments: u64, round_trip: Span) -> Drive<Cubic> {
    let mut drive = Drive::new(Cubic::new(MSS, segments * MSS, true), round_trip);
    drive.algorithm.lost(Time::ZERO, segments * MSS);
    // Recovery is over: the stage begins with this acknowledgement.
    drive.acknowledge(0, true);
    drive
}

fn epoch(drive: &Drive<Cubic>) -> Epoch {
    drive.algorithm.epoch.expect("in congestion avoidance")
}

#[test]
fn a_loss_leaves_seven_tenths() {
    let drive = after_loss_at(1_000, Span::from_ms(100));
    assert_eq!(drive.algorithm.window(), 700 * MSS);
    assert_eq!(drive.algorithm.slow_start_threshold(), 700 * MSS);
}

#[test]
fn what_was_in_flight_is_reduced_not_the_window() {
    let mut cubic = Cubic::new(MSS, 1_000 * MSS, true);
    cubic.lost(Time::ZERO, 500 * MSS);
    assert_eq!(cubic.window(), 350 * MSS);
    assert_eq!(cubic.w_max, (1_000 * MSS) as f64, "W_max is of the window");
}

#[test]
fn the_plateau_is_reached_after_k() {
    // K = cbrt((1,000 - 700) / 0.4) = cbrt(750) = 9.0856 s.
    let drive = after_loss_at(1_000, Span::from_ms(100));
    assert_near(epoch(&drive).plateau_at, 9.0856, 0.00005, "K");
}

#[test]
fn the_window_follows_the_curve() {
    let mut drive = after_loss_at(1_000, Span::from_ms(100));
    // 0.4 (t - 9.0856)^3 + 1,000 at t = 1, 2, ... 10 s: concave up to K, convex after it.
    let curve = [
        788.56, 857.70, 909.85, 947.39, 972.72, 988.25, 996.37, 999.49, 1_000.0, 1_000.31,
    ];
    for (t, expected) in (1..).zip(curve) {
        drive.rounds_for(SECOND);
        assert_near(drive.segments(), expected, 1.0, &format!("W after {t} s"));
    }
    // 0.4 (15 - 9.0856)^3 = 82.75.
    drive.rounds_for(SECOND * 5);
    assert_near(drive.segments(), 1_082.75, 1.0, "W after 15 s");
}

#[test]
fn the_curve_also_holds_with_an_acknowledgement_for_two_segments() {
    let mut drive = after_loss_at(1_000, Span::from_ms(100));
    for _ in 0..40 {
        let (start, pairs) = (drive.now, drive.algorithm.window() / MSS / 2);
        for i in 1..=pairs {
            drive.now = start + Span::from_ps(drive.round_trip.ps() * i / pairs);
            drive.acknowledge(2 * MSS, true);
        }
    }
    // 0.4 (4 - 9.0856)^3 = -52.61.
    assert_near(drive.segments(), 947.39, 1.0, "W after 4 s");
}

#[test]
fn the_target_is_at_most_one_and_a_half_windows() {
    // W_max 1,000 and a window of 10: K = cbrt(990 / 0.4) = 13.53 s. The curve is at 0.4 (2 - 13.53)^3 + 1,000 = 387 segments
    // a round trip after the first second.
    let mut drive = Drive::new(Cubic::new(MSS, 1_000 * MSS, true), SECOND);
    drive.algorithm.lost(Time::ZERO, 1_000 * MSS / 70);
    drive.acknowledge(0, true);
    let before = drive.algorithm.window;
    assert_near(before / MSS as f64, 10.0, 0.01, "window");
    drive.now += SECOND;
    drive.acknowledge(MSS, true);
    // One segment of a window of 10 takes it a tenth of the way to 15 segments.
    assert_near(
        drive.algorithm.window - before,
        0.5 * MSS as f64,
        0.01 * MSS as f64,
        "growth",
    );
}

#[test]
fn an_acknowledgement_of_more_than_a_window_does_not_pass_the_target() {
    let mut drive = after_loss_at(1_000, Span::from_ms(100));
    drive.now += Span::from_ms(100);
    drive.acknowledge(5_000 * MSS, true);
    // W(0.1 + 0.1) = 0.4 (0.2 - 9.0856)^3 + 1,000 = 719.37; Reno's window is 700 + 9/17 x 5,000 / 700 = 703.8.
    assert_near(drive.segments(), 719.37, 0.05, "W");
}

#[test]
fn fast_convergence_lowers_the_plateau() {
    let mut drive = after_loss_at(1_000, Span::from_ms(100));
    drive.rounds_for(SECOND);
    // 788.5 segments: below the last W_max, which leaves (1 + 0.7) / 2 of it.
    let window = drive.algorithm.window;
    drive.algorithm.lost(drive.now, window as u64);
    assert_near(drive.algorithm.w_max, 0.85 * window, 0.001, "W_max");
    drive.acknowledge(0, true);
    // K = cbrt((0.85 - 0.7) x 788.5 / 0.4) = cbrt(295.7) = 6.662.
    assert_near(epoch(&drive).plateau_at, 6.662, 0.005, "K");
}

#[test]
fn a_window_that_came_back_is_remembered_whole() {
    let mut drive = after_loss_at(1_000, Span::from_ms(100));
    drive.rounds_for(SECOND * 12);
    let window = drive.algorithm.window;
    assert!(window > (1_000 * MSS) as f64);
    drive.algorithm.lost(drive.now, window as u64);
    assert_eq!(drive.algorithm.w_max, window);
}

#[test]
fn reno_sets_the_pace_where_the_curve_is_slower() {
    // At 1 ms from 70 segments the curve takes K = cbrt(30 / 0.4) = 4.2 s to 100; Reno's share is 9/17 segments a round trip.
    let mut drive = after_loss_at(100, Span::from_ms(1));
    for rounds in 1..=50 {
        drive.round();
        assert_near(drive.segments(), 70.0 + rounds as f64 * 9.0 / 17.0, 0.5, "W_est");
    }
}

#[test]
fn from_the_window_of_the_last_loss_on_reno_gains_a_segment_a_round_trip() {
    // 30 segments at 9/17 a round trip: 57 of them; then one each.
    let mut drive = after_loss_at(100, Span::from_ms(1));
    for _ in 0..60 {
        drive.round();
    }
    let before = drive.segments();
    assert!((100.0..105.0).contains(&before), "{before}");
    for rounds in 1..=20 {
        drive.round();
        assert_near(drive.segments() - before, rounds as f64, 0.5, "W_est");
    }
}

#[test]
fn after_a_timeout_the_curve_begins_on_its_plateau() {
    let mut drive = Drive::new(Cubic::new(MSS, 1_000 * MSS, true), Span::from_ms(100));
    drive.algorithm.timed_out(Time::ZERO, 1_000 * MSS, false);
    assert_eq!(drive.algorithm.window(), MSS);
    assert_eq!(drive.algorithm.slow_start_threshold(), 700 * MSS);
    while drive.algorithm.epoch.is_none() {
        drive.acknowledge(MSS, true);
    }
    assert_eq!(epoch(&drive).plateau_at, 0.0, "K");
    assert_eq!(epoch(&drive).plateau, (700 * MSS) as f64, "W_max");
    // Reno's 9/17 x 20 = 10.6 against 0.4 x 2^3 = 3.2 after 2 s; 31.8 against 0.4 x 6^3 = 86.4 after 6 s.
    drive.rounds_for(SECOND * 2);
    assert_near(drive.segments(), 710.6, 1.0, "W_est after 2 s");
    drive.rounds_for(SECOND * 4);
    assert_near(drive.segments(), 786.4, 1.0, "W after 6 s");
}

#[test]
fn a_timeout_after_a_loss_begins_on_its_plateau_too() {
    let mut drive = after_loss_at(1_000, Span::from_ms(100));
    drive.algorithm.timed_out(drive.now, 700 * MSS, false);
    while drive.algorithm.epoch.is_none() {
        drive.acknowledge(MSS, true);
    }
    assert_eq!(epoch(&drive).plateau_at, 0.0, "K");
    assert_eq!(epoch(&drive).plateau, (490 * MSS) as f64, "0.7 x 700 segments");
}

#[test]
fn a_loss_in_the_slow_start_after_a_timeout_has_a_curve_below_its_plateau() {
    let mut drive = Drive::new(Cubic::new(MSS, 1_000 * MSS, true), Span::from_ms(100));
    drive.algorithm.timed_out(Time::ZERO, 1_000 * MSS, false);
    for _ in 0..99 {
        drive.acknowledge(MSS, true);
    }
    drive.algorithm.lost(drive.now, 100 * MSS);
    drive.acknowledge(0, true);
    // 100 segments are below W_max = 1,000: 85 remain of it. K = cbrt((85 - 70) / 0.4) = 3.347.
    assert_near(epoch(&drive).plateau_at, 3.347, 0.001, "K");
}

#[test]
fn slow_start_that_ends_without_a_loss_begins_on_the_plateau() {
    let mut drive = Drive::new(Cubic::new(MSS, 10 * MSS, true), Span::from_ms(100));
    drive.round();
    // The round trip doubles: conservative slow start for 5 rounds, then congestion avoidance.
    drive.round_trip = Span::from_ms(200);
    for _ in 0..7 {
        drive.round();
    }
    let threshold = drive.algorithm.slow_start_threshold();
    assert_ne!(threshold, u64::MAX);
    assert_eq!(epoch(&drive).plateau_at, 0.0, "K");
    assert_eq!(epoch(&drive).plateau as u64, threshold, "W_max");
    assert_eq!(
        drive.algorithm.prior as u64, threshold,
        "cwnd_prior: Reno's share is a whole segment"
    );
}

#[test]
fn time_in_which_the_sender_had_less_to_send_does_not_count() {
    let mut drive = after_loss_at(1_000, Span::from_ms(100));
    drive.rounds_for(SECOND * 2);
    let before = drive.algorithm.window;
    for _ in 0..300 {
        drive.now += Span::from_ms(100);
        drive.acknowledge(MSS, false);
    }
    assert_eq!(drive.algorithm.window, before, "30 s");
    // t goes on from 2 s; one round trip more or less is 6 segments here.
    drive.rounds_for(SECOND * 2);
    assert_near(epoch(&drive).elapsed.as_seconds(), 4.0, 0.11, "t");
    assert_near(drive.segments(), 947.39, 6.0, "W after 4 s that count");
}

#[test]
fn a_pause_counts_as_one_round_trip() {
    let mut drive = after_loss_at(1_000, Span::from_ms(100));
    drive.rounds_for(SECOND);
    // The last acknowledgement leaves nothing in flight; after 30 s a full window is sent and acknowledged.
    drive.acknowledge(drive.algorithm.window(), true);
    let before = epoch(&drive).elapsed;
    drive.now += SECOND * 30;
    drive.acknowledge(MSS, true);
    assert_eq!(epoch(&drive).elapsed, before + Span::from_ms(100));
}

#[test]
fn a_restart_goes_back_to_the_threshold_by_slow_start_and_begins_a_new_stage() {
    let mut cubic = Cubic::new(MSS, 10 * MSS, true);
    cubic.window = (1_000 * MSS) as f64;
    cubic.lost(Time::ZERO, 1_000 * MSS);
    let mut drive = Drive::new(cubic, Span::from_ms(100));
    drive.rounds_for(SECOND);
    drive.algorithm.restarted();
    for segments in 11..=700 {
        drive.acknowledge(MSS, true);
        assert_eq!(drive.algorithm.window(), segments * MSS);
    }
    assert!(drive.algorithm.epoch.is_none());
    drive.acknowledge(MSS, true);
    // From 700 segments to the W_max of the last loss, as after the loss itself.
    assert_near(epoch(&drive).plateau_at, 9.0856, 0.00005, "K");
}

use super::super::tests::{Drive, MSS};
use super::*;
use packetloom_des::Span;

fn after_loss_at(segments: u64) -> Drive<NewReno> {
    let mut drive = Drive::new(NewReno::new(MSS, segments * MSS, true), Span::from_us(10));
    drive.algorithm.lost(Time::ZERO, segments * MSS);
    drive
}

#[test]
fn a_loss_leaves_half_of_what_was_in_flight() {
    let drive = after_loss_at(20);
    assert_eq!(drive.algorithm.window(), 10 * MSS);
    assert_eq!(drive.algorithm.slow_start_threshold(), 10 * MSS);
}

#[test]
fn congestion_avoidance_gains_a_segment_a_window() {
    let mut drive = after_loss_at(20);
    for segments in 10..20 {
        for _ in 1..segments {
            drive.acknowledge(MSS, true);
            assert_eq!(drive.algorithm.window(), segments * MSS);
        }
        drive.acknowledge(MSS, true);
        assert_eq!(drive.algorithm.window(), (segments + 1) * MSS);
    }
}

#[test]
fn bytes_count_not_acknowledgements() {
    // 10 segments in two acknowledgements of 4 and one of 2: one segment more.
    let mut drive = after_loss_at(20);
    drive.acknowledge(4 * MSS, true);
    drive.acknowledge(4 * MSS, true);
    assert_eq!(drive.algorithm.window(), 10 * MSS);
    drive.acknowledge(2 * MSS, true);
    assert_eq!(drive.algorithm.window(), 11 * MSS);
}

#[test]
fn what_is_acknowledged_beyond_a_window_counts_for_the_next() {
    // 14 segments at a window of 10 leave 4; the 7 more that a window of 11 takes come with the next 7.
    let mut drive = after_loss_at(20);
    drive.acknowledge(7 * MSS, true);
    drive.acknowledge(7 * MSS, true);
    assert_eq!(drive.algorithm.window(), 11 * MSS);
    drive.acknowledge(7 * MSS - 1, true);
    assert_eq!(drive.algorithm.window(), 11 * MSS);
    drive.acknowledge(1, true);
    assert_eq!(drive.algorithm.window(), 12 * MSS);
}

#[test]
fn a_timeout_leaves_one_segment_and_half_as_the_threshold() {
    let mut reno = NewReno::new(MSS, 20 * MSS, true);
    reno.timed_out(Time::ZERO, 20 * MSS, false);
    assert_eq!((reno.window(), reno.slow_start_threshold()), (MSS, 10 * MSS));
}

#[test]
fn standard_slow_start_gains_a_segment_an_acknowledgement() {
    let mut drive = Drive::new(NewReno::new(MSS, 10 * MSS, false), Span::from_us(10));
    drive.acknowledge(2 * MSS, true);
    assert_eq!(drive.algorithm.window(), 11 * MSS);
    drive.acknowledge(MSS / 2, true);
    assert_eq!(drive.algorithm.window(), 11 * MSS + MSS / 2);
}

#[test]
fn the_window_at_the_end_of_conservative_slow_start_is_the_threshold() {
    let mut drive = Drive::new(NewReno::new(MSS, 10 * MSS, true), Span::from_ms(10));
    drive.round();
    assert_eq!(drive.algorithm.window(), 20 * MSS);
    drive.round_trip = Span::from_ms(20);
    let mut windows = vec![];
    while drive.algorithm.slow_start_threshold() == u64::MAX {
        drive.round();
        windows.push(drive.algorithm.window() as f64 / MSS as f64);
    }
    assert_eq!(windows.len(), 5, "CSS_ROUNDS: {windows:?}");
    // Eight segments' worth at full speed until the eighth sample shows it, then a quarter each: 20 + 8 + 12/4 = 31.
    assert_eq!(windows[0], 31.0);
    // A quarter more each round of 31 and more.
    assert_eq!(windows[1], 31.0 + 31.0 / 4.0);
    assert_eq!(drive.algorithm.slow_start_threshold(), drive.algorithm.window());
}

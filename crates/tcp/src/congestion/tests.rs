//! What holds for each algorithm, a drive for their tests, and long runs against the published averages.

mod model;

use super::*;

pub(super) const MSS: u64 = 1_460;
pub(super) const SECOND: Span = Span::from_ms(1_000);

/// Acknowledgements for an algorithm, one a segment, a window of them spread over each round trip.
pub(super) struct Drive<A> {
    pub algorithm: A,
    pub now: Time,
    pub round_trip: Span,
    pub acknowledged: u64,
}

impl<A: Algorithm> Drive<A> {
    pub fn new(algorithm: A, round_trip: Span) -> Self {
        Drive {
            algorithm,
            now: Time::ZERO,
            round_trip,
            acknowledged: 0,
        }
    }

    /// The window in segments.
    pub fn segments(&self) -> f64 {
        self.algorithm.window() as f64 / MSS as f64
    }

    /// One acknowledgement of `bytes` now.
    pub fn acknowledge(&mut self, bytes: u64, window_limited: bool) {
        let window = self.algorithm.window();
        self.acknowledged += bytes;
        self.algorithm.acknowledged(&Acknowledged {
            now: self.now,
            bytes,
            in_flight: window,
            window_limited,
            round_trip: Some(self.round_trip),
            smoothed: Some(self.round_trip),
            acknowledged: self.acknowledged,
            sent: self.acknowledged - bytes + window,
        });
    }

    /// The first `count` acknowledgements of a round trip of `of`.
    pub fn part_of_round(&mut self, count: u64, of: u64) {
        let start = self.now;
        for i in 1..=count {
            self.now = start + Span::from_ps(self.round_trip.ps() * i / of);
            self.acknowledge(MSS, true);
        }
    }

    /// A round trip: as many acknowledgements as the window has whole segments at its start.
    pub fn round(&mut self) {
        let segments = self.algorithm.window() / MSS;
        self.part_of_round(segments, segments);
    }

    /// Round trips for as long as `span`.
    pub fn rounds_for(&mut self, span: Span) {
        for _ in 0..span.ps() / self.round_trip.ps() {
            self.round();
        }
    }
}

pub(super) fn assert_near(actual: f64, expected: f64, within: f64, what: &str) {
    assert!(
        (actual - expected).abs() <= within,
        "{what}: {actual} is not within {within} of {expected}"
    );
}

fn both() -> [Congestion; 2] {
    [CongestionControl::Cubic, CongestionControl::NewReno]
        .map(|algorithm| Congestion::new(algorithm, MSS, 10 * MSS, true))
}

#[test]
fn begins_with_the_initial_window_and_no_threshold() {
    for algorithm in both() {
        assert_eq!(algorithm.window(), 14_600);
        assert_eq!(algorithm.slow_start_threshold(), u64::MAX);
    }
}

#[test]
fn slow_start_doubles_the_window_each_round_trip() {
    for algorithm in both() {
        let mut drive = Drive::new(algorithm, Span::from_us(10));
        for expected in [20, 40, 80] {
            drive.round();
            assert_eq!(drive.algorithm.window(), expected * MSS);
        }
    }
}

#[test]
fn a_window_that_does_not_limit_the_sender_does_not_grow() {
    for algorithm in both() {
        let mut drive = Drive::new(algorithm, Span::from_us(10));
        drive.acknowledge(MSS, false);
        assert_eq!(drive.algorithm.window(), 10 * MSS, "in slow start");
        drive.algorithm.lost(drive.now, 10 * MSS);
        let reduced = drive.algorithm.window();
        for _ in 0..1_000 {
            drive.now += SECOND;
            drive.acknowledge(MSS, false);
        }
        assert_eq!(drive.algorithm.window(), reduced, "in congestion avoidance");
    }
}

#[test]
fn the_threshold_is_never_below_two_segments() {
    for mut algorithm in both() {
        algorithm.lost(Time::ZERO, MSS);
        assert_eq!(
            (algorithm.window(), algorithm.slow_start_threshold()),
            (2 * MSS, 2 * MSS)
        );
        algorithm.timed_out(Time::ZERO, MSS, false);
        assert_eq!(
            (algorithm.window(), algorithm.slow_start_threshold()),
            (MSS, 2 * MSS)
        );
    }
}

#[test]
fn a_second_timeout_of_the_same_segment_keeps_the_threshold() {
    for mut algorithm in both() {
        algorithm.timed_out(Time::ZERO, 100 * MSS, false);
        let threshold = algorithm.slow_start_threshold();
        algorithm.timed_out(Time::ZERO + SECOND, MSS, true);
        assert_eq!(
            (algorithm.window(), algorithm.slow_start_threshold()),
            (MSS, threshold)
        );
    }
}

#[test]
fn after_a_timeout_slow_start_runs_up_to_the_threshold() {
    for mut algorithm in both() {
        algorithm.timed_out(Time::ZERO, 20 * MSS, false);
        let threshold = algorithm.slow_start_threshold();
        let mut drive = Drive::new(algorithm, Span::from_us(10));
        // One acknowledgement of many segments opens the window by one only: it is no longer the initial slow start.
        drive.acknowledge(8 * MSS, true);
        assert_eq!(drive.algorithm.window(), 2 * MSS);
        for segments in 3..=threshold / MSS {
            drive.acknowledge(MSS, true);
            assert_eq!(drive.algorithm.window(), segments * MSS);
        }
        drive.acknowledge(MSS, true);
        assert!(drive.algorithm.window() < threshold + MSS, "slower from here on");
    }
}

#[test]
fn a_sender_that_was_idle_begins_with_the_initial_window() {
    for algorithm in both() {
        let mut drive = Drive::new(algorithm, Span::from_us(10));
        drive.round();
        drive.round();
        let threshold = drive.algorithm.slow_start_threshold();
        drive.algorithm.restarted();
        assert_eq!(drive.algorithm.window(), 10 * MSS, "was 40");
        assert_eq!(drive.algorithm.slow_start_threshold(), threshold);
        drive.algorithm.timed_out(drive.now, 10 * MSS, false);
        drive.algorithm.restarted();
        assert_eq!(drive.algorithm.window(), MSS, "a smaller one stays");
    }
}

#[test]
fn a_state_that_was_written_and_read_goes_on_the_same() {
    for algorithm in both() {
        let mut drive = Drive::new(algorithm, Span::from_ms(10));
        drive.rounds_for(Span::from_ms(50));
        drive.algorithm.lost(drive.now, drive.algorithm.window());
        drive.round();
        let text = serde_json::to_string(&drive.algorithm).unwrap();
        let mut other = Drive::new(
            serde_json::from_str::<Congestion>(&text).unwrap(),
            drive.round_trip,
        );
        (other.now, other.acknowledged) = (drive.now, drive.acknowledged);
        drive.rounds_for(SECOND);
        other.rounds_for(SECOND);
        assert_eq!(
            serde_json::to_string(&other.algorithm).unwrap(),
            serde_json::to_string(&drive.algorithm).unwrap()
        );
    }
}

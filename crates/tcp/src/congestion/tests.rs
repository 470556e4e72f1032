//! What holds for each algorithm.

use super::*;

const MSS: u64 = 1_460;

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

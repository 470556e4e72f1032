//! One flow that always has something to send: what the link takes, and what the buffers allow.

use super::{Bench, FULL, LINE, MS, MSS, START, assert_within, delay, endless, star};

/// Payload in bits a second that the server receives from `from` to `to`, in ps.
fn rate(bench: &mut Bench, from: u64, to: u64) -> f64 {
    bench.go(from);
    let before = bench.received(1)[0];
    bench.go_and_check(to);
    (bench.received(1)[0] - before) as f64 * 8e12 / (to - from) as f64
}

#[test]
fn a_link_carries_nothing_but_full_segments() {
    let mut bench = Bench::new(&star(1, 1), &endless(), &[]);
    let found = rate(&mut bench, START + 2 * MS, START + 5 * MS);
    // 100 Gbps x 1,460 / 1,518 = 96.18 Gbps.
    assert_within(
        found,
        LINE as f64 * MSS as f64 / FULL as f64,
        0.005,
        "payload at line rate [bit/s]",
    );
    let client = bench.client(0);
    assert_eq!((client.segments_resent, client.timeouts), (0, 0));
}

/// The window grows to the buffers' 4,000,000 B, and stays there.
#[test]
fn a_long_path_carries_the_buffers_once_a_round_trip() {
    for (one_way, round_trip) in [("2500 us", 10 * MS), ("250 us", MS)] {
        let settings = [endless(), delay(one_way)].concat();
        let mut bench = Bench::new(&star(1, 1), &settings, &[]);
        // Slow start from 14,600 B: 9 round trips of doubling would be 7.5 MB. 20 leave room for the handshake.
        let found = rate(&mut bench, START + 20 * round_trip, START + 40 * round_trip);
        let expected = 4_000_000.0 * 8e12 / round_trip as f64;
        assert_within(
            found,
            expected,
            0.01,
            &format!("payload at {one_way} x 4 [bit/s]"),
        );
        assert_eq!(bench.client(0).segments_resent, 0);
    }
}

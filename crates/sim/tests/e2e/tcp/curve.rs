//! CUBIC's window after one loss, on the whole endpoint.

use super::{Bench, MS, MSS, START, delay, endless, lose, rate, star};
use crate::common::S;
use packetloom_fabric::loss::{Loss, Losses, Target};
use packetloom_tcp::CongestionState;

/// RFC 9438, figure 1: W(t) = C (t - K)^3 + W_max in segments, K = cbrt((W_max - cwnd_epoch) / C), with C 0.4.
///
/// A round trip is 4 x 25 ms. An early loss ends slow start; then the window grows to 1,000 segments, and one segment is lost. That
/// leaves 700: K = cbrt(300 / 0.4) = 9.086 s.
///
/// The rate spreads the window over the round trip, as the formula of the increase by acknowledgement supposes: at 145 Mbps a segment
/// takes 83.75 us, and a round trip holds 1,194 of them. Were all sent at once, the window would each time be up to 0.42
/// round trips ahead of the curve: its target is a round trip ahead, and it comes 1 - 1/e of the way.
#[test]
fn the_window_follows_the_cubic_after_one_loss() {
    let settings = [
        endless(),
        delay("25 ms"),
        vec![
            rate("ClientNic", "145 Mbps"),
            rate("ServerNic", "145 Mbps"),
            "Tcp.HyStart=false".into(),
        ],
    ]
    .concat();
    let mut bench = Bench::new(&star(1, 1), &settings, &lose(1, 100 * MSS, 1));
    let segments = |bytes: u64| bytes as f64 / MSS as f64;
    let mut now = START;
    let mut go_until = |bench: &mut Bench, step: u64, there: &dyn Fn(&Bench) -> bool| {
        while !there(bench) {
            now += step;
            assert!(now < 40 * S, "it comes to that");
            bench.go(now);
        }
        now
    };
    go_until(&mut bench, 10 * MS, &|bench| {
        bench.client(0).congestion_window >= 990 * MSS
    });
    // The next segment to come to the server is lost; that is known a round trip later.
    let loss = Loss {
        target: Target::Segment(None),
        skip: 0,
        times: 1,
    };
    // Engine nodes: the switch, the client's host, the server's.
    bench.engine.node_mut(2).set_losses(Losses::new(vec![loss]));
    let before = bench.client(0);
    let w_max = std::cell::Cell::new(0.0);
    go_until(&mut bench, MS / 10, &|bench| {
        let client = bench.client(0);
        let repairs = client.congestion_state == CongestionState::Recovery;
        if !repairs {
            w_max.set(segments(client.congestion_window));
        }
        repairs
    });
    let w_max = w_max.get();
    let epoch = segments(bench.client(0).congestion_window);
    assert!((w_max - 1_000.0).abs() < 10.0, "about 1,000 segments: {w_max}");
    assert!((epoch - 0.7 * w_max).abs() < 1.0, "0.7 of it: {epoch}");
    // The repair ends on an acknowledgement; growth begins with the next one.
    let begun = go_until(&mut bench, MS / 10, &|bench| {
        bench.client(0).congestion_state == CongestionState::Open
    });
    let k = ((w_max - epoch) / 0.4).cbrt();
    println!("W_max {w_max:.2}, cwnd_epoch {epoch:.2}, K {k:.4} s");
    assert!((k - 9.086).abs() < 0.05, "cbrt(300 / 0.4) = 9.086");
    for t in [0.5, 1.0, 2.0, 3.0, 5.0, 7.0, k, 11.0, 13.0, 15.0, 16.0] {
        bench.go(begun + (t * 1e12) as u64);
        let window = segments(bench.client(0).congestion_window);
        let expected = 0.4 * (t - k).powi(3) + w_max;
        println!("W({t:.3} s): {window:.2} segments found, {expected:.2} expected");
        assert!(
            (window - expected).abs() <= 1.0,
            "W({t}): {window}, not {expected}"
        );
    }
    let client = bench.client(0);
    assert_eq!(client.fast_retransmits, before.fast_retransmits + 1);
    assert_eq!(client.segments_resent, before.segments_resent + 1);
    assert_eq!(client.timeouts, before.timeouts);
}

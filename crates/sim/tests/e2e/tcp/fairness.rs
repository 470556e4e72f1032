//! Flows that share a slow link, and what HyStart++ does in front of one.

use super::{Bench, MS, START, delay, endless, rate, star};
use crate::common::S;

/// Endless flows that end at one host with 1 Gbps, over a round trip of four times `one_way`, through a queue of up to `room` bytes at the
/// switch.
fn bottleneck(flows: u64, one_way: &str, room: u64, set: &[String]) -> Bench {
    let settings = [
        endless(),
        delay(one_way),
        vec![
            rate("ServerNic", "1 Gbps"),
            // Class 0 is lossy. Its pool is 0.9 of what the headrooms leave, and with alpha 1 one queue may have half of it.
            "RackSwitch.SharedBufferManager.EnablePFC=[0,1,0,0,0,0,0,0]".into(),
            "RackSwitch.SharedBufferManager.HeadRoomPerPortLimit=10 KB".into(),
            format!(
                "RackSwitch.SharedBufferManager.TotalSharedBufferSize={} B",
                2 * room * 10 / 9 + (flows + 1) * 10_000
            ),
            "RackSwitch.SharedBufferManager.LossyAlpha=1".into(),
        ],
        set.to_vec(),
    ]
    .concat();
    Bench::new(&star(flows, 1), &settings, &[])
}

/// Jain's index: 1 when all have the same, 1/n when one has all.
fn jain(shares: &[f64]) -> f64 {
    let (sum, squares) = (
        shares.iter().sum::<f64>(),
        shares.iter().map(|x| x * x).sum::<f64>(),
    );
    sum * sum / (shares.len() as f64 * squares)
}

/// Payload of each of 8 flows over 10 s. They start at times of their own within a second, and get another one to settle.
///
/// A round trip is 1 ms: 0.125 MB fill the link. The queue holds twice as much, and then a round trip is 3 ms. The 8 windows are up to
/// 0.375 MB / 8 = 32 segments, which Reno's growth within CUBIC (9/17 of a segment a round trip) brings back after a loss in
/// 10 / 0.53 round trips of about 2.5 ms: 50 ms. So 10 s see some 200 losses, and chance evens out. (CUBIC's own curve would
/// take cbrt(10 / 0.4) = 2.9 s each time; over round trips of 10 ms and more, 10 s see too few losses.)
fn shares(seed: u64) -> Vec<f64> {
    let set = [
        "Tcp.StartType=uniform".to_owned(),
        "SimulationParameters.ClientStartInterval=1".to_owned(),
        format!("SimulationParameters.RandomSeed={seed}"),
    ];
    let mut bench = bottleneck(8, "250 us", 250_000, &set);
    bench.go(2 * S);
    let before = bench.received(8);
    let totals = bench.go_and_check(12 * S);
    assert!(totals.drops > 0, "the queue is full at times");
    let after = bench.received(8);
    let shares: Vec<f64> = after.iter().zip(before).map(|(a, b)| (a - b) as f64).collect();
    let timeouts: u64 = (0..8).map(|host| bench.client(host).timeouts).sum();
    let used = shares.iter().sum::<f64>() * 8.0 / 10.0 / (1e9 * 1_460.0 / 1_518.0);
    println!(
        "seed {seed}: Jain's index {:.4}, {used:.4} of the link, {} drops, {timeouts} timeouts: {shares:?}",
        jain(&shares),
        totals.drops
    );
    assert!((0.97..1.001).contains(&used), "the link is used: {used}");
    shares
}

#[test]
fn eight_flows_share_a_slow_link_evenly() {
    assert!((jain(&[1.0, 1.0, 2.0]) - 16.0 / 18.0).abs() < 1e-12, "by hand");
    for seed in [18_760, 1, 2, 3] {
        let index = jain(&shares(seed));
        assert!(index > 0.95, "{index}");
    }
}

/// 8 flows over a round trip of 0.4 ms, and a queue of 12.5 MB, 104 ms of payload at 120.2 kB a millisecond.
///
/// All windows together are 0.117 MB x 2^n: the round trips are 3.9, 7.8 and 15.5 ms with 0.47, 0.93 and 1.87 MB. HyStart++
/// finds the last, more than 4 ms longer than the one before, when its acknowledgements come, by when the windows are 1.87 to
/// 3.74 MB. Five rounds of a quarter each make 5.7 to 11.4 MB of that, and slow start ends without a loss. Without it windows grow by half a round trip, beyond
/// the 12.5 MB, until losses tell a round trip later.
#[test]
fn hystart_leaves_slow_start_before_the_queue_is_full() {
    let start = |hystart: bool| {
        let mut bench = bottleneck(8, "100 us", 12_500_000, &[format!("Tcp.HyStart={hystart}")]);
        let mut now = START;
        while (0..8).any(|host| bench.client(host).slow_start_threshold == u64::MAX) {
            now += MS;
            bench.go(now);
            assert!(now < 2 * S, "slow start ends");
        }
        let threshold: u64 = (0..8).map(|host| bench.client(host).slow_start_threshold).sum();
        let totals = bench.go_and_check(now + 100 * MS);
        println!(
            "HyStart {hystart}: {} drops, thresholds of {threshold} B together at {} ms",
            totals.drops,
            now / MS
        );
        (totals.drops, threshold)
    };
    let (dropped, threshold) = start(true);
    assert_eq!(dropped, 0);
    assert!((5_700_000..11_400_000).contains(&threshold), "{threshold}");
    let (dropped, _) = start(false);
    assert!(dropped > 1_000, "{dropped}");
}

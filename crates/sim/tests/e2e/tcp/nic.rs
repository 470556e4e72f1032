//! A NIC under several connections that always have something to send.

use super::{Bench, FULL, LINE, MS, MSS, START, assert_within, endless, rate, star};

/// 8 connections offer more than 100 Gbps; the way on is faster, so that the sender's NIC alone holds them back. They wait
/// there in turn, and none is ever dropped.
#[test]
fn connections_share_a_busy_nic_evenly() {
    let settings = [
        endless(),
        vec!["Tcp.NumConnections=8".into(), rate("ServerNic", "400 Gbps")],
    ]
    .concat();
    let mut bench = Bench::new(&star(1, 1), &settings, &[]);
    bench.go(START + MS);
    let before = bench.received(1);
    let totals = bench.go_and_check(START + 6 * MS);
    let shares: Vec<u64> = bench.received(1).iter().zip(before).map(|(a, b)| a - b).collect();
    println!("payload of each in 5 ms: {shares:?}");
    let sum: u64 = shares.iter().sum();
    assert_within(
        sum as f64 * 8e12 / (5 * MS) as f64,
        LINE as f64 * MSS as f64 / FULL as f64,
        0.001,
        "payload together [bit/s]",
    );
    // One segment each in turn: they differ by what fits the buffer at most, of 5,148 segments each.
    let (least, most) = (shares.iter().min().expect("8"), shares.iter().max().expect("8"));
    assert!(most - least <= 2 * MSS, "{least} to {most}");
    assert_eq!((totals.drops, totals.repeats), (0, 0));
    let nic = bench.host(0).nic();
    assert_eq!(nic.port().counters.send_drops, 0);
    assert!(nic.anyone_waits(), "the buffer is full all the time");
}

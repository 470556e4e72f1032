//! A million transactions in one run.

use super::{constant, recorded_from_the_start, star};
use crate::common::settings;
use packetloom_records::Record;
use packetloom_sim::progress::Progress;
use packetloom_sim::{RunOptions, run};

/// 64 pairs of 8 connections, 512 in all, with 100,000 requests a second each: 51.2 million a second, a million in 20 ms. The books of
/// every node balance at the end (debug assertions are on).
#[test]
fn a_million_transactions() {
    let settings = [
        recorded_from_the_start(0.02),
        constant(400, 1_000),
        settings(["Tcp.NumConnections=8", "Tcp.RequestRate=100000"]),
    ]
    .concat();
    let scenario = crate::common::scenario(&star(64, 64), &settings);
    let out = tempfile::tempdir().expect("a folder");
    let mut options = RunOptions::new("t", out.path());
    options.records = vec![Record::Perf];
    let summary = run(&scenario, &options, &Progress::default()).unwrap_or_else(|e| panic!("{e}"));
    let completed = summary.applications[0].recorded;
    println!(
        "{completed} transactions, {} packet-hops, {} events in {:.1} s",
        summary.packet_hops, summary.events, summary.wall_seconds
    );
    // Poisson: a standard deviation of 1,012.
    assert!(
        (1_024_000 - 4_100..1_024_000 + 4_100).contains(&completed),
        "{completed}"
    );
    let text = std::fs::read_to_string(out.path().join("t-perf-0.csv")).expect("is written");
    assert_eq!(text.lines().count() as u64, completed + 1);
}

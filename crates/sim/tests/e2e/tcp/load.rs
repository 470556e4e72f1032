//! How many requests there are.

use super::{constant, recorded_from_the_start, star};
use crate::common::{S, Table, settings};
use packetloom_records::Record;
use packetloom_sim::progress::Progress;
use packetloom_sim::{RunOptions, run};
use std::collections::BTreeMap;

/// Times of generation by connection, in ps, of all transactions completed in a run of so many seconds.
fn generated(seconds: f64, set: &[String]) -> BTreeMap<String, Vec<u64>> {
    let settings = [
        recorded_from_the_start(seconds),
        constant(400, 1_000),
        settings(["Tcp.NumConnections=8", "Tcp.RequestRate=500"]),
        set.to_vec(),
    ]
    .concat();
    let out = tempfile::tempdir().expect("a folder");
    let mut options = RunOptions::new("t", out.path());
    options.records = vec![Record::Perf];
    let scenario = crate::common::scenario(&star(1, 1), &settings);
    run(&scenario, &options, &Progress::default()).unwrap_or_else(|e| panic!("{e}"));
    let table = Table::read(&out.path().join("t-perf-0.csv"));
    let mut times: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for row in table.rows() {
        let of = times.entry(row["application_name"].to_owned()).or_default();
        of.push(row.scaled("start_time_sec", 12));
    }
    assert_eq!(times.len(), 8);
    assert!(
        times.values().all(|times| times.is_sorted()),
        "replies are in order"
    );
    times
}

/// 8 x 500 = 4,000 a second: 20,000 in 5 s. Their number is Poisson's, with a standard deviation of 141; four are 2.8 %.
#[test]
fn a_pair_makes_eight_times_the_rate() {
    let times = generated(5.0, &[]);
    let count: usize = times.values().map(Vec::len).sum();
    println!("{count} requests in 5 s, 20000 expected");
    assert!((20_000 - 4 * 141..20_000 + 4 * 141).contains(&count), "{count}");
    // Gaps are exponential: their standard deviation is their mean, 2 ms; 1/e of them are longer.
    let gaps: Vec<f64> = times
        .values()
        .flat_map(|times| times.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e9))
        .collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let deviation = (gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64).sqrt();
    let longer = gaps.iter().filter(|&&gap| gap > 2.0).count() as f64 / gaps.len() as f64;
    println!("gaps: mean {mean} ms, deviation {deviation} ms, {longer} longer than 2 ms");
    assert!((mean - 2.0).abs() < 0.06 && (deviation - 2.0).abs() < 0.12);
    assert!(
        (longer - (-1.0_f64).exp()).abs() < 0.014,
        "4 x sqrt(0.37 x 0.63 / 20,000)"
    );
}

/// 50 ms on and 50 ms off at 500 a second: 1 + 25 requests a period of 0.052 + 0.050 s, 254.9 a second.
///
/// 30 s of 8 connections are about 2,350 periods. The number of requests of one has a variance of 25, so their mean has a
/// standard deviation of 5 / sqrt(2,350) = 0.1.
#[test]
fn periods_have_26_requests() {
    let periods = settings(["Tcp.BurstOnCycleTime=50 ms", "Tcp.BurstOffCycleTime=50 ms"]);
    let times = generated(30.0, &periods);
    let (mut requests, mut whole, mut lasted) = (0, 0, 0);
    for times in times.values() {
        // An Off period is 50 ms or more without a request; a gap like that in an On period comes once in e^25.
        let starts: Vec<usize> = (0..times.len())
            .filter(|&at| at == 0 || times[at] - times[at - 1] >= S / 20)
            .collect();
        let (first, last) = (starts[0], starts[starts.len() - 1]);
        requests += last - first;
        whole += starts.len() - 1;
        lasted += times[last] - times[first];
        for &[from, to] in starts.array_windows() {
            let on = times[to - 1] - times[from];
            assert!(on < S / 20, "an On period takes requests for 50 ms: {on} ps");
            // The next one starts 50 ms after the gap that went beyond.
            assert!(times[to] - times[from] >= S / 10);
        }
    }
    let mean = requests as f64 / whole as f64;
    let rate = requests as f64 / (lasted as f64 / 1e12);
    println!("{whole} periods, {mean} requests each (26), {rate} a second (254.9)");
    assert!((mean - 26.0).abs() < 0.4, "{mean}");
    assert!((rate - 254.9).abs() < 0.01 * 254.9, "{rate}");
}

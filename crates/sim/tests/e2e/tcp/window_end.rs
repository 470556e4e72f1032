//! What ends with the recording window, and what goes on.

use super::{MS, START, constant, recorded_from_the_start, star};
use crate::common::{Outcome, play, settings};

/// Requests at up to 8 x 20,000 a second for replies of 100 kB, 128 Gbps, over 100 Gbps: they pile up.
fn overload() -> Outcome {
    let settings = [
        recorded_from_the_start(0.01),
        constant(400, 100_000),
        settings([
            "Tcp.NumConnections=8",
            "Tcp.RequestRate=20000",
            "SimulationParameters.CoolDown=0.003",
            "SimulationParameters.BeaconReportInterval=0.0005",
        ]),
    ]
    .concat();
    play(&star(1, 1), &settings)
}

#[test]
fn replies_wait_at_the_servers_and_are_discarded_at_the_end() {
    let outcome = overload();
    let end = START + 10 * MS;
    let perf = outcome.table("perf");
    assert!(perf.rows().all(|row| row.time() >= START && row.time() <= end));
    let beacon = outcome.table("beacon");
    let count = |column: &str| -> Vec<u64> {
        let after = beacon.rows().filter(|row| row.time() > end);
        after.map(|row| row.int(column)).collect()
    };
    let at_end = beacon.one(|row| row.time() == end);
    // Nothing new: no request, and no reply that had not begun.
    let [asked, received, begun, done] = ["tx_client", "rx_server", "tx_server", "rx_client"]
        .map(|column| (at_end.int(column), count(column)));
    assert!(asked.1.len() >= 5);
    assert!(asked.1.iter().all(|&n| n == asked.0), "{asked:?}");
    assert!(begun.1.iter().all(|&n| n == begun.0), "{begun:?}");
    // Requests under way still arrive, but are not answered.
    assert!(received.0 > begun.0 + 8, "replies wait: {received:?}, {begun:?}");
    assert!(received.1.iter().all(|&n| n <= asked.0));
    // Replies that have begun go on to the client, though they are not recorded.
    assert_eq!(done.1.last(), Some(&begun.0), "all that had begun is done");
    assert!(done.0 < begun.0);
    assert_eq!(perf.len() as u64, done.0);
    // Bytes are counted within the recording window alone.
    assert!(count("rx_bytes_writer").iter().all(|&n| n == 400 * received.0));
    assert_eq!(outcome.summary.applications[0].recorded, done.0);
    assert_eq!(outcome.summary.applications[0].completed, begun.0);
}

/// At light load all that is asked for is answered, whatever the end.
#[test]
fn requests_stop_with_the_recording_window() {
    let settings = [
        recorded_from_the_start(0.05),
        settings(["SimulationParameters.CoolDown=0.05", "Tcp.RequestRate=2000"]),
    ]
    .concat();
    let outcome = play(&star(2, 2), &settings);
    let end = START + 50 * MS;
    let perf = outcome.table("perf");
    let generated = |row: crate::common::Row<'_>| row.scaled("start_time_sec", 12);
    let last = perf.rows().map(generated).max().expect("rows");
    assert!(last <= end && last > end - MS);
    let beacon = outcome.table("beacon");
    let last = beacon.rows().last().expect("rows");
    let at_end = beacon.one(|row| row.time() == end);
    assert_eq!(last.time(), end + 50 * MS, "the stop time");
    assert_eq!(last.int("tx_client"), at_end.int("tx_client"));
    // All that was asked for in time is answered; what arrives at the server after the end is not.
    assert!(last.int("rx_client") + 2 >= last.int("tx_client"));
    assert_eq!(last.int("rx_client"), last.int("tx_server"));
}

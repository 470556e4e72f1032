//! Losses whose repair is known, as `tcp-stats` tells of them.
//!
//! One endless flow over a round trip of 1 ms; segments are lost on the link to the server.

use super::{MSS, constant, delay, endless, lose, star};
use crate::common::{Outcome, Row, Table, run_under_every_cut, scenario};
use packetloom_fabric::loss::Loss;
use packetloom_fabric::topology::Endpoint;

/// A run of 200 ms with a row each half millisecond.
fn run(losses: &[(Endpoint, Vec<Loss>)]) -> Outcome {
    let settings = [
        endless(),
        delay("250 us"),
        vec![
            "SimulationParameters.RunTime=0.06".into(),
            "SimulationParameters.EnableTcpStackReporting=true".into(),
            "SimulationParameters.TcpStackReportInterval=0.0005".into(),
        ],
    ]
    .concat();
    run_under_every_cut(&scenario(&star(1, 1), &settings), |options| {
        options.losses = losses.to_vec();
    })
}

fn last(table: &Table) -> Row<'_> {
    table.rows().last().expect("rows")
}

/// The window begins with 10 segments and has grown by the 300 that are acknowledged before the lost one: 310. All of it is in
/// flight: acknowledgements come at half of the line rate, each lets four segments go, and the NIC's buffer holds the half
/// that it cannot send meanwhile, 150 segments at most of 170.
const LOST: u64 = 300 * MSS;
const WINDOW: u64 = 310 * MSS;

#[test]
fn one_loss_cuts_the_window_once() {
    let outcome = run(&lose(1, LOST, 1));
    let table = outcome.table("tcp-stats");
    let end = last(&table);
    assert_eq!((end.int("RECOVERY"), end.int("NumFastRetrans")), (1, 1));
    assert_eq!((end.int("NumRTO"), end.int("LOSS")), (0, 0));
    assert_eq!(end.int("SlowStartThreshold"), WINDOW * 7 / 10);
    // A row falls into the repair, and shows the threshold as the window.
    let repair = table.rows().find(|row| &row["CongState"] == "RECOVERY");
    let repair = repair.expect("a row in between");
    assert_eq!(repair.int("CongestionWindow"), WINDOW * 7 / 10, "0.7 of before");
    assert!(repair.int("NACKSRecvd") > 0 && repair.int("DupAcksOrSacks") > 0);
    for row in table.rows() {
        let (threshold, window) = (row.int("SlowStartThreshold"), row.int("CongestionWindow"));
        match row.int("RECOVERY") {
            0 => assert!(threshold == u32::MAX as u64 && window <= WINDOW),
            _ => assert!(window >= WINDOW * 7 / 10, "not cut again"),
        }
    }
    // Nothing is lost: all that is sent but what is under way arrives, and one segment was sent twice.
    assert_eq!(outcome.summary.retransmissions, 1);
}

#[test]
fn without_a_loss_nothing_is_cut() {
    let table = run(&[]).table("tcp-stats");
    for row in table.rows() {
        for column in [
            "DISORDER",
            "RECOVERY",
            "LOSS",
            "CWR",
            "NumRTO",
            "NumFastRetrans",
            "DupAcksOrSacks",
        ] {
            assert_eq!(row.int(column), 0, "{column}");
        }
        assert_eq!(row.int("SlowStartThreshold"), u32::MAX as u64);
    }
}

/// A repetition that is lost too is not found by SACK; the timer repairs it, once.
#[test]
fn a_lost_repetition_waits_for_the_timer() {
    let outcome = run(&lose(1, LOST, 2));
    let table = outcome.table("tcp-stats");
    let end = last(&table);
    assert_eq!((end.int("RECOVERY"), end.int("NumFastRetrans")), (1, 1));
    assert_eq!((end.int("NumRTO"), end.int("LOSS")), (1, 1));
    assert_eq!(&end["CongState"], "OPEN", "it goes on");
    // The window starts again with one segment.
    let lossy = table.rows().find(|row| &row["CongState"] == "LOSS");
    let lossy = lossy.expect("a row in between");
    // 310 segments x 0.7 = 217; the loss of a repetition counts as a second one (RFC 5681, section 4.3): x 0.7 again.
    assert_eq!(lossy.int("SlowStartThreshold"), 217 * MSS * 7 / 10);
    // The timeout is the least one, 20 ms, from the repetition or the last acknowledgement of new data on: at round trip 5.
    let gone = |column: &str| {
        let row = table.rows().find(|row| row.int(column) == 1);
        row.expect("it goes up").time()
    };
    let between = gone("NumRTO") - gone("NumFastRetrans");
    assert!(
        (19_000_000_000..21_500_000_000).contains(&between),
        "{between} ps"
    );
}

/// The last segment of a request has nothing behind it that could report it missing.
#[test]
fn a_lost_tail_waits_for_the_timer() {
    let settings = [
        endless(),
        constant(5 * MSS, 2_000),
        vec![
            "SimulationParameters.ClientStartInterval=0".into(),
            "SimulationParameters.WarmUp=0".into(),
            "SimulationParameters.RunTime=0.06".into(),
        ],
    ]
    .concat();
    let run = |losses: &[(Endpoint, Vec<Loss>)]| {
        let scenario = scenario(&star(1, 1), &settings);
        let outcome = run_under_every_cut(&scenario, |options| options.losses = losses.to_vec());
        let table = outcome.table("perf");
        assert_eq!(table.len(), 1);
        table.rows().next().expect("one").latency()
    };
    // The timeout is the least one, and starts with the last acknowledgement of new data: that of segments 2 and 4.
    let late = run(&lose(1, 4 * MSS, 1)) - run(&[]);
    assert!((19_999_000_000..20_001_000_000).contains(&late), "{late} ps");
}

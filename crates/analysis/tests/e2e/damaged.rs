//! Records that are not as they should be.

use crate::lab::{Lab, completion, ms, name, port, run};
use packetloom_analysis::Options;
use packetloom_records::{Record, RunFile};
use proptest::prelude::*;
use std::fs;

fn lab() -> Lab {
    let lab = Lab::new();
    let one = name(1);
    lab.rows(0, &[completion(&one, ms(4), 900), completion(&one, ms(5), 100)]);
    lab.rows(0, &[port(1, 3, 1_000, 1_000), port(1, 4, 2_000, 1_000)]);
    lab
}

#[test]
fn a_torn_row_is_left_out_and_told() {
    let lab = lab();
    let perf = lab.read("t-rdma-perf-0.csv");
    lab.write("t-rdma-perf-0.csv", &perf[..perf.len() - 3]);
    let summary = lab.summary();
    assert_eq!(summary.applications[0].completed, 1);
    assert!(
        summary.notes[0].starts_with("t-rdma-perf-0.csv ends in the middle of a row, which is left out"),
        "{:?}",
        summary.notes
    );
    let torn: Vec<_> = summary
        .records
        .iter()
        .map(|r| (r.record, r.rows, r.torn))
        .collect();
    assert_eq!(torn, [("rdma-perf", Some(1), true), ("nd-stats", Some(2), false)]);
}

/// As after a full disk: one file got further than another.
#[test]
fn records_of_an_unfinished_run_that_end_at_different_times_are_told() {
    let told = |run: &RunFile, reports: u64| {
        let lab = lab();
        lab.run(run);
        let reports: Vec<_> = (3..=reports).map(|at| port(1, at, at * 1_000, 1_000)).collect();
        lab.rows(0, &reports);
        let notes = lab.summary().notes;
        let mut notes = notes.into_iter().filter(|note| note.contains("different times"));
        notes.next()
    };
    let unfinished = RunFile { ended: None, ..run() };
    // The last write completes at 5 ms.
    assert_eq!(
        told(&unfinished, 7).as_deref(),
        Some(
            "the run did not come to its end, and its records end at different times, t-rdma-perf-0.csv first, at 0.005 s, \
             the last at 0.007 s: figures beyond the first are incomplete"
        )
    );
    assert!(told(&unfinished, 4).is_some_and(|note| note.contains("t-nd-stats-0.csv first, at 0.004 s,")));
    assert_eq!(told(&unfinished, 5), None);
    assert_eq!(told(&run(), 7), None, "a run that ended wrote all there is");
}

#[test]
fn what_is_wrong_is_told_with_file_and_line() {
    let lab = lab();
    let perf = lab.read("t-rdma-perf-0.csv");
    lab.write("t-rdma-perf-0.csv", perf.replace(",250000,", ",lots,"));
    assert_eq!(
        lab.error(),
        "t-rdma-perf-0.csv:2: transfer_size is \"lots\"; it must be a whole number from 0 on"
    );
    lab.write("t-rdma-perf-0.csv", perf.replace("wqe_id", "id"));
    assert_eq!(
        lab.error(),
        "t-rdma-perf-0.csv:1: the header's column 11 is \"id\"; in rdma-perf it must be \"wqe_id\""
    );
    lab.write("t-rdma-perf-0.csv", perf);
    let ports = lab.read("t-nd-stats-0.csv");
    let lines: Vec<&str> = ports.lines().collect();
    lab.write(
        "t-nd-stats-0.csv",
        format!("{}\n{}\n{}\n", lines[0], lines[2], lines[1]),
    );
    assert_eq!(
        lab.error(),
        "t-nd-stats-0.csv:3: the row is of an earlier time than one before it; rows must be in the order in which they \
         were written"
    );
}

#[test]
fn an_empty_file_is_noted() {
    let lab = lab();
    lab.write("t-ecn-pfc-stats-0.csv", "");
    let summary = lab.summary();
    assert_eq!(
        summary.notes[0],
        "t-ecn-pfc-stats-0.csv has no header: the file is empty and tells nothing"
    );
    assert_eq!(summary.counters.pauses_sent, None);
    assert_eq!(summary.tiers[0].pauses_sent, None);
}

#[test]
fn a_start_beyond_the_end_is_told_as_such() {
    let lab = lab();
    let mut run = crate::lab::run();
    run.ended = Some(packetloom_records::RunEnd {
        simulated_ps: ms(4),
        interrupted: true,
    });
    lab.run(&run);
    let options = Options {
        from: Some(packetloom_des::Time::from_ps(ms(2_000))),
        to: None,
    };
    let error = lab.try_summary(&options).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "the records end at 0.004 s, before the window starts at 2 s; give a --from that is not above that"
    );
    // A run that goes on has not come that far.
    run.ended = None;
    lab.run(&run);
    let summary = lab.try_summary(&options).expect("a summary");
    assert!(
        summary.notes[0].starts_with("the records end at 0.005 s, before the window starts at 2 s"),
        "{:?}",
        summary.notes
    );
}

#[test]
fn other_tables_are_named_and_left_out() {
    let lab = lab();
    lab.write("extra.csv", "a,b\n1,2\n");
    lab.write("readme.txt", "x");
    let summary = lab.summary();
    assert_eq!(summary.ignored, ["extra.csv"]);
    assert_eq!(summary.notes[0], "left out, being no records: extra.csv");
}

#[test]
fn a_folder_without_rows_has_a_summary_too() {
    let lab = Lab::new();
    for record in Record::ALL {
        lab.write(
            &format!("t-{}-0.csv", record.name()),
            record.schema().header() + "\n",
        );
    }
    let summary = lab.summary();
    assert_eq!(
        (summary.simulated_seconds, summary.records.len()),
        (0.0, Record::ALL.len())
    );
    assert!(summary.applications.is_empty() && summary.report_window.is_none());
}

/// Numbers at their ends, in every column at once.
#[test]
fn the_largest_numbers_do_not_run_over() {
    let lab = Lab::new();
    for record in Record::ALL {
        let row = |text: &str| {
            let cells = record
                .schema()
                .columns
                .iter()
                .map(|column| match column.column_type.label() {
                    "text" if column.name == "socket_type" => "CLIENT",
                    "text" => "name",
                    "integer" => "-9223372036854775808",
                    // The largest that every exact decimal can hold: of seconds, 12 digits behind the point.
                    "exact decimal" => "18446744.073709551615",
                    _ => text,
                });
            cells.collect::<Vec<_>>().join(",") + "\n"
        };
        let text = record.schema().header() + "\n" + &row("0") + &row("18446744073709551615");
        lab.write(&format!("t-{}-0.csv", record.name()), &text);
        lab.write(&format!("t-{}-1.csv", record.name()), text);
    }
    assert_eq!(
        lab.error(),
        "t-rdma-perf-1.csv:3: the sums of these requests' sizes and latencies are beyond 2^64"
    );
    fs::remove_file(lab.file("t-rdma-perf-1.csv")).expect("removed");
    let summary = lab.summary();
    assert_eq!(summary.simulated_seconds, u64::MAX as f64 / 1e12);
    assert_eq!(
        summary.counters.packets_dropped_by_nics.map(|drops| drops.run),
        Some(0)
    );
}

proptest! {
    /// Whatever is in a file, the answer is a summary or an error.
    #[test]
    fn nothing_in_a_file_is_too_odd(
        record in prop::sample::select(Record::ALL),
        rows in prop::collection::vec(prop::collection::vec("[0-9.,\"\n a-]{0,6}|18446744073709551615|1e300|NAN", 90), 0..4),
    ) {
        let lab = Lab::new();
        let columns = record.schema().columns.len();
        let mut text = record.schema().header() + "\n";
        for row in rows {
            text += &row[..columns].join(",");
            text.push('\n');
        }
        lab.write(&format!("t-{}-0.csv", record.name()), text);
        let _ = lab.try_summary(&Options::default());
    }
}

//! Somebody presses Ctrl-C.

use crate::lab::{Lab, PROGRAM, document};
use serde_json::Value;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Starts a run that would take hours, and waits until it writes.
fn long_run(lab: &Lab) -> Child {
    long_run_with(lab, &[])
}

fn long_run_with(lab: &Lab, settings: &[&str]) -> Child {
    let child = Command::new(PROGRAM)
        .args([
            "run",
            "fabric.json",
            "--out",
            "out",
            "--json",
            "--set",
            "SimulationParameters.RunTime=1000",
        ])
        .args(settings.iter().flat_map(|setting| ["--set", setting]))
        .current_dir(lab.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let start = Instant::now();
    let grown =
        || std::fs::metadata(lab.path("out/four-hosts-rdma-perf-0.csv")).is_ok_and(|m| m.len() > 100_000);
    while !grown() {
        assert!(start.elapsed() < Duration::from_secs(60), "it writes nothing");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

fn interrupt(child: &Child) {
    let status = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(status.is_ok_and(|status| status.success()));
}

#[test]
fn the_first_one_ends_the_run_with_what_it_has() {
    let lab = Lab::with(&document());
    let child = long_run(&lab);
    interrupt(&child);
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(130));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("interrupted at "), "{stderr}");
    let summary: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(summary["interrupted"], true);

    let records = lab.read("out/four-hosts-rdma-perf-0.csv");
    assert!(records.ends_with('\n'));
    let mut reader = csv::Reader::from_reader(records.as_bytes());
    assert!(reader.records().all(|row| row.is_ok()), "a row is torn");
}

#[test]
fn impatience_ends_it_too() {
    let lab = Lab::with(&document());
    let mut child = long_run(&lab);
    for _ in 0..2 {
        interrupt(&child);
        std::thread::sleep(Duration::from_millis(1));
    }
    // Whether the run was done first or the second one came first, the code is the same.
    assert_eq!(child.wait().expect("ended").code(), Some(130));
}

/// One rack is one partition, which could run up to the next report without looking up.
#[test]
fn it_does_not_wait_for_the_next_report() {
    let lab = Lab::with(&document());
    let seldom = [
        "SimulationParameters.BeaconReportInterval=500",
        "SimulationParameters.NDStatsReportInterval=500",
    ];
    let child = long_run_with(&lab, &seldom);
    interrupt(&child);
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(130));
}

/// Nothing happens but reports, of which there would be 10^8.
#[test]
fn it_is_heard_when_no_event_is_due() {
    let lab = Lab::with(&document());
    let mut child = Command::new(PROGRAM)
        .args(["run", "fabric.json", "--out", "out", "--quiet"])
        .args([
            "--set",
            "Rdma.MaxPendingWQEs=0",
            "--set",
            "SimulationParameters.RunTime=100000",
        ])
        .current_dir(lab.path("."))
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let start = Instant::now();
    let grown = || std::fs::metadata(lab.path("out/four-hosts-beacon-0.csv")).is_ok_and(|m| m.len() > 10_000);
    while !grown() {
        assert!(start.elapsed() < Duration::from_secs(60), "it writes nothing");
        std::thread::sleep(Duration::from_millis(20));
    }
    interrupt(&child);
    assert_eq!(child.wait().expect("ended").code(), Some(130));
}

//! Somebody presses Ctrl-C.

use crate::lab::{Lab, PROGRAM, document};
use serde_json::Value;
use std::io::{PipeReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Starts a run that would take hours, and waits until it writes.
fn long_run(lab: &Lab) -> Child {
    long_run_with(lab, &[])
}

fn long_run_with(lab: &Lab, settings: &[&str]) -> Child {
    let settings: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
    long_run_to(lab, &settings, Stdio::piped())
}

fn long_run_to(lab: &Lab, arguments: &[&str], stdout: Stdio) -> Child {
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
        .args(arguments)
        .current_dir(lab.path("."))
        .stdout(stdout)
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

/// The records are as good while the run goes on as after it.
#[test]
fn a_run_that_goes_on_is_summed_up_as_far_as_it_has_come() {
    let lab = Lab::with(&document());
    let child = long_run(&lab);
    let meanwhile = lab.packetloom(&["summary", "out", "--json"]).succeeded().json();
    interrupt(&child);
    child.wait_with_output().expect("ended");
    assert_eq!(meanwhile["state"], "unfinished");
    assert_eq!(meanwhile["stop_seconds"], 1000.003);
    assert!(
        meanwhile["applications"][0]["recorded"]
            .as_u64()
            .is_some_and(|n| n > 100),
        "{meanwhile}"
    );
    let after = lab.packetloom(&["summary", "out"]).succeeded();
    assert!(
        after
            .stdout
            .contains("(interrupted; it was to stop at 16 min 40 s)"),
        "{after:#?}"
    );
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_files_are_made_of_what_there_is() {
    let lab = Lab::with(&document());
    let child = long_run_to(&lab, &["--format", "parquet"], Stdio::piped());
    interrupt(&child);
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(130));
    let told: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let files = lab.listing("out");
    assert!(
        files
            .iter()
            .all(|name| name.ends_with(".parquet") || name.ends_with(".json")),
        "{files:?}"
    );
    let summary = lab.packetloom(&["summary", "out", "--json"]).succeeded().json();
    assert_eq!(summary["state"], "interrupted");
    assert_eq!(
        summary["applications"][0]["completed"],
        told["applications"][0]["completed"]
    );
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

/// A long run whose summary nobody reads into a pipe that is full, so that one interrupt cannot end it.
struct StuckRun {
    child: Child,
    pipe: PipeReader,
    /// What keeps the pipe full.
    filler: Child,
}

impl StuckRun {
    fn start(lab: &Lab) -> Self {
        let (pipe, writer) = std::io::pipe().expect("a pipe");
        let end = writer.try_clone().expect("a handle");
        let filler = Command::new("yes").stdout(end).spawn().expect("started");
        StuckRun {
            child: long_run_to(lab, &[], writer.into()),
            pipe,
            filler,
        }
    }

    fn is_stuck(&mut self) -> bool {
        self.child.try_wait().expect("asked").is_none()
    }

    /// Reads what it has to say, which lets it end.
    fn read(mut self) -> (ExitStatus, String) {
        self.filler.kill().expect("killed");
        self.filler.wait().expect("ended");
        let mut text = String::new();
        self.pipe.read_to_string(&mut text).expect("text");
        let said = text.trim_start_matches(['y', '\n']).to_owned();
        (self.child.wait().expect("ended"), said)
    }
}

/// `timeout -s INT` and shells that pass signals on send two for one press.
#[test]
fn two_at_once_are_one() {
    let lab = Lab::with(&document());
    let mut run = StuckRun::start(&lab);
    let id = run.child.id();
    let line = format!("kill -INT {id}; sleep 0.005; kill -INT {id}");
    assert_eq!(lab.bash(&line).code, Some(0));
    std::thread::sleep(Duration::from_millis(100));
    assert!(run.is_stuck(), "the second one ended it");
    let (status, summary) = run.read();
    assert_eq!(status.code(), Some(130));
    let summary: Value = serde_json::from_str(&summary).expect("one JSON object");
    assert_eq!(summary["interrupted"], true);
    let records = lab.read("out/four-hosts-rdma-perf-0.csv");
    let mut reader = csv::Reader::from_reader(records.as_bytes());
    let rows: Result<Vec<_>, _> = reader.records().collect();
    assert_eq!(
        summary["applications"][0]["completed"],
        rows.expect("whole rows").len(),
        "rows still in memory were lost"
    );
}

#[test]
fn impatience_ends_it_too() {
    let lab = Lab::with(&document());
    let mut run = StuckRun::start(&lab);
    interrupt(&run.child);
    std::thread::sleep(Duration::from_millis(600));
    assert!(run.is_stuck(), "the first one ended it");
    interrupt(&run.child);
    let start = Instant::now();
    while run.is_stuck() && start.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let ended = !run.is_stuck();
    let (status, summary) = run.read();
    assert!(ended, "the second one did not end it");
    assert_eq!((status.code(), summary.as_str()), (Some(130), ""));
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

//! Simulations on a server that come to another end than their own: killed, interrupted, out of space.

use crate::lab::{Lab, names};
use crate::server_lab::{Server, folder};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Long enough to be still running whenever a test looks: 10 s of simulated time.
pub const LONG: &str = "10s";

/// The number of the process that runs a simulation.
#[track_caller]
fn process_of(sim: &str) -> String {
    for entry in fs::read_dir("/proc").expect("/proc").flatten() {
        let number = entry.file_name().to_string_lossy().into_owned();
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let arguments: Vec<&[u8]> = command.split(|byte| *byte == 0).collect();
        if arguments.get(1) == Some(&&b"job"[..]) && arguments.get(2) == Some(&sim.as_bytes()) {
            return number;
        }
    }
    panic!("no process runs {sim}");
}

fn signal(name: &str, number: &str) {
    assert!(
        Command::new("kill")
            .args([name, number])
            .status()
            .expect("started")
            .success()
    );
}

/// Whole records, of which a summary can be made.
#[track_caller]
pub fn are_whole(folder: &Path) -> Value {
    for name in names(folder) {
        if name.ends_with(".csv") {
            let text = fs::read_to_string(folder.join(&name)).expect("text");
            assert!(
                text.is_empty() || text.ends_with('\n'),
                "{name} ends in the middle of a row"
            );
        }
        assert!(!name.ends_with(".part"), "{name}");
    }
    let lab = Lab::new();
    let path = folder.display().to_string();
    lab.packetloom(&["summary", &path, "--json"]).succeeded().json()
}

#[test]
fn a_killed_process_is_a_failed_simulation() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let configuration = server.configuration();
    let sim = server.submit(&configuration, "long", LONG);
    server.wait(&sim, &["running"]);
    server.wait_for_progress(&sim);
    signal("-KILL", &process_of(&sim));
    let details = server.wait(&sim, &["failed", "completed", "terminated"]);
    let reason = details["failureReason"].as_str().expect("a reason");
    assert!(
        reason.contains("signal 9") && reason.contains("of simulated time"),
        "{reason}"
    );
    let logs = server.get(&format!("/simulations/{sim}/logs?level=error"));
    assert!(
        logs["logs"][0]["message"]
            .as_str()
            .expect("text")
            .contains("signal 9"),
        "{logs}"
    );
    // The next one runs.
    let next = server.submit(&configuration, "next", "100us");
    server.wait(&next, &["completed"]);
}

#[test]
fn a_process_that_somebody_asks_to_end_closes_its_files() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let configuration = server.configuration();
    let sim = server.submit(&configuration, "long", LONG);
    server.wait(&sim, &["running"]);
    server.wait_for_progress(&sim);
    signal("-TERM", &process_of(&sim));
    let details = server.wait(&sim, &["failed", "completed", "terminated"]);
    assert_eq!(details["status"], "failed", "{details}");
    let reason = details["failureReason"].as_str().expect("a reason");
    assert!(
        reason.contains("asked to end from outside") && reason.contains("of simulated time"),
        "{reason}"
    );
    assert_eq!(are_whole(&server.results(&sim))["state"], "interrupted");
}

#[test]
fn after_a_server_was_killed_waiting_ones_run_and_running_ones_have_failed() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let configuration = server.configuration();
    let running = server.submit(&configuration, "long", LONG);
    let waiting: Vec<String> = (0..3)
        .map(|n| server.submit(&configuration, &format!("w{n}"), "100us"))
        .collect();
    server.wait(&running, &["running"]);
    server.wait_for_progress(&running);
    server.kill();

    let server = Server::start(data.path(), &["--jobs", "2"]);
    let details = server.wait(&running, &["failed", "completed", "terminated", "running"]);
    assert_eq!(details["status"], "failed", "{details}");
    let reason = details["failureReason"].as_str().expect("a reason");
    assert!(reason.contains("the server ended while it ran"), "{reason}");
    // Its process found out by itself, and closed its files.
    assert_eq!(are_whole(&server.results(&running))["state"], "interrupted");
    for sim in &waiting {
        server.wait(sim, &["completed"]);
        // Once: a second run would have found the first one's records, and failed.
        let starts = fs::read_to_string(server.results(sim).join("logs.jsonl")).expect("a log");
        assert_eq!(starts.matches(" starts: ").count(), 1, "{starts}");
    }
    assert_eq!(
        server.get("/simulations")["simulations"]
            .as_array()
            .expect("a list")
            .len(),
        4
    );
}

#[test]
fn a_server_that_ends_leaves_whole_files() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let configuration = server.configuration();
    let running = server.submit(&configuration, "long", LONG);
    let waiting = server.submit(&configuration, "waits", "100us");
    server.wait(&running, &["running"]);
    server.wait_for_progress(&running);
    assert!(server.stop().success());
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let details = server.wait(&running, &["failed", "completed", "terminated", "running"]);
    let reason = details["failureReason"].as_str().expect("a reason");
    assert!(
        reason.contains("the server was shut down while it ran"),
        "{reason}"
    );
    assert_eq!(are_whole(&server.results(&running))["state"], "interrupted");
    server.wait(&waiting, &["completed"]);
}

#[test]
fn a_full_disk_fails_the_simulation_and_not_the_server() {
    let data = folder();
    // 1 MiB a file: enough for the database, too little for the records of a long run.
    let server = Server::start_in(data.path(), "ulimit -f 1024;", &["--jobs", "1"]);
    let configuration = server.configuration();
    let sim = server.submit(&configuration, "large", LONG);
    let details = server.wait(&sim, &["failed", "completed", "terminated"]);
    assert_eq!(details["status"], "failed", "{details}");
    let reason = details["failureReason"].as_str().expect("a reason");
    assert!(
        reason.contains("File too large") && reason.contains("of simulated time"),
        "{reason}"
    );
    are_whole_rows(&server.results(&sim));
    let next = server.submit(&configuration, "small", "100us");
    server.wait(&next, &["completed"]);
}

/// Every record ends with a whole row.
fn are_whole_rows(folder: &Path) {
    for name in names(folder).iter().filter(|name| name.ends_with(".csv")) {
        let text = fs::read_to_string(folder.join(name)).expect("text");
        assert!(
            text.is_empty() || text.ends_with('\n'),
            "{name} ends in the middle of a row"
        );
    }
}

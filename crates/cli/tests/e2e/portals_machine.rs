//! The machine does not play along with a Portals program, or somebody stops it.

use crate::lab::{Lab, PROGRAM};
use crate::portals_lab::{lab, program, words};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_folder_for_the_log_that_cannot_be_made() {
    let lab = lab();
    let library = program("ends");
    let outcome = lab
        .packetloom(&words(&["--log", "/proc/packetloom"], &library, &[]))
        .failed(1);
    outcome.says(&["/proc/packetloom", "--log"]);
    let outcome = lab
        .packetloom(&words(&["--log", "star.xml"], &library, &[]))
        .failed(1);
    outcome.says(&["star.xml", "--log"]);
    lab.packetloom(&words(&["--log", "log"], &library, &[]))
        .succeeded();
    let outcome = lab.packetloom(&words(&["--log", "log"], &library, &[])).failed(2);
    outcome.says(&["log/operations.csv is there already; name another folder with --log"]);
}

#[test]
fn a_disk_without_room_for_the_log_leaves_nothing() {
    let lab = lab();
    let library = program("one-way");
    let line = words(&["--log", "log"], &library, &[]).join(" ");
    // In blocks of 1024 bytes: the program's copies have room, the log of some thousand rows has not.
    let outcome = lab.bash(&format!("ulimit -f 60; exec \"$packetloom\" {line}"));
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    outcome.says(&["cannot write log/operations.csv: File too large", "--log"]);
    assert!(!lab.path("log").exists());
}

#[test]
fn a_disk_without_room_for_the_program() {
    let lab = lab();
    let library = program("ends");
    let line = words(&[], &library, &[]).join(" ");
    let outcome = lab.bash(&format!("ulimit -f 1; exec \"$packetloom\" {line}"));
    outcome.failed(1).says(&[
        "cannot copy the program to a temporary folder",
        "TMPDIR",
        "File too large",
    ]);
}

#[test]
fn output_without_room() {
    let lab = lab();
    let library = program("ends");
    let line = words(&["--log", "log"], &library, &[]).join(" ");
    let outcome = lab.bash(&format!("\"$packetloom\" {line} > /dev/full"));
    outcome.failed(1).says(&["standard output", "No space left"]);
    assert!(!lab.path("log").exists());
}

/// As `head` does: the run goes on, so that its exit code and its log are those of the whole.
#[test]
fn a_reader_that_leaves_is_no_failure() {
    let lab = lab();
    let library = program("ends");
    let line = words(&["--log", "log"], &library, &["print"]).join(" ");
    let outcome = lab.bash(&format!("set -o pipefail; \"$packetloom\" {line} | head -n 1"));
    assert_eq!(outcome.succeeded().stdout, "rank 0\n");
    assert_eq!(lab.listing("log"), ["operations.csv"]);
}

/// Starts a program that polls for ever, and waits until it has printed.
fn endless(lab: &Lab) -> (Child, BufReader<impl Read + use<>>) {
    let library = program("ends");
    let mut child = Command::new(PROGRAM)
        .args(words(&["--log", "log"], &library, &["poll"]))
        .current_dir(lab.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    out.read_line(&mut line).expect("read");
    assert_eq!(line, "rank 0\n");
    (child, out)
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(status.is_ok_and(|status| status.success()));
}

#[test]
fn ctrl_c_ends_a_run_with_what_it_has() {
    let lab = lab();
    let (child, mut out) = endless(&lab);
    let begun = Instant::now();
    signal(&child, "-INT");
    let ended = child.wait_with_output().expect("ended");
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!(ended.status.code(), Some(130));
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("read");
    assert_eq!(rest, "rank 1\n");
    let told = String::from_utf8(ended.stderr).expect("text");
    assert!(
        told.starts_with("interrupted at ") && told.ends_with(" (simulated)\n"),
        "{told}"
    );
    assert_eq!(lab.listing("log"), ["operations.csv"]);
    assert!(lab.read("log/operations.csv").ends_with('\n'));
}

#[test]
fn a_run_that_is_killed_leaves_no_log_under_its_name() {
    let lab = lab();
    let (child, _out) = endless(&lab);
    signal(&child, "-KILL");
    child.wait_with_output().expect("ended");
    assert!(!lab.path("log/operations.csv").exists());
}

//! The machine does not play along: a clear error, exit code 1, and nothing half written.

use crate::lab::{Lab, PROGRAM, document};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_cannot_be_made() {
    let lab = Lab::with(&document());
    // Nobody can make a folder there, root included.
    let outcome = lab.packetloom(&["run", "fabric.json", "--out", "/proc/packetloom"]);
    outcome.failed(1).says(&["/proc/packetloom", "--out"]);
}

#[test]
fn a_folder_that_may_not_be_written_to() {
    let lab = Lab::with(&document());
    let me = fs::metadata(lab.path(".")).expect("a folder").uid();
    // Permissions do not bind root, so the program then runs as nobody, who must be able to reach it.
    let outcome = if me == 0 {
        fs::copy(PROGRAM, lab.path("packetloom")).expect("copied");
        fs::set_permissions(lab.path("."), fs::Permissions::from_mode(0o755)).expect("changed");
        lab.bash("setpriv --reuid=65534 --regid=65534 --clear-groups ./packetloom run fabric.json --out out")
    } else {
        fs::set_permissions(lab.path("."), fs::Permissions::from_mode(0o555)).expect("changed");
        let outcome = lab.packetloom(&["run", "fabric.json", "--out", "out"]);
        fs::set_permissions(lab.path("."), fs::Permissions::from_mode(0o755)).expect("changed back");
        outcome
    };
    outcome.failed(1).says(&["out", "Permission denied", "--out"]);
    assert!(!lab.listing(".").contains(&"out".to_owned()));
}

#[test]
fn a_disk_without_room_for_the_headers_leaves_nothing() {
    let lab = Lab::with(&document());
    // The limit is in blocks of 1024 bytes; one header is longer.
    let outcome = lab.bash("ulimit -f 1; exec \"$packetloom\" run fabric.json --out out");
    let outcome = outcome
        .failed(1)
        .says(&["out/four-hosts-", "File too large", "--out"]);
    assert!(!outcome.stderr.contains("stay in"), "{outcome:#?}");
    assert_eq!(lab.listing("."), ["fabric.json"]);
}

#[test]
fn a_disk_that_fills_up_leaves_whole_rows() {
    let lab = Lab::with(&document());
    let more = "--set SimulationParameters.RunTime=0.1 --set Rdma.TransferSize=1B";
    let outcome = lab.bash(&format!(
        "ulimit -f 100; exec \"$packetloom\" run fabric.json --out out {more}"
    ));
    outcome
        .failed(1)
        .says(&["out/four-hosts-rdma-perf-0.csv", "File too large", "make room"])
        .says(&[
            "the run had come to ",
            " of simulated time",
            "stay in out, each up to its last whole row",
        ]);
    let records = fs::read(lab.path("out/four-hosts-rdma-perf-0.csv")).expect("what there was room for");
    assert_eq!(records.last(), Some(&b'\n'));
    assert!(records.len() > 90 * 1024, "{} bytes", records.len());
    let mut reader = csv::Reader::from_reader(records.as_slice());
    assert!(reader.records().all(|row| row.is_ok()), "a row is torn");
}

#[test]
#[cfg(target_os = "linux")]
fn standard_output_without_room() {
    let lab = Lab::new();
    for command in ["template", "--help", "--version", "help run", "run --help"] {
        let outcome = lab.bash(&format!("\"$packetloom\" {command} > /dev/full"));
        outcome.failed(1).says(&["standard output", "No space left"]);
    }
}

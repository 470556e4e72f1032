//! C++, signals and jumps, and libraries of a program's own folder.

use super::compile::{compile, compile_with};
use super::{run, run_with};
use packetloom_portals_host::Options;
use std::path::Path;
use std::process::Command;

fn of_rank(out: &str, rank: u32) -> Vec<String> {
    let prefix = format!("[{rank}] ");
    out.lines()
        .filter_map(|line| line.strip_prefix(&prefix))
        .map(str::to_owned)
        .collect()
}

#[test]
fn programs_in_cplusplus_throw_print_and_have_threads() {
    if Command::new("g++").arg("--version").output().is_err() {
        eprintln!("skipped: there is no g++");
        return;
    }
    let program = compile_with("g++", "cplusplus.cc", &["-std=c++17"]);
    let done = run_with(&program, 2, &[], Options::default()).unwrap();
    for rank in 0..2 {
        let pid = 1000 + rank;
        assert_eq!(
            of_rank(&done.out, rank),
            [
                format!("made static in {pid}"),
                format!("caught: thrown by {pid}"),
                "took 250 ms, with C in between, done".to_owned(),
                format!("gone static from {pid}"),
            ]
        );
        assert_eq!(of_rank(&done.err, rank), ["to cerr"]);
    }
    assert_eq!(done.report.exit_code(), 0, "{:?}", done.report);
}

#[test]
fn alarms_come_in_simulated_time_and_end_sleeps() {
    let done = run("alarms.c", 2, &[]);
    let expected = [
        "10 s were left",
        "signal 14 at 1.000",
        "4 s not slept",
        "at 1.000, 1 alarm",
        "signal 14 at 1.100",
        "-1 1, 400 ms left",
        "signal 14 at 1.400",
        "at 1.400, 3 alarms",
        "at 3.150",
        "signal 14 at 3.151",
        "polled until 3.151",
        "jumped with 5 at 3.151004",
    ];
    for rank in 0..2 {
        assert_eq!(of_rank(&done.out, rank), expected);
    }
    assert_eq!(done.report.exit_code(), 0);
}

#[test]
fn an_alarm_without_a_handler_ends_the_process() {
    let done = run("alarms.c", 1, &["unhandled"]);
    assert_eq!(done.report.exit_code(), 128 + 14);
    assert_eq!(
        done.report.failures[0].to_string(),
        "rank 0 on node0 was ended: alarm (SIGALRM), at 2.000000000 s"
    );
}

/// A folder with a program and a library that it needs by its name, or by its place.
fn with_library(folder: &Path, soname: bool) -> std::path::PathBuf {
    let soname = if soname {
        "-Wl,-soname,libbeside.so"
    } else {
        "-Wl,-z,now"
    };
    let library = compile_with("cc", "library.c", &[soname]);
    let beside = folder.join("libbeside.so");
    std::fs::copy(library, &beside).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/uses_library.c");
    let program = folder.join("program.so");
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([program.as_os_str(), source.as_os_str(), beside.as_os_str()])
        .status()
        .unwrap();
    assert!(made.success());
    program
}

#[test]
fn libraries_of_the_programs_folder_are_private_too() {
    for soname in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let program = with_library(folder.path(), soname);
        let here = std::env::current_dir().unwrap();
        let done = run_with(&program, 3, &[], Options::default()).unwrap();
        assert_eq!(
            done.out, "[0] 1040 4\n[1] 1041 4\n[2] 1042 4\n",
            "soname {soname}"
        );
        assert_eq!(done.report.exit_code(), 0);
        assert_eq!(std::env::current_dir().unwrap(), here);
    }
}

#[test]
fn processor_time_is_added_when_it_is_asked_for() {
    let options = Options {
        cpu_factor: 1000.0,
        ..Options::default()
    };
    let done = run_with(&compile("hello.c"), 1, &["world"], options).unwrap();
    let line = done.out.lines().next().unwrap();
    assert!(
        line.starts_with("[0] hello world") && !line.ends_with("at 0.000000"),
        "{line}"
    );
}

//! Somebody runs Portals programs with options, variables and arguments.

use crate::portals_lab::{change, lab, program, words};

#[test]
fn arguments_of_the_deployment_come_first() {
    let lab = lab();
    let memory = "<prop id=\"use_real_memory\" value=\"true\"/>";
    change(
        &lab,
        "two.xml",
        memory,
        "<argument value=\"from a file\"/><argument value=\"--quiet\"/>",
    );
    let library = program("arguments");
    let outcome = lab.packetloom(&words(&["--prefix"], &library, &["100", "-x", "--prefix"]));
    let of = |rank: u32| {
        [
            "0:program",
            "1:from a file",
            "2:--quiet",
            "3:100",
            "4:-x",
            "5:--prefix",
        ]
        .map(|line| format!("[{rank}] {line}\n"))
        .concat()
    };
    assert_eq!(outcome.succeeded().stdout, of(0) + &of(1));
}

#[test]
fn a_name_may_begin_with_a_dash() {
    let lab = lab();
    let library = program("arguments");
    let library = library.to_str().expect("text");
    let outcome = lab.packetloom(&["portals", "run", "--", "star.xml", "two.xml", library, "-n", "-q"]);
    assert_eq!(outcome.succeeded().stdout, "0:-n\n1:-q\n0:-n\n1:-q\n");
    let outcome = lab.packetloom(&["portals", "run", "star.xml", "two.xml", library, "-n"]);
    outcome.failed_by_clap(&["unexpected argument '-n'", "'-- -n'"]);
}

#[test]
fn unknown_and_bad_options() {
    let lab = lab();
    let library = program("ends");
    for (options, told) in [
        (["--nothing", "-q"], "unexpected argument '--nothing' found"),
        (["--stack-size", "1"], "1 is not in 16..=1048576"),
        (
            ["--stack-size", "big"],
            "invalid value 'big' for '--stack-size <KIB>'",
        ),
        (
            ["--cpu-factor", "fast"],
            "invalid value 'fast' for '--cpu-factor <FACTOR>'",
        ),
    ] {
        lab.packetloom(&words(&options, &library, &[]))
            .failed_by_clap(&[told]);
    }
    for factor in ["-1", "nan", "inf"] {
        let outcome = lab
            .packetloom(&words(&["--cpu-factor", factor], &library, &[]))
            .failed(2);
        assert_eq!(
            outcome.stderr,
            "error: --cpu-factor: a number of at least 0 is expected\n"
        );
    }
    lab.packetloom(&["portals", "run", "star.xml"])
        .failed_by_clap(&["<DEPLOY>", "<PROGRAM>", "<NAME>"]);
}

#[test]
fn help_says_where_arguments_go_and_what_exit_codes_mean() {
    let help = lab().packetloom(&["portals", "run", "--help"]).succeeded().stdout;
    for word in [
        "options of this command come before",
        "--log runs/ring",
        "S4BXI_E2E_OFF=1",
        "130 interrupted",
        "[default: 256]",
    ] {
        assert!(help.contains(word), "no {word:?} in {help}");
    }
    // The examples stand as they are written: no line is wider than a terminal.
    assert!(help.lines().all(|line| line.len() <= 100), "{help}");
    assert!(!help.contains("longest-without-call"));
}

#[test]
fn variables_of_s4bxi() {
    let lab = lab();
    let library = program("arguments");
    let line = words(&[], &library, &[]).join(" ");
    for (variable, told) in [
        (
            "S4BXI_RETRY_TIMEOUT=soon",
            "environment variable S4BXI_RETRY_TIMEOUT=soon: a number of seconds of at least 1e-9 is expected",
        ),
        (
            "S4BXI_MAX_RETRIES=-1",
            "environment variable S4BXI_MAX_RETRIES=-1: a whole number from 0 to 4294967295 is expected",
        ),
        (
            "S4BXI_CPU_FACTOR=x",
            "S4BXI_CPU_FACTOR=x: a number of at least 0 is expected",
        ),
    ] {
        let outcome = lab.bash(&format!("{variable} \"$packetloom\" {line}")).failed(2);
        assert_eq!(outcome.stderr, format!("error: {told}\n"));
    }
    let outcome = lab
        .bash(&format!("S4BXI_LOG_FOLDER=log \"$packetloom\" {line}"))
        .succeeded();
    assert!(!outcome.stderr.contains("warning"), "{outcome:#?}");
    assert_eq!(lab.listing("log"), ["operations.csv"]);
    let outcome = lab
        .bash(&format!("S4BXI_KEEP_TEMPS=1 \"$packetloom\" {line}"))
        .succeeded();
    assert!(
        outcome.stderr.starts_with(
            "warning: S4BXI_KEEP_TEMPS has no effect: copies of the program are removed at once\n"
        ),
        "{outcome:#?}"
    );
    let outcome = lab.bash(&format!("S4BXI_LOG_FOLDER=/dev/null \"$packetloom\" {line}"));
    outcome.succeeded();
}

#[test]
fn measured_time_is_said_not_to_be_repeatable() {
    let lab = lab();
    let library = program("ends");
    let outcome = lab
        .packetloom(&words(&["--cpu-factor", "1"], &library, &[]))
        .succeeded();
    let (warning, told) = outcome.stderr.split_once('\n').expect("two lines");
    assert_eq!(
        warning,
        "warning: with --cpu-factor above 0 the run is not repeatable"
    );
    // The two ranks printed a line each: that took some of the machine's time.
    assert!(!told.contains("ended at 0.000 ns"), "{told}");
    let outcome = lab.packetloom(&words(&["--cpu-factor", "1", "--quiet"], &library, &[]));
    assert_eq!(outcome.succeeded().stderr, "");
}

#[test]
fn a_barrier_takes_the_time_that_is_asked_for() {
    let lab = lab();
    let library = program("hello");
    let end = |options: &[&str]| {
        let outcome = lab.packetloom(&words(options, &library, &[])).succeeded();
        let told = outcome.stderr.lines().last().expect("how it ended").to_owned();
        let words: Vec<&str> = told.split(' ').collect();
        let at = words.iter().position(|word| *word == "at").expect("a time");
        assert_eq!(words[at + 2], "us", "{told}");
        words[at + 1].parse::<f64>().expect("a number")
    };
    let barriers = (end(&["--barrier-latency", "1e-4"]) - end(&[])) / 100.0;
    // Rounded to nanoseconds by the line that tells it.
    assert!(
        barriers >= 1.0 && (barriers - barriers.round()).abs() < 1e-4,
        "{barriers}"
    );
    lab.packetloom(&words(&["--barrier-latency", "-1"], &library, &[]))
        .failed_by_clap(&["--barrier-latency", "seconds of at least 0 are expected"]);
}

#[test]
fn checkpoints_and_ranks_are_refused_by_name() {
    let lab = lab();
    let library = program("hello");
    for options in [&["--checkpoint"][..], &["--resume=run.ckpt"]] {
        let outcome = lab.packetloom(&words(options, &library, &[])).failed(2);
        assert_eq!(
            outcome.stderr,
            "error: Portals runs have no checkpoints: processes in C cannot be saved; leave --checkpoint and --resume out\n"
        );
    }
    let line = words(&[], &library, &[]).join(" ");
    let outcome = lab
        .bash(&format!("OMPI_COMM_WORLD_SIZE=4 \"$packetloom\" {line}"))
        .failed(2);
    assert_eq!(
        outcome.stderr,
        "error: Portals runs have no MPI ranks: one process simulates all nodes, and OMPI_COMM_WORLD_SIZE says that there are \
         several; run it without mpirun\n"
    );
}

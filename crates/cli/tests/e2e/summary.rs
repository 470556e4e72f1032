//! Somebody asks what the records of a run say.

use crate::lab::{Lab, document};
use std::fs;

/// A lab with a run in `out`, and what it said at its end. Ports report at the window's start and every `interval` seconds.
fn lab_with(interval: &str) -> (Lab, serde_json::Value) {
    let lab = Lab::with(&document());
    let set = format!("SimulationParameters.NDStatsReportInterval={interval}");
    let told = lab
        .packetloom(&["run", "fabric.json", "--set", &set, "--out", "out", "--json"])
        .succeeded()
        .json();
    (lab, told)
}

/// One whose window has a report of ports at each end.
fn lab() -> (Lab, serde_json::Value) {
    lab_with("0.0001")
}

#[test]
fn it_says_what_the_run_said() {
    let (lab, told) = lab();
    let summary = lab.packetloom(&["summary", "out", "--json"]).succeeded().json();
    assert_eq!(summary["simulation"], told["simulation"]);
    assert_eq!(summary["state"], "finished");
    assert_eq!(summary["window"]["source"], "recording_window");
    for key in ["name", "pairs", "completed", "recorded", "latency_us"] {
        assert_eq!(
            summary["applications"][0][key], told["applications"][0][key],
            "{key}"
        );
    }
    let outcome = lab.packetloom(&["summary", "out"]).succeeded();
    for words in [
        "four-hosts: ",
        "Figures are of the recording window, 3 ms to 3.1 ms",
        "Requests ",
        "Goodput [Gbps]",
        "Latency [us]",
        "Slowest connections",
        "Link utilization",
        "Tier ",
        "Counters ",
        "Run ",
        "four-hosts-rdma-perf-0.csv",
    ] {
        assert!(outcome.stdout.contains(words), "no {words:?} in {outcome:#?}");
    }
    // Buffers of switches have an interval of their own.
    assert_eq!(
        outcome.stderr,
        "note: scala-switch-agg-buff-stats has no report in the window after its start: what it would tell of it is left \
         out\n"
    );
}

/// What nobody knows of TCP has no column, and what `tcp-stats` counts has rows.
#[test]
fn of_tcp_it_shows_what_is_known() {
    let lab = Lab::new();
    let line = "\"$packetloom\" run template:tcp-16-hosts --out out --quiet --set SimulationParameters.RunTime=0.002 \
        --set SimulationParameters.EnableTcpStackReporting=true --set SimulationParameters.TcpStackReportInterval=0.001";
    lab.bash(line).succeeded();
    let outcome = lab.packetloom(&["summary", "out"]).succeeded();
    for words in [
        "Requests  Pairs  Completed  In window\n",
        "  In window  Mean [us]  Max [us]\nTrafficGeneratorClient-P:",
        "TCP segments sent by clients ",
        "TCP timeouts of clients ",
        "TCP fast retransmits of clients ",
        "duplicate ACKs at TCP clients ",
        "requests sent ",
    ] {
        assert!(outcome.stdout.contains(words), "no {words:?} in {outcome:#?}");
    }
    for words in ["Fairness", "Goodput", "NAKs"] {
        assert!(!outcome.stdout.contains(words), "{words:?} in {outcome:#?}");
    }
    assert_eq!(outcome.stderr, "");
}

#[test]
fn files_may_be_picked_by_hand_and_moved_about() {
    let (lab, told) = lab();
    let line = "\"$packetloom\" summary out/*-rdma-perf-*.csv --json";
    let summary = lab.bash(line).succeeded().json();
    assert_eq!(summary["applications"][0]["name"], "Rdma");
    assert_eq!(
        summary["applications"][0]["recorded"],
        told["applications"][0]["recorded"]
    );
    assert!(
        summary["utilization"].as_array().is_some_and(Vec::is_empty),
        "{summary}"
    );

    // All but the file of the run: the recording window is not known then.
    fs::create_dir(lab.path("picked")).expect("a folder");
    lab.bash("cp out/*.csv picked").succeeded();
    let outcome = lab.packetloom(&["summary", "picked"]).succeeded();
    assert!(
        outcome.stdout.contains("Figures are of the whole run"),
        "{outcome:#?}"
    );
    assert!(
        outcome.stderr.starts_with("note: figures are of the whole run"),
        "{outcome:#?}"
    );
    let arguments = ["summary", "picked", "--from", "0.003", "--to", "0.0031", "--json"];
    let summary = lab.packetloom(&arguments).succeeded().json();
    assert_eq!(
        summary["applications"][0]["latency_us"],
        told["applications"][0]["latency_us"]
    );
    assert_eq!(summary["applications"][0]["name"], "RdmaInitiator");
}

#[test]
fn what_no_report_tells_is_left_out() {
    // Longer than the run.
    let (lab, _) = lab_with("1");
    lab.write("out/four-hosts-cpu-mem-stats-0.csv", "");
    let outcome = lab.packetloom(&["summary", "out"]).succeeded();
    for words in ["Link utilization", "Tier ", "Counters ", "of the reports"] {
        assert!(!outcome.stdout.contains(words), "{words:?} in {outcome:#?}");
    }
    outcome.says(&[
        "note: four-hosts-cpu-mem-stats-0.csv has no header",
        "note: nd-stats has no report in the window",
        "note: ecn-pfc-stats has no report in the window",
    ]);
}

#[test]
fn what_cannot_be_read_is_told_in_one_line() {
    let (lab, _) = lab();
    lab.packetloom(&["summary", "nowhere"])
        .failed(2)
        .says(&["there is no nowhere"]);
    fs::create_dir(lab.path("empty")).expect("a folder");
    lab.packetloom(&["summary", "empty"])
        .failed(2)
        .says(&["empty holds no records"]);
    lab.packetloom(&["summary", "fabric.json"])
        .failed(2)
        .says(&["fabric.json is no record"]);
    lab.packetloom(&["summary", "out", "--from", "0.0031", "--to", "0.003"])
        .failed(2)
        .says(&["the window ends at 0.003 s"]);

    lab.packetloom(&["summary", "out", "--from", "2"])
        .failed(2)
        .says(&["the records end at", "before the window starts at 2 s"]);

    let perf = "out/four-hosts-rdma-perf-0.csv";
    let right = lab.read(perf);
    lab.write(perf, &right.replacen(",250000,", ",lots,", 1));
    let place = format!("{perf}:2: transfer_size is \"lots\"");
    lab.packetloom(&["summary", "out"]).failed(2).says(&[&place]);
    lab.write(perf, &right.replacen("job_id", "job", 1));
    let place = format!("{perf}:1: the header's column 1 is \"job\"");
    lab.packetloom(&["summary", "out"]).failed(2).says(&[&place]);

    lab.write(perf, &right[..right.len() - 5]);
    lab.write("out/mine.csv", "a,b\n");
    let outcome = lab.packetloom(&["summary", "out"]).succeeded();
    let notes: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(notes.len(), 3, "{outcome:#?}");
    assert!(notes[0].starts_with("note: four-hosts-rdma-perf-0.csv ends in the middle of a row"));
    assert_eq!(notes[1], "note: left out, being no records: mine.csv");
    assert!(notes[2].starts_with("note: scala-switch-agg-buff-stats has no report"));
}

#[test]
fn times_that_are_none_are_refused() {
    let outcome = Lab::new().packetloom(&["summary", "out", "--from", "5ms"]);
    assert_eq!(outcome.code, Some(2));
    outcome.says(&["5ms", "--from", "give seconds of simulated time"]);
    for option in ["--from", "--to"] {
        let outcome = Lab::new().packetloom(&["summary", "out", option, "-1"]);
        assert_eq!(outcome.code, Some(2));
        outcome.says(&["-1", option, "give seconds of simulated time"]);
    }
}

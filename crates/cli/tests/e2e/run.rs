//! Somebody runs a document and reads what came out.

use crate::lab::{Lab, document, document_with, names};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// All files of a folder by name.
fn contents(folder: &Path) -> BTreeMap<String, String> {
    names(folder)
        .into_iter()
        .map(|n| (n.clone(), fs::read_to_string(folder.join(n)).expect("text")))
        .collect()
}

#[test]
fn a_run_writes_records_and_prints_a_summary() {
    let lab = Lab::with(&document());
    let outcome = lab
        .packetloom(&["run", "fabric.json", "--out", "out", "--name", "demo"])
        .succeeded();
    for words in [
        "demo: ",
        "Work requests",
        "Latency [us]",
        "Goodput [Gbps]",
        "Link utilization",
        "Records in out",
    ] {
        assert!(outcome.stdout.contains(words), "no {words:?} in {outcome:#?}");
    }
    let files = lab.listing("out");
    for record in ["rdma-perf", "beacon", "topology-report", "application-report"] {
        assert!(
            files.contains(&format!("demo-{record}-0.csv")),
            "no {record} among {files:?}"
        );
        let mut reader =
            csv::Reader::from_path(lab.path(&format!("out/demo-{record}-0.csv"))).expect("a file");
        let rows = reader
            .records()
            .collect::<Result<Vec<_>, _>>()
            .expect("whole rows");
        assert!(!rows.is_empty(), "{record} is empty");
    }
}

#[test]
fn a_document_whose_name_files_cannot_have_is_told_what_it_is_called() {
    for (name, called) in [("../x", "x"), ("-rf", "rf"), ("a\u{202E}b", "a-b")] {
        let lab = Lab::with(&document_with("/name", json!(name)));
        let outcome = lab
            .packetloom(&["run", "fabric.json", "--out", "out"])
            .succeeded();
        let told = format!(
            "warning: the simulation is called \"{called}\": the document's name {name:?} cannot be part of a file name\n"
        );
        assert!(outcome.stderr.contains(&told), "no {told:?} in {outcome:#?}");
        assert!(lab.listing("out").contains(&format!("{called}-beacon-0.csv")));

        let named = ["run", "fabric.json", "--out", "other", "--name", "mine"];
        let outcome = lab.packetloom(&named).succeeded();
        assert!(!outcome.stderr.contains("is called"), "{outcome:#?}");
    }
}

/// Requests that come faster than the links carry their replies: 8 connections x 8 pairs at 350,000 a second ask for 113.5 Gbps
/// of each client's 100. At 250,000 it is 81 Gbps.
#[test]
fn an_overload_stands_out() {
    let lab = Lab::new();
    let run = |rate: &str| {
        let line = format!(
            "exec \"$packetloom\" run template:tcp-16-hosts --out out-{rate} --set Tcp.RequestRate={rate} \
                --set SimulationParameters.ClientStartInterval=0.0001 --set SimulationParameters.WarmUp=0.0005 \
                --set SimulationParameters.RunTime=0.001"
        );
        lab.bash(&line).succeeded()
    };
    let outcome = run("350000");
    let warning = outcome.stderr.lines().last().expect("a warning");
    assert!(
        warning.starts_with("warning: ")
            && warning.contains(" requests of Tcp had no whole reply by the end of the recording window: ")
            && warning.contains("lower RequestRate"),
        "{warning}"
    );
    assert!(
        outcome
            .stdout
            .contains("Transactions  Pairs  Generated  Completed"),
        "{outcome:#?}"
    );
    let outcome = run("250000");
    assert!(!outcome.stderr.contains("no whole reply"), "{outcome:#?}");
}

/// Bursts that end with the window, and timeouts of 20 ms after drops: much is unanswered now and then, but no more than that.
#[test]
fn an_incast_is_no_overload() {
    let lab = Lab::new();
    for time in ["0.0005", "0.05"] {
        let run_time = format!("SimulationParameters.RunTime={time}");
        let outcome = lab
            .packetloom(&["run", "template:tcp-incast", "--out", time, "--set", &run_time])
            .succeeded();
        assert!(!outcome.stderr.contains("no whole reply"), "{outcome:#?}");
        assert!(
            outcome.stderr.contains("packets of lossy classes were dropped"),
            "{outcome:#?}"
        );
    }
}

/// The host links carry less than the network, and the receive pools of the NICs pause nobody.
#[test]
fn drops_stand_out() {
    let lab = Lab::with(&document());
    let outcome = lab.bash(
        "exec \"$packetloom\" run fabric.json --out out 2>&1 \\
            --set Nic.HostInterface.NICSide.PCIeGen3.0.NicDeviceLayer.NicPCIeInterface.PhysicalLayer.LaneBps=7.88Gbps \\
            --set Nic.NetworkInterface.IngressBufferManager.PFCEnableVector=0,0,0,0,0,0,0,0 \\
            --set SimulationParameters.RunTime=0.002",
    );
    let (tables, after) = outcome
        .stdout
        .split_once("Records in out")
        .expect("the summary's end");
    for row in [
        "packets dropped ",
        "retransmission episodes ",
        "packets sent again ",
    ] {
        let line = tables.lines().find_map(|line| line.strip_prefix(row)).expect(row);
        assert_ne!(line.trim(), "0", "{row}");
    }
    let warned = |line: &str| line.starts_with("warning: ") && line.contains("were dropped by");
    assert!(
        after.lines().any(warned),
        "no warning behind the tables: {outcome:#?}"
    );
}

#[test]
fn json_is_the_only_thing_on_standard_output() {
    let lab = Lab::with(&document());
    let summary = lab
        .packetloom(&["run", "fabric.json", "--out", "out", "--json"])
        .succeeded()
        .json();
    assert_eq!(summary["simulation"], "four-hosts");
    assert_eq!(summary["interrupted"], false);
    assert_eq!(summary["out"], "out");
    assert!(
        summary["packet_hops"].as_u64().is_some_and(|hops| hops > 0),
        "{summary}"
    );
    let application = &summary["applications"][0];
    assert!(
        application["completed"].as_u64() <= application["posted"].as_u64(),
        "{summary}"
    );
    for file in summary["files"].as_array().expect("a list") {
        assert!(
            lab.path("out").join(file.as_str().expect("a name")).is_file(),
            "{file}"
        );
    }
}

#[test]
fn quiet_says_nothing() {
    let lab = Lab::with(&document());
    let outcome = lab
        .packetloom(&["run", "fabric.json", "--out", "out", "--quiet"])
        .succeeded();
    assert_eq!(outcome.stdout, "");
    assert!(!lab.listing("out").is_empty());
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_does_not() {
    let lab = Lab::with(&document());
    for (out, seed) in [("a", "1"), ("b", "1"), ("c", "2"), ("d", "3"), ("e", "4")] {
        lab.packetloom(&["run", "fabric.json", "--out", out, "--seed", seed])
            .succeeded();
    }
    let [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(|out| {
        let mut files = contents(&lab.path(out));
        // What the machine did is never the same.
        files
            .remove("four-hosts-cpu-mem-stats-0.csv")
            .expect("is written");
        files
    });
    assert_eq!(a, b);
    // Four hosts pair in few ways, so two seeds may agree; four hardly do.
    assert!(a != c || a != d || a != e);
}

#[test]
fn overrides_change_the_run() {
    let lab = Lab::with(&document());
    let set = ["--set", "Rdma.MaxPendingWQEs=0"];
    let arguments = [&["run", "fabric.json", "--out", "out", "--json"][..], &set].concat();
    let summary = lab.packetloom(&arguments).succeeded().json();
    assert_eq!(summary["applications"][0]["posted"], 0);
}

#[test]
fn without_out_each_run_gets_a_folder_of_its_own() {
    let lab = Lab::with(&document());
    for _ in 0..2 {
        lab.packetloom(&["run", "fabric.json"]).succeeded();
    }
    let folders = lab.listing("runs");
    assert_eq!(folders.len(), 2, "{folders:?}");
    assert!(
        folders.iter().all(|folder| folder.starts_with("four-hosts-")),
        "{folders:?}"
    );
}

#[test]
fn a_folder_that_holds_records_is_left_alone() {
    let lab = Lab::with(&document());
    lab.packetloom(&["run", "fabric.json", "--out", "out"])
        .succeeded();
    let before = contents(&lab.path("out"));
    lab.packetloom(&[
        "run",
        "fabric.json",
        "--out",
        "out",
        "--name",
        "other",
        "--seed",
        "9",
    ])
    .failed(2)
    .says(&["out holds records already", "choose another --out"]);
    assert_eq!(contents(&lab.path("out")), before);
}

#[test]
fn a_summary_nobody_reads_is_no_failure() {
    let lab = Lab::with(&document());
    let outcome = lab.bash("set -o pipefail; \"$packetloom\" run fabric.json --out out | true");
    let outcome = outcome.succeeded();
    assert!(!outcome.stderr.contains("panicked"), "{outcome:#?}");
    assert!(!lab.listing("out").is_empty());
}

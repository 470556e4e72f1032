//! Somebody wants the plots of a run as a file to send.

use crate::lab::{Lab, document};
use serde_json::Value;
use std::fs;

/// What the page in a report reads.
#[track_caller]
fn runs_in(html: &str) -> Value {
    let json = html
        .split("<script type=\"application/json\" id=\"runs\">")
        .nth(1)
        .and_then(|rest| rest.split("</script>").next())
        .expect("the runs");
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn it_holds_what_the_records_say() {
    let lab = Lab::with(&document());
    let told = lab
        .packetloom(&[
            "run",
            "fabric.json",
            // A report at each end of the window.
            "--set",
            "SimulationParameters.NDStatsReportInterval=0.0001",
            "--out",
            "out",
            "--json",
        ])
        .succeeded()
        .json();
    let before = lab.listing("out");
    let outcome = lab.packetloom(&["report", "out"]).succeeded();
    assert!(
        outcome.stdout.starts_with("four-hosts-report.html ("),
        "{outcome:#?}"
    );
    assert_eq!(
        lab.listing("out"),
        before,
        "something was written into the run's folder"
    );
    let html = lab.read("four-hosts-report.html");
    let runs = runs_in(&html);
    let [run] = &runs["runs"].as_array().expect("runs")[..] else {
        panic!("not one run");
    };
    assert_eq!(run["details"]["name"], "four-hosts");
    assert_eq!(run["details"]["status"], "completed");
    assert_eq!(run["told"]["drops"], told["drops"]);
    assert_eq!(run["told"]["pfc_pauses"], told["pfc_pauses"]);
    let latency = &run["data"]["rdma-perf summary"]["applications"][0]["latencyUsec"];
    let exact = &told["applications"][0]["latency_us"];
    for (own, theirs) in [("mean", "mean"), ("min", "min"), ("max", "max")] {
        let (own, theirs) = (
            latency[own].as_f64().expect(own),
            exact[theirs].as_f64().expect(theirs),
        );
        assert!((own / theirs - 1.0).abs() < 1e-6, "{own} {theirs}");
    }
    for key in [
        "nd-stats timeSeries",
        "nd-stats heatMap",
        "nd-stats ports",
        "pfc ports",
        "rdma-perf timeSeries",
    ] {
        assert!(run["data"][key].is_object(), "no {key}");
    }
    // Series have no more points than a screen.
    for (key, data) in run["data"].as_object().expect("data") {
        assert!(
            data["timesSec"]
                .as_array()
                .is_none_or(|times| times.len() <= 2_000),
            "{key}"
        );
    }
    assert!(
        run["document"]["globalParameters"]["SimulationParameters"].is_object(),
        "{}",
        run["document"]
    );
    let topology = run["texts"]["four-hosts-topology-report-0.csv"]
        .as_str()
        .expect("the topology");
    assert_eq!(topology, lab.read("out/four-hosts-topology-report-0.csv"));
    let files: Vec<&str> = run["files"]
        .as_array()
        .expect("files")
        .iter()
        .filter_map(|file| file["name"].as_str())
        .collect();
    assert_eq!(files, before);
}

#[test]
fn several_runs_and_a_log_of_operations_fit_into_one() {
    let lab = Lab::with(&document());
    for name in ["one", "two"] {
        let out = format!("runs/{name}");
        lab.packetloom(&["run", "fabric.json", "--name", name, "--out", &out])
            .succeeded();
    }
    fs::create_dir(lab.path("runs/log")).expect("made");
    // Two of the same name are told apart by their folders.
    lab.packetloom(&["run", "fabric.json", "--name", "two", "--out", "runs/again"])
        .succeeded();
    let row = "1,0,1,0.1,0.2\n";
    let log =
        "operation_type,initiator_nid,target_nid,start_time,end_time\n".to_owned() + &row.repeat(100_001);
    lab.write("runs/log/operations.csv", &log);
    fs::create_dir(lab.path("runs/else")).expect("made");
    lab.packetloom(&["report", "runs", "--out", "all.html"])
        .succeeded();
    let runs = runs_in(&lab.read("all.html"));
    let names: Vec<&str> = runs["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .filter_map(|run| run["details"]["name"].as_str())
        .collect();
    assert_eq!(names, ["two (again)", "log", "one", "two"]);
    // A long log is cut, and that is said.
    let text = runs["runs"][1]["texts"]["operations.csv"]
        .as_str()
        .expect("a log");
    assert_eq!(text.lines().count(), 100_001);
    assert_eq!(runs["runs"][1]["cut"][0], "operations.csv");
    assert_eq!(runs["runs"][2]["cut"].as_array().map(Vec::len), Some(0));
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_elsewhere_does_not_go_to_others() {
    let lab = Lab::with(&document());
    lab.packetloom(&["run", "fabric.json", "--out", "out"])
        .succeeded();
    lab.write("secret", "{\"secret\": 1}");
    for name in ["summary.json", "four-hosts-configuration.json", "operations.csv"] {
        let _ = fs::remove_file(lab.path("out").join(name));
        std::os::unix::fs::symlink(lab.path("secret"), lab.path("out").join(name)).expect("linked");
    }
    lab.packetloom(&["report", "out"]).succeeded();
    assert!(!lab.read("four-hosts-report.html").contains("\"secret\""));
}

#[test]
fn text_of_a_run_stays_text() {
    let lab = Lab::with(&document());
    lab.packetloom(&["run", "fabric.json", "--out", "out"])
        .succeeded();
    lab.write(
        "out/four-hosts-configuration.json",
        r#"{"name": "</script><script>alert(1)</script>"}"#,
    );
    lab.packetloom(&["report", "out"]).succeeded();
    let html = lab.read("four-hosts-report.html");
    assert!(!html.contains("<script>alert"));
    assert_eq!(
        runs_in(&html)["runs"][0]["document"]["name"],
        "</script><script>alert(1)</script>"
    );
}

#[test]
fn what_cannot_be_is_told_in_one_line_and_leaves_nothing() {
    let lab = Lab::with(&document());
    lab.packetloom(&["report", "nowhere"])
        .failed(2)
        .says(&["there is no nowhere"]);
    lab.packetloom(&["report", "."])
        .failed(2)
        .says(&[". holds no run", "--out"]);
    lab.packetloom(&["run", "fabric.json", "--out", "out"])
        .succeeded();
    lab.packetloom(&["report", "out", "--out", "no/such/folder.html"])
        .failed(1)
        .says(&["cannot write no/such/folder.html", "--out"]);
    let full = lab
        .bash("ulimit -f 8; trap '' XFSZ; exec \"$packetloom\" report out")
        .failed(1);
    full.says(&["cannot write four-hosts-report.html: File too large"]);
    assert_eq!(lab.listing("."), ["fabric.json", "out"]);
    // A record that is none.
    lab.write("out/four-hosts-nd-stats-0.csv", "nonsense\n1\n");
    lab.packetloom(&["report", "out"])
        .failed(2)
        .says(&["four-hosts-nd-stats-0.csv"]);
    assert_eq!(lab.listing("."), ["fabric.json", "out"]);
}

//! Somebody wants Parquet files.

use crate::lab::{Lab, document};

/// What a build with Parquet leaves.
#[cfg(feature = "parquet")]
#[test]
fn records_are_left_in_the_formats_asked_for() {
    let lab = Lab::with(&document());
    for (format, extensions) in [
        ("parquet", &["parquet"][..]),
        ("csv", &["csv"]),
        ("csv,parquet", &["csv", "parquet"]),
    ] {
        let told = lab
            .packetloom(&[
                "run",
                "fabric.json",
                "--out",
                format,
                "--format",
                format,
                "--json",
            ])
            .succeeded()
            .json();
        let mut right: Vec<String> = packetloom_records::Record::ALL
            .iter()
            .filter(|record| {
                let name = format!("four-hosts-{}-0.", record.name());
                told["files"].to_string().contains(&name)
            })
            .flat_map(|record| {
                extensions
                    .iter()
                    .map(|extension| format!("four-hosts-{}-0.{extension}", record.name()))
            })
            .collect();
        assert!(right.len() >= 9 * extensions.len(), "{right:?}");
        right.extend(["configuration", "run"].map(|name| format!("four-hosts-{name}.json")));
        right.sort();
        assert_eq!(lab.listing(format), right);
        lab.packetloom(&["run", "fabric.json", "--out", format])
            .failed(2)
            .says(&["holds records already"]);
    }
    // The same run in two formats: the same summary, but for the machine and the files.
    let [mut csv, mut parquet] =
        ["csv", "parquet"].map(|out| lab.packetloom(&["summary", out, "--json"]).succeeded().json());
    for summary in [&mut csv, &mut parquet] {
        summary["machine"].take();
        summary["records"].take();
    }
    assert_eq!(csv, parquet);
}

#[cfg(feature = "parquet")]
#[test]
fn a_disk_without_room_for_them_leaves_the_csv_files() {
    use serde_json::json;
    let lab = Lab::new();
    let mut long = document();
    long["globalParameters"]["SimulationParameters"]["RunTime"] = json!(0.001);
    lab.write("fabric.json", &long.to_string());
    // Nothing can be written to a folder of that name, and no file can take its place.
    lab.bash("mkdir -p out/four-hosts-rdma-perf-0.parquet.part");
    let outcome = lab.packetloom(&["run", "fabric.json", "--out", "out", "--format", "parquet"]);
    outcome
        .failed(1)
        .says(&["out/four-hosts-rdma-perf-0.parquet.part", "stay in out"]);
    assert!(
        lab.listing("out")
            .contains(&"four-hosts-rdma-perf-0.csv".to_owned())
    );
    lab.packetloom(&["summary", "out"]).succeeded();
}

/// What one without says, before it runs or reads anything.
#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_them_says_how_to_get_them() {
    let lab = Lab::with(&document());
    let outcome = lab.packetloom(&["run", "fabric.json", "--out", "out", "--format", "csv,parquet"]);
    let build = "cargo build --release --features parquet";
    outcome.failed(2).says(&["--format: ", build]);
    assert_eq!(lab.listing("."), ["fabric.json"]);
    lab.write("a-beacon-0.parquet", "x");
    lab.packetloom(&["summary", "."])
        .failed(2)
        .says(&["a-beacon-0.parquet", build]);
}

#[test]
fn a_format_there_is_not_is_refused_with_those_there_are() {
    let lab = Lab::with(&document());
    let outcome = lab.packetloom(&["run", "fabric.json", "--out", "out", "--format", "xlsx"]);
    assert_eq!(outcome.code, Some(2));
    outcome.says(&["xlsx", "csv, parquet"]);
}

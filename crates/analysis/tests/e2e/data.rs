//! Figures and series of one record, with arithmetic written out, and of a run.

use crate::lab::{Lab, class, completion, ms, name, port, run, tcp, transaction};
use packetloom_analysis::data::{Data, DataError, Metric, Mode, Tier, compute};
use packetloom_analysis::{Options, Progress, summarize};
use packetloom_config::{check, template};
use packetloom_sim::RunOptions;
use serde_json::{Value, json};
use std::path::Path;

fn data(folder: &Path, metric: Metric, mode: Mode, tier: Tier, component: Option<&str>) -> Value {
    let data: Data = compute(folder, metric, mode, tier, component).expect("data");
    serde_json::to_value(data).expect("JSON")
}

fn column<'a>(data: &'a Value, name: &str) -> &'a Value {
    let columns = data["columns"].as_array().expect("columns");
    columns
        .iter()
        .find(|column| column["column"] == name)
        .expect(name)
}

fn series<'a>(data: &'a Value, name: &str) -> &'a Value {
    let all = data["series"].as_array().expect("series");
    all.iter().find(|series| series["name"] == name).expect(name)
}

/// Two ports: in the window from 5 to 7 ms the first sends 1 MB and 3 MB, the other nothing and 1 MB.
fn ports(lab: &Lab) {
    lab.run(&run());
    lab.rows(
        0,
        &[
            port(1, 5, 5_000_000, 1_000_000),
            port(2, 5, 0, 0),
            port(1, 6, 6_000_000, 1_000_000),
            port(2, 6, 0, 0),
        ],
    );
    // What a second process has written.
    lab.rows(
        1,
        &[port(1, 7, 9_000_000, 3_000_000), port(2, 7, 1_000_000, 1_000_000)],
    );
}

#[test]
fn ports_have_distributions_and_rises() {
    let lab = Lab::new();
    ports(&lab);
    let all = data(lab.path(), Metric::NdStats, Mode::Summary, Tier::All, None);
    assert_eq!(
        (&all["rowsProcessed"], &all["window"]),
        (&json!(6), &json!({"fromSeconds": 0.005, "toSeconds": 0.007}))
    );
    // 1 MB in 1 ms is 8 Gbps, 2 % of 400: 2, 6, 0 and 2 %.
    let utilization = column(&all, "tx_link_percent_util");
    let found = &utilization["distribution"];
    assert_eq!(
        (&found["count"], &found["min"], &found["mean"], &found["max"]),
        (&json!(4), &json!(0.0), &json!(2.5), &json!(6.0))
    );
    assert_eq!(utilization["unit"], "%");
    assert_eq!(utilization["byTier"][0]["tier"], "nic");
    assert_eq!(utilization["byTier"][0]["direction"], "up");
    assert_eq!(utilization["byTier"][0]["distribution"], *found);
    // The first has 4 % on average, the other 1 %.
    let worst: Vec<(&Value, &Value)> = utilization["worst"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (&one["component"], &one["value"]))
        .collect();
    assert_eq!(
        worst,
        [(&json!("first"), &json!(4.0)), (&json!("other"), &json!(1.0))]
    );
    // (9 - 5) MB and (1 - 0) MB in packets of 1,000 B.
    assert_eq!(
        column(&all, "total_packets_tx")["rise"],
        json!({"count": 2, "sum": 5_000.0, "max": 4_000.0})
    );
    // Drops are milliseconds times the node: 7 - 5 and 14 - 10.
    let drops = column(&all, "rx_drops");
    assert_eq!(drops["rise"], json!({"count": 2, "sum": 6.0, "max": 4.0}));
    assert_eq!(
        (&drops["worst"][0]["component"], &drops["worst"][0]["port"]),
        (&json!("other"), &json!(0))
    );
    // There are no racks in it.
    let racks = data(lab.path(), Metric::NdStats, Mode::Summary, Tier::Rack, None);
    assert_eq!(
        (
            &racks["rowsProcessed"],
            &column(&racks, "rx_drops")["rise"]["count"]
        ),
        (&json!(0), &json!(0))
    );
}

#[test]
fn ports_have_series() {
    let lab = Lab::new();
    ports(&lab);
    let all = data(lab.path(), Metric::NdStats, Mode::TimeSeries, Tier::Nic, None);
    assert_eq!(
        (&all["times_sec"], &all["merged"]),
        (&json!([0.005, 0.006, 0.007]), &json!(1))
    );
    // (2 + 0) / 2, (2 + 0) / 2, (6 + 2) / 2.
    assert_eq!(
        series(&all, "mean tx_link_percent_util")["values"],
        json!([1.0, 1.0, 4.0])
    );
    assert_eq!(
        series(&all, "max tx_link_percent_util")["values"],
        json!([2.0, 2.0, 6.0])
    );
    assert_eq!(
        series(&all, "sum tx_rate_Gbps")["values"],
        json!([8.0, 8.0, 32.0])
    );
    // 5 + 10 since the start, then 1 + 2 each millisecond.
    assert_eq!(series(&all, "rise rx_drops")["values"], json!([15.0, 3.0, 3.0]));
    let one = data(
        lab.path(),
        Metric::NdStats,
        Mode::TimeSeries,
        Tier::All,
        Some("other"),
    );
    let drops = series(&one, "rise rx_drops");
    assert_eq!(
        (&drops["component"], &drops["values"]),
        (&json!("other port 0"), &json!([10.0, 2.0, 2.0]))
    );
    let none = data(
        lab.path(),
        Metric::NdStats,
        Mode::TimeSeries,
        Tier::All,
        Some("nobody"),
    );
    assert_eq!((&none["series"], &none["times_sec"]), (&json!([]), &json!([])));
}

#[test]
fn pauses_rise_by_class() {
    let lab = Lab::new();
    lab.run(&run());
    lab.rows(
        0,
        &[
            class(5, 0, 10, 100),
            class(5, 3, 1, 50),
            class(7, 0, 14, 160),
            class(7, 3, 1, 50),
        ],
    );
    let all = data(lab.path(), Metric::Pfc, Mode::Summary, Tier::Rack, None);
    assert_eq!(
        column(&all, "pfcxoff_tx")["rise"],
        json!({"count": 2, "sum": 4.0, "max": 4.0})
    );
    let paused = column(&all, "pfc_time_paused_usec");
    assert_eq!(
        (&paused["rise"]["sum"], &paused["unit"]),
        (&json!(60.0), &json!("us"))
    );
    assert_eq!(
        (&paused["byTier"][0]["tier"], &paused["byTier"][0]["direction"]),
        (&json!("rack"), &json!("down"))
    );
    // What did not rise is not among the worst.
    let worst = paused["worst"].as_array().expect("a list");
    assert_eq!(
        (worst.len(), &worst[0]["class"], &worst[0]["value"]),
        (1, &json!(0), &json!(60.0))
    );
    let over_time = data(lab.path(), Metric::Pfc, Mode::TimeSeries, Tier::All, None);
    assert_eq!(
        series(&over_time, "rise pfcxoff_tx")["values"],
        json!([11.0, 4.0])
    );
}

#[test]
fn requests_have_latencies_by_application() {
    let lab = Lab::new();
    lab.run(&run());
    let (one, other) = (name(1), "stranger".to_owned());
    let mut rows: Vec<_> = (1..=100).map(|us| completion(&one, ms(6), us)).collect();
    // Before the window, and of nobody's application.
    rows.push(completion(&one, ms(4), 900));
    rows.push(completion(&other, ms(6), 7));
    lab.rows(0, &rows);
    let all = data(lab.path(), Metric::RdmaPerf, Mode::Summary, Tier::All, None);
    assert_eq!(all["rowsProcessed"], 102);
    let found = &all["applications"][0];
    assert_eq!(
        (&found["application"], &found["requests"], &found["bytes"]),
        (&json!("Rdma"), &json!(100), &json!(25_000_000))
    );
    let latency = &found["latencyUsec"];
    assert_eq!(
        (&latency["min"], &latency["mean"], &latency["max"]),
        (&json!(1.0), &json!(50.5), &json!(100.0))
    );
    for (key, right) in [("p50", 50.0), ("p90", 90.0), ("p99", 99.0)] {
        let value = latency[key].as_f64().expect("a number");
        assert!((value - right).abs() <= right / 1_000.0, "{key} {value}");
    }
    let half = found["cdf"]
        .as_array()
        .expect("points")
        .iter()
        .find(|point| point["fraction"] == 0.5)
        .expect("half");
    assert!(
        (half["latencyUsec"].as_f64().expect("a number") - 50.0).abs() < 0.1,
        "{half}"
    );
    assert_eq!(
        (
            &all["applications"][1]["application"],
            &all["applications"][1]["requests"]
        ),
        (&json!("all"), &json!(1))
    );

    // A run of 8 ms in a thousand parts: 8 us each, and 6 ms is the beginning of the 751st.
    let over_time = data(lab.path(), Metric::RdmaPerf, Mode::TimeSeries, Tier::All, None);
    let requests = series(&over_time, "requests");
    assert_eq!(
        (
            &requests["application"],
            &requests["values"][750],
            &requests["values"][751]
        ),
        (&json!("Rdma"), &json!(100.0), &json!(0.0))
    );
    assert!((over_time["times_sec"][750].as_f64().expect("a time") - 751.0 * 8e-6).abs() < 1e-12);
    // 25 MB in 8 us.
    let goodput = series(&over_time, "goodput")["values"][750]
        .as_f64()
        .expect("a rate");
    assert!((goodput - 25e6 * 8.0 / 8e-6 / 1e9).abs() < 1e-6, "{goodput}");
    assert_eq!(series(&over_time, "max latency")["values"][750], 100.0);
    assert_eq!(series(&over_time, "max latency")["values"][749], Value::Null);
    // 900 us at 4 ms.
    assert_eq!(series(&over_time, "max latency")["values"][500], 900.0);
}

#[test]
fn transactions_have_no_sizes() {
    let lab = Lab::new();
    let client = "TrafficGeneratorClient-P:0-R:0-S:0-R:0-C:0-1";
    // Without the file of the run everything counts, and nobody knows whose it is.
    lab.rows(
        0,
        &[transaction(client, ms(4), 10), transaction(client, ms(6), 30)],
    );
    let all = data(lab.path(), Metric::Perf, Mode::Summary, Tier::All, None);
    let found = &all["applications"][0];
    assert_eq!(
        (&found["application"], &found["requests"], &found["bytes"]),
        (&json!("all"), &json!(2), &Value::Null)
    );
    assert_eq!(
        (&found["latencyUsec"]["mean"], &all["window"]["toSeconds"]),
        (&json!(20.0), &Value::Null)
    );
    let over_time = data(lab.path(), Metric::Perf, Mode::TimeSeries, Tier::All, None);
    assert!(
        over_time["series"]
            .as_array()
            .expect("series")
            .iter()
            .all(|series| series["name"] != "goodput")
    );
    // A millisecond a part: 4 ms is the beginning of the fifth.
    assert_eq!(series(&over_time, "p50 latency")["values"][4], 10.0);
}

#[test]
fn connections_have_timeouts_and_a_torn_row_is_left_out() {
    let lab = Lab::new();
    lab.run(&run());
    lab.rows(
        0,
        &[
            tcp("a-1", 5, 100, 1),
            tcp("b-2", 5, 50, 0),
            tcp("a-1", 7, 300, 4),
            tcp("b-2", 7, 60, 0),
        ],
    );
    let whole = data(lab.path(), Metric::TcpStats, Mode::Summary, Tier::All, None);
    assert_eq!(
        column(&whole, "NumRTO")["rise"],
        json!({"count": 2, "sum": 3.0, "max": 3.0})
    );
    assert_eq!(column(&whole, "TotalSegmentsTX")["rise"]["sum"], json!(210.0));
    assert_eq!(column(&whole, "RTT")["distribution"]["mean"], json!(12.0));
    assert_eq!(
        column(&whole, "NumRTO")["worst"],
        json!([{"component": "a-1", "value": 3.0}])
    );
    let text = lab.read("t-tcp-stats-0.csv");
    lab.write("t-tcp-stats-0.csv", format!("{text}0.008,a-1,CLI"));
    assert_eq!(
        data(lab.path(), Metric::TcpStats, Mode::Summary, Tier::All, None),
        whole
    );
}

#[test]
fn what_is_not_there_is_no_data() {
    let lab = Lab::new();
    assert!(matches!(
        compute(lab.path(), Metric::NdStats, Mode::Summary, Tier::All, None),
        Err(DataError::None)
    ));
    ports(&lab);
    assert!(matches!(
        compute(lab.path(), Metric::TcpStats, Mode::Summary, Tier::All, None),
        Err(DataError::None)
    ));
    lab.write("t-nd-stats-1.csv", "nonsense\n1\n");
    assert!(matches!(
        compute(lab.path(), Metric::NdStats, Mode::Summary, Tier::All, None),
        Err(DataError::Analysis(_))
    ));
}

#[test]
fn a_run_has_the_same_figures_as_its_summary() {
    let out = tempfile::tempdir().expect("a folder");
    let set = [
        "SimulationParameters.RunTime=0.001".to_owned(),
        "Rdma.NumConnections=4".to_owned(),
    ];
    let scenario = check(template::find("rdma-incast").expect("a template"), &set).expect("valid");
    packetloom_sim::run(&scenario, &RunOptions::new("t", out.path()), &Default::default()).expect("a run");
    let read = summarize(
        &[out.path().to_owned()],
        &Options::default(),
        &Progress::default(),
    )
    .expect("a summary");

    let requests = data(out.path(), Metric::RdmaPerf, Mode::Summary, Tier::All, None);
    let (mine, theirs) = (&requests["applications"][0], &read.applications[0]);
    assert_eq!(
        (mine["application"].as_str(), mine["requests"].as_u64()),
        (Some(theirs.name.as_str()), Some(theirs.recorded))
    );
    let latency = theirs.latency_us.as_ref().expect("there are some");
    for (key, right) in [
        ("min", latency.min),
        ("mean", latency.mean),
        ("p50", latency.p50),
        ("p99", latency.p99),
        ("max", latency.max),
    ] {
        let value = mine["latencyUsec"][key].as_f64().expect("a number");
        assert!(
            (value - right).abs() <= right * 2e-3,
            "{key}: {value} and {right}"
        );
    }

    let ports = data(out.path(), Metric::NdStats, Mode::Summary, Tier::All, None);
    for theirs in &read.utilization {
        let all = column(&ports, "tx_link_percent_util")["byTier"]
            .as_array()
            .expect("tiers");
        let mine = all
            .iter()
            .find(|one| one["tier"] == theirs.tier.as_str() && one["direction"] == theirs.direction.as_str())
            .expect("the same");
        let mean = mine["distribution"]["mean"].as_f64().expect("a number");
        assert!(
            (mean - theirs.mean_percent).abs() < 0.01 * theirs.mean_percent.max(1.0),
            "{theirs:?} and {mine}"
        );
    }
    let pauses = data(out.path(), Metric::Pfc, Mode::TimeSeries, Tier::All, None);
    let sent: f64 = pauses["series"]
        .as_array()
        .expect("series")
        .iter()
        .filter(|one| one["column"] == "pfcxoff_tx")
        .flat_map(|one| one["values"].as_array().expect("values"))
        .filter_map(Value::as_f64)
        .sum();
    assert_eq!(sent as u64, read.counters.pauses_sent.as_ref().expect("told").run);
    assert!(sent > 0.0);
}

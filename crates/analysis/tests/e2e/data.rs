//! Figures and series of one record, with arithmetic written out, and of a run.

use crate::lab::{Lab, class, completion, ms, name, port, run, tcp, transaction};
use packetloom_analysis::data::{Data, DataError, Metric, Mode, Tier, compute};
use packetloom_analysis::{Options, Progress, summarize};
use packetloom_config::{check, template};
use packetloom_records::{EcnPfcStatsRow, Microseconds, RunEnd, RunFile};
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
fn each_port_has_its_figures_and_its_row() {
    let lab = Lab::new();
    ports(&lab);
    let all = data(lab.path(), Metric::NdStats, Mode::Ports, Tier::All, None);
    let columns = all["columns"].as_array().expect("columns");
    let at = |name: &str| columns.iter().position(|one| one["column"] == name).expect(name);
    let sent = at("interval_bytes_tx_MB");
    assert_eq!(
        (&columns[sent]["kind"], &columns[sent]["unit"]),
        (&json!("amount"), &json!("MB"))
    );
    // In the window the first port sends 1 MB and 3 MB, the other nothing and 1 MB.
    let (one, two) = (&all["ports"][0], &all["ports"][1]);
    assert_eq!(
        [
            &one["values"][sent],
            &one["peaks"][sent],
            &two["values"][sent],
            &two["peaks"][sent]
        ],
        [&json!(2.0), &json!(3.0), &json!(0.5), &json!(1.0)]
    );
    assert_eq!(all["ports"].as_array().map(Vec::len), Some(2));

    let map = data(lab.path(), Metric::NdStats, Mode::HeatMap, Tier::All, None);
    assert_eq!(map["timesSec"], json!([0.005, 0.006, 0.007]));
    assert_eq!(
        (&map["column"], &map["unit"]),
        (&json!("tx_link_percent_util"), &json!("%"))
    );
    assert_eq!(
        (map["rows"].as_array().map(Vec::len), &map["mergedTimes"]),
        (Some(2), &json!(1))
    );
    assert_eq!(
        (
            &map["rows"][0]["merged"],
            map["values"][0].as_array().map(Vec::len)
        ),
        (&json!(1), Some(3))
    );

    // No such form of requests.
    assert!(matches!(
        compute(lab.path(), Metric::RdmaPerf, Mode::Ports, Tier::All, None),
        Err(DataError::Mode(Mode::Ports, Metric::RdmaPerf))
    ));
}

#[test]
fn pauses_over_time_are_a_share_of_the_interval() {
    let lab = Lab::new();
    lab.run(&run());
    // Reports 1 ms apart; paused for 100 us and 250 us of them, so 10 % and 25 %.
    let report = |at_ms, us: u64| EcnPfcStatsRow {
        interval_total_time_xoff_usec: Microseconds::from_ps(us * 1_000_000),
        ..class(at_ms, 3, 1, us)
    };
    lab.rows(0, &[report(5, 100), report(6, 250)]);
    let map = data(lab.path(), Metric::Pfc, Mode::HeatMap, Tier::All, None);
    assert_eq!(
        (&map["column"], &map["unit"]),
        (&json!("percent_xoff"), &json!("%"))
    );
    let shares: Vec<f64> = map["values"][0]
        .as_array()
        .expect("a row")
        .iter()
        .filter_map(Value::as_f64)
        .collect();
    for (share, right) in shares.iter().zip([10.0, 25.0]) {
        assert!((share - right).abs() < 1e-9, "{shares:?}");
    }
    assert_eq!((shares.len(), &map["rows"][0]["class"]), (2, &json!(3)));
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
        (&all["timesSec"], &all["merged"]),
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
    assert_eq!((&none["series"], &none["timesSec"]), (&json!([]), &json!([])));
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
    assert!((over_time["timesSec"][750].as_f64().expect("a time") - 751.0 * 8e-6).abs() < 1e-12);
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
fn of_what_was_not_simulated_nothing_is_told() {
    let lab = Lab::new();
    let one = name(1);
    lab.rows(0, &[completion(&one, ms(4), 9), completion(&one, ms(6), 9)]);
    let points = || {
        let found = data(lab.path(), Metric::RdmaPerf, Mode::TimeSeries, Tier::All, None);
        let times = found["timesSec"].as_array().expect("times").len();
        for one in found["series"].as_array().expect("series") {
            assert_eq!(
                one["values"].as_array().map(Vec::len),
                Some(times),
                "{}",
                one["name"]
            );
        }
        times
    };
    // Parts of 8 us: all thousand of a run that ended; of one that was interrupted at 6.5 ms the 812 that are whole (812.5);
    // of one that goes on those before its last request, at 6 ms.
    for (ended, right) in [
        (run().ended, 1_000),
        (
            Some(RunEnd {
                simulated_ps: 6_500_000_000,
                interrupted: true,
            }),
            812,
        ),
        (None, 750),
    ] {
        lab.run(&RunFile { ended, ..run() });
        assert_eq!(points(), right);
    }
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
    // The busiest port is the same one, and its figures are among those of all ports.
    let each = data(out.path(), Metric::NdStats, Mode::Ports, Tier::All, None);
    let place = |name: &str| {
        let columns = each["columns"].as_array().expect("columns");
        columns.iter().position(|one| one["column"] == name).expect(name)
    };
    let util = place("tx_link_percent_util");
    let most = |of: &str, tier: &str, up: &str| {
        let ports = each["ports"].as_array().expect("ports").iter();
        let ports = ports.filter(|one| one["tier"] == tier && one["direction"] == up);
        ports.filter_map(|one| one[of][util].as_f64()).fold(0.0, f64::max)
    };
    for theirs in &read.utilization {
        let mine = most("values", theirs.tier.as_str(), theirs.direction.as_str());
        assert!(
            (mine - theirs.max_percent).abs() < 0.01 * theirs.max_percent.max(1.0),
            "{theirs:?} and {mine}"
        );
    }
    // The matrix has the same peaks over the whole run as the series.
    let map = data(out.path(), Metric::NdStats, Mode::HeatMap, Tier::All, None);
    let over_time = data(out.path(), Metric::NdStats, Mode::TimeSeries, Tier::All, None);
    assert_eq!(map["timesSec"], over_time["timesSec"]);
    for one in over_time["series"].as_array().expect("series") {
        if one["name"] != "max tx_link_percent_util" {
            continue;
        }
        for (at, value) in one["values"].as_array().expect("values").iter().enumerate() {
            let rows = map["rows"].as_array().expect("rows").iter().enumerate();
            let rows =
                rows.filter(|(_, row)| row["tier"] == one["tier"] && row["direction"] == one["direction"]);
            let peak = rows
                .filter_map(|(n, _)| map["values"][n][at].as_f64())
                .fold(0.0, f64::max);
            assert_eq!(Some(peak), value.as_f64(), "{one:?}");
        }
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

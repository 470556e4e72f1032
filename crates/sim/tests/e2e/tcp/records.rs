//! Records of the traffic generator recomputed from each other.

use super::{MS, constant, recorded_from_the_start, star};
use crate::common::{Outcome, Row, Table, play, settings, template};
use std::collections::{BTreeMap, BTreeSet};

const REQUEST: u64 = 1_000;
const REPLY: u64 = 4_000;

/// 8 clients and 8 servers for 20 ms at light load, recorded from the start, with 5 ms behind.
fn light() -> Outcome {
    let settings = [
        recorded_from_the_start(0.02),
        constant(REQUEST, REPLY),
        settings([
            "Tcp.RequestRate=2000",
            "SimulationParameters.CoolDown=0.005",
            "SimulationParameters.EnableTcpStackReporting=true",
            "SimulationParameters.TcpStackReportInterval=0.002",
        ]),
    ]
    .concat();
    play(&template("tcp-16-hosts"), &settings)
}

/// Number of transactions in `perf` for which a time, in ps, comes before another.
fn before(perf: &Table, at: u64, when: impl Fn(&Row<'_>) -> u64) -> u64 {
    perf.rows().filter(|row| when(row) < at).count() as u64
}

fn generated(row: &Row<'_>) -> u64 {
    row.scaled("start_time_sec", 12)
}

#[test]
fn beacon_says_what_perf_says() {
    let outcome = light();
    let (perf, beacon) = (outcome.table("perf"), outcome.table("beacon"));
    // The longest transaction is far shorter than an interval, so all that is generated an interval before the end is in `perf`.
    assert!(perf.rows().all(|row| row.latency() < MS / 2));
    let (start, end) = (2 * MS, 22 * MS);
    for row in beacon.rows() {
        // A row at T comes before what happens at T.
        let at = row.time();
        let done = before(&perf, at, |row| row.time());
        if at <= end {
            assert_eq!(row.int("rx_client"), done);
        }
        let asked = row.int("tx_client");
        if at < end {
            // The send buffers have room: what is generated is handed over.
            assert_eq!(asked, before(&perf, at, generated));
        }
        let received = row.int("rx_server");
        assert!(done <= received && received <= asked);
        // Replies are handed over as requests arrive, up to the end.
        assert!(row.int("tx_server") <= received && done <= row.int("tx_server"));
        if at <= end {
            assert_eq!(row.int("tx_server"), received);
            assert_eq!(row.int("rx_bytes_writer"), REQUEST * received);
        }
        // MB/s of one of 8 servers' hosts, over the recording window so far.
        let seconds = (at.min(end) - start) as f64 / 1e12;
        let expected = row.int("rx_bytes_writer") as f64 / seconds / 8.0 / 1e6;
        let found = row.float("goodput_writer_MB_per_sec");
        assert!(
            (found - expected).abs() <= 1e-9 * expected,
            "{found}, not {expected}"
        );
        assert_eq!(
            (row.int("rx_bytes_reader"), row.float("goodput_reader_MB_per_sec")),
            (0, 0.0)
        );
    }
    assert_eq!(
        beacon.times()[0],
        start + MS,
        "one interval after the start window opens"
    );
    // 64 connections x 2,000 a second x 20 ms = 2,560, with a standard deviation of 51, and the first of each.
    assert!((2_350..2_900).contains(&perf.len()), "{}", perf.len());
}

/// Instance by instance: numbers from 0 and counting, in the order of generation and of completion.
#[test]
fn perf_has_each_transaction_once() {
    let outcome = light();
    let (perf, hosts) = (outcome.table("perf"), outcome.table("application-report"));
    let node_of: BTreeMap<&str, u64> = hosts
        .rows()
        .filter(|row| &row["socket_type"] == "CLIENT")
        .map(|row| (row.text("app_name"), row.int("node_id")))
        .collect();
    assert_eq!(node_of.len(), 64);
    let mut last: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    for row in perf.rows() {
        let name = row.text("application_name");
        assert_eq!(row.int("node_id"), node_of[name]);
        let this = (row.int("transaction_number"), generated(&row), row.time());
        assert_eq!(row.latency(), this.2 - this.1);
        match last.insert(name, this) {
            None => assert_eq!(this.0, 0),
            Some(previous) => {
                assert_eq!(this.0, previous.0 + 1);
                assert!(this.1 > previous.1 && this.2 >= previous.2);
            }
        }
    }
    assert_eq!(last.len(), 64);
}

#[test]
fn application_report_has_both_ends() {
    let outcome = light();
    let table = outcome.table("application-report");
    assert_eq!(table.len(), 128);
    let (mut names, mut pairs) = (BTreeSet::new(), BTreeSet::new());
    let rows: Vec<_> = table.rows().collect();
    for ends in rows.chunks(2) {
        let [client, server] = ends else {
            panic!("both ends")
        };
        assert_eq!(
            (&client["socket_type"], &server["socket_type"]),
            ("CLIENT", "SERVER")
        );
        assert_eq!(&client["app_typeid"], "ScalaTrafficGeneratorApplication");
        assert_eq!(&server["app_typeid"], "ScalaTrafficServerApplication");
        assert_eq!(client.int("peer_node_id"), server.int("node_id"));
        assert_eq!(server.int("peer_node_id"), client.int("node_id"));
        for end in ends {
            assert_eq!((end.int("dscp"), end.int("ect")), (0, 0));
            assert!(names.insert(end.text("app_name")), "a name of its own");
        }
        pairs.insert((client.int("node_id"), server.int("node_id")));
    }
    assert_eq!(pairs.len(), 8, "16 hosts, half each: 8 pairs");
}

#[test]
fn tcp_stats_says_what_perf_says() {
    let outcome = light();
    let (perf, stats) = (outcome.table("perf"), outcome.table("tcp-stats"));
    // The first connection starts with the client start window, which has no length.
    assert_eq!(stats.times()[..2], [4 * MS, 6 * MS]);
    assert_eq!(stats.len(), 64 * stats.times().len());
    let mut last: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for row in stats.rows() {
        let name = row.text("AppId");
        let of = |when: fn(&Row<'_>) -> u64| {
            let mine = perf.rows().filter(|row| row.text("application_name") == name);
            mine.filter(|other| when(other) < row.time()).count() as u64
        };
        let (sent, received) = (row.total_bytes("tx"), row.total_bytes("rx"));
        let (asked, done) = (of(generated), of(|row| row.time()));
        if row.time() < 22 * MS {
            assert_eq!(sent, REQUEST * asked, "windows never hold back so little");
            assert!((REPLY * done..=REPLY * asked).contains(&received));
        }
        let (before_sent, before_received) = last.insert(name, (sent, received)).unwrap_or_default();
        // Bytes in 2 ms, in MB/s.
        let rates = [
            ("tx_interval_throughput_rate_MBps", sent - before_sent),
            ("rx_interval_throughput_rate_MBps", received - before_received),
        ];
        for (column, bytes) in rates {
            assert!((row.float(column) - bytes as f64 / 2e-3 / 1e6).abs() < 1e-9);
        }
        for column in ["NumRTO", "NumFastRetrans", "RECOVERY", "LOSS", "CWR"] {
            assert_eq!(row.int(column), 0);
        }
        assert_eq!((&row["State"], &row["Type"]), ("ESTABLISHED", "CLIENT"));
        // Least: 20 ms.
        assert_eq!(row.scaled("RTO", 6), 20 * MS);
    }
}

/// With class 0 lossless at the switch, the replies of 8 servers to one client pause the servers' NICs, and nothing is dropped.
#[test]
fn a_lossless_class_pauses_plain_nics() {
    let run = |lossless: bool| {
        let settings = [
            recorded_from_the_start(0.004),
            constant(400, 250_000),
            settings([
                "Tcp.NumConnections=8",
                "Tcp.StartType=simultaneous",
                "Tcp.RequestRate=1000",
                "RackSwitch.SharedBufferManager.TotalSharedBufferSize=8 MB",
                "RackSwitch.SharedBufferManager.HeadRoomPerPortLimit=64 KB",
                "RackSwitch.SharedBufferManager.StaticPoolXoffThreshold=100 KB",
                "RackSwitch.SharedBufferManager.StaticPoolXonThreshold=50 KB",
                "SimulationParameters.NDStatsReportInterval=0.0005",
            ]),
            vec![format!(
                "RackSwitch.SharedBufferManager.EnablePFC=[{},1,0,0,0,0,0,0]",
                u8::from(lossless)
            )],
        ]
        .concat();
        play(&star(1, 8), &settings)
    };
    let lossy = run(false);
    assert!(lossy.summary.drops > 0 && lossy.summary.retransmissions > 0);
    assert!(
        lossy
            .table("ecn-pfc-stats")
            .rows()
            .all(|row| row.int("tier") != 3)
    );
    let outcome = run(true);
    assert_eq!((outcome.summary.drops, outcome.summary.retransmissions), (0, 0));
    let table = outcome.table("ecn-pfc-stats");
    let (mut paused, mut sums) = (BTreeSet::new(), BTreeMap::new());
    for row in table.rows().filter(|row| row.int("tier") == 3) {
        assert_eq!(
            (row.int("pfcxoff_tx"), row.int("pfcxon_tx")),
            (0, 0),
            "a NIC pauses nobody"
        );
        assert!(row.int("pfcxoff_rx") > 0);
        assert_eq!(&row["uldl"], "ul");
        // Intervals add up to the total.
        let sum: &mut u64 = sums.entry(row.int("node_id")).or_default();
        *sum += row.scaled("interval_total_time_xoff_usec", 6);
        assert_eq!(*sum, row.scaled("pfc_time_paused_usec", 6));
        assert!(*sum > 0);
        let share = row.scaled("interval_total_time_xoff_usec", 6) as f64 / (MS / 2) as f64;
        assert!((row.float("percent_xon") - 100.0 * (1.0 - share)).abs() < 1e-6);
        paused.insert(row.int("node_id"));
    }
    // Node ids: the switch, the client's NIC, then the servers'.
    assert_eq!(paused, (2..=9).collect(), "each server's NIC");
}

/// The first report is one interval after the first connection of all, though `tcp-stats` does not tell of that one.
#[test]
fn tcp_stats_begins_with_the_first_connection_of_the_run() {
    let first = |quiet: bool| {
        let mut document = star(1, 1);
        if quiet {
            let mut application = document["applications"][0].clone();
            application["name"] = "Quiet".into();
            application["typedParameters"] =
                serde_json::json!({ "StartType": "simultaneous", "EnableTcpStats": false });
            let list = document["applications"].as_array_mut().expect("a list");
            list.insert(0, application);
            for server in [3, 4] {
                let parts = &mut document["components"][server]["components"];
                let mut part = parts[1].clone();
                part["parentApplicationName"] = "Quiet".into();
                parts.as_array_mut().expect("a list").push(part);
            }
        }
        let outcome = play(
            &document,
            &settings([
                "Tcp.StartType=uniform",
                "Tcp.NumConnections=1",
                "SimulationParameters.RunTime=0.01",
                "SimulationParameters.EnableTcpStackReporting=true",
                "SimulationParameters.TcpStackReportInterval=0.002",
            ]),
        );
        outcome.table("tcp-stats").times()[0]
    };
    // The client start window opens at 2 ms; the one connection of `Tcp` starts some time later.
    assert!(first(false) > 4 * MS);
    assert_eq!(first(true), 4 * MS);
}

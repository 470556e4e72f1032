//! What the records of a small run hold: their rows, their times, and how they agree with each other.

use crate::common::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// The 16-host template, stop time 0.008 s (0.003 + 0.002 + 0.002 + 0.001), two connections a pair.
fn small() -> Outcome {
    play(
        &template("rdma-16-hosts"),
        &settings(["SimulationParameters.RunTime=0.002", "Rdma.NumConnections=2"]),
    )
}

const PAIRS: u64 = 8;
const INSTANCES: u64 = 2 * PAIRS;
/// Fabric switches 0 and 1, rack switches 2 and 3, then 16 NICs, then 16 hosts.
const FIRST_NIC: u64 = 4;
const FIRST_HOST: u64 = 20;

/// Node id of a host from its name, `ScalaHost-0-{pod}-{rack}-{server}`, in the template's 2 racks of 8.
fn host_node(name: &str) -> u64 {
    let numbers: Vec<u64> = name
        .strip_prefix("ScalaHost-0-0-")
        .unwrap_or_else(|| panic!("{name}"))
        .split('-')
        .map(|n| n.parse().expect("a number"))
        .collect();
    let [rack, server] = numbers[..] else {
        panic!("{name}")
    };
    FIRST_HOST + rack * 8 + server
}

#[test]
fn periodic_records_begin_one_interval_into_the_client_window_and_end_when_due() {
    // 0.002 s + k x interval, up to and including the stop time 0.008 s.
    for (interval, text, rows, last) in [
        (1_000 * US, "0.001", 6, 8_000 * US),
        (600 * US, "0.0006", 10, 8_000 * US), // due at the stop time
        (700 * US, "0.0007", 8, 7_600 * US),  // not due then
        (7_000 * US, "0.007", 0, 0),          // never due
    ] {
        let outcome = play(
            &pair(1),
            &[
                "SimulationParameters.RunTime=0.002".into(),
                format!("SimulationParameters.NDStatsReportInterval={text}"),
                format!("SimulationParameters.BeaconReportInterval={text}"),
            ],
        );
        let expected: Vec<u64> = (1..=rows).map(|k| 2_000 * US + k * interval).collect();
        assert_eq!(expected.last().copied().unwrap_or(0), last);
        for record in [
            "beacon",
            "nd-stats",
            "roce-transport-stats",
            "tier-hop",
            "cpu-mem-stats",
        ] {
            assert_eq!(outcome.table(record).times(), expected, "{record} every {text} s");
        }
        // A row a port (NIC, NIC, and two of the switch), a NIC, a shard.
        assert_eq!(outcome.table("nd-stats").len() as u64, 4 * rows);
        assert_eq!(outcome.table("roce-transport-stats").len() as u64, 2 * rows);
        assert_eq!(outcome.table("beacon").len() as u64, rows);
        for row in outcome.table("beacon").rows() {
            assert_eq!(row.scaled("interval_duration_sec", 12), interval);
        }
    }
}

#[test]
fn intervals_of_different_records_do_not_disturb_each_other() {
    let settings = settings([
        "SimulationParameters.RunTime=0.002",
        "SimulationParameters.NDStatsReportInterval=0.0007",
        "SimulationParameters.BeaconReportInterval=0.0004",
    ]);
    let outcome = play(&pair(1), &settings);
    let times = |interval: u64, rows| (1..=rows).map(|k| 2_000 * US + k * interval).collect::<Vec<_>>();
    for record in ["nd-stats", "tier-hop"] {
        assert_eq!(outcome.table(record).times(), times(700 * US, 8));
    }
    for record in ["beacon", "cpu-mem-stats"] {
        assert_eq!(outcome.table(record).times(), times(400 * US, 15));
    }
}

#[test]
fn switched_off_records_have_no_file() {
    let outcome = play(
        &pair(1),
        &settings([
            "SimulationParameters.RunTime=0.0001",
            "SimulationParameters.EnableNetDeviceStatLogging=false",
            "SimulationParameters.EnableRoceTransportStats=false",
            "SimulationParameters.EnablePFCECNStatsLogging=false",
        ]),
    );
    for record in ["nd-stats", "roce-transport-stats", "ecn-pfc-stats"] {
        assert!(
            !outcome.out.path().join(format!("t-{record}-0.csv")).exists(),
            "{record}"
        );
        assert!(outcome.summary.files.iter().all(|name| !name.contains(record)));
    }
    let files: BTreeSet<_> = std::fs::read_dir(outcome.out.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    assert_eq!(
        files,
        outcome.summary.files.iter().cloned().collect(),
        "the summary names what is there"
    );
}

#[test]
fn rdma_perf_has_its_columns_and_rows_in_order() {
    let outcome = small();
    let perf = outcome.table("rdma-perf");
    let columns = "job_id,time_utc,sim_time_sec,metric_name,perf_metric_usec,transfer_size,start_time_sec,\
                   application_name,node_id,rdma_verb,wqe_id,num_wqe_sent,num_wqe_complete";
    assert_eq!(perf.header().join(","), columns);
    let keys: Vec<_> = perf.rows().map(|row| (row.time(), row.int("node_id"))).collect();
    assert!(keys.is_sorted(), "by time, then by node");
    let mut completed: BTreeMap<String, u64> = BTreeMap::new();
    for row in perf.rows() {
        let fixed = [
            &row["job_id"],
            &row["metric_name"],
            &row["transfer_size"],
            &row["rdma_verb"],
        ];
        assert_eq!(fixed, ["t", "RDMA-WRITE", "250000", "RDMA_VERB_POST_WRITE"]);
        assert_eq!(row.scaled("start_time_sec", 12) + row.latency(), row.time());
        assert!(row.time() > DATA_START && row.time() < 8_000 * US);
        // One message at a time, in the order posted: the k-th row of a connection is its k-th work request, with ten
        // posted at data start and one more at each of the k - 1 completions before.
        let k = completed.entry(row["application_name"].to_owned()).or_default();
        *k += 1;
        assert_eq!((row.int("wqe_id"), row.int("num_wqe_complete")), (*k, *k));
        assert_eq!(row.int("num_wqe_sent"), 10 + *k - 1);
        if *k <= 10 {
            assert_eq!(row.scaled("start_time_sec", 12), DATA_START);
        }
    }
    assert_eq!(completed.len() as u64, INSTANCES);
    // The eleventh work request of a connection was posted when its first completed.
    let mut ends: BTreeMap<(String, u64), u64> = BTreeMap::new();
    for row in perf.rows() {
        let name = row["application_name"].to_owned();
        let k = row.int("wqe_id");
        if k > 10 {
            assert_eq!(row.scaled("start_time_sec", 12), ends[&(name.clone(), k - 10)]);
        }
        ends.insert((name, k), row.time());
    }
    // What the summary says of the window from 0.005 to 0.007 s.
    let within: Vec<_> = perf
        .rows()
        .filter(|r| (5_000 * US..=7_000 * US).contains(&r.time()))
        .collect();
    let application = &outcome.summary.applications[0];
    assert_eq!(application.recorded, within.len() as u64);
    assert_eq!(
        (application.completed, application.posted),
        (perf.len() as u64, perf.len() as u64 + 10 * INSTANCES)
    );
    let mut latencies: Vec<u64> = within.iter().map(|row| row.latency()).collect();
    latencies.sort_unstable();
    let found = application.latency_us.as_ref().expect("completions");
    let (least, most) = (latencies[0], latencies[latencies.len() - 1]);
    assert_eq!((found.min, found.max), (least as f64 / 1e6, most as f64 / 1e6));
    let mean = latencies.iter().sum::<u64>() as f64 / latencies.len() as f64 / 1e6;
    assert!((found.mean / mean - 1.0).abs() < 1e-9);
    for (found, share) in [
        (found.p50, 0.5),
        (found.p90, 0.9),
        (found.p99, 0.99),
        (found.p999, 0.999),
    ] {
        let rank = ((share * latencies.len() as f64).ceil() as usize).max(1) - 1;
        let right = latencies[rank] as f64 / 1e6;
        assert!(
            (found / right - 1.0).abs() <= 1.1e-3,
            "{share}: {found} for {right}"
        );
    }
}

#[test]
fn beacon_counts_what_rdma_perf_lists() {
    let outcome = small();
    let perf = outcome.table("rdma-perf");
    let mut before = (0, 0);
    for row in outcome.table("beacon").rows() {
        // A report at T comes before what happens at T.
        let completed = perf.rows().filter(|r| r.time() < row.time()).count() as u64;
        let posted = if row.time() > DATA_START {
            completed + 10 * INSTANCES
        } else {
            0
        };
        assert_eq!(
            (row.int("tx_client"), row.int("rx_client")),
            (posted, completed),
            "at {}",
            row.time()
        );
        assert!(row.int("rx_client") <= row.int("tx_client"));
        assert!(
            (row.int("tx_client"), row.int("rx_client")) >= before,
            "running totals"
        );
        before = (row.int("tx_client"), row.int("rx_client"));
        // Every work request is with its connection until the stop time: at most ten each are outstanding.
        assert!(posted - completed <= 10 * INSTANCES);
    }
    assert!(before.1 > 0);
}

#[test]
fn device_and_transport_records_agree() {
    let outcome = small();
    let (devices, transports) = (outcome.table("nd-stats"), outcome.table("roce-transport-stats"));
    let times = devices.times();
    assert_eq!(times, (3..=8).map(|ms| ms * 1_000 * US).collect::<Vec<_>>());
    // 2 fabric switches of 2 x 8 downlinks, 2 rack switches of 2 x 8 uplinks and 8 downlinks, 16 NICs.
    assert_eq!(devices.len(), 6 * (2 * 16 + 2 * 24 + 16));
    assert_eq!(transports.len(), 6 * 16);

    let mut totals: BTreeMap<(u64, u64), [u64; 2]> = BTreeMap::new();
    let mut keys = Vec::new();
    for row in devices.rows() {
        let (node, port) = (row.int("node_id"), row.int("ifid"));
        keys.push((row.time(), node, port));
        let tier = [1, 1, 2, 2].get(node as usize).copied().unwrap_or(3);
        assert_eq!(row.int("tier"), tier);
        assert_eq!(&row["subtier"], "4294967295");
        let up = match tier {
            1 => false,     // no spine above
            2 => port < 16, // uplinks before downlinks
            _ => true,
        };
        assert_eq!(&row["uldl"], if up { "ul" } else { "dl" });
        if tier == 3 {
            // The name is the host's, whose node id is 16 more than its NIC's.
            assert_eq!(host_node(&row["component_name"]) - FIRST_HOST + FIRST_NIC, node);
        }
        for (direction, total) in ["tx", "rx"]
            .into_iter()
            .zip(totals.entry((node, port)).or_default())
        {
            let interval = row.interval_bytes(direction);
            *total += interval;
            if row.time() > times[0] {
                assert_eq!(
                    row.total_bytes(direction),
                    *total,
                    "intervals add up to the total"
                );
            } else {
                *total = row.total_bytes(direction);
            }
            let rate = interval as f64 * 8.0 / 1e-3 / 1e9;
            let close = |found: f64, right: f64| (found - right).abs() <= 1e-9 * right.max(1.0);
            assert!(close(row.float(&format!("{direction}_rate_Gbps")), rate));
            assert!(close(
                row.float(&format!("{direction}_link_percent_util")),
                rate / 400.0 * 100.0
            ));
            // A frame is counted when it has been sent: one may lie across the interval's start.
            assert!(
                interval <= 50_000_000 + FULL_PACKET,
                "{interval} B in 1 ms at 400 Gbps"
            );
        }
    }
    assert!(keys.is_sorted(), "by time, node and port");
    // What the NICs' transport sent is what their ports sent: no pause comes from a NIC here.
    for row in transports.rows() {
        let port = devices.one(|d| d.time() == row.time() && d["node_id"] == row["node_id"]);
        assert_eq!(row.int("num_pkts_sent"), port.int("total_packets_tx"));
        assert_eq!(
            row.int("num_pkts_sent"),
            row.int("num_verb_pkts_sent") + row.int("num_non_verb_pkts_sent")
        );
        let control = [
            "num_acks_sent",
            "num_nacks_sent",
            "num_cnp_sent",
            "num_conn_pkts_sent",
        ];
        assert_eq!(
            row.int("num_non_verb_pkts_sent"),
            control.map(|c| row.int(c)).iter().sum::<u64>()
        );
        assert_eq!(row.int("rdma_write_cnt"), row.int("num_verb_pkts_sent"));
        assert_eq!(&row["component_name"], &port["component_name"]);
        let bytes = row.int("num_acks_sent") * ACK + row.int("num_conn_pkts_sent") * CONNECTION_PACKET;
        if row.int("rdma_write_cnt") == 0 {
            assert_eq!(
                port.total_bytes("tx"),
                bytes,
                "a responder sends ACKs and connection packets"
            );
        }
    }
    // Intervals of transport counters add up as well.
    let counters: Vec<_> = transports
        .header()
        .iter()
        .filter(|name| name.starts_with("ivl_num") || name.starts_with("ivl_rdma"))
        .collect();
    assert!(counters.len() > 20);
    for interval in counters {
        let total = interval.strip_prefix("ivl_").expect("filtered");
        let mut sums: BTreeMap<u64, u64> = BTreeMap::new();
        for row in transports.rows() {
            let sum = sums.entry(row.int("node_id")).or_default();
            *sum += row.int(interval);
            assert_eq!(
                row.int(total),
                *sum,
                "{total} of node {} at {}",
                row.int("node_id"),
                row.time()
            );
        }
    }
    // Work requests by NIC are those of the application; a doorbell may be on its way.
    let perf = outcome.table("rdma-perf");
    for at in times {
        let rows: Vec<_> = transports.rows().filter(|row| row.time() == at).collect();
        let sum = |column: &str| rows.iter().map(|row| row.int(column)).sum::<u64>();
        let completed = perf.rows().filter(|row| row.time() < at).count() as u64;
        assert_eq!(sum("num_wqe_completed"), completed);
        if at > DATA_START {
            let posted = completed + 10 * INSTANCES;
            assert!((posted - INSTANCES..=posted).contains(&sum("num_wqe_created")));
        }
        assert!(sum("num_writes_recvd") <= sum("rdma_write_cnt"));
        assert!(sum("num_acks_recvd") <= sum("num_acks_sent"));
        assert_eq!(
            (sum("num_conn_pkts_sent"), sum("num_conn_pkts_recvd")),
            (3 * INSTANCES, 3 * INSTANCES)
        );
    }
}

#[test]
fn topology_report_has_a_row_for_each_link() {
    let outcome = small();
    let links = outcome.table("topology-report");
    // 16 hosts, and 8 parallel links from each of 2 rack switches to each of 2 fabric switches.
    assert_eq!(links.len(), 16 + 2 * 2 * 8);
    let mut ends = BTreeSet::new();
    let mut between: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for row in links.rows() {
        let (upper, lower) = (row.int("node_id"), row.int("peer_node_id"));
        assert!(ends.insert((upper, row.int("dev_id"))), "a port has one link");
        assert!(
            ends.insert((lower, row.int("peer_dev_id"))),
            "a port has one link"
        );
        *between.entry((upper, lower)).or_default() += 1;
        assert_eq!(&row["linkspeed_Gbps"], "400");
        match row.int("peer_tier") {
            2 => {
                // The delay is that of the device at the lower end: the rack switch's 500 ns.
                assert_eq!((row.int("tier"), &row["prop_delay_ns"]), (1, "500"));
                assert!(upper < 2 && (2..4).contains(&lower));
                assert!(row.int("peer_dev_id") < 16, "uplinks come before downlinks");
                assert_eq!(
                    &row["component_name"],
                    format!("ScalaFabricSwitch-{upper}-{upper}-0-0-1-{upper}")
                );
                let index = lower - 2;
                assert_eq!(
                    &row["peer_component_name"],
                    format!("ScalaRackSwitch-{lower}-{lower}-0-0-2-{index}")
                );
                assert_eq!(
                    (&row["component_type"], &row["peer_component_type"]),
                    ("Switch", "Switch")
                );
                assert_eq!(&row["net_device"], "scala_switch::ScalaSwitchEthNetDevice");
            }
            3 => {
                assert_eq!((row.int("tier"), &row["prop_delay_ns"]), (2, "100"));
                let server = lower - FIRST_NIC;
                assert!(server < 16);
                assert_eq!(upper, 2 + server / 8, "8 servers a rack, in order");
                assert_eq!(row.int("dev_id"), 16 + server % 8);
                let name = format!("ScalaHost-0-0-{}-{}", server / 8, server % 8);
                assert_eq!(&row["peer_component_name"], name);
            }
            tier => panic!("tier {tier} at a lower end"),
        }
        assert_eq!(
            (&row["subtier"], &row["peer_subtier"]),
            ("4294967295", "4294967295")
        );
    }
    for fabric in 0..2 {
        for rack in 2..4 {
            assert_eq!(between[&(fabric, rack)], 8);
        }
    }
}

#[test]
fn application_report_has_a_row_for_each_end_of_each_connection() {
    let outcome = small();
    let report = outcome.table("application-report");
    assert_eq!(report.len() as u64, 2 * INSTANCES);
    let columns =
        "job_id,time_utc,component_name,node_id,socket_type,app_typeid,app_name,dscp,ect,peer_node_id";
    assert_eq!(report.header().join(","), columns);
    let ends =
        |role: &str| -> Vec<Row<'_>> { report.rows().filter(|row| &row["socket_type"] == role).collect() };
    let (clients, servers) = (ends("CLIENT"), ends("SERVER"));
    assert_eq!(
        (clients.len() as u64, servers.len() as u64),
        (INSTANCES, INSTANCES)
    );
    for row in report.rows() {
        assert_eq!(row.int("node_id"), host_node(&row["component_name"]));
        assert_ne!(row["node_id"], row["peer_node_id"]);
    }
    // The two ends name each other, as often as there are connections between them.
    let pairs = |rows: &[Row<'_>], from: &str, to: &str| {
        let mut pairs: Vec<_> = rows.iter().map(|row| (row.int(from), row.int(to))).collect();
        pairs.sort_unstable();
        pairs
    };
    assert_eq!(
        pairs(&clients, "node_id", "peer_node_id"),
        pairs(&servers, "peer_node_id", "node_id")
    );
    // Data goes in class 0, ECN-capable.
    assert!(
        clients
            .iter()
            .all(|row| (row.int("dscp"), row.int("ect")) == (0, 1))
    );
    // `RdmaInitiator-P:{pod}-R:{rack}-S:{server}-R:{peer}-C:{conn}-{n}`, n running over the instances from 1.
    let mut numbers = BTreeSet::new();
    for row in &clients {
        let place = row.int("node_id") - FIRST_HOST;
        let prefix = format!("RdmaInitiator-P:0-R:{}-S:{}-R:0-C:", place / 8, place % 8);
        let rest = row["app_name"]
            .strip_prefix(&prefix)
            .unwrap_or_else(|| panic!("{}", &row["app_name"]));
        let (connection, number) = rest.split_once('-').expect("connection and number");
        assert!(["0", "1"].contains(&connection));
        numbers.insert(number.parse::<u64>().expect("a number"));
    }
    assert_eq!(numbers, (1..=INSTANCES).collect());
    // The rows of rdma-perf carry these names with these hosts.
    let hosts: BTreeMap<_, _> = clients
        .iter()
        .map(|row| (row["app_name"].to_owned(), row["node_id"].to_owned()))
        .collect();
    for row in outcome.table("rdma-perf").rows() {
        assert_eq!(hosts[&row["application_name"]], row["node_id"]);
    }
}

#[test]
fn an_initiator_with_several_responders_numbers_its_peers() {
    // 0.25 / 0.75: 12 pairs of 4 initiators. `R:{peer}` counts the pairs of its client from 0.
    let mut document = template("rdma-16-hosts");
    let entries = &mut document["topology"]["appDistribution"]["randomApplicationDistribution"];
    entries[0]["distributionPercent"]["value"] = 0.25.into();
    entries[1]["distributionPercent"]["value"] = 0.75.into();
    let outcome = play(&document, &stop_at(0.00301));
    let report = outcome.table("application-report");
    let mut peers: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for row in report.rows().filter(|row| &row["socket_type"] == "CLIENT") {
        let peer = row["app_name"]
            .split("-R:")
            .nth(2)
            .and_then(|rest| rest.split('-').next())
            .expect("a peer");
        peers
            .entry(row.int("node_id"))
            .or_default()
            .push(peer.parse().expect("a number"));
    }
    assert_eq!(
        (peers.len(), peers.values().map(Vec::len).sum::<usize>()),
        (4, 12)
    );
    for list in peers.values_mut() {
        list.sort_unstable();
        assert_eq!(*list, (0..list.len() as u64).collect::<Vec<_>>());
    }
}

/// Bytes of every file of a folder, but for what is about the machine.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            let entry = entry.expect("an entry");
            let bytes = std::fs::read(entry.path()).expect("a readable file");
            (entry.file_name().into_string().expect("UTF-8"), bytes)
        })
        .filter(|(name, _)| !is_of_the_machine(name))
        .collect()
}

/// Where [`child`] writes its records.
const CHILD_OUT: &str = "PACKETLOOM_TEST_OUT";

/// Not a test of its own: the run of [`source_date_epoch_makes_runs_equal_byte_for_byte`], in a process with its own
/// environment.
#[test]
fn child() {
    let Some(out) = std::env::var_os(CHILD_OUT) else {
        return;
    };
    let scenario = scenario(
        &template("rdma-16-hosts"),
        &settings(["SimulationParameters.RunTime=0.0005"]),
    );
    let options = packetloom_sim::RunOptions::new("t", out);
    packetloom_sim::run(&scenario, &options, &Default::default()).expect("a run");
}

#[test]
fn source_date_epoch_makes_runs_equal_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runs = ["a", "b"].map(|name| {
        let out = folder.path().join(name);
        let status = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "records::child"])
            .env("SOURCE_DATE_EPOCH", "1768331499")
            .env(CHILD_OUT, &out)
            .output()
            .expect("the program runs");
        assert!(
            status.status.success(),
            "{}",
            String::from_utf8_lossy(&status.stdout)
        );
        files(&out)
    });
    assert!(runs[0].len() >= 8, "{:?}", runs[0].keys());
    assert!(runs[0].values().all(|bytes| bytes.len() > 100));
    assert!(runs[0] == runs[1], "the same bytes");
    let perf = Table::read(&folder.path().join("a/t-rdma-perf-0.csv"));
    assert!(perf.len() > 0);
    assert!(perf.rows().all(|row| &row["time_utc"] == "2026-01-13T19:11:39Z"));
    // The same document in this process differs from them in that column alone.
    let outcome = play(
        &template("rdma-16-hosts"),
        &settings(["SimulationParameters.RunTime=0.0005"]),
    );
    for row in outcome.table("rdma-perf").rows().zip(perf.rows()) {
        for column in perf.header().iter().filter(|name| *name != "time_utc") {
            assert_eq!(row.0[column], row.1[column], "{column}");
        }
    }
}

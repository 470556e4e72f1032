//! Networks of three tiers: planes and plain spine switches, several switches in a rack, and what records say of them.

use crate::common::*;
use packetloom_config::scenario::Scenario;
use packetloom_des::Span;
use packetloom_des::queue::Wheel;
use packetloom_fabric::topology::Cut;
use packetloom_sim::RunOptions;
use packetloom_sim::assemble::Layout;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Spine switches, and a layer of `spines` of them, none of which is used yet.
fn declare_spines(document: &mut Value, spines: u64) {
    let list = |document: &mut Value, key: &str, new: Value| {
        document[key].as_array_mut().expect("a list").push(new);
    };
    list(
        document,
        "components",
        json!({"type": "switch", "name": "SpineSwitch", "model": "ScalaSwitch", "version": "3.7.0", "typedParameters": {}}),
    );
    list(
        document,
        "links",
        json!({"type": "layer", "name": "Plane", "model": "ScalaLayer", "version": "4.0.0",
            "components": [{"name": "SpineSwitch", "type": "switch", "count": spines}]}),
    );
    document["topology"]["topologyTiers"] = json!(3);
}

/// A pair in two pods of one rack and two fabric switches each, joined by what `above` names.
fn pair_in_two_pods(above: Value) -> Value {
    let mut document = pair(2);
    declare_spines(&mut document, 1);
    let containers = document["containers"].as_array_mut().expect("a list");
    let mut other = containers[2].clone();
    containers[2]["components"]
        .as_array_mut()
        .expect("a list")
        .remove(2);
    other["components"].as_array_mut().expect("a list").remove(1);
    other["name"] = json!("OtherPod");
    containers.push(other);
    document["topology"]["components"] = json!([
        {"name": "Pod", "type": "pod"},
        {"name": "OtherPod", "type": "pod"},
        above
    ]);
    document
}

/// 16 hosts as 2 pods of 2 racks of 4, with 2 fabric switches a pod and 2 planes of 2 spine switches.
fn two_pods() -> Value {
    let mut document = template("rdma-16-hosts");
    declare_spines(&mut document, 2);
    document["containers"][0]["components"][1]["count"] = json!(4);
    document["topology"]["components"] = json!([
        {"name": "Plane", "type": "layer", "count": 2},
        {"name": "Pod", "type": "pod", "count": 2}
    ]);
    document
}

fn plain(count: u64) -> Value {
    json!({"name": "SpineSwitch", "type": "switch", "count": count})
}

fn planes(count: u64) -> Value {
    json!({"name": "Plane", "type": "layer", "count": count})
}

/// The latency of the first write of 250,000 B.
fn first_latency(document: &Value, attributes: &[String]) -> u64 {
    let settings = [stop_at(0.0031), attributes.to_vec()].concat();
    let outcome = play(document, &settings);
    assert_eq!((outcome.summary.drops, outcome.summary.retransmissions), (0, 0));
    let perf = outcome.table("rdma-perf");
    perf.rows().next().expect("a write completed").latency()
}

#[test]
fn a_pair_in_two_pods_crosses_five_switches() {
    // Links: NIC 100 ns, rack to fabric 500 ns, fabric to spine 700 ns, and down again; all at 400 Gbps. As in one pod, but
    // for two links more: doorbell, restart, request, fetch; the first packet over six links, 60 more behind it and the
    // last of 202 B; the acknowledgement over six links.
    let delays = 2 * (100_000 + 500_000 + 700_000);
    let expected =
        1_999 + 80_000 + 1_555 + 69_288 + (6 * 83_080 + delays) + 60 * 83_080 + 4_040 + (6 * 2_520 + delays);
    assert_eq!(expected, 10_855_282);
    let attributes = ["FabricSwitch.NetworkInterface.TransmissionMedium.Delay=700ns".to_owned()];
    for above in [planes(2), planes(1), plain(3)] {
        assert_eq!(first_latency(&pair_in_two_pods(above), &attributes), expected);
    }
}

#[test]
fn two_switches_in_a_rack_are_joined_by_the_fabric_switches() {
    // Server 0 hangs on the first switch of the rack, server 1 on the second: as far apart as two racks.
    let mut document = pair(2);
    let both = json!([
        {"name": "RackSwitch", "type": "switch", "count": 2},
        {"name": "Sender", "type": "server"},
        {"name": "Receiver", "type": "server"}
    ]);
    document["containers"][0]["components"] = both;
    document["containers"][2]["components"]
        .as_array_mut()
        .expect("a list")
        .remove(2);
    assert_eq!(first_latency(&document, &[]), 7_884_082);
}

#[test]
fn the_records_know_the_spine_switches() {
    let settings = [
        stop_at(0.0032),
        settings([
            "Rdma.NumConnections=64",
            "SpineSwitch.NetworkInterface.DownlinkNetworkInterface.DataRate=200Gbps",
            "FabricSwitch.NumUpLinksPerSwitch=3",
            "RackSwitch.NumUpLinksPerSwitch=2",
            "FabricSwitch.NetworkInterface.TransmissionMedium.Delay=650ns",
            "SimulationParameters.NDStatsReportInterval=0.0006",
        ]),
    ]
    .concat();
    let outcome = play(&two_pods(), &settings);
    // Nodes: spines 0 to 3, two in each plane; fabric 4 and 5, 6 and 7; racks 8 to 11; NICs 12 to 27; hosts 28 to 43.
    let topology = outcome.table("topology-report");
    // 16 hosts; 4 rack switches with 2 links to each of 2 fabric switches; 4 fabric switches with 3 to each of 2 spines.
    assert_eq!(topology.len(), 16 + 4 * 2 * 2 + 4 * 2 * 3);
    let spines: Vec<_> = topology.rows().filter(|row| &row["tier"] == "0").collect();
    assert_eq!(spines.len(), 24);
    for row in &spines {
        assert_eq!((&row["peer_tier"], &row["component_type"]), ("1", "Switch"));
        let (spine, fabric) = (row.int("node_id"), row.int("peer_node_id"));
        assert_eq!(
            fabric % 2,
            spine / 2,
            "fabric switch i of a pod belongs to plane i"
        );
        assert_eq!(row.float("linkspeed_Gbps"), 200.0);
        assert_eq!(row.float("prop_delay_ns"), 650.0);
    }
    // Spine 3 is the second of plane 1: ports 0 to 2 to fabric switch 5, where its links come after spine 2's, 3 to 5 to 7.
    let of_three: Vec<_> = spines
        .iter()
        .filter(|row| row.int("node_id") == 3)
        .map(|row| [row.int("dev_id"), row.int("peer_node_id"), row.int("peer_dev_id")])
        .collect();
    assert_eq!(
        of_three,
        [[0, 5, 3], [1, 5, 4], [2, 5, 5], [3, 7, 3], [4, 7, 4], [5, 7, 5]]
    );
    let named = topology
        .rows()
        .find(|row| row.int("node_id") == 3)
        .expect("has links");
    assert_eq!(&named["component_name"], "ScalaSpineSwitch-3-3-0-0-0-3");
    assert_eq!(&named["peer_component_name"], "ScalaFabricSwitch-5-5-0-0-1-1");

    // Uplinks come first, spines have none; flows are spread over all of them.
    let devices = outcome.table("nd-stats");
    let tier = |tier: u64| devices.rows().filter(move |row| row.int("tier") == tier);
    assert!(tier(0).all(|row| &row["uldl"] == "dl"));
    let up: BTreeSet<u64> = tier(1)
        .filter(|row| &row["uldl"] == "ul")
        .map(|row| row.int("ifid"))
        .collect();
    assert_eq!(up, (0..6).collect());
    let last = *devices.times().last().expect("two reports");
    let at_last = |row: &Row<'_>| row.time() == last;
    assert!(tier(0).filter(at_last).all(|row| row.int("total_packets_tx") > 0));

    // What the tiers sent is what their ports sent, but for PFC frames.
    let hops = outcome.table("tier-hop");
    let hop = hops.one(|row| row.time() == last);
    let pauses = outcome.table("ecn-pfc-stats");
    for (column, number) in [("spine", 0), ("fabric", 1), ("rack", 2)] {
        let sent: u64 = tier(number)
            .filter(at_last)
            .map(|row| row.int("total_packets_tx"))
            .sum();
        let paused: u64 = pauses
            .rows()
            .filter(|row| row.time() == last && row.int("tier") == number)
            .map(|row| row.int("pfcxoff_tx") + row.int("pfcxon_tx"))
            .sum();
        // A PFC frame counts there when it is queued, here when it has been sent.
        assert!(
            hop.int(column) <= sent && sent <= hop.int(column) + paused,
            "{column}"
        );
        assert!(hop.int(column) > 1_000, "{column}");
    }
    let tiers: Vec<&str> = outcome
        .summary
        .utilization
        .iter()
        .map(|row| row.tier.as_str())
        .collect();
    assert!(tiers.contains(&"spine"), "{tiers:?}");
    // A host of pod 1 by its number: 28 + 8 hosts of pod 0.
    let applications = outcome.table("application-report");
    let host = applications
        .rows()
        .find(|row| &row["component_name"] == "ScalaHost-0-1-0-0");
    assert_eq!(host.expect("every host runs a role").int("node_id"), 36);
    let clients = applications.rows().filter(|row| &row["socket_type"] == "CLIENT");
    let mut pods = clients
        .map(|row| row["app_name"].contains("-P:1-R:"))
        .collect::<Vec<_>>();
    pods.dedup();
    assert_eq!(pods, [false, true], "instances run by pod");
}

#[test]
fn nodes_are_numbered_from_the_top_down() {
    // The same racks in one pod and in two: 2 fabric switches and 4 rack switches are nodes 0 to 5, 256 NICs 6 to 261,
    // hosts 262 to 517.
    let mut document = template("rdma-16-hosts");
    document["containers"][0]["components"][1]["count"] = json!(64);
    document["containers"][1]["components"][1]["count"] = json!(4);
    let node = |document: &Value, pod: u32, rack: u32, server: u32| {
        let layout = Layout::new(&scenario(document, &[])).expect("lays out");
        let there = |host: &&packetloom_fabric::topology::Host| {
            (host.pod, host.rack, host.server) == (pod, rack, server)
        };
        layout
            .topology
            .hosts
            .iter()
            .find(there)
            .map(|host| (host.nic_node, host.host_node))
    };
    assert_eq!(node(&document, 0, 0, 0), Some((6, 262)));
    assert_eq!(node(&document, 0, 3, 24), Some((222, 478)), "262 + 3 x 64 + 24");
    // 2 pods of 2 racks: 3 spines and 2 fabric switches more come first; the host stands in rack 1 of pod 1.
    declare_spines(&mut document, 3);
    document["containers"][1]["components"][1]["count"] = json!(2);
    document["topology"]["components"] = json!([{"name": "Pod", "type": "pod", "count": 2}, planes(1)]);
    assert_eq!(node(&document, 1, 1, 24), Some((227, 483)));
}

#[test]
fn tier_hop_counts_a_packet_once_at_each_switch() {
    // At the end of the client start window one connection has been set up, by three packets over five switches.
    let outcome = play(&pair_in_two_pods(planes(2)), &stop_at(0.0031));
    let hops = outcome.table("tier-hop");
    let first = hops.one(|row| row.time() == DATA_START);
    assert_eq!(["spine", "fabric", "rack"].map(|tier| first.int(tier)), [3, 6, 6]);
    assert_eq!(
        ["spineInt", "fabricInt", "rackInt"].map(|tier| first.int(tier)),
        [3, 6, 6]
    );
}

#[test]
fn congested_spines_pause_and_every_cut_agrees() {
    // One spine at 100 Gbps a port for two pods: what arrives over four links at 400 Gbps does not go on.
    let mut document = two_pods();
    document["topology"]["components"][0] = plain(1);
    let settings = [
        stop_at(0.0035),
        settings([
            "SpineSwitch.NetworkInterface.DownlinkNetworkInterface.DataRate=100Gbps",
            "FabricSwitch.NumUpLinksPerSwitch=1",
            "RackSwitch.NumUpLinksPerSwitch=1",
            "Rdma.NumConnections=4",
            "Rdma.StartType=uniform",
        ]),
    ]
    .concat();
    let outcome = play(&document, &settings);
    assert_eq!(outcome.summary.drops, 0);
    assert!(outcome.summary.pfc_pauses > 0);
}

fn lookahead(scenario: &Scenario, cut: Cut) -> Span {
    let layout = Layout::new(scenario).expect("lays out");
    let options = RunOptions {
        cut,
        ..RunOptions::new("t", "unused")
    };
    layout
        .engine::<Wheel>(scenario, &options)
        .expect("builds")
        .lookahead()
}

#[test]
fn the_lookahead_is_the_least_over_the_links_that_are_cut() {
    // The smallest frame takes 58 B x 20 ps at 400 Gbps: 1.16 ns.
    let document = two_pods();
    let ns = |least: u64| Span::from_ps(least * NS + 1_160);
    let usual = scenario(&document, &[]);
    assert_eq!(lookahead(&usual, Cut::Default), ns(500), "between switches");
    assert_eq!(lookahead(&usual, Cut::Each), ns(100), "a NIC's link is cut too");
    let short = "FabricSwitch.NetworkInterface.TransmissionMedium.Delay=40ns".to_owned();
    let short = scenario(&document, &[short]);
    assert_eq!(
        lookahead(&short, Cut::Default),
        ns(40),
        "between fabric and spine switches"
    );
    assert_eq!(lookahead(&short, Cut::Each), ns(40));
}

#[test]
fn a_thousand_hosts_under_every_cut() {
    let settings = [
        stop_at(0.003_02),
        settings([
            "SimulationParameters.NDStatsReportInterval=0.00102",
            "SimulationParameters.BeaconReportInterval=0.00102",
        ]),
    ]
    .concat();
    let outcome = play(&template("rdma-three-tier"), &settings);
    assert_eq!(outcome.summary.drops, 0);
    // 512 writers. At least one write of 5.1 us each, of the longest way, is done after 20 us unless flows meet.
    assert!(
        outcome.table("rdma-perf").len() > 512,
        "{}",
        outcome.table("rdma-perf").len()
    );
    // 1,024 NICs; 32 rack switches of 64 ports; 16 fabric and 8 spine switches of 128.
    assert_eq!(outcome.table("nd-stats").len(), 1_024 + 32 * 64 + 24 * 128);
    let idle = |row: &Row<'_>| row.int("tier") == 0 && row.int("total_packets_tx") == 0;
    let spine_ports = 8 * 128;
    let idle = outcome.table("nd-stats").rows().filter(idle).count();
    assert!(idle < spine_ports, "spines are used");
}

#[test]
fn sixteen_thousand_hosts_fit_in_little_memory() {
    // 16,384 hosts with their NICs, 81,920 switch ports, 8,192 connections.
    let scenario = scenario(&template("rdma-16k"), &[]);
    let mut nodes = 0;
    let counted = allocation_counter::measure(|| {
        let layout = Layout::new(&scenario).expect("lays out");
        let engine = layout.engine::<Wheel>(&scenario, &RunOptions::new("t", "unused"));
        nodes = engine.expect("builds").nodes().count();
    });
    assert_eq!(nodes, 16_384 + 256 + 128 + 64);
    // As it is, 0.26 GB. A ring of 64 frames of 64 B in one queue of each of the 81,920 switch ports would take 0.34 GB more.
    assert!(counted.bytes_max < 400_000_000, "{} B", counted.bytes_max);
}

//! Which equal-cost ports frames take under each `EcmpHashMethod`.
//!
//! Expected ports follow from the definitions in `docs/ecmp.md`; those of hashes were computed by a program of its own,
//! with the CRC of zlib.

use crate::common::*;
use serde_json::Value;
use std::collections::BTreeSet;

/// Rack switches of a network of two fabric switches, 0 and 1, and two racks. Each has its uplinks as its first ports, in
/// the order of the fabric switches.
const RACK_A: u64 = 2;
const RACK_B: u64 = 3;
/// The NIC of host 0; those of the other hosts follow.
const FIRST_NIC: u64 = 4;

/// Runs for 0.1 ms of data under one method, at all switches, with one report at the stop time.
fn play_under(document: &Value, method: &str, connections: u64, links: u64) -> Outcome {
    let mut all = stop_at(0.0031);
    all.extend([
        format!("RackSwitch.EcmpHashMethod={method}"),
        format!("FabricSwitch.EcmpHashMethod={method}"),
        format!("RackSwitch.NumUpLinksPerSwitch={links}"),
        format!("Rdma.NumConnections={connections}"),
        // 0.002 s + this is the stop time.
        "SimulationParameters.NDStatsReportInterval=0.0011".into(),
    ]);
    let outcome = play(document, &all);
    assert_eq!((outcome.summary.drops, outcome.summary.retransmissions), (0, 0));
    outcome
}

/// The ports of one direction (`ul` or `dl`) on which a node sent anything.
fn used(outcome: &Outcome, node: u64, direction: &str) -> BTreeSet<u64> {
    let devices = outcome.table("nd-stats");
    assert_eq!(devices.times(), [3_100 * US]);
    devices
        .rows()
        .filter(|row| row.int("node_id") == node && &row["uldl"] == direction)
        .filter(|row| row.int("total_packets_tx") > 0)
        .map(|row| row.int("ifid"))
        .collect()
}

/// Packets a port had sent (`tx`) or received (`rx`) at the stop time.
fn packets(outcome: &Outcome, direction: &str, node: u64, port: u64) -> u64 {
    let devices = outcome.table("nd-stats");
    devices
        .one(|row| row.int("node_id") == node && row.int("ifid") == port)
        .int(&format!("total_packets_{direction}"))
}

#[test]
fn all_packets_of_a_flow_take_one_uplink() {
    // The flow of host 0 to host 1, queue pair 0, at rack switch 2, and that of host 1 to host 0, queue pair 2^31, at rack
    // switch 3: member of 16.
    for (method, there, back) in [
        ("crc32WithSalt", 7, 8),
        ("crc32", 4, 1),
        ("hashWithSalt", 11, 13),
        ("hash", 6, 13),
        ("dpr", 1, 0),
        ("dprWithFallback", 1, 0),
    ] {
        let outcome = play_under(&pair(2), method, 1, 8);
        assert!(
            packets(&outcome, "tx", FIRST_NIC, 0) > 500,
            "{method}: 0.1 ms at 400 Gbps are 1,200"
        );
        assert_eq!(used(&outcome, RACK_A, "ul"), BTreeSet::from([there]), "{method}");
        assert_eq!(used(&outcome, RACK_B, "ul"), BTreeSet::from([back]), "{method}");
        // Beyond, one downlink to each rack: the rack switches hash to a fabric switch, and it to one of its 8 links.
        let beyond: usize = [0, 1].map(|node| used(&outcome, node, "dl").len()).iter().sum();
        assert_eq!(beyond, 2, "{method}");
    }
}

#[test]
fn flows_of_one_pair_spread_unless_the_destination_decides() {
    // Connections 0 to 15 of one pair, members of 16 at rack switch 2.
    let hashed: [(&str, &[u64]); 4] = [
        ("crc32WithSalt", &[2, 3, 4, 6, 7, 11, 13, 14, 15]),
        ("crc32", &[1, 3, 4, 5, 8, 11, 12, 13, 15]),
        ("hashWithSalt", &[2, 4, 5, 6, 8, 10, 11, 12, 13, 15]),
        ("hash", &[1, 3, 4, 5, 6, 7, 10, 12, 13, 15]),
    ];
    for (method, ports) in hashed {
        let outcome = play_under(&pair(2), method, 16, 8);
        assert_eq!(
            used(&outcome, RACK_A, "ul"),
            ports.iter().copied().collect(),
            "{method}"
        );
    }
    for method in ["dpr", "dprWithFallback"] {
        let outcome = play_under(&pair(2), method, 16, 8);
        assert_eq!(used(&outcome, RACK_A, "ul"), BTreeSet::from([1]), "{method}");
        assert_eq!(used(&outcome, RACK_B, "ul"), BTreeSet::from([0]), "{method}");
    }
}

#[test]
fn dpr_takes_one_member_for_each_destination() {
    // 16 hosts, eight a rack, in pairs; 16 uplinks a rack, 8 of them to each fabric switch. All packets to host h take
    // uplink h: those to rack A, hosts 0 to 7, pass fabric switch 0, the others fabric switch 1. There they take link h mod
    // 8 of the eight to the host's rack: port h again, as rack B's links are ports 8 to 15.
    let outcome = play_under(&template("rdma-16-hosts"), "dpr", 4, 8);
    assert_eq!(outcome.summary.pfc_pauses, 0);
    let (to_b, to_a) = (used(&outcome, RACK_A, "ul"), used(&outcome, RACK_B, "ul"));
    assert!(!to_a.is_empty() && to_a.iter().all(|host| *host < 8), "{to_a:?}");
    assert!(to_b.iter().all(|host| (8..16).contains(host)), "{to_b:?}");
    assert_eq!(
        to_a.len(),
        to_b.len(),
        "a pair that crosses has an end in each rack"
    );
    assert_eq!(
        (used(&outcome, 0, "dl"), used(&outcome, 1, "dl")),
        (to_a.clone(), to_b.clone())
    );

    // A host gets all its packets from the other of its pair, over that uplink. On the way at the stop time are at most the
    // frames of three links of 500 ns and three stations, at 84 ns a full packet or 2.5 ns an acknowledgement.
    for (rack, hosts) in [(RACK_A, to_b), (RACK_B, to_a)] {
        for host in hosts {
            let uplink = packets(&outcome, "tx", rack, host);
            let received = packets(&outcome, "rx", FIRST_NIC + host, 0);
            let on_the_way = uplink.checked_sub(received).expect("none from elsewhere");
            assert!(
                received > 20 && on_the_way < 100,
                "host {host}: {received} of {uplink}"
            );
        }
    }
}

#[test]
fn dpr_with_fallback_hashes_what_names_no_member() {
    // Eight uplinks a rack: the index of hosts 0 to 7 names one, that of 8 to 15 does not.
    let document = template("rdma-16-hosts");
    let [dpr, crc, fallback] =
        ["dpr", "crc32", "dprWithFallback"].map(|method| play_under(&document, method, 4, 4));
    let uplinks = |outcome, rack| used(outcome, rack, "ul");
    for rack in [RACK_A, RACK_B] {
        assert_ne!(
            uplinks(&dpr, rack),
            uplinks(&crc, rack),
            "the two can be told apart"
        );
    }
    assert_eq!(uplinks(&fallback, RACK_A), uplinks(&crc, RACK_A));
    assert_eq!(uplinks(&fallback, RACK_B), uplinks(&dpr, RACK_B));
}

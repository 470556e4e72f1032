//! Published figures and worked examples that show in a whole run.
//!
//! Checked elsewhere, closer to the code, and not repeated here:
//!
//! - Placement counts and pairs, ratios refused: `crates/traffic/src/placement/{tests,counts}.rs`,
//!   `crates/config/tests/e2e/refused.rs` (`distribution`), `crates/cli/tests/e2e/bad_input.rs`. Here: what the records say.
//! - Timeline instants: `crates/traffic/src/timeline.rs` (`the_default_timeline`). Here: that a run keeps them.
//! - Opcodes of a work request: `crates/nic/src/roce/requester.rs` (`a_250_000_byte_write_is_62_packets`); no record shows
//!   them.
//! - PCIe times of single messages: `crates/nic/src/pcie.rs` (`documented_times_at_504_gbps`). Here in `capacity`: a
//!   64 MiB write at 118.2 Gbps.
//! - Pools of the NIC: `crates/nic/src/pools.rs`; its PFC thresholds, pause time and refresh: `crates/nic/src/roce/pfc.rs`.
//!   Here: the most packets a NIC ever holds.
//! - Switch start-up and PFC at the switch: `crates/fabric/src/switch/shared_buffer.rs`, `crates/fabric/src/pause.rs`.
//! - Lost packets: `loss` beside this file. Capacity: `capacity` and `incast`.

use crate::common::*;
use packetloom_des::queue::Wheel;
use packetloom_des::{Alone, Time};
use packetloom_fabric::frame::Kind;
use packetloom_sim::RunOptions;
use packetloom_sim::assemble::Layout;
use packetloom_sim::host::System;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

// ---- Placement ----

#[test]
fn placement_of_16_hosts_shows_in_the_records() {
    for (initiators, responders, clients, servers, pairs) in [
        ("0.5", "0.5", 8, 8, 8),
        ("0.9", "0.1", 15, 1, 15),
        ("0.25", "0.75", 4, 12, 12),
    ] {
        let mut document = template("rdma-16-hosts");
        let entries = &mut document["topology"]["appDistribution"]["randomApplicationDistribution"];
        for (entry, ratio) in [initiators, responders].into_iter().enumerate() {
            entries[entry]["distributionPercent"]["value"] = ratio.parse::<f64>().expect("a number").into();
        }
        let mut settings = stop_at(0.00301);
        settings.push("Rdma.MaxPendingWQEs=0".into());
        let outcome = play(&document, &settings);
        assert_eq!(
            outcome.summary.applications[0].pairs, pairs,
            "{initiators} / {responders}"
        );
        let report = outcome.table("application-report");
        let hosts = |role: &str| -> BTreeSet<String> {
            report
                .rows()
                .filter(|row| &row["socket_type"] == role)
                .map(|row| row["node_id"].to_owned())
                .collect()
        };
        // Every responder is in a pair, every initiator too, and no host is both.
        assert_eq!((hosts("CLIENT").len(), hosts("SERVER").len()), (clients, servers));
        assert!(hosts("CLIENT").is_disjoint(&hosts("SERVER")));
        assert_eq!(report.len() as u64, 2 * pairs);
    }
}

// ---- Timeline ----

#[test]
fn the_default_timeline_runs_to_0_506_s() {
    // RunTime 0.5 s as published; nothing is posted, so that the half second costs nothing.
    let outcome = play(&pair(1), &settings(["Rdma.MaxPendingWQEs=0"]));
    assert_eq!(outcome.summary.simulated_seconds, 0.506);
    let beacon = outcome.table("beacon");
    // 0.003, 0.004, ... 0.506 s.
    let expected: Vec<u64> = (3..=506).map(|ms| ms * 1_000 * US).collect();
    assert_eq!(beacon.times(), expected);
    assert_eq!(beacon.len(), 504);
    assert_eq!(
        outcome.table("rdma-perf").len(),
        0,
        "MaxPendingWQEs 0 posts nothing"
    );
    assert!(beacon.rows().all(|row| row.int("tx_client") == 0));
}

#[test]
fn the_recording_window_and_the_stop_time_are_kept() {
    // Window 0.005 s to 0.007 s, stop 0.008 s.
    let outcome = play(&pair(1), &settings(["SimulationParameters.RunTime=0.002"]));
    let perf = outcome.table("rdma-perf");
    let (first, last) = (perf.times()[0], *perf.times().last().expect("rows"));
    // Rows are not limited to the window: one message after data start, and one less than a message before the stop.
    assert!(first > DATA_START && first < DATA_START + 6 * US, "{first}");
    assert!(last < 8_000 * US && last > 8_000 * US - 6 * US, "{last}");
    assert_eq!(
        perf.rows().next().expect("a row").scaled("start_time_sec", 12),
        DATA_START
    );
    let within = perf
        .rows()
        .filter(|row| (5_000 * US..=7_000 * US).contains(&row.time()))
        .count();
    let application = &outcome.summary.applications[0];
    assert_eq!(
        (application.recorded, application.completed),
        (within as u64, perf.len() as u64)
    );
    // Goodput counts payload as it is received: at each edge of the window part of one message.
    let one_message = 250_000.0 * 8.0 / 0.002 / 1e9;
    let completed = within as f64 * one_message;
    assert!((application.goodput_gbps - completed).abs() < one_message);
}

// ---- Connection set-up ----

/// A report every 10 ns from the start of the client start window, 0.002 s, to 0.6 us later.
fn a_look_at_the_set_up(pending: u64) -> Outcome {
    let mut settings = settings([
        "SimulationParameters.ClientStartInterval=0",
        "SimulationParameters.WarmUp=0",
        "SimulationParameters.RunTime=0.0000006",
        "SimulationParameters.CoolDown=0",
        "SimulationParameters.NDStatsReportInterval=0.00000001",
    ]);
    settings.push(format!("Rdma.MaxPendingWQEs={pending}"));
    play(&pair(1), &settings)
}

#[test]
fn a_connection_is_three_packets_of_122_bytes() {
    // Request, response and acknowledgement take 2 x (2,440 + 100,000) ps each way: the request arrives at 204,880 ps, the
    // response at 409,760 ps, and the acknowledgement has left the initiator's NIC at 412,200 ps. Nothing on PCIe.
    assert_eq!(CONNECTION_PACKET, 122);
    let outcome = a_look_at_the_set_up(0);
    let devices = outcome.table("nd-stats");
    let start = 2_000 * US;
    let count = |host: &str, column: &str, at: u64| {
        let name = format!("ScalaHost-0-0-0-{host}");
        devices
            .one(|row| row.time() == start + at && row["component_name"] == name)
            .int(column)
    };
    // A report due at T comes before what happens at T.
    for (at, sent, received) in [
        (10, 1, 0),
        (200, 1, 0),
        (400, 1, 0),
        (410, 1, 1),
        (420, 2, 1),
        (600, 2, 1),
    ] {
        let seen = (
            count("0", "total_packets_tx", at * NS),
            count("0", "total_packets_rx", at * NS),
        );
        assert_eq!(seen, (sent, received), "initiator at {at} ns");
    }
    for (at, sent, received) in [(200, 0, 0), (210, 1, 1), (600, 1, 1)] {
        let seen = (
            count("1", "total_packets_tx", at * NS),
            count("1", "total_packets_rx", at * NS),
        );
        assert_eq!(seen, (sent, received), "responder at {at} ns");
    }
    let last =
        devices.one(|row| row.time() == start + 600 * NS && &row["component_name"] == "ScalaHost-0-0-0-0");
    assert_eq!((last.total_bytes("tx"), last.total_bytes("rx")), (2 * 122, 122));
}

#[test]
fn work_starts_at_once_when_set_up_ends_after_the_window() {
    // The client start window has no length here: set-up is complete at the initiator 409,760 ps after its start. The
    // first WQE is one full packet: on the wire 152,842 ps later (doorbell, restart, request, fetch), but behind nothing.
    let mut settings = settings([
        "SimulationParameters.ClientStartInterval=0",
        "SimulationParameters.WarmUp=0",
        "SimulationParameters.RunTime=0.00001",
        "SimulationParameters.CoolDown=0",
        "Rdma.TransferSize=4096B",
        "Rdma.MaxPendingWQEs=1",
    ]);
    let outcome = play(&pair(1), &settings);
    let perf = outcome.table("rdma-perf");
    let first = perf.rows().next().expect("a row");
    assert_eq!(first.scaled("start_time_sec", 12), 2_000 * US + 409_760);
    assert_eq!(first.latency(), 724_042);
    // With a window it starts at the window's end, 0.003 s, whatever the set-up took.
    settings[0] = "SimulationParameters.ClientStartInterval=0.001".into();
    let outcome = play(&pair(1), &settings);
    let perf = outcome.table("rdma-perf");
    assert_eq!(
        perf.rows().next().expect("a row").scaled("start_time_sec", 12),
        DATA_START
    );
}

// ---- One work request, acknowledgements ----

/// Runs a pair with one work request outstanding up to a report `after` picoseconds after data start, which is the only
/// one: between the first completion and the first packet of the next work request that counts.
fn one_work_request(size: u64, after: u64) -> Outcome {
    let mut settings = stop_at(0.0031);
    settings.push("Rdma.MaxPendingWQEs=1".into());
    settings.push(format!("Rdma.TransferSize={size}B"));
    // Reports count from 0.002 s on.
    settings.push(format!(
        "SimulationParameters.NDStatsReportInterval={}",
        (1_000 * US + after) as f64 / 1e12
    ));
    let outcome = play(&pair(1), &settings);
    assert_eq!(outcome.table("nd-stats").times(), [DATA_START + after]);
    outcome
}

/// The two NICs in `nd-stats` and in `roce-transport-stats`: sender, receiver.
fn nics(table: &Table) -> [Row<'_>; 2] {
    ["ScalaHost-0-0-0-0", "ScalaHost-0-0-0-1"].map(|name| table.one(|row| &row["component_name"] == name))
}

#[test]
fn one_work_request_is_62_packets_and_253_596_bytes() {
    // Complete at 5,712,882 ps; the next one's first packet ends its serialization 152,842 + 83,080 ps later.
    let outcome = one_work_request(250_000, 5_800 * NS);
    let devices = outcome.table("nd-stats");
    let [sender, receiver] = nics(&devices);
    // 62 packets, 250,000 + 62 x 58 B, besides the two packets of connection set-up.
    assert_eq!(250_000 + 62 * 58, 253_596);
    assert_eq!(
        (sender.int("total_packets_tx"), sender.total_bytes("tx")),
        (62 + 2, 253_596 + 2 * 122)
    );
    // Back: ACKs on packets 17, 34, 51 and 62, and the connection response.
    assert_eq!(
        (receiver.int("total_packets_tx"), receiver.total_bytes("tx")),
        (4 + 1, 4 * 126 + 122)
    );
    assert_eq!(
        (receiver.int("total_packets_rx"), receiver.total_bytes("rx")),
        (64, 253_840)
    );
    assert_eq!(
        (sender.int("total_packets_rx"), sender.total_bytes("rx")),
        (5, 626)
    );
    // The switch passed everything on, both ways.
    let switch: Vec<_> = devices
        .rows()
        .filter(|row| &row["component_type"] == "Switch")
        .collect();
    assert_eq!(switch.len(), 2);
    assert_eq!(
        (switch[0].total_bytes("rx"), switch[0].total_bytes("tx")),
        (253_840, 626)
    );
    assert_eq!(
        (switch[1].total_bytes("rx"), switch[1].total_bytes("tx")),
        (626, 253_840)
    );
    let transports = outcome.table("roce-transport-stats");
    let [sender, receiver] = nics(&transports);
    assert_eq!(
        (sender.int("rdma_write_cnt"), sender.int("num_verb_pkts_sent")),
        (62, 62)
    );
    assert_eq!(
        (sender.int("num_pkts_sent"), sender.int("num_non_verb_pkts_sent")),
        (64, 2)
    );
    assert_eq!(
        (sender.int("num_wqe_completed"), sender.int("num_wqe_created")),
        (1, 2)
    );
    assert_eq!(
        (
            sender.int("num_conn_pkts_sent"),
            sender.int("num_conn_pkts_recvd")
        ),
        (2, 1)
    );
    assert_eq!(
        (
            receiver.int("num_conn_pkts_sent"),
            receiver.int("num_conn_pkts_recvd")
        ),
        (1, 2)
    );
    assert_eq!(
        (receiver.int("num_writes_recvd"), receiver.int("num_acks_sent")),
        (62, 4)
    );
    assert_eq!(sender.int("num_acks_recvd"), 4);
    for row in [sender, receiver] {
        for column in [
            "num_rtx",
            "num_rto",
            "num_rx_drops",
            "num_nacks_sent",
            "num_cnp_sent",
            "num_duplicate",
            "rdma_send_cnt",
        ] {
            assert_eq!(row.int(column), 0, "{column}");
        }
    }
}

#[test]
fn one_mib_draws_16_acks_and_2_016_bytes_of_reverse_traffic() {
    // Complete at 21,909,442 ps; the next one's 17th packet, the next to draw an ACK, comes 1.7 us later.
    let outcome = one_work_request(1 << 20, 22_500 * NS);
    let (devices, transports) = (outcome.table("nd-stats"), outcome.table("roce-transport-stats"));
    let [sender, receiver] = nics(&transports);
    assert_eq!(
        (receiver.int("num_acks_sent"), sender.int("num_acks_recvd")),
        (16, 16)
    );
    let [sender, receiver] = nics(&devices);
    assert_eq!(receiver.total_bytes("tx") - CONNECTION_PACKET, 2_016);
    assert_eq!(sender.total_bytes("rx") - CONNECTION_PACKET, 2_016);
    assert_eq!(receiver.int("total_packets_tx"), 16 + 1);
}

#[test]
fn the_cadence_of_acks_follows_the_threshold() {
    // 62 packets. Threshold T: an ACK on every (T + 1)-th packet and on the last. Off: on every packet.
    for (attribute, acks) in [
        ("AckThreshold=0", 62),
        ("AckThreshold=1", 31), // 2, 4, ... 62
        ("AckThreshold=4", 13), // 5, 10, ... 60, and 62
        ("AckThreshold=60", 2), // 61 and 62
        ("AckThreshold=61", 1), // 62, by count and flag
        ("AckThreshold=1000", 1),
        ("AckCoalescingEnabled=false", 62),
    ] {
        let mut settings = stop_at(0.0031);
        settings.push("Rdma.MaxPendingWQEs=1".into());
        settings.push("SimulationParameters.NDStatsReportInterval=0.0010058".into());
        settings.push(format!(
            "Nic.TransportProcessingLayers.RoceTransportLayer.{attribute}"
        ));
        let outcome = play(&pair(1), &settings);
        let transports = outcome.table("roce-transport-stats");
        let [sender, receiver] = nics(&transports);
        assert_eq!(sender.int("num_wqe_completed"), 1, "{attribute}");
        assert_eq!(
            (receiver.int("num_acks_sent"), sender.int("num_acks_recvd")),
            (acks, acks),
            "{attribute}"
        );
    }
}

#[test]
fn the_ack_timer_never_fires_at_line_rate_but_does_when_it_is_short() {
    // 62 packets arrive 83.08 ns apart, the last, which is acknowledged at once, 4.04 ns after the one before. The count is
    // out of reach, and the timer starts with a held packet when it is idle.
    // AckDelay 50 ns: packets 1 to 60 are acknowledged 50 ns after they came, one by one; packet 61 along with 62: 61 ACKs.
    // AckDelay 200 ns: packet 1 starts the timer, which goes off after packets 1 to 3 (0, 83.08, 166.16 ns) and starts
    // again with packet 4: one ACK for three packets, 20 for 60, then packets 61 and 62 together: 21 ACKs.
    for (delay, acks) in [("50ns", 61), ("200ns", 21), ("1ms", 1)] {
        let mut settings = stop_at(0.0031);
        settings.push("Rdma.MaxPendingWQEs=1".into());
        settings.push("SimulationParameters.NDStatsReportInterval=0.0010058".into());
        settings.push("Nic.TransportProcessingLayers.RoceTransportLayer.AckThreshold=1000".into());
        settings.push(format!(
            "Nic.TransportProcessingLayers.RoceTransportLayer.AckDelay={delay}"
        ));
        let outcome = play(&pair(1), &settings);
        let transports = outcome.table("roce-transport-stats");
        let [_, receiver] = nics(&transports);
        assert_eq!(receiver.int("num_acks_sent"), acks, "{delay}");
    }
}

#[test]
fn the_round_trip_of_a_single_packet_is_its_way_and_the_acks() {
    // From the PSN, given when the payload is there, to the ACK's arrival: 2 x 183,080 + 2 x 102,520 ps = 571.2 ns.
    let outcome = one_work_request(4_096, 800 * NS);
    let transports = outcome.table("roce-transport-stats");
    let [sender, _] = nics(&transports);
    for column in [
        "ivl_min_calc_rtt_usec",
        "max_calc_rtt_usec",
        "ivl_max_calc_rtt_usec",
    ] {
        assert_eq!(sender.scaled(column, 6), 571_200, "{column}");
    }
    assert_eq!(
        (
            sender.float("avg_calc_rtt_usec"),
            sender.float("ivl_avg_calc_rtt_usec")
        ),
        (0.5712, 0.5712)
    );
}

// ---- NIC buffers ----

/// Data packets each NIC has fetched and not sent, one per host, each time `look` is told a time.
fn held(document: &Value, settings: &[String], mut look: impl FnMut(&mut dyn FnMut(u64) -> Vec<u64>)) {
    let scenario = scenario(document, settings);
    let layout = Layout::new(&scenario).expect("a layout");
    let mut engine = layout
        .engine::<Wheel>(&scenario, &RunOptions::new("t", "unused"))
        .expect("an engine");
    look(&mut |at| {
        // Events at `at` itself are still to come.
        let flow = engine.run_until(Time::from_ps(at), &mut Alone, |_, _| ControlFlow::Continue(()));
        assert!(flow.is_continue());
        let write = |kind| {
            matches!(
                kind,
                Kind::WriteFirst | Kind::WriteMiddle | Kind::WriteLast | Kind::WriteOnly
            )
        };
        let hosts = engine.nodes().filter_map(System::as_rdma);
        hosts
            .map(|host| host.nic().port().contents().filter(|f| write(f.kind)).count() as u64)
            .collect()
    });
}

#[test]
fn the_egress_pool_holds_55_packets_and_is_refilled_at_27() {
    // A port of 1 Gbps sends a full packet in 33.232 us, while all that the pool has room for, 55 x 4,154 B, is fetched
    // in 3.8 us. The pool is down to half, 115,200 B, when 27 packets (112,158 B) are left, not 28 (116,312 B): at the end
    // of packet 28. 80 ns later 28 more are requested, and the first has come 1,555 + 69,288 ps after that.
    let settings = settings([
        &*format!("{NIC_RATE}=1Gbps"),
        "Rdma.TransferSize=1048576B",
        "Rdma.MaxPendingWQEs=1",
    ]);
    held(&pair(1), &settings, |held| {
        let first = DATA_START + 1_999 + 80_000 + 1_555 + 69_288;
        let packet = 33_232 * NS;
        let mut at = |time: u64| held(time)[0];
        assert_eq!((at(first), at(first + 1)), (0, 1));
        assert_eq!((at(first + 54 * 69_288), at(first + 54 * 69_288 + 1)), (54, 55));
        for sent in 1..28 {
            assert_eq!(
                (at(first + sent * packet), at(first + sent * packet + 1)),
                (56 - sent, 55 - sent)
            );
        }
        let half = first + 28 * packet;
        assert_eq!((at(half), at(half + 1)), (28, 27));
        let refill = half + 80_000 + 1_555 + 69_288;
        assert_eq!((at(refill), at(refill + 1)), (27, 28));
        assert_eq!((at(refill + 27 * 69_288), at(refill + 27 * 69_288 + 1)), (54, 55));
        assert_eq!(at(half + packet), 55, "and no more");
    });
}

#[test]
fn at_most_55_full_packets_are_fetched_and_unsent() {
    // Four connections of 1 MiB writes from each of eight senders, which the switch pauses again and again.
    let settings = settings(["Rdma.NumConnections=4", "Rdma.TransferSize=1048576B"]);
    held(&template("rdma-incast"), &settings, |held| {
        let mut most = 0;
        for step in 0..2_000 {
            most = most.max(
                held(DATA_START + step * 250 * NS)
                    .into_iter()
                    .max()
                    .expect("hosts"),
            );
        }
        // A pause that comes while the pool is being refilled lets it fill up nearly all the way.
        assert!((28..=55).contains(&most), "{most}");
    });
}

// ---- Conservation ----

#[test]
fn what_was_sent_was_received_or_is_on_a_link() {
    // With debug assertions every run checks its own books at the end (`system::check`); here the records must tell the
    // same at every report, for incast with pauses and for a fabric of two tiers.
    for (name, connections) in [("rdma-incast", 4), ("rdma-16-hosts", 2)] {
        let outcome = play(
            &template(name),
            &[
                format!("Rdma.NumConnections={connections}"),
                "SimulationParameters.RunTime=0.002".into(),
                "SimulationParameters.NDStatsReportInterval=0.00037".into(),
            ],
        );
        let (links, devices) = (outcome.table("topology-report"), outcome.table("nd-stats"));
        for at in devices.times() {
            let mut sums = [0u64; 2];
            for link in links.rows() {
                let end = |node: &str, port: &str| {
                    devices.one(|row| {
                        row.time() == at && row["node_id"] == link[node] && row["ifid"] == link[port]
                    })
                };
                let ends = [end("node_id", "dev_id"), end("peer_node_id", "peer_dev_id")];
                // Frames whose serialization ended less than a delay ago: delay x rate, and one frame cut by its start.
                let delay = link.scaled("prop_delay_ns", 3);
                let rate = link.scaled("linkspeed_Gbps", 9);
                let most = (delay as u128 * rate as u128 / (8 * S as u128)) as u64 + FULL_PACKET;
                for (from, to) in [(0, 1), (1, 0)] {
                    let flight = ends[from]
                        .total_bytes("tx")
                        .checked_sub(ends[to].total_bytes("rx"));
                    assert!(
                        flight.is_some_and(|bytes| bytes <= most),
                        "{flight:?} B in flight at {at}"
                    );
                    let frames = ends[from]
                        .int("total_packets_tx")
                        .checked_sub(ends[to].int("total_packets_rx"));
                    assert!(
                        frames.is_some_and(|frames| frames * 84 <= most),
                        "{frames:?} in flight at {at}"
                    );
                    sums[0] += ends[from].int("total_packets_tx");
                    sums[1] += ends[from].int("tx_drops") + ends[from].int("rx_drops");
                }
            }
            assert_eq!(
                sums[1], 0,
                "lossless classes within the sizing conditions never drop"
            );
            // Every port is in the record once.
            let all: u64 = devices
                .rows()
                .filter(|r| r.time() == at)
                .map(|r| r.int("total_packets_tx"))
                .sum();
            assert_eq!(all, sums[0]);
        }
        for row in outcome.table("beacon").rows() {
            assert!(row.int("rx_client") <= row.int("tx_client"));
        }
        let application = &outcome.summary.applications[0];
        assert!(application.completed <= application.posted);
        assert_eq!(outcome.summary.drops, 0);
    }
}

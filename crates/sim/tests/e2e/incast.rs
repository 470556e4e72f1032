//! Eight hosts write to a ninth in one rack (template `rdma-incast`).

use crate::common::*;
use std::collections::BTreeMap;

/// The incast with reports every 100 us.
fn incast(connections: u64) -> Outcome {
    let settings = [
        format!("Rdma.NumConnections={connections}"),
        "SimulationParameters.NDStatsReportInterval=0.0001".into(),
    ];
    play(&template("rdma-incast"), &settings)
}

/// The stop time of the template: 0.003 + 0.002 + 0.01 + 0.001 s.
const STOP: u64 = 16_000 * US;

/// Bytes the rack switch's port to the receiver had sent at each report.
fn sent_to_the_receiver(outcome: &Outcome) -> BTreeMap<u64, u64> {
    let applications = outcome.table("application-report");
    let receivers: Vec<_> = applications
        .rows()
        .filter(|row| &row["socket_type"] == "SERVER")
        .collect();
    let name = receivers[0]["component_name"].to_owned();
    assert!(
        receivers.iter().all(|row| row["component_name"] == name),
        "one receiver"
    );
    let links = outcome.table("topology-report");
    let link = links.one(|row| row["peer_component_name"] == name);
    assert_eq!((link.int("tier"), &link["linkspeed_Gbps"]), (2, "400"));
    let devices = outcome.table("nd-stats");
    devices
        .rows()
        .filter(|row| row["node_id"] == link["node_id"] && row["ifid"] == link["dev_id"])
        .inspect(|row| assert_eq!(&row["uldl"], "dl"))
        .map(|row| (row.time(), row.total_bytes("tx")))
        .collect()
}

/// Bytes in `ps` at 400 Gbps.
fn line_rate(ps: u64) -> u64 {
    ps / 20
}

/// Asserts that no packet was dropped, discarded or sent again anywhere.
fn nothing_lost(outcome: &Outcome) {
    assert_eq!((outcome.summary.drops, outcome.summary.retransmissions), (0, 0));
    for row in outcome.table("nd-stats").rows() {
        assert_eq!((row.int("tx_drops"), row.int("rx_drops")), (0, 0));
    }
    for row in outcome.table("roce-transport-stats").rows() {
        for column in [
            "num_rtx",
            "num_rto",
            "num_rx_drops",
            "num_nacks_sent",
            "num_duplicate",
            "num_seq_out_of_order",
        ] {
            assert_eq!(row.int(column), 0, "{column}");
        }
    }
}

#[test]
fn one_connection_a_sender_keeps_the_port_busy_without_a_pause() {
    // A port of the switch is charged one message at most: 61 x 4,136 + 184 = 252,480 B, well below Xoff, 700,000 B.
    let outcome = incast(1);
    assert_eq!(outcome.summary.pfc_pauses, 0);
    nothing_lost(&outcome);

    // The eight begin in step, packet by packet, so the first eight messages end together, 4.04 ns apart, 41 us after data
    // start, and the port runs dry for one turnaround: its link, the ACK over two, restart, request, fetch, serialization
    // and the sender's link, less the 28 ns between first and last: 0.61 us. Those few ns grow to half a microsecond in
    // the second round (a short last packet that comes 4 ns ahead passes several full ones), which nearly closes the next
    // gap, and from the third on, 82 us after data start, there is none.
    let sent = sent_to_the_receiver(&outcome);
    let from = DATA_START + 100 * US;
    let times: Vec<u64> = sent.keys().copied().filter(|&at| at >= from).collect();
    assert_eq!((times[0], times[times.len() - 1], times.len()), (from, STOP, 130));
    for &at in &times[1..] {
        // Every byte time is used: only the frames cut by the two ends may make a difference.
        let bytes = sent[&at] - sent[&from];
        let possible = line_rate(at - from);
        assert!(
            bytes.abs_diff(possible) < FULL_PACKET,
            "{bytes} of {possible} B up to {at} ps"
        );
        let interval = sent[&at] - sent[&(at - 100 * US)];
        assert!(
            interval.abs_diff(line_rate(100 * US)) < FULL_PACKET,
            "{interval} B before {at} ps"
        );
    }
    // From data start on it loses the way of the first packet (336 ns), that gap, and what is left of the next (0.1 us).
    let lost = line_rate(STOP - DATA_START) - (sent[&STOP] - sent[&DATA_START]);
    assert!(lost < line_rate(1_100 * NS) + FULL_PACKET, "{lost} B");

    // Messages pass one first-in first-out queue and each sender has one in it: they take turns.
    let mut completed: BTreeMap<String, u64> = BTreeMap::new();
    let perf = outcome.table("rdma-perf");
    for (row, count) in perf.rows().zip(1u64..) {
        *completed.entry(row["application_name"].to_owned()).or_default() += 1;
        let least = if completed.len() < 8 {
            0
        } else {
            *completed.values().min().expect("eight")
        };
        let most = *completed.values().max().expect("at least one");
        assert!(most - least <= 1, "after {count} completions: {completed:?}");
    }
    assert_eq!(completed.len(), 8);
    // 13 ms of 400 Gbps carry 2,563 messages of 253,596 B; up to 8 are under way, and two restarts were lost.
    let possible = line_rate(STOP - DATA_START) / 253_596;
    assert!(
        (possible - 9..=possible).contains(&(perf.len() as u64)),
        "{} of {possible}",
        perf.len()
    );
}

#[test]
fn four_connections_a_sender_pause_but_lose_nothing() {
    // Four messages of a sender are 1,009,920 B as charged, above Xoff: the switch pauses the senders.
    let outcome = incast(4);
    assert!(outcome.summary.pfc_pauses > 0);
    nothing_lost(&outcome);
    let sent = sent_to_the_receiver(&outcome);
    let from = DATA_START + 100 * US;
    let busy = (sent[&STOP] - sent[&from]) as f64 / line_rate(STOP - from) as f64;
    assert!((0.999..=1.0001).contains(&busy), "{busy}");
    // Pauses are seen by the senders' NICs as frames: more arrived than data and ACKs account for.
    let (mut paused, devices) = (0, outcome.table("nd-stats"));
    let transports = outcome.table("roce-transport-stats");
    for row in transports
        .rows()
        .filter(|row| row.time() == STOP && row.int("num_verb_pkts_sent") > 0)
    {
        let port = devices.one(|d| d.time() == STOP && d["node_id"] == row["node_id"]);
        let transport = row.int("num_acks_recvd") + row.int("num_conn_pkts_recvd");
        assert!(port.int("total_packets_rx") >= transport);
        paused += (port.int("total_packets_rx") > transport) as u64;
    }
    assert_eq!(paused, 8, "every sender is paused at some time");
}

/// Writes that take longer than the window, posted before it and completed after it: what the receiver's port carries is told
/// all the same, and never more than it can.
#[test]
fn goodput_is_what_was_received_in_the_window() {
    let outcome = play(
        &template("rdma-incast"),
        &settings([
            "Rdma.NumConnections=4",
            "Rdma.TransferSize=10 MB",
            "SimulationParameters.RunTime=0.005",
        ]),
    );
    // 400 Gbps x 4,096 / 4,154 = 394.415 Gbps, less the short last packet of each message.
    let goodput = outcome.summary.applications[0].goodput_gbps;
    assert!(goodput > 394.3 && goodput < 394.42, "{goodput}");
    let warnings = outcome.summary.warnings.join("\n");
    assert!(
        warnings.contains("longer than the warm-up of 2000 us"),
        "{warnings}"
    );
}

/// A pool that cannot hold what the ports bring in before they pause: drops, pairs that get nothing, and a word about both.
#[test]
fn drops_and_silent_pairs_are_told() {
    let outcome = play(
        &template("rdma-incast"),
        &settings([
            "Rdma.NumConnections=4",
            "RackSwitch.SharedBufferManager.TotalSharedBufferSize=5 MB",
        ]),
    );
    let warnings = outcome.summary.warnings.join("\n");
    assert!(outcome.summary.drops > 0);
    assert!(
        warnings.contains("packets of lossless classes were dropped"),
        "{warnings}"
    );
    assert!(warnings.contains("completed no work request"), "{warnings}");
    assert!(outcome.summary.packets_resent >= outcome.summary.retransmissions);
}

#[test]
fn connections_that_are_not_set_up_are_told() {
    let outcome = play(
        &template("rdma-one-rack"),
        &settings(["Nic.NetworkInterface.TransmissionMedium.Delay=1 s"]),
    );
    let warnings = outcome.summary.warnings.join("\n");
    assert!(
        warnings.contains("4 of 4 connections of Rdma were not set up"),
        "{warnings}"
    );
}

/// The recording window may open with the run itself.
#[test]
fn a_window_from_time_0() {
    let outcome = play(
        &template("rdma-one-rack"),
        &settings([
            "SimulationParameters.StartTime=0",
            "SimulationParameters.ClientStartOffset=0",
            "SimulationParameters.ClientStartInterval=0",
            "SimulationParameters.WarmUp=0",
            "SimulationParameters.RunTime=0.001",
        ]),
    );
    // Four pairs, each one message at a time: 350.2 Gbps but for the set-up of the connections.
    let application = &outcome.summary.applications[0];
    let each = &application.goodput_per_pair_gbps;
    assert!(each.min > 345.0 && each.max < 350.3, "{each:?}");
    assert!((application.goodput_gbps - 4.0 * each.mean).abs() < 1e-9);
}

/// A timer shorter than the queue makes retransmissions that nothing called for; the run says so.
#[test]
fn needless_timeouts_are_told() {
    let outcome = play(
        &template("rdma-incast"),
        &settings([
            "Rdma.NumConnections=8",
            "SimulationParameters.RunTime=0.001",
            "Nic.TransportProcessingLayers.RoceTransportLayer.RetransmitTimeout=100 us",
        ]),
    );
    let warnings = outcome.summary.warnings.join("\n");
    assert!(outcome.summary.drops == 0 && outcome.summary.retransmissions > 0);
    assert!(warnings.contains("RetransmitTimeout is shorter"), "{warnings}");
}

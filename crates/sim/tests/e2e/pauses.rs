//! `ecn-pfc-stats` and `tier-hop`: frames and times of pauses, and how these records agree with the others; and
//! `cpu-mem-stats`, of which no more than plausible figures can be asked.

use crate::common::*;
use std::collections::BTreeMap;

/// `column` of a row in picoseconds.
fn us(row: &Row<'_>, column: &str) -> u64 {
    row.scaled(column, 6)
}

/// Eight senders with four connections each: the switch pauses them; reports every 100 us.
fn incast() -> Outcome {
    play(
        &template("rdma-incast"),
        &settings([
            "Rdma.NumConnections=4",
            "SimulationParameters.RunTime=0.002",
            "SimulationParameters.NDStatsReportInterval=0.0001",
        ]),
    )
}

/// One packet is above Xoff, and the switch is empty when it has sent it on. So each packet pauses its sender for as long as
/// the switch holds it: 4,154 B x 20 ps.
#[test]
fn a_message_of_two_packets_is_paused_twice() {
    let held = serialization(FULL_PACKET, 400 * GBPS);
    // The payload of a packet takes 300 ns over PCIe (8 x 546 B at 16 x 7.28 Gbps), so the second one is queued 300 ns after the
    // first. The first one's pause lies between
    // 83.08 ns (serialization) + 100 ns (link) + 1.68 ns (84 B of the pause) + 100 ns (link) = 284.76 ns after it was queued
    let begins = held + 100 * NS + serialization(84, 400 * GBPS) + 100 * NS;
    // and 83.08 ns later. What is left then has the second packet waiting; behind its own pause there is nothing.
    let waits = begins + held - 300 * NS;
    assert_eq!((held, begins, waits), (83_080, 284_760, 67_840));

    let mut set = stop_at(0.0033);
    set.extend(settings([
        "RackSwitch.SharedBufferManager.StaticPoolXoffThreshold=4000 B",
        "RackSwitch.SharedBufferManager.StaticPoolXonThreshold=0 B",
        "Rdma.TransferSize=8192 B",
        "Rdma.MaxPendingWQEs=1",
        "SimulationParameters.NDStatsReportInterval=0.00013",
    ]));
    set.push(format!("{HOST_LANES}.LaneBps=7.28Gbps"));
    let outcome = play(&pair(1), &set);
    let completed: Vec<u64> = outcome.table("rdma-perf").rows().map(|row| row.time()).collect();
    assert!(completed.len() > 50, "{} messages", completed.len());

    // Rack switch 0, NICs 1 and 2; the sender's is the one that is paused.
    let pauses = outcome.table("ecn-pfc-stats");
    let rows: Vec<_> = pauses
        .rows()
        .filter(|row| &row["tier"] == "3" && row.int("priority") == 0)
        .collect();
    assert!(
        rows.windows(2)
            .all(|pair| pair[0]["node_id"] == pair[1]["node_id"])
    );
    // Data starts at 3 ms: the reports from 3.04 ms on, every 130 us from 2 ms.
    let times: Vec<u64> = rows.iter().map(|row| row.time()).collect();
    assert_eq!(times, [3_040 * US, 3_170 * US, 3_300 * US]);
    let mut before = (0, 0);
    for row in &rows {
        // A message is under way at the report, with one or two pauses begun or done; its second pause is over before it
        // completes.
        let done = completed.iter().filter(|&&at| at < row.time()).count() as u64;
        let (paused, waiting) = (
            us(row, "pfc_time_paused_usec"),
            us(row, "total_xoff_time_egr_occ_usec"),
        );
        assert!(
            (2 * held * done..=2 * held * (done + 1)).contains(&paused),
            "{paused} ps, {done} messages"
        );
        assert!(
            (waits * done..=waits * (done + 1)).contains(&waiting),
            "{waiting} ps"
        );
        assert!((2 * done..=2 * done + 2).contains(&row.int("pfcxoff_rx")));
        assert_eq!((row.int("pfcxoff_tx"), row.int("pfcxon_tx")), (0, 0));
        let interval = (
            us(row, "interval_total_time_xoff_usec"),
            us(row, "interval_total_time_xoff_egr_occ_usec"),
        );
        assert_eq!((before.0 + interval.0, before.1 + interval.1), (paused, waiting));
        before = (paused, waiting);
        assert_eq!(us(row, "interval_max_time_xoff_usec"), held);
        assert_eq!(us(row, "interval_max_time_xoff_egr_occ_usec"), waits);
    }
}

#[test]
fn what_one_end_sends_the_other_receives_and_times_agree() {
    let outcome = incast();
    let pauses = outcome.table("ecn-pfc-stats");
    let links = outcome.table("topology-report");
    // The switch's port to each NIC, by the NIC's node id.
    let port_to: BTreeMap<u64, u64> = links
        .rows()
        .map(|link| (link.int("peer_node_id"), link.int("dev_id")))
        .collect();
    let interval = 100 * US;
    let (mut totals, mut senders) = (BTreeMap::new(), 0);
    for nic in pauses.rows().filter(|row| &row["tier"] == "3") {
        let switch = pauses.one(|row| {
            row.time() == nic.time()
                && row.int("tier") == 2
                && row.int("ifid") == port_to[&nic.int("node_id")]
                && row["priority"] == nic["priority"]
        });
        for (sent, received) in [("pfcxoff_tx", "pfcxoff_rx"), ("pfcxon_tx", "pfcxon_rx")] {
            // One may be waiting for the port or on its way.
            let under_way = switch.int(sent) - nic.int(received);
            assert!(under_way <= 1, "{under_way} at {}", nic.time());
            // The receiver's NIC pauses nobody, nor do the senders'.
            assert_eq!((nic.int(sent), switch.int(received)), (0, 0));
        }
        let paused = us(&nic, "interval_total_time_xoff_usec");
        let waiting = us(&nic, "interval_total_time_xoff_egr_occ_usec");
        assert!(us(&nic, "interval_max_time_xoff_usec") <= paused && paused <= interval);
        assert!(us(&nic, "interval_max_time_xoff_egr_occ_usec") <= waiting && waiting <= paused);
        let (total, total_waiting) = totals.entry(nic.int("node_id")).or_insert((0, 0));
        *total += paused;
        *total_waiting += waiting;
        assert_eq!(us(&nic, "pfc_time_paused_usec"), *total);
        assert_eq!(us(&nic, "total_xoff_time_egr_occ_usec"), *total_waiting);
        let close = |found: f64, right: f64| (found - right).abs() < 1e-9;
        let xon = 100.0 - paused as f64 / interval as f64 * 100.0;
        assert!(
            close(nic.float("percent_xon"), xon),
            "{} is not {xon}",
            &nic["percent_xon"]
        );
        let ratio = if paused == 0 {
            0.0
        } else {
            waiting as f64 / paused as f64
        };
        assert!(close(nic.float("xoff_egr_occ_ratio"), ratio));
        assert_eq!(nic.int("pkts_ecn_marked"), 0);
        senders += (nic.time() == 8_000 * US) as u64;
    }
    assert_eq!(senders, 8, "one row a sender, for the class of data");
    assert!(
        totals.values().all(|&(paused, _)| paused > 100 * US),
        "{totals:?}"
    );
    // All pauses are the switch's.
    let last = pauses.rows().filter(|row| row.time() == 8_000 * US);
    let sent: u64 = last.map(|row| row.int("pfcxoff_tx")).sum();
    assert_eq!(sent, outcome.summary.pfc_pauses);
}

#[test]
fn a_port_without_pauses_has_no_row() {
    let outcome = play(&pair(2), &stop_at(0.0041));
    assert_eq!(outcome.table("ecn-pfc-stats").len(), 0);
}

/// Packets that the ports of each tier have sent by `at`, according to `nd-stats`.
fn sent(devices: &Table, at: u64) -> [u64; 3] {
    let mut sums = [0; 3];
    for row in devices
        .rows()
        .filter(|row| row.time() == at && row.int("tier") < 3)
    {
        sums[row.int("tier") as usize] += row.int("total_packets_tx");
    }
    sums
}

#[test]
fn tier_hop_counts_what_the_switches_send_but_for_pauses() {
    for (outcome, ports) in [
        (play(&template("rdma-16-hosts"), &stop_at(0.0061)), 0),
        (incast(), 9),
    ] {
        let (devices, hops) = (outcome.table("nd-stats"), outcome.table("tier-hop"));
        let pauses = outcome.table("ecn-pfc-stats");
        assert_eq!(hops.times(), devices.times());
        let mut before = [0; 3];
        for row in hops.rows() {
            let found = ["spine", "fabric", "rack"].map(|tier| row.int(tier));
            let of_switches = pauses
                .rows()
                .filter(|pause| pause.time() == row.time() && pause.int("tier") == 2);
            let queued: u64 = of_switches
                .map(|pause| pause.int("pfcxoff_tx") + pause.int("pfcxon_tx"))
                .sum();
            let [spine, fabric, rack] = sent(&devices, row.time());
            assert_eq!((found[0], found[1]), (spine, fabric));
            // PFC frames count as sent when they are queued, so one a port may not have been sent yet.
            let unsent = found[2] + queued - rack;
            assert!(unsent <= ports, "{unsent} unsent");
            let intervals = ["spineInt", "fabricInt", "rackInt"].map(|tier| row.int(tier));
            for tier in 0..3 {
                assert_eq!(before[tier] + intervals[tier], found[tier]);
            }
            before = found;
        }
        assert!(before[2] > 10_000 && before[0] == 0, "{before:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_machine_is_plausible() {
    let outcome = play(&pair(1), &stop_at(0.0061));
    let machine = outcome.table("cpu-mem-stats");
    assert_eq!(machine.times(), outcome.table("beacon").times());
    assert_eq!(machine.len(), outcome.table("beacon").len());
    for row in machine.rows() {
        assert_eq!(row.int("pid"), std::process::id() as u64);
        assert!(!row["host_name"].is_empty());
        let (resident, all) = (row.float("core_rss_M"), row.float("sys_total_mem_M"));
        assert!(resident > 1.0 && resident <= row.float("core_vm_usage_M") && resident < all);
        assert!((row.float("core_rss_usage_pct") / (resident / all * 100.0) - 1.0).abs() < 1e-9);
        let sum = row.scaled("sys_free_mem_M", 6) + row.scaled("sys_used_mem_M", 6);
        assert_eq!(sum, row.scaled("sys_total_mem_M", 6));
        for share in ["sys_mem_usage_pct", "sys_swap_usage_pct"] {
            assert!((0.0..=100.0).contains(&row.float(share)), "{share}");
        }
        let ticks = row.int("user_time_ticks") + row.int("kernel_time_ticks");
        assert_eq!(row.int("total_time_ticks"), ticks);
    }
}

//! Ports, pauses and buffers.

use crate::lab::{Lab, between, class, ms, port, run, tcp};
use packetloom_records::{
    CpuMemStatsRow, Gbps, Megabytes, Nanoseconds, Record, Seconds, TierHopRow, TopologyReportRow,
};

/// Two NICs at 400 Gbps, which is 50 MB a millisecond, reported from 3 to 8 ms: the first sends 10 MB a millisecond, the
/// other 25 MB in the sixth.
fn lab() -> Lab {
    let lab = Lab::new();
    let rows: Vec<_> = (3..=8)
        .flat_map(|at| {
            let late = if at < 6 { 0 } else { 25_000_000 };
            [
                port(1, at, 10_000_000 * at, 10_000_000),
                port(2, at, late, if at == 6 { late } else { 0 }),
            ]
        })
        .collect();
    lab.rows(0, &rows);
    lab.run(&run());
    lab
}

#[test]
fn utilization_is_that_of_the_reports_around_the_window() {
    let summary = lab().summary();
    let reports = summary.report_window.expect("reports");
    assert_eq!((reports.from_seconds, reports.to_seconds), (0.005, 0.007));
    let [nics] = &summary.utilization[..] else {
        panic!("one tier")
    };
    assert_eq!(
        (nics.tier.as_str(), nics.direction.as_str(), nics.ports),
        ("nic", "up", 2)
    );
    // 20 MB and 25 MB of 100 MB.
    assert_eq!((nics.mean_percent, nics.max_percent), (22.5, 25.0));
    assert_eq!(nics.busiest, "other port 0");
    let [tier] = &summary.tiers[..] else {
        panic!("one tier")
    };
    assert_eq!(
        (tier.packets_sent, tier.packets_received),
        (Some(45_000), Some(22_500))
    );
    // Port n drops n packets a millisecond.
    assert_eq!(tier.packets_dropped, Some(6));
    assert_eq!(tier.pauses_sent, None, "no record tells");
    let drops = summary.counters.packets_dropped_by_nics.expect("told");
    assert_eq!(
        (drops.window, drops.run, drops.most_at.as_deref()),
        (Some(6), 24, Some("other port 0"))
    );
    let drops = summary.counters.packets_dropped_by_switches.expect("told");
    assert_eq!((drops.window, drops.run, drops.most_at), (Some(0), 0, None));
}

#[test]
fn a_window_between_reports_takes_those_around_it() {
    let lab = lab();
    let mut options = between(5, 6);
    options.from = options
        .from
        .map(|from| from.saturating_add(packetloom_des::Span::from_us(300)));
    options.to = options
        .to
        .map(|to| to.saturating_add(packetloom_des::Span::from_us(1)));
    let summary = lab.try_summary(&options).expect("a summary");
    let reports = summary.report_window.expect("reports");
    assert_eq!((reports.from_seconds, reports.to_seconds), (0.005, 0.007));
    assert_eq!(summary.utilization[0].max_percent, 25.0);
}

/// The rate comes from the topology where that is there, for both ends of a link.
#[test]
fn the_topology_knows_rates() {
    let lab = lab();
    lab.rows(
        0,
        &[TopologyReportRow {
            component_name: "switch",
            component_type: "Switch",
            tier: 2,
            subtier: 0,
            node_id: 0,
            net_device: "x",
            dev_id: 0,
            peer_component_name: "other",
            peer_component_type: "Nic",
            peer_tier: 3,
            peer_subtier: 0,
            peer_node_id: 2,
            peer_net_device: "x",
            peer_dev_id: 0,
            linkspeed_Gbps: Gbps::from_bps(200_000_000_000),
            prop_delay_ns: Nanoseconds::from_ps(0),
        }],
    );
    // 25 MB of 50 MB.
    assert_eq!(lab.summary().utilization[0].max_percent, 50.0);
}

#[test]
fn pauses_count_by_tier_and_the_longest_is_named() {
    let lab = lab();
    // Class 3 is there from the sixth millisecond on: before that it had nothing to tell.
    let rows: Vec<_> = (5..=8)
        .flat_map(|at| {
            let first = Some(class(at, 0, 10 * at, 100 * at));
            first.into_iter().chain((at >= 6).then(|| class(at, 3, 5, 300)))
        })
        .collect();
    lab.rows(0, &rows);
    let summary = lab.summary();
    let [rack, nic] = &summary.tiers[..] else {
        panic!("two tiers")
    };
    assert_eq!((rack.tier.as_str(), nic.pauses_sent), ("rack", Some(0)));
    // From 5 to 7 ms: 20 of class 0 and 5 of class 3; 200 us and 300 us.
    assert_eq!(
        (rack.pauses_sent, rack.pauses_received, rack.paused_us),
        (Some(25), Some(50), Some(500.0))
    );
    let longest = rack.most_paused.as_ref().expect("paused");
    assert_eq!((longest.port.as_str(), longest.class), ("switch port 0", 3));
    assert_eq!((longest.paused_us, longest.percent), (300.0, Some(15.0)));
    let sent = summary.counters.pauses_sent.expect("told");
    assert_eq!(
        (sent.window, sent.run, sent.most_at.as_deref()),
        (Some(25), 85, Some("switch port 0"))
    );
}

/// Two connections that report from 4 to 8 ms: the first sends 10 segments a millisecond, the other 20, and has a timeout in
/// each of the last two.
#[test]
fn tcp_connections_add_up_and_the_worst_is_named() {
    let lab = Lab::new();
    let rows: Vec<_> = (4..=8)
        .flat_map(|at| {
            [
                tcp("a-C:0-1", at, 10 * at, 0),
                tcp("a-C:1-2", at, 20 * at, at.saturating_sub(6)),
            ]
        })
        .collect();
    lab.rows(0, &rows);
    lab.run(&run());
    let summary = lab.summary();
    let told = |counter: &Option<packetloom_analysis::summary::Counter>| {
        let counter = counter.clone().expect("told");
        (counter.window, counter.run, counter.most_at)
    };
    let other = Some("a-C:1-2".to_owned());
    let counters = &summary.counters;
    // From the report at 5 ms to that at 7 ms.
    assert_eq!(told(&counters.tcp_segments_sent), (Some(60), 240, other.clone()));
    assert_eq!(told(&counters.tcp_timeouts), (Some(1), 2, other.clone()));
    assert_eq!(told(&counters.tcp_fast_retransmits), (Some(2), 4, other.clone()));
    assert_eq!(told(&counters.tcp_duplicate_acks), (Some(5), 10, other));
    assert_eq!(summary.report_window, None, "these are not reports of ports");
    assert!(counters.retransmissions.is_none(), "those of RoCE NICs");
    assert_eq!(left_out(&summary), Vec::<String>::new());

    // All reports come before that window.
    let late = lab
        .try_summary(&between(9, 10))
        .map(|summary| summary.counters.tcp_timeouts);
    assert_eq!(
        told(&late.expect("a summary")),
        (None, 2, Some("a-C:1-2".to_owned()))
    );
}

#[test]
fn tier_hop_tells_what_switches_sent_where_ports_are_not_recorded() {
    let lab = Lab::new();
    lab.run(&run());
    let rows: Vec<_> = (3..=8)
        .map(|at| TierHopRow {
            sim_time_sec: Seconds::from_ps(ms(at)),
            spine: 0,
            fabric: 100 * at,
            rack: 300 * at,
            spineInt: 0,
            fabricInt: 0,
            rackInt: 0,
        })
        .collect();
    lab.rows(0, &rows);
    let tiers: Vec<_> = lab
        .summary()
        .tiers
        .iter()
        .map(|tier| (tier.tier.clone(), tier.packets_sent))
        .collect();
    assert_eq!(
        tiers,
        [("fabric".to_owned(), Some(200)), ("rack".to_owned(), Some(600))],
        "without a spine"
    );
}

#[test]
fn processes_add_up() {
    let lab = Lab::new();
    let row = |pid, rss, cpu| CpuMemStatsRow {
        sim_time_sec: Seconds::from_ps(ms(3)),
        host_name: "machine",
        pid,
        core_vm_usage_M: Megabytes::from_bytes(0),
        core_rss_M: Megabytes::from_bytes(rss),
        core_vm_usage_pct: 0.0,
        core_rss_usage_pct: 0.0,
        sys_total_mem_M: Megabytes::from_bytes(64_000_000_000),
        sys_free_mem_M: Megabytes::from_bytes(0),
        sys_used_mem_M: Megabytes::from_bytes(0),
        sys_mem_usage_pct: 0.0,
        sys_swap_usage_pct: 0.0,
        user_time_ticks: 0,
        kernel_time_ticks: 0,
        total_time_ticks: cpu,
        elapse_time_ticks: 2 * cpu,
        user_time_pct: 0.0,
        system_time_pct: 0.0,
        total_time_pct: 0.0,
    };
    lab.rows(0, &[row(1, 30_000_000, 100), row(1, 20_000_000, 150)]);
    lab.rows(1, &[row(2, 5_000_000, 250)]);
    let machine = lab.summary().machine.expect("told");
    assert_eq!((machine.processes, machine.peak_rss_bytes), (2, 35_000_000));
    assert_eq!((machine.cpu_seconds, machine.wall_seconds), (4.0, 5.0));
    assert_eq!(machine.machine_memory_bytes, 64_000_000_000);
}

/// Class 0 has rows from 4 ms on, class 3 from 7 ms on.
fn late_pauses(lab: &Lab) {
    let rows: Vec<_> = (4..=8)
        .flat_map(|at| {
            let first = Some(class(at, 0, 10, 100));
            first.into_iter().chain((at >= 7).then(|| class(at, 3, 5, 900)))
        })
        .collect();
    lab.rows(0, &rows);
}

/// Pauses sent in a window, in the rack and by the counter, and the class that was paused longest.
fn paused(lab: &Lab, from: u64, to: u64) -> (Option<u64>, Option<u64>, Option<u64>) {
    let summary = lab.try_summary(&between(from, to)).expect("a summary");
    let rack = summary.tiers.iter().find(|tier| tier.tier == "rack");
    let longest = rack.and_then(|rack| rack.most_paused.as_ref());
    assert!(
        longest
            .and_then(|most| most.percent)
            .is_none_or(|share| share <= 100.0),
        "{longest:?}"
    );
    (
        rack.and_then(|rack| rack.pauses_sent),
        summary.counters.pauses_sent.and_then(|sent| sent.window),
        longest.map(|most| most.class),
    )
}

#[test]
fn pauses_first_reported_after_the_window_are_not_in_it() {
    // By the rows of another class, and by the reports of ports.
    for lab in [Lab::new(), lab()] {
        late_pauses(&lab);
        assert_eq!(paused(&lab, 4, 6), (Some(0), Some(0), None));
        assert_eq!(paused(&lab, 3, 6), (Some(10), Some(10), Some(0)));
        // The report that ends the window has the row.
        assert_eq!(paused(&lab, 6, 7), (Some(5), Some(5), Some(3)));
        // Both come after it.
        assert_eq!(paused(&lab, 1, 3), (Some(0), Some(0), None));
    }
    // A single report, which that of ports shows to be late.
    let lab = lab();
    lab.rows(0, &[class(8, 0, 10, 900)]);
    assert_eq!(paused(&lab, 5, 6), (Some(0), Some(0), None));
    assert_eq!(paused(&lab, 7, 8), (Some(10), Some(10), Some(0)));
}

#[test]
fn a_window_of_one_moment_has_no_shares() {
    let lab = lab();
    late_pauses(&lab);
    let summary = lab.try_summary(&between(5, 5)).expect("a summary");
    assert!(summary.utilization.is_empty(), "{:?}", summary.utilization);
    assert_eq!(paused(&lab, 5, 5), (Some(0), Some(0), None));
}

/// Notes of records that are left out.
fn left_out(summary: &packetloom_analysis::RunSummary) -> Vec<String> {
    let notes = summary.notes.iter().filter(|note| note.contains("has no report"));
    notes.cloned().collect()
}

#[test]
fn what_no_report_tells_is_left_out_and_noted() {
    // Reports end before the window begins.
    let lab = Lab::new();
    lab.rows(0, &[port(1, 3, 1_000, 1_000), port(1, 4, 2_000, 1_000)]);
    lab.rows(0, &[class(3, 0, 1, 1), class(4, 0, 2, 2)]);
    lab.run(&run());
    let summary = lab.summary();
    assert!(summary.utilization.is_empty() && summary.tiers.is_empty());
    assert_eq!(summary.report_window, None);
    let figures =
        |counter: &Option<packetloom_analysis::summary::Counter>| counter.as_ref().map(|c| (c.window, c.run));
    assert_eq!(
        figures(&summary.counters.packets_dropped_by_nics),
        Some((None, 4)),
        "the whole run is known"
    );
    assert_eq!(figures(&summary.counters.pauses_sent), Some((None, 2)));
    assert_eq!(summary.counters.naks_sent, None);
    assert_eq!(
        left_out(&summary),
        ["nd-stats", "ecn-pfc-stats"].map(|record| format!(
            "{record} has no report in the window after its start: what it would tell of it is left out"
        ))
    );
}

#[test]
fn headers_alone_tell_nothing_but_that_nobody_paused() {
    let records = [Record::NdStats, Record::EcnPfcStats, Record::RoceTransportStats];
    let header = |lab: &Lab, record: Record| {
        let text = record.schema().header() + "\n";
        lab.write(&format!("t-{}-0.csv", record.name()), text);
    };
    let empty = Lab::new();
    empty.run(&run());
    for record in records {
        header(&empty, record);
    }
    let summary = empty.summary();
    assert!(summary.utilization.is_empty() && summary.tiers.is_empty());
    assert_eq!(
        summary.counters,
        packetloom_analysis::summary::Counters::default()
    );
    assert_eq!(left_out(&summary).len(), 3, "{:?}", summary.notes);

    assert!(summary.applications.is_empty(), "there is no rdma-perf");
    empty.write("t-rdma-perf-0.csv", "");
    assert!(
        empty.summary().applications.is_empty(),
        "nor does an empty file tell"
    );

    // Ports have reports, so that a record of pauses without rows says that there were none.
    let lab = lab();
    header(&lab, Record::EcnPfcStats);
    let summary = lab.summary();
    let sent = summary.counters.pauses_sent.as_ref().expect("told");
    assert_eq!((sent.window, sent.run), (Some(0), 0));
    assert_eq!(summary.tiers[0].pauses_sent, Some(0));
    assert!(left_out(&summary).is_empty(), "{:?}", summary.notes);
}

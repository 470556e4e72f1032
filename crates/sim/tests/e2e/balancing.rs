//! The load balancing record, with the hash alone.

use crate::common::*;
use std::collections::BTreeMap;

const RECORD: &str = "scala-switch-load-balancing-stats";

#[test]
fn connection_packets_are_counted_where_they_go_and_sets_form_when_they_come() {
    // No write is posted: three packets a connection from 2 ms on, and then silence.
    let mut set = stop_at(0.00325);
    set.push("Rdma.MaxPendingWQEs=0".into());
    set.push("RackSwitch.LoadBalancingStatsReportInterval=100us".into());
    set.push("FabricSwitch.LoadBalancingStatsReportInterval=400us".into());
    set.push("SimulationParameters.NDStatsReportInterval=0.00125".into());
    let outcome = play(&template("rdma-16-hosts"), &set);
    let balance = outcome.table(RECORD);
    let columns = "time_utc,sim_time_sec,component_name,component_type,node_id,tier,subtier,ifid,ecmp_group_id,\
                   ecmp_group_ifids,group_size,group_formed_ns,flow_table_slots,bytes,ivl_bytes,packets,ivl_packets,\
                   assignments,ivl_assignments,movements_in,ivl_movements_in,movements_out,ivl_movements_out,\
                   ivl_share,paused_skips,ivl_paused_skips,paused_selections,ivl_paused_selections";
    assert_eq!(balance.header().join(","), columns);
    let times = |tier: u64| {
        let rows = balance.rows().filter(|row| row.int("tier") == tier);
        let mut times: Vec<u64> = rows.map(|row| row.time() / US).collect();
        times.dedup();
        times
    };
    // Every 100 us, and a last row at the stop time, 3.25 ms, which is no multiple of it; every 400 us and the same.
    let mut racks: Vec<u64> = (1..=12).map(|k| 2_000 + 100 * k).collect();
    racks.push(3_250);
    assert_eq!(times(2), racks);
    assert_eq!(times(1), [2_400, 2_800, 3_200, 3_250]);

    // Which rack's hosts send how much to the other: requests and acknowledgements of clients, responses of servers.
    let rack_of = |row: &Row<'_>, column: &str| (row.int(column) - 20) / 8;
    let report = outcome.table("application-report");
    let mut up = [0u64; 2];
    for row in report
        .rows()
        .filter(|row| rack_of(row, "node_id") != rack_of(row, "peer_node_id"))
    {
        up[rack_of(&row, "node_id") as usize] += if &row["socket_type"] == "CLIENT" { 2 } else { 1 };
    }
    assert!(up[0] > 0 && up[1] > 0, "{up:?}");
    let devices = outcome.table("nd-stats");
    let last = 3_250 * US;
    for rack in 0..2 {
        let node = 2 + rack;
        let rows: Vec<_> = balance
            .rows()
            .filter(|row| row.time() == last && row.int("node_id") == node)
            .collect();
        // One set of 2 fabric switches x 8 links: the uplinks.
        assert_eq!(rows.len(), 16);
        let all = (0..16).map(|port| port.to_string()).collect::<Vec<_>>().join(";");
        for (port, row) in rows.iter().enumerate() {
            assert_eq!(
                (row.int("ifid"), row.int("ecmp_group_id"), row.int("group_size")),
                (port as u64, 0, 16)
            );
            assert_eq!(&row["ecmp_group_ifids"], all);
            assert_eq!(
                (&row["component_type"], &row["subtier"]),
                ("Switch", "4294967295")
            );
            // The first request is sent at 2 ms and takes 2.44 ns and the link's 100 ns, or it is a response, later.
            let formed = row.scaled("group_formed_ns", 3);
            assert!(formed >= 2_000 * US + 2_440 + 100 * NS);
            // What the port has sent: all has been sent long ago.
            let device =
                devices.one(|d| d.time() == last && d.int("node_id") == node && d.int("ifid") == port as u64);
            assert_eq!(row.int("packets"), device.int("total_packets_tx"));
            assert_eq!(row.int("bytes"), device.total_bytes("tx"));
            assert_eq!(row.int("bytes"), row.int("packets") * CONNECTION_PACKET);
            assert_eq!(
                (row.int("ivl_packets"), row.float("ivl_share")),
                (0, 0.0),
                "nothing in the last interval"
            );
            for column in [
                "flow_table_slots",
                "assignments",
                "movements_in",
                "movements_out",
                "paused_skips",
                "paused_selections",
            ] {
                assert_eq!(row.int(column), 0, "{column}");
            }
        }
        let packets: u64 = rows.iter().map(|row| row.int("packets")).sum();
        assert_eq!(packets, up[rack as usize]);
        // Clients of a rack begin with a request each, at once.
        let first = balance
            .rows()
            .find(|row| row.int("node_id") == node)
            .expect("a row");
        let has_client = report.rows().any(|row| {
            &row["socket_type"] == "CLIENT"
                && rack_of(&row, "node_id") == rack
                && rack_of(&row, "peer_node_id") != rack
        });
        if has_client {
            assert_eq!(&first["group_formed_ns"], "2000102.44");
        }
    }
    // The first requests come to a fabric switch 2.44 ns and 500 ns later: one set toward each rack, numbered as seen.
    let fabric: Vec<_> = balance
        .rows()
        .filter(|row| row.time() == last && row.int("tier") == 1)
        .collect();
    for row in &fabric {
        let downlinks = if row.int("ifid") < 8 {
            "0;1;2;3;4;5;6;7"
        } else {
            "8;9;10;11;12;13;14;15"
        };
        assert_eq!((&row["ecmp_group_ifids"], row.int("group_size")), (downlinks, 8));
    }
    let formed: Vec<(u64, u64)> = fabric
        .iter()
        .map(|row| (row.int("ecmp_group_id"), row.scaled("group_formed_ns", 3)))
        .collect();
    assert!(
        formed.contains(&(0, 2_000 * US + 2 * 2_440 + 600 * NS)),
        "{formed:?}"
    );
}

#[test]
fn members_add_up_to_what_came_in() {
    let mut set = stop_at(0.0034);
    set.push("Rdma.NumConnections=4".into());
    for switch in ["RackSwitch", "FabricSwitch"] {
        set.push(format!("{switch}.LoadBalancingStatsReportInterval=100us"));
    }
    set.push("SimulationParameters.NDStatsReportInterval=0.0001".into());
    let outcome = play(&template("rdma-16-hosts"), &set);
    assert_eq!((outcome.summary.drops, outcome.summary.pfc_pauses), (0, 0));
    let (balance, devices) = (outcome.table(RECORD), outcome.table("nd-stats"));
    // The stop time is a report's: no row is written twice.
    assert_eq!(
        balance.times(),
        (1..=14).map(|k| (2_000 + 100 * k) * US).collect::<Vec<_>>()
    );
    let mut before: BTreeMap<(u64, u64, u64), (u64, u64)> = BTreeMap::new();
    let mut shares: BTreeMap<(u64, u64, u64), (u64, f64)> = BTreeMap::new();
    let mut sums: BTreeMap<(u64, u64), (u64, u64)> = BTreeMap::new();
    for row in balance.rows() {
        let (node, group) = (row.int("node_id"), row.int("ecmp_group_id"));
        let now = (row.int("packets"), row.int("bytes"));
        let last = before
            .insert((node, group, row.int("ifid")), now)
            .unwrap_or_default();
        assert_eq!(
            (row.int("ivl_packets"), row.int("ivl_bytes")),
            (now.0 - last.0, now.1 - last.1)
        );
        let share = shares.entry((row.time(), node, group)).or_default();
        (share.0, share.1) = (share.0 + row.int("ivl_bytes"), share.1 + row.float("ivl_share"));
        let sum = sums.entry((row.time(), node)).or_default();
        *sum = (sum.0 + now.0, sum.1 + now.1);
    }
    for (bytes, share) in shares.values() {
        let right = if *bytes > 0 { 1.0 } else { 0.0 };
        assert!((share - right).abs() < 1e-12, "{share} of {bytes} B");
    }
    for (&(time, node), &(packets, bytes)) in &sums {
        let ports = |up: Option<&'static str>| {
            let rows = devices.rows();
            rows.filter(move |row| row.time() == time && row.int("node_id") == node)
                .filter(move |row| up.is_none_or(|up| &row["uldl"] == up))
        };
        if node < 2 {
            // Every packet that comes to a fabric switch goes on over a set.
            let came = ports(None).map(|row| row.int("total_packets_rx")).sum::<u64>();
            assert_eq!(packets, came, "fabric switch {node} at {time}");
            assert_eq!(bytes, ports(None).map(|row| row.total_bytes("rx")).sum::<u64>());
        } else {
            // What a rack switch gave to its uplinks has been sent or waits there: at most what its queues held.
            let sent = ports(Some("ul")).map(|row| row.total_bytes("tx")).sum::<u64>();
            let frames = ports(Some("ul"))
                .map(|row| row.int("total_packets_tx"))
                .sum::<u64>();
            assert!(bytes >= sent && packets >= frames);
            assert!(bytes - sent <= (packets - frames) * FULL_PACKET);
            assert!(packets - frames < 16 * 64, "{} packets wait", packets - frames);
        }
    }
    assert!(sums.len() > 4 * 10);
}

#[test]
fn switches_without_a_choice_and_switched_off_ones_have_no_rows() {
    // One rack: each host has its one port, and no set of several members is there.
    let outcome = play(&pair(1), &stop_at(0.0031));
    assert_eq!(outcome.table(RECORD).len(), 0);
    // One uplink to one of two fabric switches each: the rack's sets have two members, the fabric's one.
    let mut set = stop_at(0.0031);
    set.push("RackSwitch.NumUpLinksPerSwitch=1".into());
    let outcome = play(&pair(2), &set);
    let balance = outcome.table(RECORD);
    assert!(balance.len() > 0);
    assert!(
        balance
            .rows()
            .all(|row| row.int("tier") == 2 && &row["ecmp_group_ifids"] == "0;1")
    );
    // Off at one kind, off at both.
    set.push("RackSwitch.EnableLoadBalancingStats=false".into());
    assert_eq!(play(&pair(2), &set).table(RECORD).len(), 0);
    set.push("FabricSwitch.EnableLoadBalancingStats=false".into());
    let outcome = play(&pair(2), &set);
    assert!(outcome.summary.files.iter().all(|name| !name.contains(RECORD)));
}

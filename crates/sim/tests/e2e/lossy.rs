//! Lossy classes and the NIC's schedulers in whole runs.

use crate::common::*;
use std::collections::BTreeMap;

const BUFFER: &str = "RackSwitch.SharedBufferManager";

fn incast(more: &[&str]) -> Outcome {
    let mut settings = vec![
        "Rdma.NumConnections=4".to_owned(),
        "SimulationParameters.RunTime=0.003".to_owned(),
        // Senders in step lose the ends of their messages together, which no NAK reveals: the timer has to be short.
        "Nic.TransportProcessingLayers.RoceTransportLayer.RetransmitTimeout=200 us".to_owned(),
        format!("{BUFFER}.EnablePFC=[0,1,0,0,0,0,0,0]"),
        format!("{BUFFER}.TotalSharedBufferSize=3 MB"),
        format!("{BUFFER}.HeadRoomPerPortLimit=60 KB"),
        format!("{BUFFER}.StaticPoolXoffThreshold=10 KB"),
        format!("{BUFFER}.StaticPoolXonThreshold=5 KB"),
    ];
    settings.extend(more.iter().map(|setting| (*setting).to_owned()));
    play(&template("rdma-incast"), &settings)
}

/// Every connection's work requests, once each and in order; their number.
fn in_order(outcome: &Outcome) -> usize {
    let perf = outcome.table("rdma-perf");
    let mut next: BTreeMap<String, u64> = BTreeMap::new();
    for row in perf.rows() {
        let expected = next.entry(row["application_name"].to_owned()).or_insert(1);
        assert_eq!(row.int("wqe_id"), *expected);
        *expected += 1;
    }
    perf.len()
}

/// The last report's sums of a column over the switch's ports.
fn last_sum(outcome: &Outcome, column: &str) -> u64 {
    let stats = outcome.table("nd-stats");
    let last = *stats.times().last().expect("reports");
    let rows = stats
        .rows()
        .filter(|row| row.time() == last && &row["component_type"] == "Switch");
    rows.map(|row| row.int(column)).sum()
}

#[test]
fn a_lossy_class_drops_at_egress_and_is_never_paused() {
    let outcome = incast(&[]);
    assert!(in_order(&outcome) > 100);
    assert!(
        last_sum(&outcome, "tx_drops") > 0,
        "the queue to the receiver is over its limit"
    );
    assert_eq!(
        last_sum(&outcome, "rx_drops"),
        0,
        "the pool at ingress never is: half of it is the queue's limit"
    );
    assert_eq!(outcome.summary.pfc_pauses, 0);
    assert!(outcome.summary.retransmissions > 0 && outcome.summary.packets_resent > 0);
    let warnings = outcome.summary.warnings.join("\n");
    assert!(
        warnings.contains("packets of lossy classes were dropped") && !warnings.contains("lossless"),
        "{warnings}"
    );
}

#[test]
fn each_form_of_the_limit() {
    for limit in [
        &["LossyAlpha=0.25"] as &[&str],
        &["LossyAlpha=0"],
        &[
            "LossyAlpha=0",
            "QueueDropThresholdEnable=true",
            "QueueDropThreshold=2",
            "PlaneBDP=100 KB",
        ],
    ] {
        let settings: Vec<String> = limit
            .iter()
            .map(|setting| format!("{BUFFER}.{setting}"))
            .collect();
        let outcome = incast(&settings.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(last_sum(&outcome, "tx_drops") > 0, "{limit:?}");
        assert!(in_order(&outcome) > 100, "{limit:?}");
    }
}

/// With a limit beyond the pool the pool itself drops, on the way in.
#[test]
fn the_pool_bounds_what_comes_in() {
    let outcome = incast(&[&format!("{BUFFER}.LossyAlpha=1000000")]);
    assert!(last_sum(&outcome, "rx_drops") > 0);
    assert!(in_order(&outcome) > 100);
}

/// Two applications in one pool, a lossless one in class 0 and a lossy one in class 2: the lossy one drops at its egress queue, the
/// lossless one is paused and loses nothing.
#[test]
fn lossless_traffic_beside_lossy_in_one_pool() {
    let mut document = template("rdma-incast");
    let mut second = document["applications"][0].clone();
    second["name"] = "Lossy".into();
    document["applications"]
        .as_array_mut()
        .expect("applications")
        .push(second);
    let entries = document["topology"]["appDistribution"]["randomApplicationDistribution"].as_array_mut();
    let entries = entries.expect("entries");
    for entry in &mut *entries {
        // 9 hosts: 0.44 gives 3, 0.06 at least 1, and the one host left over goes to the first.
        let share = if entry["applicationType"] == "client" {
            0.44
        } else {
            0.06
        };
        entry["distributionPercent"]["value"] = share.into();
    }
    let mut others = entries.clone();
    others
        .iter_mut()
        .for_each(|entry| entry["parentApplication"] = "Lossy".into());
    entries.append(&mut others);
    let pools = "[0.6,0.2,0.2,0,0,0,0,0]";
    let outcome = play(
        &document,
        &settings([
            "Rdma.NumConnections=8",
            "Lossy.NumConnections=8",
            "Lossy.RdmaDataPacketTC=2",
            &format!("Nic.NetworkInterface.EgressBufferManager.PoolAllocationVector={pools}"),
            &format!("Nic.NetworkInterface.IngressBufferManager.PoolAllocationVector={pools}"),
            // The free part of a pool of 228 MB, times this: about 1.1 MB.
            &format!("{BUFFER}.LossyAlpha=0.005"),
            "SimulationParameters.RunTime=0.003",
            "Nic.TransportProcessingLayers.RoceTransportLayer.RetransmitTimeout=2 ms",
        ]),
    );
    assert!(
        last_sum(&outcome, "tx_drops") > 0,
        "the lossy queue is over its limit"
    );
    assert_eq!(last_sum(&outcome, "rx_drops"), 0);
    assert!(outcome.summary.pfc_pauses > 0, "the lossless senders are paused");
    in_order(&outcome);
    let [lossless, lossy] = &outcome.summary.applications[..] else {
        panic!("two applications")
    };
    assert_eq!((lossless.pairs, lossy.pairs), (4, 3));
    assert!(lossless.recorded > 0 && lossy.completed > 0);
    // Initiators of the lossless application send nothing twice.
    let report = outcome.table("application-report");
    let stats = outcome.table("roce-transport-stats");
    let last = *stats.times().last().expect("reports");
    let again = |dscp: u64| -> u64 {
        let hosts: Vec<String> = report
            .rows()
            .filter(|row| &row["socket_type"] == "CLIENT" && row.int("dscp") == dscp)
            .map(|row| row["component_name"].to_owned())
            .collect();
        let rows = stats
            .rows()
            .filter(|row| row.time() == last && hosts.iter().any(|host| *host == row["component_name"]));
        rows.map(|row| row.int("num_rtx")).sum()
    };
    assert_eq!(again(0), 0);
    assert!(again(16) > 0);
}

/// The same work gets done whoever's turn it is, and acknowledgements go out under every scheduler.
#[test]
fn schedulers_of_the_nic() {
    for scheduler in ["StrictPriority", "RoundRobin", "WeightedRoundRobin"] {
        let setting = format!("Nic.NetworkInterface.EgressBufferManager.QueueSchedulingType={scheduler}");
        let settings = [setting, "SimulationParameters.RunTime=0.001".to_owned()];
        let outcome = play(&template("rdma-16-hosts"), &settings);
        assert!(in_order(&outcome) > 1_000, "{scheduler}");
        assert_eq!(outcome.summary.retransmissions, 0);
    }
}

//! What is accepted with a warning: the attribute, and the numbers.

use crate::common::{check, fault, json, new_warnings as warnings};
use packetloom_config::template;
use serde_json::{Value, json as j};

const ONE: &str = "rdma-one-rack";
const TWO: &str = "rdma-16-hosts";
const GLOBAL: &str = "/globalParameters/SimulationParameters";
const BUFFER: &str = "/components/0/typedParameters/SharedBufferManager";
const INGRESS: &str = "/components/1/typedParameters/NetworkInterface/IngressBufferManager";

fn one(root: &str, attribute: &str, value: Value) -> Vec<String> {
    warnings(ONE, &[(&format!("{root}/{attribute}"), value)])
}

#[test]
fn templates_give_no_warning_of_loss_or_size() {
    for name in template::names() {
        let warnings = check(&json(name)).unwrap().warnings;
        // Without a RoCE NIC nothing could be marked, and nothing would react.
        let usual = if name.starts_with("tcp") { 0 } else { 2 };
        assert_eq!(warnings.len(), usual, "{warnings:?}");
        assert!(
            warnings.iter().all(|warning| warning.contains(" not ")),
            "{warnings:?}"
        );
    }
}

#[test]
fn more_reports_than_anybody_reads() {
    // From the start of the client start window: 1 + 2 + 10 + 1 ms.
    assert_eq!(
        one(GLOBAL, "BeaconReportInterval", j!(1e-12)),
        [
            "globalParameters.SimulationParameters.BeaconReportInterval of 1e-12 s asks for 14,000,000,000 rows of \
             beacon and of cpu-mem-stats"
        ]
    );
    assert_eq!(
        one(GLOBAL, "NDStatsReportInterval", j!(1e-9)),
        [
            "globalParameters.SimulationParameters.NDStatsReportInterval of 1e-9 s asks for 14,000,000 rows of nd-stats \
             for each port and of roce-transport-stats for each NIC"
        ]
    );
    assert_eq!(one(GLOBAL, "BeaconReportInterval", j!(1.5e-8)), [""; 0]);
    let off = [
        (&*format!("{GLOBAL}/NDStatsReportInterval"), j!(1e-9)),
        (&*format!("{GLOBAL}/EnableNetDeviceStatLogging"), j!(false)),
        (&*format!("{GLOBAL}/EnableRoceTransportStats"), j!(false)),
    ];
    assert_eq!(
        warnings(ONE, &off),
        [
            "globalParameters.SimulationParameters.NDStatsReportInterval of 1e-9 s asks for 14,000,000 rows of tier-hop"
        ]
    );
}

#[test]
fn more_rows_of_the_optional_records_than_anybody_reads() {
    let switch = "/components/0/typedParameters";
    let interval = format!("{BUFFER}/BufferStatsReportInterval");
    assert_eq!(
        warnings(ONE, &[(&interval, j!("1 ns"))]),
        [
            "components[0].typedParameters.SharedBufferManager.BufferStatsReportInterval of 1e-9 s asks for 14,000,000 rows \
             of scala-switch-agg-buff-stats for each pool"
        ]
    );
    let by_port = format!("{BUFFER}/ReportPerPortBufferStats");
    assert_eq!(
        warnings(ONE, &[(&interval, j!("1 ns")), (&by_port, j!(true))]),
        [
            "components[0].typedParameters.SharedBufferManager.BufferStatsReportInterval of 1e-9 s asks for 14,000,000 rows \
             of scala-switch-agg-buff-stats for each pool and of scala-switch-buff-stats for each port and pool"
        ]
    );
    // At its least, 10 us, a long run writes too much: 20.0040005 s of reports.
    let balance = format!("{switch}/LoadBalancingStatsReportInterval");
    let time = format!("{GLOBAL}/RunTime");
    let long = [(&*balance, j!("10 us")), (&*time, j!(20.0000005))];
    assert_eq!(
        warnings(ONE, &long),
        [
            "components[0].typedParameters.LoadBalancingStatsReportInterval of 1e-5 s asks for 2,000,400 rows of \
             scala-switch-load-balancing-stats for each member of each set"
        ]
    );
    let pools = [
        (
            &*format!("{GLOBAL}/NetworkBufferStatsReportingInterval"),
            j!(1e-9),
        ),
        (&*format!("{GLOBAL}/EnableNetworkBufferStatsReporting"), j!(true)),
        ("/components/1/typedParameters/EnableBufferStats", j!(true)),
    ];
    assert_eq!(
        warnings(ONE, &pools),
        [
            "globalParameters.SimulationParameters.NetworkBufferStatsReportingInterval of 1e-9 s asks for 14,000,000 rows of \
             net-buff-stats for each pool of each NIC"
        ]
    );
    assert_eq!(warnings(ONE, &pools[..1]), [""; 0], "off");
    let pcie = [
        (&*format!("{GLOBAL}/NDStatsReportInterval"), j!(1e-9)),
        (&*format!("{GLOBAL}/EnableNetDeviceStatLogging"), j!(false)),
        (&*format!("{GLOBAL}/EnablePCIeStatsLogging"), j!(true)),
    ];
    assert_eq!(
        warnings(ONE, &pcie),
        [
            "globalParameters.SimulationParameters.NDStatsReportInterval of 1e-9 s asks for 14,000,000 rows of \
             roce-transport-stats for each NIC and of pcie-stats for each direction of each host's link"
        ]
    );
}

#[test]
fn the_record_of_pools_takes_two_attributes() {
    let nic = "/components/1/typedParameters/EnableBufferStats";
    let run = format!("{GLOBAL}/EnableNetworkBufferStatsReporting");
    assert_eq!(
        warnings(ONE, &[(nic, j!(true))]),
        [
            "net-buff-stats is not written: EnableBufferStats of Nic is true, but \
             globalParameters.SimulationParameters.EnableNetworkBufferStatsReporting is not"
        ]
    );
    assert_eq!(
        warnings(ONE, &[(&run, j!(true))]),
        [
            "net-buff-stats is not written: globalParameters.SimulationParameters.EnableNetworkBufferStatsReporting is \
             true, but EnableBufferStats of no NIC is"
        ]
    );
    assert_eq!(warnings(ONE, &[(&run, j!(true)), (nic, j!(true))]), [""; 0]);
}

#[test]
fn pools_that_the_ports_overrun_before_they_pause() {
    // 8 ports: 0.9 x (T - 8 x 256,000) against 8 x 704,136, and 0.1 of it against 8 x 700,108.
    assert_eq!(
        one(BUFFER, "TotalSharedBufferSize", j!("50 MB")),
        [
            "components[0].typedParameters.SharedBufferManager.StaticPoolXoffThreshold of 700 KB lets 8 ports bring 5600864 \
             B into pool 1, which holds 4795200 B: it may drop before they pause"
        ]
    );
    let both = one(BUFFER, "TotalSharedBufferSize", j!("8 MB"));
    assert!(
        both.len() == 2 && both[0].contains("8 ports bring 5633088 B into pool 0, which holds 5356800 B"),
        "{both:?}"
    );
    // With the defaults, the pool of acknowledgements holds what 35 ports may bring.
    let servers = |count: u64| warnings(ONE, &[("/containers/0/components/1/count", j!(count))]);
    assert_eq!(servers(35), [""; 0]);
    assert!(servers(36).len() == 1 && servers(36)[0].contains("into pool 1"));
    // In the larger fabric the rack switch has 24 ports, the fabric switch 16: one warning for each component.
    let path = "/components/1/typedParameters/SharedBufferManager/StaticPoolXoffThreshold";
    assert_eq!(
        warnings(TWO, &[(path, j!("20 MB"))]).len(),
        2,
        "one for each pool"
    );
}

#[test]
fn headroom_that_does_not_hold_what_arrives_after_a_pause() {
    assert_eq!(
        one(BUFFER, "HeadRoomPerPortLimit", j!("18391 B")),
        [
            "components[0].typedParameters.SharedBufferManager.HeadRoomPerPortLimit of 18391 B may not hold what arrives \
             after a pause: a link of 400 Gbps with a delay of 100 ns needs 18392 B"
        ]
    );
    assert_eq!(one(BUFFER, "HeadRoomPerPortLimit", j!("18392 B")), [""; 0]);
    // Up to the fabric switches the link is longer, for both of its ends.
    let rack = format!("{BUFFER}/HeadRoomPerPortLimit");
    let fabric = rack.replace("components/0", "components/1");
    let both = warnings(TWO, &[(&rack, j!("58391 B")), (&fabric, j!("58391 B"))]);
    assert!(
        both.len() == 2 && both.iter().all(|w| w.contains("delay of 500 ns needs 58392 B")),
        "{both:?}"
    );
    assert_eq!(
        warnings(TWO, &[(&rack, j!("58392 B")), (&fabric, j!("58392 B"))]),
        [""; 0]
    );
    // With a payload of a byte the largest frame is an ACK: 10,000 + 2 x 126 + 84 B.
    let small = |headroom: &str| {
        let mss = "/components/1/typedParameters/ScalaRoceQpManager/MSS";
        warnings(ONE, &[(mss, j!("1 B")), (&rack, j!(headroom))])
    };
    assert!(
        small("10335 B")[0].contains("needs 10336 B"),
        "{:?}",
        small("10335 B")
    );
    assert_eq!(small("10336 B"), [""; 0]);
    // A long cable needs more than the default.
    let delay = "/components/1/typedParameters/NetworkInterface/TransmissionMedium/Delay";
    let long = warnings(ONE, &[(delay, j!("10 us"))]);
    assert!(
        long.len() == 2
            && long[0].contains("HeadRoomPerPortLimit")
            && long[1].contains("PfcStaticXoffThreshold"),
        "{long:?}"
    );
}

#[test]
fn a_resume_threshold_at_or_above_the_pause_threshold() {
    assert_eq!(
        one(BUFFER, "StaticPoolXonThreshold", j!("700 KB")),
        [
            "components[0].typedParameters.SharedBufferManager.StaticPoolXonThreshold of 700 KB is not below \
             StaticPoolXoffThreshold, 700 KB: a pause ends as soon as the headroom is empty"
        ]
    );
    assert_eq!(
        one(INGRESS, "PfcXonResumeThreshold", j!([0.8, 0.4, 0, 0, 0, 0, 0, 0])),
        [
            "components[1].typedParameters.NetworkInterface.IngressBufferManager.PfcXonResumeThreshold of class 0, 0.8, is \
             not below PfcStaticXoffThreshold, 0.8: a pause ends at once"
        ]
    );
    let off = j!({ "PfcXonResumeThreshold": [0.9, 0.9, 0, 0, 0, 0, 0, 0], "PFCEnableVector": [0, 0, 0, 0, 0, 0, 0, 0] });
    assert_eq!(warnings(ONE, &[(INGRESS, off)]), [""; 0]);
}

#[test]
fn a_receive_pool_without_room_after_its_pause() {
    assert_eq!(
        one(
            INGRESS,
            "PfcStaticXoffThreshold",
            j!([0.999, 0.8, 0, 0, 0, 0, 0, 0])
        ),
        [
            "components[1].typedParameters.NetworkInterface.IngressBufferManager.PfcStaticXoffThreshold of 0.999 leaves \
             3600 B of the pool of class 0, which may not hold what arrives after a pause: a link of 400 Gbps with a delay \
             of 100 ns needs 18392 B"
        ]
    );
    // Acknowledgements are no data.
    assert_eq!(
        one(
            INGRESS,
            "PfcStaticXoffThreshold",
            j!([0.8, 1.5, 0, 0, 0, 0, 0, 0])
        ),
        [""; 0]
    );
}

#[test]
fn more_work_requests_than_fit_in_memory() {
    let pending = |count: u64| {
        let application = j!({ "NumConnections": 1024, "MaxPendingWQEs": count });
        fault(ONE, &[("/applications/0/typedParameters", application)])
    };
    // 4 pairs of 1,024 connections.
    assert_eq!(pending(4_096), "");
    assert_eq!(
        pending(4_097),
        "applications: the run's 4096 connections keep 16781312 work requests outstanding; at most 16777216 are \
         possible; lower MaxPendingWQEs or NumConnections"
    );
    assert!(pending(1_000_000).contains("4096000000 work requests"));
}

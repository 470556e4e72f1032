//! What the summary warns of when a run under TCP is not what it seems to be.

use crate::common::*;
use packetloom_sim::progress::Progress;
use packetloom_sim::{RunOptions, run};

/// The warnings after the incast with other settings.
fn warnings(set: &[&str]) -> Vec<String> {
    let set: Vec<String> = set.iter().map(|&setting| setting.to_owned()).collect();
    let scenario = scenario(&template("tcp-incast"), &set);
    let before = scenario.warnings.len();
    let out = tempfile::tempdir().expect("a temporary folder");
    let options = RunOptions::new("t", out.path());
    let summary = run(&scenario, &options, &Progress::default()).unwrap_or_else(|e| panic!("{e}"));
    summary.warnings[before..].to_vec()
}

/// One connection with each of 8 servers, and a request a second of each.
const FEW: [&str; 3] = [
    "Tcp.NumConnections=1",
    "Tcp.RequestRate=1",
    "Tcp.BurstOffCycleTime=0 ns",
];

#[test]
fn an_open_loop_that_is_not_kept_up_with_is_told_of() {
    // 64 connections ask for 250 kB about every 2 ms, 64 Gbps, over a link of 1 Gbps.
    let slow = "RackSwitch.NetworkInterface.DownlinkNetworkInterface.DataRate=1Gbps";
    let found = warnings(&[slow, "SimulationParameters.RunTime=0.02"]);
    assert!(
        found.iter().any(|warning| warning
            .contains("requests of Tcp had no whole reply by the end of the recording window")),
        "{found:?}"
    );
    // At 100 Gbps it is kept up with.
    let found = warnings(&["SimulationParameters.RunTime=0.005", "Tcp.NumConnections=2"]);
    assert!(
        !found.iter().any(|warning| warning.contains("no whole reply")),
        "{found:?}"
    );
}

#[test]
fn the_few_requests_of_a_short_run_are_no_overload() {
    // Each connection has its first request, and no time to have it answered.
    let found = warnings(
        &[
            &FEW[..],
            &[
                "SimulationParameters.WarmUp=0",
                "SimulationParameters.RunTime=0.00001",
                "SimulationParameters.CoolDown=0",
            ],
            &["SimulationParameters.ClientStartInterval=0"],
        ]
        .concat(),
    );
    assert!(
        !found.iter().any(|warning| warning.contains("no whole reply")),
        "{found:?}"
    );
}

#[test]
fn connections_that_were_never_established_are_no_overload() {
    // A queue of class 0 holds less than a SYN: none comes through.
    let found = warnings(&[
        "SimulationParameters.RunTime=0.004",
        "RackSwitch.SharedBufferManager.LossyAlpha=0.000001",
        "Tcp.StartType=sequential",
    ]);
    assert!(
        !found.iter().any(|warning| warning.contains("no whole reply")),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .any(|warning| warning == "64 of 64 connections of Tcp were not set up by the stop time"),
        "{found:?}"
    );
}

#[test]
fn timeouts_of_tcp_are_not_laid_to_rdma() {
    // A handshake takes 4 x 0.6 = 2.4 s, longer than the first timeout of 1 s.
    let found = warnings(
        &[
            &FEW[..],
            &[
                "Nic.NetworkInterface.TransmissionMedium.Delay=600 ms",
                "SimulationParameters.RunTime=3",
            ],
            &[
                "RackSwitch.NetworkInterface.TransmissionMedium.Delay=600 ms",
                "SimulationParameters.BeaconReportInterval=1",
                "SimulationParameters.NDStatsReportInterval=1",
            ],
        ]
        .concat(),
    );
    assert!(
        found.iter().any(|warning| warning.contains(
            "TCP's retransmission timer went off 16 times though no packet was lost: round trips were longer"
        )),
        "{found:?}"
    );
    assert!(
        !found.iter().any(|warning| warning.contains("RetransmitTimeout")),
        "{found:?}"
    );
}

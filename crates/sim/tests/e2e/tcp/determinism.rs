//! The same records whatever the cut, the queue, the run and the first sequence number, with drops and losses; and a run that is
//! stored and goes on.

use crate::common::{assert_same_records, run_under_every_cut};
use crate::determinism::{Whole, go, records, scenario, with_the_heap};
use packetloom_config::Scenario;
use packetloom_des::Time;
use packetloom_des::queue::Wheel;
use packetloom_fabric::loss::{Loss, Target};
use packetloom_fabric::topology::Endpoint;
use packetloom_sim::assemble::Layout;
use packetloom_sim::host::System;
use packetloom_sim::{RunOptions, system};

/// Records of TCP and of buffers that are off by default.
const TOLD: [&str; 5] = [
    "SimulationParameters.EnableTcpStackReporting=true",
    "SimulationParameters.TcpStackReportInterval=0.0007",
    "SimulationParameters.EnableNetworkBufferStatsReporting=true",
    "SimulationParameters.NetworkBufferStatsReportingInterval=0.0013",
    "SimulationParameters.NDStatsReportInterval=0.001",
];

/// Again, under every cut, and with the other queue. Gives the text of `perf`.
#[track_caller]
fn any_cut_is_the_same(scenario: &Scenario, losses: &[(Endpoint, Vec<Loss>)]) -> String {
    let first = records(scenario, losses);
    assert_same_records(&first, &records(scenario, losses));
    assert_same_records(&first, &with_the_heap(scenario, losses));
    let text = |record: &str| {
        let found = first.iter().find(|(name, _)| name.contains(record));
        found.unwrap_or_else(|| panic!("no {record}")).1.clone()
    };
    assert!(!text("tcp-stats").is_empty());
    text("-perf-")
}

fn busy(name: &str, set: &[&str]) -> Scenario {
    let common = ["SimulationParameters.RunTime=0.002", "Tcp.RequestRate=20000"];
    scenario(name, &[&TOLD[..], &common, set].concat())
}

/// Segments, acknowledgements and SYNs that are lost on the way to each host.
fn losses(hosts: u32) -> Vec<(Endpoint, Vec<Loss>)> {
    let lose = |target, skip, times| Loss { target, skip, times };
    (0..hosts)
        .map(|host| {
            let rules = vec![
                lose(Target::Segment(None), 40 + host, 2),
                lose(Target::BareSegment, 30 + 3 * host, 5),
                lose(Target::Segment(None), 300, 1),
            ];
            (Endpoint::Host(host), rules)
        })
        .collect()
}

#[test]
fn sixteen_hosts() {
    let perf = any_cut_is_the_same(&busy("tcp-16-hosts", &[]), &[]);
    assert!(perf.lines().count() > 1_000);
}

#[test]
fn sixteen_hosts_with_losses() {
    // The least timeout is 20 ms.
    let scenario = busy("tcp-16-hosts", &["SimulationParameters.CoolDown=0.03"]);
    let perf = any_cut_is_the_same(&scenario, &losses(16));
    let without = with_the_heap(&scenario, &[]);
    let without = without.iter().find(|(name, _)| name.contains("-perf-"));
    assert!(without.expect("is written").1 != perf && perf.lines().count() > 1_000);
}

/// 64 servers' replies at once overflow the client's port.
#[test]
fn incast_with_drops() {
    let settings = [
        &TOLD[..],
        &[
            "SimulationParameters.RunTime=0.015",
            "Tcp.RequestRate=200000",
            "Tcp.BurstOnCycleTime=20 us",
            "RackSwitch.SharedBufferManager.TotalSharedBufferSize=3 MB",
        ],
    ]
    .concat();
    let scenario = scenario("tcp-incast", &settings);
    let outcome = run_under_every_cut(&scenario, |_| {});
    assert!(outcome.summary.drops > 100, "{} drops", outcome.summary.drops);
    assert!(outcome.summary.retransmissions > 0);
    any_cut_is_the_same(&scenario, &[]);
}

#[test]
fn both_kinds_of_traffic() {
    let scenario = busy("mixed-rdma-tcp", &["SimulationParameters.RunTime=0.0005"]);
    any_cut_is_the_same(&scenario, &[]);
}

/// Sequence numbers that pass 2^32 after 10,000 B change nothing, but for losses that name one.
#[test]
fn sequence_numbers_wrap() {
    for (name, lost) in [("tcp-16-hosts", losses(16)), ("tcp-incast", losses(9))] {
        let scenario = busy(name, &["SimulationParameters.CoolDown=0.03"]);
        let with = |first| {
            let outcome = run_under_every_cut(&scenario, |options| {
                options.losses = lost.clone();
                options.first_sequence = first;
            });
            assert!(outcome.summary.retransmissions > 0);
            outcome.texts()
        };
        assert_same_records(&with(0), &with(u32::MAX - 9_999));
    }
}

/// Stored in the middle of an incast, with connections that wait and repair, read back, and run on.
#[test]
fn a_stored_run_goes_on() {
    let settings = ["SimulationParameters.RunTime=0.03", "Tcp.RequestRate=20000"];
    let scenario = scenario("tcp-incast", &settings);
    let layout = Layout::new(&scenario).expect("lays out");
    let options = RunOptions::new("t", "unused");
    let mut engine: Whole<Wheel> = layout.engine(&scenario, &options).expect("builds");
    let lossy = packetloom_fabric::loss::Losses::new(losses(1)[0].1.clone());
    engine.node_mut(1).set_losses(lossy);
    go(&mut engine, Time::from_ps(3_137_000_000));
    let stored = postcard::to_stdvec(&engine).expect("stores");
    let mut back: Whole<Wheel> = postcard::from_bytes(&stored).expect("reads back");
    for (number, routes) in layout.topology.routes.iter().enumerate() {
        if let System::Switch(switch) = back.node_mut(number as u32) {
            switch.set_routes(routes.clone());
        }
    }
    let middle = system::Totals::of(&engine);
    go(&mut engine, Time::from_ps(30_000_000_000));
    go(&mut back, Time::from_ps(30_000_000_000));
    let end = system::Totals::of(&engine);
    assert_eq!(end, system::Totals::of(&back));
    assert!(end.requests.completed > middle.requests.completed && end.repeats > middle.repeats);
    let bytes = |engine: &Whole<Wheel>| postcard::to_stdvec(engine).expect("stores");
    assert!(bytes(&engine) == bytes(&back), "the two ends differ");
}

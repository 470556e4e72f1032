//! Whole runs compared byte for byte: again, under every cut of the nodes, with both queues, and stored and read back in the
//! middle; and steady state that allocates nothing.

use crate::common::{Outcome, assert_same_records, run_under_every_cut};
use packetloom_config::{Scenario, overrides, template, validate};
use packetloom_des::queue::{Heap, Queue, Wheel};
use packetloom_des::{Alone, Engine, Time};
use packetloom_fabric::loss::{Loss, Target};
use packetloom_fabric::topology::{Cut, Endpoint};
use packetloom_records::Record;
use packetloom_sim::assemble::Layout;
use packetloom_sim::host::System;
use packetloom_sim::observe::Observer;
use packetloom_sim::progress::Progress;
use packetloom_sim::{RunOptions, Simulation, system};
use std::ops::ControlFlow;

/// Short: the timeline's offsets are cut as well.
const SHORT: [&str; 4] = [
    "SimulationParameters.RunTime=0.0003",
    "SimulationParameters.WarmUp=0.0001",
    "SimulationParameters.CoolDown=0.0001",
    "SimulationParameters.NDStatsReportInterval=0.0001",
];

/// A template, cut short, after some overrides.
pub fn scenario(name: &str, set: &[&str]) -> Scenario {
    let mut document = template::document(name).unwrap_or_else(|e| panic!("{e}"));
    for setting in SHORT.iter().chain(set) {
        overrides::apply(&mut document, setting).unwrap_or_else(|e| panic!("{setting}: {e}"));
    }
    validate(&document).unwrap_or_else(|e| panic!("{e}"))
}

/// A run with the heap, a partition for each node, and the records it writes.
pub fn with_the_heap(scenario: &Scenario, losses: &[(Endpoint, Vec<Loss>)]) -> Vec<(String, String)> {
    let out = tempfile::tempdir().expect("a folder");
    let options = RunOptions {
        cut: Cut::Each,
        losses: losses.to_vec(),
        ..RunOptions::new("t", out.path())
    };
    let simulation = Simulation::<Heap>::new(scenario, &options).unwrap_or_else(|e| panic!("{e}"));
    let summary = simulation
        .run(&Progress::default())
        .unwrap_or_else(|e| panic!("{e}"));
    Outcome { summary, out }.texts()
}

/// What a run under every cut records.
pub fn records(scenario: &Scenario, losses: &[(Endpoint, Vec<Loss>)]) -> Vec<(String, String)> {
    run_under_every_cut(scenario, |options| options.losses = losses.to_vec()).texts()
}

/// Again, under every cut, and with the other queue.
#[track_caller]
fn any_cut_is_the_same(scenario: &Scenario, losses: &[(Endpoint, Vec<Loss>)]) {
    let first = records(scenario, losses);
    assert_eq!(first.len(), 10);
    assert!(
        first
            .iter()
            .any(|(name, text)| name.contains("rdma-perf") && text.lines().count() > 20)
    );
    assert_same_records(&first, &records(scenario, losses));
    assert_same_records(&first, &with_the_heap(scenario, losses));
}

#[test]
fn sixteen_hosts() {
    any_cut_is_the_same(&scenario("rdma-16-hosts", &[]), &[]);
}

#[test]
fn random_starts_and_several_connections() {
    let settings = [
        "Rdma.NumConnections=3",
        "Rdma.StartType=uniform",
        "Rdma.TransferSize=30000 B",
    ];
    any_cut_is_the_same(&scenario("rdma-16-hosts", &settings), &[]);
}

#[test]
fn incast_with_pauses_and_losses() {
    let settings = [
        "Rdma.NumConnections=4",
        "Rdma.TransferSize=1 MiB",
        "SimulationParameters.RunTime=0.002",
        "Nic.TransportProcessingLayers.RoceTransportLayer.RetransmitTimeout=150us",
    ];
    let lose = |target, skip, times| vec![Loss { target, skip, times }];
    let losses: Vec<_> = (0..9)
        .flat_map(|host| {
            [
                (Endpoint::Host(host), lose(Target::Pause, host, 1)),
                (Endpoint::Host(host), lose(Target::Data(None), 300, 2)),
            ]
        })
        .collect();
    any_cut_is_the_same(&scenario("rdma-incast", &settings), &losses);
}

#[test]
fn every_record_there_is() {
    let settings = [
        "Rdma.NumConnections=2",
        "SimulationParameters.RunTime=0.004",
        "SimulationParameters.EnableNetworkBufferStatsReporting=true",
        "SimulationParameters.NetworkBufferStatsReportingInterval=0.00013",
        "SimulationParameters.EnablePCIeStatsLogging=true",
        "SimulationParameters.EnableTcpStackReporting=true",
        "SimulationParameters.TcpStackReportInterval=0.0007",
        "RoceNic.EnableBufferStats=true",
        "TcpNic.EnableBufferStats=true",
        "RackSwitch.SharedBufferManager.ReportPerPortBufferStats=true",
        "RackSwitch.SharedBufferManager.BufferStatsReportInterval=90us",
        "FabricSwitch.SharedBufferManager.BufferStatsReportInterval=70us",
        "FabricSwitch.LoadBalancingStatsReportInterval=30us",
    ];
    let scenario = scenario("mixed-rdma-tcp", &settings);
    let first = records(&scenario, &[]);
    // All but that of the machine.
    assert_eq!(first.len(), Record::ALL.len() - 1);
    for (name, text) in first.iter().filter(|(name, _)| !name.contains("ecn-pfc-stats")) {
        assert!(!text.is_empty(), "{name} has rows");
    }
    assert_same_records(&first, &records(&scenario, &[]));
    assert_same_records(&first, &with_the_heap(&scenario, &[]));
}

/// What is kept for records changes nothing of what is simulated.
#[test]
fn records_do_not_change_the_run() {
    let scenario = scenario(
        "rdma-incast",
        &[
            "Rdma.NumConnections=4",
            "SimulationParameters.EnablePCIeStatsLogging=true",
            "SimulationParameters.EnableNetworkBufferStatsReporting=true",
            "Nic.EnableBufferStats=true",
            "RackSwitch.SharedBufferManager.ReportPerPortBufferStats=true",
        ],
    );
    let all = records(&scenario, &[]);
    let few = [Record::RdmaPerf, Record::NdStats, Record::EcnPfcStats];
    let alone = run_under_every_cut(&scenario, |options| options.records = few.to_vec()).texts();
    assert_eq!(alone.len(), few.len());
    for (name, text) in &alone {
        let same = all.iter().find(|(other, _)| other == name).expect("is written");
        assert!(&same.1 == text, "{name}");
    }
}

#[test]
fn links_without_delay() {
    let settings = [
        "Nic.NetworkInterface.TransmissionMedium.Delay=0 ns",
        "RackSwitch.NetworkInterface.TransmissionMedium.Delay=1 ps",
    ];
    any_cut_is_the_same(&scenario("rdma-16-hosts", &settings), &[]);
}

#[test]
fn another_seed_gives_other_pairs() {
    let first = records(&scenario("rdma-16-hosts", &[]), &[]);
    let second = records(
        &scenario("rdma-16-hosts", &["SimulationParameters.RandomSeed=1"]),
        &[],
    );
    let report = |records: &[(String, String)]| {
        records
            .iter()
            .find(|(name, _)| name.contains("application-report"))
            .expect("is written")
            .1
            .clone()
    };
    assert_ne!(report(&first), report(&second));
}

/// An engine with everything in it.
pub type Whole<Q> = Engine<System, Q, Observer>;

/// Runs until just before a time.
pub fn go<Q: Queue>(engine: &mut Whole<Q>, until: Time) {
    let flow = engine.run_until(until, &mut Alone, |partitions, _| {
        for partition in partitions {
            partition.probe_mut().observed.clear();
        }
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
}

/// All state is in the engine: stored as bytes between windows, read back, and run on, it ends as the one that never stopped.
#[test]
fn a_stored_run_goes_on() {
    let scenario = scenario("rdma-16-hosts", &[]);
    let layout = Layout::new(&scenario).expect("lays out");
    let options = RunOptions::new("t", "unused");
    let mut engine: Whole<Wheel> = layout.engine(&scenario, &options).expect("builds");
    go(&mut engine, Time::from_ps(3_137_000_000));
    let stored = postcard::to_stdvec(&engine).expect("stores");
    let mut back: Whole<Wheel> = postcard::from_bytes(&stored).expect("reads back");
    for (number, routes) in layout.topology.routes.iter().enumerate() {
        if let System::Switch(switch) = back.node_mut(number as u32) {
            switch.set_routes(routes.clone());
        }
    }
    go(&mut engine, Time::from_ps(3_400_000_000));
    go(&mut back, Time::from_ps(3_400_000_000));
    assert_eq!(system::Totals::of(&engine), system::Totals::of(&back));
    let bytes = |engine: &Whole<Wheel>| postcard::to_stdvec(engine).expect("stores");
    assert!(bytes(&engine) == bytes(&back), "the two ends differ");
}

/// Once every queue has seen its greatest length, frames cost no allocation.
#[test]
fn steady_state_allocates_nothing() {
    let scenario = scenario("rdma-16-hosts", &[]);
    let layout = Layout::new(&scenario).expect("lays out");
    let mut engine: Whole<Wheel> = layout
        .engine(&scenario, &RunOptions::new("t", "unused"))
        .expect("builds");
    go(&mut engine, Time::from_ps(4_000_000_000));
    let early = system::Totals::of(&engine).packet_hops;
    let allocated = allocation_counter::measure(|| go(&mut engine, Time::from_ps(5_000_000_000)));
    let late = system::Totals::of(&engine).packet_hops;
    assert!(late - early > 100_000, "{} packet-hops", late - early);
    assert_eq!(
        allocated.count_total,
        0,
        "allocations in {} packet-hops",
        late - early
    );
    assert!(
        allocation_counter::measure(|| drop(layout.links())).count_total > 0,
        "the allocator counts"
    );
}

/// The books balance at every window's end, not only at the stop time.
#[test]
fn conservation_holds_all_along() {
    let scenario = scenario(
        "rdma-incast",
        &["Rdma.NumConnections=4", "Rdma.TransferSize=1 MiB"],
    );
    let layout = Layout::new(&scenario).expect("lays out");
    let options = RunOptions {
        cut: Cut::Each,
        ..RunOptions::new("t", "unused")
    };
    let mut engine: Whole<Wheel> = layout.engine(&scenario, &options).expect("builds");
    for step in 0..400 {
        let at = Time::from_ps(2_000_000_000 + step * 7_001_003);
        go(&mut engine, at);
        system::settle(&mut engine, at);
        system::check(&engine);
    }
    assert!(system::Totals::of(&engine).pauses > 0);
}

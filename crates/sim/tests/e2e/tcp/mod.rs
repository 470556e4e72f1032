//! TCP and the traffic generator as a whole, against theory and cases with known ends.
//!
//! Here are the documents and the arithmetic that these tests share.

mod bulk;
mod cases;
mod curve;
mod determinism;
mod fairness;
mod load;
mod million;
mod nic;
mod one_transaction;
mod records;
mod window_end;

use crate::common::{NS, scenario, serialization, settings};
use packetloom_config::scenario::Scenario;
use packetloom_des::queue::Wheel;
use packetloom_des::{Alone, Engine, Time};
use packetloom_fabric::loss::{Loss, Losses, Target};
use packetloom_fabric::topology::Endpoint;
use packetloom_sim::assemble::Layout;
use packetloom_sim::host::System;
use packetloom_sim::host::tcp::TcpHost;
use packetloom_sim::observe::Observer;
use packetloom_sim::{RunOptions, system};
use packetloom_tcp::Report;
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// A millisecond in picoseconds.
pub const MS: u64 = 1_000_000_000;
/// Payload of a full segment.
pub const MSS: u64 = 1_460;
/// Headers of a segment without options: TCP 20, IPv4 20, Ethernet 14 + 4.
pub const HEADERS: u64 = 20 + 20 + 14 + 4;
/// A full segment on the wire.
pub const FULL: u64 = MSS + HEADERS;
/// SYN and SYN-ACK: MSS 4, SACK permitted 2 and window scale 3, padded to 12.
pub const SYN: u64 = HEADERS + 12;
/// An acknowledgement alone, padded to the least frame.
pub const ACK: u64 = 64;
/// 100 Gbps, the rate of NICs and switches in these tests unless they say otherwise.
pub const LINE: u64 = 100_000_000_000;
/// The delay of a NIC's link unless a test says otherwise.
pub const DELAY: u64 = 100 * NS;
/// When the first connection starts at the default timeline.
pub const START: u64 = 2 * MS;

/// Hosts on one switch: `clients` hosts with the NIC `ClientNic` run a client of the application `Tcp`, and `servers` hosts with
/// the NIC `ServerNic` run a server. Hosts are numbered in this order, the switch is `RackSwitch`.
pub fn star(clients: u64, servers: u64) -> Value {
    let nic = |name: &str| json!({"type": "nic", "name": name, "model": "ScalaNic", "version": "3.1.1", "typedParameters": {}});
    let server = |name: &str, nic: &str, part: &str| {
        json!({
            "type": "server", "name": name, "model": "ScalaHost", "version": "3.1.1", "typedParameters": {},
            "components": [
                {"name": nic, "type": "nic", "count": 1},
                {"name": part, "type": "application", "count": 1, "parentApplicationName": "Tcp"},
            ],
        })
    };
    json!({
        "name": "star",
        "components": [
            {"type": "switch", "name": "RackSwitch", "model": "ScalaSwitch", "version": "3.7.0", "typedParameters": {}},
            nic("ClientNic"),
            nic("ServerNic"),
            server("Asks", "ClientNic", "TrafficClient"),
            server("Answers", "ServerNic", "TrafficServer"),
        ],
        "containers": [
            {
                "type": "rack", "name": "Rack", "model": "ScalaRack", "version": "4.0.0", "configuration": null,
                "allowedComponents": ["switch", "server"],
                "components": [
                    {"name": "RackSwitch", "type": "switch", "count": 1},
                    {"name": "Asks", "type": "server", "count": clients},
                    {"name": "Answers", "type": "server", "count": servers},
                ],
            },
            {
                "type": "pod", "name": "Pod", "model": "ScalaPod", "version": "4.0.0", "configuration": null,
                "allowedComponents": ["switch", "rack"],
                "components": [{"name": "Rack", "type": "rack", "count": 1}],
            },
        ],
        "applications": [{
            "type": "application", "name": "Tcp", "model": "ScalaTrafficGeneratorApplication", "version": "3.1.1",
            "trafficType": "non-coordinated", "typedParameters": {},
        }],
        "links": [],
        "topology": {
            "name": null, "type": "clos", "topologyTiers": 1, "allowedComponents": ["switch", "pod"],
            "components": [{"name": "Pod", "type": "pod", "count": 1}], "appDistribution": null,
        },
        "globalParameters": {},
        "activeTraceset": null,
    })
}

/// Overrides that give both NICs this delay, so that the round trip is four times as long.
pub fn delay(text: &str) -> Vec<String> {
    ["ClientNic", "ServerNic"]
        .map(|nic| format!("{nic}.NetworkInterface.TransmissionMedium.Delay={text}"))
        .to_vec()
}

/// The override of a NIC's rate.
pub fn rate(nic: &str, text: &str) -> String {
    format!("{nic}.NetworkInterface.UplinkNetworkInterface.DataRate={text}")
}

/// Overrides for one request of 1 TB a connection, which is more than any run sends. All start at once.
pub fn endless() -> Vec<String> {
    settings([
        "Tcp.NumConnections=1",
        "Tcp.StartType=simultaneous",
        "Tcp.RequestRate=0.001",
        "Tcp.RequestSizeDistribution=constant",
        "Tcp.RequestSizeMin=1000 GB",
        "Tcp.RequestSizeMax=1000 GB",
        "Tcp.ReplySizeDistribution=constant",
        "SimulationParameters.RunTime=1000",
    ])
}

/// Overrides for sizes that are always the same, so that all times can be worked out.
pub fn constant(request: u64, reply: u64) -> Vec<String> {
    vec![
        "Tcp.RequestSizeDistribution=constant".into(),
        format!("Tcp.RequestSizeMin={request} B"),
        "Tcp.ReplySizeDistribution=constant".into(),
        format!("Tcp.ReplySizeMin={reply} B"),
    ]
}

/// Overrides for a recording window that opens with the client start window, at 2 ms, which has no length, and lasts so long.
pub fn recorded_from_the_start(seconds: f64) -> Vec<String> {
    vec![
        "SimulationParameters.ClientStartInterval=0".into(),
        "SimulationParameters.WarmUp=0".into(),
        format!("SimulationParameters.RunTime={seconds}"),
    ]
}

/// Loses the segment whose first byte is `offset` (from 0) on its way to a host, `times` in a row.
pub fn lose(host: u32, offset: u64, times: u32) -> Vec<(Endpoint, Vec<Loss>)> {
    // The SYN has the sequence number 0.
    let target = Target::Segment(Some(1 + offset as u32));
    vec![(
        Endpoint::Host(host),
        vec![Loss {
            target,
            skip: 0,
            times,
        }],
    )]
}

/// Time of `bytes` on a wire at 100 Gbps, in ps.
pub fn wire(bytes: u64) -> u64 {
    serialization(bytes, LINE)
}

/// A run whose nodes can be looked at between windows.
pub struct Bench {
    pub engine: Engine<System, Wheel, Observer>,
    layout: Layout,
}

impl Bench {
    /// Puts a document together.
    pub fn new(document: &Value, settings: &[String], losses: &[(Endpoint, Vec<Loss>)]) -> Bench {
        Bench::of(&scenario(document, settings), losses)
    }

    /// Puts a scenario together.
    pub fn of(scenario: &Scenario, losses: &[(Endpoint, Vec<Loss>)]) -> Bench {
        let layout = Layout::new(scenario).expect("lays out");
        let options = RunOptions::new("t", "unused");
        let mut engine: Engine<System, Wheel, Observer> = layout.engine(scenario, &options).expect("builds");
        for (endpoint, losses) in losses {
            let node = engine.node_mut(layout.topology.engine_node(*endpoint));
            node.set_losses(Losses::new(losses.clone()));
        }
        Bench { engine, layout }
    }

    /// Runs until just before a time, in ps.
    pub fn go(&mut self, until: u64) {
        let flow = self
            .engine
            .run_until(Time::from_ps(until), &mut Alone, |partitions, _| {
                for partition in partitions {
                    partition.probe_mut().observed.clear();
                }
                ControlFlow::Continue(())
            });
        assert!(flow.is_continue());
    }

    /// Runs until just before a time, in ps, and checks the books.
    pub fn go_and_check(&mut self, until: u64) -> system::Totals {
        self.go(until);
        system::settle(&mut self.engine, Time::from_ps(until));
        system::check(&self.engine);
        system::Totals::of(&self.engine)
    }

    /// A host.
    pub fn host(&self, host: u32) -> &TcpHost {
        let node = self.layout.topology.engine_node(Endpoint::Host(host));
        self.engine.node(node).as_tcp().expect("a host under TCP")
    }

    /// The client end of a host's first connection.
    pub fn client(&self, host: u32) -> Report {
        let (_, connection) = self.host(host).clients().next().expect("a client");
        connection.report()
    }

    /// Bytes that each server of a host has received in order.
    pub fn received(&self, host: u32) -> Vec<u64> {
        self.host(host).servers().map(|(_, c)| c.delivered()).collect()
    }
}

/// Whether two numbers differ by at most `share` of the expected one.
#[track_caller]
pub fn assert_within(found: f64, expected: f64, share: f64, what: &str) {
    println!("{what}: {found} found, {expected} expected");
    assert!(
        (found - expected).abs() <= share * expected,
        "{what}: {found}, not {expected}"
    );
}

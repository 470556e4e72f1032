//! From nodes and observations to rows of records.
//!
//! - `applications`: `rdma-perf`, `perf`, `beacon`, `application-report`
//! - `network`: `topology-report`, `nd-stats`, `ecn-pfc-stats`, `tier-hop`
//! - `transport`: `roce-transport-stats`
//! - `tcp`: `tcp-stats`
//! - `switch`: `scala-switch-agg-buff-stats`, `scala-switch-buff-stats`, `scala-switch-load-balancing-stats`
//! - `nic`: `net-buff-stats`, `pcie-stats`
//! - `machine`: `cpu-mem-stats`

mod applications;
mod machine;
mod network;
mod nic;
mod switch;
mod tcp;
mod transport;

pub(crate) use tcp::first_tcp_start;

use crate::assemble::Layout;
use crate::host::System;
use crate::observe::Observed;
use crate::progress::Progress;
use applications::Goodput;
use machine::Machine;
use nic::{LaneBefore, PoolsBefore};
use packetloom_config::scenario::{ApplicationAttributes, Scenario};
use packetloom_des::{Rate, Span};
use packetloom_fabric::frame::CLASSES;
use packetloom_fabric::port::PortCounters;
use packetloom_fabric::switch::Member;
use packetloom_fabric::topology::{self, Endpoint, NIC_TIER, Port};
use packetloom_nic::roce::TransportStats;
use packetloom_records::{Formats, Record, RecordFiles, RecordsError, RunFile};

/// `subtier` of everything: not divided further.
const SUBTIER: u64 = u32::MAX as u64;
/// Class of a switch's ports in the records.
const SWITCH_DEVICE: &str = "scala_switch::ScalaSwitchEthNetDevice";
/// Class of a RoCE NIC's port in the records.
const ROCE_DEVICE: &str = "scala_roce_nic::ScalaRoceNicNetDevice";
/// Class of a plain NIC's port in the records.
const PLAIN_DEVICE: &str = "scala_nic::ScalaNicNetDevice";

/// Writes the records of a run and keeps what their intervals are counted from.
pub struct Reporter {
    files: RecordFiles,
    names: Vec<InstanceNames>,
    ports: Vec<PortCounters>,
    transports: Vec<TransportStats>,
    /// What was observed in the window, from all partitions.
    rows: Vec<Observed>,
    ect: Vec<bool>,
    /// By host: bit n set if class n of its NIC has a receive pool.
    receive_pools: Vec<u8>,
    /// Packets that spine, fabric and rack switches had sent at the last report.
    tiers: [u64; 3],
    machine: Machine,
    /// By switch: what the members of its equal-cost sets had been given, sets in the order in which it saw them.
    balances: Vec<Vec<Member>>,
    /// By host; empty if not reported on.
    pools: Vec<PoolsBefore>,
    /// By host, NIC to host first; empty if not reported on.
    lanes: Vec<[LaneBefore; 2]>,
    goodput: Goodput,
    tcp: tcp::Connections,
}

struct InstanceNames {
    /// Name of the client's instance.
    client: String,
    host_node: u64,
    /// Name of the metric its rows are of.
    metric: &'static str,
}

/// A device as records name it.
struct Device<'a> {
    name: &'a str,
    component_type: &'static str,
    net_device: &'static str,
    tier: u64,
    node: u64,
}

fn device(layout: &Layout, endpoint: Endpoint) -> Device<'_> {
    let topology = &layout.topology;
    let (component_type, net_device, tier) = match endpoint {
        Endpoint::Switch(index) => (
            "Switch",
            SWITCH_DEVICE,
            topology.switches[index as usize].tier.number(),
        ),
        Endpoint::Host(host) if layout.plain_nics[host as usize] => ("Nic", PLAIN_DEVICE, NIC_TIER),
        Endpoint::Host(_) => ("Nic", ROCE_DEVICE, NIC_TIER),
    };
    Device {
        name: topology.name(endpoint),
        component_type,
        net_device,
        tier: tier as u64,
        node: topology.record_node(endpoint) as u64,
    }
}

/// The ports of a node in the topology and their counters, by port number.
pub(crate) fn ports<'a>(
    layout: &'a Layout,
    engine_node: u32,
    node: &'a System,
) -> impl Iterator<Item = (&'a Port, &'a PortCounters)> {
    let wired = layout.topology.ports(layout.topology.endpoint(engine_node));
    let counters: Box<dyn Iterator<Item = &PortCounters>> = match node {
        System::Switch(switch) => Box::new(switch.ports().iter().map(|port| &port.counters)),
        host => Box::new(host.host_port().map(|port| &port.counters).into_iter()),
    };
    wired.iter().zip(counters)
}

impl Reporter {
    /// A reporter into `files`.
    pub fn new(files: RecordFiles, layout: &Layout, scenario: &Scenario) -> Self {
        let names = layout
            .instances
            .iter()
            .map(|instance| {
                let place = layout.place(instance.client);
                let (client, metric) = match &scenario.applications[instance.application as usize].attributes
                {
                    ApplicationAttributes::Rdma(_) => (instance.initiator_name(place), "RDMA-WRITE"),
                    ApplicationAttributes::Generator(generator) => (
                        instance.generator_client_name(place),
                        generator.attributes.server_type.as_str(),
                    ),
                };
                InstanceNames {
                    client,
                    host_node: layout.topology.hosts[instance.client as usize].host_node as u64,
                    metric,
                }
            })
            .collect();
        let ports = layout
            .topology
            .switches
            .iter()
            .map(|s| s.ports.len())
            .sum::<usize>()
            + layout.topology.hosts.len();
        let roce = |host: &topology::Host| scenario.nics[host.component as usize].attributes.roce();
        let ect = layout.topology.hosts.iter().map(|host| {
            let nic = roce(host);
            nic.is_some_and(|nic| nic.ecn_handler.enable_ecn)
        });
        let receive_pools = layout.topology.hosts.iter().map(|host| {
            let Some(nic) = roce(host) else { return 0 };
            let shares = nic
                .network_interface
                .ingress_buffer_manager
                .pool_allocation_vector;
            (0..CLASSES)
                .filter(|&class| shares[class] > 0.0)
                .fold(0, |mask, class| mask | 1 << class)
        });
        let (ect, receive_pools) = (ect.collect(), receive_pools.collect());
        let goodput = Goodput::new(layout, scenario);
        let tcp = if files.writes(Record::TcpStats) {
            tcp::Connections::new(layout, scenario)
        } else {
            tcp::Connections::default()
        };
        let hosts = |record| {
            if files.writes(record) {
                layout.topology.hosts.len()
            } else {
                0
            }
        };
        Reporter {
            balances: vec![Vec::new(); layout.topology.switches.len()],
            pools: vec![PoolsBefore::default(); hosts(Record::NetBuffStats)],
            lanes: vec![Default::default(); hosts(Record::PcieStats)],
            files,
            names,
            ports: vec![PortCounters::default(); ports],
            transports: vec![TransportStats::default(); layout.topology.hosts.len()],
            rows: Vec::new(),
            ect,
            receive_pools,
            tiers: [0; 3],
            machine: Machine::new(),
            goodput,
            tcp,
        }
    }

    /// What is known before the first event: `topology-report` and `application-report`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn start(&mut self, layout: &Layout, scenario: &Scenario) -> Result<(), RecordsError> {
        self.topology_report(layout)?;
        self.application_report(layout, scenario)?;
        self.files.flush()
    }

    /// Writes the file that says what the run is, or writes it anew.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn describe(&mut self, run: &RunFile) -> Result<(), RecordsError> {
        self.files.describe(run)
    }

    /// Writes the document of the run beside its records.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn document(&mut self, simulation: &str, text: &str) -> Result<(), RecordsError> {
        self.files.document(simulation, text)
    }

    /// Writes everything out to the disk, in the formats that are wanted.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(&mut self, formats: Formats, progress: &Progress) -> Result<(), RecordsError> {
        self.files.flush()?;
        if formats.parquet {
            progress.begin_conversion(self.files.bytes());
        }
        self.files.finish(formats, progress.converted())
    }

    /// Names of the files.
    pub fn file_names(&self) -> Vec<String> {
        self.files.names()
    }

    /// Removes the files of a run that failed before its first event.
    pub fn abort(self) {
        self.files.abort();
    }
}

/// Gigabits per second of `bytes` in `interval`. One division, so that a round figure comes out round.
pub fn gbps(bytes: u64, interval: Span) -> f64 {
    if interval == Span::ZERO {
        0.0
    } else {
        (u128::from(bytes) * 8) as f64 / (interval.ps() as f64 / 1e3)
    }
}

/// `bytes` in `interval` as a share of a link's rate, in percent.
pub fn percent(bytes: u64, interval: Span, rate: Rate) -> f64 {
    let bits_in_interval = rate.bps() as f64 * (interval.ps() as f64 / 1e12);
    if interval == Span::ZERO {
        0.0
    } else {
        (u128::from(bytes) * 800) as f64 / bits_in_interval
    }
}

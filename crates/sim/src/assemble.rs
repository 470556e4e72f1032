//! From a document to nodes and links.

use crate::host::{Host, System};
use crate::observe::Observer;
use crate::run::RunOptions;
use packetloom_config::scenario::{Application, Scenario};
use packetloom_des::queue::Queue;
use packetloom_des::{End, Engine, Link, Time};
use packetloom_fabric::ecmp::{flow_crc, source_port};
use packetloom_fabric::frame::{HostId, SMALLEST_FRAME};
use packetloom_fabric::port::Port;
use packetloom_fabric::switch::Switch;
use packetloom_fabric::switch::shared_buffer::{self, SharedBuffer};
use packetloom_fabric::topology::{self, Endpoint, Topology};
use packetloom_nic::roce::attributes::RoceNicAttributes;
use packetloom_nic::roce::{Peer, RoceNic};
use packetloom_records::Record;
use packetloom_traffic::instances::{HostPlace, Instance, instances};
use packetloom_traffic::placement::AppPlacement;
use packetloom_traffic::rdma::{ConnectionPlan, Initiators};
use packetloom_traffic::rdma_attributes::RdmaApplicationAttributes;
use packetloom_traffic::timeline::{ConnectionName, GlobalTimes, Timeline};

/// The document asks for what cannot be put together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AssembleError(pub String);

/// Everything about a run that does not change while it runs.
#[derive(Debug)]
pub struct Layout {
    /// The network.
    pub topology: Topology,
    /// When the phases begin and end.
    pub timeline: Timeline,
    /// Where each application runs.
    pub placements: Vec<AppPlacement>,
    /// Connections of all applications.
    pub instances: Vec<Instance>,
    /// Number of each connection's pair in its application.
    pub pair_of: Vec<u32>,
}

impl Layout {
    /// Lays out topology, placement and timeline.
    ///
    /// # Errors
    /// When the parts of the document do not go together.
    pub fn new(scenario: &Scenario) -> Result<Self, AssembleError> {
        let tcp = |application: &Application| application.attributes.rdma().is_none();
        if let Some(application) = scenario.applications.iter().find(|application| tcp(application)) {
            return Err(AssembleError(format!(
                "the traffic generator \"{}\" is not run yet",
                application.name
            )));
        }
        if let Some(nic) = scenario.nics.iter().find(|nic| nic.attributes.roce().is_none()) {
            return Err(AssembleError(format!(
                "the Ethernet NIC \"{}\" is not run yet",
                nic.name
            )));
        }
        let topology = Topology::build(plan(scenario)).map_err(|e| AssembleError(e.to_string()))?;
        let times = &scenario.global.simulation_parameters;
        let timeline = Timeline::new(&GlobalTimes {
            start_time: times.start_time,
            client_start_offset: times.client_start_offset,
            client_start_interval: times.client_start_interval,
            warm_up: times.warm_up,
            run_time: times.run_time,
            cool_down: times.cool_down,
        })
        .map_err(|e| AssembleError(format!("globalParameters.SimulationParameters: {e}")))?;
        let placements = scenario
            .placement()
            .map_err(|e| AssembleError(format!("topology.appDistribution: {e}")))?
            .applications;
        let mut all = Vec::new();
        let mut pair_of = Vec::new();
        for (number, (application, placement)) in scenario.applications.iter().zip(&placements).enumerate() {
            let connections = application.attributes.num_connections() as u32;
            let own = instances(number as u32, placement, connections, all.len() as u32 + 1);
            pair_of.extend((0..own.len() as u32).map(|instance| instance / connections));
            all.extend(own);
        }
        Ok(Layout {
            topology,
            timeline,
            placements,
            instances: all,
            pair_of,
        })
    }

    /// Where a host stands.
    pub fn place(&self, host: u32) -> HostPlace {
        let host = &self.topology.hosts[host as usize];
        HostPlace {
            pod: host.pod,
            rack: host.rack,
            server: host.server,
        }
    }

    /// Builds the nodes and their engine.
    ///
    /// # Errors
    /// When a switch's buffer cannot hold its headroom.
    pub fn engine<Q: Queue>(
        &self,
        scenario: &Scenario,
        options: &RunOptions,
    ) -> Result<Engine<System, Q, Observer>, AssembleError> {
        let mut nodes = Vec::with_capacity(self.topology.engine_nodes() as usize);
        for switch in &self.topology.switches {
            nodes.push(System::Switch(self.switch(scenario, switch, options)?));
        }
        nodes.extend(self.hosts(scenario, options).into_iter().map(System::Host));
        let links = self.links();
        let application_of: std::sync::Arc<[u16]> =
            self.instances.iter().map(|i| i.application as u16).collect();
        let applications = scenario.applications.len();
        let recording = self.timeline.recording;
        Ok(Engine::new(
            nodes,
            &links,
            &self.topology.partitions(options.cut),
            |_| Observer::new(application_of.clone(), applications, recording),
        ))
    }

    /// Every link, by engine nodes.
    pub fn links(&self) -> Vec<Link> {
        let link = |link: topology::Link| Link {
            ends: [
                End {
                    node: self.topology.engine_node(Endpoint::Switch(link.upper)),
                    port: link.upper_port,
                },
                End {
                    node: self.topology.engine_node(link.lower),
                    port: link.lower_port,
                },
            ],
            delay: link.delay,
            least_serialization: link.rate.time_for(SMALLEST_FRAME),
        };
        self.topology.links().map(link).collect()
    }

    fn switch(
        &self,
        scenario: &Scenario,
        switch: &topology::Switch,
        options: &RunOptions,
    ) -> Result<Switch, AssembleError> {
        let component = &scenario.switches[switch.component as usize];
        let buffer = &component.attributes.shared_buffer_manager;
        let layout = shared_buffer::Layout::new(buffer, switch.ports.len() as u64)
            .map_err(|e| AssembleError(format!("switch {} ({}): {e}", component.name, switch.name)))?;
        let ports: Vec<_> = switch
            .ports
            .iter()
            .map(|port| Port::new(port.rate, port.delay))
            .collect();
        let mut shared = SharedBuffer::new(layout, ports.len());
        let writes = |record| options.records.contains(&record);
        let by_port = writes(Record::BuffStats) && buffer.report_per_port_buffer_stats;
        if writes(Record::AggBuffStats) || by_port {
            shared.observe_usage(switch.uplinks() as u16, by_port);
        }
        let mut built = Switch::new(
            switch.node,
            component.attributes.ecmp_hash_method,
            ports,
            shared,
            self.topology.routes[switch.node as usize].clone(),
        );
        if writes(Record::LoadBalancingStats) && component.attributes.enable_load_balancing_stats {
            built.observe_balance();
        }
        Ok(built)
    }

    /// All hosts with their queue pairs: requesters and responders in instance order.
    fn hosts(&self, scenario: &Scenario, options: &RunOptions) -> Vec<Host> {
        let global = &scenario.global.simulation_parameters;
        let writes = |record| options.records.contains(&record);
        let pools = writes(Record::NetBuffStats) && global.enable_network_buffer_stats_reporting;
        let pcie = writes(Record::PcieStats) && global.enable_pcie_stats_logging;
        let mut nics: Vec<RoceNic> = self
            .topology
            .hosts
            .iter()
            .enumerate()
            .map(|(index, host)| {
                let attributes = roce(scenario, host.component);
                let mut nic = RoceNic::new(HostId(index as u32), attributes, host.port.rate, host.port.delay);
                nic.set_first_psn(options.first_psn);
                if pools && attributes.enable_buffer_stats {
                    nic.observe_pools();
                }
                if pcie {
                    nic.observe_pcie();
                }
                nic
            })
            .collect();
        let mut plans: Vec<Vec<ConnectionPlan>> = vec![Vec::new(); nics.len()];
        let mut responders = vec![0u32; nics.len()];
        let mut counted = vec![0u64; scenario.applications.len()];
        let totals: Vec<u64> = (0..scenario.applications.len())
            .map(|a| {
                self.instances
                    .iter()
                    .filter(|i| i.application as usize == a)
                    .count() as u64
            })
            .collect();
        for (number, instance) in self.instances.iter().enumerate() {
            let application = &scenario.applications[instance.application as usize];
            let requester = plans[instance.client as usize].len() as u32;
            let responder = post_increment(&mut responders[instance.server as usize]);
            let index = post_increment(&mut counted[instance.application as usize]);
            let start = self.start_of(scenario, instance, index, totals[instance.application as usize]);
            plans[instance.client as usize].push(connection_plan(application, number as u32, start));
            let peer = |from: u32, to: u32, queue_pair, responder: bool| {
                let (source, destination) = (HostId(from), HostId(to));
                let identity = queue_pair_identity(instance.application, instance.connection, responder);
                let source_port = source_port(source, destination, identity);
                Peer {
                    host: destination,
                    queue_pair,
                    source_port,
                    flow: flow_crc(source, destination, source_port),
                    data_class: rdma(application).rdma_data_packet_tc as u8,
                    control_class: rdma(application).rdma_control_packet_tc as u8,
                }
            };
            nics[instance.client as usize].add_requester(peer(
                instance.client,
                instance.server,
                RoceNic::responder_number(responder),
                false,
            ));
            nics[instance.server as usize].add_responder(peer(
                instance.server,
                instance.client,
                RoceNic::requester_number(requester),
                true,
            ));
        }
        let data_start = self.timeline.data_start();
        nics.into_iter()
            .zip(plans)
            .map(|(nic, plans)| Host::new(nic, Initiators::new(plans, data_start)))
            .collect()
    }

    fn start_of(&self, scenario: &Scenario, instance: &Instance, index: u64, count: u64) -> Time {
        let application = &scenario.applications[instance.application as usize];
        let name = ConnectionName {
            application: &application.name,
            client: instance.client,
            server: instance.server,
            connection: instance.connection,
        };
        application
            .attributes
            .start_type()
            .start(&self.timeline, scenario.seed, name, index, count)
    }
}

/// What tells a queue pair from others between the same two hosts, as 32 bits: its end, its application, its connection.
/// Connections are fewer than 2^16, and so are applications.
fn queue_pair_identity(application: u32, connection: u32, responder: bool) -> u32 {
    (responder as u32) << 31 | application << 16 | connection
}

/// The number as it was; it goes up by one.
fn post_increment<T: Copy + std::ops::AddAssign + From<u8>>(number: &mut T) -> T {
    let before = *number;
    *number += T::from(1);
    before
}

fn connection_plan(application: &Application, instance: u32, start: Time) -> ConnectionPlan {
    let attributes = rdma(application);
    ConnectionPlan {
        instance,
        start,
        pending: attributes.max_pending_wqes,
        size: attributes.transfer_size,
        doorbell: attributes.doorbell_payload_size,
    }
}

/// What [`Layout::new`] has checked.
fn rdma(application: &Application) -> &RdmaApplicationAttributes {
    application
        .attributes
        .rdma()
        .expect("other applications are refused")
}

/// What [`Layout::new`] has checked.
fn roce(scenario: &Scenario, nic: u32) -> &RoceNicAttributes {
    let attributes = &scenario.nics[nic as usize].attributes;
    attributes.roce().expect("other NICs are refused")
}

/// The topology's plan of a document.
fn plan(scenario: &Scenario) -> topology::Plan {
    let switch = |&component: &usize| {
        let attributes = &scenario.switches[component].attributes;
        let interface = &attributes.network_interface;
        topology::SwitchPlan {
            component: component as u32,
            up_rate: interface.uplink_network_interface.data_rate,
            down_rate: interface.downlink_network_interface.data_rate,
            up_delay: interface.transmission_medium.delay,
            up_links_per_switch: attributes.num_up_links_per_switch as u32,
        }
    };
    let server = |nic: usize| {
        let attributes = &scenario.nics[nic].attributes;
        topology::ServerPlan {
            component: nic as u32,
            rate: attributes.rate(),
            delay: attributes.delay(),
        }
    };
    let rack = |rack: &packetloom_config::scenario::RackPlan| topology::RackPlan {
        switches: rack.switches.iter().map(switch).collect(),
        servers: rack.servers.iter().map(|s| server(s.nic)).collect(),
    };
    let pods = scenario.plan.pods.iter().map(|pod| topology::PodPlan {
        fabric_switches: pod.fabric_switches.iter().map(switch).collect(),
        racks: pod.racks.iter().map(rack).collect(),
    });
    let plane = |plane: &Vec<usize>| plane.iter().map(switch).collect();
    topology::Plan {
        pods: pods.collect(),
        spines: scenario.plan.spines.iter().map(switch).collect(),
        planes: scenario.plan.planes.iter().map(plane).collect(),
    }
}

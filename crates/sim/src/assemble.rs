//! From a document to nodes and links.
//!
//! - `hosts`: the hosts with their NICs, applications and connections

mod hosts;

use crate::host::System;
use crate::observe::Observer;
use crate::run::RunOptions;
use packetloom_config::scenario::{NicAttributes, Scenario};
use packetloom_des::queue::Queue;
use packetloom_des::{End, Engine, Link};
use packetloom_fabric::frame::SMALLEST_FRAME;
use packetloom_fabric::port::Port;
use packetloom_fabric::switch::Switch;
use packetloom_fabric::switch::shared_buffer::{self, SharedBuffer};
use packetloom_fabric::topology::{self, Endpoint, Topology};
use packetloom_records::Record;
use packetloom_traffic::instances::{HostPlace, Instance, instances};
use packetloom_traffic::placement::AppPlacement;
use packetloom_traffic::timeline::{GlobalTimes, Timeline};

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
    /// By host: whether its NIC is a plain one.
    pub plain_nics: Vec<bool>,
}

impl Layout {
    /// Lays out topology, placement and timeline.
    ///
    /// # Errors
    /// When the parts of the document do not go together.
    pub fn new(scenario: &Scenario) -> Result<Self, AssembleError> {
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
        let plain = |host: &topology::Host| {
            let nic = &scenario.nics[host.component as usize];
            matches!(nic.attributes, NicAttributes::Ethernet(_))
        };
        Ok(Layout {
            plain_nics: topology.hosts.iter().map(plain).collect(),
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
        nodes.extend(hosts::hosts(self, scenario, options));
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

//! The network as a graph: switches, hosts, ports, links and routes.
//!
//! A [`Topology`] is computed from a [`Plan`] and does not change during a run. The wiring:
//!
//! - every rack switch has its number of parallel links to every fabric switch of its pod;
//! - every fabric switch has its number of parallel links to every spine switch of its plane, and to every spine switch
//!   outside the planes;
//! - every server's NIC has one link to a switch of its rack: with several, server `s` to switch `s` modulo their number.
//!
//! A link runs at the lower of its two ends' rates and has the delay of the device at its lower end. On a switch,
//! uplinks come before downlinks: uplinks by upper switch and then parallel link, downlinks by lower device and then
//! parallel link.

mod build;
mod partition;
mod plan;
#[cfg(test)]
mod random_plans;
mod routes;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod three_tiers;

pub use partition::Cut;
pub use plan::{MAX_PORTS, Plan, PlanError, PodPlan, RackPlan, ServerPlan, SwitchPlan};
pub use routes::Routes;

use packetloom_des::{Rate, Span};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Where a switch stands. The numbers are those of the `tier` column of the records.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum Tier {
    /// Above the pods.
    Spine = 0,
    /// In a pod, above its racks.
    Fabric = 1,
    /// In a rack, above its servers.
    Rack = 2,
}

/// Tier number of a NIC in the records.
pub const NIC_TIER: u8 = 3;

impl Tier {
    /// The number in the records: 0 spine, 1 fabric, 2 rack.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// First part of the names of this tier's switches.
    fn name_prefix(self) -> &'static str {
        match self {
            Tier::Spine => "ScalaSpineSwitch",
            Tier::Fabric => "ScalaFabricSwitch",
            Tier::Rack => "ScalaRackSwitch",
        }
    }
}

/// One end of a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Endpoint {
    /// A switch by its index in [`Topology::switches`].
    Switch(u32),
    /// A host by its index in [`Topology::hosts`]. Its one port is number 0.
    Host(u32),
}

/// A connected port and the link behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Port {
    /// The device at the other end.
    pub peer: Endpoint,
    /// The port's number there.
    pub peer_port: u16,
    /// The link's rate: the lower of both ends' rates.
    pub rate: Rate,
    /// The link's propagation delay: that of the device at its lower end.
    pub delay: Span,
    /// Whether the port leads to the next upper tier.
    pub up: bool,
}

/// A switch and its connected ports.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Switch {
    /// Node id in the records; equal to the index in [`Topology::switches`].
    pub node: u32,
    /// Name in the records, such as `ScalaRackSwitch-2-2-0-0-2-0`.
    pub name: String,
    /// Where it stands.
    pub tier: Tier,
    /// Index of its attribute set.
    pub component: u32,
    /// Index of its pod; 0 for a spine switch.
    pub pod: u32,
    /// Running number among the switches of its tier in its pod, from 0. With one switch a rack, this is the rack.
    pub index: u32,
    /// Connected ports, uplinks first. The position is the port number.
    pub ports: Vec<Port>,
}

impl Switch {
    /// Number of uplinks; they are ports `0..uplinks()`.
    pub fn uplinks(&self) -> usize {
        self.ports.partition_point(|port| port.up)
    }

    /// Number of downlinks; they are the ports from `uplinks()` on.
    pub fn downlinks(&self) -> usize {
        self.ports.len() - self.uplinks()
    }
}

/// A server with its NIC.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Host {
    /// Node id of the NIC in the records.
    pub nic_node: u32,
    /// Node id of the host in the records.
    pub host_node: u32,
    /// Name in the records: `ScalaHost-0-{pod}-{rack}-{server}`.
    pub name: String,
    /// Index of its pod.
    pub pod: u32,
    /// Index of its rack in the pod.
    pub rack: u32,
    /// Index of the server in the rack.
    pub server: u32,
    /// Index of its attribute set.
    pub component: u32,
    /// The NIC's port; the peer is a rack switch.
    pub port: Port,
}

/// One link, named from its upper end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Index of the switch at the upper end.
    pub upper: u32,
    /// The port's number there.
    pub upper_port: u16,
    /// The device at the lower end.
    pub lower: Endpoint,
    /// The port's number there; 0 for a host.
    pub lower_port: u16,
    /// The link's rate.
    pub rate: Rate,
    /// The link's propagation delay.
    pub delay: Span,
}

/// All switches, hosts, links and routes of a network.
///
/// Serialized as the [`Plan`] it was built from, and built again when read back: the plan is much smaller, and routes
/// keep sharing what they share.
#[derive(Clone, Debug)]
pub struct Topology {
    /// Switches by node id: spine switches outside the planes, those of each plane, fabric switches, rack switches, each in
    /// (pod, index) order.
    pub switches: Vec<Switch>,
    /// Hosts in (pod, rack, server) order. The position is the [`HostId`](crate::frame::HostId).
    pub hosts: Vec<Host>,
    /// Routes of each switch, by its index.
    pub routes: Vec<Routes>,
    plan: Plan,
}

impl Topology {
    /// Lays out and wires the network of `plan`, and finds its routes.
    pub fn build(plan: Plan) -> Result<Topology, PlanError> {
        let (switches, hosts) = build::wire(&plan)?;
        let routes = routes::all(&switches, &hosts)?;
        Ok(Topology {
            switches,
            hosts,
            routes,
            plan,
        })
    }

    /// The plan this was built from.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Number of nodes of the engine: switches and hosts.
    pub fn engine_nodes(&self) -> u32 {
        (self.switches.len() + self.hosts.len()) as u32
    }

    /// Index of a device among the engine's nodes: switches first, then hosts. A host and its NIC are one node there.
    #[inline]
    pub fn engine_node(&self, endpoint: Endpoint) -> u32 {
        match endpoint {
            Endpoint::Switch(index) => index,
            Endpoint::Host(index) => self.switches.len() as u32 + index,
        }
    }

    /// The device with an index among the engine's nodes; the reverse of [`Topology::engine_node`].
    pub fn endpoint(&self, engine_node: u32) -> Endpoint {
        match engine_node.checked_sub(self.switches.len() as u32) {
            None => Endpoint::Switch(engine_node),
            Some(host) => Endpoint::Host(host),
        }
    }

    /// Node id of a device's network ports in the records: a switch's, or that of a host's NIC.
    pub fn record_node(&self, endpoint: Endpoint) -> u32 {
        match endpoint {
            Endpoint::Switch(index) => self.switches[index as usize].node,
            Endpoint::Host(index) => self.hosts[index as usize].nic_node,
        }
    }

    /// Name of a device in the records.
    pub fn name(&self, endpoint: Endpoint) -> &str {
        match endpoint {
            Endpoint::Switch(index) => &self.switches[index as usize].name,
            Endpoint::Host(index) => &self.hosts[index as usize].name,
        }
    }

    /// Connected ports of a device, by port number.
    pub fn ports(&self, endpoint: Endpoint) -> &[Port] {
        match endpoint {
            Endpoint::Switch(index) => &self.switches[index as usize].ports,
            Endpoint::Host(index) => std::slice::from_ref(&self.hosts[index as usize].port),
        }
    }

    /// Every link once, by upper switch and its port.
    pub fn links(&self) -> impl Iterator<Item = Link> + '_ {
        self.switches.iter().flat_map(|switch| {
            let down = switch.uplinks();
            switch.ports[down..]
                .iter()
                .enumerate()
                .map(move |(offset, port)| Link {
                    upper: switch.node,
                    // A switch has at most `MAX_PORTS` ports.
                    upper_port: (down + offset) as u16,
                    lower: port.peer,
                    lower_port: port.peer_port,
                    rate: port.rate,
                    delay: port.delay,
                })
        })
    }

    /// Partition of each engine node, by [`Topology::engine_node`]. Partitions are numbered from 0 in the order of
    /// their first nodes.
    pub fn partitions(&self, cut: Cut) -> Vec<u32> {
        partition::cut(self, cut)
    }
}

impl Serialize for Topology {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.plan.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Topology {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Topology, D::Error> {
        Topology::build(Plan::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

//! What a topology is built from: counts, rates and delays, after a document has been checked.

use packetloom_des::{Rate, Span};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A whole network: pods, and the spine switches above them, on their own or in planes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Plan {
    /// Pods in the order of the document.
    pub pods: Vec<PodPlan>,
    /// Spine switches outside the planes; every fabric switch of every pod is linked to each of them. May be empty.
    pub spines: Vec<SwitchPlan>,
    /// Planes of spine switches; see [`Plan::plane_of`]. May be empty.
    pub planes: Vec<Vec<SwitchPlan>>,
}

impl Plan {
    /// The plane that fabric switch `index` of each pod belongs to: `index` modulo the number of planes. It is linked to
    /// every spine switch of that plane. `None` without planes.
    pub fn plane_of(&self, index: usize) -> Option<usize> {
        index.checked_rem(self.planes.len())
    }
}

/// A pod: racks, and the fabric switches that join them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PodPlan {
    /// Fabric switches; every rack switch of the pod is linked to each of them. May be empty.
    pub fabric_switches: Vec<SwitchPlan>,
    /// Racks in the order of the document.
    pub racks: Vec<RackPlan>,
}

/// A rack: servers and the switch they hang on.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RackPlan {
    /// Rack switches. With several, server `s` is linked to switch `s` modulo their number.
    pub switches: Vec<SwitchPlan>,
    /// Servers in the order of the document.
    pub servers: Vec<ServerPlan>,
}

/// One switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SwitchPlan {
    /// Index of the attribute set the switch takes its other attributes from.
    pub component: u32,
    /// Rate of its ports toward switches of the next upper tier.
    pub up_rate: Rate,
    /// Rate of its ports toward switches or servers of the next lower tier.
    pub down_rate: Rate,
    /// Propagation delay of its links to the next upper tier.
    pub up_delay: Span,
    /// Parallel links to each switch of the next upper tier, at least 1 if there is one.
    pub up_links_per_switch: u32,
}

/// One server with its NIC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ServerPlan {
    /// Index of the attribute set the server and its NIC take their other attributes from.
    pub component: u32,
    /// Rate of the NIC's port.
    pub rate: Rate,
    /// Propagation delay of the NIC's link.
    pub delay: Span,
}

/// Why no topology can be built from a plan.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// There is no server at all.
    #[error("the topology has no servers; add a pod with a rack that holds at least one server")]
    NoServers,
    /// Servers without a switch to link them to.
    #[error("rack {rack} of pod {pod} has servers but no rack switch; add a switch to the rack")]
    NoRackSwitch {
        /// The pod's index.
        pod: u32,
        /// The rack's index in its pod.
        rack: u32,
    },
    /// A link whose lower end runs at 0 bits per second.
    #[error("the link between {upper} and {lower} has a rate of 0; give both ends a data rate above 0")]
    NoRate {
        /// Name of the switch at the upper end.
        upper: String,
        /// Name of the switch or host at the lower end.
        lower: String,
    },
    /// A switch with more ports than a port number can hold.
    #[error(
        "{switch} has {ports} ports; at most {MAX_PORTS} are possible: use fewer parallel links or more switches"
    )]
    TooManyPorts {
        /// The switch's name.
        switch: String,
        /// The ports the plan gives it.
        ports: u64,
    },
    /// A spine switch without a link.
    #[error(
        "no fabric switch is linked to {spine}; use no more planes than a pod has fabric switches, and give these at \
         least one link to each switch above"
    )]
    UnlinkedSpine {
        /// Name of the spine switch.
        spine: String,
    },
    /// Two parts of the network without a path between them.
    #[error(
        "no path from {from} to {to}; join racks by fabric switches in their pod, and pods by spine switches, \
         with at least one link to each switch above"
    )]
    Unreachable {
        /// Name of a rack switch.
        from: String,
        /// Name of the rack switch it cannot reach.
        to: String,
    },
}

/// Ports a switch can have.
pub const MAX_PORTS: u64 = 65_535;

//! A validated document: typed, complete and ready to run.

use crate::global::GlobalParameters;
use packetloom_fabric::switch::attributes::SwitchAttributes;
use packetloom_traffic::placement::{AppShares, HostSlot, Placement, PlacementError, place};
use serde::{Deserialize, Serialize};

mod kinds;

pub use packetloom_traffic::placement::Role;

pub use kinds::{ApplicationAttributes, ApplicationKind, GeneratorApplication, NicAttributes, NicKind};

/// Everything a run needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// The name of the configuration.
    pub name: String,
    /// What holds for the whole run.
    pub global: GlobalParameters,
    /// The seed of everything drawn at random.
    pub seed: u64,
    /// The kinds of switches.
    pub switches: Vec<SwitchComponent>,
    /// The kinds of NICs.
    pub nics: Vec<NicComponent>,
    /// Where each switch and server is.
    pub plan: Plan,
    /// The applications, in document order.
    pub applications: Vec<Application>,
    /// What is not quite as the document asks.
    pub warnings: Vec<String>,
}

/// A kind of switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SwitchComponent {
    /// Its name in the document.
    pub name: String,
    /// Its attributes.
    pub attributes: SwitchAttributes,
}

/// A kind of NIC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NicComponent {
    /// Its name in the document.
    pub name: String,
    /// Its attributes.
    pub attributes: NicAttributes,
}

/// An application and the part of the hosts that runs each of its roles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Application {
    /// Its name in the document.
    pub name: String,
    /// Its attributes.
    pub attributes: ApplicationAttributes,
    /// The part of the hosts that runs a client; none if clients run only where they are pinned.
    pub client_ratio: Option<f64>,
    /// The part of the hosts that runs a server; none if servers run only where they are pinned.
    pub server_ratio: Option<f64>,
}

/// All instances with their places: pods, racks in a pod, servers in a rack, each in document order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The pods.
    pub pods: Vec<PodPlan>,
    /// Spine switches that every fabric switch meets, as positions in [`Scenario::switches`].
    pub spines: Vec<usize>,
    /// The spine switches of each plane, as positions in [`Scenario::switches`]. Fabric switch `i` of each pod meets those
    /// of plane `i` modulo the number of planes.
    pub planes: Vec<Vec<usize>>,
}

/// A pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PodPlan {
    /// Its fabric switches, as positions in [`Scenario::switches`].
    pub fabric_switches: Vec<usize>,
    /// Its racks.
    pub racks: Vec<RackPlan>,
}

/// A rack.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RackPlan {
    /// Its switches, as positions in [`Scenario::switches`].
    pub switches: Vec<usize>,
    /// Its servers.
    pub servers: Vec<ServerPlan>,
}

/// A server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerPlan {
    /// Its NIC, as a position in [`Scenario::nics`].
    pub nic: usize,
    /// Roles that run here whatever is drawn.
    pub pinned: Vec<PinnedRole>,
}

/// A role of an application on a given server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedRole {
    /// The application, as a position in [`Scenario::applications`].
    pub application: usize,
    /// Its client or its server.
    pub role: Role,
}

impl Plan {
    /// All servers in (pod, rack, server) order.
    pub fn servers(&self) -> impl Iterator<Item = &ServerPlan> {
        self.pods
            .iter()
            .flat_map(|pod| &pod.racks)
            .flat_map(|rack| &rack.servers)
    }

    /// The plane of fabric switch `index` of each pod, if there are planes.
    pub fn plane_of(&self, index: usize) -> Option<usize> {
        index.checked_rem(self.planes.len())
    }

    /// The spine switches that fabric switch `index` of each pod meets.
    pub fn spines_above(&self, index: usize) -> impl Iterator<Item = usize> {
        let plane = self.plane_of(index).map(|plane| &self.planes[plane]);
        self.spines.iter().chain(plane.into_iter().flatten()).copied()
    }

    /// How many spine switches there are.
    pub fn spine_switches(&self) -> usize {
        self.spines.len() + self.planes.iter().map(Vec::len).sum::<usize>()
    }

    /// The pod, the rack in it and the server in that of a host, each counted from 0; none if there are fewer hosts.
    pub fn place_of(&self, host: usize) -> Option<(usize, usize, usize)> {
        let mut before = 0;
        for (pod, racks) in self.pods.iter().enumerate() {
            for (rack, servers) in racks.racks.iter().enumerate() {
                if let Some(server) = host.checked_sub(before).filter(|&s| s < servers.servers.len()) {
                    return Some((pod, rack, server));
                }
                before += servers.servers.len();
            }
        }
        None
    }

    /// How many hosts there are.
    pub fn hosts(&self) -> usize {
        self.servers().count()
    }
}

impl Scenario {
    /// Where each application runs: what is pinned, and the rest as drawn with the seed.
    ///
    /// # Errors
    /// When applications do not find hosts or counterparts.
    pub fn placement(&self) -> Result<Placement, PlacementError> {
        let shares: Vec<AppShares> = self
            .applications
            .iter()
            .map(|application| AppShares {
                name: application.name.clone(),
                transport: application.attributes.kind().transport(),
                client_ratio: application.client_ratio,
                server_ratio: application.server_ratio,
            })
            .collect();
        let hosts: Vec<HostSlot> = self
            .plan
            .servers()
            .map(|server| HostSlot {
                transports: self.nics[server.nic].attributes.kind().transports(),
                pinned: server
                    .pinned
                    .iter()
                    .map(|pin| (pin.application, pin.role))
                    .collect(),
            })
            .collect();
        place(&shares, &hosts, self.seed)
    }
}

//! The kinds of NICs and of applications, with what the others ask of each.

use packetloom_des::{Rate, Span};
use packetloom_nic::ethernet::attributes::EthernetNicAttributes;
use packetloom_nic::roce::attributes::RoceNicAttributes;
use packetloom_traffic::generator::sizes::Sizes;
use packetloom_traffic::generator_attributes::TrafficGeneratorAttributes;
use packetloom_traffic::placement::{Role, Transport, Transports};
use packetloom_traffic::rdma_attributes::RdmaApplicationAttributes;
use packetloom_traffic::timeline::StartType;
use serde::{Deserialize, Serialize};

/// The kinds of NICs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NicKind {
    /// For RDMA over converged Ethernet.
    Roce,
    /// Plain Ethernet.
    Ethernet,
}

impl NicKind {
    /// The name of its model.
    pub fn model(self) -> &'static str {
        match self {
            NicKind::Roce => "ScalaRoceNic",
            NicKind::Ethernet => "ScalaNic",
        }
    }

    /// What it offers to applications.
    pub fn transports(self) -> Transports {
        match self {
            NicKind::Roce => Transports::RDMA,
            NicKind::Ethernet => Transports::TCP,
        }
    }

    /// The kind that a model is of.
    pub fn of_model(name: &str) -> Option<Self> {
        [NicKind::Roce, NicKind::Ethernet]
            .into_iter()
            .find(|kind| kind.model() == name)
    }
}

/// The kinds of applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ApplicationKind {
    /// RDMA writes.
    Rdma,
    /// Requests and replies over TCP.
    Generator,
}

impl ApplicationKind {
    /// All of them.
    pub const ALL: [ApplicationKind; 2] = [ApplicationKind::Rdma, ApplicationKind::Generator];

    /// The name of its model.
    pub fn model(self) -> &'static str {
        match self {
            ApplicationKind::Rdma => "ScalaRdmaApplication",
            ApplicationKind::Generator => "ScalaTrafficGeneratorApplication",
        }
    }

    /// The kind that a model is of.
    pub fn of_model(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.model() == name)
    }

    /// What it needs of the NICs of its hosts.
    pub fn transport(self) -> Transport {
        match self {
            ApplicationKind::Rdma => Transport::Rdma,
            ApplicationKind::Generator => Transport::Tcp,
        }
    }

    /// The kind of NIC that offers it that.
    pub fn nic(self) -> NicKind {
        match self {
            ApplicationKind::Rdma => NicKind::Roce,
            ApplicationKind::Generator => NicKind::Ethernet,
        }
    }

    /// What its client or its server is called.
    pub fn role_name(self, role: Role) -> &'static str {
        match (self, role) {
            (ApplicationKind::Rdma, Role::Client) => "Initiator",
            (ApplicationKind::Rdma, Role::Server) => "Responder",
            (ApplicationKind::Generator, Role::Client) => "Client",
            (ApplicationKind::Generator, Role::Server) => "Server",
        }
    }

    /// The id of the part of the hosts that runs a role.
    pub fn distribution_id(self, role: Role) -> &'static str {
        match (self, role) {
            (ApplicationKind::Rdma, Role::Client) => "prScalaRdmaInitiator",
            (ApplicationKind::Rdma, Role::Server) => "prScalaRdmaResponder",
            (ApplicationKind::Generator, Role::Client) => "prScalaTrafficGenerator",
            (ApplicationKind::Generator, Role::Server) => "prScalaTrafficServer",
        }
    }
}

/// The attributes of a NIC, by its model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each kind of NIC, not for each NIC"
)]
pub enum NicAttributes {
    /// A NIC for RDMA over converged Ethernet.
    Roce(RoceNicAttributes),
    /// A plain Ethernet NIC.
    Ethernet(EthernetNicAttributes),
}

impl NicAttributes {
    /// Which kind it is.
    pub fn kind(&self) -> NicKind {
        match self {
            NicAttributes::Roce(_) => NicKind::Roce,
            NicAttributes::Ethernet(_) => NicKind::Ethernet,
        }
    }

    /// The port's rate.
    pub fn rate(&self) -> Rate {
        match self {
            NicAttributes::Roce(nic) => nic.network_interface.uplink_network_interface.data_rate,
            NicAttributes::Ethernet(nic) => nic.network_interface.uplink_network_interface.data_rate,
        }
    }

    /// Propagation delay of the link to the switch.
    pub fn delay(&self) -> Span {
        match self {
            NicAttributes::Roce(nic) => nic.network_interface.transmission_medium.delay,
            NicAttributes::Ethernet(nic) => nic.network_interface.transmission_medium.delay,
        }
    }

    /// Whether `net-buff-stats` tells of it, if the run writes it.
    pub fn enable_buffer_stats(&self) -> bool {
        match self {
            NicAttributes::Roce(nic) => nic.enable_buffer_stats,
            NicAttributes::Ethernet(nic) => nic.enable_buffer_stats,
        }
    }

    /// Those of a RoCE NIC, if it is one.
    pub fn roce(&self) -> Option<&RoceNicAttributes> {
        match self {
            NicAttributes::Roce(nic) => Some(nic),
            NicAttributes::Ethernet(_) => None,
        }
    }

    /// Those of a plain Ethernet NIC, if it is one.
    pub fn ethernet(&self) -> Option<&EthernetNicAttributes> {
        match self {
            NicAttributes::Roce(_) => None,
            NicAttributes::Ethernet(nic) => Some(nic),
        }
    }
}

/// The attributes of an application, by its model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ApplicationAttributes {
    /// RDMA writes.
    Rdma(RdmaApplicationAttributes),
    /// Requests and replies over TCP.
    Generator(GeneratorApplication),
}

/// A traffic generator with what its files hold, so that a run reads none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeneratorApplication {
    /// Its attributes.
    pub attributes: TrafficGeneratorAttributes,
    /// How the sizes of requests are drawn.
    pub request: Sizes,
    /// How the sizes of replies are drawn.
    pub reply: Sizes,
}

impl ApplicationAttributes {
    /// Which kind it is.
    pub fn kind(&self) -> ApplicationKind {
        match self {
            ApplicationAttributes::Rdma(_) => ApplicationKind::Rdma,
            ApplicationAttributes::Generator(_) => ApplicationKind::Generator,
        }
    }

    /// Connections of each pair.
    pub fn num_connections(&self) -> u64 {
        match self {
            ApplicationAttributes::Rdma(rdma) => rdma.num_connections,
            ApplicationAttributes::Generator(generator) => generator.attributes.num_connections,
        }
    }

    /// When connections start within the client start window.
    pub fn start_type(&self) -> StartType {
        match self {
            ApplicationAttributes::Rdma(rdma) => rdma.start_type,
            ApplicationAttributes::Generator(generator) => generator.attributes.start_type,
        }
    }

    /// Those of an RDMA application, if it is one.
    pub fn rdma(&self) -> Option<&RdmaApplicationAttributes> {
        match self {
            ApplicationAttributes::Rdma(rdma) => Some(rdma),
            ApplicationAttributes::Generator(_) => None,
        }
    }

    /// Those of a traffic generator, if it is one.
    pub fn generator(&self) -> Option<&GeneratorApplication> {
        match self {
            ApplicationAttributes::Rdma(_) => None,
            ApplicationAttributes::Generator(generator) => Some(generator),
        }
    }
}

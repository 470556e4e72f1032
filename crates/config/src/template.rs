//! Documents to start from.

use crate::document::{self, Document};
use packetloom_params::Errors;
use packetloom_params::problem::did_you_mean;

/// A document that comes with the program.
#[derive(Debug)]
pub struct Template {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub description: &'static str,
    /// The document.
    pub text: &'static str,
}

static TEMPLATES: [Template; 8] = [
    Template {
        name: "rdma-16-hosts",
        description: "Two racks of 8 hosts under 2 fabric switches; half of the hosts write to the other half",
        text: include_str!("../templates/rdma-16-hosts.json"),
    },
    Template {
        name: "rdma-one-rack",
        description: "One rack of 8 hosts on one switch; half of the hosts write to the other half",
        text: include_str!("../templates/rdma-one-rack.json"),
    },
    Template {
        name: "rdma-incast",
        description: "One rack of 9 hosts on one switch; 8 hosts write to the ninth",
        text: include_str!("../templates/rdma-incast.json"),
    },
    Template {
        name: "rdma-three-tier",
        description: "1,024 hosts in 4 pods under 4 planes of 2 spine switches, non-blocking; a run of 1 ms",
        text: include_str!("../templates/rdma-three-tier.json"),
    },
    Template {
        name: "rdma-16k",
        description: "16,384 hosts in 16 pods under 8 planes of 8 spine switches, non-blocking; a run of 0.1 ms",
        text: include_str!("../templates/rdma-16k.json"),
    },
    Template {
        name: "tcp-16-hosts",
        description: "Two racks of 8 hosts under 2 fabric switches, 100 Gbps; half of the hosts ask the other half over TCP",
        text: include_str!("../templates/tcp-16-hosts.json"),
    },
    Template {
        name: "tcp-incast",
        description: "One rack of 9 hosts; 8 answer the ninth at once over TCP, more than the switch's buffer holds",
        text: include_str!("../templates/tcp-incast.json"),
    },
    Template {
        name: "mixed-rdma-tcp",
        description: "Two racks of 4 hosts for RDMA and 4 for TCP; RDMA in lossless classes, TCP in a lossy one",
        text: include_str!("../templates/mixed-rdma-tcp.json"),
    },
];

/// All templates.
pub fn all() -> &'static [Template] {
    &TEMPLATES
}

/// The names of the templates.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    TEMPLATES.iter().map(|template| template.name)
}

/// The document of the template called `name`.
pub fn text(name: &str) -> Option<&'static str> {
    TEMPLATES
        .iter()
        .find(|template| template.name == name)
        .map(|template| template.text)
}

/// The one line about the template called `name`.
pub fn description(name: &str) -> Option<&'static str> {
    TEMPLATES
        .iter()
        .find(|template| template.name == name)
        .map(|template| template.description)
}

/// The document of the template called `name`.
///
/// # Errors
/// When there is none; the message names the nearest.
pub fn find(name: &str) -> Result<&'static str, Errors> {
    text(name).ok_or_else(|| {
        let message = format!("there is no template \"{name}\"");
        Errors::one("", message, did_you_mean(name, names()))
    })
}

/// The template called `name`, read.
///
/// # Errors
/// When there is none; the message names the nearest.
pub fn document(name: &str) -> Result<Document, Errors> {
    document::read(find(name)?)
}

//! What a row of a record is of: a port, a class of one, a NIC or a connection.

use crate::network::tier_name;
use serde::Serialize;

/// A port, a class of one, a NIC or a connection, as it is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The switch, host or connection.
    pub component: String,
    /// Its port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u64>,
    /// The traffic class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<u64>,
    /// Its tier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// The direction of the port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
}

/// A port, a class of one, a NIC or a connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    pub name: Box<str>,
    pub port: Option<u64>,
    pub class: Option<u64>,
    pub tier: Option<u64>,
    pub up: Option<bool>,
}

impl Key {
    /// As it is told.
    pub fn place(&self) -> Place {
        Place {
            component: self.name.to_string(),
            port: self.port,
            class: self.class,
            tier: self.tier.map(tier_name),
            direction: self.up.map(|up| if up { "up" } else { "down" }.to_owned()),
        }
    }
}

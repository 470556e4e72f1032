//! What applications need of NICs, and what NICs offer.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What an application needs of a host's NIC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Transport {
    /// Queue pairs: RDMA.
    Rdma,
    /// Plain Ethernet frames, over which the host runs TCP.
    Tcp,
}

impl Transport {
    /// All of them, in the order in which they take part in every check.
    pub(super) const ALL: [Transport; 2] = [Transport::Rdma, Transport::Tcp];
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Transport::Rdma => "RDMA",
            Transport::Tcp => "TCP",
        })
    }
}

/// What a host's NIC offers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Transports {
    /// Whether it offers [`Transport::Rdma`].
    pub rdma: bool,
    /// Whether it offers [`Transport::Tcp`].
    pub tcp: bool,
}

impl Transports {
    /// A NIC on which no application can run.
    pub const NONE: Transports = Transports {
        rdma: false,
        tcp: false,
    };
    /// A NIC for RDMA alone.
    pub const RDMA: Transports = Transports {
        rdma: true,
        tcp: false,
    };
    /// A NIC for TCP alone.
    pub const TCP: Transports = Transports {
        rdma: false,
        tcp: true,
    };
    /// A NIC on which every application can run.
    pub const ALL: Transports = Transports {
        rdma: true,
        tcp: true,
    };

    /// Whether an application that needs `transport` can run on it.
    pub fn offers(self, transport: Transport) -> bool {
        match transport {
            Transport::Rdma => self.rdma,
            Transport::Tcp => self.tcp,
        }
    }
}

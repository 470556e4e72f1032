//! Which hosts run an application's clients and servers, and which client is paired with which server.
//!
//! Both are drawn from the run's seed, each from a stream of its own, in an order that is part of the documented
//! behaviour: the same hosts, ratios and seed give the same pairs, for ever.
//!
//! A *component* is the client or the server of one application. Every drawn component has a distribution ratio; all
//! ratios add up to 1.

mod counts;
mod deal;
mod pairing;
#[cfg(test)]
mod tests;
mod transport;

pub use transport::{Transport, Transports};

use packetloom_des::random::Stream;
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// The two sides of an application.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Role {
    /// Starts connections and requests: the RDMA application's Initiator.
    Client,
    /// Listens and answers: the RDMA application's Responder.
    Server,
}

/// Both roles, in the order in which they take part in every count and draw.
const ROLES: [Role; 2] = [Role::Client, Role::Server];

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Client => "client",
            Role::Server => "server",
        })
    }
}

/// An application and the shares of the hosts its components are drawn for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AppShares {
    /// The application's name; it names the stream of the pairing.
    pub name: String,
    /// What it needs of the NICs of its hosts.
    pub transport: Transport,
    /// Ratio of hosts that run the client, above 0 and at most 1; `None` if it is only pinned.
    pub client_ratio: Option<f64>,
    /// Ratio of hosts that run the server, above 0 and at most 1; `None` if it is only pinned.
    pub server_ratio: Option<f64>,
}

impl AppShares {
    fn ratio(&self, role: Role) -> Option<f64> {
        match role {
            Role::Client => self.client_ratio,
            Role::Server => self.server_ratio,
        }
    }
}

/// What placement has to know of a host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostSlot {
    /// What the host's NIC offers.
    pub transports: Transports,
    /// Components that run on this host by declaration, as the application's index and the role.
    pub pinned: Vec<(usize, Role)>,
}

/// Where everything runs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Placement {
    /// In the order of the applications.
    pub applications: Vec<AppPlacement>,
}

/// Where one application runs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AppPlacement {
    /// Hosts that run the client, in host order.
    pub clients: Vec<u32>,
    /// Hosts that run the server, in host order.
    pub servers: Vec<u32>,
    /// Client host and server host of each pair: by client in host order, and for one client in the order drawn.
    pub pairs: Vec<(u32, u32)>,
}

impl AppPlacement {
    fn hosts_mut(&mut self, role: Role) -> &mut Vec<u32> {
        match role {
            Role::Client => &mut self.clients,
            Role::Server => &mut self.servers,
        }
    }
}

/// Why applications cannot be placed.
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// A ratio that is 0, negative, above 1, or no number.
    #[error("the {role} ratio of application `{application}` is {ratio}; it must be above 0 and at most 1")]
    Ratio {
        /// The application's name.
        application: String,
        /// The role.
        role: Role,
        /// The ratio as given.
        ratio: f64,
    },
    /// Ratios that do not share out all hosts.
    #[error("the distribution ratios of all applications add up to {sum}; they must add up to 1")]
    Sum {
        /// What they add up to.
        sum: f64,
    },
    /// More components than hosts to run them.
    #[error(
        "the ratios ask for {components} hosts (each ratio is worth at least one), but there are {hosts} without a \
         pinned application; add servers or remove an application"
    )]
    TooManyComponents {
        /// Hosts the ratios ask for.
        components: u64,
        /// Hosts left to draw from.
        hosts: u64,
    },
    /// Not enough hosts whose NIC offers what some of the applications need.
    #[error(
        "the ratios ask for {components} hosts that run {applications}, but only {able} of the hosts without a pinned \
         application have a NIC for {transport}; give more hosts such a NIC, or change the ratios"
    )]
    TooFewAbleHosts {
        /// Names of the applications that need it, each in backquotes.
        applications: String,
        /// What they need.
        transport: Transport,
        /// Hosts the ratios ask for.
        components: u64,
        /// Hosts that could run them.
        able: u64,
    },
    /// Not enough hosts whose NIC can run any of the applications, though each kind of application alone has enough.
    #[error(
        "the ratios ask for {components} hosts, but only {able} of the hosts without a pinned application have a \
         NIC that can run one; give the others such a NIC, or pin the applications to servers"
    )]
    TooFewHosts {
        /// Hosts the ratios ask for.
        components: u64,
        /// Hosts that could run them.
        able: u64,
    },
    /// A pin to a host whose NIC cannot run the application.
    #[error(
        "the {role} of application `{application}` is pinned to host {host}, whose NIC cannot run it; give that host a \
         NIC for {transport}, or pin it to another"
    )]
    PinnedUnable {
        /// The application's name.
        application: String,
        /// The role.
        role: Role,
        /// The host's index.
        host: u32,
        /// What the application needs.
        transport: Transport,
    },
    /// The same component twice on one host.
    #[error("the {role} of application `{application}` is pinned to host {host} more than once")]
    PinnedTwice {
        /// The application's name.
        application: String,
        /// The role.
        role: Role,
        /// The host's index.
        host: u32,
    },
    /// A pin that names an application that is not there.
    #[error("host {host} names application number {application}, but there are {applications}")]
    NoSuchApplication {
        /// The host's index.
        host: u32,
        /// The application's index as given.
        application: usize,
        /// How many there are.
        applications: usize,
    },
    /// One side of an application runs nowhere.
    #[error(
        "application `{application}` runs on hosts as one side but has no {missing}; give it a ratio or a pin"
    )]
    OneSided {
        /// The application's name.
        application: String,
        /// The side that is missing.
        missing: Role,
    },
    /// A component whose only counterpart is on its own host.
    #[error(
        "the {role} of application `{application}` on host {host} has no counterpart on another host; add one"
    )]
    OnlyItself {
        /// The application's name.
        application: String,
        /// The role without a counterpart.
        role: Role,
        /// The host's index.
        host: u32,
    },
}

/// Places `apps` on `hosts` and pairs clients with servers.
///
/// The steps, in this order:
///
/// 1. Pinned components go where they are declared. A host with any of them takes no part in the draw.
/// 2. The number of hosts of every other component is taken from its ratio of the hosts that are left, able or not:
///    `floor(ratio x hosts)`, at least 1; if these counts add up to less than the hosts, each component whose share
///    is still below its ratio gets one more, in turn, until every host is taken. Turns go by application, and in
///    each the client first. Ratios are decimal numbers here.
/// 3. The hosts that are left and can run any of the drawn applications, in host order, are shuffled with the stream of
///    entity `topology` and purpose `placement`, and dealt out: the first application's client takes as many as it
///    needs from the front, then its server, then the next application's client, and so on. Each passes over the hosts
///    that it cannot run on, and over those that the components after it could not do without.
/// 4. Each application's clients and servers are paired with a stream of its own, entity `application {name}` and
///    purpose `pairing`. The pairs depend on the two lists of hosts and the seed alone.
pub fn place(apps: &[AppShares], hosts: &[HostSlot], seed: u64) -> Result<Placement, PlacementError> {
    let mut placement = Placement {
        applications: vec![AppPlacement::default(); apps.len()],
    };
    pin(apps, hosts, &mut placement)?;
    draw(apps, hosts, seed, &mut placement)?;
    for (app, placed) in apps.iter().zip(&mut placement.applications) {
        placed.clients.sort_unstable();
        placed.servers.sort_unstable();
        let mut stream = Stream::new(seed, &format!("application {}", app.name), "pairing");
        placed.pairs = pairing::pair(&app.name, &placed.clients, &placed.servers, &mut stream)?;
    }
    Ok(placement)
}

/// Puts pinned components on their hosts.
fn pin(apps: &[AppShares], hosts: &[HostSlot], placement: &mut Placement) -> Result<(), PlacementError> {
    for (host, slot) in hosts.iter().enumerate() {
        let host = host as u32;
        for (position, &(application, role)) in slot.pinned.iter().enumerate() {
            let Some(app) = apps.get(application) else {
                let applications = apps.len();
                return Err(PlacementError::NoSuchApplication {
                    host,
                    application,
                    applications,
                });
            };
            let application_name = app.name.clone();
            if !slot.transports.offers(app.transport) {
                return Err(PlacementError::PinnedUnable {
                    application: application_name,
                    role,
                    host,
                    transport: app.transport,
                });
            }
            if slot.pinned[..position].contains(&(application, role)) {
                return Err(PlacementError::PinnedTwice {
                    application: application_name,
                    role,
                    host,
                });
            }
            placement.applications[application].hosts_mut(role).push(host);
        }
    }
    Ok(())
}

/// Draws the hosts of the components that have a ratio.
fn draw(
    apps: &[AppShares],
    hosts: &[HostSlot],
    seed: u64,
    placement: &mut Placement,
) -> Result<(), PlacementError> {
    let mut shares = Vec::new();
    for (application, app) in apps.iter().enumerate() {
        for role in ROLES {
            if let Some(ratio) = app.ratio(role) {
                shares.push(counts::Share::new(application, &app.name, role, ratio)?);
            }
        }
    }
    if shares.is_empty() {
        return Ok(());
    }
    let left = || {
        hosts
            .iter()
            .enumerate()
            .filter(|(_, slot)| slot.pinned.is_empty())
    };
    let counts = counts::counts(&shares, left().count() as u64)?;
    let needs: Vec<deal::Need> = shares
        .iter()
        .zip(counts)
        .map(|(share, count)| deal::Need {
            transport: apps[share.application].transport,
            count,
        })
        .collect();
    let needed = |transport| needs.iter().any(|need| need.transport == transport);
    let mut deck: Vec<deal::Card> = left()
        .filter(|(_, slot)| {
            Transport::ALL
                .iter()
                .any(|&t| needed(t) && slot.transports.offers(t))
        })
        .map(|(host, slot)| deal::Card {
            host: host as u32,
            transports: slot.transports,
        })
        .collect();
    enough(apps, &shares, &needs, &deck)?;
    Stream::new(seed, "topology", "placement").shuffle(&mut deck);
    for (share, dealt) in shares.iter().zip(deal::deal(&needs, deck)) {
        placement.applications[share.application]
            .hosts_mut(share.role)
            .extend(dealt);
    }
    Ok(())
}

/// Checks that there are hosts for all components: for each transport, and in all.
fn enough(
    apps: &[AppShares],
    shares: &[counts::Share],
    needs: &[deal::Need],
    deck: &[deal::Card],
) -> Result<(), PlacementError> {
    for transport in Transport::ALL {
        let able = deck
            .iter()
            .filter(|card| card.transports.offers(transport))
            .count() as u64;
        let components = deal::demand(needs, transport);
        if components > able {
            let mut names: Vec<String> = shares
                .iter()
                .map(|share| &apps[share.application])
                .filter(|app| app.transport == transport)
                .map(|app| format!("`{}`", app.name))
                .collect();
            names.dedup();
            return Err(PlacementError::TooFewAbleHosts {
                applications: names.join(", "),
                transport,
                components,
                able,
            });
        }
    }
    let (components, able) = (needs.iter().map(|need| need.count).sum(), deck.len() as u64);
    if components > able {
        return Err(PlacementError::TooFewHosts { components, able });
    }
    Ok(())
}

//! Platform files: hosts, routers, links and zones in XML, version 4.1, as SimGrid reads them.
//!
//! - `read`: the outermost element and zones
//! - `build`: what all elements have in common
//! - `elements`: hosts and links
//! - `cluster`, with `topologies`: the cluster tag, and zones routed as clusters
//! - `routes`: routes and bypasses
//! - `traces`: profiles inside the file

mod build;
mod cluster;
mod elements;
mod read;
mod routes;
mod topologies;
mod traces;

use crate::error::{Error, show};
use crate::link::{HostId, Link, LinkId, NetworkSettings, Profile};
use crate::routing::{Kind, Missing, PointId, Topology};
use crate::xml;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

pub(crate) use read::{ELEMENTS, check_version};

/// A host.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// Its name, unique in the platform
    pub name: String,
    /// Speed of one core, operations per second, above 0
    pub speed: f64,
    /// How many cores it has, at least 1
    pub cores: u32,
    /// Properties, in the order of the file
    pub properties: Vec<(String, String)>,
    /// Which share of its speed there is, and when
    pub speed_profile: Option<Arc<Profile>>,
    /// When it is up (a value above 0) and when it is down (0)
    pub state_profile: Option<Arc<Profile>>,
}

impl Host {
    /// The value of a property.
    pub fn property(&self, name: &str) -> Option<&str> {
        let found = self.properties.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// The way from one host to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Its links, in order; there is at least one
    pub links: Arc<[LinkId]>,
    /// The sum of their latencies as the file states them, seconds
    pub latency: f64,
}

/// A platform.
#[derive(Debug)]
pub struct Platform {
    name: String,
    hosts: Vec<Host>,
    links: Vec<Link>,
    settings: NetworkSettings,
    warnings: Vec<String>,
    topology: Topology,
    /// All points by their names; never gone through
    names: HashMap<String, PointId>,
    /// The points that the hosts are
    places: Vec<PointId>,
    /// The way from a host to itself where the zone has none
    loopback: LinkId,
    /// Routes asked for so far; never gone through
    routes: HashMap<(HostId, HostId), Route>,
    /// Room for the next route
    scratch: Vec<LinkId>,
}

impl Platform {
    /// Reads a platform file. Paths of profiles in it begin at its folder.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, and what [`parse`](Self::parse) refuses.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&xml::read(path)?, &path.display().to_string(), Some(folder))
    }

    /// Reads the text of a platform file that messages call `name`. Paths of profiles begin at `base`; without it they are refused.
    ///
    /// # Errors
    ///
    /// The first fault, with its place and what would be right: text that is not XML, elements and attributes that are unknown,
    /// missing or not simulated, values that cannot be, names that are taken or unknown, routes that cannot be.
    pub fn parse(text: &str, name: &str, base: Option<&Path>) -> Result<Self, Error> {
        let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
        if text.trim_start_matches(blank).starts_with('{') {
            return Err(Error::Configuration {
                name: name.to_owned(),
            });
        }
        read::platform(text, name, base)
    }

    /// The file as it was named.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All hosts, in the order of the file; a [`HostId`] is a place among them.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The host of a name.
    pub fn host(&self, name: &str) -> Option<HostId> {
        match self.topology.point(*self.names.get(name)?).kind {
            Kind::Host(host) => Some(host),
            Kind::Router | Kind::Zone(_) => None,
        }
    }

    /// All links, in the order of the file; a [`LinkId`] is a place among them. A link with the sharing policy SPLITDUPLEX is two,
    /// NAME_UP and NAME_DOWN. The last one, `__loopback__`, is the way from a host to itself where its zone has none.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// What the file sets for the whole network.
    pub fn settings(&self) -> &NetworkSettings {
        &self.settings
    }

    /// What was read but is deprecated, has no effect, or looks like a mistake; each with its place.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The way from one host to another. It is found when it is first asked for.
    ///
    /// # Errors
    ///
    /// [`Error::NoRoute`] if the file has none.
    ///
    /// # Panics
    ///
    /// If a host is of another platform.
    pub fn route(&mut self, from: HostId, to: HostId) -> Result<Route, Error> {
        if let Some(route) = self.routes.get(&(from, to)) {
            return Ok(route.clone());
        }
        self.scratch.clear();
        let (begin, end) = (self.places[from.0 as usize], self.places[to.0 as usize]);
        let found = self.topology.route(begin, end, &mut self.scratch);
        if found.is_err() || self.scratch.is_empty() {
            if from != to {
                return Err(self.no_route(from, to, found.err()));
            }
            self.scratch.clear();
            self.scratch.push(self.loopback);
        }
        let latencies = self
            .scratch
            .iter()
            .map(|link| self.links[link.0 as usize].latency);
        let route = Route {
            latency: latencies.sum(),
            links: self.scratch.as_slice().into(),
        };
        self.routes.insert((from, to), route.clone());
        Ok(route)
    }

    fn no_route(&self, from: HostId, to: HostId, missing: Option<Missing>) -> Error {
        let why = match missing {
            None => "the way has no link; add one to a route on it".to_owned(),
            Some(missing) => {
                let point = |id| self.topology.point(id);
                let tag = match point(missing.from).kind {
                    Kind::Zone(_) => "zoneRoute",
                    Kind::Host(_) | Kind::Router => "route",
                };
                format!(
                    "the zone {} has none from {} to {}; add a <{tag}> there",
                    show(&point(missing.zone).name),
                    show(&point(missing.from).name),
                    show(&point(missing.to).name)
                )
            }
        };
        Error::NoRoute {
            platform: self.name.clone(),
            from: self.hosts[from.0 as usize].name.clone(),
            to: self.hosts[to.0 as usize].name.clone(),
            why,
        }
    }
}

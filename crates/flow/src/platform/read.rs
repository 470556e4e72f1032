//! The outermost element, zones, and what all elements have in common.

use super::cluster::Rays;
use super::{Host, Platform};
use crate::error::{Error, did_you_mean, show};
use crate::link::{HostId, Link, LinkId, NetworkSettings, Sharing};
use crate::routing::{Graph, Kind, Point, PointId, Routing, Search, Topology, Zone, ZoneId};
use crate::settings;
use crate::units::Quantity;
use crate::xml::{Element, Text};
use std::collections::HashMap;
use std::path::Path;

/// The elements that may stand in `<platform>`, without those of a deployment.
pub(crate) const ELEMENTS: [&str; 9] = [
    "config",
    "zone",
    "AS",
    "cluster",
    "cabinet",
    "peer",
    "trace",
    "trace_connect",
    "random",
];

/// Most zones around each other.
const DEEPEST: u32 = 256;
/// Most hosts of a platform.
pub(super) const MOST_HOSTS: usize = 1_000_000;
/// Most links of a platform.
pub(super) const MOST_LINKS: usize = 8_000_000;

/// What a name in a route stands for.
#[derive(Clone, Copy)]
pub(super) enum Wire {
    /// A link
    One(LinkId),
    /// A link in two: up and down
    Split(LinkId, LinkId),
}

/// A platform while it is read.
pub(super) struct Reader<'a> {
    pub base: Option<&'a Path>,
    pub hosts: Vec<Host>,
    pub links: Vec<Link>,
    pub settings: NetworkSettings,
    pub warnings: Vec<String>,
    pub topology: Topology,
    pub names: HashMap<String, PointId>,
    pub places: Vec<PointId>,
    pub wires: HashMap<String, Wire>,
    /// How many cables topologies of clusters have made: SimGrid puts the count into their names
    pub cables: u32,
    /// Routes, which may name what comes later
    pub routes: Vec<(ZoneId, Element<'a>)>,
    /// Profiles, and what they belong to
    pub traces: Vec<Element<'a>>,
    pub connections: Vec<Element<'a>>,
}

/// Reads a platform.
pub(super) fn platform(text: &str, name: &str, base: Option<&Path>) -> Result<Platform, Error> {
    let text = Text::new(text, name);
    let document = text.parse()?;
    let root = Element::root(&text, &document);
    let mut reader = Reader {
        base,
        hosts: Vec::new(),
        links: Vec::new(),
        settings: NetworkSettings::default(),
        warnings: Vec::new(),
        topology: Topology::default(),
        names: HashMap::new(),
        places: Vec::new(),
        wires: HashMap::new(),
        cables: 0,
        routes: Vec::new(),
        traces: Vec::new(),
        connections: Vec::new(),
    };
    check_version(root, &mut reader.warnings)?;
    reader.root(root)?;
    reader.connect_traces()?;
    reader.declare_routes()?;
    let loopback = reader.link(
        root,
        Link {
            name: "__loopback__".to_owned(),
            bandwidth: reader.settings.loopback_bandwidth,
            latency: reader.settings.loopback_latency,
            sharing: Sharing::FatPipe,
            bandwidth_profile: None,
            latency_profile: None,
            state_profile: None,
        },
    )?;
    Ok(Platform {
        name: name.to_owned(),
        hosts: reader.hosts,
        links: reader.links,
        settings: reader.settings,
        warnings: reader.warnings,
        topology: reader.topology,
        names: reader.names,
        places: reader.places,
        loopback,
        routes: HashMap::new(),
        scratch: Vec::new(),
    })
}

/// Refuses files that are not platforms or deployments of version 4 or 4.1.
pub(crate) fn check_version(root: Element<'_>, warnings: &mut Vec<String>) -> Result<(), Error> {
    if root.tag() != "platform" {
        let message = format!("the outermost element is <{}>", root.tag());
        return Err(root.wrong(message, "it must be <platform version=\"4.1\">"));
    }
    root.allow(&["version"])?;
    let version = root.required("version")?;
    match version.trim().parse::<f64>() {
        Ok(number) if (4.0..=4.1).contains(&number) => Ok(()),
        Ok(number) if number < 4.0 => {
            let message = format!("version {} is too old", show(version));
            Err(root.wrong_value(
                "version",
                message,
                "bring the file to version 4.1 with simgrid_update_xml",
            ))
        }
        Ok(number) if number < 5.0 => {
            warnings.push(format!(
                "{}: version {} is read as 4.1",
                root.place(),
                show(version)
            ));
            Ok(())
        }
        _ => {
            let message = format!("version {} is unknown", show(version));
            Err(root.wrong_value("version", message, "write version=\"4.1\""))
        }
    }
}

impl<'a> Reader<'a> {
    fn root(&mut self, root: Element<'a>) -> Result<(), Error> {
        for element in root.children()? {
            match element.tag() {
                "config" if self.topology.zones.is_empty() => {
                    settings::apply(element, &mut self.settings, &mut self.warnings)?;
                }
                "config" => {
                    return Err(element.wrong(
                        "<config> behind a zone",
                        "put it in front of all others in <platform>",
                    ));
                }
                "zone" | "AS" | "cluster" if !self.topology.zones.is_empty() => {
                    return Err(element.wrong(
                        "a second outermost zone",
                        "put both into one zone, with a <zoneRoute> between them",
                    ));
                }
                "zone" | "AS" => self.zone(element, None)?,
                "cluster" => self.cluster(element, None)?,
                // The deployment may stand in the same file.
                "actor" | "process" => {}
                _ => self.anywhere(element, "platform", &ELEMENTS)?,
            }
        }
        if self.topology.zones.is_empty() {
            let remedy = if root.children()?.is_empty() {
                "add a <zone> with hosts, links and routes"
            } else {
                "a platform file has a <zone>; is this the deployment?"
            };
            return Err(root.wrong("no zone", remedy));
        }
        Ok(())
    }

    /// Elements that may stand in the platform as well as in a zone, and those that are gone.
    fn anywhere(&mut self, element: Element<'a>, parent: &str, known: &[&str]) -> Result<(), Error> {
        match element.tag() {
            "trace" => self.traces.push(element),
            "trace_connect" => self.connections.push(element),
            "random" => {
                let message = format!("{}: <random> has no effect", element.place());
                self.warnings.push(message);
            }
            "include" | "storage" | "storage_type" | "mount" => {
                let message = format!("<{}> is no longer part of SimGrid", element.tag());
                return Err(element.wrong(message, "take it out"));
            }
            "peer" => {
                return Err(element.wrong(
                    "<peer> needs Vivaldi routing, which is not simulated",
                    "write a <host> with <link> and <route>",
                ));
            }
            "cabinet" | "host_link" | "backbone" => {
                let message = format!("<{}> outside a zone routed as Cluster", element.tag());
                return Err(element.wrong(message, "put it into <zone routing=\"Cluster\">"));
            }
            _ => return Err(element.unexpected(parent, known)),
        }
        Ok(())
    }

    fn zone(&mut self, element: Element<'a>, parent: Option<ZoneId>) -> Result<(), Error> {
        element.allow(&["id", "routing"])?;
        let routing = routing(element)?;
        let is_star = matches!(routing, Routing::Star(_));
        let zone = self.add_zone(element, element.required("id")?, parent, routing)?;
        let mut rays = Rays::default();
        for child in element.children()? {
            match child.tag() {
                "prop" => child.allow(&["id", "value"])?,
                "zone" | "AS" => self.zone(child, Some(zone))?,
                "cluster" => self.cluster(child, Some(zone))?,
                "host" => self.host(child, zone)?,
                "router" => self.router(child, zone)?,
                "link" => self.link_element(child)?,
                "cabinet" | "host_link" | "backbone" if is_star => rays.take(child)?,
                "route" | "zoneRoute" | "ASroute" | "bypassRoute" | "bypassZoneRoute" | "bypassASroute" => {
                    self.routes.push((zone, child));
                }
                _ => self.anywhere(child, element.tag(), &ZONE_ELEMENTS)?,
            }
        }
        if is_star {
            self.add_rays(zone, &rays)?;
        }
        Ok(())
    }

    /// Adds a zone.
    pub fn add_zone(
        &mut self,
        element: Element<'_>,
        name: &str,
        parent: Option<ZoneId>,
        routing: Routing,
    ) -> Result<ZoneId, Error> {
        let mut around = parent;
        while let Some(zone) = around {
            let point = self.topology.zone(zone).point;
            if self.topology.point(point).name == name {
                let message = format!("a cyclic zone: {} is inside itself", show(name));
                return Err(element.wrong_value("id", message, "give the inner zone a name of its own"));
            }
            around = self.topology.point(point).zone;
        }
        let depth = parent.map_or(0, |parent| self.topology.zone(parent).depth + 1);
        if depth >= DEEPEST {
            let message = format!("more than {DEEPEST} zones around each other");
            return Err(element.wrong(message, "nest them less deep"));
        }
        let zone = ZoneId(self.topology.zones.len() as u32);
        let point = self.point(element, "id", name, Kind::Zone(zone), parent)?;
        self.topology.zones.push(Zone {
            point,
            depth,
            points: 0,
            holds_zones: false,
            routing,
            bypasses: HashMap::new(),
        });
        Ok(zone)
    }

    /// Adds a host, router or zone whose name is the value of `attribute`, or comes from it.
    pub fn point(
        &mut self,
        element: Element<'_>,
        attribute: &str,
        name: &str,
        kind: Kind,
        zone: Option<ZoneId>,
    ) -> Result<PointId, Error> {
        let id = PointId(self.topology.points.len() as u32);
        if let Some(first) = self.names.get(name) {
            let first = match self.topology.point(*first).kind {
                Kind::Host(_) => "a host",
                Kind::Router => "a router",
                Kind::Zone(_) => "a zone",
            };
            let message = format!("there is {first} {} already", show(name));
            let remedy = "give each host, router and zone a name of its own";
            return Err(element.wrong_value(attribute, message, remedy));
        }
        let mut slot = 0;
        if let Some(around) = zone {
            let around = &mut self.topology.zones[around.0 as usize];
            let is_zone = matches!(kind, Kind::Zone(_));
            if around.points > 0 && around.holds_zones != is_zone {
                return Err(element.wrong(
                    "hosts or routers beside zones",
                    "put them into a zone of their own: a zone holds either",
                ));
            }
            around.holds_zones = is_zone;
            slot = around.points;
            around.points += 1;
        }
        self.names.insert(name.to_owned(), id);
        self.topology.points.push(Point {
            name: name.to_owned(),
            kind,
            zone,
            slot,
        });
        Ok(id)
    }

    /// Adds a host.
    pub fn add_host(
        &mut self,
        element: Element<'_>,
        attribute: &str,
        host: Host,
        zone: ZoneId,
    ) -> Result<PointId, Error> {
        if self.hosts.len() >= MOST_HOSTS {
            let message = format!("more than {MOST_HOSTS} hosts");
            return Err(element.wrong_value(attribute, message, "make the platform smaller"));
        }
        let id = HostId(self.hosts.len() as u32);
        let point = self.point(element, attribute, &host.name, Kind::Host(id), Some(zone))?;
        self.hosts.push(host);
        self.places.push(point);
        Ok(point)
    }

    /// Adds a link.
    pub fn link(&mut self, element: Element<'_>, link: Link) -> Result<LinkId, Error> {
        if self.links.len() >= MOST_LINKS {
            let message = format!("more than {MOST_LINKS} links");
            return Err(element.wrong(message, "make the platform smaller"));
        }
        let id = LinkId(self.links.len() as u32);
        self.wire(element, &link.name, Wire::One(id))?;
        self.links.push(link);
        Ok(id)
    }

    /// Adds a link in two, NAME_UP and NAME_DOWN.
    pub fn split_link(&mut self, element: Element<'_>, link: Link) -> Result<(LinkId, LinkId), Error> {
        let half = |suffix| Link {
            name: format!("{}{suffix}", link.name),
            ..link.clone()
        };
        let up = self.link(element, half("_UP"))?;
        let down = self.link(element, half("_DOWN"))?;
        self.wire(element, &link.name, Wire::Split(up, down))?;
        Ok((up, down))
    }

    fn wire(&mut self, element: Element<'_>, name: &str, wire: Wire) -> Result<(), Error> {
        if self.wires.contains_key(name) {
            let message = format!("there is a link {} already", show(name));
            return Err(element.wrong_value("id", message, "give each link a name of its own"));
        }
        self.wires.insert(name.to_owned(), wire);
        Ok(())
    }

    /// A value of an attribute with its unit. One without is taken in the basic unit, with a warning.
    pub fn quantity(
        &mut self,
        element: Element<'_>,
        attribute: &str,
        text: &str,
        read: impl Fn(&str) -> Result<Quantity, String>,
        unit: &str,
    ) -> Result<f64, Error> {
        let quantity = read(text).map_err(|why| {
            let message = format!("{} is no value of {}", show(text), show(attribute));
            element.wrong_value(attribute, message, why)
        })?;
        if quantity.bare {
            self.warnings.push(format!(
                "{}: {} of <{}> has no unit; write {}",
                element.value_place(attribute),
                show(attribute),
                element.tag(),
                show(&format!("{}{unit}", text.trim()))
            ));
        }
        Ok(quantity.value)
    }

    /// A quantity that must be above 0.
    pub fn above_0(
        &mut self,
        element: Element<'_>,
        attribute: &str,
        text: &str,
        read: impl Fn(&str) -> Result<Quantity, String>,
        unit: &str,
    ) -> Result<f64, Error> {
        let value = self.quantity(element, attribute, text, read, unit)?;
        if value > 0.0 {
            return Ok(value);
        }
        let message = format!("{} of <{}> is 0", show(attribute), element.tag());
        Err(element.wrong_value(attribute, message, "give more than 0"))
    }

    /// The host, router or zone of a name.
    pub fn named(&self, element: Element<'_>, attribute: &str) -> Result<PointId, Error> {
        let name = element.required(attribute)?;
        self.names.get(name).copied().ok_or_else(|| {
            let message = format!("{} names {}, which is not there", show(attribute), show(name));
            let known = self.topology.points.iter().map(|point| point.name.as_str());
            let remedy = did_you_mean(name, known, "name a host, router or zone of this file");
            element.wrong_value(attribute, message, remedy)
        })
    }
}

/// The elements that may stand in a zone.
const ZONE_ELEMENTS: [&str; 16] = [
    "prop",
    "zone",
    "cluster",
    "host",
    "router",
    "link",
    "cabinet",
    "host_link",
    "backbone",
    "route",
    "zoneRoute",
    "bypassRoute",
    "bypassZoneRoute",
    "trace",
    "trace_connect",
    "AS",
];

/// How a zone is routed. Capital letters do not matter.
fn routing(element: Element<'_>) -> Result<Routing, Error> {
    let name = element.required("routing")?;
    let known = ["Full", "Floyd", "Dijkstra", "DijkstraCache", "Cluster", "None"];
    Ok(match name.to_ascii_lowercase().as_str() {
        "full" => Routing::Graph(Graph::new(Search::Full)),
        "floyd" => Routing::Graph(Graph::new(Search::Floyd)),
        "dijkstra" | "dijkstracache" => Routing::Graph(Graph::new(Search::Dijkstra)),
        "cluster" => Routing::Star(crate::routing::Star::default()),
        "none" => Routing::None,
        "vivaldi" | "wifi" => {
            let message = format!("the routing {} is not simulated", show(name));
            return Err(element.wrong_value("routing", message, format!("use {}", known.join(", "))));
        }
        _ => {
            let message = format!("{} is no routing", show(name));
            let otherwise = format!("use {}", known.join(", "));
            return Err(element.wrong_value("routing", message, did_you_mean(name, known, otherwise)));
        }
    })
}

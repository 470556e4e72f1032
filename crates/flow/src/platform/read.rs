//! The outermost element and zones.

use super::build::Wire;
use super::cluster::Rays;
use super::{Host, Platform};
use crate::error::{Error, did_you_mean, show};
use crate::link::{Link, NetworkSettings, Sharing};
use crate::routing::{Graph, PointId, Routing, Search, Star, Topology, ZoneId};
use crate::settings;
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
        if is_star && self.topology.zone(zone).holds_zones {
            let name = show(element.required("id")?);
            let message = format!("zones inside the zone {name}, which is routed as Cluster");
            return Err(element.wrong(message, "route it as Full, Floyd or Dijkstra"));
        }
        if is_star {
            self.add_rays(zone, &rays)?;
        }
        Ok(())
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
        "cluster" => Routing::Star(Star::default()),
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

//! The cluster tag, and zones routed as clusters.

use super::Host;
use super::build::{MOST_HOSTS, Wire};
use super::elements::cores;
use super::read::Reader;
use super::topologies;
use crate::deployment::property;
use crate::error::{Error, show};
use crate::link::{Link, LinkId, Sharing};
use crate::routing::star::Ray;
use crate::routing::{Kind, Routing, Star, ZoneId};
use crate::units;
use crate::xml::Element;

/// What stands in a zone routed as a cluster beside hosts, routers and links.
#[derive(Default)]
pub(super) struct Rays<'a> {
    backbone: Option<Element<'a>>,
    host_links: Vec<Element<'a>>,
    cabinets: Vec<Element<'a>>,
}

impl<'a> Rays<'a> {
    /// Keeps an element until the zone ends.
    pub(super) fn take(&mut self, element: Element<'a>) -> Result<(), Error> {
        match element.tag() {
            "backbone" if self.backbone.is_some() => {
                return Err(element.wrong("a second backbone", "a cluster has one; take the other out"));
            }
            "backbone" => self.backbone = Some(element),
            "host_link" => self.host_links.push(element),
            _ => self.cabinets.push(element),
        }
        Ok(())
    }
}

/// A cluster tag.
pub(super) struct Cluster<'a> {
    pub element: Element<'a>,
    pub id: &'a str,
    /// The numbers in the names of its hosts
    pub numbers: Vec<u32>,
    pub bandwidth: f64,
    pub latency: f64,
    pub sharing: Sharing,
    pub is_split: bool,
    /// Bandwidth of the limiters
    pub limiter: Option<f64>,
    /// Bandwidth and latency of the loopbacks
    pub loopback: Option<(f64, f64)>,
}

impl<'a> Reader<'a> {
    /// Gives the hosts of a zone routed as a cluster their links.
    pub(super) fn add_rays(&mut self, zone: ZoneId, rays: &Rays<'a>) -> Result<(), Error> {
        let backbone = match rays.backbone {
            None => None,
            Some(element) => {
                element.allow(&["id", "bandwidth", "latency"])?;
                let bandwidth = element.required("bandwidth")?;
                let latency = element.required("latency")?;
                let link = plain(
                    element.required("id")?.to_owned(),
                    self.above_0(element, "bandwidth", bandwidth, units::bandwidth, "Bps")?,
                    self.quantity(element, "latency", latency, units::time, "s")?,
                    Sharing::Shared,
                );
                Some(self.link(element, link)?)
            }
        };
        for element in &rays.host_links {
            self.host_link(zone, *element, backbone)?;
        }
        for element in &rays.cabinets {
            self.cabinet(zone, *element, backbone)?;
        }
        Ok(())
    }

    fn host_link(
        &mut self,
        zone: ZoneId,
        element: Element<'a>,
        backbone: Option<LinkId>,
    ) -> Result<(), Error> {
        element.allow(&["id", "up", "down"])?;
        let point = self.named(element, "id")?;
        let host = self.topology.point(point);
        if !matches!(host.kind, Kind::Host(_)) || host.zone != Some(zone) {
            let message = format!("{} is not a host of this zone", show(&host.name));
            return Err(element.wrong_value("id", message, "name a host of the zone"));
        }
        let slot = host.slot;
        let one = |attribute| {
            let name = element.required(attribute)?;
            match self.wires.get(name) {
                Some(Wire::One(link)) => Ok(*link),
                Some(Wire::Split(..)) => {
                    let message = format!("the link {} has two directions", show(name));
                    let remedy = format!(
                        "write {} or {}",
                        show(&format!("{name}_UP")),
                        show(&format!("{name}_DOWN"))
                    );
                    Err(element.wrong_value(attribute, message, remedy))
                }
                None => Err(self.no_link(element, attribute, name)),
            }
        };
        let (up, down) = (one("up")?, one("down")?);
        self.set_ray(zone, slot, ray(&[up], &[down], backbone, None));
        Ok(())
    }

    fn cabinet(&mut self, zone: ZoneId, element: Element<'a>, backbone: Option<LinkId>) -> Result<(), Error> {
        element.allow(&["id", "prefix", "suffix", "radical", "speed", "bw", "lat"])?;
        element.required("id")?;
        let speed = self.speed(element)?;
        let (bandwidth, latency) = self.bandwidth_and_latency(element)?;
        for number in radical(element)? {
            let name = host_name(element, number)?;
            let half = |suffix| {
                plain(
                    format!("link_{name}{suffix}"),
                    bandwidth,
                    latency,
                    Sharing::Shared,
                )
            };
            let (up, down) = (half("_UP"), half("_DOWN"));
            let host = plain_host(name, speed, 1, Vec::new());
            let point = self.add_host(element, "radical", host, zone)?;
            let (up, down) = (self.link(element, up)?, self.link(element, down)?);
            let slot = self.topology.point(point).slot;
            self.set_ray(zone, slot, ray(&[up], &[down], backbone, None));
        }
        Ok(())
    }

    fn set_ray(&mut self, zone: ZoneId, slot: u32, ray: Ray) {
        match &mut self.topology.zones[zone.0 as usize].routing {
            Routing::Star(star) => star.set(slot, ray),
            _ => unreachable!("only a star has rays"),
        }
    }

    fn bandwidth_and_latency(&mut self, element: Element<'_>) -> Result<(f64, f64), Error> {
        let bandwidth = element.required("bw")?;
        let latency = element.required("lat")?;
        Ok((
            self.above_0(element, "bw", bandwidth, units::bandwidth, "Bps")?,
            self.quantity(element, "lat", latency, units::time, "s")?,
        ))
    }

    /// A cluster tag: a zone of its own.
    pub(super) fn cluster(&mut self, element: Element<'a>, parent: Option<ZoneId>) -> Result<(), Error> {
        element.allow(&CLUSTER)?;
        let id = element.required("id")?;
        let numbers = radical(element)?;
        let speed = self.speed(element)?;
        let cores = cores(element)?;
        let (bandwidth, latency) = self.bandwidth_and_latency(element)?;
        let (sharing, is_split) = self.sharing(element, "sharing_policy", "SPLITDUPLEX")?;
        let limiter = match element.optional("limiter_link") {
            None => None,
            Some(text) => {
                let limiter = self.quantity(element, "limiter_link", text, units::bandwidth, "Bps")?;
                Some(limiter).filter(|limiter| *limiter > 0.0)
            }
        };
        let cluster = Cluster {
            element,
            id,
            numbers,
            bandwidth,
            latency,
            sharing,
            is_split,
            limiter,
            loopback: self.pair(element, "loopback_bw", "loopback_lat")?,
        };
        let mut properties = Vec::new();
        for child in element.children()? {
            match child.tag() {
                "prop" => property(child, &mut properties, &mut self.warnings)?,
                _ => return Err(child.unexpected("cluster", &["prop"])),
            }
        }
        let topology = element.choice("topology", &["FLAT", "TORUS", "FAT_TREE", "DRAGONFLY"])?;
        let backbone = self.pair(element, "bb_bw", "bb_lat")?;
        let backbone_policy = element.choice("bb_sharing_policy", &["SHARED", "FATPIPE"])?;
        let zone = self.add_zone(element, id, parent, Routing::Star(Star::default()))?;
        for &number in &cluster.numbers {
            let host = plain_host(host_name(element, number)?, speed, cores, properties.clone());
            self.add_host(element, "radical", host, zone)?;
        }
        let router = match element.optional("router_id") {
            Some(name) => name.to_owned(),
            None => {
                let (prefix, suffix) = (element.required("prefix")?, element.required("suffix")?);
                format!("{prefix}{id}_router{suffix}")
            }
        };
        self.point(element, "router_id", &router, Kind::Router, Some(zone))?;
        if topology == "FLAT" {
            let backbone = backbone.map(|(bandwidth, latency)| {
                let sharing = match backbone_policy {
                    "FATPIPE" => Sharing::FatPipe,
                    _ => Sharing::Shared,
                };
                plain(format!("{id}_backbone"), bandwidth, latency, sharing)
            });
            return self.flat(zone, &cluster, backbone);
        }
        let routing = match topology {
            "TORUS" => topologies::torus(self, &cluster)?,
            "FAT_TREE" => topologies::fat_tree(self, &cluster)?,
            _ => topologies::dragonfly(self, &cluster)?,
        };
        self.topology.zones[zone.0 as usize].routing = routing;
        Ok(())
    }

    /// Each host on its own link, with a backbone between them if there is one.
    fn flat(&mut self, zone: ZoneId, cluster: &Cluster<'a>, backbone: Option<Link>) -> Result<(), Error> {
        let backbone = match backbone {
            None => None,
            Some(link) => Some(self.link(cluster.element, link)?),
        };
        for (slot, number) in (0..).zip(&cluster.numbers) {
            let loopback = self.loopback(cluster, *number)?;
            let limiter = self.limiter(cluster, *number)?;
            let (up, down) = self.cable(cluster, format!("{}_link_{number}", cluster.id), 1.0)?;
            let up: Vec<LinkId> = limiter.into_iter().chain([up]).collect();
            let down: Vec<LinkId> = [down].into_iter().chain(limiter).collect();
            self.set_ray(zone, slot, ray(&up, &down, backbone, loopback));
        }
        Ok(())
    }

    /// The link of a cluster with a name, there and back, with so many times the bandwidth.
    pub(super) fn cable(
        &mut self,
        cluster: &Cluster<'a>,
        name: String,
        times: f64,
    ) -> Result<(LinkId, LinkId), Error> {
        let link = plain(name, cluster.bandwidth * times, cluster.latency, cluster.sharing);
        if cluster.is_split {
            return self.split_link(cluster.element, link);
        }
        let link = self.link(cluster.element, link)?;
        Ok((link, link))
    }

    /// The loopback link of a host of a cluster, if it has one.
    pub(super) fn loopback(&mut self, cluster: &Cluster<'a>, number: u32) -> Result<Option<LinkId>, Error> {
        let Some((bandwidth, latency)) = cluster.loopback else {
            return Ok(None);
        };
        let name = format!("{}_link_{number}_loopback", cluster.id);
        let link = plain(name, bandwidth, latency, Sharing::FatPipe);
        self.link(cluster.element, link).map(Some)
    }

    /// The limiter of a host or switch of a cluster, if it has one.
    pub(super) fn limiter(&mut self, cluster: &Cluster<'a>, number: u32) -> Result<Option<LinkId>, Error> {
        let Some(bandwidth) = cluster.limiter else {
            return Ok(None);
        };
        let name = format!("{}_link_{number}_limiter", cluster.id);
        let link = plain(name, bandwidth, 0.0, Sharing::Shared);
        self.link(cluster.element, link).map(Some)
    }

    /// A bandwidth and a latency of which neither, or the bandwidth, or both are given.
    fn pair(
        &mut self,
        element: Element<'_>,
        bandwidth: &str,
        latency: &str,
    ) -> Result<Option<(f64, f64)>, Error> {
        let late = match element.optional(latency) {
            None => 0.0,
            Some(text) => self.quantity(element, latency, text, units::time, "s")?,
        };
        let wide = match element.optional(bandwidth) {
            None => 0.0,
            Some(text) => self.quantity(element, bandwidth, text, units::bandwidth, "Bps")?,
        };
        if wide > 0.0 {
            return Ok(Some((wide, late)));
        }
        if late > 0.0 {
            let message = format!("{} without {}", show(latency), show(bandwidth));
            return Err(element.wrong_value(latency, message, format!("add {bandwidth}=\"...\"")));
        }
        Ok(None)
    }
}

/// The attributes of a cluster.
const CLUSTER: [&str; 18] = [
    "id",
    "prefix",
    "suffix",
    "radical",
    "speed",
    "core",
    "bw",
    "lat",
    "sharing_policy",
    "topology",
    "topo_parameters",
    "bb_bw",
    "bb_lat",
    "bb_sharing_policy",
    "router_id",
    "limiter_link",
    "loopback_bw",
    "loopback_lat",
];

fn host_name(element: Element<'_>, number: u32) -> Result<String, Error> {
    let (prefix, suffix) = (element.required("prefix")?, element.required("suffix")?);
    Ok(format!("{prefix}{number}{suffix}"))
}

fn plain_host(name: String, speed: f64, cores: u32, properties: Vec<(String, String)>) -> Host {
    Host {
        name,
        speed,
        cores,
        properties,
        speed_profile: None,
        state_profile: None,
    }
}

fn plain(name: String, bandwidth: f64, latency: f64, sharing: Sharing) -> Link {
    Link {
        name,
        bandwidth,
        latency,
        sharing,
        bandwidth_profile: None,
        latency_profile: None,
        state_profile: None,
    }
}

/// Links up to the middle and down from it, with the backbone in the middle.
fn ray(up: &[LinkId], down: &[LinkId], backbone: Option<LinkId>, loopback: Option<LinkId>) -> Ray {
    Ray {
        up: up.iter().copied().chain(backbone).collect(),
        down: backbone.into_iter().chain(down.iter().copied()).collect(),
        loopback,
    }
}

/// The numbers that a radical such as `0-9,12` stands for.
fn radical(element: Element<'_>) -> Result<Vec<u32>, Error> {
    let text = element.required("radical")?;
    let wrong = |part: &str| {
        let message = format!("{} is no part of \"radical\"", show(part));
        element.wrong_value("radical", message, "write numbers and ranges of them: 0-9,12")
    };
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong(part));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(wrong(part));
        }
        if (last - first) as usize >= MOST_HOSTS - numbers.len().min(MOST_HOSTS) {
            let message = format!("more than {MOST_HOSTS} hosts");
            return Err(element.wrong_value("radical", message, "make the cluster smaller"));
        }
        numbers.extend(first..=last);
    }
    Ok(numbers)
}

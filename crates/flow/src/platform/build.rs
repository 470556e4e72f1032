//! What a platform is made of while it is read: zones, points, links, values with units.

use super::Host;
use super::read::Reader;
use crate::error::{Error, did_you_mean, show};
use crate::link::{HostId, Link, LinkId};
use crate::routing::{Kind, Point, PointId, Routing, Zone, ZoneId};
use crate::units::Quantity;
use crate::xml::Element;
use std::collections::HashMap;

/// Most zones around each other.
const DEEPEST: u32 = 256;
/// Most hosts of a platform.
pub(super) const MOST_HOSTS: usize = 1_000_000;
/// Most links of a platform.
pub(super) const MOST_LINKS: usize = 4_000_000;

/// What a name in a route stands for.
#[derive(Clone, Copy)]
pub(super) enum Wire {
    /// A link
    One(LinkId),
    /// A link in two: up and down
    Split(LinkId, LinkId),
}

impl Reader<'_> {
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

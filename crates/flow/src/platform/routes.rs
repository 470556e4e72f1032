//! Routes and bypasses. They are read last, so that they may name what stands behind them.

use super::build::Wire;
use super::read::Reader;
use crate::error::{Error, did_you_mean, show};
use crate::link::LinkId;
use crate::routing::{Kind, Leg, PointId, Routing, ZoneId};
use crate::xml::Element;

/// The links of a route, there and back.
struct Way {
    there: Vec<LinkId>,
    back: Vec<LinkId>,
}

impl<'a> Reader<'a> {
    /// Adds all routes to their zones.
    pub(super) fn declare_routes(&mut self) -> Result<(), Error> {
        for (zone, element) in std::mem::take(&mut self.routes) {
            match element.tag() {
                "route" => self.route(zone, element)?,
                "zoneRoute" | "ASroute" => self.zone_route(zone, element)?,
                _ => self.bypass(zone, element)?,
            }
        }
        Ok(())
    }

    fn route(&mut self, zone: ZoneId, element: Element<'a>) -> Result<(), Error> {
        element.allow(&["src", "dst", "symmetrical"])?;
        let source = self.inner_point(zone, element, "src")?;
        let destination = self.inner_point(zone, element, "dst")?;
        self.declare(zone, element, source, destination, None)
    }

    fn zone_route(&mut self, zone: ZoneId, element: Element<'a>) -> Result<(), Error> {
        element.allow(&["src", "dst", "gw_src", "gw_dst", "symmetrical"])?;
        let source = self.inner_zone(zone, element, "src")?;
        let destination = self.inner_zone(zone, element, "dst")?;
        if source == destination {
            let name = show(&self.topology.point(source).name);
            let message = format!("a cyclic zone: a route from {name} to itself");
            return Err(element.wrong_value("dst", message, "name two zones; routes in a zone stand in it"));
        }
        let leaves = self.gateway(element, "gw_src", source)?;
        let enters = self.gateway(element, "gw_dst", destination)?;
        self.declare(zone, element, source, destination, Some((leaves, enters)))
    }

    /// Adds a route, and the one back if it is symmetrical.
    fn declare(
        &mut self,
        zone: ZoneId,
        element: Element<'a>,
        source: PointId,
        destination: PointId,
        gateways: Option<(PointId, PointId)>,
    ) -> Result<(), Error> {
        let symmetrical = element.choice("symmetrical", &["YES", "NO", "yes", "no"])?;
        let is_symmetrical = symmetrical.eq_ignore_ascii_case("yes") && source != destination;
        let way = self.way(element)?;
        let (from, to) = (
            self.topology.point(source).slot,
            self.topology.point(destination).slot,
        );
        let Routing::Graph(graph) = &mut self.topology.zones[zone.0 as usize].routing else {
            let message = format!("<{}> in a zone without routes", element.tag());
            return Err(element.wrong(message, "route the zone as Full, Floyd or Dijkstra"));
        };
        let mut added = graph.add(
            from,
            to,
            Leg {
                links: way.there.into(),
                gateways,
            },
        );
        if is_symmetrical {
            added &= graph.add(
                to,
                from,
                Leg {
                    links: way.back.into(),
                    gateways: gateways.map(|(leaves, enters)| (enters, leaves)),
                },
            );
        }
        if added {
            return Ok(());
        }
        let name = |point| show(&self.topology.point(point).name);
        let message = format!(
            "a second route between {} and {}",
            name(source),
            name(destination)
        );
        Err(element.wrong(
            message,
            "take it out; a route leads both ways unless symmetrical=\"NO\"",
        ))
    }

    fn bypass(&mut self, zone: ZoneId, element: Element<'a>) -> Result<(), Error> {
        let (source, destination, gateways) = if element.tag() == "bypassRoute" {
            element.allow(&["src", "dst"])?;
            let source = self.host_or_router(element, "src")?;
            let destination = self.host_or_router(element, "dst")?;
            (source, destination, None)
        } else {
            element.allow(&["src", "dst", "gw_src", "gw_dst"])?;
            let source = self.zone_somewhere_inside(zone, element, "src")?;
            let destination = self.zone_somewhere_inside(zone, element, "dst")?;
            let leaves = self.gateway(element, "gw_src", source)?;
            let enters = self.gateway(element, "gw_dst", destination)?;
            (source, destination, Some((leaves, enters)))
        };
        let home = |point: PointId| match self.topology.point(point).kind {
            Kind::Zone(zone) => zone,
            Kind::Host(_) | Kind::Router => self.topology.point(point).zone.expect("it is in a zone"),
        };
        if self.topology.meeting(home(source), home(destination)).0 != zone {
            let message = format!("<{}> in a zone where its ends do not meet", element.tag());
            return Err(element.wrong(message, "put it into the innermost zone that holds both ends"));
        }
        let links = self.way(element)?.there.into();
        let leg = Leg { links, gateways };
        let bypasses = &mut self.topology.zones[zone.0 as usize].bypasses;
        if bypasses.insert((source, destination), leg).is_some() {
            let name = |point| show(&self.topology.point(point).name);
            let message = format!("a second bypass from {} to {}", name(source), name(destination));
            return Err(element.wrong(message, "take it out"));
        }
        Ok(())
    }

    /// A host or router of this zone.
    fn inner_point(&self, zone: ZoneId, element: Element<'a>, attribute: &str) -> Result<PointId, Error> {
        let point = self.host_or_router(element, attribute)?;
        if self.topology.point(point).zone == Some(zone) {
            return Ok(point);
        }
        let name = |point| show(&self.topology.point(point).name);
        let message = format!(
            "{} is not in the zone {}",
            name(point),
            name(self.topology.zone(zone).point)
        );
        let remedy = "put the route into the zone that holds both ends, or use <zoneRoute> between zones";
        Err(element.wrong_value(attribute, message, remedy))
    }

    fn host_or_router(&self, element: Element<'a>, attribute: &str) -> Result<PointId, Error> {
        let point = self.named(element, attribute)?;
        match self.topology.point(point).kind {
            Kind::Host(_) | Kind::Router => Ok(point),
            Kind::Zone(_) => {
                let name = show(&self.topology.point(point).name);
                let remedy = "name a host or router, or use <zoneRoute>";
                Err(element.wrong_value(attribute, format!("{name} is a zone"), remedy))
            }
        }
    }

    /// A zone directly in this one.
    fn inner_zone(&self, zone: ZoneId, element: Element<'a>, attribute: &str) -> Result<PointId, Error> {
        let point = self.zone_somewhere_inside(zone, element, attribute)?;
        if self.topology.point(point).zone == Some(zone) {
            return Ok(point);
        }
        let name = |point| show(&self.topology.point(point).name);
        let message = format!(
            "{} is deeper inside {}",
            name(point),
            name(self.topology.zone(zone).point)
        );
        Err(element.wrong_value(attribute, message, "name a zone that stands directly in this one"))
    }

    fn zone_somewhere_inside(
        &self,
        zone: ZoneId,
        element: Element<'a>,
        attribute: &str,
    ) -> Result<PointId, Error> {
        let point = self.named(element, attribute)?;
        let name = |point| show(&self.topology.point(point).name);
        let Kind::Zone(id) = self.topology.point(point).kind else {
            let message = format!("{} is not a zone", name(point));
            return Err(element.wrong_value(attribute, message, "name a zone, or use <route>"));
        };
        if self.topology.is_inside(point, zone) {
            return Ok(point);
        }
        let here = self.topology.zone(zone).point;
        if here == point || self.topology.is_inside(here, id) {
            let message = format!(
                "a cyclic zone: the route stands in {}, which is {}",
                name(here),
                if here == point {
                    "one of its ends".to_owned()
                } else {
                    format!("inside {}", name(point))
                }
            );
            return Err(element.wrong_value(attribute, message, "name zones inside this one"));
        }
        let message = format!("{} is not in the zone {}", name(point), name(here));
        let remedy = "put the route into the zone that holds both";
        Err(element.wrong_value(attribute, message, remedy))
    }

    /// A host or router inside a zone.
    fn gateway(&self, element: Element<'a>, attribute: &str, zone: PointId) -> Result<PointId, Error> {
        let point = self.host_or_router(element, attribute)?;
        let around = self.topology.point(zone);
        let Kind::Zone(id) = around.kind else {
            unreachable!("both ends were found to be zones");
        };
        if self.topology.is_inside(point, id) {
            return Ok(point);
        }
        let message = format!(
            "the gateway {} is not in the zone {}",
            show(&self.topology.point(point).name),
            show(&around.name)
        );
        let remedy = "name a host or router inside that zone";
        Err(element.wrong_value(attribute, message, remedy))
    }

    /// The links that a route names.
    fn way(&self, element: Element<'a>) -> Result<Way, Error> {
        let mut way = Way {
            there: Vec::new(),
            back: Vec::new(),
        };
        for child in element.children()? {
            if child.tag() != "link_ctn" {
                return Err(child.unexpected(element.tag(), &["link_ctn"]));
            }
            child.allow(&["id", "direction"])?;
            let (there, back) = self.directed(child)?;
            way.there.push(there);
            way.back.push(back);
        }
        way.back.reverse();
        if way.there.is_empty() {
            let message = format!("<{}> without a link", element.tag());
            return Err(element.wrong(message, "add <link_ctn id=\"...\"/>"));
        }
        Ok(way)
    }

    /// The link that a route crosses, and the one it crosses on the way back.
    fn directed(&self, element: Element<'a>) -> Result<(LinkId, LinkId), Error> {
        let name = element.required("id")?;
        let direction = element.choice("direction", &["NONE", "UP", "DOWN"])?;
        match (self.wires.get(name), direction) {
            (Some(Wire::One(link)), "NONE") => Ok((*link, *link)),
            (Some(Wire::Split(up, down)), "UP") => Ok((*up, *down)),
            (Some(Wire::Split(up, down)), "DOWN") => Ok((*down, *up)),
            (Some(Wire::One(_)), _) => {
                let message = format!("the link {} has no directions", show(name));
                let remedy = "leave direction out, or give the link sharing_policy=\"SPLITDUPLEX\"";
                Err(element.wrong_value("direction", message, remedy))
            }
            (Some(Wire::Split(..)), _) => {
                let message = format!("the link {} has two directions", show(name));
                Err(element.wrong_value("id", message, "add direction=\"UP\" or direction=\"DOWN\""))
            }
            (None, _) => Err(self.no_link(element, "id", name)),
        }
    }

    /// The error for a link that is not there.
    pub(super) fn no_link(&self, element: Element<'_>, attribute: &str, name: &str) -> Error {
        let message = format!("there is no link {}", show(name));
        let known = self.links.iter().map(|link| link.name.as_str());
        let remedy = did_you_mean(name, known, "declare it with <link>");
        element.wrong_value(attribute, message, remedy)
    }
}

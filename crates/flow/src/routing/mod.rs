//! Which links lead from one host to another.
//!
//! A platform is a tree of zones. A zone holds either hosts and routers or further zones, its *points*, and knows how to get
//! from one of its points to another ([`Routing`]). Between points of different zones the way goes through the zone that holds
//! both: there a route between two of its zones names the gateway in each, and from the source to the first gateway and from
//! the second to the destination the search begins anew, one zone further down. So it always ends.

pub mod dragonfly;
pub mod fat_tree;
mod graph;
pub mod star;
pub mod torus;

pub use dragonfly::Dragonfly;
pub use fat_tree::FatTree;
pub use graph::{Graph, Search};
pub use star::Star;
pub use torus::Torus;

use crate::link::{HostId, LinkId};
use std::collections::HashMap;

/// A host, router or zone: its place among all of them in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PointId(pub u32);

/// A zone: its place among the zones in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneId(pub u32);

/// What a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A host
    Host(HostId),
    /// A router
    Router,
    /// A zone
    Zone(ZoneId),
}

/// A host, router or zone.
#[derive(Debug)]
pub struct Point {
    /// Its name, unique among all points
    pub name: String,
    /// What it is
    pub kind: Kind,
    /// The zone it is in; only the outermost zone is in none
    pub zone: Option<ZoneId>,
    /// Its place among the points of that zone
    pub slot: u32,
}

/// A declared route.
#[derive(Debug)]
pub struct Leg {
    /// Its links, in order
    pub links: Box<[LinkId]>,
    /// Between zones: where it leaves the first and where it enters the second
    pub gateways: Option<(PointId, PointId)>,
}

/// How a zone gets from one of its points to another.
#[derive(Debug)]
pub enum Routing {
    /// Not at all.
    None,
    /// By declared routes, or chains of them.
    Graph(Graph),
    /// Up to one middle and down again.
    Star(Star),
    /// A fat tree of the cluster tag.
    FatTree(FatTree),
    /// A torus of the cluster tag.
    Torus(Torus),
    /// A dragonfly of the cluster tag.
    Dragonfly(Dragonfly),
}

/// A zone.
#[derive(Debug)]
pub struct Zone {
    /// Itself among the points
    pub point: PointId,
    /// How many zones are around it
    pub depth: u32,
    /// How many points it has
    pub points: u32,
    /// Whether its points are zones
    pub holds_zones: bool,
    /// How it gets from point to point
    pub routing: Routing,
    /// Routes that are used before any others, by their ends
    pub bypasses: HashMap<(PointId, PointId), Leg>,
}

/// No way leads from one point of a zone to another.
#[derive(Debug, PartialEq, Eq)]
pub struct Missing {
    /// The zone that should know one
    pub zone: PointId,
    /// Where it would begin
    pub from: PointId,
    /// Where it would end
    pub to: PointId,
}

/// All points and zones.
#[derive(Debug, Default)]
pub struct Topology {
    /// Hosts, routers and zones in the order of the file
    pub points: Vec<Point>,
    /// Zones in the order of the file
    pub zones: Vec<Zone>,
}

impl Topology {
    /// A point.
    pub fn point(&self, id: PointId) -> &Point {
        &self.points[id.0 as usize]
    }

    /// A zone.
    pub fn zone(&self, id: ZoneId) -> &Zone {
        &self.zones[id.0 as usize]
    }

    /// The zone a zone is in.
    pub fn parent(&self, zone: ZoneId) -> Option<ZoneId> {
        self.point(self.zone(zone).point).zone
    }

    /// Whether a point is in a zone, or in a zone in it.
    pub fn is_inside(&self, point: PointId, zone: ZoneId) -> bool {
        let mut around = self.point(point).zone;
        while let Some(at) = around {
            if at == zone {
                return true;
            }
            around = self.parent(at);
        }
        false
    }

    /// Appends the links from one host or router to another.
    pub fn route(&mut self, from: PointId, to: PointId, links: &mut Vec<LinkId>) -> Result<(), Missing> {
        let (source, destination) = self.home_zones(from, to);
        let (common, near, far) = self.meeting(source, destination);
        if let Some(found) = self.bypass(common, from, to, links) {
            return found;
        }
        let (first, last) = match (near, far) {
            (Some(near), Some(far)) => (self.zone(near).point, self.zone(far).point),
            _ => (from, to),
        };
        let missing = |topology: &Self| Missing {
            zone: topology.zone(common).point,
            from: first,
            to: last,
        };
        let (a, b) = (self.point(first).slot, self.point(last).slot);
        let zone = &mut self.zones[common.0 as usize];
        let chain = match &mut zone.routing {
            Routing::None => None,
            Routing::Graph(graph) => graph.chain(a, b),
            Routing::Star(star) => {
                star.route(a, b, links);
                return Ok(());
            }
            Routing::FatTree(tree) => {
                tree.route(a, b, links);
                return Ok(());
            }
            Routing::Torus(torus) => {
                torus.route(a, b, links);
                return Ok(());
            }
            Routing::Dragonfly(dragonfly) => {
                dragonfly.route(a, b, links);
                return Ok(());
            }
        };
        let chain = chain.ok_or_else(|| missing(self))?;
        // Between zones, gateways that differ are joined inside the zone that holds both.
        let mut at = from;
        for leg in chain {
            let Routing::Graph(graph) = &self.zones[common.0 as usize].routing else {
                unreachable!("only a graph gives a chain")
            };
            let gateways = graph.leg(leg).gateways;
            if let Some((leaves, enters)) = gateways {
                if at != leaves {
                    self.route(at, leaves, links)?;
                }
                at = enters;
            }
            let Routing::Graph(graph) = &self.zones[common.0 as usize].routing else {
                unreachable!("only a graph gives a chain")
            };
            links.extend_from_slice(&graph.leg(leg).links);
        }
        if near.is_some() && at != to {
            self.route(at, to, links)?;
        }
        Ok(())
    }

    /// The zones that two hosts or routers are in.
    fn home_zones(&self, from: PointId, to: PointId) -> (ZoneId, ZoneId) {
        let home = |point| {
            let zone = self.point(point).zone;
            zone.expect("a host or router is in a zone")
        };
        (home(from), home(to))
    }

    /// The innermost zone around two zones, and the zones in it that hold them when these are not that zone itself.
    pub fn meeting(&self, source: ZoneId, destination: ZoneId) -> (ZoneId, Option<ZoneId>, Option<ZoneId>) {
        let (mut near, mut far) = (None, None);
        let (mut a, mut b) = (source, destination);
        while a != b {
            let (depth_a, depth_b) = (self.zone(a).depth, self.zone(b).depth);
            if depth_a >= depth_b {
                near = Some(a);
                a = self.parent(a).expect("all zones are in the outermost");
            }
            if depth_b >= depth_a {
                far = Some(b);
                b = self.parent(b).expect("all zones are in the outermost");
            }
        }
        (a, near, far)
    }

    /// Takes a bypass of the zone where two points meet, if there is one: between the points themselves, or between zones around
    /// them, the innermost first.
    fn bypass(
        &mut self,
        common: ZoneId,
        from: PointId,
        to: PointId,
        links: &mut Vec<LinkId>,
    ) -> Option<Result<(), Missing>> {
        let zone = self.zone(common);
        if zone.bypasses.is_empty() {
            return None;
        }
        if let Some(leg) = zone.bypasses.get(&(from, to)) {
            links.extend_from_slice(&leg.links);
            return Some(Ok(()));
        }
        let (sources, destinations) = (self.around(from, common), self.around(to, common));
        let leg = self.find_bypass(common, &sources, &destinations)?;
        let (leaves, enters) = leg.gateways?;
        let middle = leg.links.clone();
        Some(self.join(from, leaves, &middle, enters, to, links))
    }

    /// The bypass between zones of two lists from the inside out: the one whose outer end is least far out.
    fn find_bypass(&self, common: ZoneId, sources: &[PointId], destinations: &[PointId]) -> Option<&Leg> {
        let bypasses = &self.zone(common).bypasses;
        let at = |i: usize, j: usize| bypasses.get(&(*sources.get(i)?, *destinations.get(j)?));
        let outer = sources.len().max(destinations.len());
        (0..outer).find_map(|most| {
            let beside = (0..most).find_map(|less| at(less, most).or_else(|| at(most, less)));
            beside.or_else(|| at(most, most))
        })
    }

    /// The zones around a point from the inside out, up to but without `common`.
    fn around(&self, point: PointId, common: ZoneId) -> Vec<PointId> {
        let mut zones = Vec::new();
        let mut next = self.point(point).zone;
        while let Some(zone) = next.filter(|zone| *zone != common) {
            zones.push(self.zone(zone).point);
            next = self.parent(zone);
        }
        zones
    }

    /// The way to a gateway, given links, and the way from another gateway.
    fn join(
        &mut self,
        from: PointId,
        leaves: PointId,
        middle: &[LinkId],
        enters: PointId,
        to: PointId,
        links: &mut Vec<LinkId>,
    ) -> Result<(), Missing> {
        if from != leaves {
            self.route(from, leaves, links)?;
        }
        links.extend_from_slice(middle);
        if enters != to {
            self.route(enters, to, links)?;
        }
        Ok(())
    }
}

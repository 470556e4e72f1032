//! Dragonflies of the cluster tag: groups of chassis of blades (routers) with nodes.

use crate::link::LinkId;

/// How many of what there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Groups
    pub groups: u32,
    /// Chassis in a group
    pub chassis: u32,
    /// Blades in a chassis; each is a router
    pub blades: u32,
    /// Nodes on a blade
    pub nodes: u32,
}

/// A link in both directions.
pub type Pair = (LinkId, LinkId);

/// A dragonfly: its nodes are the first points of the zone, in the order of group, chassis, blade and place on it.
#[derive(Debug)]
pub struct Dragonfly {
    /// How many of what there are
    pub counts: Counts,
    /// By node: to the router and from it
    pub local: Vec<Pair>,
    /// By router, then blade: to that blade of the chassis
    pub green: Vec<Option<LinkId>>,
    /// By router, then chassis: to the same blade of that chassis of the group
    pub black: Vec<Option<LinkId>>,
    /// By group, then group: to that group, from the router that has it
    pub blue: Vec<Option<LinkId>>,
    /// By node: what all it sends and receives crosses too
    pub limiters: Vec<Option<LinkId>>,
    /// By router: what all that crosses it crosses too
    pub router_limiters: Vec<Option<LinkId>>,
    /// By node: to itself
    pub loopbacks: Vec<Option<LinkId>>,
}

impl Counts {
    /// How many routers there are.
    pub fn routers(self) -> u32 {
        self.groups * self.chassis * self.blades
    }

    /// The number of a router.
    pub fn router(self, group: u32, chassis: u32, blade: u32) -> u32 {
        (group * self.chassis + chassis) * self.blades + blade
    }

    /// Group, chassis and blade of a router.
    fn place(self, router: u32) -> (u32, u32, u32) {
        let chassis = router / self.blades;
        (
            chassis / self.chassis,
            chassis % self.chassis,
            router % self.blades,
        )
    }
}

impl Dragonfly {
    /// Appends the links from one node to another. The one link between two groups leaves from the blade with the other group's
    /// number in the first chassis; a message goes to that blade, to that chassis, to the other group, to its blade, to its
    /// chassis. A router among the points has no links.
    pub fn route(&self, from: u32, to: u32, links: &mut Vec<LinkId>) {
        let counts = self.counts;
        let nodes = self.local.len() as u32;
        if from.max(to) >= nodes {
            return;
        }
        if from == to
            && let Some(loopback) = self.loopbacks[from as usize]
        {
            links.push(loopback);
            return;
        }
        let (mut group, mut chassis, mut blade) = counts.place(from / counts.nodes);
        let (last_group, last_chassis, last_blade) = counts.place(to / counts.nodes);
        links.extend(self.limiters[from as usize]);
        links.push(self.local[from as usize].0);
        // Each link is one from a router, whose limiter it crosses too.
        let mut leave = |router: u32, table: &[Option<LinkId>], place: u32| {
            links.extend(self.router_limiters[router as usize]);
            links.extend(table[place as usize]);
        };
        if group != last_group {
            if blade != last_group {
                let router = counts.router(group, chassis, blade);
                leave(router, &self.green, router * counts.blades + last_group);
                blade = last_group;
            }
            if chassis != 0 {
                let router = counts.router(group, chassis, blade);
                leave(router, &self.black, router * counts.chassis);
            }
            let router = counts.router(group, 0, blade);
            leave(router, &self.blue, group * counts.groups + last_group);
            (group, chassis, blade) = (last_group, 0, group);
        }
        if blade != last_blade {
            let router = counts.router(group, chassis, blade);
            leave(router, &self.green, router * counts.blades + last_blade);
            blade = last_blade;
        }
        if chassis != last_chassis {
            let router = counts.router(group, chassis, blade);
            leave(router, &self.black, router * counts.chassis + last_chassis);
        }
        links.extend(self.router_limiters[(to / counts.nodes) as usize]);
        links.push(self.local[to as usize].1);
        links.extend(self.limiters[to as usize]);
    }
}

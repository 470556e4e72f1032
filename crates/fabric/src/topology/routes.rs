//! All shortest paths, kept small.
//!
//! Every host hangs on one rack switch, so a switch need not know a way to each host, only to each rack switch (here
//! an *edge*); and only a fabric switch leads to the racks of a pod by different ways, so for others the pod is enough (a
//! *class* of edges). Ways are found by a breadth-first search from each class over the graph of switches, whatever its
//! shape.

use super::{Endpoint, Host, PlanError, Switch, Tier};
use crate::frame::HostId;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// No distance: not reached by the search.
const UNREACHED: u32 = u32::MAX;

/// One switch's ways to every host.
///
/// Read back on its own, it holds a table of all hosts that it shared with other switches before; where memory counts,
/// take it from a [`Topology`](super::Topology) read back instead.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Routes {
    /// Hosts on this switch: `own_first`, `own_first + own_step` and so on. A step of 0 means none.
    own_first: u32,
    own_step: u32,
    /// Port of each of them, in order.
    own_ports: Vec<u16>,
    /// Group of each host, shared by all switches with such groups: its edge or the class of its edge. Empty where
    /// `set_of_group` is.
    group_of_host: Arc<[u32]>,
    /// Set of ports toward each group. Empty if there is one set for all, as on a rack switch below fabric switches.
    set_of_group: Vec<u16>,
    /// Set `s` is `members[starts[s]..starts[s + 1]]`.
    starts: Vec<u32>,
    members: Vec<u16>,
}

impl Routes {
    /// Equal-cost ports toward `host`, ordered by port number; never empty for a host of the topology.
    ///
    /// # Panics
    /// If the topology has no such host.
    #[inline]
    pub fn members(&self, host: HostId) -> &[u16] {
        self.way(host).0
    }

    /// Equal-cost ports toward `host` as [`Routes::members`], and the number of their set as [`Routes::set_of`].
    ///
    /// # Panics
    /// If the topology has no such host.
    #[inline]
    pub fn way(&self, host: HostId) -> (&[u16], Option<u16>) {
        if let Some(own) = self.own(host) {
            return (&self.own_ports[own..own + 1], None);
        }
        let set = self.set_number(host);
        (self.set(set), Some(set))
    }

    /// Number of the equal-cost set toward `host`, or `None` for a host on this switch, to which there is one way.
    #[inline]
    pub fn set_of(&self, host: HostId) -> Option<u16> {
        if self.own(host).is_some() {
            None
        } else {
            Some(self.set_number(host))
        }
    }

    /// Number of equal-cost sets, those toward hosts on this switch not counted.
    pub fn sets(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Ports of one equal-cost set, ordered by number. `set` must be below [`Routes::sets`].
    #[inline]
    pub fn set(&self, set: u16) -> &[u16] {
        let set = set as usize;
        &self.members[self.starts[set] as usize..self.starts[set + 1] as usize]
    }

    /// Position of `host` among the hosts on this switch.
    #[inline]
    fn own(&self, host: HostId) -> Option<usize> {
        // Hosts below `own_first` wrap around to large offsets.
        let offset = host.0.wrapping_sub(self.own_first) as usize;
        match self.own_step {
            1 => (offset < self.own_ports.len()).then_some(offset),
            0 => None,
            step => {
                let (step, position) = (step as usize, offset / step as usize);
                (offset.is_multiple_of(step) && position < self.own_ports.len()).then_some(position)
            }
        }
    }

    #[inline]
    fn set_number(&self, host: HostId) -> u16 {
        if self.set_of_group.is_empty() {
            return 0;
        }
        self.set_of_group[self.group_of_host[host.0 as usize] as usize]
    }
}

/// A neighbour and the parallel links to it, which have consecutive port numbers.
struct Neighbour {
    switch: u32,
    first_port: u16,
    links: u16,
}

/// Equal-cost sets of one switch while they are collected, as positions in its list of neighbours.
#[derive(Default)]
struct Sets {
    number: HashMap<Vec<u16>, u16>,
    list: Vec<Vec<u16>>,
}

impl Sets {
    /// Number of the set of these neighbours, of which there is at least one.
    fn number(&mut self, neighbours: &[u16]) -> u16 {
        if let Some(&number) = self.number.get(neighbours) {
            return number;
        }
        // Fits: sets that lead down share no port, and of those that lead up there is one for each number of planes in
        // a pod.
        let number = self.list.len() as u16;
        self.number.insert(neighbours.to_vec(), number);
        self.list.push(neighbours.to_vec());
        number
    }
}

/// Edges with the same switches above them, such as all racks of a pod. Any other switch has the same distance and the
/// same ways to all of them, but for the last hop; so one search serves them all.
struct Class {
    /// The first of them.
    first: u32,
    /// Whether there are more.
    several: bool,
}

/// Stands for "no set": the switch is the edge itself or next to it.
const NO_SET: u16 = u16::MAX;

/// Routes of every switch, by index.
pub(super) fn all(switches: &[Switch], hosts: &[Host]) -> Result<Vec<Routes>, PlanError> {
    let graph: Vec<Vec<Neighbour>> = switches.iter().map(neighbours).collect();
    let edges: Vec<u32> = switches
        .iter()
        .filter(|s| s.tier == Tier::Rack && has_hosts(s))
        .map(|s| s.node)
        .collect();
    let mut edge_of_switch = vec![UNREACHED; switches.len()];
    for (number, &edge) in edges.iter().enumerate() {
        edge_of_switch[edge as usize] = number as u32;
    }
    let edge_of_host: Arc<[u32]> = hosts
        .iter()
        .map(|host| match host.port.peer {
            Endpoint::Switch(switch) => edge_of_switch[switch as usize],
            Endpoint::Host(_) => unreachable!("a server is linked to a switch"),
        })
        .collect();
    let (classes, class_of_edge) = classes(&graph, &edges);
    let class_of_host: Arc<[u32]> = edge_of_host
        .iter()
        .map(|&edge| class_of_edge[edge as usize])
        .collect();

    let mut sets: Vec<Sets> = switches.iter().map(|_| Sets::default()).collect();
    // Set toward each class, by switch.
    let mut set_of_class = vec![Vec::with_capacity(classes.len()); switches.len()];
    let mut distance = vec![UNREACHED; switches.len()];
    let mut queue = Vec::with_capacity(switches.len());
    let mut toward = Vec::new();
    for class in &classes {
        search(&graph, class.first, &mut distance, &mut queue);
        if let Some(&cut_off) = edges.iter().find(|&&edge| distance[edge as usize] == UNREACHED) {
            let name = |index: u32| switches[index as usize].name.clone();
            return Err(PlanError::Unreachable {
                from: name(class.first),
                to: name(cut_off),
            });
        }
        for (switch, neighbours) in graph.iter().enumerate() {
            toward.clear();
            match distance[switch] {
                // From the first of a class to the others: they share all their neighbours.
                0 if class.several => toward.extend(0..neighbours.len() as u16),
                // A neighbour's way to each of the class is another. And a switch without hosts may lead nowhere.
                0 | 1 | UNREACHED => {}
                here => toward.extend(
                    (0..neighbours.len() as u16)
                        .filter(|&n| distance[neighbours[n as usize].switch as usize] == here - 1),
                ),
            }
            let set = if toward.is_empty() {
                NO_SET
            } else {
                sets[switch].number(&toward)
            };
            set_of_class[switch].push(set);
        }
    }

    let mut routes = Vec::with_capacity(switches.len());
    for (switch, mut sets) in switches.iter().zip(sets) {
        let neighbours = &graph[switch.node as usize];
        let direct: Vec<(u32, u16)> = (0..neighbours.len() as u16)
            .map(|n| (edge_of_switch[neighbours[n as usize].switch as usize], n))
            .filter(|&(edge, _)| edge != UNREACHED)
            .map(|(edge, n)| (edge, sets.number(&[n])))
            .collect();
        // Without edges beside it, a switch has the same ways to all edges of a class.
        let groups = if direct.is_empty() {
            &class_of_host
        } else {
            &edge_of_host
        };
        let mut set_of_group = Vec::new();
        if sets.list.len() > 1 {
            let set_of_class = std::mem::take(&mut set_of_class[switch.node as usize]);
            if direct.is_empty() {
                set_of_group = set_of_class;
            } else {
                set_of_group.extend(class_of_edge.iter().map(|&class| set_of_class[class as usize]));
                for (edge, set) in direct {
                    set_of_group[edge as usize] = set;
                }
            }
        }
        routes.push(compress(switch, &sets, set_of_group, neighbours, groups));
    }
    Ok(routes)
}

/// Classes of the edges, and the class of each edge.
fn classes(graph: &[Vec<Neighbour>], edges: &[u32]) -> (Vec<Class>, Vec<u32>) {
    let mut number = HashMap::new();
    let mut classes: Vec<Class> = Vec::new();
    let mut class_of_edge = Vec::with_capacity(edges.len());
    for &edge in edges {
        let above: Vec<u32> = graph[edge as usize]
            .iter()
            .map(|neighbour| neighbour.switch)
            .collect();
        let class = *number.entry(above).or_insert(classes.len() as u32);
        match classes.get_mut(class as usize) {
            Some(class) => class.several = true,
            None => classes.push(Class {
                first: edge,
                several: false,
            }),
        }
        class_of_edge.push(class);
    }
    (classes, class_of_edge)
}

fn has_hosts(switch: &Switch) -> bool {
    switch
        .ports
        .iter()
        .any(|port| matches!(port.peer, Endpoint::Host(_)))
}

/// Switches next to `switch` in the order of its ports.
fn neighbours(switch: &Switch) -> Vec<Neighbour> {
    let mut list: Vec<Neighbour> = Vec::new();
    for (number, port) in switch.ports.iter().enumerate() {
        let Endpoint::Switch(peer) = port.peer else {
            continue;
        };
        match list.last_mut() {
            Some(last) if last.switch == peer => last.links += 1,
            _ => list.push(Neighbour {
                switch: peer,
                first_port: number as u16,
                links: 1,
            }),
        }
    }
    list
}

/// Hops from every switch to `edge`.
fn search(graph: &[Vec<Neighbour>], edge: u32, distance: &mut [u32], queue: &mut Vec<u32>) {
    distance.fill(UNREACHED);
    distance[edge as usize] = 0;
    queue.clear();
    queue.push(edge);
    let mut next = 0;
    while let Some(&switch) = queue.get(next) {
        next += 1;
        let there = distance[switch as usize] + 1;
        for neighbour in &graph[switch as usize] {
            if distance[neighbour.switch as usize] == UNREACHED {
                distance[neighbour.switch as usize] = there;
                queue.push(neighbour.switch);
            }
        }
    }
}

/// A switch's table: its own hosts, and ports in place of neighbours.
fn compress(
    switch: &Switch,
    sets: &Sets,
    set_of_group: Vec<u16>,
    neighbours: &[Neighbour],
    group_of_host: &Arc<[u32]>,
) -> Routes {
    let mut routes = Routes {
        group_of_host: if set_of_group.is_empty() {
            Arc::default()
        } else {
            group_of_host.clone()
        },
        set_of_group,
        starts: Vec::with_capacity(sets.list.len() + 1),
        ..Routes::default()
    };
    for (number, port) in switch.ports.iter().enumerate() {
        let Endpoint::Host(host) = port.peer else { continue };
        match routes.own_ports.len() {
            0 => (routes.own_first, routes.own_step) = (host, 1),
            1 => routes.own_step = host - routes.own_first,
            _ => {}
        }
        routes.own_ports.push(number as u16);
    }
    routes.starts.push(0);
    for set in &sets.list {
        for &position in set {
            let neighbour = &neighbours[position as usize];
            routes
                .members
                .extend(neighbour.first_port..neighbour.first_port + neighbour.links);
        }
        routes.starts.push(routes.members.len() as u32);
    }
    routes
}

//! How the engine's nodes are grouped into partitions.

use super::{Endpoint, Topology};
use packetloom_des::Span;
use serde::{Deserialize, Serialize};

/// How finely a network is cut into partitions.
///
/// Whatever the cut, nodes joined by a link without delay share a partition: nothing may cross a partition's border
/// at once. Results do not depend on the cut, speed does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Cut {
    /// A rack switch with its hosts; each fabric and spine switch on its own.
    #[default]
    Default,
    /// Everything in one.
    One,
    /// Each node on its own.
    Each,
}

/// Partition of each engine node, numbered in the order of their first nodes.
pub(super) fn cut(topology: &Topology, cut: Cut) -> Vec<u32> {
    let mut groups = Groups((0..topology.engine_nodes()).collect());
    if cut == Cut::One {
        groups.0.fill(0);
    }
    for node in 0..topology.engine_nodes() {
        let endpoint = topology.endpoint(node);
        // Each link is seen from its lower end, where it is an uplink.
        for port in topology.ports(endpoint).iter().filter(|port| port.up) {
            let in_rack = matches!(endpoint, Endpoint::Host(_));
            if port.delay == Span::ZERO || (cut == Cut::Default && in_rack) {
                groups.join(node, topology.engine_node(port.peer));
            }
        }
    }
    let mut next = 0;
    let mut number = vec![u32::MAX; topology.engine_nodes() as usize];
    let mut partitions = Vec::with_capacity(number.len());
    for node in 0..topology.engine_nodes() {
        let group = groups.find(node) as usize;
        if number[group] == u32::MAX {
            number[group] = next;
            next += 1;
        }
        partitions.push(number[group]);
    }
    partitions
}

/// Disjoint sets: each node points to another of its set, a representative to itself.
struct Groups(Vec<u32>);

impl Groups {
    fn find(&mut self, mut node: u32) -> u32 {
        while self.0[node as usize] != node {
            // Halve the path on the way.
            self.0[node as usize] = self.0[self.0[node as usize] as usize];
            node = self.0[node as usize];
        }
        node
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        // The lower index represents both, so the outcome does not depend on the order of joining.
        self.0[one.max(other) as usize] = one.min(other);
    }
}

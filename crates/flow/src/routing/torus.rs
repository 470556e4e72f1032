//! Tori of the cluster tag.

use crate::link::LinkId;

/// What a node has.
#[derive(Debug)]
pub struct TorusNode {
    /// Along each dimension the link to the next node: as it is crossed forwards and backwards
    pub next: Box<[(LinkId, LinkId)]>,
    /// The link that all it sends and receives crosses too
    pub limiter: Option<LinkId>,
    /// To itself
    pub loopback: Option<LinkId>,
}

/// A torus: its nodes are the first points of the zone, the first dimension changing fastest.
#[derive(Debug)]
pub struct Torus {
    /// How many nodes along each dimension
    pub dimensions: Box<[u32]>,
    /// All nodes
    pub nodes: Vec<TorusNode>,
}

impl Torus {
    /// The node one further along a dimension, around the end.
    pub fn next(&self, node: u32, dimension: usize) -> u32 {
        self.step(node, dimension, 1)
    }

    fn stride(&self, dimension: usize) -> u32 {
        self.dimensions[..dimension].iter().product()
    }

    fn coordinate(&self, node: u32, dimension: usize) -> u32 {
        node / self.stride(dimension) % self.dimensions[dimension]
    }

    fn step(&self, node: u32, dimension: usize, by: u32) -> u32 {
        let size = self.dimensions[dimension];
        let at = self.coordinate(node, dimension);
        node - at * self.stride(dimension) + (at + by) % size * self.stride(dimension)
    }

    /// Appends the links from one node to another: along the first dimension first, in each the way that SimGrid takes, which is
    /// the shorter one but for some where the size is odd. A router among the points has no links.
    pub fn route(&self, from: u32, to: u32, links: &mut Vec<LinkId>) {
        let (Some(source), Some(target)) = (self.nodes.get(from as usize), self.nodes.get(to as usize))
        else {
            return;
        };
        if from == to
            && let Some(loopback) = source.loopback
        {
            links.push(loopback);
            return;
        }
        let mut at = from;
        for (dimension, &size) in self.dimensions.iter().enumerate() {
            let (mine, goal) = (self.coordinate(from, dimension), self.coordinate(to, dimension));
            let half = size / 2;
            let forwards =
                (goal > mine && goal <= mine + half) || (mine > half && (mine + half) % size >= goal);
            while self.coordinate(at, dimension) != goal {
                links.extend(self.nodes[at as usize].limiter);
                if forwards {
                    links.push(self.nodes[at as usize].next[dimension].0);
                    at = self.step(at, dimension, 1);
                } else {
                    at = self.step(at, dimension, size - 1);
                    links.push(self.nodes[at as usize].next[dimension].1);
                }
            }
        }
        links.extend(target.limiter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A torus in which the link along dimension d from node n has the numbers 10 n + 2 d forwards and 10 n + 2 d + 1 back.
    fn torus(dimensions: &[u32]) -> Torus {
        let node = |n: u32| TorusNode {
            next: (0..dimensions.len() as u32)
                .map(|d| (LinkId(10 * n + 2 * d), LinkId(10 * n + 2 * d + 1)))
                .collect(),
            limiter: None,
            loopback: (n == 1).then_some(LinkId(999)),
        };
        Torus {
            dimensions: dimensions.into(),
            nodes: (0..dimensions.iter().product()).map(node).collect(),
        }
    }

    fn route(torus: &Torus, from: u32, to: u32) -> Vec<u32> {
        let mut links = Vec::new();
        torus.route(from, to, &mut links);
        links.into_iter().map(|link| link.0).collect()
    }

    #[test]
    fn the_first_dimension_comes_first_and_the_shorter_way_around() {
        // 4 x 3: node = x + 4 y. From (0, 0) to (1, 2): one forwards in x, then one backwards in y, from 1 to 9 = (1, 2), whose
        // link along y leads on to 1.
        let torus = torus(&[4, 3]);
        assert_eq!(route(&torus, 0, 9), [0, 10 * 9 + 3]);
        // From (3, 0) to (0, 0): around the end, over the link of node 3.
        assert_eq!(route(&torus, 3, 0), [30]);
        // From (0, 0) to (3, 0): backwards over the same link.
        assert_eq!(route(&torus, 0, 3), [31]);
        // From (0, 0) to (2, 0): both ways take 2; forwards it is.
        assert_eq!(route(&torus, 0, 2), [0, 10]);
        assert_eq!(torus.next(3, 0), 0);
        assert_eq!(torus.next(9, 1), 1);
    }

    #[test]
    fn a_node_reaches_itself_over_its_loopback_if_it_has_one() {
        let torus = torus(&[2, 2]);
        assert_eq!(route(&torus, 1, 1), [999]);
        assert_eq!(route(&torus, 0, 0), [0; 0]);
        // Point 4 is the router.
        assert_eq!(route(&torus, 0, 4), [0; 0]);
    }

    #[test]
    fn limiters_stand_at_every_node_on_the_way() {
        let mut torus = torus(&[4]);
        for (n, node) in torus.nodes.iter_mut().enumerate() {
            node.limiter = Some(LinkId(500 + n as u32));
        }
        assert_eq!(route(&torus, 0, 2), [500, 0, 501, 10, 502]);
    }

    #[test]
    fn every_pair_of_nodes_is_connected() {
        for dimensions in [&[5, 3, 2][..], &[1, 4], &[7]] {
            let torus = torus(dimensions);
            let nodes = torus.nodes.len() as u32;
            for from in 0..nodes {
                for to in 0..nodes {
                    let most: u32 = dimensions.iter().sum();
                    assert!(route(&torus, from, to).len() as u32 <= most);
                }
            }
        }
    }
}

//! Fat trees of the cluster tag: parallel ports generalized fat trees, routed by destination (D-mod-K).

use crate::link::LinkId;

/// The shape of a tree: by level, from the nodes up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many children a switch of the level above has
    pub children: Vec<u32>,
    /// How many parents a node or switch of this level has
    pub parents: Vec<u32>,
    /// How many cables connect a child with each parent
    pub cables: Vec<u32>,
}

/// A cable: the link to the parent and the one to the child, which may be the same.
#[derive(Clone, Copy, Debug)]
pub struct Cable {
    /// From child to parent
    pub up: LinkId,
    /// From parent to child
    pub down: LinkId,
    child: u32,
    parent: u32,
}

#[derive(Debug)]
struct Vertex {
    level: usize,
    position: u32,
    label: Box<[u32]>,
    /// Cables by port
    parents: Vec<u32>,
    children: Vec<u32>,
    limiter: Option<LinkId>,
}

/// A fat tree: its nodes are the first points of the zone.
#[derive(Debug)]
pub struct FatTree {
    shape: Shape,
    nodes: u32,
    /// Nodes, then switches, level by level
    vertices: Vec<Vertex>,
    cables: Vec<Cable>,
    loopbacks: Vec<Option<LinkId>>,
}

impl Shape {
    /// How many nodes or switches stand on each level, nodes on the first; nothing where that does not fit 32 bits.
    pub fn sizes(&self) -> Option<Vec<u32>> {
        let levels = self.children.len();
        let size = |level: usize| {
            let factors = self.parents[..level].iter().chain(&self.children[level..]);
            factors.copied().try_fold(1_u32, u32::checked_mul)
        };
        (0..=levels).map(size).collect()
    }

    /// How many cables there are; nothing where that does not fit 32 bits.
    pub fn cables(&self) -> Option<u32> {
        let sizes = self.sizes()?;
        let mut all = 0_u32;
        for (level, size) in sizes[..sizes.len() - 1].iter().enumerate() {
            let each = self.parents[level].checked_mul(self.cables[level])?;
            all = all.checked_add(size.checked_mul(each)?)?;
        }
        Some(all)
    }
}

impl FatTree {
    /// A tree. `connect` makes the links of a cable between the vertices with two numbers (nodes first, then switches level by
    /// level), in the order in which SimGrid makes them; `limiters` and `loopbacks` go by vertex and by node.
    ///
    /// # Panics
    ///
    /// If the sizes of the shape do not fit.
    pub fn new(
        shape: Shape,
        limiters: impl Fn(u32) -> Option<LinkId>,
        loopbacks: Vec<Option<LinkId>>,
        mut connect: impl FnMut(u32, u32) -> (LinkId, LinkId),
    ) -> Self {
        let levels = shape.children.len();
        let sizes = shape.sizes().expect("sizes were checked");
        let mut tree = Self {
            nodes: sizes[0],
            vertices: Vec::new(),
            cables: Vec::new(),
            loopbacks,
            shape,
        };
        let shape = tree.shape.clone();
        for (level, size) in sizes.iter().enumerate() {
            for position in 0..*size {
                let ports = |of: &[u32], at: usize| (of[at] * shape.cables[at]) as usize;
                let down = if level == 0 {
                    0
                } else {
                    ports(&shape.children, level - 1)
                };
                let up = if level == levels {
                    0
                } else {
                    ports(&shape.parents, level)
                };
                let number = tree.vertices.len() as u32;
                tree.vertices.push(Vertex {
                    level,
                    position,
                    label: tree.radixes(level).scan(position, digit).collect(),
                    parents: vec![u32::MAX; up],
                    children: vec![u32::MAX; down],
                    limiter: limiters(number),
                });
            }
        }
        for child in 0..tree.vertices.len() as u32 - sizes[levels] {
            let level = tree.vertices[child as usize].level;
            for nth in 0..shape.parents[level] {
                let parent = tree.parent(child, nth, &sizes);
                for cable in 0..shape.cables[level] {
                    let (up, down) = connect(child, parent);
                    let number = tree.cables.len() as u32;
                    let down_port =
                        tree.vertices[child as usize].label[level] + cable * shape.children[level];
                    let up_port = nth + cable * shape.parents[level];
                    tree.vertices[parent as usize].children[down_port as usize] = number;
                    tree.vertices[child as usize].parents[up_port as usize] = number;
                    tree.cables.push(Cable {
                        up,
                        down,
                        child,
                        parent,
                    });
                }
            }
        }
        tree
    }

    /// How many values each digit of a label has on a level: below it switches are told apart by the way up, from it on by the way
    /// down.
    fn radixes(&self, level: usize) -> impl Iterator<Item = u32> + '_ {
        let digits = 0..self.shape.children.len();
        digits.map(move |digit| {
            if digit < level {
                self.shape.parents[digit]
            } else {
                self.shape.children[digit]
            }
        })
    }

    /// The nth parent of a vertex: its label differs from the child's in the digit of the child's level only.
    fn parent(&self, child: u32, nth: u32, sizes: &[u32]) -> u32 {
        let child = &self.vertices[child as usize];
        let begin: u32 = sizes[..=child.level].iter().sum();
        let mut place = 1;
        let mut position = 0;
        for (digit, radix) in self.radixes(child.level + 1).enumerate() {
            let value = if digit == child.level {
                nth
            } else {
                child.label[digit]
            };
            position += value * place;
            place *= radix;
        }
        begin + position
    }

    /// Whether a vertex has a node below it.
    fn is_above(&self, vertex: &Vertex, node: &Vertex) -> bool {
        vertex.level > node.level
            && (0..node.level)
                .chain(vertex.level..self.shape.children.len())
                .all(|digit| vertex.label[digit] == node.label[digit])
    }

    /// Appends the links from one node to another: up, by the position of the destination, until a switch has it below; down
    /// over the cable that the position of the source picks. A router among the points has no links.
    pub fn route(&self, from: u32, to: u32, links: &mut Vec<LinkId>) {
        if from.max(to) >= self.nodes {
            return;
        }
        if from == to
            && let Some(loopback) = self.loopbacks[from as usize]
        {
            links.push(loopback);
            return;
        }
        let destination = &self.vertices[to as usize];
        let mut at = &self.vertices[from as usize];
        while !self.is_above(at, destination) {
            let ways = |level: usize| self.shape.parents[level] * self.shape.cables[level];
            let port = (0..at.level).fold(to, |rest, level| rest / ways(level)) % ways(at.level);
            links.extend(at.limiter);
            let cable = self.cables[at.parents[port as usize] as usize];
            links.push(cable.up);
            at = &self.vertices[cable.parent as usize];
        }
        while at.level > 0 {
            // As in SimGrid, the search for the port goes on from here on the next level down, where that finds one.
            let below = |level: usize| self.shape.children[level - 1];
            let cable = from % self.shape.cables[at.level - 1];
            let mut port = cable * below(at.level);
            while (port as usize) < at.children.len() {
                if port % below(at.level) == destination.label[at.level - 1] {
                    links.push(self.cables[at.children[port as usize] as usize].down);
                    links.extend(at.limiter);
                    let child = self.cables[at.children[port as usize] as usize].child;
                    at = &self.vertices[child as usize];
                }
                port += 1;
            }
        }
        debug_assert_eq!(at.position, to);
        links.extend(at.limiter);
    }
}

/// The next digit of a number, and what remains of it.
fn digit(rest: &mut u32, radix: u32) -> Option<u32> {
    let value = *rest % radix;
    *rest /= radix;
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(children: &[u32], parents: &[u32], cables: &[u32]) -> Shape {
        Shape {
            children: children.into(),
            parents: parents.into(),
            cables: cables.into(),
        }
    }

    /// A tree whose cables are numbered in their order, going up with even and down with odd numbers, and their ends.
    fn tree(shape: Shape) -> (FatTree, Vec<(u32, u32)>) {
        let nodes = shape.sizes().unwrap()[0] as usize;
        let mut ends = Vec::new();
        let tree = FatTree::new(
            shape,
            |_| None,
            vec![None; nodes],
            |child, parent| {
                ends.push((child, parent));
                let number = 2 * ends.len() as u32 - 2;
                (LinkId(number), LinkId(number + 1))
            },
        );
        (tree, ends)
    }

    /// The vertices on the way.
    fn way(tree: &FatTree, ends: &[(u32, u32)], from: u32, to: u32) -> Vec<u32> {
        let mut links = Vec::new();
        tree.route(from, to, &mut links);
        let mut way = vec![from];
        for link in links {
            let (child, parent) = ends[link.0 as usize / 2];
            let (begin, end) = if link.0 % 2 == 0 {
                (child, parent)
            } else {
                (parent, child)
            };
            assert_eq!(way.last(), Some(&begin), "a gap in the way");
            way.push(end);
        }
        way
    }

    #[test]
    fn sizes_by_level() {
        // 2 levels, 4 nodes a leaf, 4 leaves, 2 spines: 16, 4, 2; each leaf has 2 parents with 2 cables.
        let shape = shape(&[4, 4], &[1, 2], &[1, 2]);
        assert_eq!(shape.sizes(), Some(vec![16, 4, 2]));
        assert_eq!(shape.cables(), Some(16 + 4 * 2 * 2));
        let huge = super::tests::shape(&[1 << 20, 1 << 20], &[1, 1], &[1, 1]);
        assert_eq!(huge.sizes(), None);
    }

    #[test]
    fn up_to_the_first_switch_above_both_and_by_destination_to_the_spine() {
        let (tree, ends) = tree(shape(&[4, 4], &[1, 2], &[1, 2]));
        // Nodes 0 to 15, leaves 16 to 19, spines 20 and 21. Same leaf:
        assert_eq!(way(&tree, &ends, 0, 3), [0, 16, 3]);
        // Node 5 is the second of leaf 17. D-mod-K: the leaf has 4 ports up, 5 / 1 % 4 = 1, which is the first cable to the second
        // spine (ports go by parent, then by cable).
        assert_eq!(way(&tree, &ends, 0, 5), [0, 16, 21, 17, 5]);
        assert_eq!(way(&tree, &ends, 0, 4), [0, 16, 20, 17, 4]);
        // To itself, without a loopback, over the switch.
        assert_eq!(way(&tree, &ends, 6, 6), [6, 17, 6]);
    }

    #[test]
    fn parallel_cables_up_by_destination_and_down_by_source() {
        let (tree, _) = tree(shape(&[4, 4], &[1, 2], &[1, 2]));
        let route = |from, to| {
            let mut links = Vec::new();
            tree.route(from, to, &mut links);
            links.into_iter().map(|link| link.0).collect::<Vec<_>>()
        };
        // Cables 0 to 15 are those of the nodes. Leaf 16 has cables 16 to 19: two to each spine. Leaf 17 has 20 to 23.
        // From 0 to 4: port 4 % 4 = 0, cable 16 up; down from spine 20 to leaf 17 the first cable (0 % 2 = 0), 20.
        assert_eq!(route(0, 4), [0, 2 * 16, 2 * 20 + 1, 2 * 4 + 1]);
        // From 1 to 4: down the second cable (1 % 2 = 1), 21.
        assert_eq!(route(1, 4), [2, 2 * 16, 2 * 21 + 1, 2 * 4 + 1]);
        // From 0 to 6: port 6 % 4 = 2, the second cable to the first spine, 17.
        assert_eq!(route(0, 6), [0, 2 * 17, 2 * 20 + 1, 2 * 6 + 1]);
    }

    #[test]
    fn every_pair_of_nodes_is_connected() {
        for shape in [
            shape(&[4, 4], &[1, 2], &[1, 2]),
            shape(&[2, 3, 2], &[2, 2, 3], &[1, 1, 1]),
            shape(&[3, 2, 2], &[1, 2, 2], &[2, 2, 1]),
            shape(&[5], &[2], &[3]),
        ] {
            let (tree, ends) = tree(shape);
            for from in 0..tree.nodes {
                for to in 0..tree.nodes {
                    assert_eq!(way(&tree, &ends, from, to).last(), Some(&to));
                }
            }
        }
    }
}

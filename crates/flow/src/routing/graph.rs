//! Zones of declared routes: `Full`, `Floyd`, `Dijkstra`.
//!
//! With `Full` there is a way only where a route is declared. With the others routes form chains, and the chain with the fewest
//! links is taken. Among chains with equally few links it is the one that SimGrid takes:
//!
//! - `Floyd`: the chain whose latest-declared intermediate point is declared earliest, and so on within its parts, as
//!   Floyd's algorithm leaves it when it tries the points in the order of the file and changes a route only for a shorter one.
//!   It is found here from the source alone, without the table of all pairs; see [`Graph::before`].
//! - `Dijkstra`: points are settled by the number of links to them and then in the order in which routes first name them, and
//!   each keeps the predecessor that first reached it.

use super::Leg;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Which chains of declared routes are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// None: one declared route, or no way
    Full,
    /// The shortest, with Floyd's choice among equals
    Floyd,
    /// The shortest, with Dijkstra's choice among equals
    Dijkstra,
}

/// No intermediate point.
const DIRECT: u32 = 0;
/// Out of reach.
const NOWHERE: u32 = u32::MAX;

/// Declared routes between the points of a zone.
#[derive(Debug)]
pub struct Graph {
    search: Search,
    legs: Vec<Leg>,
    /// The route from one place to another
    between: HashMap<(u32, u32), u32>,
    /// From each place the places that routes lead to, in the order of the routes, each with its number of links
    onward: Vec<Vec<(u32, u32)>>,
    /// When each place was first named by a route
    named: Vec<u32>,
    named_so_far: u32,
    /// By source: what is known of the ways from there
    trees: HashMap<u32, Box<[u32]>>,
}

impl Graph {
    /// No routes yet.
    pub fn new(search: Search) -> Self {
        Self {
            search,
            legs: Vec::new(),
            between: HashMap::new(),
            onward: Vec::new(),
            named: Vec::new(),
            named_so_far: 0,
            trees: HashMap::new(),
        }
    }

    /// A declared route.
    pub fn leg(&self, leg: u32) -> &Leg {
        &self.legs[leg as usize]
    }

    /// Adds a route of at least one link. False if there was one already.
    #[must_use]
    pub fn add(&mut self, from: u32, to: u32, leg: Leg) -> bool {
        let number = self.legs.len() as u32;
        if self.between.contains_key(&(from, to)) {
            return false;
        }
        self.between.insert((from, to), number);
        let most = from.max(to) as usize;
        if self.onward.len() <= most {
            self.onward.resize(most + 1, Vec::new());
            self.named.resize(most + 1, NOWHERE);
        }
        for place in [from, to] {
            if self.named[place as usize] == NOWHERE {
                self.named[place as usize] = self.named_so_far;
                self.named_so_far += 1;
            }
        }
        if from != to {
            self.onward[from as usize].push((to, leg.links.len() as u32));
        }
        self.legs.push(leg);
        true
    }

    /// The routes that lead from one place to another, in order; none if nothing does. From a place to itself that is only a route
    /// declared so.
    pub fn chain(&mut self, from: u32, to: u32) -> Option<Vec<u32>> {
        if from == to || self.search == Search::Full {
            return self.between.get(&(from, to)).map(|leg| vec![*leg]);
        }
        let mut chain = Vec::new();
        let mut at = to;
        while at != from {
            let before = self.before(from, at)?;
            chain.push(self.between[&(before, at)]);
            at = before;
        }
        chain.reverse();
        Some(chain)
    }

    /// The last place before `to` on the way from `from`.
    ///
    /// For Floyd: let c be the least number such that some shortest way from a to b has no intermediate place above c. That is
    /// when Floyd's algorithm finds the way from a to b, joining a to c with c to b, and the place before b becomes that of the way
    /// from c to b, whose intermediate places are all below c. So the same question is asked from c, until the way is direct.
    fn before(&mut self, from: u32, to: u32) -> Option<u32> {
        if self.search == Search::Dijkstra {
            let before = self.tree(from).get(to as usize).copied();
            return before.filter(|before| *before != NOWHERE);
        }
        let mut source = from;
        loop {
            match self.tree(source).get(to as usize).copied()? {
                NOWHERE => return None,
                DIRECT => return Some(source),
                highest => source = highest - 1,
            }
        }
    }

    /// What is known of the ways from a place: for Dijkstra the place before each, for Floyd the number of the highest intermediate
    /// place (from 1) on the way where that is lowest.
    fn tree(&mut self, source: u32) -> &[u32] {
        let places = self.onward.len();
        if source as usize >= places {
            return &[];
        }
        let (search, onward, named) = (self.search, &self.onward, &self.named);
        self.trees.entry(source).or_insert_with(|| {
            let order = |place: u32| match search {
                Search::Dijkstra => named[place as usize],
                _ => place,
            };
            let mut least = vec![u64::MAX; places];
            let mut tree = vec![NOWHERE; places].into_boxed_slice();
            let mut queue = BinaryHeap::new();
            least[source as usize] = 0;
            queue.push(Reverse((0_u64, order(source), source)));
            while let Some(Reverse((cost, _, place))) = queue.pop() {
                if cost > least[place as usize] {
                    continue;
                }
                // Every route has a link, so all that is known of this place is known when it is settled.
                let through = match search {
                    Search::Dijkstra => place,
                    _ if place == source => DIRECT,
                    _ => tree[place as usize].max(place + 1),
                };
                for &(next, links) in &onward[place as usize] {
                    let longer = cost + u64::from(links);
                    let known = &mut least[next as usize];
                    if longer < *known {
                        *known = longer;
                        tree[next as usize] = through;
                        queue.push(Reverse((longer, order(next), next)));
                    } else if longer == *known && search == Search::Floyd {
                        tree[next as usize] = tree[next as usize].min(through);
                    }
                }
            }
            tree
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::LinkId;
    use proptest::prelude::*;

    /// A graph of routes `(from, to, number of links)`.
    fn graph(search: Search, routes: &[(u32, u32, usize)]) -> Graph {
        let mut graph = Graph::new(search);
        for &(from, to, links) in routes {
            let leg = Leg {
                links: vec![LinkId(0); links].into(),
                gateways: None,
            };
            assert!(graph.add(from, to, leg), "{from} to {to} twice");
        }
        graph
    }

    /// The places on the way.
    fn way(graph: &mut Graph, from: u32, to: u32) -> Option<Vec<u32>> {
        let chain = graph.chain(from, to)?;
        let end = |leg: &u32| {
            graph
                .between
                .iter()
                .find(|(_, number)| *number == leg)
                .unwrap()
                .0
                .1
        };
        Some(std::iter::once(from).chain(chain.iter().map(end)).collect())
    }

    /// Floyd's algorithm as SimGrid runs it: the place before each place, by source.
    fn floyd(places: usize, routes: &[(u32, u32, usize)]) -> Vec<Vec<Option<u32>>> {
        let mut cost = vec![vec![None; places]; places];
        let mut before = vec![vec![None; places]; places];
        for &(from, to, links) in routes {
            cost[from as usize][to as usize] = Some(links);
            before[from as usize][to as usize] = Some(from);
        }
        // The way to itself over the loopback link.
        for place in 0..places {
            cost[place][place] = Some(1);
            before[place][place] = Some(place as u32);
        }
        for c in 0..places {
            for a in 0..places {
                for b in 0..places {
                    let (Some(first), Some(second)) = (cost[a][c], cost[c][b]) else {
                        continue;
                    };
                    if cost[a][b].is_none_or(|known| first + second < known) {
                        cost[a][b] = Some(first + second);
                        before[a][b] = before[c][b];
                    }
                }
            }
        }
        before
    }

    #[test]
    fn full_takes_declared_routes_only() {
        let mut graph = graph(Search::Full, &[(0, 1, 1), (1, 2, 1), (2, 2, 1)]);
        assert_eq!(way(&mut graph, 0, 1), Some(vec![0, 1]));
        assert_eq!(way(&mut graph, 0, 2), None);
        assert_eq!(way(&mut graph, 2, 2), Some(vec![2, 2]));
        assert_eq!(way(&mut graph, 1, 1), None);
        assert_eq!(way(&mut graph, 7, 8), None);
    }

    #[test]
    fn the_fewest_links_win_not_the_fewest_routes() {
        // 0 to 3: one route of 4 links, or 0-1-2-3 with one link each.
        let routes = [(0, 3, 4), (0, 1, 1), (1, 2, 1), (2, 3, 1)];
        for search in [Search::Floyd, Search::Dijkstra] {
            assert_eq!(way(&mut graph(search, &routes), 0, 3), Some(vec![0, 1, 2, 3]));
            assert_eq!(way(&mut graph(search, &routes), 3, 0), None);
        }
    }

    #[test]
    fn a_direct_route_wins_among_equals() {
        let routes = [(0, 1, 1), (1, 2, 1), (0, 2, 2)];
        assert_eq!(way(&mut graph(Search::Floyd, &routes), 0, 2), Some(vec![0, 2]));
        // Dijkstra settles 1 first, but 2 was reached with two links from 0 before.
        assert_eq!(way(&mut graph(Search::Dijkstra, &routes), 0, 2), Some(vec![0, 2]));
    }

    #[test]
    fn floyd_prefers_the_point_that_is_declared_first() {
        // From 0 to 3 over 1 or over 2, named by routes in the other order.
        let routes = [(0, 2, 1), (2, 3, 1), (0, 1, 1), (1, 3, 1)];
        assert_eq!(way(&mut graph(Search::Floyd, &routes), 0, 3), Some(vec![0, 1, 3]));
    }

    #[test]
    fn dijkstra_prefers_the_point_that_a_route_names_first() {
        let routes = [(0, 2, 1), (2, 3, 1), (0, 1, 1), (1, 3, 1)];
        assert_eq!(
            way(&mut graph(Search::Dijkstra, &routes), 0, 3),
            Some(vec![0, 2, 3])
        );
    }

    proptest! {
        /// Ways found from their source alone are those of Floyd's algorithm over all pairs, among equals too.
        #[test]
        fn ways_are_those_of_floyds_algorithm(
            routes in prop::collection::btree_map((0_u32..9, 0_u32..9), 1_usize..4, 0..40)
        ) {
            let routes: Vec<(u32, u32, usize)> =
                routes.into_iter().filter(|((a, b), _)| a != b).map(|((a, b), links)| (a, b, links)).collect();
            let before = floyd(9, &routes);
            let mut graph = graph(Search::Floyd, &routes);
            for from in 0..9 {
                for to in (0..9).filter(|to| *to != from) {
                    let found = graph.before(from, to);
                    prop_assert_eq!(found, before[from as usize][to as usize], "{} to {}", from, to);
                }
            }
        }

        /// Both searches find ways with equally many links.
        #[test]
        fn both_searches_find_equally_short_ways(
            routes in prop::collection::btree_map((0_u32..9, 0_u32..9), 1_usize..4, 0..40)
        ) {
            let routes: Vec<(u32, u32, usize)> =
                routes.into_iter().map(|((a, b), links)| (a, b, links)).collect();
            let length = |search, from, to| {
                let mut graph = graph(search, &routes);
                let chain = graph.chain(from, to);
                chain.map(|chain| chain.iter().map(|leg| graph.leg(*leg).links.len()).sum::<usize>())
            };
            for from in 0..9 {
                for to in (0..9).filter(|to| *to != from) {
                    prop_assert_eq!(length(Search::Floyd, from, to), length(Search::Dijkstra, from, to));
                }
            }
        }
    }
}

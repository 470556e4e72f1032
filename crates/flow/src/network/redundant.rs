//! Links that cannot hold anything up, because the links before or behind them let too little through.
//!
//! Whatever crosses a link comes from its neighbours on the routes. If the link before it on every route, each counted once, have
//! together no more bandwidth than the link itself, then it is never the bottleneck, and the rates are the same without it. The
//! same holds for the links behind. In a tree whose levels all have the bandwidth of the hosts below, only the hosts' own links
//! remain, and what has nothing to do with each other falls apart into small parts.
//!
//! A neighbour counts only if it has less bandwidth, or the same and an earlier number: so no two links lean on each other, and a
//! chain of links that each lean on the next ends at one that is kept. Whatever may change with time neither leans nor is leant on.

use super::paths::Pipe;
use crate::link::{LinkId, Sharing};
use std::collections::HashSet;

/// How far rounding may take the sum of the neighbours' bandwidths.
const ROUNDING: f64 = 1e-12;

/// On which side of a link a neighbour is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Side {
    Before,
    Behind,
}

/// What the neighbours of each link let through.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    known: HashSet<(u32, Side, u32)>,
    /// For each link the sum over the links before it and over those behind it, bytes per second
    bounds: Vec<[f64; 2]>,
    shared: Vec<u32>,
}

impl Neighbours {
    /// Nothing known yet of this many links.
    pub(super) fn new(links: usize) -> Self {
        Self {
            bounds: vec![[0.0; 2]; links],
            ..Self::default()
        }
    }

    /// Notes who is next to whom on a route, and appends to `kept` the links that must be looked at from now on.
    pub(super) fn note(&mut self, pipes: &mut [Pipe], route: &[LinkId], kept: &mut Vec<u32>) {
        self.shared.clear();
        let links = route.iter().map(|l| l.0);
        self.shared
            .extend(links.filter(|&l| pipes[l as usize].sharing == Sharing::Shared));
        for place in 0..self.shared.len() {
            let link = self.shared[place];
            let before = place.checked_sub(1).map(|p| self.shared[p]);
            let behind = self.shared.get(place + 1).copied();
            self.beside(pipes, link, Side::Before, before);
            self.beside(pipes, link, Side::Behind, behind);
            let pipe = &mut pipes[link as usize];
            let most = pipe.capacity * (1.0 + ROUNDING);
            if !pipe.kept && self.bounds[link as usize].iter().all(|&bound| bound > most) {
                pipe.kept = true;
                kept.push(link);
            }
        }
    }

    fn beside(&mut self, pipes: &[Pipe], link: u32, side: Side, neighbour: Option<u32>) {
        // None is a neighbour too: one that lets everything through.
        let other = neighbour.unwrap_or(u32::MAX);
        if !self.known.insert((link, side, other)) {
            return;
        }
        let own = &pipes[link as usize];
        let lets_through = neighbour.map_or(f64::INFINITY, |other| {
            let pipe = &pipes[other as usize];
            let smaller = (pipe.capacity, other) < (own.capacity, link);
            if smaller && pipe.steady && own.steady {
                pipe.capacity
            } else {
                f64::INFINITY
            }
        });
        self.bounds[link as usize][side as usize] += lets_through;
    }
}

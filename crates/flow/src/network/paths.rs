//! Links and the paths over them, each with the transfers that share on it.
//!
//! All transfers on one path have the same latency and the same links, hence always the same rate. So a path counts the bytes
//! that *each* of its transfers has had, and a transfer ends when the count reaches what it was at its start plus its size.

use super::crowd::NOBODY;
use super::redundant::Neighbours;
use super::twofold::Twofold;
use crate::link::{Link, LinkId, NetworkSettings, Sharing};
use std::collections::HashMap;

/// Of its rate, what a transfer takes on the links of its reverse route: acknowledgements (SimGrid: cross-traffic).
const REVERSE_CHARGE: f64 = 0.05;

/// A path of a [`Network`](super::Network): its place among the paths in the order they were first asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathId(pub u32);

/// A link as the network sees it.
#[derive(Debug)]
pub(super) struct Pipe {
    /// Bytes per second
    pub(super) capacity: f64,
    /// Seconds
    pub(super) latency: f64,
    pub(super) up: bool,
    pub(super) sharing: Sharing,
    /// Whether its bandwidth stays as it is
    pub(super) steady: bool,
    /// Whether it may be a bottleneck (see `redundant`)
    pub(super) kept: bool,
    /// The paths that have transfers which share now; none are kept at a fat pipe, where no rate depends on another, nor
    /// where other links leave nothing to hold up
    pub(super) riders: Vec<Rider>,
    /// When the solver was here last, and what it has left to give
    pub(super) visited: u64,
    pub(super) unfixed: u32,
    pub(super) remaining: f64,
    pub(super) usage: f64,
}

/// A path at a link it crosses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rider {
    pub(super) path: u32,
    /// Which of all charges is this one
    pub(super) charge: u32,
    /// How many times its rate a transfer takes here
    pub(super) times: f64,
}

/// A shared link that a path crosses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charge {
    pub(super) link: u32,
    /// Its place among the link's riders while it has transfers that share
    place: u32,
    /// How many times its rate a transfer takes here
    pub(super) times: f64,
}

/// A transfer that shares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// What the path's count is at its end
    pub(super) end: Twofold,
    pub(super) slot: u32,
}

/// A path and the transfers that share on it.
#[derive(Debug)]
pub(super) struct Path {
    /// Its shared links: from here up to there of all charges, the first `count` of them where it may be held up
    first: u32,
    count: u32,
    last: u32,
    /// Its routes among all routes: forward from `route` to `turn`, backward from there to `end`
    route: u32,
    turn: u32,
    end: u32,
    /// Sum of the latencies of the forward route, seconds
    pub(super) latency: f64,
    /// How long a transfer uses no bandwidth, seconds
    pub(super) start: f64,
    /// By what the level of the sharing is divided to give a rate: the weight is 1 / penalty
    pub(super) penalty: f64,
    /// The most a transfer gets, whatever the others take: TCP's window and fat pipes, bytes per second
    pub(super) cap: f64,
    /// Whether a link of it is down
    pub(super) down: bool,
    /// The transfers that share, the first to end at the root of a binary heap
    members: Vec<Member>,
    /// How many share over the penalty
    pub(super) weight: f64,
    /// What each gets now, bytes per second
    pub(super) rate: f64,
    /// Bytes that each has had since the path was idle, up to `since`
    served: Twofold,
    since: f64,
    /// Whether the date of the next end must be worked out again, even at the same rate
    pub(super) stale: bool,
    /// Whether it waits for the solver
    pub(super) dirty: bool,
    /// Whether a transfer has joined since the solver was here
    pub(super) joined: bool,
    /// Which round of the solver found it last, and whether that has fixed its rate
    pub(super) mark: u64,
    /// The rate before the bandwidth factor
    pub(super) value: f64,
    /// What held the rate at it: the number of a link, or [`CAP`](super::crowd::CAP)
    pub(super) held: u32,
    /// The level at which the rate was fixed; infinite while no transfer has one
    pub(super) level: f64,
}

impl Path {
    /// The shared links that may hold it up, among all charges.
    #[inline]
    pub(super) fn charges(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// The transfers that share, in no order.
    #[inline]
    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    /// Whether it crosses no link at all.
    pub(super) fn is_empty(&self) -> bool {
        self.route == self.turn
    }

    /// Counts what each transfer had up to `now`.
    #[inline]
    pub(super) fn settle(&mut self, now: f64) {
        if now != self.since {
            self.served = self.served.plus(self.rate * (now - self.since));
            self.since = now;
        }
    }

    /// Bytes that each transfer has had since the path was idle, up to when they were counted last.
    pub(super) fn served(&self) -> Twofold {
        self.served
    }

    /// The same, after each had `bytes` more up to `now`.
    pub(super) fn catch_up(&mut self, bytes: f64, now: f64) {
        self.served = self.served.plus(bytes);
        self.since = now;
    }

    /// The level at which the cap holds up its transfers.
    #[inline]
    pub(super) fn cap_level(&self) -> f64 {
        self.cap * self.penalty
    }

    /// When `member` ends if the rate stays; never, at a rate of 0.
    #[inline]
    pub(super) fn end_of(&self, member: &Member) -> f64 {
        let left = member.end.above(self.served);
        if left > 0.0 {
            self.since + left / self.rate
        } else {
            self.since
        }
    }

    /// When the next transfer ends if the rate stays.
    #[inline]
    pub(super) fn next_end(&self) -> Option<f64> {
        let date = self.end_of(self.members.first()?);
        date.is_finite().then_some(date)
    }

    #[inline]
    fn push(&mut self, member: Member) {
        let mut place = self.members.len();
        self.members.push(member);
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.members[parent].end.order(member.end).is_le() {
                break;
            }
            self.members[place] = self.members[parent];
            place = parent;
        }
        self.members[place] = member;
    }

    #[inline]
    fn pop(&mut self) -> Option<Member> {
        let last = self.members.pop()?;
        let Some(&root) = self.members.first() else {
            return Some(last);
        };
        let len = self.members.len();
        let mut place = 0;
        loop {
            let mut child = place * 2 + 1;
            if child >= len {
                break;
            }
            if child + 1 < len && self.members[child + 1].end.order(self.members[child].end).is_lt() {
                child += 1;
            }
            if last.end.order(self.members[child].end).is_le() {
                break;
            }
            self.members[place] = self.members[child];
            place = child;
        }
        self.members[place] = last;
        Some(root)
    }
}

/// All links and paths.
#[derive(Debug)]
pub(super) struct Paths {
    pub(super) pipes: Vec<Pipe>,
    pub(super) paths: Vec<Path>,
    pub(super) charges: Vec<Charge>,
    routes: Vec<u32>,
    known: HashMap<Box<[u32]>, PathId>,
    /// The key of the path being looked up
    key: Vec<u32>,
    neighbours: Neighbours,
    /// Whether links of paths that there were already count now that did not before
    pub(super) reshaped: bool,
    settings: NetworkSettings,
}

impl Paths {
    pub(super) fn new(links: &[Link], settings: &NetworkSettings) -> Self {
        let pipes = links.iter().map(|link| Pipe {
            capacity: link.bandwidth,
            latency: link.latency,
            up: true,
            sharing: link.sharing,
            steady: link.bandwidth_profile.is_none(),
            kept: false,
            riders: Vec::new(),
            visited: 0,
            unfixed: 0,
            remaining: 0.0,
            usage: 0.0,
        });
        Self {
            pipes: pipes.collect(),
            paths: Vec::new(),
            charges: Vec::new(),
            routes: Vec::new(),
            known: HashMap::new(),
            key: Vec::new(),
            neighbours: Neighbours::new(links.len()),
            reshaped: false,
            settings: settings.clone(),
        }
    }

    /// The path over these links: the same one for the same links.
    ///
    /// # Panics
    ///
    /// If a link is not one of the network's.
    pub(super) fn intern(&mut self, forward: &[LinkId], backward: &[LinkId]) -> PathId {
        // Without cross-traffic the way back does not matter.
        let backward = if self.settings.cross_traffic {
            backward
        } else {
            &[]
        };
        self.key.clear();
        self.key.push(forward.len() as u32);
        self.key.extend(forward.iter().chain(backward).map(|l| l.0));
        if let Some(&path) = self.known.get(&self.key[..]) {
            return path;
        }
        self.key_is_new(forward, backward)
    }

    /// Makes the path whose key it is.
    fn key_is_new(&mut self, forward: &[LinkId], backward: &[LinkId]) -> PathId {
        let id = PathId(u32::try_from(self.paths.len()).expect("fewer than 2^32 paths"));
        let mut kept = Vec::new();
        for route in [forward, backward] {
            self.neighbours.note(&mut self.pipes, route, &mut kept);
        }
        for link in kept {
            self.keep(link);
        }
        self.known.insert(self.key.clone().into_boxed_slice(), id);
        let route = self.routes.len() as u32;
        let turn = route + forward.len() as u32;
        self.routes.extend_from_slice(&self.key[1..]);
        let first = self.charges.len();
        for (place, link) in (0..).zip(route..self.routes.len() as u32) {
            let link = self.routes[link as usize];
            let times = if place < forward.len() {
                1.0
            } else {
                REVERSE_CHARGE
            };
            if self.pipes[link as usize].sharing == Sharing::Shared {
                match self.charges[first..].iter_mut().find(|c| c.link == link) {
                    Some(charge) => charge.times += times,
                    None => self.charges.push(Charge {
                        link,
                        place: 0,
                        times,
                    }),
                }
            }
        }
        let pipes = &self.pipes;
        self.charges[first..].sort_by_key(|c| !pipes[c.link as usize].kept);
        let count = self.charges[first..].partition_point(|c| pipes[c.link as usize].kept);
        self.paths.push(Path {
            first: first as u32,
            count: count as u32,
            last: self.charges.len() as u32,
            route,
            turn,
            end: self.routes.len() as u32,
            latency: 0.0,
            start: 0.0,
            penalty: 1.0,
            cap: f64::INFINITY,
            down: false,
            members: Vec::new(),
            weight: 0.0,
            rate: 0.0,
            served: Twofold::ZERO,
            since: 0.0,
            stale: false,
            dirty: false,
            joined: false,
            mark: 0,
            value: 0.0,
            held: NOBODY,
            level: f64::INFINITY,
        });
        self.refresh(id.0);
        id
    }

    /// Lets `link`, which could hold nobody up so far, count at all paths that cross it.
    fn keep(&mut self, link: u32) {
        for (number, path) in (0..).zip(&mut self.paths) {
            let next = (path.first + path.count) as usize;
            let rest = &mut self.charges[next..path.last as usize];
            let Some(at) = rest.iter().position(|c| c.link == link) else {
                continue;
            };
            rest.swap(0, at);
            path.count += 1;
            self.reshaped = true;
            if !path.members.is_empty() {
                ride(&mut self.pipes, &mut self.charges, number, next);
            }
        }
    }

    /// Whether `path` crosses `link`, on its way or, with cross-traffic, on its way back.
    pub(super) fn crosses(&self, path: u32, link: u32) -> bool {
        let path = &self.paths[path as usize];
        self.routes[path.route as usize..path.end as usize].contains(&link)
    }

    /// Whether a transfer that shares crosses `link`.
    pub(super) fn is_used(&self, link: u32) -> bool {
        (0..self.paths.len() as u32)
            .any(|p| !self.paths[p as usize].members.is_empty() && self.crosses(p, link))
    }

    /// Works out again what depends on the links' latencies, bandwidths and states.
    pub(super) fn refresh(&mut self, path: u32) {
        let settings = &self.settings;
        let path = &mut self.paths[path as usize];
        let pipe = |link: &u32| &self.pipes[*link as usize];
        let forward = &self.routes[path.route as usize..path.turn as usize];
        let backward = &self.routes[path.turn as usize..path.end as usize];
        path.latency = forward.iter().map(|l| pipe(l).latency).sum();
        path.start = path.latency * settings.latency_factor;
        path.penalty = if path.start > 0.0 { path.latency } else { 1.0 };
        if path.start > 0.0 && settings.weight_s > 0.0 {
            path.penalty += forward
                .iter()
                .map(|l| settings.weight_s / pipe(l).capacity)
                .sum::<f64>();
        }
        path.cap = f64::INFINITY;
        if path.latency > 0.0 && settings.tcp_gamma > 0.0 {
            path.cap = settings.tcp_gamma / (2.0 * path.latency);
        }
        for (links, times) in [(forward, 1.0), (backward, REVERSE_CHARGE)] {
            for pipe in links.iter().map(pipe).filter(|p| p.sharing == Sharing::FatPipe) {
                path.cap = path.cap.min(pipe.capacity / times);
            }
        }
        path.down = forward.iter().chain(backward).any(|l| !pipe(l).up);
        path.weight = path.members.len() as f64 / path.penalty;
        if !path.members.is_empty() {
            // Whatever changed, it may matter from the lowest level on.
            path.level = 0.0;
        }
    }

    /// Lets a transfer of `bytes` share on `path` from `now` on.
    #[inline]
    pub(super) fn join(&mut self, path: u32, slot: u32, bytes: f64, now: f64) {
        let number = path;
        let path = &mut self.paths[path as usize];
        if path.members.is_empty() {
            path.served = Twofold::ZERO;
            path.since = now;
            path.rate = 0.0;
            for charge in path.charges() {
                ride(&mut self.pipes, &mut self.charges, number, charge);
            }
        } else {
            path.settle(now);
        }
        let end = path.served.plus(bytes);
        path.push(Member { end, slot });
        path.joined = true;
        path.weight = path.members.len() as f64 / path.penalty;
    }

    /// Takes the first transfer to end off `path`, whose count has been settled.
    #[inline]
    pub(super) fn leave(&mut self, path: u32) -> Option<Member> {
        let path = &mut self.paths[path as usize];
        let member = path.pop()?;
        path.weight = path.members.len() as f64 / path.penalty;
        if path.members.is_empty() {
            path.rate = 0.0;
            for charge in path.charges() {
                let Charge { link, place, .. } = self.charges[charge];
                let riders = &mut self.pipes[link as usize].riders;
                riders.swap_remove(place as usize);
                if let Some(moved) = riders.get(place as usize) {
                    self.charges[moved.charge as usize].place = place;
                }
            }
        }
        Some(member)
    }
}

/// Puts a path among the riders of one of its links.
#[inline]
fn ride(pipes: &mut [Pipe], charges: &mut [Charge], path: u32, charge: usize) {
    let own = &mut charges[charge];
    let riders = &mut pipes[own.link as usize].riders;
    own.place = riders.len() as u32;
    riders.push(Rider {
        path,
        charge: charge as u32,
        times: own.times,
    });
}

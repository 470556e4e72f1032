//! Sharing: the weighted max-min fair rates, worked out again only where something changed.
//!
//! The level of a link is what it has over what its transfers ask for, a transfer asking for its charge over its penalty. The
//! link of the least level holds up its transfers: each gets level / penalty. They are taken off all links, and so on until
//! every transfer has its rate (progressive filling). One whose own cap is below what its link would give gets the cap.
//!
//! Filling goes up through the levels, so a change matters only from the least level of what changed on: a transfer that
//! ended took part up to its own level, one that joins will have at least what each of its links would give if nobody on it
//! were held up elsewhere. Rates of lower levels stay, and are only taken off the links.
//!
//! That takes time in proportion to the transfers whose rates depend on each other. When they are many, `crowd` goes on.

mod many;

use super::crowd::{CAP, Crowd};
use super::heap::{Heap, Name};
use super::paths::Paths;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// With at most this many links the least level is looked for one by one; with more, by a heap.
const FEW_LINKS: usize = 16;

/// What is left of a sum after taking off something this many times larger is rounding, and is added up again.
const CANCELLED: f64 = 1e-6;

/// With more changes than this at once the least level is not worth looking for.
const MANY_DIRTY: usize = 64;

/// Levels this much apart may be one and the same but for rounding.
const LEVEL_SLACK: f64 = 1e-9;

/// A link and what its level was when it was put here: levels only rise while rates are fixed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Level(f64, u32);

impl Eq for Level {}

impl Ord for Level {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Level {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// With so many paths in one part it is a crowd if they are shared anew again and again.
const CROWD: usize = 128;
/// With fewer paths than one in so many of [`CROWD`] it is one no more.
const FEW: usize = 4;
/// So often a part must have been large.
const AGAIN: u32 = 4;

/// What waits to be shared anew, and room to work in.
#[derive(Debug)]
pub(super) struct Solver {
    /// The sharing among many
    pub(super) crowd: Crowd,
    /// With how many paths in one part it is a crowd
    crowd_at: usize,
    /// The largest part since last looked at, and how often it was large
    largest: usize,
    crowded: u32,
    dirty: Vec<u32>,
    /// Tells what was found this time from what was found before; an even number, and one more marks what is fixed
    round: u64,
    /// Rates fixed below this level stay
    least: f64,
    links: Vec<u32>,
    paths: Vec<u32>,
    levels: BinaryHeap<Reverse<Level>>,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            crowd: Crowd::default(),
            crowd_at: CROWD,
            largest: 0,
            crowded: 0,
            dirty: Vec::new(),
            round: 0,
            least: 0.0,
            links: Vec::new(),
            paths: Vec::new(),
            levels: BinaryHeap::new(),
        }
    }
}

impl Solver {
    /// Takes `paths` for a crowd as soon as they depend on each other.
    #[cfg(test)]
    pub(super) fn crowd_from(&mut self, paths: usize) {
        (self.crowd_at, self.crowded) = (paths, AGAIN);
    }

    /// Notes that the transfers on `path` are others than before, or may have more or less.
    #[inline]
    pub(super) fn mark(&mut self, all: &mut Paths, path: u32) {
        let entry = &mut all.paths[path as usize];
        entry.stale = true;
        if !entry.dirty {
            entry.dirty = true;
            self.dirty.push(path);
        }
    }

    /// Shares anew whatever is reached from what was marked, and sets the dates of the next ends.
    #[inline]
    pub(super) fn solve(&mut self, all: &mut Paths, heap: &mut Heap, now: f64, factor: f64) {
        if self.dirty.is_empty() {
            return;
        }
        if self.crowd.on {
            if self.crowd.len() * FEW >= self.crowd_at {
                self.solve_crowd(all, heap, now, factor);
                return;
            }
            self.disperse(all, heap, now);
        }
        self.round += 2;
        self.least = self.least_level(all);
        let mut next = 0;
        while let Some(&path) = self.dirty.get(next) {
            next += 1;
            let entry = &mut all.paths[path as usize];
            (entry.dirty, entry.joined) = (false, false);
            if entry.mark >= self.round {
                continue;
            }
            if self.alone(all, path) {
                assign(all, heap, path, now, factor);
                continue;
            }
            self.gather(all, path);
            self.largest = self.largest.max(self.paths.len());
            self.fill(all);
            if all.paths[path as usize].members().is_empty() {
                assign(all, heap, path, now, factor);
            }
            for place in 0..self.paths.len() {
                assign(all, heap, self.paths[place], now, factor);
            }
            #[cfg(debug_assertions)]
            super::invariants::check(all, &self.links, &self.paths);
        }
        self.dirty.clear();
        if self.largest >= self.crowd_at {
            self.largest = 0;
            self.crowded += 1;
            if self.crowded >= AGAIN {
                self.share_all(all, heap, now, factor);
            }
        }
    }

    /// The level below which nothing can have changed.
    fn least_level(&self, all: &Paths) -> f64 {
        if self.dirty.len() > MANY_DIRTY {
            return 0.0;
        }
        let mut least = f64::INFINITY;
        for &path in &self.dirty {
            let entry = &all.paths[path as usize];
            least = least.min(entry.level);
            if entry.joined {
                least = least.min(entry.cap_level());
                for charge in &all.charges[entry.charges()] {
                    let pipe = &all.pipes[charge.link as usize];
                    let usage: f64 = pipe
                        .riders
                        .iter()
                        .map(|r| r.times * all.paths[r.path as usize].weight)
                        .sum();
                    least = least.min(pipe.capacity / usage);
                }
            }
        }
        least * (1.0 - LEVEL_SLACK)
    }

    /// Gives a path that shares no link with another its rate; false if it does share one.
    #[inline]
    fn alone(&self, all: &mut Paths, path: u32) -> bool {
        let entry = &mut all.paths[path as usize];
        let alone = usize::from(!entry.members().is_empty());
        let transfers = entry.members().len() as f64;
        let mut value = entry.cap;
        for charge in &all.charges[entry.charges()] {
            let pipe = &all.pipes[charge.link as usize];
            if pipe.riders.len() != alone {
                return false;
            }
            value = value.min(pipe.capacity / (charge.times * transfers));
        }
        entry.value = value;
        entry.level = value * entry.penalty;
        entry.mark = self.round + 1;
        true
    }

    /// Finds all links and paths whose rates may depend on those of `path`, and takes off the links what stays.
    fn gather(&mut self, all: &mut Paths, path: u32) {
        self.links.clear();
        self.paths.clear();
        let Paths {
            pipes,
            paths,
            charges,
            ..
        } = all;
        let reach = |links: &mut Vec<u32>, pipes: &mut [super::paths::Pipe], charge: usize| {
            let link = charges[charge].link;
            let pipe = &mut pipes[link as usize];
            if pipe.visited != self.round {
                pipe.visited = self.round;
                links.push(link);
            }
        };
        for charge in paths[path as usize].charges() {
            reach(&mut self.links, pipes, charge);
        }
        let mut next = 0;
        while let Some(&link) = self.links.get(next) {
            next += 1;
            let mut remaining = pipes[link as usize].capacity;
            let (mut usage, mut unfixed) = (0.0, 0);
            for place in 0..pipes[link as usize].riders.len() {
                let rider = pipes[link as usize].riders[place];
                let path = &mut paths[rider.path as usize];
                // A path without transfers may lead to what was shared a moment ago, in the same round.
                if path.level < self.least || path.mark > self.round {
                    remaining -= rider.times * path.value * path.members().len() as f64;
                    continue;
                }
                usage += rider.times * path.weight;
                unfixed += 1;
                if path.mark < self.round {
                    path.mark = self.round;
                    self.paths.push(rider.path);
                    for charge in path.charges() {
                        reach(&mut self.links, pipes, charge);
                    }
                }
            }
            let pipe = &mut pipes[link as usize];
            (pipe.remaining, pipe.usage, pipe.unfixed) = (remaining.max(0.0), usage, unfixed);
        }
    }

    /// Progressive filling of what was gathered.
    fn fill(&mut self, all: &mut Paths) {
        let few = self.links.len() <= FEW_LINKS;
        if !few {
            self.levels.clear();
            let level = |&link: &u32| {
                let pipe = &all.pipes[link as usize];
                (pipe.unfixed > 0).then(|| Reverse(Level(pipe.remaining / pipe.usage, link)))
            };
            self.levels.extend(self.links.iter().filter_map(level));
        }
        let mut floor = 0.0_f64;
        while let Some(Level(level, link)) = if few { self.scan(all) } else { self.pull(all) } {
            // Rounding may put a level a little below one that was filled before.
            floor = floor.max(level);
            let riders = all.pipes[link as usize].riders.len();
            let mut capped = false;
            for place in 0..riders {
                let path = all.pipes[link as usize].riders[place].path;
                let entry = &all.paths[path as usize];
                if entry.mark == self.round && entry.cap_level() < floor {
                    capped = true;
                    fix(all, path, entry.cap, entry.cap_level(), CAP, self.round);
                }
            }
            if capped {
                // The link has more left for the others.
                let pipe = &all.pipes[link as usize];
                if !few && pipe.unfixed > 0 {
                    self.levels
                        .push(Reverse(Level(pipe.remaining / pipe.usage, link)));
                }
                continue;
            }
            for place in 0..riders {
                let path = all.pipes[link as usize].riders[place].path;
                let entry = &all.paths[path as usize];
                if entry.mark == self.round {
                    fix(
                        all,
                        path,
                        (floor / entry.penalty).min(entry.cap),
                        floor,
                        link,
                        self.round,
                    );
                }
            }
        }
    }

    /// The link of the least level, by looking at each.
    #[inline]
    fn scan(&self, all: &Paths) -> Option<Level> {
        let mut least: Option<Level> = None;
        for &link in &self.links {
            let pipe = &all.pipes[link as usize];
            if pipe.unfixed > 0 {
                let level = pipe.remaining / pipe.usage;
                if least.is_none_or(|l| level < l.0) {
                    least = Some(Level(level, link));
                }
            }
        }
        least
    }

    /// The link of the least level, from the heap: one whose level rose since it was put there goes back.
    #[inline]
    fn pull(&mut self, all: &Paths) -> Option<Level> {
        while let Some(Reverse(Level(noted, link))) = self.levels.pop() {
            let pipe = &all.pipes[link as usize];
            if pipe.unfixed == 0 {
                continue;
            }
            let level = pipe.remaining / pipe.usage;
            if level <= noted {
                return Some(Level(level, link));
            }
            self.levels.push(Reverse(Level(level, link)));
        }
        None
    }
}

/// Fixes the rate of a path's transfers and takes them off its links.
#[inline]
fn fix(all: &mut Paths, path: u32, value: f64, level: f64, held: u32, round: u64) {
    let Paths {
        pipes,
        paths,
        charges,
        ..
    } = all;
    let entry = &mut paths[path as usize];
    (entry.value, entry.level, entry.held) = (value, level, held);
    entry.mark = round + 1;
    let total = value * entry.members().len() as f64;
    let (weight, own) = (entry.weight, entry.charges());
    for charge in &charges[own] {
        let pipe = &mut pipes[charge.link as usize];
        pipe.remaining = (pipe.remaining - charge.times * total).max(0.0);
        pipe.unfixed -= 1;
        let gone = charge.times * weight;
        pipe.usage -= gone;
        if pipe.usage < gone * CANCELLED && pipe.unfixed > 0 {
            let left = pipe
                .riders
                .iter()
                .filter(|r| paths[r.path as usize].mark == round);
            pipe.usage = left.map(|r| r.times * paths[r.path as usize].weight).sum();
        }
    }
}

/// Lets a path's transfers go on at the rate that was found, and sets the date of the next end.
#[inline]
fn assign(all: &mut Paths, heap: &mut Heap, path: u32, now: f64, factor: f64) {
    let name = Name::path(path);
    let path = &mut all.paths[path as usize];
    let rate = path.value * factor;
    if path.members().is_empty() {
        path.stale = false;
        path.level = f64::INFINITY;
        heap.remove(name);
    } else if path.stale || rate != path.rate {
        path.stale = false;
        path.settle(now);
        path.rate = rate;
        match path.next_end() {
            Some(date) => heap.set(name, date),
            None => heap.remove(name),
        }
    }
}

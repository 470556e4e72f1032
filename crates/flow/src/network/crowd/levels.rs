//! The levels of links, until nothing has to change any more.

use super::super::paths::Paths;
use super::{CAP, Crowd, Holder, NOBODY};
use std::cmp::Reverse;

/// Levels closer than this may be one and the same but for rounding: nobody changes his holder for less.
const SLACK: f64 = 1e-12;

/// A level that changed by less than this stays as it was; what it is off is not lost, for it is worked out from the loads.
const STEADY: f64 = 1e-13;

/// After this many times all loads are added up again, so that rounding does not add up.
const FRESH: u64 = 512;

/// So many entries may be gone through for each charge there is, before all is shared anew instead.
const PATIENCE: usize = 8;

/// An even smaller crowd may take this many.
const PATIENCE_AT_LEAST: usize = 4096;

/// With more than one in so many paths changed at once, all is shared anew.
const MANY: usize = 8;

impl Crowd {
    /// Works out the levels after the transfers on the paths of `dirty` changed. False if all must be shared anew.
    pub(in super::super) fn solve(&mut self, all: &mut Paths, dirty: &[u32], now: f64) -> bool {
        if dirty.len() > 32 && dirty.len() * MANY > self.seated {
            return false;
        }
        self.make_room(all);
        self.solves += 1;
        if self.solves.is_multiple_of(FRESH) {
            self.add_up(all);
        }
        for &path in dirty {
            let holder = self.seats.holders[path as usize];
            if holder != NOBODY {
                self.stand(all, path);
            }
            let entry = &mut all.paths[path as usize];
            (entry.dirty, entry.joined, entry.stale) = (false, false, false);
            if !entry.members().is_empty() {
                let holder = self.likely_holder(all, path, holder);
                if holder == CAP {
                    let entry = &mut all.paths[path as usize];
                    entry.rate = entry.cap * self.factor;
                }
                self.sit(all, path, holder, now);
            }
        }
        let patience = (self.charges * PATIENCE).max(PATIENCE_AT_LEAST);
        let mut work = 0;
        while let Some(Reverse(turn)) = self.waiting.pop() {
            let link = turn as u32;
            if self.spots[link as usize].waits {
                work += self.level(all, link, now);
                if work > patience {
                    return false;
                }
            }
        }
        self.date_again();
        true
    }

    /// Who will hold up `path`, as far as one can tell: at best the one before.
    fn likely_holder(&mut self, all: &Paths, path: u32, before: u32) -> u32 {
        if before != NOBODY && before != CAP && self.holders[before as usize].count > 0 {
            return before;
        }
        let entry = &all.paths[path as usize];
        let mut least = (entry.cap_level(), CAP);
        for charge in &all.charges[entry.charges()] {
            let holder = &self.holders[charge.link as usize];
            let pipe = &all.pipes[charge.link as usize];
            let own = holder.own + charge.times * entry.weight;
            let left = (pipe.capacity - self.spots[charge.link as usize].load).max(0.0);
            let level = if holder.count > 0 {
                holder.level
            } else {
                left / own
            };
            if level < least.0 {
                least = (level, charge.link);
            }
        }
        let (level, link) = least;
        if link != CAP && self.holders[link as usize].count == 0 {
            self.holders[link as usize].level = level;
        }
        link
    }

    /// Brings `link` in order; how many entries were gone through.
    fn level(&mut self, all: &mut Paths, link: u32, now: f64) -> usize {
        let index = link as usize;
        let capacity = all.pipes[index].capacity;
        let mut work = 1;
        let level = loop {
            let Holder { count, own, .. } = self.holders[index];
            let spot = &self.spots[index];
            if count == 0 {
                if spot.load <= capacity * (1.0 + SLACK) {
                    self.spots[index].waits = false;
                    return work;
                }
                // From nothing.
                self.holders[index].level = 0.0;
                work += self.take_over(all, link, now).1;
                continue;
            }
            let level = (capacity - spot.load).max(0.0) / own;
            let top = spot.top;
            if level > self.holders[index].lowest_cap * (1.0 + SLACK) {
                let (changed, steps) = self.let_go(all, link, level, now);
                work += steps;
                if changed {
                    continue;
                }
            }
            if level < top * (1.0 - SLACK) {
                let (changed, steps) = self.take_over(all, link, now);
                work += steps;
                if changed {
                    continue;
                }
            }
            break level;
        };
        self.spots[index].waits = false;
        let holder = &mut self.holders[index];
        let change = level - holder.level;
        if change.abs() <= holder.level * STEADY {
            return work;
        }
        holder.settle(now, self.factor);
        holder.level = level;
        self.undate(link);
        let holders = &self.holders;
        for (other, share) in holders[index].column.entries() {
            let spot = &mut self.spots[other as usize];
            spot.load += share * change;
            spot.top = spot.top.max(level);
            if !spot.waits {
                spot.waits = true;
                self.waiting.push(super::turn(&holders[other as usize], other));
            }
        }
        work + holders[index].column.len()
    }

    /// Lets `link` hold up those others on it who have a higher level than it gives, the highest first. Whether there were some,
    /// and how many were looked at.
    fn take_over(&mut self, all: &mut Paths, link: u32, now: f64) -> (bool, usize) {
        let index = link as usize;
        let (capacity, looked) = (all.pipes[index].capacity, all.pipes[index].riders.len());
        let mut candidates = std::mem::take(&mut self.candidates);
        let others = all.pipes[index].riders.iter().map(|r| r.path);
        let others = others.filter(|&p| {
            let holder = self.seats.holders[p as usize];
            holder != link && holder != NOBODY
        });
        candidates.extend(others.map(|p| (self.level_of(all, p), p)));
        candidates.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut changed = false;
        self.spots[index].top = 0.0;
        for &(level, path) in &candidates {
            let Holder { count, own, .. } = self.holders[index];
            let given = (capacity - self.spots[index].load).max(0.0) / own;
            if count > 0 && level <= given * (1.0 + SLACK) {
                self.spots[index].top = level;
                break;
            }
            self.catch_up(all, path, now);
            self.stand(all, path);
            self.sit(all, path, link, now);
            changed = true;
        }
        candidates.clear();
        self.candidates = candidates;
        (changed, looked)
    }

    /// Lets those whose cap is below `level` be held up by it and not by `link`. Whether there were some, and how many were
    /// looked at.
    fn let_go(&mut self, all: &mut Paths, link: u32, level: f64, now: f64) -> (bool, usize) {
        let mut candidates = std::mem::take(&mut self.candidates);
        let caps = self.holders[link as usize].column.owners();
        candidates.extend(caps.map(|p| (all.paths[p as usize].cap_level(), p)));
        let looked = candidates.len();
        let mut lowest = f64::INFINITY;
        let mut changed = false;
        for &(cap, path) in &candidates {
            if cap >= level {
                lowest = lowest.min(cap);
                continue;
            }
            self.catch_up(all, path, now);
            self.stand(all, path);
            all.paths[path as usize].rate = all.paths[path as usize].cap * self.factor;
            self.sit(all, path, CAP, now);
            changed = true;
        }
        self.holders[link as usize].lowest_cap = lowest;
        candidates.clear();
        self.candidates = candidates;
        (changed, looked)
    }

    /// Adds up all loads again.
    fn add_up(&mut self, all: &Paths) {
        for spot in &mut self.spots {
            (spot.load, spot.top) = (0.0, 0.0);
        }
        for link in 0..self.holders.len() {
            let holder = &self.holders[link];
            if holder.count == 0 {
                continue;
            }
            for (other, share) in holder.column.entries() {
                let spot = &mut self.spots[other as usize];
                spot.load += share * holder.level;
                spot.top = spot.top.max(holder.level);
            }
            self.holders[link].own = self.own_of(all, link as u32, &holder.column);
        }
        for path in 0..self.seats.holders.len() {
            if self.seats.holders[path] == CAP {
                let level = all.paths[path].cap_level();
                for charge in &all.charges[all.paths[path].charges()] {
                    let spot = &mut self.spots[charge.link as usize];
                    spot.load += charge.times * self.seats.weights[path] * level;
                    spot.top = spot.top.max(level);
                }
            }
        }
    }
}

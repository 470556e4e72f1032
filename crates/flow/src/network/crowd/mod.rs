//! Sharing among so many that one end changes the rates of thousands.
//!
//! Every transfer is held up by one link (or by its own cap), and all that one link holds up share its level: rate = level /
//! penalty. So what changes at an event are the levels of links, not the rates of transfers. Here everything is kept by link:
//!
//! - A link counts what its level has given so far. A transfer ends when the count is what it was at its start plus its size
//!   times its penalty: a number that stays while levels change. Each link has a heap of these numbers, and one date.
//! - `load` is what others, held up elsewhere, take of a link, `own` what those it holds up take of it at a level of 1. Its level
//!   is (bandwidth - load) / own. When it changes, the loads of other links do, by the entries of the link's column.
//! - Links whose load or own changed wait, those of low level first, as filling goes up through the levels. If somebody else on a
//!   link has a higher level than the link itself gives, the link holds him up from now on (`take_over`); if somebody's cap is
//!   below the level, his cap does (`let_go`).
//!
//! When no link waits, no link gives more than it has, and everyone is held up by a full link on which nobody has a higher level:
//! that is what max-min fair means, however it was reached. Should reaching it take more steps than sharing all anew, all is
//! shared anew; so it is when a good part of all transfers changes at once.

mod column;
mod levels;
mod passage;
mod tags;

use super::heap::{Heap, Name, Named};
use super::paths::{Member, Paths};
use super::twofold::Twofold;
use column::{Block, Column};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tags::{Tag, Tags};

/// Held up by nobody: it has no transfers that share, or has not been looked at yet.
pub(super) const NOBODY: u32 = u32::MAX;
/// Held up by its own cap.
pub(super) const CAP: u32 = u32::MAX - 1;

/// What is left of a sum after taking off something this many times larger is rounding, and is added up again.
const CANCELLED: f64 = 1e-6;

/// What reaches a link from others.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    /// What those held up elsewhere take, bytes per second
    load: f64,
    /// None of those has a higher level
    top: f64,
    waits: bool,
}

/// A link and those it holds up.
#[derive(Debug, Default)]
struct Holder {
    /// The level of all it holds up
    level: f64,
    /// What they take of it at a level of 1
    own: f64,
    /// How many paths they are
    count: u32,
    /// Whether the date of the first end must be worked out again
    undated: bool,
    /// No cap of theirs is at a lower level
    lowest_cap: f64,
    /// What the level has given up to `since`
    given: Twofold,
    since: f64,
    column: Column,
    tags: Tags,
}

impl Holder {
    /// Counts what was given up to `now`; `factor` is that of the bandwidth.
    #[inline]
    fn settle(&mut self, now: f64, factor: f64) {
        if now != self.since {
            self.given = if self.count == 0 {
                Twofold::ZERO
            } else {
                self.given.plus(self.level * factor * (now - self.since))
            };
            self.since = now;
        }
    }

    /// When the first ends if the level stays.
    #[inline]
    fn next_end(&self, factor: f64) -> Option<f64> {
        let left = self.tags.first()?.end.above(self.given);
        let date = if left > 0.0 {
            self.since + left / (self.level * factor)
        } else {
            self.since
        };
        date.is_finite().then_some(date)
    }
}

/// What is kept of each path.
#[derive(Debug, Default)]
struct Seats {
    /// The link that holds it up, or [`NOBODY`] or [`CAP`]
    holders: Vec<u32>,
    blocks: Vec<Block>,
    /// Its place in its holder's heap
    places: Vec<u32>,
    /// Its weight as the links know it
    weights: Vec<f64>,
    /// The holder's count when its own was brought up to date last
    since: Vec<Twofold>,
}

/// All links and paths, by who holds up whom.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    /// Whether it is in use
    pub(super) on: bool,
    /// How often all was shared anew since it came into use
    pub(super) anew: u64,
    factor: f64,
    /// By link; one more takes what dead entries say
    spots: Vec<Spot>,
    holders: Vec<Holder>,
    seats: Seats,
    /// How many paths have transfers that share, and their charges in all
    seated: usize,
    charges: usize,
    /// The first ends: of a link's (as a path's name), of a path's held up by its cap (as an activity's)
    dates: Heap,
    /// Links that wait, by the upper half of their level and number
    waiting: BinaryHeap<Reverse<u64>>,
    undated: Vec<u32>,
    candidates: Vec<(f64, u32)>,
    solves: u64,
}

impl Crowd {
    /// How many paths have transfers that share.
    pub(super) fn len(&self) -> usize {
        self.seated
    }

    /// The date of the first end.
    #[inline]
    pub(super) fn date(&self) -> Option<f64> {
        self.dates.date()
    }

    /// Counts what each transfer on `path` had up to `now`: before one joins it.
    pub(super) fn catch_up(&mut self, all: &mut Paths, path: u32, now: f64) {
        match self.holder(path) {
            NOBODY => {}
            CAP => all.paths[path as usize].settle(now),
            link => {
                let holder = &mut self.holders[link as usize];
                holder.settle(now, self.factor);
                let since = &mut self.seats.since[path as usize];
                let entry = &mut all.paths[path as usize];
                entry.catch_up(holder.given.above(*since) / entry.penalty, now);
                entry.rate = holder.level * self.factor / entry.penalty;
                *since = holder.given;
            }
        }
    }

    /// Takes the transfers that are due off their paths, as `is_due` says, and gives them with their dates and paths to `gone`.
    pub(super) fn take_due(
        &mut self,
        all: &mut Paths,
        now: f64,
        is_due: impl Fn(f64) -> bool,
        gone: &mut Vec<(Member, f64, u32)>,
    ) {
        while self.dates.date().is_some_and(&is_due) {
            let (date, name) = self.dates.pop().expect("it has a date");
            match name.what() {
                Named::Activity(path) => self.take_from(all, path, date, now, &is_due, gone),
                Named::Path(link) => {
                    self.undate(link);
                    loop {
                        let holder = &self.holders[link as usize];
                        let date = holder.next_end(self.factor).filter(|&date| is_due(date));
                        let (Some(date), Some(tag)) = (date, holder.tags.first()) else {
                            break;
                        };
                        self.take_from(all, tag.path, date, now, &is_due, gone);
                        let holder = &mut self.holders[link as usize];
                        // It comes back when it is shared anew.
                        holder.tags.remove(&mut self.seats.places, tag.path);
                    }
                }
            }
        }
    }

    /// The first of `path` is due at `date`, others of it perhaps too.
    fn take_from(
        &mut self,
        all: &mut Paths,
        path: u32,
        mut date: f64,
        now: f64,
        is_due: impl Fn(f64) -> bool,
        gone: &mut Vec<(Member, f64, u32)>,
    ) {
        self.catch_up(all, path, now);
        loop {
            let member = all.leave(path).expect("what has a date has a transfer");
            gone.push((member, date, path));
            let Some(next) = all.paths[path as usize].members().first() else {
                return;
            };
            date = all.paths[path as usize].end_of(next);
            if !is_due(date) {
                return;
            }
        }
    }

    /// Works out all rates and checks them.
    #[cfg(debug_assertions)]
    pub(super) fn check(&self, all: &mut Paths) {
        if self.seated > 256 && !self.solves.is_multiple_of(64) {
            return;
        }
        let paths: Vec<u32> = (0..all.paths.len() as u32)
            .filter(|&p| self.holder(p) != NOBODY)
            .collect();
        for &path in &paths {
            let level = self.level_of(all, path);
            let entry = &mut all.paths[path as usize];
            entry.value = (level / entry.penalty).min(entry.cap);
        }
        let links: Vec<u32> = (0..all.pipes.len() as u32).collect();
        super::invariants::check(all, &links, &paths);
    }

    fn holder(&self, path: u32) -> u32 {
        self.seats.holders.get(path as usize).copied().unwrap_or(NOBODY)
    }

    /// The level of a path that is held up.
    #[inline]
    fn level_of(&self, all: &Paths, path: u32) -> f64 {
        match self.seats.holders[path as usize] {
            CAP => all.paths[path as usize].cap_level(),
            link => self.holders[link as usize].level,
        }
    }

    /// Lets `link` wait to be looked at.
    #[inline]
    fn wait(&mut self, link: u32) {
        let spot = &mut self.spots[link as usize];
        if !spot.waits {
            spot.waits = true;
            self.waiting.push(turn(&self.holders[link as usize], link));
        }
    }

    /// Notes that the date of the first end on `link` may have changed.
    #[inline]
    fn undate(&mut self, link: u32) {
        let holder = &mut self.holders[link as usize];
        if !holder.undated {
            holder.undated = true;
            self.undated.push(link);
        }
    }

    /// Sets the dates that may have changed.
    fn date_again(&mut self) {
        while let Some(link) = self.undated.pop() {
            let holder = &mut self.holders[link as usize];
            holder.undated = false;
            match holder.next_end(self.factor) {
                Some(date) => self.dates.set(Name::path(link), date),
                None => self.dates.remove(Name::path(link)),
            }
        }
    }

    /// Lets `path`, whose count is up to date, be held up by `holder`: a link or [`CAP`].
    fn sit(&mut self, all: &Paths, path: u32, holder: u32, now: f64) {
        let index = path as usize;
        let entry = &all.paths[index];
        let weight = entry.weight;
        self.seats.holders[index] = holder;
        self.seats.weights[index] = weight;
        self.seated += 1;
        self.charges += entry.charges().len();
        if holder != CAP {
            // From nothing the level starts at nothing, or where it was left.
            self.holders[holder as usize].settle(now, self.factor);
        }
        let level = self.level_of(all, path);
        let charges = &all.charges[entry.charges()];
        for charge in charges {
            let share = charge.times * weight;
            if charge.link == holder {
                self.holders[holder as usize].own += share;
            } else {
                let spot = &mut self.spots[charge.link as usize];
                spot.load += share * level;
                spot.top = spot.top.max(level);
            }
            self.wait(charge.link);
        }
        if holder == CAP {
            if let Some(date) = entry.next_end() {
                self.dates.set(Name::activity(path), date);
            }
            return;
        }
        self.undate(holder);
        let place = &mut self.holders[holder as usize];
        place.lowest_cap = if place.count == 0 {
            entry.cap_level()
        } else {
            place.lowest_cap.min(entry.cap_level())
        };
        place.count += 1;
        let others = charges.iter().filter(|c| c.link != holder);
        self.seats.blocks[index] = place.column.add(path, others.map(|c| (c.link, c.times * weight)));
        self.seats.since[index] = place.given;
        let first = entry.members().first().expect("only who has transfers sits");
        let end = place.given.plus(first.end.above(entry.served()) * entry.penalty);
        place.tags.push(&mut self.seats.places, Tag { end, path });
    }

    /// The reverse of [`sit`](Self::sit).
    fn stand(&mut self, all: &Paths, path: u32) {
        let index = path as usize;
        let level = self.level_of(all, path);
        let holder = std::mem::replace(&mut self.seats.holders[index], NOBODY);
        let weight = self.seats.weights[index];
        let charges = &all.charges[all.paths[index].charges()];
        self.seated -= 1;
        self.charges -= charges.len();
        let mut gone = 0.0;
        for charge in charges {
            let share = charge.times * weight;
            if charge.link == holder {
                gone = share;
                self.holders[holder as usize].own -= share;
            } else {
                self.spots[charge.link as usize].load -= share * level;
            }
            self.wait(charge.link);
        }
        if holder == CAP {
            self.dates.remove(Name::activity(path));
            return;
        }
        self.undate(holder);
        let place = &mut self.holders[holder as usize];
        place.count -= 1;
        place.tags.remove(&mut self.seats.places, path);
        place
            .column
            .remove(self.seats.blocks[index], self.spots.len() as u32 - 1);
        if place.count == 0 {
            place.own = 0.0;
            place.column.clear();
        } else if place.column.is_sparse() || place.own < gone * CANCELLED {
            place.column.compact(&mut self.seats.blocks);
            // A sum that grew smaller is added up again, so that what was taken off leaves no rounding behind.
            let column = &self.holders[holder as usize].column;
            self.holders[holder as usize].own = self.own_of(all, holder, column);
        }
    }

    /// What those held up by `link` take of it at a level of 1, added up.
    fn own_of(&self, all: &Paths, link: u32, column: &Column) -> f64 {
        let shares = column.owners().map(|path| {
            let charges = &all.charges[all.paths[path as usize].charges()];
            let times: f64 = charges.iter().filter(|c| c.link == link).map(|c| c.times).sum();
            times * self.seats.weights[path as usize]
        });
        shares.sum()
    }
}

/// The turn of a link among those that wait.
#[inline]
fn turn(holder: &Holder, link: u32) -> Reverse<u64> {
    let level = if holder.count == 0 {
        f64::INFINITY
    } else {
        holder.level
    };
    // Levels are not negative, so their bits are in their order.
    Reverse(level.to_bits() >> 32 << 32 | u64::from(link))
}

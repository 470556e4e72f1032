//! Into the crowd and out of it.

use super::super::heap::{Heap, Name};
use super::super::paths::Paths;
use super::super::twofold::Twofold;
use super::column::{Block, NOWHERE};
use super::{CAP, Crowd, Holder, NOBODY, Spot};

impl Crowd {
    /// Room for all links and paths there are.
    pub(super) fn make_room(&mut self, all: &Paths) {
        let (links, paths) = (all.pipes.len(), all.paths.len());
        if self.holders.len() < links {
            self.holders.resize_with(links, Holder::default);
            self.spots.resize(links + 1, Spot::default());
            // Dead entries wake nobody.
            self.spots[links].waits = true;
        }
        if self.seats.holders.len() < paths {
            self.seats.holders.resize(paths, NOBODY);
            self.seats.blocks.resize(paths, Block::NONE);
            self.seats.places.resize(paths, NOWHERE);
            self.seats.weights.resize(paths, 0.0);
            self.seats.since.resize(paths, Twofold::ZERO);
        }
    }

    /// Brings the counts of all that share up to `now`, whoever has kept them so far, and forgets the rest.
    pub(in super::super) fn clear(&mut self, all: &mut Paths, heap: &mut Heap, now: f64) {
        for path in 0..all.paths.len() as u32 {
            if all.paths[path as usize].members().is_empty() {
                continue;
            }
            if self.on {
                self.catch_up(all, path, now);
            } else {
                all.paths[path as usize].settle(now);
                heap.remove(Name::path(path));
            }
        }
        self.seats.holders.fill(NOBODY);
        self.seats.places.fill(NOWHERE);
        self.dates = Heap::default();
        (self.seated, self.charges) = (0, 0);
        self.undated.clear();
        self.waiting.clear();
        for spot in &mut self.spots {
            *spot = Spot::default();
        }
        if let Some(nobody) = self.spots.last_mut() {
            nobody.waits = true;
        }
        for holder in &mut self.holders {
            holder.column.clear();
            holder.tags.clear();
            (holder.count, holder.own, holder.undated) = (0, 0.0, false);
        }
    }

    /// Takes over all that share, whose rates have just been worked out together.
    pub(in super::super) fn seat_all(&mut self, all: &mut Paths, now: f64, factor: f64) {
        self.make_room(all);
        (self.on, self.factor) = (true, factor);
        self.anew += 1;
        for path in 0..all.paths.len() as u32 {
            let entry = &mut all.paths[path as usize];
            (entry.dirty, entry.joined, entry.stale) = (false, false, false);
            if entry.members().is_empty() {
                continue;
            }
            entry.rate = entry.value * factor;
            let (held, level) = (entry.held, entry.level);
            if held != CAP {
                self.holders[held as usize].level = level;
            }
            self.sit(all, path, held, now);
        }
        while let Some(std::cmp::Reverse(turn)) = self.waiting.pop() {
            self.spots[turn as u32 as usize].waits = false;
        }
        self.date_again();
    }

    /// Gives all that share back to the solver of small parts, as if it had worked out their rates.
    pub(in super::super) fn disperse(&mut self, all: &mut Paths, heap: &mut Heap, now: f64) {
        for path in 0..all.paths.len() as u32 {
            if self.holder(path) == NOBODY {
                continue;
            }
            self.catch_up(all, path, now);
            let level = self.level_of(all, path);
            let entry = &mut all.paths[path as usize];
            entry.level = level;
            entry.value = level / entry.penalty;
            if self.seats.holders[path as usize] == CAP {
                entry.value = entry.cap;
            }
            entry.rate = entry.value * self.factor;
            if let Some(date) = entry.next_end() {
                heap.set(Name::path(path), date);
            }
        }
        self.clear(all, heap, now);
        self.on = false;
    }
}

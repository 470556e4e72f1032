//! When the crowd comes about, when all is shared anew, and when the crowd disperses.

use super::super::crowd::CAP;
use super::super::heap::Heap;
use super::super::paths::Paths;
use super::Solver;

impl Solver {
    /// Shares anew among many.
    #[cold]
    pub(super) fn solve_crowd(&mut self, all: &mut Paths, heap: &mut Heap, now: f64, factor: f64) {
        let reshaped = std::mem::take(&mut all.reshaped);
        if reshaped || !self.crowd.solve(all, &self.dirty, now) {
            self.share_all(all, heap, now, factor);
        }
        self.dirty.clear();
        #[cfg(debug_assertions)]
        self.crowd.check(all);
    }

    /// Shares everything anew, and lets the crowd go on from there.
    pub(super) fn share_all(&mut self, all: &mut Paths, heap: &mut Heap, now: f64, factor: f64) {
        self.crowd.clear(all, heap, now);
        self.round += 2;
        self.least = 0.0;
        for path in 0..all.paths.len() as u32 {
            let entry = &mut all.paths[path as usize];
            if entry.members().is_empty() || entry.mark >= self.round {
                continue;
            }
            if entry.charges().is_empty() {
                (entry.value, entry.level, entry.held) = (entry.cap, entry.cap_level(), CAP);
                continue;
            }
            self.gather(all, path);
            self.fill(all);
        }
        all.reshaped = false;
        self.crowd.seat_all(all, now, factor);
    }

    /// Ends the crowd, if there is one: it may come about again.
    pub(in super::super) fn disperse(&mut self, all: &mut Paths, heap: &mut Heap, now: f64) {
        if self.crowd.on {
            self.crowd.disperse(all, heap, now);
            self.crowded = 0;
        }
    }
}

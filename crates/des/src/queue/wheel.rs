//! A timing wheel with an overflow heap.

use super::{Entry, Heap, Queue};
use crate::key::Key;
use serde::{Deserialize, Serialize};

/// A slot spans 2^14 ps, about 16 ns: a handful of events of a rack.
const SLOT_SHIFT: u32 = 14;
/// Number of slots; the wheel reaches 2^26 ps, about 67 us, ahead: PFC refreshes are within it, transport timers beyond.
const SLOTS: u64 = 1 << 12;
/// Up to so many events of a slot are sorted by insertion.
const FEW: usize = 16;
/// End of a slot's list.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Linked {
    entry: Entry,
    next: u32,
}

/// Events of the near future hang in lists, one a slot of time; the slot being served is a small sorted stack; what lies
/// beyond the horizon waits in a heap.
///
/// Invariant: `current` holds every pending event of slots up to and including `slot`, greatest key first; the lists hold
/// slots `slot + 1` to `slot + SLOTS - 1`; the heap holds any later ones, and perhaps some that have come within reach.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Wheel {
    current: Vec<Entry>,
    slot: u64,
    heads: Vec<u32>,
    /// Bit n of all these together: slot n has a list.
    occupied: Vec<u64>,
    /// Bit n set: word n of `occupied` is not 0.
    words: u64,
    links: Vec<Linked>,
    free: u32,
    in_lists: usize,
    far: Heap,
}

impl Default for Wheel {
    fn default() -> Self {
        Wheel {
            current: Vec::new(),
            slot: 0,
            heads: vec![NONE; SLOTS as usize],
            occupied: vec![0; (SLOTS / 64) as usize],
            words: 0,
            links: Vec::new(),
            free: NONE,
            in_lists: 0,
            far: Heap::default(),
        }
    }
}

fn slot_of(key: Key) -> u64 {
    key.time().ps() >> SLOT_SHIFT
}

impl Wheel {
    fn insert_current(&mut self, entry: Entry) {
        let place = self.current.partition_point(|e| e.key > entry.key);
        self.current.insert(place, entry);
    }

    fn link(&mut self, entry: Entry, slot: u64) {
        let index = (slot % SLOTS) as usize;
        let linked = Linked {
            entry,
            next: self.heads[index],
        };
        let at = if self.free != NONE {
            let at = self.free;
            self.free = self.links[at as usize].next;
            self.links[at as usize] = linked;
            at
        } else {
            self.links.push(linked);
            (self.links.len() - 1) as u32
        };
        self.heads[index] = at;
        self.occupied[index / 64] |= 1 << (index % 64);
        self.words |= 1 << (index / 64);
        self.in_lists += 1;
    }

    /// The first slot after `self.slot` that has a list.
    fn next_listed(&self) -> Option<u64> {
        if self.in_lists == 0 {
            return None;
        }
        const { assert!(SLOTS == 64 * 64, "one word has a bit for each word of `occupied`") };
        let start = self.slot + 1;
        let mut word = (start % SLOTS) / 64;
        let mut bits = self.occupied[word as usize] & u64::MAX << (start % 64);
        if bits == 0 {
            // The first word after this one that has any, round to the front of this one.
            word = (word + 1) % 64;
            let behind = self.words.rotate_right(word as u32);
            word = (word + behind.trailing_zeros() as u64) % 64;
            bits = self.occupied[word as usize];
        }
        let index = word * 64 + bits.trailing_zeros() as u64;
        Some(start + (index + SLOTS - start % SLOTS) % SLOTS)
    }

    /// Fills `current` from the next slot that has events.
    fn advance(&mut self) {
        let far_slot = if self.far.is_empty() {
            u64::MAX
        } else {
            slot_of(self.far.next_key())
        };
        let listed = self.next_listed().unwrap_or(u64::MAX);
        let slot = far_slot.min(listed);
        if slot == u64::MAX {
            return;
        }
        self.slot = slot;
        if listed == slot {
            let index = (slot % SLOTS) as usize;
            let mut at = self.heads[index];
            self.heads[index] = NONE;
            self.occupied[index / 64] &= !(1 << (index % 64));
            if self.occupied[index / 64] == 0 {
                self.words &= !(1 << (index / 64));
            }
            while at != NONE {
                let Linked { entry, next } = self.links[at as usize];
                self.current.push(entry);
                self.links[at as usize].next = self.free;
                self.free = at;
                at = next;
                self.in_lists -= 1;
            }
        }
        while !self.far.is_empty() && slot_of(self.far.next_key()) == slot {
            self.current.extend(self.far.pop());
        }
        self.sort_current();
    }

    /// Sorts the slot that is now served. Most slots hold a handful of events.
    #[inline]
    fn sort_current(&mut self) {
        let entries = &mut self.current[..];
        if entries.len() > FEW {
            entries.sort_unstable_by_key(|e| std::cmp::Reverse(e.key));
            return;
        }
        for end in 1..entries.len() {
            let entry = entries[end];
            let mut place = end;
            while place > 0 && entries[place - 1].key < entry.key {
                entries[place] = entries[place - 1];
                place -= 1;
            }
            entries[place] = entry;
        }
    }
}

impl Queue for Wheel {
    #[inline]
    fn push(&mut self, entry: Entry) {
        let slot = slot_of(entry.key);
        if slot <= self.slot {
            self.insert_current(entry);
        } else if slot < self.slot + SLOTS {
            self.link(entry, slot);
        } else {
            self.far.push(entry);
        }
    }

    #[inline]
    fn next_key(&mut self) -> Key {
        if self.current.is_empty() {
            if self.in_lists == 0 && self.far.is_empty() {
                return Key::NEVER;
            }
            self.advance();
        }
        self.current.last().map_or(Key::NEVER, |e| e.key)
    }

    #[inline]
    fn pop(&mut self) -> Option<Entry> {
        if self.current.is_empty() {
            self.advance();
        }
        self.current.pop()
    }

    fn len(&self) -> usize {
        self.current.len() + self.in_lists + self.far.len()
    }
}

//! What is due when: a 4-ary heap whose entries can be moved and taken out by name.
//!
//! A path's next end moves each time its rate does, and a time-out is taken out when what it guards comes first. Each entry
//! therefore knows its place, and nothing stale is ever left behind.

/// Children of a place: four 16-byte entries share one cache line.
const ARITY: usize = 4;
/// The place of what is not in the heap.
const NOWHERE: u32 = u32::MAX;

/// What an entry stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name(u32);

/// What a [`Name`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// The activity in this slot
    Activity(u32),
    /// The first end among the transfers that share on this path
    Path(u32),
}

impl Name {
    pub(super) fn activity(slot: u32) -> Self {
        Self(slot << 1)
    }

    pub(super) fn path(path: u32) -> Self {
        Self(path << 1 | 1)
    }

    pub(super) fn what(self) -> Named {
        if self.0 & 1 == 0 {
            Named::Activity(self.0 >> 1)
        } else {
            Named::Path(self.0 >> 1)
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    date: f64,
    name: Name,
}

/// The least date is at the root; no entry is later than its four children.
#[derive(Debug, Default)]
pub(super) struct Heap {
    entries: Vec<Entry>,
    /// Where each name is
    places: Vec<u32>,
}

impl Heap {
    /// The earliest date.
    #[inline]
    pub(super) fn date(&self) -> Option<f64> {
        self.entries.first().map(|e| e.date)
    }

    /// Puts `name` at `date`, wherever it was.
    #[inline]
    pub(super) fn set(&mut self, name: Name, date: f64) {
        debug_assert!(date.is_finite());
        let entry = Entry { date, name };
        let index = name.0 as usize;
        if index >= self.places.len() {
            self.places.resize(index + 1, NOWHERE);
        }
        let place = self.places[index];
        if place == NOWHERE {
            self.entries.push(entry);
            self.rise(self.entries.len() - 1, entry);
        } else {
            self.settle(place as usize, entry);
        }
    }

    /// Takes `name` out, if it is there.
    #[inline]
    pub(super) fn remove(&mut self, name: Name) {
        let Some(place) = self.places.get_mut(name.0 as usize) else {
            return;
        };
        let place = std::mem::replace(place, NOWHERE);
        if place == NOWHERE {
            return;
        }
        let last = self.entries.pop().expect("what has a place is in the heap");
        if (place as usize) < self.entries.len() {
            self.settle(place as usize, last);
        }
    }

    /// Takes the earliest out.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(f64, Name)> {
        let root = *self.entries.first()?;
        self.places[root.name.0 as usize] = NOWHERE;
        let last = self.entries.pop().expect("there is a root");
        if !self.entries.is_empty() {
            self.sink(0, last);
        }
        Some((root.date, root.name))
    }

    /// Finds `entry` its place near `place`, whose own entry has gone.
    #[inline]
    fn settle(&mut self, place: usize, entry: Entry) {
        if place > 0 && entry.date < self.entries[(place - 1) / ARITY].date {
            self.rise(place, entry);
        } else {
            self.sink(place, entry);
        }
    }

    #[inline]
    fn rise(&mut self, mut place: usize, entry: Entry) {
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if self.entries[parent].date <= entry.date {
                break;
            }
            self.put(place, self.entries[parent]);
            place = parent;
        }
        self.put(place, entry);
    }

    #[inline]
    fn sink(&mut self, mut place: usize, entry: Entry) {
        let len = self.entries.len();
        loop {
            let first = place * ARITY + 1;
            if first >= len {
                break;
            }
            let mut least = first;
            for child in first + 1..(first + ARITY).min(len) {
                if self.entries[child].date < self.entries[least].date {
                    least = child;
                }
            }
            if entry.date <= self.entries[least].date {
                break;
            }
            self.put(place, self.entries[least]);
            place = least;
        }
        self.put(place, entry);
    }

    #[inline]
    fn put(&mut self, place: usize, entry: Entry) {
        self.entries[place] = entry;
        self.places[entry.name.0 as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_says_what_it_stands_for() {
        assert_eq!(Name::activity(7).what(), Named::Activity(7));
        assert_eq!(Name::path(7).what(), Named::Path(7));
    }

    proptest! {
        /// Whatever is set, moved and removed: what comes out is what a plain list says, earliest first.
        #[test]
        fn gives_the_earliest_whatever_was_moved(steps in prop::collection::vec((0u32..40, 0u8..4, 0u32..1000), 1..400)) {
            let mut heap = Heap::default();
            let mut list: Vec<(u32, f64)> = Vec::new();
            for (slot, what, date) in steps {
                let date = f64::from(date);
                match what {
                    0 => {
                        heap.remove(Name::activity(slot));
                        list.retain(|e| e.0 != slot);
                    }
                    1 => {
                        let popped = heap.pop();
                        let least = list.iter().map(|e| e.1).reduce(f64::min);
                        prop_assert_eq!(popped.map(|p| p.0), least);
                        if let Some((date, name)) = popped {
                            let Named::Activity(slot) = name.what() else { unreachable!("only activities were set") };
                            let at = list.iter().position(|e| *e == (slot, date));
                            prop_assert!(at.is_some());
                            list.remove(at.unwrap());
                        }
                    }
                    _ => {
                        heap.set(Name::activity(slot), date);
                        list.retain(|e| e.0 != slot);
                        list.push((slot, date));
                    }
                }
                prop_assert_eq!(heap.date(), list.iter().map(|e| e.1).reduce(f64::min));
            }
        }
    }
}

//! Handles and what they name.
//!
//! A handle holds the kind of object (3 bits), its interface (2), how often its place was used before (7), and its place
//! (20). Places are given from the lowest on, and the one freed last is given first, so the same calls give the same
//! handles on every rank. A handle of another kind, of another interface or of an object that is gone names nothing.
//! No handle is 0, and none is one of the header's special handles.

use crate::types::Handle;

const KIND: u32 = 29;
const INTERFACE: u32 = 27;
const GENERATION: u32 = 20;
const LAST_GENERATION: u8 = 127;

/// Most objects of one kind on one interface.
pub(super) const MOST: u32 = (1 << GENERATION) - 2;

/// Kinds of objects. Those of queues and counting events are the header's: `PTL_EQ_NONE` and `PTL_CT_NONE` are of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Interface = 0,
    Queue = 1,
    Counter = 2,
    Descriptor = 3,
    Entry = 4,
}

/// A handle taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) kind: Kind,
    pub(super) interface: u8,
    pub(super) key: Key,
}

/// A place in a slab, and which of the objects that were there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) place: u32,
    generation: u8,
}

impl Key {
    /// An interface's own.
    pub(super) const ONLY: Self = Self {
        place: 0,
        generation: 1,
    };

    /// Puts a handle together.
    pub(super) fn handle(self, kind: Kind, interface: u8) -> Handle {
        Handle(
            (kind as u32) << KIND
                | u32::from(interface) << INTERFACE
                | u32::from(self.generation) << GENERATION
                | self.place,
        )
    }
}

/// Takes a handle apart; `None` for numbers that no handle has.
pub(super) fn parts(handle: Handle) -> Option<Parts> {
    let kind = match handle.0 >> KIND {
        0 => Kind::Interface,
        1 => Kind::Queue,
        2 => Kind::Counter,
        3 => Kind::Descriptor,
        4 => Kind::Entry,
        _ => return None,
    };
    let generation = (handle.0 >> GENERATION & u32::from(LAST_GENERATION)) as u8;
    let place = handle.0 & ((1 << GENERATION) - 1);
    (generation > 0 && place <= MOST).then_some(Parts {
        kind,
        interface: (handle.0 >> INTERFACE & 3) as u8,
        key: Key { place, generation },
    })
}

/// Objects of one kind.
#[derive(Debug)]
pub(super) struct Slab<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Slot<T> {
    generation: u8,
    object: Option<T>,
}

impl<T> Slab<T> {
    pub(super) fn new() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Adds one. Whoever calls has seen to it that there are fewer than [`MOST`].
    pub(super) fn insert(&mut self, object: T) -> Key {
        if let Some(place) = self.free.pop() {
            let slot = &mut self.slots[place as usize];
            slot.object = Some(object);
            return Key {
                place,
                generation: slot.generation,
            };
        }
        let place = self.slots.len() as u32;
        debug_assert!(place <= MOST);
        self.slots.push(Slot {
            generation: 1,
            object: Some(object),
        });
        Key { place, generation: 1 }
    }

    /// Takes one out; its handle names nothing from now on.
    pub(super) fn remove(&mut self, key: Key) -> Option<T> {
        let slot = self.slots.get_mut(key.place as usize)?;
        if slot.generation != key.generation {
            return None;
        }
        let object = slot.object.take()?;
        slot.generation = if slot.generation == LAST_GENERATION {
            1
        } else {
            slot.generation + 1
        };
        self.free.push(key.place);
        Some(object)
    }

    /// Takes all out; none of their handles names anything from now on, and places are given from the lowest on again.
    pub(super) fn clear(&mut self) {
        for place in 0..self.slots.len() as u32 {
            let generation = self.slots[place as usize].generation;
            self.remove(Key { place, generation });
        }
        self.free.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// All there are, by place.
    pub(super) fn objects_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().filter_map(|slot| slot.object.as_mut())
    }

    pub(super) fn get(&self, key: Key) -> Option<&T> {
        let slot = self.slots.get(key.place as usize)?;
        if slot.generation == key.generation {
            slot.object.as_ref()
        } else {
            None
        }
    }

    pub(super) fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        let slot = self.slots.get_mut(key.place as usize)?;
        if slot.generation == key.generation {
            slot.object.as_mut()
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::{PTL_CT_NONE, PTL_EQ_NONE, PTL_INVALID_HANDLE};

    #[test]
    fn handles_come_apart_as_they_were_put_together() {
        for kind in [
            Kind::Interface,
            Kind::Queue,
            Kind::Counter,
            Kind::Descriptor,
            Kind::Entry,
        ] {
            for interface in 0..4 {
                for place in [0, 1, MOST] {
                    for generation in [1, LAST_GENERATION] {
                        let key = Key { place, generation };
                        let handle = key.handle(kind, interface);
                        assert_eq!(parts(handle), Some(Parts { kind, interface, key }));
                        assert!(![PTL_EQ_NONE, PTL_CT_NONE, PTL_INVALID_HANDLE, 0].contains(&handle.0));
                    }
                }
            }
        }
    }

    #[test]
    fn special_handles_name_nothing() {
        for number in [0, PTL_EQ_NONE, PTL_CT_NONE, PTL_INVALID_HANDLE] {
            assert_eq!(parts(Handle(number)), None, "{number:#x}");
        }
    }

    #[test]
    fn a_handle_of_an_object_that_is_gone_names_nothing() {
        let mut slab = Slab::new();
        let first = slab.insert('a');
        assert_eq!(slab.remove(first), Some('a'));
        let second = slab.insert('b');
        assert_eq!(second.place, first.place);
        assert_eq!(slab.get(first), None);
        assert_eq!(slab.remove(first), None);
        assert_eq!(slab.get(second), Some(&'b'));
    }

    #[test]
    fn what_is_cleared_is_given_anew_from_the_lowest_place_on() {
        let mut slab = Slab::new();
        let keys = [0, 1, 2].map(|number| slab.insert(number));
        slab.remove(keys[1]);
        slab.clear();
        assert_eq!(slab.len(), 0);
        assert!(keys.iter().all(|key| slab.get(*key).is_none()));
        assert_eq!([0, 1, 2].map(|number| slab.insert(number).place), [0, 1, 2]);
        assert!(keys.iter().all(|key| slab.get(*key).is_none()));
    }

    #[test]
    fn generations_start_again_after_the_last() {
        let mut slab = Slab::new();
        let first = slab.insert(0);
        let mut key = first;
        for round in 0..i32::from(LAST_GENERATION) {
            assert_eq!(slab.remove(key), Some(round));
            key = slab.insert(round + 1);
        }
        assert_eq!(key, first);
        assert_eq!(slab.len(), 1);
    }
}

//! A first-in first-out queue for the hot path.

use serde::{Deserialize, Serialize};

/// A first-in first-out queue of small items in a power of two of places.
///
/// Every frame goes through several of these at every hop. Next to `VecDeque` it saves the branches for a room of any size
/// (places are found with a mask), and it begins at its first place again whenever it runs empty: a queue that holds a few
/// items at a time then stays within the same cache lines, where going round would touch all of its room in turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ring<T> {
    /// Its length is 0 or a power of two.
    places: Vec<T>,
    head: u32,
    len: u32,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Ring {
            places: Vec::new(),
            head: 0,
            len: 0,
        }
    }
}

impl<T: Copy> Ring<T> {
    /// An empty queue without room; it grows as needed and keeps its room.
    pub fn new() -> Self {
        Self::default()
    }

    /// Items in the queue.
    #[inline]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The place of the `index`-th item from the front.
    #[inline]
    fn place(&self, index: u32) -> usize {
        (self.head + index) as usize & self.places.len().wrapping_sub(1)
    }

    /// Puts an item at the back.
    #[inline]
    pub fn push_back(&mut self, item: T) {
        if self.len() == self.places.len() {
            self.grow(item);
        }
        let place = self.place(self.len);
        self.places[place] = item;
        self.len += 1;
    }

    /// Takes the item at the front.
    #[inline]
    pub fn pop_front(&mut self) -> Option<T> {
        let item = *self.front()?;
        self.drop_front();
        Some(item)
    }

    /// Lets go of the item at the front, if there is one.
    #[inline]
    pub fn drop_front(&mut self) {
        if self.len > 0 {
            self.len -= 1;
            self.head = if self.len == 0 { 0 } else { self.place(1) as u32 };
        }
    }

    /// The item at the front.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.len == 0 {
            None
        } else {
            Some(&self.places[self.head as usize])
        }
    }

    /// The item at the back.
    #[inline]
    pub fn back(&self) -> Option<&T> {
        if self.len == 0 {
            None
        } else {
            Some(&self.places[self.place(self.len - 1)])
        }
    }

    /// The item at the back, to be changed.
    #[inline]
    pub fn back_mut(&mut self) -> Option<&mut T> {
        if self.len == 0 {
            return None;
        }
        let place = self.place(self.len - 1);
        Some(&mut self.places[place])
    }

    /// The `index`-th item from the front.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        if index < self.len() {
            Some(&self.places[self.place(index as u32)])
        } else {
            None
        }
    }

    /// The `index`-th item from the front, to be changed.
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if index >= self.len() {
            return None;
        }
        let place = self.place(index as u32);
        Some(&mut self.places[place])
    }

    /// How many items `before` holds for, which are all at the front.
    pub fn partition_point(&self, before: impl Fn(&T) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(&self.places[self.place(middle)]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low as usize
    }

    /// Puts an item before those that `after` holds for, which are all at the back. It is cheap close to either end.
    pub fn insert_before(&mut self, item: T, after: impl Fn(&T) -> bool) {
        if self.len > 0 && after(&self.places[self.place(self.len / 2)]) {
            self.push_front(item);
            let mut index = 0;
            // The item in the middle goes after it, so the end is not reached.
            while !after(&self.places[self.place(index + 1)]) {
                let (here, behind) = (self.place(index), self.place(index + 1));
                self.places.swap(here, behind);
                index += 1;
            }
        } else {
            self.push_back(item);
            let mut index = self.len - 1;
            while index > 0 && after(&self.places[self.place(index - 1)]) {
                let (here, before) = (self.place(index), self.place(index - 1));
                self.places.swap(here, before);
                index -= 1;
            }
        }
    }

    /// Puts an item at the front.
    #[inline]
    fn push_front(&mut self, item: T) {
        if self.len() == self.places.len() {
            self.grow(item);
        }
        self.head = self.place(self.places.len() as u32 - 1) as u32;
        self.places[self.head as usize] = item;
        self.len += 1;
    }

    /// The items from front to back.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + Clone {
        (0..self.len).map(|index| &self.places[self.place(index)])
    }

    /// Doubles the room. `filler` is what stands in places that are not in use.
    #[cold]
    fn grow(&mut self, filler: T) {
        let mut places = Vec::with_capacity((self.places.len() * 2).max(4));
        places.extend(self.iter().copied());
        places.resize(places.capacity().next_power_of_two(), filler);
        (self.places, self.head) = (places, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    #[test]
    fn it_begins_at_the_front_again_when_it_runs_empty() {
        let mut ring = Ring::new();
        for number in 0..100 {
            ring.push_back(number);
            ring.push_back(number + 1);
            assert_eq!(
                (ring.pop_front(), ring.pop_front()),
                (Some(number), Some(number + 1))
            );
        }
        assert_eq!((ring.places.len(), ring.head), (4, 0));
        assert_eq!((ring.front(), ring.back()), (None, None));
        assert_eq!(ring.pop_front(), None);
    }

    proptest! {
        #[test]
        fn does_what_a_vec_deque_does(steps in prop::collection::vec((0u8..4, 0u16..50), 0..400)) {
            let (mut ring, mut model) = (Ring::new(), VecDeque::new());
            for (step, item) in steps {
                match step {
                    0 | 1 => {
                        // What is inserted finds its place among items in order.
                        let item = model.back().map_or(item, |&last| item.max(last));
                        ring.push_back(item);
                        model.push_back(item);
                    }
                    2 => {
                        let later = model.iter().rev().take_while(|&&other| other > item).count();
                        model.insert(model.len() - later, item);
                        ring.insert_before(item, |&other| other > item);
                    }
                    _ => prop_assert_eq!(ring.pop_front(), model.pop_front()),
                }
                prop_assert_eq!(ring.len(), model.len());
                prop_assert_eq!(ring.front(), model.front());
                prop_assert_eq!(ring.back(), model.back());
                prop_assert_eq!(ring.back_mut().copied(), model.back().copied());
                prop_assert!((0..=model.len()).all(|index| ring.get(index) == model.get(index)));
                for index in 0..=model.len() {
                    prop_assert_eq!(ring.get_mut(index).copied(), model.get(index).copied());
                }
                prop_assert_eq!(
                    ring.partition_point(|&other| other < item),
                    model.partition_point(|&other| other < item)
                );
                prop_assert!(ring.iter().eq(model.iter()));
                prop_assert!(ring.iter().rev().eq(model.iter().rev()));
            }
        }
    }
}

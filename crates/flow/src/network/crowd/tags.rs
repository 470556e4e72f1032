//! Who ends first of what one link holds up: a binary heap whose entries know their place.

use super::super::twofold::Twofold;
use super::column::NOWHERE;

/// A path, and what the link's count is when its first transfer ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag {
    pub(super) end: Twofold,
    pub(super) path: u32,
}

/// The first to end is at the root. `places` says for each path of the network where it is in the heap it is in.
#[derive(Debug, Default)]
pub(super) struct Tags(Vec<Tag>);

impl Tags {
    #[inline]
    pub(super) fn first(&self) -> Option<Tag> {
        self.0.first().copied()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn push(&mut self, places: &mut [u32], tag: Tag) {
        self.0.push(tag);
        self.rise(places, self.0.len() - 1, tag);
    }

    /// Takes a path out, if it is in.
    pub(super) fn remove(&mut self, places: &mut [u32], path: u32) {
        let place = std::mem::replace(&mut places[path as usize], NOWHERE);
        if place == NOWHERE {
            return;
        }
        let last = self.0.pop().expect("what has a place is in the heap");
        let place = place as usize;
        if place == self.0.len() {
            return;
        }
        if place > 0 && last.end.order(self.0[(place - 1) / 2].end).is_lt() {
            self.rise(places, place, last);
        } else {
            self.sink(places, place, last);
        }
    }

    fn rise(&mut self, places: &mut [u32], mut place: usize, tag: Tag) {
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.0[parent].end.order(tag.end).is_le() {
                break;
            }
            self.put(places, place, self.0[parent]);
            place = parent;
        }
        self.put(places, place, tag);
    }

    fn sink(&mut self, places: &mut [u32], mut place: usize, tag: Tag) {
        loop {
            let mut child = place * 2 + 1;
            if child >= self.0.len() {
                break;
            }
            if child + 1 < self.0.len() && self.0[child + 1].end.order(self.0[child].end).is_lt() {
                child += 1;
            }
            if tag.end.order(self.0[child].end).is_le() {
                break;
            }
            self.put(places, place, self.0[child]);
            place = child;
        }
        self.put(places, place, tag);
    }

    fn put(&mut self, places: &mut [u32], place: usize, tag: Tag) {
        self.0[place] = tag;
        places[tag.path as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_right_whatever_is_taken_out() {
        let mut places = [NOWHERE; 97];
        let mut tags = Tags::default();
        let end = |path: u32| f64::from(path * 31 % 97);
        for path in 0..97 {
            let end = Twofold::ZERO.plus(end(path));
            tags.push(&mut places, Tag { end, path });
        }
        // Every third is taken out from wherever it is, the others from the root.
        for path in (0..97).step_by(3) {
            tags.remove(&mut places, path);
        }
        let mut left: Vec<u32> = (0..97).filter(|p| p % 3 != 0).collect();
        left.sort_by(|&a, &b| end(a).total_cmp(&end(b)));
        for path in left {
            let first = tags.first().unwrap();
            assert_eq!(first.path, path);
            tags.remove(&mut places, path);
            tags.remove(&mut places, path);
        }
        assert!(tags.first().is_none());
    }
}

//! A 4-ary heap of small entries.

use super::{Entry, Queue};
use crate::key::Key;
use serde::{Deserialize, Serialize};

/// Children of a place in the heap: four 24-byte entries share one or two cache lines.
const ARITY: usize = 4;

/// The least entry is at the root; every entry is less than its four children.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Heap {
    entries: Vec<Entry>,
}

impl Queue for Heap {
    #[inline]
    fn push(&mut self, entry: Entry) {
        let mut place = self.entries.len();
        self.entries.push(entry);
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if self.entries[parent].key <= entry.key {
                break;
            }
            self.entries[place] = self.entries[parent];
            place = parent;
        }
        self.entries[place] = entry;
    }

    #[inline]
    fn next_key(&mut self) -> Key {
        self.entries.first().map_or(Key::NEVER, |e| e.key)
    }

    #[inline]
    fn pop(&mut self) -> Option<Entry> {
        let last = self.entries.pop()?;
        let Some(&root) = self.entries.first() else {
            return Some(last);
        };
        let len = self.entries.len();
        let mut place = 0;
        loop {
            let first = place * ARITY + 1;
            if first >= len {
                break;
            }
            let mut least = first;
            for child in first + 1..(first + ARITY).min(len) {
                if self.entries[child].key < self.entries[least].key {
                    least = child;
                }
            }
            if last.key <= self.entries[least].key {
                break;
            }
            self.entries[place] = self.entries[least];
            place = least;
        }
        self.entries[place] = last;
        Some(root)
    }

    fn len(&self) -> usize {
        self.entries.len()
    }
}

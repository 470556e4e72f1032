//! Ranges of bytes beyond the acknowledgement: at the receiver what has arrived, at the sender what was reported.

use serde::{Deserialize, Serialize};

/// A run of bytes by offset: from `start` up to but without `end`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub start: u64,
    pub end: u64,
}

impl Run {
    pub fn length(self) -> u64 {
        self.end - self.start
    }
}

/// Runs in ascending order, none empty, no two of which touch.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Ranges(Vec<Run>);

impl Ranges {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The runs.
    pub fn runs(&self) -> &[Run] {
        &self.0
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The run with the byte at `offset`.
    pub fn around(&self, offset: u64) -> Option<Run> {
        let index = self.0.partition_point(|run| run.end <= offset);
        self.0.get(index).copied().filter(|run| run.start <= offset)
    }

    /// Puts a run in. Calls `new` with each part that was not there before, and gives the run it is a part of now.
    pub fn insert(&mut self, run: Run, mut new: impl FnMut(Run)) -> Run {
        debug_assert!(run.start < run.end);
        // Those that touch or overlap it.
        let first = self.0.partition_point(|other| other.end < run.start);
        let last = self.0.partition_point(|other| other.start <= run.end);
        let mut from = run.start;
        let mut whole = run;
        for other in &self.0[first..last] {
            if from < other.start {
                new(Run {
                    start: from,
                    end: other.start,
                });
            }
            from = from.max(other.end);
            whole.start = whole.start.min(other.start);
            whole.end = whole.end.max(other.end);
        }
        if from < run.end {
            new(Run {
                start: from,
                end: run.end,
            });
        }
        if last == first {
            self.0.insert(first, whole);
        } else {
            self.0[first] = whole;
            self.0.drain(first + 1..last);
        }
        whole
    }

    /// Lets go of everything before `offset`.
    pub fn forget_before(&mut self, offset: u64) {
        let gone = self.0.partition_point(|run| run.end <= offset);
        self.0.drain(..gone);
        if let Some(first) = self.0.first_mut() {
            first.start = first.start.max(offset);
        }
    }

    /// Takes the first run out if it begins at or before `offset`.
    pub fn take_at(&mut self, offset: u64) -> Option<Run> {
        let first = *self.0.first()?;
        (first.start <= offset).then(|| self.0.remove(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(start: u64, end: u64) -> Run {
        Run { start, end }
    }

    #[test]
    fn runs_that_touch_become_one() {
        let mut ranges = Ranges::default();
        ranges.insert(run(10, 20), |_| ());
        ranges.insert(run(30, 40), |_| ());
        assert_eq!(ranges.runs(), [run(10, 20), run(30, 40)]);
        let mut new = Vec::new();
        let whole = ranges.insert(run(15, 35), |part| new.push(part));
        assert_eq!((whole, new), (run(10, 40), vec![run(20, 30)]));
        assert_eq!(ranges.insert(run(40, 41), |_| ()), run(10, 41));
        assert_eq!(ranges.around(40), Some(run(10, 41)));
        assert_eq!((ranges.around(41), ranges.around(9)), (None, None));
        ranges.forget_before(12);
        assert_eq!(ranges.take_at(11), None);
        assert_eq!(ranges.take_at(12), Some(run(12, 41)));
        assert!(ranges.is_empty());
    }

    proptest! {
        #[test]
        fn does_what_a_set_of_bytes_does(steps in prop::collection::vec((0u64..60, 1u64..12, 0u8..8), 0..60)) {
            let (mut ranges, mut model) = (Ranges::default(), [false; 80]);
            for (start, length, step) in steps {
                if step == 0 {
                    ranges.forget_before(start);
                    model[..start as usize].fill(false);
                } else {
                    let mut fresh = [false; 80];
                    ranges.insert(run(start, start + length), |part| {
                        for at in part.start..part.end {
                            assert!(!std::mem::replace(&mut fresh[at as usize], true));
                        }
                    });
                    for at in 0..80 {
                        let inside = (start..start + length).contains(&(at as u64));
                        prop_assert_eq!(fresh[at], inside && !model[at]);
                        model[at] |= inside;
                    }
                }
                for pair in ranges.runs().windows(2) {
                    prop_assert!(pair[0].end < pair[1].start);
                }
                for (at, &there) in model.iter().enumerate() {
                    prop_assert_eq!(ranges.around(at as u64).is_some(), there);
                }
            }
        }
    }
}

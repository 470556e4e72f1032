//! How links change with time: the points of all profiles, in order of their dates.

use crate::link::{Link, Profile};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

/// What of a link a profile changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Changed {
    /// Bytes per second
    Bandwidth,
    /// Seconds
    Latency,
    /// Up (above 0) or down (0)
    State,
}

/// One point of a profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Change {
    pub(super) link: u32,
    pub(super) what: Changed,
    pub(super) value: f64,
}

/// Where a profile stands.
#[derive(Debug)]
struct Cursor {
    link: u32,
    what: Changed,
    profile: Arc<Profile>,
    /// The next point
    next: usize,
    /// What is added to the points' times in this round
    base: f64,
}

/// A date that can be ordered, with the cursor that has a point then; among equal dates the first cursor is first.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Due(f64, usize);

impl Eq for Due {}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The points to come, of all profiles.
#[derive(Debug, Default)]
pub(super) struct Changes {
    cursors: Vec<Cursor>,
    due: BinaryHeap<Reverse<Due>>,
}

impl Changes {
    /// The profiles of `links`, each before its first point.
    pub(super) fn new(links: &[Link]) -> Self {
        let mut all = Self::default();
        for (number, link) in links.iter().enumerate() {
            for (what, profile) in [
                (Changed::Bandwidth, &link.bandwidth_profile),
                (Changed::Latency, &link.latency_profile),
                (Changed::State, &link.state_profile),
            ] {
                let Some(profile) = profile else { continue };
                let Some(first) = profile.points.first() else {
                    continue;
                };
                all.due.push(Reverse(Due(first.0, all.cursors.len())));
                all.cursors.push(Cursor {
                    link: number as u32,
                    what,
                    profile: Arc::clone(profile),
                    next: 0,
                    base: 0.0,
                });
            }
        }
        all
    }

    /// The date of the next point.
    #[inline]
    pub(super) fn date(&self) -> Option<f64> {
        self.due.peek().map(|d| d.0.0)
    }

    /// The next point, if it is due at `date` or before.
    pub(super) fn pop(&mut self, date: f64) -> Option<Change> {
        let Reverse(Due(due, number)) = *self.due.peek()?;
        if due > date {
            return None;
        }
        self.due.pop();
        let cursor = &mut self.cursors[number];
        let points = &cursor.profile.points;
        let change = Change {
            link: cursor.link,
            what: cursor.what,
            value: points[cursor.next].1,
        };
        cursor.next += 1;
        if cursor.next == points.len()
            && let Some(after) = cursor.profile.repeats_after
            && after + points[0].0 > 0.0
        {
            cursor.next = 0;
            cursor.base = due + after;
        }
        if let Some(&(time, _)) = points.get(cursor.next) {
            self.due.push(Reverse(Due(cursor.base + time, number)));
        }
        Some(change)
    }

    /// Whether `matters` holds for a point to come.
    pub(super) fn any_ahead(&self, matters: impl Fn(Change) -> bool) -> bool {
        self.due.iter().any(|Reverse(Due(_, number))| {
            let Cursor {
                link,
                what,
                profile,
                next,
                ..
            } = &self.cursors[*number];
            let ahead = if profile.repeats_after.is_some() {
                &profile.points[..]
            } else {
                &profile.points[*next..]
            };
            ahead.iter().any(|&(_, value)| {
                matters(Change {
                    link: *link,
                    what: *what,
                    value,
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Sharing;

    fn link(points: &[(f64, f64)], repeats_after: Option<f64>) -> Link {
        Link {
            name: "l".into(),
            bandwidth: 1.0,
            latency: 0.0,
            sharing: Sharing::Shared,
            bandwidth_profile: Some(Arc::new(Profile {
                points: points.to_vec(),
                repeats_after,
            })),
            latency_profile: None,
            state_profile: None,
        }
    }

    /// The dates and values of the first `count` points.
    fn first(links: &[Link], count: usize) -> Vec<(f64, f64)> {
        let mut changes = Changes::new(links);
        std::iter::from_fn(|| {
            let date = changes.date()?;
            assert_eq!(changes.pop(date - 0.5), None, "not before its date");
            Some((date, changes.pop(date)?.value))
        })
        .take(count)
        .collect()
    }

    #[test]
    fn points_come_once_unless_they_repeat() {
        assert_eq!(
            first(&[link(&[(1.0, 10.0), (4.0, 20.0)], None)], 9),
            [(1.0, 10.0), (4.0, 20.0)]
        );
    }

    #[test]
    fn a_round_begins_a_period_behind_the_last_point() {
        // As SimGrid counts LOOPAFTER 5: the last point is at 4 s, a new round's zero is at 4 + 5 = 9 s, its points at 10 and 13 s.
        let links = [link(&[(1.0, 10.0), (4.0, 20.0)], Some(5.0))];
        let expected = [(1.0, 10.0), (4.0, 20.0), (10.0, 10.0), (13.0, 20.0), (19.0, 10.0)];
        assert_eq!(first(&links, 5), expected);
    }

    #[test]
    fn a_round_that_takes_no_time_is_not_repeated() {
        assert_eq!(first(&[link(&[(0.0, 10.0)], Some(0.0))], 9), [(0.0, 10.0)]);
    }

    #[test]
    fn among_equal_dates_the_first_link_is_first() {
        let links = [link(&[(2.0, 1.0)], None), link(&[(1.0, 2.0), (2.0, 3.0)], None)];
        assert_eq!(first(&links, 9), [(1.0, 2.0), (2.0, 1.0), (2.0, 3.0)]);
    }
}

//! What is in flight, and what is known of it (RFC 6675, sections 2 to 4).

mod loss;

use crate::ranges::{Ranges, Run};
use packetloom_des::{Ring, Time};
use serde::{Deserialize, Serialize};

/// Selective acknowledgements above a segment after which it counts as lost, and duplicate acknowledgements after which the
/// first one does: RFC 6675's DupThresh.
pub(crate) const DUPLICATES: u32 = 3;

/// The receiver has reported it.
const SACKED: u8 = 1;
/// It counts as lost.
const LOST: u8 = 2;
/// It was sent again since the last timeout, and counts as in flight for that.
const REPEATED: u8 = 4;
/// It was ever sent again: it gives no sample of the round-trip time (Karn's rule; RFC 6298, section 3). Nor does one that was
/// reported before a timeout, which has this mark too: when it is reported again, it has not just arrived.
const EVER_REPEATED: u8 = 8;

/// A segment in flight. It begins where the one before it ends.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Sent {
    end: u64,
    at: Time,
    marks: u8,
}

impl Sent {
    fn is(&self, mark: u8) -> bool {
        self.marks & mark != 0
    }

    /// How often its bytes count in the pipe (RFC 6675, section 4, SetPipe).
    fn copies(&self) -> u64 {
        match self.marks & (SACKED | LOST | REPEATED) {
            0 | 6 => 1, // only the first transmission, or only the second
            4 => 2,     // both: it was sent again though it is not known to be lost
            _ => 0,
        }
    }
}

/// What an acknowledgement has taken out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Retired {
    /// Bytes.
    pub bytes: u64,
    /// Those of them that were not reported before.
    pub delivered: u64,
    /// When the first and the last of its segments were sent, if none of them was sent more than once or reported before.
    pub sent: Option<(Time, Time)>,
}

/// What the SACK blocks of an acknowledgement have brought.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reported {
    /// Bytes in segments that were not reported before.
    pub bytes: u64,
    /// When the last of them was sent that was sent only once.
    pub sent: Option<Time>,
}

/// The segments in flight, oldest first. A segment's number is its place among all segments ever sent for the first time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Scoreboard {
    /// SND.UNA: the oldest byte not acknowledged.
    una: u64,
    /// SND.NXT: the byte after the last one sent.
    nxt: u64,
    /// Bytes thought to be in the network.
    pipe: u64,
    segments: Ring<Sent>,
    /// Number of the first segment.
    first: u64,
    /// The first one that is neither sent again (RFC 6675's HighRxt) nor reported: all before it are the one or the other.
    next: u64,
    /// All before this one count as lost, but for those reported.
    lost: u64,
    /// The one after the last one reported.
    top: u64,
    /// Bytes in segments reported.
    sacked: u64,
    /// What was reported.
    ranges: Ranges,
}

impl Scoreboard {
    #[inline]
    pub fn una(&self) -> u64 {
        self.una
    }

    #[inline]
    pub fn nxt(&self) -> u64 {
        self.nxt
    }

    #[inline]
    pub fn pipe(&self) -> u64 {
        self.pipe
    }

    /// Bytes sent and not acknowledged: RFC 5681's FlightSize.
    #[inline]
    pub fn flight(&self) -> u64 {
        self.nxt - self.una
    }

    /// Whether nothing is outstanding.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.una == self.nxt
    }

    /// Whether nothing outstanding is reported.
    #[inline]
    pub fn in_order(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether the first segment was sent again.
    #[inline]
    pub fn first_repeated(&self) -> bool {
        self.segments.front().is_some_and(|segment| segment.is(REPEATED))
    }

    /// The byte after the first segment.
    #[inline]
    pub fn first_end(&self) -> u64 {
        self.segments.front().map_or(self.una, |segment| segment.end)
    }

    /// Whether a lost segment is to be sent again (RFC 6675, NextSeg rule 1).
    #[inline]
    pub fn has_lost(&self) -> bool {
        self.next < self.lost
    }

    /// Whether a segment that may be lost, below one reported, is to be sent again (NextSeg rule 3).
    #[inline]
    pub fn has_gap(&self) -> bool {
        self.next < self.top
    }

    /// Whether the last segment is neither reported nor sent again (NextSeg rule 4).
    #[inline]
    pub fn has_tail(&self) -> bool {
        let last = self.segments.back();
        last.is_some_and(|segment| !segment.is(SACKED | REPEATED))
    }

    #[inline]
    fn start(&self, index: usize) -> u64 {
        match index {
            0 => self.una,
            _ => self.segments.get(index - 1).map_or(self.una, |before| before.end),
        }
    }

    #[inline]
    fn index(&self, number: u64) -> usize {
        debug_assert!(number >= self.first);
        (number - self.first) as usize
    }

    /// The bytes of the segment to be sent again next, if there is one.
    #[inline]
    pub fn next_run(&self) -> Option<Run> {
        let index = self.index(self.next);
        let segment = self.segments.get(index)?;
        Some(Run {
            start: self.start(index),
            end: segment.end,
        })
    }

    /// New data is sent.
    #[inline]
    pub fn push(&mut self, now: Time, length: u64) -> Run {
        let start = self.nxt;
        self.nxt += length;
        self.pipe += length;
        self.segments.push_back(Sent {
            end: self.nxt,
            at: now,
            marks: 0,
        });
        Run { start, end: self.nxt }
    }

    /// Sends the next one again.
    pub fn repeat_next(&mut self, now: Time) -> Run {
        let run = self.next_run().expect("the caller has seen that there is one");
        let index = self.index(self.next);
        let segment = self.segments.get_mut(index).expect("it has a run");
        debug_assert!(!segment.is(SACKED | REPEATED));
        segment.marks |= REPEATED | EVER_REPEATED;
        segment.at = now;
        self.pipe += run.length();
        self.next += 1;
        self.skip();
        run
    }

    /// Sends the last segment again. The pipe stays: HighRxt is not updated for it (RFC 6675, NextSeg rule 4).
    pub fn repeat_last(&mut self, now: Time) -> Run {
        let start = self.start(self.segments.len() - 1);
        let last = self
            .segments
            .back_mut()
            .expect("the caller has seen that there is one");
        last.marks |= EVER_REPEATED;
        last.at = now;
        Run { start, end: last.end }
    }

    /// Everything before `ack` has arrived.
    #[inline]
    pub fn retire(&mut self, ack: u64) -> Retired {
        debug_assert!(self.una < ack && ack <= self.nxt);
        let mut retired = Retired {
            bytes: ack - self.una,
            ..Retired::default()
        };
        let mut repeated = false;
        while let Some(&segment) = self.segments.front() {
            if segment.marks == 0 && segment.end <= ack {
                // Sent once and now acknowledged whole, as nearly all are.
                let bytes = segment.end - self.una;
                self.pipe -= bytes;
                retired.delivered += bytes;
                let first = retired.sent.map_or(segment.at, |(first, _)| first);
                retired.sent = Some((first, segment.at));
                self.una = segment.end;
                self.segments.drop_front();
                self.first += 1;
                if self.una == ack {
                    break;
                }
                continue;
            }
            let whole = segment.end <= ack;
            let bytes = segment.end.min(ack) - self.una;
            self.pipe -= bytes * segment.copies();
            if segment.is(SACKED) {
                self.sacked -= bytes;
            } else {
                retired.delivered += bytes;
                // A segment that is not yet acknowledged to its end tells as well when its beginning has arrived.
                let first = retired.sent.map_or(segment.at, |(first, _)| first);
                retired.sent = Some((first, segment.at));
            }
            repeated |= segment.is(EVER_REPEATED);
            self.una += bytes;
            if !whole {
                break;
            }
            self.segments.drop_front();
            self.first += 1;
            if self.una == ack {
                break;
            }
        }
        if repeated {
            retired.sent = None;
        }
        self.next = self.next.max(self.first);
        if !self.ranges.is_empty() {
            self.ranges.forget_before(ack);
            self.skip();
        }
        self.cheap_check();
        retired
    }

    /// The receiver has these bytes. What does not lie within what is outstanding is left out.
    pub fn report(&mut self, run: Run, reported: &mut Reported) {
        if run.start >= run.end || run.start < self.una || run.end > self.nxt {
            return;
        }
        let mut parts: [Option<Run>; 4] = [None; 4];
        let mut count = 0;
        let mut span: Option<Run> = None;
        let whole = self.ranges.insert(run, |part| {
            if count < parts.len() {
                parts[count] = Some(part);
            }
            count += 1;
            span = Some(Run {
                start: span.map_or(part.start, |span| span.start),
                end: part.end,
            });
        });
        if count > parts.len() {
            // Many gaps filled at once: what lies between is looked at again.
            parts = [span, None, None, None];
        }
        for part in parts.into_iter().flatten() {
            let mut index = self.segments.partition_point(|segment| segment.end <= part.start);
            let mut start = self.start(index);
            while start < part.end {
                let Some(segment) = self.segments.get_mut(index) else {
                    break;
                };
                let end = segment.end;
                if whole.start <= start && end <= whole.end && !segment.is(SACKED) {
                    self.pipe -= (end - start) * segment.copies();
                    segment.marks |= SACKED;
                    self.sacked += end - start;
                    reported.bytes += end - start;
                    if !segment.is(EVER_REPEATED) {
                        reported.sent = reported.sent.max(Some(segment.at));
                    }
                    self.top = self.top.max(self.first + index as u64 + 1);
                }
                index += 1;
                start = end;
            }
        }
        if reported.bytes > 0 {
            self.skip();
        }
        self.cheap_check();
    }

    /// Moves `next` over segments that were reported.
    fn skip(&mut self) {
        self.next = self.next.max(self.first);
        while let Some(segment) = self.segments.get(self.index(self.next))
            && segment.is(SACKED | REPEATED)
        {
            self.next += 1;
        }
    }

    #[inline]
    fn cheap_check(&self) {
        debug_assert!(self.una <= self.nxt);
        debug_assert!(self.pipe <= 2 * self.flight(), "{self:?}");
        debug_assert!(self.sacked <= self.flight(), "{self:?}");
    }

    /// Counts everything anew and panics where it differs. For tests.
    pub fn check(&self) {
        let (mut pipe, mut sacked, mut start) = (0, 0, self.una);
        for (index, segment) in self.segments.iter().enumerate() {
            let number = self.first + index as u64;
            assert!(segment.end > start, "{self:?}");
            pipe += (segment.end - start) * segment.copies();
            if segment.is(SACKED) {
                sacked += segment.end - start;
                assert!(number < self.top, "{self:?}");
                let range = self.ranges.around(start);
                assert!(range.is_some_and(|range| range.end >= segment.end), "{self:?}");
            } else {
                assert_eq!(segment.is(LOST), number < self.lost, "{self:?}");
            }
            if number < self.next {
                assert!(segment.is(SACKED | REPEATED), "{self:?}");
            } else {
                assert!(!segment.is(REPEATED), "{self:?}");
            }
            start = segment.end;
        }
        assert_eq!(start, self.nxt, "{self:?}");
        assert_eq!((pipe, sacked), (self.pipe, self.sacked), "{self:?}");
    }
}

#[cfg(test)]
mod tests;

//! What counts as lost (RFC 6675, section 4, IsLost), and how long.

use super::{DUPLICATES, EVER_REPEATED, LOST, REPEATED, SACKED, Scoreboard};

impl Scoreboard {
    /// The offset below which all that is not reported counts as lost (RFC 6675, IsLost): three runs, or more bytes than two
    /// segments have, are reported above.
    pub fn lost_below(&self, mss: u64) -> u64 {
        let mut bytes = 0;
        for (count, run) in self.ranges.runs().iter().rev().enumerate() {
            bytes += run.length();
            if count as u32 + 1 >= DUPLICATES || bytes > (DUPLICATES as u64 - 1) * mss {
                return run.start;
            }
        }
        0
    }

    /// Marks as lost what lies below `offset` and is not reported.
    pub fn mark_lost(&mut self, offset: u64) {
        self.lost = self.lost.max(self.first);
        loop {
            let index = self.index(self.lost);
            let start = self.start(index);
            let Some(segment) = self.segments.get_mut(index) else {
                break;
            };
            if segment.end > offset {
                break;
            }
            if !segment.is(SACKED | LOST) {
                segment.marks |= LOST;
                self.pipe -= segment.end - start;
            }
            self.lost += 1;
        }
        self.cheap_check();
    }

    /// Marks the first segment as lost, so that it is sent again.
    pub fn mark_first_lost(&mut self) {
        self.mark_lost(self.first_end());
    }

    /// Forgets what was lost and what was sent again.
    pub fn begin_anew(&mut self) {
        if self.next.max(self.lost) > self.first {
            self.remark(!(LOST | REPEATED), 0);
            (self.next, self.lost) = (self.first, 0);
            self.skip();
        }
        self.cheap_check();
    }

    /// An episode of repair is over: forgets what was lost, but for what was sent again. That stays in flight, so that the next
    /// episode does not send it once more.
    pub fn end_episode(&mut self) {
        for number in self.next..self.lost {
            let index = self.index(number);
            let start = self.start(index);
            let segment = self.segments.get_mut(index).expect("it was marked");
            if !segment.is(SACKED) {
                segment.marks &= !LOST;
                self.pipe += segment.end - start;
            }
        }
        self.lost = self.lost.min(self.next);
        self.cheap_check();
    }

    /// The timer went off: all that is outstanding is lost, also what was reported, since the receiver may have discarded it
    /// (RFC 2018, section 8; RFC 6675, section 5.1).
    pub fn lose_all(&mut self) {
        self.remark(EVER_REPEATED, LOST);
        self.ranges.clear();
        self.sacked = 0;
        (self.next, self.lost) = (self.first, self.first + self.segments.len() as u64);
        self.top = self.first;
        self.cheap_check();
    }

    /// Keeps some marks of all segments, sets others, and counts the pipe anew.
    fn remark(&mut self, keep: u8, set: u8) {
        self.pipe = 0;
        let mut start = self.una;
        for index in 0..self.segments.len() {
            let segment = self.segments.get_mut(index).expect("within the ring");
            let forgotten = segment.is(SACKED) && keep & SACKED == 0;
            segment.marks = segment.marks & keep | set | if forgotten { EVER_REPEATED } else { 0 };
            self.pipe += (segment.end - start) * segment.copies();
            start = segment.end;
        }
    }
}

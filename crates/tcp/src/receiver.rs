//! The receiving half: what has arrived, what is acknowledged and when, and the window that is offered.

use crate::ranges::{Ranges, Run};
use crate::segment::{MOST_SACK_BLOCKS, Options, SackBlock};
use crate::sequence::Origin;
use crate::settings::Settings;
use packetloom_des::{Span, Time};
use serde::{Deserialize, Serialize};

/// The receiving half of a connection. Offsets are of the peer's stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Receiver {
    /// RCV.NXT: the next byte expected.
    next: u64,
    /// The byte after the last one that any acknowledgement has offered to take.
    edge: u64,
    /// What the application has read.
    read: u64,
    /// The byte after the last one that the buffer had room for when the peer was last told.
    told: u64,
    /// When a delayed acknowledgement is due.
    deadline: Time,
    /// Whether an acknowledgement is due now.
    owed: bool,
    /// Segments with data since the last acknowledgement.
    segments: u8,
    ack_every: u8,
    /// How far window fields are shifted.
    scale: u8,
    /// Whether the peer understands SACK.
    sack: bool,
    origin: Origin,
    mss: u32,
    delay: Span,
    buffer: u64,
    /// What has arrived beyond `next`.
    ranges: Ranges,
    /// Offsets in runs of `ranges`, that of the latest arrival first.
    recent: [u64; MOST_SACK_BLOCKS],
}

/// What a SYN's window says: it is not scaled.
pub(crate) fn syn_window(settings: &Settings) -> u16 {
    settings.receive_buffer.min(u16::MAX as u64) as u16
}

impl Receiver {
    pub fn new(settings: &Settings) -> Self {
        Receiver {
            next: 0,
            edge: syn_window(settings) as u64,
            read: 0,
            told: settings.receive_buffer,
            deadline: Time::NEVER,
            owed: false,
            segments: 0,
            ack_every: settings.ack_every,
            scale: 0,
            sack: false,
            origin: Origin::default(),
            mss: settings.mss,
            delay: settings.delayed_ack,
            buffer: settings.receive_buffer,
            ranges: Ranges::default(),
            recent: [0; MOST_SACK_BLOCKS],
        }
    }

    /// The peer's SYN has come. Windows are scaled if both ends have said so (RFC 7323, section 2.2).
    pub fn begin(&mut self, initial: u32, scale: u8, sack: bool, mss: u32) {
        self.origin = Origin::after_syn(initial);
        self.scale = scale;
        self.sack = sack;
        self.mss = mss;
        self.buffer = self.buffer.min((u16::MAX as u64) << scale);
        self.told = self.buffer;
    }

    /// Offset of a sequence number.
    #[inline]
    pub fn locate(&self, wire: u32) -> i64 {
        self.origin.locate(wire, self.next)
    }

    /// The acknowledgement number.
    #[inline]
    pub fn acknowledgement(&self) -> u32 {
        self.origin.on_wire(self.next)
    }

    /// Bytes the application has not read.
    #[inline]
    pub fn readable(&self) -> u64 {
        self.next - self.read
    }

    /// Bytes received in order.
    #[inline]
    pub fn delivered(&self) -> u64 {
        self.next
    }

    /// The window last offered, as far as it is not used up.
    pub fn window(&self) -> u64 {
        self.edge - self.next
    }

    /// Whether an acknowledgement is due now.
    #[inline]
    pub fn owes(&self) -> bool {
        self.owed
    }

    /// Makes an acknowledgement due.
    #[inline]
    pub fn owe(&mut self) {
        self.owed = true;
    }

    /// When a delayed acknowledgement is due.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// The delayed acknowledgement's time has come, if it is not too early.
    pub fn expired(&mut self, now: Time) {
        if self.deadline <= now {
            self.deadline = Time::NEVER;
            self.owed = true;
        }
    }

    /// Whether a segment lies within the window, at least in part (RFC 9293, section 3.10.7.4). One that begins just at the
    /// window's edge counts as well: its acknowledgement is good, though its data is not taken.
    #[inline]
    pub fn acceptable(&self, start: i64, payload: u32) -> bool {
        let (next, edge) = (self.next as i64, self.edge as i64);
        start <= edge && (start >= next && payload == 0 || start + payload as i64 > next)
    }

    /// Whether a segment begins beyond the window.
    pub fn is_beyond(&self, start: i64) -> bool {
        start > self.edge as i64
    }

    /// Whether a segment is the next one and lies within the window, with nothing held beyond it.
    #[inline]
    pub fn expects(&self, sequence: u32, payload: u32) -> bool {
        sequence == self.acknowledgement()
            && self.next + payload as u64 <= self.edge
            && self.ranges.is_empty()
    }

    /// Data has come in an acceptable segment. Returns the bytes that became readable.
    #[inline]
    pub fn take(&mut self, now: Time, start: i64, payload: u32) -> u64 {
        // A made-up segment may begin before the first byte of the stream.
        let end = (start + payload as i64) as u64;
        if start as u64 == self.next && end <= self.edge && self.ranges.is_empty() {
            return self.take_next(now, payload);
        }
        self.take_out_of_order(start, payload)
    }

    /// The next data has come, within the window, with nothing held beyond it.
    #[inline]
    pub fn take_next(&mut self, now: Time, payload: u32) -> u64 {
        self.next += payload as u64;
        // Where the network is slow to take acknowledgements, many segments may come meanwhile.
        self.segments = self.segments.saturating_add(1);
        if self.segments >= self.ack_every {
            self.owed = true;
        } else if self.deadline == Time::NEVER {
            self.deadline = now + self.delay;
        }
        payload as u64
    }

    /// Data beyond the next byte, for a gap, or only partly new: it is acknowledged at once (RFC 5681, section 4.2).
    #[cold]
    fn take_out_of_order(&mut self, start: i64, payload: u32) -> u64 {
        self.owed = true;
        let before = self.next;
        // What was there before and what exceeds the window is cut off.
        let run = Run {
            start: start.max(self.next as i64) as u64,
            end: ((start + payload as i64) as u64).min(self.edge),
        };
        if run.start >= run.end {
            return 0;
        }
        if run.start == self.next {
            self.next = run.end;
            while let Some(kept) = self.ranges.take_at(self.next) {
                self.next = self.next.max(kept.end);
            }
        } else {
            let whole = self.ranges.insert(run, |_| ());
            // Runs that this one has joined are reported once.
            let mut others = self
                .recent
                .into_iter()
                .filter(|&at| at >= before && !(whole.start..whole.end).contains(&at));
            self.recent = std::array::from_fn(|place| match place {
                0 => run.start,
                _ => others.next().unwrap_or(0),
            });
        }
        self.next - before
    }

    /// The application has read. It is worth an acknowledgement when the window can grow by two segments or half the buffer.
    #[inline]
    pub fn read(&mut self, bytes: u64) {
        debug_assert!(
            bytes <= self.readable(),
            "{bytes} B read of {} B",
            self.readable()
        );
        self.read += bytes;
        let freed = self.room_edge() - self.told;
        if freed >= (2 * self.mss as u64).min(self.buffer / 2).max(1) {
            self.owed = true;
        }
    }

    /// The byte after the last one that the buffer has room for.
    #[inline]
    fn room_edge(&self) -> u64 {
        self.read + self.buffer
    }

    /// An acknowledgement goes out: gives the window field. The edge does not move by little steps (RFC 9293, section 3.8.6.2.2).
    #[inline]
    pub fn acknowledge(&mut self) -> u16 {
        self.owed = false;
        self.segments = 0;
        self.deadline = Time::NEVER;
        let edge = if self.room_edge() >= self.edge + (self.buffer / 2).min(self.mss as u64) {
            self.told = self.room_edge();
            self.told
        } else {
            self.edge
        };
        // Rounding down may take back up to 2^scale - 1 bytes, which stay acceptable (RFC 7323, section 2.4).
        let field = ((edge - self.next) >> self.scale).min(u16::MAX as u64);
        self.edge = self.edge.max(self.next + (field << self.scale));
        field as u16
    }

    /// The options of a segment that goes out: the run of the latest arrival, then those reported most recently
    /// (RFC 2018, section 4).
    #[inline]
    pub fn options(&self) -> Options {
        if self.ranges.is_empty() || !self.sack {
            return Options::None;
        }
        self.blocks()
    }

    #[cold]
    fn blocks(&self) -> Options {
        let mut blocks = [SackBlock::default(); MOST_SACK_BLOCKS];
        let mut count = 0;
        let recent = self.recent.iter().filter_map(|&at| self.ranges.around(at));
        for run in recent.chain(self.ranges.runs().iter().copied()) {
            let block = SackBlock {
                start: self.origin.on_wire(run.start),
                end: self.origin.on_wire(run.end),
            };
            if !blocks[..count].contains(&block) {
                blocks[count] = block;
                count += 1;
                if count == MOST_SACK_BLOCKS {
                    break;
                }
            }
        }
        Options::Sack {
            blocks,
            count: count as u8,
        }
    }

    /// Panics where something does not fit together.
    #[inline]
    pub fn check(&self) {
        debug_assert!(self.read <= self.next && self.next <= self.edge, "{self:?}");
        debug_assert!(self.edge <= self.room_edge(), "{self:?}");
        debug_assert!(
            self.ranges.runs().first().is_none_or(|run| run.start > self.next),
            "{self:?}"
        );
        debug_assert!(
            self.ranges.runs().last().is_none_or(|run| run.end <= self.edge),
            "{self:?}"
        );
    }
}

#[cfg(test)]
mod tests;

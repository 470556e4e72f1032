//! The window that the peer offers (RFC 9293, section 3.8.6).

use serde::{Deserialize, Serialize};

/// How much the peer takes. Offsets are of this end's stream, but for `sequence`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PeerWindow {
    /// The byte after the last one it takes.
    edge: u64,
    /// SND.WL1: offset in the peer's stream of the segment that the window came with.
    sequence: u64,
    /// SND.WL2: what that segment acknowledged.
    acknowledgement: u64,
    /// The largest window it ever offered.
    largest: u64,
    /// The highest edge it ever offered.
    highest: u64,
    /// How far its window fields are to be shifted.
    scale: u8,
}

impl PeerWindow {
    /// The window of a SYN, whose field is not scaled (RFC 7323, section 2.2).
    pub fn of_syn(field: u16, scale: u8) -> Self {
        PeerWindow {
            edge: field as u64,
            largest: field as u64,
            highest: field as u64,
            scale,
            ..PeerWindow::default()
        }
    }

    /// The byte after the last one the peer takes.
    #[inline]
    pub fn edge(&self) -> u64 {
        self.edge
    }

    /// The highest edge it ever offered.
    pub fn highest(&self) -> u64 {
        self.highest
    }

    /// Half of the largest window it ever offered: a segment of that size is not silly (RFC 9293, section 3.8.6.2.1).
    pub fn half(&self) -> u64 {
        self.largest / 2
    }

    /// Whether a window field that comes with this acknowledgement is what the window was last set from, so that whether or not
    /// a newer one has come, the edge stays.
    #[inline]
    pub fn stays(&self, acknowledgement: u64, field: u16) -> bool {
        acknowledgement == self.acknowledgement
            && acknowledgement + ((field as u64) << self.scale) == self.edge
    }

    /// Takes the window of a segment with which it [stays](Self::stays), as [`update`](Self::update) would.
    #[inline]
    pub fn renew(&mut self, sequence: u64) {
        self.sequence = self.sequence.max(sequence);
    }

    /// Takes the window of a segment unless a newer one has come (RFC 9293, section 3.10.7.4). Returns whether the edge
    /// has moved.
    #[inline]
    pub fn update(&mut self, sequence: u64, acknowledgement: u64, field: u16) -> bool {
        // What is acknowledged has been taken, whatever was offered.
        self.highest = self.highest.max(acknowledgement);
        let newer =
            self.sequence < sequence || self.sequence == sequence && self.acknowledgement <= acknowledgement;
        if !newer {
            return false;
        }
        let window = (field as u64) << self.scale;
        let edge = acknowledgement + window;
        let moved = edge != self.edge;
        self.edge = edge;
        self.largest = self.largest.max(window);
        self.highest = self.highest.max(edge);
        self.sequence = sequence;
        self.acknowledgement = acknowledgement;
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_is_scaled_but_not_in_a_syn() {
        let mut window = PeerWindow::of_syn(65_535, 6);
        assert_eq!(window.edge(), 65_535);
        assert!(window.update(0, 0, 62_500));
        assert_eq!(window.edge(), 4_000_000, "62,500 x 64");
        assert_eq!(window.half(), 2_000_000);
    }

    #[test]
    fn an_older_segment_does_not_set_it() {
        let mut window = PeerWindow::of_syn(1_000, 0);
        assert!(window.update(100, 50, 500));
        assert!(!window.update(99, 60, 9), "sent before that one");
        assert!(!window.update(100, 49, 9), "acknowledges less");
        assert_eq!(window.edge(), 550);
        assert!(window.update(100, 50, 0), "the same numbers: a window update");
        assert_eq!((window.edge(), window.highest()), (50, 1_000));
    }
}

//! A TCP segment: header fields and a payload length, never payload.

use serde::{Deserialize, Serialize};

/// Most SACK blocks of a segment: what fits beside no other option (RFC 2018, section 3).
pub const MOST_SACK_BLOCKS: usize = 4;
/// Largest payload of a segment in bytes, whatever its options.
pub const MSS: u32 = 1_460;
/// TCP header without options, IPv4 header, Ethernet header and frame check, in bytes.
const HEADERS: u32 = 20 + 20 + 14 + 4;
/// The smallest Ethernet frame in bytes; shorter ones are padded.
pub const SMALLEST_FRAME: u32 = 64;

/// Control bits of the header (RFC 9293, section 3.1), as they stand there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Flags(pub u8);

impl Flags {
    /// No more data from the sender.
    pub const FIN: Flags = Flags(0x01);
    /// Synchronize sequence numbers.
    pub const SYN: Flags = Flags(0x02);
    /// Reset the connection.
    pub const RST: Flags = Flags(0x04);
    /// Push.
    pub const PSH: Flags = Flags(0x08);
    /// The acknowledgement field is significant.
    pub const ACK: Flags = Flags(0x10);

    /// Whether all bits of `other` are set.
    #[inline]
    pub fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for Flags {
    type Output = Flags;
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// A run of sequence numbers the receiver holds beyond the acknowledgement: from `start` up to but without `end`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SackBlock {
    /// First sequence number of the run.
    pub start: u32,
    /// The sequence number after its last.
    pub end: u32,
}

/// The options of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Options {
    /// None.
    #[default]
    None,
    /// What a SYN carries: the MSS, SACK permitted, and the window scale.
    Syn {
        /// Largest payload the sender takes (RFC 9293, section 3.7.1).
        mss: u16,
        /// Whether it takes selective acknowledgements (RFC 2018, section 2).
        sack_permitted: bool,
        /// How far its windows are to be shifted (RFC 7323, section 2.2); none if it does not scale.
        window_scale: Option<u8>,
    },
    /// Selective acknowledgement (RFC 2018, section 3); the first `count` blocks count.
    Sack {
        /// The blocks.
        blocks: [SackBlock; MOST_SACK_BLOCKS],
        /// How many there are, 1 to 4.
        count: u8,
    },
}

impl Options {
    /// The SACK blocks.
    #[inline]
    pub fn sack(&self) -> &[SackBlock] {
        match self {
            Options::Sack { blocks, count } => &blocks[..*count as usize],
            _ => &[],
        }
    }

    /// Length in the header in bytes, padded to a multiple of 4.
    ///
    /// A SYN's are MSS (4), SACK permitted (2) and window scale (3): 9, padded to 12. `n` blocks take 2 + 8n, padded.
    pub fn length(&self) -> u32 {
        let unpadded = match self {
            Options::None => 0,
            Options::Syn {
                sack_permitted,
                window_scale,
                ..
            } => 4 + 2 * *sack_permitted as u32 + 3 * window_scale.is_some() as u32,
            Options::Sack { count, .. } => 2 + 8 * *count as u32,
        };
        unpadded.next_multiple_of(4)
    }
}

/// A segment. Ports are not in it: they name the connection, which the owner of the endpoint knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Segment {
    /// Sequence number of the first payload byte, or of the SYN.
    pub sequence: u32,
    /// The next sequence number expected, if `flags` say ACK.
    pub acknowledgement: u32,
    /// The window field as on the wire: to be shifted by the scale agreed on, except in a SYN.
    pub window: u16,
    /// Control bits.
    pub flags: Flags,
    /// Payload in bytes.
    pub payload: u32,
    /// Options.
    pub options: Options,
}

impl Segment {
    /// Sequence numbers the segment takes: its payload, and one each for SYN and FIN (RFC 9293, section 3.4).
    #[inline]
    pub fn length(&self) -> u32 {
        self.payload + self.flags.contains(Flags::SYN) as u32 + self.flags.contains(Flags::FIN) as u32
    }

    /// Size on the wire in bytes, Ethernet header and frame check included and padded to the smallest frame.
    #[inline]
    pub fn wire_size(&self) -> u32 {
        (HEADERS + self.options.length() + self.payload).max(SMALLEST_FRAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sack(count: u8) -> Options {
        Options::Sack {
            blocks: Default::default(),
            count,
        }
    }

    #[test]
    fn sizes_on_the_wire() {
        let size = |payload, options| {
            Segment {
                payload,
                options,
                ..Segment::default()
            }
            .wire_size()
        };
        assert_eq!(size(1_460, Options::None), 1_518);
        assert_eq!(size(0, Options::None), 64, "58 padded");
        assert_eq!(size(6, Options::None), 64);
        assert_eq!(size(7, Options::None), 65);
        let syn = Options::Syn {
            mss: 1_460,
            sack_permitted: true,
            window_scale: Some(6),
        };
        assert_eq!(size(0, syn), 70, "58 + 12");
        // 2 + 8n padded: 12, 20, 28, 36.
        assert_eq!([1, 2, 3, 4].map(|n| size(0, sack(n))), [70, 78, 86, 94]);
        assert_eq!(size(1_460, sack(4)), 1_554, "the payload stays");
    }
}

//! The options of a TCP segment in the 25 bytes that a frame has for them.

use super::tcp::{MOST_SACK_BLOCKS, SackBlock, TcpOptions};
use serde::{Deserialize, Serialize};

/// Bytes of an edge of a block: its distance from the acknowledgement, in two's complement.
const EDGE: usize = 3;
const BLOCK: usize = 2 * EDGE;
/// Distances lie from minus this up to but without it: 8 MiB, more than the receive buffer's 4,000,000 B.
const REACH: i32 = 1 << 23;
/// Tag of the options of a SYN. Lower ones are numbers of SACK blocks.
const SYN: u8 = MOST_SACK_BLOCKS as u8 + 1;
/// In place of a window scale where there is none.
const NO_SCALE: u8 = u8::MAX;

/// Options, packed. Blocks of SACK lie close to the acknowledgement, so 24 bits tell an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PackedOptions {
    /// 0 for none, the number of SACK blocks, or [`SYN`].
    tag: u8,
    bytes: [u8; MOST_SACK_BLOCKS * BLOCK],
}

impl PackedOptions {
    /// No options.
    pub const NONE: PackedOptions = PackedOptions {
        tag: 0,
        bytes: [0; MOST_SACK_BLOCKS * BLOCK],
    };

    /// Packs the options of a segment with this acknowledgement. None if a block is too far from it, if there are not 1 to 4
    /// blocks, or if a window scale is 255.
    #[inline]
    pub(super) fn pack(options: &TcpOptions, acknowledgement: u32) -> Option<PackedOptions> {
        let mut packed = PackedOptions::NONE;
        match options {
            TcpOptions::None => {}
            TcpOptions::Syn {
                window_scale: Some(NO_SCALE),
                ..
            } => return None,
            TcpOptions::Syn {
                mss,
                sack_permitted,
                window_scale,
            } => {
                let [high, low] = mss.to_be_bytes();
                let scale = window_scale.unwrap_or(NO_SCALE);
                packed.tag = SYN;
                packed.bytes[..4].copy_from_slice(&[high, low, *sack_permitted as u8, scale]);
            }
            TcpOptions::Sack { count, .. } => {
                if !(1..=MOST_SACK_BLOCKS as u8).contains(count) {
                    return None;
                }
                packed.tag = *count;
                let edges = options.sack().iter().flat_map(|&(start, end)| [start, end]);
                for (edge, place) in edges.zip(packed.bytes.chunks_exact_mut(EDGE)) {
                    let distance = edge.wrapping_sub(acknowledgement) as i32;
                    if !(-REACH..REACH).contains(&distance) {
                        return None;
                    }
                    place.copy_from_slice(&distance.to_le_bytes()[..EDGE]);
                }
            }
        }
        Some(packed)
    }

    /// The options of a segment with this acknowledgement.
    #[inline]
    pub(super) fn unpack(&self, acknowledgement: u32) -> TcpOptions {
        match self.tag {
            0 => TcpOptions::None,
            SYN => TcpOptions::Syn {
                mss: u16::from_be_bytes([self.bytes[0], self.bytes[1]]),
                sack_permitted: self.bytes[2] != 0,
                window_scale: Some(self.bytes[3]).filter(|&scale| scale != NO_SCALE),
            },
            count => self.blocks(count, acknowledgement),
        }
    }

    #[cold]
    fn blocks(&self, count: u8, acknowledgement: u32) -> TcpOptions {
        let edge = |at: usize| {
            let [low, middle, high] = [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]];
            // The byte below them makes room for the sign to be shifted in.
            let distance = i32::from_le_bytes([0, low, middle, high]) >> 8;
            acknowledgement.wrapping_add_signed(distance)
        };
        let mut blocks = [SackBlock::default(); MOST_SACK_BLOCKS];
        for (number, block) in blocks.iter_mut().take(count as usize).enumerate() {
            *block = (edge(number * BLOCK), edge(number * BLOCK + EDGE));
        }
        TcpOptions::Sack { blocks, count }
    }

    /// Length in the header in bytes: padded to a multiple of 4.
    #[inline]
    pub(super) fn length(&self) -> u64 {
        match self.tag {
            0 => 0,
            SYN => 4 + 4 * (self.bytes[2] != 0) as u64 + 4 * (self.bytes[3] != NO_SCALE) as u64,
            count => 4 + 8 * count as u64,
        }
    }
}

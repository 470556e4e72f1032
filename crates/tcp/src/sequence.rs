//! Sequence numbers: 32 bits on the wire, byte offsets that never wrap inside (RFC 9293, section 3.4).

use serde::{Deserialize, Serialize};

/// Where a stream lies among the sequence numbers: the number of its first byte, the one after the SYN's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Origin(u32);

impl Origin {
    /// Of the stream whose SYN has the sequence number `initial`.
    pub fn after_syn(initial: u32) -> Origin {
        Origin(initial.wrapping_add(1))
    }

    /// The sequence number of the byte at `offset`.
    #[inline]
    pub fn on_wire(self, offset: u64) -> u32 {
        self.0.wrapping_add(offset as u32)
    }

    /// The offset nearest to `near` with this sequence number; -1 is the SYN. Less than 2^31 lie between the two.
    #[inline]
    pub fn locate(self, wire: u32, near: u64) -> i64 {
        let ahead = wire.wrapping_sub(self.on_wire(near)) as i32;
        near as i64 + ahead as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_syn_takes_one_number() {
        let origin = Origin::after_syn(100);
        assert_eq!(origin.on_wire(0), 101);
        assert_eq!(origin.locate(100, 0), -1, "the SYN itself");
        assert_eq!(origin.locate(101, 0), 0);
    }

    #[test]
    fn numbers_wrap_and_offsets_do_not() {
        let origin = Origin::after_syn(u32::MAX - 1);
        assert_eq!(origin.on_wire(0), u32::MAX);
        assert_eq!(origin.on_wire(1), 0, "0 follows 2^32 - 1");
        assert_eq!(origin.locate(0, 0), 1);
        for offset in [0u64, 1, 1_459, 1 << 31, (1 << 32) - 1, 1 << 32, 10 << 32 | 17] {
            for distance in [-1_000_000_000i64, -1, 0, 1, 1_000_000_000] {
                let near = offset as i64 + distance;
                if near >= 0 {
                    assert_eq!(
                        origin.locate(origin.on_wire(offset), near as u64),
                        offset as i64,
                        "{offset} near {near}"
                    );
                }
            }
        }
    }
}

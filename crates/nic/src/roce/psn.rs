//! Packet sequence numbers: 24 bits on the wire, never wrapping inside.

/// Values a PSN takes on the wire.
pub const PSN_MODULUS: i64 = 1 << 24;

/// The PSN as it goes on the wire.
#[inline]
pub fn on_wire(psn: i64) -> u32 {
    (psn & (PSN_MODULUS - 1)) as u32
}

/// The number nearest to `near` that looks like `wire` on the wire. Halfway, the lower one.
#[inline]
pub fn near(wire: u32, near: i64) -> i64 {
    let ahead = (wire as i64 - near) & (PSN_MODULUS - 1);
    if ahead < PSN_MODULUS / 2 {
        near + ahead
    } else {
        near + ahead - PSN_MODULUS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_at_24_bits() {
        assert_eq!(on_wire(PSN_MODULUS - 1), 0xFF_FFFF);
        assert_eq!(on_wire(PSN_MODULUS), 0);
        assert_eq!(near(0, PSN_MODULUS - 1), PSN_MODULUS, "0 follows 2^24 - 1");
        assert_eq!(
            near(0xFF_FFFF, PSN_MODULUS),
            PSN_MODULUS - 1,
            "2^24 - 1 is the one before 2^24"
        );
        assert_eq!(near(5, 5), 5);
        assert_eq!(near(0xFF_FFFF, 0), -1, "before the first: a duplicate of nothing");
        for psn in [0, 1, 12_345_678, PSN_MODULUS * 3 + 17] {
            for offset in [-1_000_000, -1, 0, 1, 1_000_000] {
                assert_eq!(near(on_wire(psn + offset), psn), psn + offset);
            }
        }
    }
}

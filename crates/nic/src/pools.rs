//! Per-class buffer pools of a NIC (public RoCE NIC page "Buffers and PFC", "Buffer pools").

use packetloom_des::Bytes;
use packetloom_fabric::frame::CLASSES;
use packetloom_params::decimal::share_of;
use serde::{Deserialize, Serialize};

/// One pool for each class; classes without one have size 0.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pools {
    size: [u64; CLASSES],
    used: [u64; CLASSES],
}

impl Pools {
    /// Pools of `share[c] x total` bytes each, rounded down to the byte.
    pub fn new(total: Bytes, share: [f64; CLASSES]) -> Self {
        Pools {
            size: share.map(|share| share_of(total, share).0),
            used: [0; CLASSES],
        }
    }

    /// The size of the pool of `class`.
    pub fn size(&self, class: u8) -> Bytes {
        Bytes(self.size[class as usize])
    }

    /// Bytes in use in the pool of `class`.
    #[inline]
    pub fn used(&self, class: u8) -> u64 {
        self.used[class as usize]
    }

    /// Whether `bytes` more fit.
    #[inline]
    pub fn fits(&self, class: u8, bytes: u64) -> bool {
        self.used[class as usize] + bytes <= self.size[class as usize]
    }

    /// Takes room, even more than there is: what must be sent is never dropped here.
    #[inline]
    pub fn take(&mut self, class: u8, bytes: u64) {
        self.used[class as usize] += bytes;
    }

    /// Gives room back.
    #[inline]
    pub fn release(&mut self, class: u8, bytes: u64) {
        debug_assert!(
            bytes <= self.used[class as usize],
            "released more than was taken in class {class}"
        );
        self.used[class as usize] -= bytes;
    }

    /// Whether at most half of the pool is in use.
    #[inline]
    pub fn at_most_half(&self, class: u8) -> bool {
        self.used[class as usize] * 2 <= self.size[class as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_pools() {
        let share = [0.9, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let egress = Pools::new(Bytes(256_000), share);
        assert_eq!(
            (egress.size(0), egress.size(1), egress.size(2)),
            (Bytes(230_400), Bytes(25_600), Bytes(0))
        );
        let ingress = Pools::new(Bytes(4_000_000), share);
        assert_eq!(
            (ingress.size(0), ingress.size(1)),
            (Bytes(3_600_000), Bytes(400_000))
        );
    }

    #[test]
    fn fifty_five_full_packets_fit_and_half_is_reached_at_27() {
        let mut pools = Pools::new(Bytes(256_000), [0.9, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let mut packets = 0;
        while pools.fits(0, 4_154) {
            pools.take(0, 4_154);
            packets += 1;
        }
        assert_eq!(packets, 55);
        while !pools.at_most_half(0) {
            pools.release(0, 4_154);
            packets -= 1;
        }
        assert_eq!(packets, 27, "27 x 4,154 = 112,158 <= 115,200 < 28 x 4,154");
    }
}

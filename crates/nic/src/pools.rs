//! Per-class buffer pools of a NIC (public RoCE NIC page "Buffers and PFC", "Buffer pools").

use packetloom_des::Bytes;
use packetloom_fabric::frame::CLASSES;
use packetloom_params::decimal::share_of;
use serde::{Deserialize, Serialize};

/// One pool for each class; classes without one have size 0. What a packet of the usual classes touches is one cache line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Pools {
    /// Only if a record wants it.
    stats: Option<Box<[PoolStats; CLASSES]>>,
    pools: [Pool; CLASSES],
}

/// The pool of one class, in bytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Pool {
    size: u64,
    used: u64,
}

/// What went through the pool of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolStats {
    /// Packets taken in since the start of the run.
    pub taken: u64,
    /// Their bytes.
    pub taken_bytes: u64,
    /// Packets released since the start of the run.
    pub released: u64,
    /// Their bytes.
    pub released_bytes: u64,
    /// Packets that were dropped because they did not fit, since the start of the run.
    pub refused: u64,
    /// Most bytes in use since the start of the run.
    pub most: u64,
    /// Most bytes in use since the last report.
    pub interval_most: u64,
}

impl Pools {
    /// Pools of `share[c] x total` bytes each, rounded down to the byte.
    pub fn new(total: Bytes, share: [f64; CLASSES]) -> Self {
        Pools {
            stats: None,
            pools: share.map(|share| Pool {
                size: share_of(total, share).0,
                used: 0,
            }),
        }
    }

    /// Counts from now on what goes through the pools. To be called while they are empty.
    pub fn observe(&mut self) {
        self.stats = Some(Box::default());
    }

    /// What went through the pool of `class`, if that was to be counted; the next interval starts.
    pub fn report(&mut self, class: u8) -> Option<PoolStats> {
        let used = self.used(class);
        let stats = &mut self.stats.as_mut()?[class as usize];
        let report = *stats;
        stats.interval_most = used;
        Some(report)
    }

    /// The size of the pool of `class`.
    pub fn size(&self, class: u8) -> Bytes {
        Bytes(self.pools[class as usize].size)
    }

    /// Bytes in use in the pool of `class`.
    #[inline]
    pub fn used(&self, class: u8) -> u64 {
        self.pools[class as usize].used
    }

    /// Whether `bytes` more fit.
    #[inline]
    pub fn fits(&self, class: u8, bytes: u64) -> bool {
        self.pools[class as usize].used + bytes <= self.pools[class as usize].size
    }

    /// Takes room, even more than there is: what must be sent is never dropped here.
    #[inline]
    pub fn take(&mut self, class: u8, bytes: u64) {
        self.pools[class as usize].used += bytes;
        if let Some(stats) = &mut self.stats {
            let (stats, used) = (&mut stats[class as usize], self.pools[class as usize].used);
            stats.taken += 1;
            stats.taken_bytes += bytes;
            stats.most = stats.most.max(used);
            stats.interval_most = stats.interval_most.max(used);
        }
    }

    /// Counts a packet that was dropped because it did not fit.
    #[cold]
    pub fn refuse(&mut self, class: u8) {
        if let Some(stats) = &mut self.stats {
            stats[class as usize].refused += 1;
        }
    }

    /// Gives room back.
    #[inline]
    pub fn release(&mut self, class: u8, bytes: u64) {
        debug_assert!(
            bytes <= self.pools[class as usize].used,
            "released more than was taken in class {class}"
        );
        self.pools[class as usize].used -= bytes;
        if let Some(stats) = &mut self.stats {
            let stats = &mut stats[class as usize];
            stats.released += 1;
            stats.released_bytes += bytes;
        }
    }

    /// Whether at most half of the pool is in use.
    #[inline]
    pub fn at_most_half(&self, class: u8) -> bool {
        self.pools[class as usize].used * 2 <= self.pools[class as usize].size
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
    fn what_goes_through_is_counted_if_asked_for() {
        let mut pools = Pools::new(Bytes(10_000), [0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        pools.take(0, 100);
        pools.release(0, 100);
        assert_eq!(pools.report(0), None);
        pools.observe();
        for bytes in [4_000, 900] {
            pools.take(0, bytes);
        }
        pools.refuse(0);
        pools.release(0, 4_000);
        let first = pools.report(0).expect("asked for");
        let right = PoolStats {
            taken: 2,
            taken_bytes: 4_900,
            released: 1,
            released_bytes: 4_000,
            refused: 1,
            most: 4_900,
            interval_most: 4_900,
        };
        assert_eq!(first, right);
        // The next interval starts with the 900 B that are still in there.
        pools.take(0, 100);
        let second = pools.report(0).expect("asked for");
        assert_eq!(
            (second.most, second.interval_most, second.taken),
            (4_900, 1_000, 3)
        );
        assert_eq!(pools.report(1), Some(PoolStats::default()));
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

//! The shared packet buffer: start-up in five stages, ingress accounting, and when a port pauses its sender.
//!
//! Public switch page "Shared buffer manager": "How the buffer is initialized" and "Run-time accounting".

use super::attributes::{EcnHandler, SharedBufferManager};
use crate::frame::CLASSES;
use packetloom_des::Bytes;
use packetloom_params::decimal::share_of;
use serde::{Deserialize, Serialize};

/// Number of pools a buffer can have.
pub const POOLS: usize = 8;

/// What the start-up stages give.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Headroom reserved for all connected ports, in bytes.
    pub headroom: u64,
    /// Most headroom one port may hold in one pool, in bytes.
    pub headroom_limit: u64,
    /// Size of each pool in bytes; 0 where there is none.
    pub pools: [u64; POOLS],
    /// Pool of each class.
    pub pool_of: [u8; CLASSES],
    /// Bit n set: class n is lossless.
    pub lossless: u8,
    /// Bit n of entry i set: class n is lossless and uses pool i.
    pub priority_groups: [u8; POOLS],
    /// Static egress limit of each pool in bytes: what the ECN thresholds are fractions of.
    pub static_limit: [u64; POOLS],
    /// A port's occupancy of a pool above which it pauses its sender, in bytes.
    pub xoff: u64,
    /// A port's occupancy of a pool at or below which it resumes its sender, in bytes.
    pub xon: u64,
}

/// The headroom of all ports does not fit in the buffer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "HeadRoomPerPortLimit x {ports} connected ports is {headroom} B, more than TotalSharedBufferSize, {total} B"
)]
pub struct HeadroomTooLarge {
    headroom: u64,
    total: u64,
    ports: u64,
}

impl Layout {
    /// Lays out the buffer of a switch with `ports` connected ports.
    ///
    /// # Errors
    /// When the headroom of all ports is larger than the buffer.
    pub fn new(attributes: &SharedBufferManager, ports: u64) -> Result<Layout, HeadroomTooLarge> {
        // Stage 1: headroom comes off first.
        let headroom_limit = attributes.head_room_per_port_limit.0;
        let headroom = headroom_limit.saturating_mul(ports);
        let total = attributes.total_shared_buffer_size.0;
        let Some(sizing) = total.checked_sub(headroom) else {
            return Err(HeadroomTooLarge {
                headroom,
                total,
                ports,
            });
        };
        // Stage 2: shares of the rest; the last pool takes the difference, but its limits keep the size before.
        let map = attributes.pool_allocation_map;
        let mut pools = map.map(|share| share_of(Bytes(sizing), share).0);
        let before = pools;
        if let Some(last) = map.iter().rposition(|&share| share > 0.0) {
            let others: u64 = pools
                .iter()
                .enumerate()
                .filter(|&(i, _)| i != last)
                .map(|(_, size)| size)
                .sum();
            pools[last] = sizing.saturating_sub(others);
        }
        // Stage 3: priority groups.
        let pool_of = attributes.traffic_class_pool_mapping.map(|pool| pool as u8);
        let mut lossless = 0;
        let mut priority_groups = [0; POOLS];
        for class in 0..CLASSES {
            if attributes.enable_pfc[class] == 1 {
                lossless |= 1 << class;
                priority_groups[pool_of[class] as usize] |= 1 << class;
            }
        }
        // Stage 4: the static limit, in its three forms.
        let static_limit = before.map(|size| {
            if attributes.lossy_alpha > 0.0 {
                size
            } else if attributes.queue_drop_threshold_enable {
                attributes
                    .queue_drop_threshold
                    .saturating_mul(attributes.plane_bdp.0)
            } else {
                size / ports.max(1)
            }
        });
        // Stage 5: the thresholds are as given.
        Ok(Layout {
            headroom,
            headroom_limit,
            pools,
            pool_of,
            lossless,
            priority_groups,
            static_limit,
            xoff: attributes.static_pool_xoff_threshold.0,
            xon: attributes.static_pool_xon_threshold.0,
        })
    }

    /// The lower and upper ECN threshold of each pool in bytes, fixed at start-up: fractions of its static limit, rounded
    /// down. Nothing marks against them yet.
    pub fn ecn_bands(&self, attributes: &EcnHandler) -> [(u64, u64); POOLS] {
        self.static_limit.map(|limit| {
            let bytes = |share| share_of(Bytes(limit), share).0;
            (bytes(attributes.min_threshold), bytes(attributes.max_threshold))
        })
    }
}

/// What one port has brought into one pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Ingress {
    occupancy: u64,
    headroom: u64,
    paused: bool,
}

/// What becomes of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Whether it may stay.
    pub admitted: bool,
    /// Whether the port now pauses its sender.
    pub pause: bool,
}

/// The buffer while the switch runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SharedBuffer {
    layout: Layout,
    /// Bytes charged to each pool.
    held: [u64; POOLS],
    /// By port and pool.
    ingress: Vec<Ingress>,
    charged: u64,
    released: u64,
}

impl SharedBuffer {
    /// An empty buffer for `ports` ports.
    pub fn new(layout: Layout, ports: usize) -> Self {
        SharedBuffer {
            layout,
            held: [0; POOLS],
            ingress: vec![Ingress::default(); ports * POOLS],
            charged: 0,
            released: 0,
        }
    }

    /// Sizes and thresholds.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The pool of a class.
    #[inline]
    pub fn pool_of(&self, class: u8) -> u8 {
        self.layout.pool_of[class as usize]
    }

    /// Charges a packet of a lossless class that arrived on `port`, or refuses it.
    #[inline]
    pub fn admit(&mut self, port: u16, pool: u8, charge: Bytes) -> Admission {
        let bytes = charge.0;
        let ingress = &mut self.ingress[port as usize * POOLS + pool as usize];
        if ingress.paused {
            // What comes after a pause goes to the headroom, which is not part of the pool.
            let admitted = ingress.headroom + bytes <= self.layout.headroom_limit;
            if admitted {
                ingress.headroom += bytes;
                self.charged += bytes;
            }
            return Admission {
                admitted,
                pause: false,
            };
        }
        let pause = ingress.occupancy + bytes > self.layout.xoff;
        let held = &mut self.held[pool as usize];
        let admitted = *held + bytes <= self.layout.pools[pool as usize];
        // A resume comes with a release. A port that holds nothing, and whose packet is dropped, would wait for one for
        // ever: the pause it sent runs out by itself.
        ingress.paused = pause && (admitted || ingress.occupancy > 0);
        if admitted {
            *held += bytes;
            ingress.occupancy += bytes;
            self.charged += bytes;
        }
        Admission { admitted, pause }
    }

    /// Releases a packet of a lossless class that arrived on `port` and has left the switch. Returns whether the port
    /// resumes its sender.
    #[inline]
    pub fn release(&mut self, port: u16, pool: u8, charge: Bytes) -> bool {
        let ingress = &mut self.ingress[port as usize * POOLS + pool as usize];
        self.released += charge.0;
        // Headroom is given back first.
        let from_headroom = ingress.headroom.min(charge.0);
        ingress.headroom -= from_headroom;
        let from_pool = charge.0 - from_headroom;
        debug_assert!(
            from_pool <= ingress.occupancy,
            "released more than port {port} brought in"
        );
        ingress.occupancy -= from_pool;
        self.held[pool as usize] -= from_pool;
        let resume = ingress.paused && ingress.headroom == 0 && ingress.occupancy <= self.layout.xon;
        if resume {
            ingress.paused = false;
        }
        resume
    }

    /// Whether `port` has paused its sender for `pool`.
    pub fn paused(&self, port: u16, pool: u8) -> bool {
        self.ingress[port as usize * POOLS + pool as usize].paused
    }

    /// Bytes of `pool` that `port` holds, and of its headroom.
    pub fn port_bytes(&self, port: u16, pool: u8) -> (u64, u64) {
        let ingress = self.ingress[port as usize * POOLS + pool as usize];
        (ingress.occupancy, ingress.headroom)
    }

    /// Checks that every byte charged is released or held, and that the ports' shares add up to the pools.
    ///
    /// # Panics
    /// When the books do not balance.
    pub fn check(&self) {
        for pool in 0..POOLS {
            let ports: u64 = self
                .ingress
                .iter()
                .skip(pool)
                .step_by(POOLS)
                .map(|i| i.occupancy)
                .sum();
            assert_eq!(
                ports, self.held[pool],
                "pool {pool}: the ports' bytes are the pool's"
            );
            assert!(ports <= self.layout.pools[pool], "pool {pool} is over its size");
        }
        let headroom: u64 = self.ingress.iter().map(|i| i.headroom).sum();
        let held: u64 = self.held.iter().sum::<u64>() + headroom;
        assert_eq!(
            self.charged,
            self.released + held,
            "bytes charged = released + held"
        );
    }

    /// Bytes held for packets in the switch, headroom included.
    pub fn bytes_held(&self) -> u64 {
        self.charged - self.released
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn layout(change: impl FnOnce(&mut SharedBufferManager), ports: u64) -> Layout {
        let mut attributes = SharedBufferManager::default();
        change(&mut attributes);
        Layout::new(&attributes, ports).expect("fits")
    }

    #[test]
    fn default_start_up_with_128_ports() {
        let layout = layout(|_| {}, 128);
        assert_eq!(layout.headroom, 32_768_000);
        assert_eq!(layout.pools, [200_908_800, 22_323_200, 0, 0, 0, 0, 0, 0]);
        assert_eq!(layout.static_limit[..2], [200_908_800, 22_323_200]);
        let bands = layout.ecn_bands(&EcnHandler::default());
        assert_eq!(
            bands[..3],
            [(40_181_760, 160_727_040), (4_464_640, 17_858_560), (0, 0)]
        );
        assert_eq!((layout.xoff, layout.xon), (700_000, 300_000));
        assert_eq!(layout.priority_groups[..3], [0b01, 0b10, 0]);
        assert_eq!(layout.pool_of, [0, 1, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn fixed_egress_limits() {
        let even = layout(|a| a.lossy_alpha = 0.0, 128);
        assert_eq!(even.static_limit[..2], [1_569_600, 174_400]);
        let ecn = EcnHandler::default();
        assert_eq!(
            even.ecn_bands(&ecn)[..2],
            [(313_920, 1_255_680), (34_880, 139_520)]
        );
        let cap = layout(
            |a| {
                a.lossy_alpha = 0.0;
                a.queue_drop_threshold_enable = true;
            },
            128,
        );
        assert_eq!(cap.static_limit[..2], [1_500_000, 1_500_000]);
        assert_eq!(cap.ecn_bands(&ecn)[..2], [(300_000, 1_200_000); 2]);
    }

    #[test]
    fn the_last_pool_takes_what_is_left() {
        // 0.5 and 0.4 of 223,232,000: the missing tenth goes to pool 1, whose limit keeps the size before.
        let layout = layout(
            |a| a.pool_allocation_map = [0.5, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            128,
        );
        assert_eq!(layout.pools[..2], [111_616_000, 111_616_000]);
        assert_eq!(layout.static_limit[1], 89_292_800);
    }

    #[test]
    fn headroom_above_the_buffer_is_refused() {
        let attributes = SharedBufferManager::default();
        assert!(Layout::new(&attributes, 1_000).is_ok(), "exactly the buffer");
        assert!(Layout::new(&attributes, 1_001).is_err());
    }

    /// The documented pause example: packets of 4,000 B on one port, nothing draining.
    #[test]
    fn pause_at_176_headroom_to_240_drop_at_241() {
        let mut buffer = SharedBuffer::new(layout(|_| {}, 128), 128);
        for packet in 1..=241 {
            let expected = Admission {
                admitted: packet <= 240,
                pause: packet == 176,
            };
            assert_eq!(buffer.admit(5, 0, Bytes(4_000)), expected, "packet {packet}");
        }
        assert_eq!(buffer.port_bytes(5, 0), (704_000, 256_000));
        buffer.check();
        // The release example: headroom is empty after departure 64, the port resumes at departure 165.
        for departure in 1..=165 {
            assert_eq!(
                buffer.release(5, 0, Bytes(4_000)),
                departure == 165,
                "departure {departure}"
            );
            assert_eq!(
                buffer.port_bytes(5, 0).1 == 0,
                departure >= 64,
                "departure {departure}"
            );
        }
        assert_eq!(buffer.port_bytes(5, 0), (300_000, 0));
        buffer.check();
    }

    #[test]
    fn without_a_band_the_port_resumes_at_65_and_pauses_again() {
        let mut buffer =
            SharedBuffer::new(layout(|a| a.static_pool_xon_threshold = Bytes(700_000), 128), 128);
        for _ in 1..=240 {
            buffer.admit(0, 0, Bytes(4_000));
        }
        for departure in 1..=65 {
            assert_eq!(
                buffer.release(0, 0, Bytes(4_000)),
                departure == 65,
                "departure {departure}"
            );
        }
        assert_eq!(
            buffer.admit(0, 0, Bytes(4_000)),
            Admission {
                admitted: true,
                pause: true
            }
        );
    }

    #[test]
    fn a_full_pool_drops_and_still_pauses() {
        let mut buffer = SharedBuffer::new(
            layout(
                |a| {
                    a.total_shared_buffer_size = Bytes(1_000_000);
                    a.static_pool_xoff_threshold = Bytes(3_000);
                },
                2,
            ),
            2,
        );
        // Pool 1 is a tenth of 488,000 B.
        assert_eq!(buffer.layout().pools[1], 48_800);
        // Another port holds nearly all of it. A port whose first packet is dropped pauses its sender, but is not paused: no
        // release would ever end that.
        buffer.held[1] = 48_000;
        buffer.ingress[POOLS + 1].occupancy = 48_000;
        buffer.charged = 48_000;
        assert_eq!(
            buffer.admit(0, 1, Bytes(4_000)),
            Admission {
                admitted: false,
                pause: true
            }
        );
        assert!(!buffer.paused(0, 1));
        // One that holds something is, and its own release ends it.
        assert!(buffer.admit(0, 1, Bytes(800)).admitted);
        assert_eq!(
            buffer.admit(0, 1, Bytes(4_000)),
            Admission {
                admitted: false,
                pause: true
            }
        );
        assert!(buffer.paused(0, 1));
        assert!(buffer.release(0, 1, Bytes(800)));
        buffer.check();
    }

    proptest! {
        /// Whatever arrives and leaves, the books balance and no pool is over its size.
        #[test]
        fn books_balance(steps in prop::collection::vec((0u16..4, 0u8..2, 46u64..9_200, any::<bool>()), 1..400)) {
            let mut buffer = SharedBuffer::new(
                layout(|a| {
                    a.total_shared_buffer_size = Bytes(400_000);
                    a.head_room_per_port_limit = Bytes(20_000);
                    a.static_pool_xoff_threshold = Bytes(50_000);
                    a.static_pool_xon_threshold = Bytes(20_000);
                }, 4),
                4,
            );
            let mut inside = Vec::new();
            for (port, pool, bytes, leave) in steps {
                if leave && !inside.is_empty() {
                    let (port, pool, bytes) = inside.remove(0);
                    buffer.release(port, pool, Bytes(bytes));
                } else if buffer.admit(port, pool, Bytes(bytes)).admitted {
                    inside.push((port, pool, bytes));
                }
                buffer.check();
            }
            let held: u64 = inside.iter().map(|&(_, _, bytes)| bytes).sum();
            prop_assert_eq!(buffer.bytes_held(), held);
        }
    }
}

//! How the shared buffer is laid out when the switch starts, in five stages (public switch page "Shared buffer manager", "How
//! the buffer is initialized").

use super::attributes::{EcnHandler, SharedBufferManager};
use super::shared_buffer::POOLS;
use crate::frame::CLASSES;
use packetloom_des::Bytes;
use packetloom_params::decimal::share_of;
use serde::{Deserialize, Serialize};

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
    /// Multiplier on a pool's free egress space that limits a lossy egress queue; 0 where the static limit does.
    pub lossy_alpha: f64,
    /// Static egress limit of each pool in bytes: what the ECN thresholds are fractions of, and with a `lossy_alpha` of 0
    /// the limit of a lossy egress queue.
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
            lossy_alpha: attributes.lossy_alpha,
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The layout of the defaults after a change.
    pub(in crate::switch) fn layout(change: impl FnOnce(&mut SharedBufferManager), ports: u64) -> Layout {
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
}

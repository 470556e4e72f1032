//! How full the shared buffer is, for its records: by direction of the ports and pool, and if asked for by port and pool.

use super::shared_buffer::POOLS;
use crate::gauge::{Extremes, Gauge, Reading};
use packetloom_des::Time;
use serde::{Deserialize, Serialize};

/// What a report on the whole buffer says. The first index is 0 for uplinks and 1 for downlinks, the second the pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferReport {
    /// Bytes in the queues of the ports.
    pub egress: [[Reading; POOLS]; 2],
    /// Bytes of packets that came in on the ports, headroom left out.
    pub ingress: [[Reading; POOLS]; 2],
    /// Bytes charged to each pool at ingress.
    pub pools: [Reading; POOLS],
}

/// What a report on one port and pool says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortReport {
    /// Bytes in the port's queue.
    pub egress: Reading,
    /// Bytes of packets that came in on the port, headroom left out.
    pub ingress: Reading,
    /// Bytes of the port's headroom.
    pub headroom: Reading,
}

/// The gauges of one port and pool.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct PortGauges {
    egress: Gauge,
    ingress: Gauge,
    headroom: Gauge,
}

/// The gauges of a buffer. It exists only where a record wants it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Usage {
    /// When what is told next happens.
    pub now: Time,
    /// Ports below this one lead up.
    uplinks: u16,
    egress: [[Gauge; POOLS]; 2],
    ingress: [[Gauge; POOLS]; 2],
    pools: [Extremes; POOLS],
    /// By port and pool; empty if not asked for.
    ports: Vec<PortGauges>,
}

impl Usage {
    /// Gauges of an empty buffer with so many `ports`, of which the first `uplinks` lead up.
    pub fn new(uplinks: u16, ports: usize, by_port: bool) -> Self {
        Usage {
            now: Time::ZERO,
            uplinks,
            egress: Default::default(),
            ingress: Default::default(),
            pools: Default::default(),
            ports: vec![PortGauges::default(); if by_port { ports * POOLS } else { 0 }],
        }
    }

    #[inline]
    fn direction(&self, port: u16) -> usize {
        (port >= self.uplinks) as usize
    }

    #[inline]
    fn port(&mut self, port: u16, pool: usize) -> Option<&mut PortGauges> {
        self.ports.get_mut(port as usize * POOLS + pool)
    }

    /// A packet that came in on `port` is charged to a pool, which holds `held` bytes with it.
    #[inline]
    pub fn enter(&mut self, port: u16, pool: usize, bytes: u64, held: u64) {
        let (now, direction) = (self.now, self.direction(port));
        self.ingress[direction][pool].add(now, bytes);
        self.pools[pool].rise(held - bytes, held);
        if let Some(gauges) = self.port(port, pool) {
            gauges.ingress.add(now, bytes);
        }
    }

    /// A packet that came in on `port` is charged to the port's headroom.
    #[inline]
    pub fn enter_headroom(&mut self, port: u16, pool: usize, bytes: u64) {
        let now = self.now;
        if let Some(gauges) = self.port(port, pool) {
            gauges.headroom.add(now, bytes);
        }
    }

    /// A packet that came in on `port` gives back bytes of a pool and of the port's headroom.
    #[inline]
    pub fn leave(&mut self, port: u16, pool: usize, bytes: u64, headroom: u64) {
        let (now, direction) = (self.now, self.direction(port));
        self.ingress[direction][pool].remove(now, bytes);
        if let Some(gauges) = self.port(port, pool) {
            gauges.ingress.remove(now, bytes);
            gauges.headroom.remove(now, headroom);
        }
    }

    /// A packet joins the queue of `port`.
    #[inline]
    pub fn queue(&mut self, port: u16, pool: usize, bytes: u64) {
        let (now, direction) = (self.now, self.direction(port));
        self.egress[direction][pool].add(now, bytes);
        if let Some(gauges) = self.port(port, pool) {
            gauges.egress.add(now, bytes);
        }
    }

    /// A packet has been sent on `port`.
    #[inline]
    pub fn send(&mut self, port: u16, pool: usize, bytes: u64) {
        let (now, direction) = (self.now, self.direction(port));
        self.egress[direction][pool].remove(now, bytes);
        if let Some(gauges) = self.port(port, pool) {
            gauges.egress.remove(now, bytes);
        }
    }

    /// Ends the interval of the whole buffer.
    pub fn report(&mut self, now: Time) -> BufferReport {
        let read = |gauges: &mut [[Gauge; POOLS]; 2]| {
            gauges
                .each_mut()
                .map(|pools| pools.each_mut().map(|gauge| gauge.report(now)))
        };
        let (egress, ingress) = (read(&mut self.egress), read(&mut self.ingress));
        let pools = std::array::from_fn(|pool| {
            let [up, down] = [ingress[0][pool], ingress[1][pool]];
            let level = up.level + down.level;
            let (least, most) = self.pools[pool].report(level);
            Reading {
                level,
                total: up.total + down.total,
                count: up.count + down.count,
                least,
                most,
                integral: up.integral + down.integral,
            }
        });
        BufferReport {
            egress,
            ingress,
            pools,
        }
    }

    /// Ends the interval of a port and pool; nothing if ports are not looked at.
    pub fn report_port(&mut self, port: u16, pool: usize, now: Time) -> Option<PortReport> {
        let gauges = self.port(port, pool)?;
        Some(PortReport {
            egress: gauges.egress.report(now),
            ingress: gauges.ingress.report(now),
            headroom: gauges.headroom.report(now),
        })
    }

    /// Checks that the gauges show what is held and queued in each pool.
    ///
    /// # Panics
    /// When they do not.
    pub fn check(&self, held: &[u64; POOLS], queued: &[u64; POOLS]) {
        for pool in 0..POOLS {
            let both = |gauges: &[[Gauge; POOLS]; 2]| gauges.iter().map(|g| g[pool].level()).sum::<u64>();
            assert_eq!(both(&self.ingress), held[pool], "pool {pool}: gauges at ingress");
            assert_eq!(both(&self.egress), queued[pool], "pool {pool}: gauges at egress");
        }
    }
}

//! The shared packet buffer while the switch runs: what may come in and go out, and when a port pauses its sender.
//!
//! Bytes are counted twice, as packets arrive and as they queue for transmission, each against the same pool size (public
//! switch page "Shared buffer manager", "Run-time accounting"; "Packet handling", the two admissions).

pub use super::layout::{HeadroomTooLarge, Layout};

use super::usage::{BufferReport, PortReport, Usage};
use packetloom_des::{Bytes, Time};
use serde::{Deserialize, Serialize};

/// Number of pools a buffer can have.
pub const POOLS: usize = 8;

/// What becomes of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Whether it may stay.
    pub admitted: bool,
    /// Whether the port pauses its sender.
    pub pause: bool,
}

/// What one port has of one pool, in bytes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Share {
    /// Charged to the pool by packets that came in on the port.
    ingress: u64,
    /// Those of them that are of lossy classes.
    lossy: u64,
    /// Charged to the port's headroom. Only a port that has paused its sender has any.
    headroom: u64,
    /// Queued on the port.
    egress: u64,
}

/// The buffer while the switch runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SharedBuffer {
    layout: Layout,
    /// Bytes charged to each pool at ingress.
    held: [u64; POOLS],
    /// Bytes charged to each pool at egress.
    queued: [u64; POOLS],
    /// Number of ports.
    ports: usize,
    /// By pool, then by port, since most packets of a switch are of one pool: what they touch lies close together.
    shares: Vec<Share>,
    /// By ingress port: bit n is set when it has paused its sender for pool n.
    paused: Vec<u8>,
    charged: u64,
    released: u64,
    /// Only if a record wants it.
    usage: Option<Box<Usage>>,
}

impl SharedBuffer {
    /// An empty buffer for `ports` ports.
    pub fn new(layout: Layout, ports: usize) -> Self {
        SharedBuffer {
            layout,
            held: [0; POOLS],
            queued: [0; POOLS],
            ports,
            shares: vec![Share::default(); ports * POOLS],
            paused: vec![0; ports],
            charged: 0,
            released: 0,
            usage: None,
        }
    }

    /// Keeps from now on what the buffer records want: of the whole buffer, the first `uplinks` ports being those that lead
    /// up, and of every port if `by_port`. To be called while the buffer is empty.
    pub fn observe_usage(&mut self, uplinks: u16, by_port: bool) {
        self.usage = Some(Box::new(Usage::new(uplinks, self.ports, by_port)));
    }

    /// Tells when what is charged or released next happens. Releases may be told late, with the time at which they were due,
    /// and in any order; but whatever was due must be released before a packet is charged, and before a report.
    #[inline]
    pub fn set_now(&mut self, now: Time) {
        if let Some(usage) = &mut self.usage {
            usage.now = now;
        }
    }

    /// What the buffer was like since the last report; nothing if that was not to be kept.
    pub fn report(&mut self, now: Time) -> Option<BufferReport> {
        Some(self.usage.as_mut()?.report(now))
    }

    /// What `port` held of `pool` since the last report; nothing if that was not to be kept.
    pub fn report_port(&mut self, port: u16, pool: u8, now: Time) -> Option<PortReport> {
        self.usage.as_mut()?.report_port(port, pool as usize, now)
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

    /// Whether a class is lossless.
    #[inline]
    pub fn is_lossless(&self, class: u8) -> bool {
        self.layout.lossless & 1 << class != 0
    }

    #[inline]
    fn place(&self, port: u16, pool: usize) -> usize {
        pool * self.ports + port as usize
    }

    /// Charges a packet that arrived on `port`, or refuses it.
    #[inline(always)]
    pub fn arrive(&mut self, port: u16, class: u8, charge: Bytes) -> Admission {
        let (bytes, pool) = (charge.0, self.pool_of(class) as usize);
        let (lossless, place) = (self.is_lossless(class), self.place(port, pool));
        if lossless && self.paused[port as usize] & 1 << pool != 0 {
            // What comes after a pause goes to the headroom, which is not part of the pool.
            let headroom = &mut self.shares[place].headroom;
            let admitted = *headroom + bytes <= self.layout.headroom_limit;
            if admitted {
                *headroom += bytes;
                self.charged += bytes;
                if let Some(usage) = &mut self.usage {
                    usage.enter_headroom(port, pool, bytes);
                }
            }
            return Admission {
                admitted,
                pause: false,
            };
        }
        let share = &mut self.shares[place];
        let pause = lossless && share.ingress + bytes > self.layout.xoff;
        let held = &mut self.held[pool];
        let admitted = *held + bytes <= self.layout.pools[pool];
        // A resume comes with a release. A port that holds nothing, and whose packet is dropped, would wait for one for
        // ever: the pause it sent runs out by itself.
        if pause && (admitted || share.ingress > 0) {
            self.paused[port as usize] |= 1 << pool;
        }
        if admitted {
            *held += bytes;
            share.ingress += bytes;
            self.charged += bytes;
            if !lossless {
                share.lossy += bytes;
            }
            if let Some(usage) = &mut self.usage {
                usage.enter(port, pool, bytes, *held);
            }
        }
        Admission { admitted, pause }
    }

    /// Charges a packet to the queue it is to wait in, on port `egress`. A packet of a lossy class is refused when its queue
    /// would exceed its limit or the pool its size.
    #[inline(always)]
    pub fn queue(&mut self, egress: u16, class: u8, charge: Bytes) -> bool {
        let (bytes, pool) = (charge.0, self.pool_of(class) as usize);
        let (lossless, place) = (self.is_lossless(class), self.place(egress, pool));
        let share = &mut self.shares[place];
        let waiting = share.egress + bytes;
        if !lossless {
            let (size, queued) = (self.layout.pools[pool], self.queued[pool]);
            let limit = if self.layout.lossy_alpha > 0.0 {
                self.layout.lossy_alpha * size.saturating_sub(queued) as f64
            } else {
                self.layout.static_limit[pool] as f64
            };
            if waiting as f64 > limit || queued + bytes > size {
                return false;
            }
        }
        share.egress = waiting;
        self.queued[pool] += bytes;
        if let Some(usage) = &mut self.usage {
            usage.queue(egress, pool, bytes);
        }
        true
    }

    /// Releases a packet that arrived on `ingress` and has been sent on `egress`. Returns whether `ingress` resumes its sender.
    #[inline]
    pub fn depart(&mut self, ingress: u16, egress: u16, class: u8, charge: Bytes) -> bool {
        let pool = self.pool_of(class) as usize;
        let place = self.place(egress, pool);
        self.shares[place].egress -= charge.0;
        self.queued[pool] -= charge.0;
        if let Some(usage) = &mut self.usage {
            usage.send(egress, pool, charge.0);
        }
        self.give_back(ingress, class, charge)
    }

    /// Releases what a packet was charged on arrival. Returns whether `ingress` resumes its sender.
    pub fn discard(&mut self, ingress: u16, class: u8, charge: Bytes) -> bool {
        self.give_back(ingress, class, charge)
    }

    #[inline(always)]
    fn give_back(&mut self, ingress: u16, class: u8, charge: Bytes) -> bool {
        let (bytes, pool) = (charge.0, self.pool_of(class) as usize);
        let (lossless, place) = (self.is_lossless(class), self.place(ingress, pool));
        let paused = self.paused[ingress as usize] & 1 << pool != 0;
        self.released += bytes;
        // Headroom is given back first; lossy packets never hold any, nor do ports that have not paused.
        let share = &mut self.shares[place];
        let mut from_pool = bytes;
        if paused && lossless {
            let from_headroom = share.headroom.min(bytes);
            share.headroom -= from_headroom;
            from_pool -= from_headroom;
        }
        debug_assert!(
            from_pool <= share.ingress,
            "released more than port {ingress} brought in"
        );
        share.ingress -= from_pool;
        self.held[pool] -= from_pool;
        if !lossless {
            share.lossy -= bytes;
        }
        if let Some(usage) = &mut self.usage {
            usage.leave(ingress, pool, from_pool, bytes - from_pool);
        }
        paused && self.resumes(ingress, pool, lossless)
    }

    /// Whether a port that has paused its sender resumes it, after a packet of a lossless or lossy class has left.
    fn resumes(&mut self, port: u16, pool: usize, lossless: bool) -> bool {
        let Share {
            ingress: occupancy,
            lossy,
            headroom,
            ..
        } = self.shares[self.place(port, pool)];
        // The resume condition is checked as lossless packets leave. When the port has none left in the pool, lossy ones stand
        // in for them: else a pause brought about by their bytes would last for ever.
        let checked = lossless || occupancy + headroom == lossy;
        let resume = checked && headroom == 0 && occupancy <= self.layout.xon;
        if resume {
            self.paused[port as usize] &= !(1 << pool);
        }
        resume
    }

    /// Whether `port` has paused its sender for `pool`.
    pub fn paused(&self, port: u16, pool: u8) -> bool {
        self.paused[port as usize] & 1 << pool != 0
    }

    /// Bytes of `pool` that `port` holds, and of its headroom.
    pub fn port_bytes(&self, port: u16, pool: u8) -> (u64, u64) {
        let share = &self.shares[self.place(port, pool as usize)];
        (share.ingress, share.headroom)
    }

    /// Bytes of `pool` that wait on `port` or are being sent there.
    pub fn queue_bytes(&self, port: u16, pool: u8) -> u64 {
        self.shares[self.place(port, pool as usize)].egress
    }

    /// Checks that every byte charged is released or held, that the ports' shares add up to the pools on both sides, and that
    /// no pool is over its size at ingress.
    ///
    /// # Panics
    /// When the books do not balance.
    pub fn check(&self) {
        for pool in 0..POOLS {
            let shares = &self.shares[pool * self.ports..(pool + 1) * self.ports];
            let ports: u64 = shares.iter().map(|share| share.ingress).sum();
            assert_eq!(
                ports, self.held[pool],
                "pool {pool}: the ports' bytes are the pool's"
            );
            assert!(ports <= self.layout.pools[pool], "pool {pool} is over its size");
            let queues: u64 = shares.iter().map(|share| share.egress).sum();
            assert_eq!(
                queues, self.queued[pool],
                "pool {pool}: the queues' bytes are the pool's"
            );
        }
        let headroom: u64 = self.shares.iter().map(|share| share.headroom).sum();
        let held: u64 = self.held.iter().sum::<u64>() + headroom;
        assert_eq!(
            self.charged,
            self.released + held,
            "bytes charged = released + held"
        );
        assert_eq!(
            held,
            self.queued.iter().sum::<u64>(),
            "what came in is what waits to go out"
        );
        if let Some(usage) = &self.usage {
            usage.check(&self.held, &self.queued);
        }
    }

    /// Bytes held for packets in the switch, headroom included.
    pub fn bytes_held(&self) -> u64 {
        self.charged - self.released
    }
}

#[cfg(test)]
mod tests;

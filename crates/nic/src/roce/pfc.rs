//! Pauses the NIC sends for its receive pools (public RoCE NIC page, "Sending a pause" and "Resuming").

use super::attributes::IngressBufferManager;
use crate::pools::Pools;
use packetloom_des::{Bytes, Context, LazyTimer, Span};
use packetloom_fabric::frame::{CLASSES, Frame};
use packetloom_fabric::pause::pause_time;
use packetloom_fabric::port::Port;
use packetloom_params::decimal::{share_of, share_of_up};
use serde::{Deserialize, Serialize};

/// Pause state of each class of the receive buffer. What an arriving packet asks for comes first.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub(super) struct PauseSender {
    /// Bit n set: the NIC pauses for class n.
    enabled: u8,
    /// Bit n set: a pause for class n is out.
    outstanding: u8,
    first_slot: u32,
    xoff: [u64; CLASSES],
    xon: [u64; CLASSES],
    quanta: [u16; CLASSES],
    /// Half the pause time of each class.
    half: [Span; CLASSES],
    refresh: [LazyTimer; CLASSES],
}

impl PauseSender {
    /// Thresholds from the attributes; timers on `first_slot` and the seven after it.
    pub fn new(
        attributes: &IngressBufferManager,
        pools: &Pools,
        port: &Port<Frame>,
        first_slot: u32,
    ) -> Self {
        let pool = |class: usize| pools.size(class as u8);
        let (xoff, xon) = (
            attributes.pfc_static_xoff_threshold,
            attributes.pfc_xon_resume_threshold,
        );
        let quanta = attributes.quanta_value.map(|quanta| quanta as u16);
        PauseSender {
            // A class without a pool loses what comes; a pause would never find a reason to end.
            enabled: (0..CLASSES)
                .filter(|&c| attributes.pfc_enable_vector[c] == 1 && pool(c) > Bytes(0))
                .fold(0, |mask, class| mask | 1 << class),
            outstanding: 0,
            // At or above Xoff, at or below Xon: a fraction of a byte rounds up for the one and down for the other.
            xoff: std::array::from_fn(|class| share_of_up(pool(class), xoff[class]).0),
            xon: std::array::from_fn(|class| share_of(pool(class), xon[class]).0),
            quanta,
            half: quanta.map(|quanta| pause_time(quanta, port.rate(), port.delay()) / 2),
            refresh: Default::default(),
            first_slot,
        }
    }

    /// A packet of `bytes` arrives in `class`: pauses the sender when the pool, with it, reaches Xoff. Returns whether a frame
    /// was queued.
    #[inline]
    pub fn arrive<C: Context>(
        &mut self,
        class: u8,
        bytes: u64,
        pools: &Pools,
        port: &mut Port<Frame>,
        context: &mut C,
    ) -> bool {
        let bit = 1 << class;
        if self.enabled & !self.outstanding & bit == 0
            || pools.used(class) + bytes < self.xoff[class as usize]
        {
            return false;
        }
        self.pause(class, port, context);
        true
    }

    /// Bytes of `class` were released: resumes the sender at or below Xon. Returns whether a frame was queued.
    #[inline]
    pub fn release(&mut self, class: u8, pools: &Pools, port: &mut Port<Frame>) -> bool {
        if self.outstanding & 1 << class == 0 || pools.used(class) > self.xon[class as usize] {
            return false;
        }
        self.resume(class, port);
        true
    }

    /// Takes the refresh timer of `class`: pauses again at or above Xoff, else resumes. Returns whether a frame was queued.
    pub fn refresh<C: Context>(
        &mut self,
        class: u8,
        count: u16,
        pools: &Pools,
        port: &mut Port<Frame>,
        context: &mut C,
    ) -> bool {
        if !self.refresh[class as usize].due(self.first_slot + class as u32, count, context) {
            return false;
        }
        if pools.used(class) >= self.xoff[class as usize] {
            self.pause(class, port, context);
        } else {
            self.resume(class, port);
        }
        true
    }

    fn pause<C: Context>(&mut self, class: u8, port: &mut Port<Frame>, context: &mut C) {
        self.outstanding |= 1 << class;
        port.queue_control(Frame::pfc(1 << class, self.quanta[class as usize]));
        let again = context.now() + self.half[class as usize];
        self.refresh[class as usize].set(self.first_slot + class as u32, again, context);
    }

    fn resume(&mut self, class: u8, port: &mut Port<Frame>) {
        self.outstanding &= !(1 << class);
        self.refresh[class as usize].stop();
        port.queue_control(Frame::pfc(1 << class, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use packetloom_des::{Rate, Time};
    use packetloom_fabric::testing::Bench;

    fn defaults() -> (PauseSender, Pools, Port<Frame>, Bench) {
        let attributes = IngressBufferManager::default();
        let pools = Pools::new(attributes.total_buffer_size, attributes.pool_allocation_vector);
        let port = Port::new(Rate::from_gbps(400), Span::from_ns(100));
        (
            PauseSender::new(&attributes, &pools, &port, 9),
            pools,
            port,
            Bench::default(),
        )
    }

    #[test]
    fn default_thresholds() {
        let (sender, ..) = defaults();
        assert_eq!(sender.xoff[..2], [2_880_000, 320_000]);
        assert_eq!(sender.xon[..2], [1_440_000, 160_000]);
        assert_eq!(sender.half[0], Span::from_ps(41_992_400), "half of 83.9848 us");
        assert_eq!(sender.enabled, 0b11);
    }

    #[test]
    fn fractions_of_a_byte() {
        // 0.9 x 4,000,005 is 3,600,004.5: a pool of 3,600,004 B; Xoff 2,880,003.2 and Xon 1,440,001.6.
        let attributes = IngressBufferManager {
            total_buffer_size: Bytes(4_000_005),
            ..Default::default()
        };
        let pools = Pools::new(attributes.total_buffer_size, attributes.pool_allocation_vector);
        let port = Port::new(Rate::from_gbps(400), Span::from_ns(100));
        let sender = PauseSender::new(&attributes, &pools, &port, 9);
        assert_eq!((sender.xoff[0], sender.xon[0]), (2_880_004, 1_440_001));
    }

    /// It did, and every half pause time again for ever.
    #[test]
    fn a_class_without_a_pool_does_not_pause_its_sender() {
        let attributes = IngressBufferManager {
            pfc_enable_vector: [1; CLASSES],
            quanta_value: [100; CLASSES],
            ..Default::default()
        };
        let pools = Pools::new(attributes.total_buffer_size, attributes.pool_allocation_vector);
        let mut port = Port::new(Rate::from_gbps(400), Span::from_ns(100));
        let mut sender = PauseSender::new(&attributes, &pools, &port, 9);
        let mut bench = Bench::default();
        assert!(!sender.arrive(2, 108, &pools, &mut port, &mut bench));
        assert!(bench.timers.is_empty());
    }

    #[test]
    fn pauses_at_the_arrival_that_finds_2_875_864_bytes() {
        let (mut sender, mut pools, mut port, mut bench) = defaults();
        pools.take(0, 2_875_863);
        assert!(!sender.arrive(0, 4_136, &pools, &mut port, &mut bench));
        pools.take(0, 1);
        assert!(sender.arrive(0, 4_136, &pools, &mut port, &mut bench));
        assert!(
            !sender.arrive(0, 4_136, &pools, &mut port, &mut bench),
            "one pause at a time"
        );
        assert_eq!(port.counters.pauses_sent[0], 1);
    }

    #[test]
    fn refreshes_at_xoff_and_resumes_below_it_or_at_xon() {
        let (mut sender, mut pools, mut port, mut bench) = defaults();
        pools.take(0, 2_880_000);
        sender.arrive(0, 4_136, &pools, &mut port, &mut bench);
        let (slot, count) = bench.next_timer().expect("the refresh");
        assert_eq!((slot, bench.now), (9, Time::from_ps(41_992_400)));
        assert!(sender.refresh(0, count, &pools, &mut port, &mut bench));
        assert_eq!(port.counters.pauses_sent[0], 2);
        // Below Xoff at the next refresh, though far above Xon: XON.
        pools.release(0, 1);
        let (_, count) = bench.next_timer().expect("the next refresh");
        assert!(sender.refresh(0, count, &pools, &mut port, &mut bench));
        assert_eq!(port.counters.resumes_sent[0], 1);
        // Paused again, and drained to Xon: XON at once.
        sender.arrive(0, 4_136, &pools, &mut port, &mut bench);
        pools.release(0, pools.used(0) - 1_440_001);
        assert!(!sender.release(0, &pools, &mut port));
        pools.release(0, 1);
        assert!(sender.release(0, &pools, &mut port));
        assert_eq!(port.counters.resumes_sent[0], 2);
        let (_, count) = bench.next_timer().expect("the stopped refresh is still pending");
        assert!(!sender.refresh(0, count, &pools, &mut port, &mut bench));
    }
}

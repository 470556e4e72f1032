//! Priority flow control as its receiver sees it: which classes of a port are paused, and until when.
//!
//! Serves switch ports and NIC ports alike (public switch page, "Receiving a pause"; RoCE NIC page, the same heading).

use crate::frame::{CLASSES, Frame};
use packetloom_des::{Context, LazyTimer, Rate, Span};
use serde::{Deserialize, Serialize};

/// Bit times of one pause quantum (IEEE 802.1Q).
pub const QUANTUM_BITS: u128 = 512;

/// How long a pause of `quanta` lasts at a port: 512 bit times a quantum at the port's rate, plus the link's delay.
pub fn pause_time(quanta: u16, rate: Rate, delay: Span) -> Span {
    rate.time_for_bits(quanta as u128 * QUANTUM_BITS) + delay
}

/// The paused classes of one port.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Paused {
    mask: u8,
    expiry: [LazyTimer; CLASSES],
}

impl Paused {
    /// Bit n set: class n is paused.
    #[inline]
    pub fn mask(&self) -> u8 {
        self.mask
    }

    /// Takes a PFC frame. The timers of the classes are `first_slot` to `first_slot + 7`. Returns whether a class was
    /// resumed, so that transmission may have to restart.
    pub fn receive<C: Context>(
        &mut self,
        frame: &Frame,
        rate: Rate,
        delay: Span,
        first_slot: u32,
        context: &mut C,
    ) -> bool {
        let before = self.mask;
        for class in 0..CLASSES {
            if frame.pfc_classes & 1 << class == 0 {
                continue;
            }
            if frame.quanta == 0 {
                self.mask &= !(1 << class);
                self.expiry[class].stop();
            } else {
                // A fresh pause restarts the time in full.
                self.mask |= 1 << class;
                let until = context.now() + pause_time(frame.quanta, rate, delay);
                self.expiry[class].set(first_slot + class as u32, until, context);
            }
        }
        before & !self.mask != 0
    }

    /// Takes the timer event of `class`. Returns whether the class was resumed by it.
    pub fn expire<C: Context>(&mut self, class: usize, first_slot: u32, count: u16, context: &mut C) -> bool {
        let due = self.expiry[class].due(first_slot + class as u32, count, context);
        if due {
            self.mask &= !(1 << class);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_pause_at_400_gbps() {
        // 65,535 x 512 bits / 400 Gbps = 83.8848 us; with 100 ns 83.985 us (NIC), with 500 ns 84.385 us (switch).
        let rate = Rate::from_gbps(400);
        assert_eq!(
            pause_time(65_535, rate, Span::from_ns(100)),
            Span::from_ps(83_984_800)
        );
        assert_eq!(
            pause_time(65_535, rate, Span::from_ns(100)) / 2,
            Span::from_ps(41_992_400)
        );
        assert_eq!(
            pause_time(65_535, rate, Span::from_ns(500)) / 2,
            Span::from_ps(42_192_400)
        );
    }
}

//! How much may be sent while a loss is repaired: proportional rate reduction (RFC 6937), with the slow start reduction bound.

use serde::{Deserialize, Serialize};

/// One episode's counts, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Prr {
    /// RecoverFS: what was outstanding when the episode began.
    outstanding: u64,
    /// prr_delivered: what has reached the receiver since.
    delivered: u64,
    /// prr_out: what was sent since.
    sent: u64,
    /// What may be sent now.
    allowance: u64,
}

impl Prr {
    /// An episode begins with this much outstanding.
    pub fn new(outstanding: u64) -> Self {
        Prr {
            outstanding: outstanding.max(1),
            ..Prr::default()
        }
    }

    /// What may be sent now.
    #[inline]
    pub fn allowance(&self) -> u64 {
        self.allowance
    }

    /// An acknowledgement says that `delivered` bytes more have arrived; `pipe` counts what is in flight after it. One
    /// that says nothing new changes nothing, so that it cannot release data.
    pub fn acknowledged(&mut self, delivered: u64, pipe: u64, threshold: u64, mss: u64) {
        if delivered == 0 {
            return;
        }
        self.delivered += delivered;
        self.allowance = if pipe > threshold {
            // Proportional: for what has arrived, as much as keeps the ratio of the threshold to what was outstanding.
            let share = (self.delivered as u128 * threshold as u128).div_ceil(self.outstanding as u128);
            (share as u64).saturating_sub(self.sent)
        } else {
            let limit = self.delivered.saturating_sub(self.sent).max(delivered) + mss;
            (threshold - pipe).min(limit)
        };
    }

    /// `bytes` were sent, again or for the first time.
    pub fn sent(&mut self, bytes: u64) {
        self.sent += bytes;
        self.allowance = self.allowance.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_what_arrives_is_sent_when_the_window_is_halved() {
        // 20 segments of 100 B outstanding, the first lost; threshold 1,000 (RFC 6937, section 3.1).
        let mut prr = Prr::new(2_000);
        let mut sent = 0;
        let mut pipe = 1_700;
        for arrived in 1..=19 {
            pipe -= 100;
            prr.acknowledged(100, pipe, 1_000, 100);
            while prr.allowance() >= 100 {
                prr.sent(100);
                pipe += 100;
                sent += 1;
            }
            // 17 - arrived + floor(arrived / 2) segments stay in flight: 11 are still more than the threshold's 10.
            if arrived <= 11 {
                assert_eq!(
                    sent,
                    arrived / 2,
                    "ceil(delivered x 1000 / 2000) in whole segments"
                );
            }
        }
        assert!((900..=1_000).contains(&pipe), "ends at the threshold: {pipe}");
    }

    #[test]
    fn after_heavy_loss_it_grows_by_a_segment_for_each_that_arrives() {
        // Threshold 1,000, 300 in flight: bound = max(delivered - sent, delivered now) + MSS = 100 + 100.
        let mut prr = Prr::new(2_000);
        prr.acknowledged(100, 300, 1_000, 100);
        assert_eq!(prr.allowance(), 200);
        prr.sent(200);
        prr.acknowledged(100, 400, 1_000, 100);
        // delivered 200 - sent 200 = 0, delivered now 100: 100 + 100.
        assert_eq!(prr.allowance(), 200);
        prr.acknowledged(100, 950, 1_000, 100);
        assert_eq!(prr.allowance(), 50, "not beyond the threshold");
    }

    #[test]
    fn an_acknowledgement_of_nothing_new_releases_nothing() {
        let mut prr = Prr::new(2_000);
        prr.acknowledged(100, 300, 1_000, 100);
        prr.sent(200);
        prr.acknowledged(0, 500, 1_000, 100);
        assert_eq!(prr.allowance(), 0);
    }
}

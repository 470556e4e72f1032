//! How full something is, over an interval: least, most, and mean over time. Only what goes in and out is told; nothing
//! happens at report times but the reading.

use packetloom_des::{Span, Time};
use serde::{Deserialize, Serialize};

/// The least and the most of an interval.
///
/// Between two additions the level only falls. So the least of all instants is found just before an addition or at the
/// interval's end, and the most just after one or at its start: what is taken away need not be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extremes {
    least: u64,
    most: u64,
}

impl Extremes {
    /// The level rises from `before` to `after`.
    #[inline]
    pub fn rise(&mut self, before: u64, after: u64) {
        self.least = self.least.min(before);
        self.most = self.most.max(after);
    }

    /// The extremes of the interval that ends with `level`; the next one starts.
    pub fn report(&mut self, level: u64) -> (u64, u64) {
        let (least, most) = (self.least.min(level), self.most);
        *self = Extremes {
            least: level,
            most: level,
        };
        (least, most)
    }
}

/// A level in bytes: what is in there now, and what an interval's report needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gauge {
    level: u64,
    total: u64,
    count: u64,
    extremes: Extremes,
    /// Bytes taken away times the instant, less bytes added times the instant, in B x ps modulo 2^128. With the level times
    /// T it makes the level's integral up to T, in whatever order things were told.
    moment: u128,
}

/// What a [`Gauge`] says of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Bytes at the interval's end.
    pub level: u64,
    /// Bytes added since the start of the run.
    pub total: u64,
    /// Additions in the interval.
    pub count: u64,
    /// Least level of the interval, in bytes.
    pub least: u64,
    /// Greatest level of the interval, in bytes.
    pub most: u64,
    /// Integral of the level over the interval, in B x ps.
    pub integral: u128,
}

impl Gauge {
    /// `bytes` come in.
    #[inline]
    pub fn add(&mut self, now: Time, bytes: u64) {
        let after = self.level + bytes;
        self.extremes.rise(self.level, after);
        self.level = after;
        self.total += bytes;
        self.count += 1;
        self.moment = self.moment.wrapping_sub(weight(bytes, now));
    }

    /// `bytes` go out.
    #[inline]
    pub fn remove(&mut self, now: Time, bytes: u64) {
        debug_assert!(bytes <= self.level, "more goes out than is in");
        self.level -= bytes;
        self.moment = self.moment.wrapping_add(weight(bytes, now));
    }

    /// Bytes in there now.
    pub fn level(&self) -> u64 {
        self.level
    }

    /// What the interval that ends now was like; the next one starts.
    pub fn report(&mut self, now: Time) -> Reading {
        let (least, most) = self.extremes.report(self.level);
        let area = weight(self.level, now);
        let reading = Reading {
            level: self.level,
            total: self.total,
            count: self.count,
            least,
            most,
            integral: area.wrapping_add(self.moment),
        };
        self.count = 0;
        self.moment = area.wrapping_neg();
        reading
    }
}

#[inline]
fn weight(bytes: u64, at: Time) -> u128 {
    bytes as u128 * at.ps() as u128
}

impl Reading {
    /// The mean level over an interval of this length, in bytes.
    pub fn mean(&self, interval: Span) -> f64 {
        if interval == Span::ZERO {
            self.level as f64
        } else {
            self.integral as f64 / interval.ps() as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    #[test]
    fn least_most_and_mean_over_time() {
        let mut gauge = Gauge::default();
        // 0 B for 10 ps, 100 B for 30 ps, 150 B for 20 ps, 50 B for 40 ps: 3,000 + 3,000 + 2,000 B ps.
        gauge.add(at(10), 100);
        gauge.add(at(40), 50);
        gauge.remove(at(60), 100);
        let reading = gauge.report(at(100));
        let right = Reading {
            level: 50,
            total: 150,
            count: 2,
            least: 0,
            most: 150,
            integral: 8_000,
        };
        assert_eq!(reading, right);
        assert_eq!(reading.mean(Span::from_ps(100)), 80.0);
        // The next interval starts with what is in there: 50 B for 5 ps, then 20 B, then 80 B for 15 ps.
        gauge.remove(at(105), 30);
        gauge.add(at(105), 60);
        let reading = gauge.report(at(120));
        assert_eq!(
            (reading.least, reading.most, reading.count, reading.total),
            (20, 80, 1, 210)
        );
        assert_eq!(reading.integral, 50 * 5 + 80 * 15);
        // Nothing happens in the third.
        let reading = gauge.report(at(220));
        assert_eq!((reading.least, reading.most, reading.count), (80, 80, 0));
        assert_eq!(reading.mean(Span::from_ps(100)), 80.0);
    }

    #[test]
    fn the_least_may_be_at_the_end() {
        let mut gauge = Gauge::default();
        gauge.add(at(0), 100);
        gauge.report(at(10));
        gauge.remove(at(15), 70);
        assert_eq!(gauge.report(at(20)).least, 30);
    }

    #[test]
    fn the_integral_does_not_depend_on_the_order_of_telling() {
        let (mut one, mut other) = (Gauge::default(), Gauge::default());
        one.add(at(3), 100);
        one.remove(at(7), 40);
        one.add(at(9), 10);
        other.add(at(3), 100);
        other.add(at(9), 10);
        other.remove(at(7), 40);
        assert_eq!(one.report(at(20)).integral, other.report(at(20)).integral);
        assert_eq!(one.level(), other.level());
    }

    #[test]
    fn a_full_buffer_does_not_overflow_a_long_interval() {
        let mut gauge = Gauge::default();
        let day = Time::from_ps(86_400_000_000_000_000);
        gauge.add(at(1), 4_294_967_295);
        assert_eq!(gauge.report(day).integral, 4_294_967_295 * (day.ps() as u128 - 1));
    }
}

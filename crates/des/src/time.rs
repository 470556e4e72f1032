//! Simulated time, spans of it, byte counts and rates.
//!
//! Time is whole picoseconds in a `u64`, which reaches 213 days. A frame of `n` bytes on a link of `r` bits per second
//! takes `round(n * 8 * 10^12 / r)` picoseconds; each frame is rounded on its own.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// Picoseconds in a second.
pub const PS_PER_SECOND: u64 = 1_000_000_000_000;

/// An instant of simulated time: whole picoseconds since the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Time(u64);

/// A length of simulated time in whole picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Span(u64);

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Bytes(pub u64);

/// A data rate in bits per second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Rate(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// Later than anything that happens.
    pub const NEVER: Time = Time(u64::MAX);

    /// The instant `ps` picoseconds after the start.
    pub const fn from_ps(ps: u64) -> Self {
        Time(ps)
    }

    /// The instant `seconds` after the start, rounded to the picosecond.
    ///
    /// Returns `None` for a value that is negative, not finite, or too large for a `u64` of picoseconds.
    pub fn from_seconds(seconds: f64) -> Option<Self> {
        Span::from_seconds(seconds).map(|s| Time(s.0))
    }

    /// Picoseconds since the start.
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Seconds since the start, as the nearest `f64`; for reporting only.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND as f64
    }

    /// The span from `earlier` to `self`. `earlier` must not be later than `self`.
    #[inline]
    pub fn since(self, earlier: Time) -> Span {
        debug_assert!(earlier <= self, "{earlier:?} is later than {self:?}");
        Span(self.0 - earlier.0)
    }

    /// `self + span`, staying at [`Time::NEVER`] instead of overflowing.
    #[inline]
    pub fn saturating_add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }

    /// The exact value in seconds as decimal text without trailing zeros, such as `0.00500019`.
    pub fn seconds_text(self) -> String {
        decimal_text(self.0, 12)
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// Longer than any run.
    pub const MAX: Span = Span(u64::MAX);

    /// A span of `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Self {
        Span(ps)
    }

    /// A span of `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Span(ns * 1_000)
    }

    /// A span of `us` microseconds.
    pub const fn from_us(us: u64) -> Self {
        Span(us * 1_000_000)
    }

    /// A span of `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Span(ms * 1_000_000_000)
    }

    /// `round(seconds * 10^12)` picoseconds.
    ///
    /// Returns `None` for a value that is negative, not finite, or too large for a `u64` of picoseconds.
    pub fn from_seconds(seconds: f64) -> Option<Self> {
        let ps = (seconds * PS_PER_SECOND as f64).round();
        // 2^64 as f64; anything below it converts exactly.
        (0.0..18_446_744_073_709_551_616.0)
            .contains(&ps)
            .then_some(Span(ps as u64))
    }

    /// Picoseconds in this span.
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// This span in seconds, as the nearest `f64`; for reporting only.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND as f64
    }

    /// The exact value in microseconds as decimal text without trailing zeros, such as `5.07192`.
    pub fn microseconds_text(self) -> String {
        decimal_text(self.0, 6)
    }
}

/// `value / 10^digits` written exactly, without trailing zeros.
fn decimal_text(value: u64, digits: u32) -> String {
    let unit = 10u64.pow(digits);
    let (whole, fraction) = (value / unit, value % unit);
    if fraction == 0 {
        return whole.to_string();
    }
    let text = format!("{whole}.{fraction:0width$}", width = digits as usize);
    text.trim_end_matches('0').to_owned()
}

impl Rate {
    /// A rate of `bps` bits per second; must not be zero where a frame is sent.
    pub const fn from_bps(bps: u64) -> Self {
        Rate(bps)
    }

    /// A rate of `gbps` times 10^9 bits per second.
    pub const fn from_gbps(gbps: u64) -> Self {
        Rate(gbps * 1_000_000_000)
    }

    /// Bits per second.
    pub const fn bps(self) -> u64 {
        self.0
    }

    /// Gigabits per second, for reporting.
    pub fn as_gbps(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// How long `bytes` take at this rate: `round(bytes * 8 * 10^12 / rate)` picoseconds, halves rounded up.
    #[inline]
    pub fn time_for(self, bytes: Bytes) -> Span {
        // Up to 2 MiB the product fits in 64 bits, whose division is several times faster; every frame is below that.
        if bytes.0 <= 1 << 21 {
            debug_assert!(self.0 > 0, "a link without a rate");
            Span((bytes.0 * 8 * PS_PER_SECOND + self.0 / 2) / self.0)
        } else {
            self.time_for_bits(bytes.0 as u128 * 8)
        }
    }

    /// How long `bits` take at this rate, rounded to the picosecond, halves rounded up; at most [`Span::MAX`].
    #[inline]
    pub fn time_for_bits(self, bits: u128) -> Span {
        debug_assert!(self.0 > 0, "a link without a rate");
        let rate = self.0 as u128;
        let ps = (bits * PS_PER_SECOND as u128 + rate / 2) / rate;
        Span(u64::try_from(ps).unwrap_or(u64::MAX))
    }
}

impl Add<Span> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Span) -> Time {
        Time(self.0 + span.0)
    }
}

impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}

impl Sub<Span> for Time {
    type Output = Time;
    #[inline]
    fn sub(self, span: Span) -> Time {
        Time(self.0 - span.0)
    }
}

impl Add for Span {
    type Output = Span;
    #[inline]
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}

impl AddAssign for Span {
    #[inline]
    fn add_assign(&mut self, other: Span) {
        self.0 += other.0;
    }
}

impl Sub for Span {
    type Output = Span;
    #[inline]
    fn sub(self, other: Span) -> Span {
        Span(self.0 - other.0)
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    #[inline]
    fn mul(self, times: u64) -> Span {
        Span(self.0 * times)
    }
}

impl Div<u64> for Span {
    type Output = Span;
    #[inline]
    fn div(self, parts: u64) -> Span {
        Span(self.0 / parts)
    }
}

impl std::iter::Sum for Span {
    fn sum<I: Iterator<Item = Span>>(spans: I) -> Span {
        spans.fold(Span::ZERO, Add::add)
    }
}

impl Add for Bytes {
    type Output = Bytes;
    #[inline]
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    #[inline]
    fn add_assign(&mut self, other: Bytes) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Bytes;
    #[inline]
    fn sub(self, other: Bytes) -> Bytes {
        debug_assert!(other.0 <= self.0, "released {other:?} of {self:?}");
        Bytes(self.0 - other.0)
    }
}

impl SubAssign for Bytes {
    #[inline]
    fn sub_assign(&mut self, other: Bytes) {
        *self = *self - other;
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Time::NEVER {
            f.write_str("never")
        } else {
            write!(f, "{} s", self.seconds_text())
        }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} us", self.microseconds_text())
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B", self.0)
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Gbps", self.as_gbps())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_takes_20_ps_at_400_gbps() {
        let rate = Rate::from_gbps(400);
        assert_eq!(rate.time_for(Bytes(1)), Span::from_ps(20));
        assert_eq!(rate.time_for(Bytes(4154)), Span::from_ps(83_080));
        assert_eq!(rate.time_for(Bytes(202)), Span::from_ps(4_040));
    }

    #[test]
    fn each_transfer_is_rounded_on_its_own() {
        // 546 B x 8 / 504.32 Gbps = 8661.167... ps; eight of them are 69.288 ns.
        let rate = Rate::from_bps(504_320_000_000);
        assert_eq!(rate.time_for(Bytes(546)), Span::from_ps(8_661));
        assert_eq!(rate.time_for(Bytes(546)) * 8, Span::from_ps(69_288));
    }

    #[test]
    fn short_and_long_paths_agree() {
        for rate in [
            Rate::from_bps(504_320_000_000),
            Rate::from_gbps(400),
            Rate::from_bps(1),
            Rate::from_bps(999_999_937),
        ] {
            for bytes in [0, 1, 58, 4_154, 9_274, 1 << 21, (1 << 21) + 1] {
                assert_eq!(
                    rate.time_for(Bytes(bytes)),
                    rate.time_for_bits(bytes as u128 * 8),
                    "{bytes} B at {rate:?}"
                );
            }
        }
    }

    #[test]
    fn halves_round_up() {
        // 1 B at 16 Tbps is half a picosecond.
        assert_eq!(Rate::from_gbps(16_000).time_for(Bytes(1)), Span::from_ps(1));
    }

    #[test]
    fn seconds_round_to_the_picosecond() {
        assert_eq!(Time::from_seconds(0.001), Some(Time::from_ps(1_000_000_000)));
        assert_eq!(Time::from_seconds(0.506), Some(Time::from_ps(506_000_000_000)));
        assert_eq!(Time::from_seconds(-1e-15), Some(Time::ZERO), "rounds to zero");
        assert_eq!(Time::from_seconds(-1.0), None);
        assert_eq!(Time::from_seconds(f64::NAN), None);
        assert_eq!(Time::from_seconds(1e9), None);
    }

    #[test]
    fn text_is_exact() {
        assert_eq!(Time::from_ps(5_000_190_000).seconds_text(), "0.00500019");
        assert_eq!(Time::from_ps(3_000_000_000).seconds_text(), "0.003");
        assert_eq!(Time::from_ps(2 * PS_PER_SECOND).seconds_text(), "2");
        assert_eq!(Span::from_ps(5_071_920).microseconds_text(), "5.07192");
        assert_eq!(Span::from_ps(1).microseconds_text(), "0.000001");
    }
}

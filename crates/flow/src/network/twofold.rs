//! A sum of `f64`s that keeps what one `f64` would round away.
//!
//! A path counts the bytes that each of its transfers has had since the path was last idle. On a path that is never idle the
//! count grows to many orders of magnitude above the size of one small transfer, whose end must still be right to a billionth.

use std::cmp::Ordering;

/// The unrounded sum of a number and of what rounding took from it (Knuth's two-sum keeps the pair exact at each addition).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Twofold {
    high: f64,
    low: f64,
}

impl Twofold {
    pub(super) const ZERO: Self = Self { high: 0.0, low: 0.0 };

    /// The sum of this and `number`.
    #[inline]
    pub(super) fn plus(self, number: f64) -> Self {
        let (sum, lost) = two_sum(self.high, number);
        let (high, low) = two_sum(sum, lost + self.low);
        Self { high, low }
    }

    /// How much this is above `other`.
    #[inline]
    pub(super) fn above(self, other: Self) -> f64 {
        (self.high - other.high) + (self.low - other.low)
    }

    /// The order of the two sums.
    #[inline]
    pub(super) fn order(self, other: Self) -> Ordering {
        self.high
            .total_cmp(&other.high)
            .then(self.low.total_cmp(&other.low))
    }
}

/// The rounded sum of two numbers and what rounding took.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    let of_a = sum - of_b;
    (sum, (a - of_a) + (b - of_b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_differences_survive_large_sums() {
        // 1e15 B served, then a transfer of 8 B that has had 0.1 B ten times: one f64 of 1e15 is exact to 0.125 only.
        let mut served = Twofold::ZERO.plus(1e15);
        let end = served.plus(8.0);
        for _ in 0..10 {
            served = served.plus(0.1);
        }
        assert!((end.above(served) - 7.0).abs() < 1e-14, "{}", end.above(served));
        assert_eq!(end.order(served), Ordering::Greater);
        assert_eq!(served.order(end), Ordering::Less);
        assert_eq!(end.order(end), Ordering::Equal);
    }
}

//! Exact decimal numbers, for units and ratios.
//!
//! A document says 31.52 or 0.29; the nearest binary number is a little more or less, and a floor or a conversion to
//! whole bits would show it. So such numbers are taken from their shortest decimal text and stay decimal.

use packetloom_des::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A decimal number `± mantissa x 10^exponent`, without trailing zeros in the mantissa.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    negative: bool,
    /// A `u64`, so that a product with another fits in a `u128`.
    mantissa: u64,
    exponent: i32,
}

/// Why a text is not a [`Decimal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    /// The text is not a number at all.
    #[error("not a number")]
    NotANumber,
    /// More digits than this type keeps, or an exponent that no quantity needs.
    #[error("a number with too many digits")]
    TooLong,
}

/// What came of scaling a [`Decimal`] to whole units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// A whole number of units.
    Exact(u64),
    /// Between two whole numbers.
    Fraction,
    /// More than a `u64` holds.
    TooLarge,
}

/// Digits of the largest `u64`.
const MAX_DIGITS: usize = 20;

impl Decimal {
    /// Zero.
    pub const ZERO: Decimal = Decimal {
        negative: false,
        mantissa: 0,
        exponent: 0,
    };
    /// One.
    pub const ONE: Decimal = Decimal {
        negative: false,
        mantissa: 1,
        exponent: 0,
    };

    /// The shortest decimal that reads back as `value`, or `None` if that is not finite.
    pub fn from_f64(value: f64) -> Option<Self> {
        // `{:e}` writes the shortest digits that read back, at most 17 of them.
        value
            .is_finite()
            .then(|| format!("{value:e}").parse().ok())
            .flatten()
    }

    /// The decimal a JSON number is written as.
    pub fn from_json(number: &serde_json::Number) -> Result<Self, DecimalError> {
        number.to_string().parse()
    }

    /// Whether the number is below zero.
    pub fn is_negative(self) -> bool {
        self.negative
    }

    /// Whether the number is zero.
    pub fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// The nearest binary number.
    pub fn as_f64(self) -> f64 {
        // The text form always reads as a number.
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// `|self| x factor` if that is whole.
    pub fn scale(self, factor: u64) -> Whole {
        let product = u128::from(self.mantissa) * u128::from(factor);
        if product == 0 {
            return Whole::Exact(0);
        }
        let Some(power) = 10u128.checked_pow(self.exponent.unsigned_abs()) else {
            return if self.exponent > 0 {
                Whole::TooLarge
            } else {
                Whole::Fraction
            };
        };
        let whole = if self.exponent >= 0 {
            product.checked_mul(power)
        } else if product.is_multiple_of(power) {
            Some(product / power)
        } else {
            return Whole::Fraction;
        };
        whole
            .and_then(|w| u64::try_from(w).ok())
            .map_or(Whole::TooLarge, Whole::Exact)
    }

    /// `floor(self x count)`, held within a `u64`: 0 for a negative number.
    pub fn floor_times(self, count: u64) -> u64 {
        if self.negative {
            return 0;
        }
        let product = u128::from(self.mantissa) * u128::from(count);
        let floor = match 10u128.checked_pow(self.exponent.unsigned_abs()) {
            Some(power) if self.exponent >= 0 => product.saturating_mul(power),
            Some(power) => product / power,
            None if self.exponent >= 0 && product > 0 => u128::MAX,
            None => 0,
        };
        u64::try_from(floor).unwrap_or(u64::MAX)
    }

    /// How `part / total` compares with this number, exactly.
    pub fn compare_share(self, part: u64, total: u64) -> Ordering {
        if self.negative && total > 0 {
            return Ordering::Greater;
        }
        // part ? self x total: compare with the floor, and on equality any fraction makes the right side larger.
        let floor = self.floor_times(total);
        part.cmp(&floor).then_with(|| match self.scale(total) {
            Whole::Exact(_) => Ordering::Equal,
            Whole::Fraction | Whole::TooLarge => Ordering::Less,
        })
    }

    /// The number in units of 10^-30, cut off below that; `None` if it does not fit.
    pub fn in_e30ths(self) -> Option<i128> {
        let shift = self.exponent + 30;
        let value = if shift >= 0 {
            10i128
                .checked_pow(shift.unsigned_abs())
                .and_then(|p| i128::from(self.mantissa).checked_mul(p))?
        } else {
            10i128
                .checked_pow(shift.unsigned_abs())
                .map_or(0, |p| i128::from(self.mantissa) / p)
        };
        Some(if self.negative { -value } else { value })
    }
}

impl FromStr for Decimal {
    type Err = DecimalError;

    fn from_str(text: &str) -> Result<Self, DecimalError> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (digits, exponent) = match rest.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse().map_err(|_| DecimalError::NotANumber)?),
            None => (rest, 0i32),
        };
        if exponent.unsigned_abs() > 1000 {
            return Err(DecimalError::TooLong);
        }
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() {
            return Err(DecimalError::NotANumber);
        }
        let written = format!("{whole}{fraction}");
        if !written.bytes().all(|b| b.is_ascii_digit()) {
            return Err(DecimalError::NotANumber);
        }
        let fraction_digits = i32::try_from(fraction.len()).map_err(|_| DecimalError::TooLong)?;
        let significant = written.trim_start_matches('0').trim_end_matches('0');
        let dropped = written.len() - written.trim_end_matches('0').len();
        if significant.is_empty() {
            return Ok(Decimal::ZERO);
        }
        if significant.len() > MAX_DIGITS {
            return Err(DecimalError::TooLong);
        }
        let mantissa = significant.parse().map_err(|_| DecimalError::TooLong)?;
        let dropped = i32::try_from(dropped).map_err(|_| DecimalError::TooLong)?;
        Ok(Decimal {
            negative,
            mantissa,
            exponent: exponent - fraction_digits + dropped,
        })
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        let digits = self.mantissa.to_string();
        let point = digits.len() as i32 + self.exponent;
        if !(-8..=21).contains(&point) {
            return write!(f, "{digits}e{}", self.exponent);
        }
        if self.exponent >= 0 {
            return write!(f, "{digits}{}", "0".repeat(self.exponent.unsigned_abs() as usize));
        }
        if point <= 0 {
            return write!(f, "0.{}{digits}", "0".repeat(point.unsigned_abs() as usize));
        }
        let (whole, fraction) = digits.split_at(point.unsigned_abs() as usize);
        write!(f, "{whole}.{fraction}")
    }
}

/// The text of a number given in units of 10^-30, such as a sum of [`Decimal::in_e30ths`].
pub fn text_of_e30ths(value: i128) -> String {
    let unit = 10u128.pow(30);
    let (whole, fraction) = (value.unsigned_abs() / unit, value.unsigned_abs() % unit);
    let text = format!("{}{whole}.{fraction:030}", if value < 0 { "-" } else { "" });
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Written as text, because a JSON number would pass through binary in many readers.
impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

/// `share` of `total` in whole bytes, rounded down, in decimal: 0.29 of 100 B is 29 B. 0 for a share that is no number or
/// negative.
pub fn share_of(total: Bytes, share: f64) -> Bytes {
    Bytes(Decimal::from_f64(share).map_or(0, |share| share.floor_times(total.0)))
}

/// The same, rounded up: the least whole number of bytes that reaches the share.
pub fn share_of_up(total: Bytes, share: f64) -> Bytes {
    let down = share_of(total, share);
    let whole = Decimal::from_f64(share).is_none_or(|share| share.scale(total.0) == Whole::Exact(down.0));
    // A share below zero is no share, and needs no rounding.
    if whole || share < 0.0 {
        down
    } else {
        Bytes(down.0.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn scaling_is_exact_where_binary_is_not() {
        assert_eq!(d("31.52").scale(1_000_000_000), Whole::Exact(31_520_000_000));
        assert_eq!(d("0.5").scale(1_000_000), Whole::Exact(500_000));
        assert_eq!(d("0.5").scale(1024), Whole::Exact(512));
        assert_eq!(d("0.0001").scale(1_000), Whole::Fraction);
        assert_eq!(d("1e30").scale(1), Whole::TooLarge);
        assert_eq!(d("1e900").scale(1), Whole::TooLarge);
        assert_eq!(d("1e-900").scale(1), Whole::Fraction);
        assert_eq!(d("18446744073709551615").scale(1), Whole::Exact(u64::MAX));
        assert_eq!(d("16.0").scale(1), Whole::Exact(16));
    }

    #[test]
    fn floors_are_decimal() {
        assert_eq!(Decimal::from_f64(0.29).unwrap().floor_times(100), 29);
        assert_eq!(d("0.9").floor_times(16), 14);
        assert_eq!(d("0.1").floor_times(16), 1);
        assert_eq!(d("1").floor_times(16), 16);
        assert_eq!(d("1e-300").floor_times(16), 0);
    }

    #[test]
    fn shares_compare_exactly() {
        assert_eq!(d("0.9").compare_share(14, 16), Ordering::Less);
        assert_eq!(d("0.29").compare_share(29, 100), Ordering::Equal);
        assert_eq!(d("0.29").compare_share(30, 100), Ordering::Greater);
        assert_eq!(d("-0.5").compare_share(0, 100), Ordering::Greater);
        assert_eq!(d("1e300").compare_share(u64::MAX, 1), Ordering::Less);
    }

    #[test]
    fn text_reads_back() {
        for text in [
            "0",
            "1",
            "0.29",
            "-3",
            "31.52",
            "1500",
            "0.000001",
            "123456789012345678",
            "5e-300",
        ] {
            assert_eq!(d(text).to_string(), text);
        }
        assert_eq!(Decimal::from_f64(1e-7).unwrap(), d("0.0000001"));
        assert_eq!(Decimal::from_f64(f64::NAN), None);
        for text in ["", "-", ".", "1.2.3", "0x10", "1e", "abc", "١", "NaN", "1 2"] {
            assert_eq!(text.parse::<Decimal>(), Err(DecimalError::NotANumber), "{text:?}");
        }
        assert_eq!(
            "1234567890.123456789012345".parse::<Decimal>(),
            Err(DecimalError::TooLong)
        );
    }

    #[test]
    fn sums_are_shown_exactly() {
        let sum =
            |parts: &[&str]| text_of_e30ths(parts.iter().map(|part| d(part).in_e30ths().unwrap()).sum());
        assert_eq!(sum(&["0.9", "0.2"]), "1.1");
        assert_eq!(sum(&["0.5", "0.5"]), "1");
        assert_eq!(sum(&["-0.5", "0.25"]), "-0.25");
    }

    #[test]
    fn thirds_sum_below_one() {
        let third = d("0.333333333").in_e30ths().unwrap();
        assert_eq!(
            1_000_000_000_000_000_000_000_000_000_000 - 3 * third,
            1_000_000_000_000_000_000_000
        );
    }
}

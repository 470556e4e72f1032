//! From a cell's text back to its value.

use std::str;

/// A whole number from 0 on.
pub fn count(text: &[u8]) -> Option<u64> {
    // Most numbers are short; this is several times faster than the checks for UTF-8 and overflow.
    if !text.is_empty() && text.len() < 19 && text.iter().all(u8::is_ascii_digit) {
        return Some(
            text.iter()
                .fold(0, |value, digit| value * 10 + u64::from(digit - b'0')),
        );
    }
    str::from_utf8(text).ok()?.parse().ok()
}

/// A number; `NAN` is none.
pub fn number(text: &[u8]) -> Option<f64> {
    str::from_utf8(text).ok()?.parse().ok()
}

/// A number from 0 on as a count of units of `10^-digits`: exactly if it is written as a plain decimal with at most that
/// many digits behind the point, otherwise rounded.
pub fn scaled(text: &[u8], digits: u32) -> Option<u64> {
    exactly(text, digits).or_else(|| {
        let value = number(text)? * 10f64.powi(digits as i32);
        // The greatest f64 below 2^64.
        (0.0..=18_446_744_073_709_549_568.0)
            .contains(&value)
            .then(|| value.round() as u64)
    })
}

fn exactly(text: &[u8], digits: u32) -> Option<u64> {
    let (whole, fraction) = match text.iter().position(|&b| b == b'.') {
        Some(point) => (&text[..point], &text[point + 1..]),
        None => (text, &[][..]),
    };
    let missing = digits.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    let fraction = if fraction.is_empty() { 0 } else { count(fraction)? };
    let fraction = fraction.checked_mul(10u64.checked_pow(missing)?)?;
    count(whole)?
        .checked_mul(10u64.checked_pow(digits)?)?
        .checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::{Cell, Gigabytes, Microseconds, Seconds};
    use proptest::prelude::*;

    fn text(cell: impl Cell) -> Vec<u8> {
        let mut out = Vec::new();
        cell.put(&mut out);
        out
    }

    proptest! {
        #[test]
        fn what_cells_write_reads_back_exactly(value: u64, float: f64) {
            prop_assert_eq!(count(&text(value)), Some(value));
            prop_assert_eq!(scaled(&text(Seconds::from_ps(value)), 12), Some(value));
            prop_assert_eq!(scaled(&text(Microseconds::from_ps(value)), 6), Some(value));
            prop_assert_eq!(scaled(&text(Gigabytes::from_bytes(value)), 9), Some(value));
            let back = number(&text(float)).expect("a number");
            prop_assert!(back == float || back.is_nan() && float.is_nan());
        }
    }

    #[test]
    fn numbers_of_other_writers_are_read_too() {
        // Column total_bytes_tx_GB of the published example row: 73,062 B.
        assert_eq!(scaled(b"7.3062e-05", 9), Some(73_062));
        assert_eq!(scaled(b"0.00500019", 12), Some(5_000_190_000));
        assert_eq!(scaled(b"1.0000000000004", 12), Some(1_000_000_000_000));
        assert!(number(b"NAN").is_some_and(f64::is_nan));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "",
            "-",
            "-1",
            "1,5",
            "0x10",
            "1e400",
            "NAN",
            "18446744073709551616",
            ".",
            "1.2.3",
            " 1",
        ] {
            assert_eq!(scaled(text.as_bytes(), 0), None, "{text}");
        }
        for text in ["", "-1", "1.5", "18446744073709551616", "x"] {
            assert_eq!(count(text.as_bytes()), None, "{text}");
        }
    }
}

//! Quantities as SimGrid writes them: a number and, without a space, its unit.
//!
//! Units are those of SimGrid's XML reference and of its DTD. A number without a unit is taken in the basic unit; that is
//! deprecated there (except for 0), so it is told in [`Quantity::bare`].

/// A quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// In the basic unit
    pub value: f64,
    /// Whether it has no unit although it is not 0
    pub bare: bool,
}

/// Prefixes of decimal units, each 1,000 times the one before.
const DECIMAL: [&str; 8] = ["k", "M", "G", "T", "P", "E", "Z", "Y"];
/// Prefixes of binary units, each 1,024 times the one before.
const BINARY: [&str; 8] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"];
/// Decimal prefixes in full, for `flops`.
const DECIMAL_IN_FULL: [&str; 8] = ["kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta"];

/// Reads a bandwidth in bytes per second: `Bps` (bytes) or `bps` (bits) behind a decimal (`k` or `K`, `M` to `Y`) or binary (`Ki`
/// to `Yi`) prefix.
///
/// # Errors
///
/// What is wrong, with the units there are.
pub fn bandwidth(text: &str) -> Result<Quantity, String> {
    quantity(
        text,
        "a bandwidth such as \"10GBps\" (bytes) or \"80Gbps\" (bits)",
        |unit| {
            let (prefix, base) = if let Some(prefix) = unit.strip_suffix("Bps") {
                (prefix, 1.0)
            } else {
                (unit.strip_suffix("bps")?, 0.125)
            };
            scaled(prefix, base)
        },
    )
}

/// Reads a time in seconds: `ps`, `ns`, `us`, `ms`, `s`, `m` (minutes), `h`, `d` or `w`.
///
/// # Errors
///
/// What is wrong, with the units there are.
pub fn time(text: &str) -> Result<Quantity, String> {
    quantity(
        text,
        "a time such as \"500ns\" (ps, ns, us, ms, s, m, h, d, w)",
        |unit| {
            Some(match unit {
                "ps" => 1e-12,
                "ns" => 1e-9,
                "us" => 1e-6,
                "ms" => 1e-3,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3_600.0,
                "d" => 86_400.0,
                "w" => 604_800.0,
                _ => return None,
            })
        },
    )
}

/// Reads a speed in operations per second: `f` behind a decimal prefix, or `flops` behind one in full (`gigaflops`).
///
/// # Errors
///
/// What is wrong, with the units there are.
pub fn speed(text: &str) -> Result<Quantity, String> {
    quantity(
        text,
        "a speed such as \"1Gf\" (f, kf, Mf, Gf, Tf, Pf, Ef)",
        |unit| {
            if let Some(prefix) = unit.strip_suffix("flops") {
                let prefix = if prefix == "zeta" { "zetta" } else { prefix };
                return power(prefix, &DECIMAL_IN_FULL, 1_000.0, 1.0);
            }
            power(unit.strip_suffix('f')?, &DECIMAL, 1_000.0, 1.0)
        },
    )
}

/// `base` times what a decimal or binary prefix stands for.
fn scaled(prefix: &str, base: f64) -> Option<f64> {
    let decimal = if prefix == "K" { "k" } else { prefix };
    power(decimal, &DECIMAL, 1_000.0, base).or_else(|| power(prefix, &BINARY, 1_024.0, base))
}

/// `base` times `step` to the place of the prefix, multiplied step by step: that is exact as far as it can be.
fn power(prefix: &str, prefixes: &[&str], step: f64, base: f64) -> Option<f64> {
    if prefix.is_empty() {
        return Some(base);
    }
    let place = prefixes.iter().position(|known| *known == prefix)?;
    Some((0..=place).fold(base, |value, _| value * step))
}

/// Splits a number from its unit and multiplies.
fn quantity(text: &str, example: &str, factor: impl Fn(&str) -> Option<f64>) -> Result<Quantity, String> {
    let trimmed = text.trim();
    let (number, unit) = trimmed.split_at(number_length(trimmed));
    let number: f64 = number.parse().map_err(|_| format!("write {example}"))?;
    if number < 0.0 {
        return Err(format!("it is negative: write {example}"));
    }
    let factor = if unit.is_empty() { Some(1.0) } else { factor(unit) };
    let factor = factor.ok_or_else(|| format!("there is no such unit: write {example}"))?;
    let value = number * factor;
    if !value.is_finite() {
        return Err(format!("it is too large: write {example}"));
    }
    Ok(Quantity {
        value,
        bare: unit.is_empty() && number != 0.0,
    })
}

/// How many bytes the number at the beginning takes. An `e` or `E` belongs to it only before an exponent: in `1EBps` it is a unit.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let sign = |at: usize| usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let mut end = sign(0);
    end += digits(end);
    if bytes.get(end) == Some(&b'.') {
        end += 1;
        end += digits(end);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let exponent = end + 1 + sign(end + 1);
        match digits(exponent.min(bytes.len())) {
            0 => {}
            count => end = exponent + count,
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(read: Result<Quantity, String>) -> f64 {
        read.expect("a quantity").value
    }

    #[test]
    fn bandwidths_have_decimal_and_binary_bytes_and_bits() {
        // 1 Bps = 8 bps; k is 1,000 and Ki is 1,024.
        for (text, expected) in [
            ("11.1GBps", 11.1e9),
            ("15.75GBps", 15.75e9),
            ("10Gbps", 1.25e9),
            ("1e9Bps", 1e9),
            ("1E3Bps", 1e3),
            ("1EBps", 1e18),
            ("2Ebps", 0.25e18),
            ("100bps", 12.5),
            ("1kBps", 1e3),
            ("1KBps", 1e3),
            ("8kbps", 1e3),
            ("3MBps", 3e6),
            ("2TBps", 2e12),
            ("2PBps", 2e15),
            ("2ZBps", 2e21),
            ("2YBps", 2e24),
            ("1KiBps", 1_024.0),
            ("8Kibps", 1_024.0),
            ("1MiBps", 1_048_576.0),
            ("1GiBps", 1_073_741_824.0),
            ("1TiBps", 1_099_511_627_776.0),
            ("1PiBps", 1_125_899_906_842_624.0),
            ("1EiBps", 1_152_921_504_606_846_976.0),
            (" 5Bps ", 5.0),
            (".5MBps", 5e5),
            ("1.25e+2MBps", 1.25e8),
        ] {
            assert_eq!(value(bandwidth(text)), expected, "{text}");
        }
    }

    #[test]
    fn times_reach_from_picoseconds_to_weeks() {
        for (text, expected) in [
            ("7ps", 7.0 * 1e-12),
            ("500ns", 500.0 * 1e-9),
            ("0.5us", 0.5 * 1e-6),
            ("1ms", 1e-3),
            ("1s", 1.0),
            ("2m", 120.0),
            ("1h", 3_600.0),
            ("1d", 86_400.0),
            ("1w", 604_800.0),
            ("0", 0.0),
        ] {
            assert_eq!(value(time(text)), expected, "{text}");
        }
    }

    #[test]
    fn speeds_are_short_or_in_full() {
        for (text, expected) in [
            ("5f", 5.0),
            ("1kf", 1e3),
            ("100Mf", 1e8),
            ("1Gf", 1e9),
            ("2.5Tf", 2.5e12),
            ("1Pf", 1e15),
            ("1Ef", 1e18),
            ("1Zf", 1e21),
            ("1Yf", 1e24),
            ("3flops", 3.0),
            ("3kiloflops", 3e3),
            ("3megaflops", 3e6),
            ("3gigaflops", 3e9),
            ("3teraflops", 3e12),
            ("3petaflops", 3e15),
            ("3exaflops", 3e18),
            ("3zettaflops", 3e21),
            ("3zetaflops", 3e21),
            ("3yottaflops", 3e24),
        ] {
            assert_eq!(value(speed(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_number_without_a_unit_is_told() {
        assert_eq!(
            bandwidth("1e9"),
            Ok(Quantity {
                value: 1e9,
                bare: true
            })
        );
        assert_eq!(
            time("0"),
            Ok(Quantity {
                value: 0.0,
                bare: false
            })
        );
        assert!(!speed("1f").unwrap().bare);
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_an_example() {
        let example = "write a bandwidth such as \"10GBps\" (bytes) or \"80Gbps\" (bits)";
        assert_eq!(
            bandwidth("10GBs"),
            Err(format!("there is no such unit: {example}"))
        );
        assert_eq!(
            bandwidth("10 GBps"),
            Err(format!("there is no such unit: {example}"))
        );
        assert_eq!(bandwidth("-1Bps"), Err(format!("it is negative: {example}")));
        assert_eq!(bandwidth("1e300YBps"), Err(format!("it is too large: {example}")));
        for text in ["", "GBps", "inf", "nan", "e3Bps", ".", "+", "-", "1e999s"] {
            assert!(bandwidth(text).is_err(), "{text}");
        }
        assert!(time("1Gf").is_err() && speed("1ns").is_err() && speed("1Kf").is_err());
    }
}

//! Units of sizes, rates and times, and exact conversion to whole bytes, bits per second and picoseconds.

use crate::decimal::{Decimal, DecimalError, Whole};
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// A kind of quantity: its units and how it is spoken of.
#[derive(Debug)]
pub struct Quantity {
    /// What a value of this kind is called in an error, with its article.
    pub noun: &'static str,
    /// The smallest unit, in which values are whole.
    pub base: &'static str,
    /// Units and how many of the smallest one each holds, rising.
    pub units: &'static [(&'static str, u64)],
    /// The least value, in the smallest unit.
    pub least: u64,
    /// The largest value, in the smallest unit: far above any use, and low enough that sums stay within 64 bits.
    pub most: u64,
}

/// Sizes in bytes.
pub const SIZE: Quantity = Quantity {
    noun: "a size",
    base: "B",
    units: &[
        ("B", 1),
        ("KB", 1_000),
        ("KiB", 1 << 10),
        ("MB", 1_000_000),
        ("MiB", 1 << 20),
        ("GB", 1_000_000_000),
        ("GiB", 1 << 30),
    ],
    least: 0,
    most: 1_000_000_000_000_000,
};

/// Data rates in bits per second.
pub const RATE: Quantity = Quantity {
    noun: "a rate",
    base: "bps",
    units: &[
        ("bps", 1),
        ("Kbps", 1_000),
        ("Mbps", 1_000_000),
        ("Gbps", 1_000_000_000),
        ("Tbps", 1_000_000_000_000),
    ],
    least: 1,
    most: 1_000_000_000_000_000,
};

/// Spans of time in picoseconds.
pub const TIME: Quantity = Quantity {
    noun: "a time",
    base: "ps",
    units: &[
        ("ps", 1),
        ("ns", 1_000),
        ("us", 1_000_000),
        ("ms", 1_000_000_000),
        ("s", 1_000_000_000_000),
    ],
    least: 0,
    most: 1_000_000_000_000_000_000,
};

/// What is wrong with a value, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub remedy: String,
    /// Less or Greater if the value is below or above what its type holds: then a limit of the attribute, if it has one,
    /// says better what is right.
    pub beyond: Option<Ordering>,
}

impl Fault {
    /// A fault and its remedy.
    pub fn new(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Fault {
            message: message.into(),
            remedy: remedy.into(),
            beyond: None,
        }
    }

    /// A value below or above what its type holds.
    fn beyond(side: Ordering, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Fault {
            beyond: Some(side),
            ..Fault::new(message, remedy)
        }
    }
}

impl Quantity {
    /// The names of the units.
    pub fn unit_names(&self) -> Vec<&'static str> {
        self.units.iter().map(|(name, _)| *name).collect()
    }

    /// How many of the smallest unit `unit` holds.
    pub fn factor(&self, unit: &str) -> Option<u64> {
        self.units
            .iter()
            .find(|(name, _)| *name == unit)
            .map(|(_, factor)| *factor)
    }

    /// Reads `value` with the unit beside it, or a text such as `400Gbps` that holds both.
    pub fn read(&self, value: &Value, unit: Option<&str>) -> Result<u64, Fault> {
        match (value, unit) {
            (Value::Number(number), unit) => {
                let number =
                    Decimal::from_json(number).map_err(|e| self.not_a_number(&number.to_string(), e))?;
                self.convert(number, unit)
            }
            (Value::String(text), None) => {
                let text = text.trim();
                // A unit begins at the first letter that is no exponent: `1e3 B` has the exponent, `1 EB` has none.
                let split = text
                    .char_indices()
                    .find(|&(i, c)| c.is_alphabetic() && !is_exponent(text, i) || c.is_whitespace())
                    .map_or(text.len(), |(i, _)| i);
                let (number, unit) = text.split_at(split);
                let parsed = number.parse().map_err(|e| self.not_a_number(text, e))?;
                let unit = unit.trim();
                self.convert(parsed, (!unit.is_empty()).then_some(unit))
            }
            (other, _) => Err(Fault::new(
                format!("{other} is not {}", self.noun),
                format!("give a number with a unit, such as \"{}\"", self.example()),
            )),
        }
    }

    fn example(&self) -> &'static str {
        match self.base {
            "B" => "64 KB",
            "bps" => "400 Gbps",
            _ => "100 ns",
        }
    }

    fn not_a_number(&self, text: &str, error: DecimalError) -> Fault {
        Fault::new(
            format!("\"{text}\" is {error}"),
            format!(
                "give {} as a number with a unit, such as \"{}\"",
                self.noun,
                self.example()
            ),
        )
    }

    fn convert(&self, number: Decimal, unit: Option<&str>) -> Result<u64, Fault> {
        let least = self.show(self.least, None);
        let Some(unit) = unit else {
            // Zero is the same in every unit.
            if number.is_zero() && self.least == 0 {
                return Ok(0);
            }
            if number.is_zero() {
                return Err(Fault::beyond(
                    Ordering::Less,
                    format!("{number} is out of range"),
                    format!("give {} of {least} or more", self.noun),
                ));
            }
            let units = self.unit_names().join(", ");
            return Err(Fault::new(
                format!("{number} has no unit"),
                format!("give one of {units}"),
            ));
        };
        let Some(factor) = self.factor(unit) else {
            let units = self.unit_names().join(", ");
            return Err(Fault::new(
                format!(
                    "\"{unit}\" is not a unit of {}",
                    self.noun.trim_start_matches("a ")
                ),
                format!("use one of {units}"),
            ));
        };
        if number.is_negative() {
            return Err(Fault::beyond(
                Ordering::Less,
                format!("{number} {unit} is negative"),
                format!("give {} of {least} or more", self.noun),
            ));
        }
        match number.scale(factor) {
            Whole::Exact(whole) if whole < self.least => Err(Fault::beyond(
                Ordering::Less,
                format!("{number} {unit} is too small"),
                format!("give {} of {least} or more", self.noun),
            )),
            Whole::Exact(whole) if whole <= self.most => Ok(whole),
            Whole::Exact(_) | Whole::TooLarge => Err(Fault::beyond(
                Ordering::Greater,
                format!("{number} {unit} is too large"),
                format!("give {} of at most {}", self.noun, self.show(self.most, None)),
            )),
            Whole::Fraction => Err(Fault::new(
                format!("{number} {unit} is not a whole number of {}", self.base),
                format!("give {} that is whole in {}", self.noun, self.base),
            )),
        }
    }

    /// The number and unit in which `base` reads best: in `preferred` if that is short, else in the largest decimal
    /// unit in which it is whole. Reading it back gives `base` again.
    pub fn split(&self, base: u64, preferred: Option<&'static str>) -> (Number, &'static str) {
        if let Some((unit, factor)) = preferred.and_then(|unit| Some((unit, self.factor(unit)?))) {
            if base.is_multiple_of(factor) {
                return (Number::from(base / factor), unit);
            }
            if base > factor {
                let number = base as f64 / factor as f64;
                let text = Decimal::from_f64(number).filter(|d| d.scale(10_000) != Whole::Fraction);
                if text.is_some_and(|d| d.scale(factor) == Whole::Exact(base)) {
                    // A quotient of finite numbers is finite.
                    return (
                        Number::from_f64(number).unwrap_or_else(|| Number::from(base)),
                        unit,
                    );
                }
            }
        }
        if base == 0 {
            return (Number::from(0), self.base);
        }
        let (unit, factor) = self
            .units
            .iter()
            .rev()
            .find(|(_, factor)| !(*factor > 1 && factor.is_power_of_two()) && base.is_multiple_of(*factor))
            .copied()
            .unwrap_or((self.base, 1));
        (Number::from(base / factor), unit)
    }

    /// The text of a value, such as `256 KB`.
    pub fn show(&self, base: u64, preferred: Option<&'static str>) -> String {
        let (number, unit) = self.split(base, preferred);
        format!("{number} {unit}")
    }
}

fn is_exponent(text: &str, at: usize) -> bool {
    let rest = &text.as_bytes()[at..];
    matches!(rest, [b'e' | b'E', next, ..] if next.is_ascii_digit() || matches!(next, b'-' | b'+'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fault(quantity: &Quantity, value: Value, unit: Option<&str>) -> String {
        let fault = quantity.read(&value, unit).unwrap_err();
        format!("{}; {}", fault.message, fault.remedy)
    }

    #[test]
    fn sizes_rates_and_times_convert_exactly() {
        assert_eq!(SIZE.read(&json!("64 B"), None), Ok(64));
        assert_eq!(SIZE.read(&json!(256), Some("KB")), Ok(256_000));
        assert_eq!(SIZE.read(&json!("256KiB"), None), Ok(262_144));
        assert_eq!(SIZE.read(&json!("1e3 B"), None), Ok(1_000));
        assert_eq!(SIZE.read(&json!(0), None), Ok(0));
        assert_eq!(RATE.read(&json!(31.52), Some("Gbps")), Ok(31_520_000_000));
        assert_eq!(RATE.read(&json!("400Gbps"), None), Ok(400_000_000_000));
        assert_eq!(RATE.read(&json!("1.6 Tbps"), None), Ok(1_600_000_000_000));
        assert_eq!(TIME.read(&json!(0.5), Some("us")), Ok(500_000));
        assert_eq!(TIME.read(&json!("1ms"), None), Ok(1_000_000_000));
    }

    #[test]
    fn what_is_wrong_is_said_with_what_is_right() {
        assert_eq!(
            fault(&SIZE, json!(-3), Some("MB")),
            "-3 MB is negative; give a size of 0 B or more"
        );
        assert_eq!(
            fault(&SIZE, json!(1.5), Some("B")),
            "1.5 B is not a whole number of B; give a size that is whole in B"
        );
        assert_eq!(
            fault(&TIME, json!("0.5 ps"), None),
            "0.5 ps is not a whole number of ps; give a time that is whole in ps"
        );
        assert_eq!(
            fault(&RATE, json!(400), None),
            "400 has no unit; give one of bps, Kbps, Mbps, Gbps, Tbps"
        );
        assert_eq!(
            fault(&RATE, json!(0), None),
            "0 is out of range; give a rate of 1 bps or more"
        );
        assert_eq!(
            fault(&RATE, json!("0 Gbps"), None),
            "0 Gbps is too small; give a rate of 1 bps or more"
        );
        assert_eq!(
            fault(&RATE, json!("400 GB"), None),
            "\"GB\" is not a unit of rate; use one of bps, Kbps, Mbps, Gbps, Tbps"
        );
        assert_eq!(
            fault(&SIZE, json!("big"), None),
            "\"big\" is not a number; give a size as a number with a unit, such as \"64 KB\""
        );
        assert_eq!(
            fault(&SIZE, json!(true), None),
            "true is not a size; give a number with a unit, such as \"64 KB\""
        );
        assert_eq!(
            fault(&SIZE, json!(1e30), Some("GB")),
            "1e30 GB is too large; give a size of at most 1000000 GB"
        );
    }

    #[test]
    fn values_are_shown_in_a_fitting_unit() {
        assert_eq!(SIZE.show(256_000, None), "256 KB");
        assert_eq!(SIZE.show(262_144, None), "262144 B");
        assert_eq!(SIZE.show(262_144, Some("KiB")), "256 KiB");
        assert_eq!(RATE.show(31_520_000_000, Some("Gbps")), "31.52 Gbps");
        assert_eq!(RATE.show(51_200_000_000_000, None), "51200 Gbps");
        assert_eq!(TIME.show(0, None), "0 ps");
        assert_eq!(TIME.show(100_000, None), "100 ns");
    }

    #[test]
    fn what_is_shown_reads_back() {
        for base in [0, 1, 64, 999, 1_000, 1_024, 250_000, 262_144, 123_456_789_012_345] {
            for unit in SIZE.unit_names() {
                let (number, unit) = SIZE.split(base, Some(unit));
                assert_eq!(
                    SIZE.read(&Value::Number(number), Some(unit)),
                    Ok(base),
                    "{base} in {unit}"
                );
            }
        }
    }
}

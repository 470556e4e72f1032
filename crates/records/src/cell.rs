//! What may stand in a cell, and how it is written.
//!
//! A row is written straight into a buffer that its file reuses: no cell allocates, and none goes through the
//! formatting machinery of the standard library, since a run writes rows by the hundred thousand a second.

use packetloom_des::time::{Bytes, Rate, Span, Time};
use serde::Serialize;

/// The kind of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Text.
    Text,
    /// A whole number from 0 to 2^64 - 1.
    Unsigned,
    /// A whole number from -2^63 to 2^63 - 1.
    Signed,
    /// A 64-bit floating-point number, written as the shortest text that reads back as the same number.
    Float,
    /// A decimal fraction written exactly, every digit of it.
    Decimal,
}

impl ColumnType {
    /// The word the documentation uses for it.
    pub const fn label(self) -> &'static str {
        match self {
            ColumnType::Text => "text",
            ColumnType::Unsigned => "unsigned integer",
            ColumnType::Signed => "integer",
            ColumnType::Float => "number",
            ColumnType::Decimal => "exact decimal",
        }
    }
}

/// A value that can stand in a cell.
pub trait Cell {
    /// The type of the column it stands in.
    const TYPE: ColumnType;

    /// Appends the value's text to `out`, quoted where CSV wants it.
    fn put(&self, out: &mut Vec<u8>);
}

impl Cell for u64 {
    const TYPE: ColumnType = ColumnType::Unsigned;
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(itoa::Buffer::new().format(*self).as_bytes());
    }
}

impl Cell for i64 {
    const TYPE: ColumnType = ColumnType::Signed;
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(itoa::Buffer::new().format(*self).as_bytes());
    }
}

impl Cell for f64 {
    const TYPE: ColumnType = ColumnType::Float;
    /// Whole numbers go without a fraction (`800`, not `800.0`); what is not a number is `NAN`.
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        if self.is_nan() {
            return out.extend_from_slice(b"NAN");
        }
        // Adding zero turns -0 into 0.
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format(*self + 0.0);
        out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
    }
}

impl Cell for &str {
    const TYPE: ColumnType = ColumnType::Text;
    /// Quoted only where a reader would otherwise see another cell or row.
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        let bytes = self.as_bytes();
        // All bytes are looked at without a branch, several at a time.
        let special = |byte: u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
        if !bytes.iter().fold(false, |found, &byte| found | special(byte)) {
            return out.extend_from_slice(bytes);
        }
        out.push(b'"');
        for &byte in bytes {
            if byte == b'"' {
                out.push(b'"');
            }
            out.push(byte);
        }
        out.push(b'"');
    }
}

/// Declares a cell that holds a whole number of small units and is written in a larger one, exactly.
macro_rules! scaled {
    ($(#[$attribute:meta])* $name:ident, $digits:literal, $from:ident, $($quantity:ident => $raw:expr),+) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(u64);

        impl $name {
            #[doc = concat!("The cell of a count of the small unit; ", stringify!($digits), " decimals of the written one.")]
            pub const fn $from(count: u64) -> Self {
                $name(count)
            }
        }

        $(impl From<$quantity> for $name {
            #[inline]
            fn from(quantity: $quantity) -> Self {
                let raw: fn($quantity) -> u64 = $raw;
                $name(raw(quantity))
            }
        })+

        impl Cell for $name {
            const TYPE: ColumnType = ColumnType::Decimal;
            #[inline]
            fn put(&self, out: &mut Vec<u8>) {
                put_decimal::<$digits>(self.0, out);
            }
        }
    };
}

scaled!(
    /// Simulated time or a span of it in seconds, exact to the picosecond.
    Seconds, 12, from_ps, Time => Time::ps, Span => Span::ps
);
scaled!(
    /// A span of simulated time in microseconds, exact to the picosecond.
    Microseconds, 6, from_ps, Span => Span::ps
);
scaled!(
    /// A span of simulated time in nanoseconds, exact to the picosecond.
    Nanoseconds, 3, from_ps, Span => Span::ps
);
scaled!(
    /// An amount of data in megabytes of 10^6 bytes, exact to the byte.
    Megabytes, 6, from_bytes, Bytes => |bytes| bytes.0
);
scaled!(
    /// An amount of data in gigabytes of 10^9 bytes, exact to the byte.
    Gigabytes, 9, from_bytes, Bytes => |bytes| bytes.0
);
scaled!(
    /// A rate in 10^9 bits per second, exact to the bit per second.
    Gbps, 9, from_bps, Rate => Rate::bps
);

/// Appends `value / 10^DIGITS`, exactly and without trailing zeros.
#[inline]
fn put_decimal<const DIGITS: usize>(value: u64, out: &mut Vec<u8>) {
    let unit = const { 10u64.pow(DIGITS as u32) };
    let (whole, fraction) = (value / unit, value % unit);
    whole.put(out);
    if fraction == 0 {
        return;
    }
    // With the unit added the digits of the fraction stand behind a 1, leading zeros included.
    let mut buffer = itoa::Buffer::new();
    let digits = &buffer.format(unit + fraction).as_bytes()[1..];
    let zeros = digits.iter().rev().take_while(|&&digit| digit == b'0').count();
    out.push(b'.');
    out.extend_from_slice(&digits[..DIGITS - zeros]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(cell: impl Cell) -> String {
        let mut out = Vec::new();
        cell.put(&mut out);
        String::from_utf8(out).expect("cells are UTF-8")
    }

    #[test]
    fn whole_numbers_are_plain() {
        assert_eq!(text(0u64), "0");
        assert_eq!(text(u64::MAX), "18446744073709551615");
        assert_eq!(text(i64::MIN), "-9223372036854775808");
    }

    #[test]
    fn numbers_are_the_shortest_that_read_back() {
        assert_eq!(text(0.073062), "0.073062");
        assert_eq!(text(52.5883), "52.5883");
        assert_eq!(text(0.1 + 0.2), "0.30000000000000004");
        assert_eq!(text(800.0), "800");
        assert_eq!(text(-0.0), "0");
        assert_eq!(text(f64::NAN), "NAN");
        assert_eq!(text(f64::INFINITY), "inf");
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(text(Seconds::from(Time::from_ps(5_000_190_000))), "0.00500019");
        assert_eq!(text(Seconds::from(Span::from_ms(1))), "0.001");
        assert_eq!(text(Seconds::from_ps(0)), "0");
        assert_eq!(text(Seconds::from_ps(u64::MAX)), "18446744.073709551615");
        assert_eq!(text(Microseconds::from(Span::from_ps(2_831_170))), "2.83117");
        assert_eq!(text(Microseconds::from(Span::from_ps(1))), "0.000001");
        assert_eq!(text(Nanoseconds::from(Span::from_ns(500))), "500");
        assert_eq!(text(Megabytes::from(Bytes(73_062))), "0.073062");
        assert_eq!(text(Gigabytes::from(Bytes(73_062))), "0.000073062");
        assert_eq!(text(Gbps::from(Rate::from_gbps(800))), "800");
        assert_eq!(text(Gbps::from(Rate::from_bps(504_320_000_000))), "504.32");
    }

    #[test]
    fn text_is_quoted_only_where_it_must_be() {
        assert_eq!(text(""), "");
        assert_eq!(
            text("RdmaInitiator-P:0-R:3-S:24-R:0-C:0-1"),
            "RdmaInitiator-P:0-R:3-S:24-R:0-C:0-1"
        );
        assert_eq!(text("a,b"), "\"a,b\"");
        assert_eq!(text("say \"hi\""), "\"say \"\"hi\"\"\"");
        assert_eq!(text("two\nlines"), "\"two\nlines\"");
    }

    proptest! {
        #[test]
        fn a_number_reads_back_as_itself(bits: u64) {
            let value = f64::from_bits(bits);
            let read: f64 = text(value).parse().expect("a number");
            prop_assert!(read == value || (read.is_nan() && value.is_nan()));
        }

        #[test]
        fn a_decimal_equals_the_text_the_engine_gives(ps: u64) {
            prop_assert_eq!(text(Seconds::from_ps(ps)), Time::from_ps(ps).seconds_text());
            prop_assert_eq!(text(Microseconds::from_ps(ps)), Span::from_ps(ps).microseconds_text());
        }

        #[test]
        fn any_text_reads_back_through_a_csv_reader(first: String, second: String) {
            let mut line = Vec::new();
            first.as_str().put(&mut line);
            line.push(b',');
            second.as_str().put(&mut line);
            line.extend_from_slice(b",end\n");
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_slice());
            let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("valid CSV");
            prop_assert_eq!(rows.len(), 1);
            prop_assert_eq!(&rows[0], &vec![first, second, "end".to_owned()]);
        }
    }
}

//! Numbers and names as people read them.

/// `count` with a comma between thousands.
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `number` with about four significant digits and a decimal prefix: `12.35 M`.
pub fn large(number: f64) -> String {
    for (limit, scale, prefix) in [
        (1e3, 1.0, ""),
        (1e6, 1e3, " k"),
        (1e9, 1e6, " M"),
        (1e12, 1e9, " G"),
    ] {
        if number < limit {
            return format!("{}{prefix}", significant(number / scale));
        }
    }
    format!("{} T", significant(number / 1e12))
}

/// `number` with about four significant digits and no needless zeros.
pub fn significant(number: f64) -> String {
    let decimals = match number.abs() {
        n if n >= 1000.0 => 0,
        n if n >= 100.0 => 1,
        n if n >= 10.0 => 2,
        n if n >= 1.0 => 3,
        // Below 1e-12 there is nothing but rounding.
        n => (1..12).find(|&zeros| n * 10f64.powi(zeros) >= 1.0).unwrap_or(0) as usize + 3,
    };
    let text = format!("{number:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A length of time in the unit that suits it: `506 ms`.
pub fn seconds(seconds: f64) -> String {
    if seconds >= 120.0 {
        let whole = seconds.round() as u64;
        return match whole / 3600 {
            0 => format!("{} min {:02} s", whole / 60, whole % 60),
            hours => format!("{hours} h {:02} min", whole % 3600 / 60),
        };
    }
    let (scale, unit) = match seconds {
        s if s >= 1.0 || s == 0.0 => (1.0, "s"),
        s if s >= 1e-3 => (1e3, "ms"),
        s if s >= 1e-6 => (1e6, "us"),
        _ => (1e9, "ns"),
    };
    format!("{} {unit}", significant(seconds * scale))
}

/// An amount of memory in the binary unit that suits it: `1.5 GiB`.
pub fn memory(bytes: u64) -> String {
    let bytes = bytes as f64;
    for (unit, name) in [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] {
        if bytes >= unit as f64 {
            return format!("{} {name}", significant(bytes / unit as f64));
        }
    }
    format!("{bytes} B")
}

/// `name` as a file name that needs no quoting: what is neither a letter, a digit, `.`, `_` nor `-` becomes `-`.
pub fn file_safe(name: &str) -> String {
    let mut safe = String::new();
    for c in name.chars() {
        match c {
            c if c.is_alphanumeric() || c == '.' || c == '_' => safe.push(c),
            // Neither at the start, where it would look like an option, nor twice.
            _ if !safe.is_empty() && !safe.ends_with('-') => safe.push('-'),
            _ => {}
        }
        if safe.len() > 100 {
            break;
        }
    }
    // A leading dot would hide the file.
    let safe = safe.trim_start_matches(['.', '-']).trim_end_matches('-');
    if safe.is_empty() {
        "simulation".to_owned()
    } else {
        safe.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_commas() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(12_345_678), "12,345,678");
    }

    #[test]
    fn large_numbers_have_prefixes() {
        assert_eq!(large(12.0), "12");
        assert_eq!(large(12_345_678.0), "12.35 M");
        assert_eq!(large(1e13), "10 T");
    }

    #[test]
    fn four_digits_are_enough() {
        assert_eq!(significant(394.4123), "394.4");
        assert_eq!(significant(5.07192), "5.072");
        assert_eq!(significant(100.0), "100");
        assert_eq!(significant(1234.5), "1234");
        assert_eq!(significant(0.0), "0");
        assert_eq!(significant(0.123456), "0.1235");
        assert_eq!(significant(0.0038152), "0.003815");
        assert_eq!(significant(0.000_001_2), "0.0000012");
        assert_eq!(significant(0.99999), "1");
        assert_eq!(significant(1e-17), "0");
    }

    #[test]
    fn times_take_the_unit_that_suits() {
        assert_eq!(seconds(0.506), "506 ms");
        assert_eq!(seconds(1.5), "1.5 s");
        assert_eq!(seconds(0.0), "0 s");
        assert_eq!(seconds(0.000_002_5), "2.5 us");
        assert_eq!(seconds(125.0), "2 min 05 s");
        assert_eq!(seconds(7300.0), "2 h 01 min");
    }

    #[test]
    fn memory_is_binary() {
        assert_eq!(memory(512), "512 B");
        assert_eq!(memory(3 << 29), "1.5 GiB");
    }

    #[test]
    fn names_become_file_names() {
        assert_eq!(file_safe("two-pod roce/demo"), "two-pod-roce-demo");
        assert_eq!(file_safe("  ../x "), "x");
        assert_eq!(file_safe("-rf *"), "rf");
        assert_eq!(file_safe("Größe 2"), "Größe-2");
        assert_eq!(file_safe("///"), "simulation");
        assert!(packetloom_records::check_simulation_name(&file_safe(&"ü/".repeat(300))).is_ok());
    }
}

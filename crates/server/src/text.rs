//! Figures as the API's texts spell them: `2.5ms`, `10Gbps`, `150MB`.

/// `number` with about three significant digits and no needless zeros.
fn significant(number: f64) -> String {
    let decimals = match number.abs() {
        n if n >= 100.0 => 0,
        n if n >= 10.0 => 1,
        _ => 2,
    };
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// The largest unit in which `value` is at least 1, of units that rise.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let fitting = units.iter().rev().find(|(scale, _)| value >= *scale);
    match fitting.or(units.first()) {
        Some((scale, unit)) => format!("{}{unit}", significant(value / scale)),
        None => significant(value),
    }
}

/// A length of time in seconds.
pub fn seconds(seconds: f64) -> String {
    const UNITS: [(f64, &str); 5] = [
        (1e-12, "ps"),
        (1e-9, "ns"),
        (1e-6, "us"),
        (1e-3, "ms"),
        (1.0, "s"),
    ];
    match seconds {
        0.0 => "0s".to_owned(),
        s if s >= 7_200.0 => format!("{}h", significant(s / 3_600.0)),
        s if s >= 120.0 => format!("{}min", significant(s / 60.0)),
        s => scaled(s, &UNITS),
    }
}

/// A rate in bits per second.
pub fn rate(bits_per_second: f64) -> String {
    scaled(
        bits_per_second,
        &[
            (1.0, "bps"),
            (1e3, "Kbps"),
            (1e6, "Mbps"),
            (1e9, "Gbps"),
            (1e12, "Tbps"),
        ],
    )
}

/// A size in bytes.
pub fn size(bytes: u64) -> String {
    scaled(
        bytes as f64,
        &[(1.0, "B"), (1e3, "KB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB")],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_have_units() {
        assert_eq!(seconds(0.0025), "2.5ms");
        assert_eq!(seconds(4.2e-6), "4.2us");
        assert_eq!(seconds(60.0), "60s");
        assert_eq!(seconds(0.0), "0s");
        assert_eq!(seconds(300.0), "5min");
        assert_eq!(seconds(9_000.0), "2.5h");
        assert_eq!(rate(1.2e12), "1.2Tbps");
        assert_eq!(rate(10e9), "10Gbps");
        assert_eq!(rate(0.0), "0bps");
        assert_eq!(size(2_500_000), "2.5MB");
        assert_eq!(size(0), "0B");
        assert_eq!(size(999), "999B");
    }
}

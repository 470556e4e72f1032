//! Wall-clock times: epoch milliseconds inside, ISO 8601 outside.

use std::time::{Duration, SystemTime};

/// Now, in milliseconds since 1970.
pub fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64)
}

/// `ms` as ISO 8601 in UTC, such as `2026-01-15T10:30:00.123Z`.
pub fn iso(ms: i64) -> String {
    let time = SystemTime::UNIX_EPOCH + Duration::from_millis(ms.max(0) as u64);
    humantime::format_rfc3339_millis(time).to_string()
}

/// The milliseconds of a time in ISO 8601: a date with a time and `Z` or an offset, or a date alone, which is its midnight in UTC.
pub fn parse_iso(text: &str) -> Option<i64> {
    let whole = if text.len() == 10 {
        format!("{text}T00:00:00Z")
    } else {
        text.to_owned()
    };
    let (utc, offset_minutes) = split_offset(&whole)?;
    let time = humantime::parse_rfc3339_weak(&utc).ok()?;
    let ms = time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_millis() as i64;
    Some(ms - offset_minutes * 60_000)
}

/// Cuts `+02:00` off a time and gives it in minutes; `Z` and nothing are 0.
fn split_offset(text: &str) -> Option<(String, i64)> {
    let Some(at) = text.rfind(['+', '-']).filter(|&at| at > 10) else {
        return Some((text.to_owned(), 0));
    };
    let (hours, minutes) = text[at + 1..].split_once(':')?;
    let two = |part: &str| (part.len() == 2).then(|| part.parse::<i64>().ok()).flatten();
    let minutes = two(hours).filter(|&h| h < 24)? * 60 + two(minutes).filter(|&m| m < 60)?;
    let sign = if text.as_bytes()[at] == b'-' { -1 } else { 1 };
    Some((format!("{}Z", &text[..at]), sign * minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_out_and_come_in() {
        // 2024-01-15 is day 19737 since 1970; 10:30 is 37,800 s: 19737 * 86,400 + 37,800 = 1,705,314,600.
        let ms = 1_705_314_600_000;
        assert_eq!(iso(ms), "2024-01-15T10:30:00.000Z");
        for text in [
            "2024-01-15T10:30:00Z",
            "2024-01-15T12:30:00+02:00",
            "2024-01-15T10:30:00.000Z",
            "2024-01-15T05:00:00-05:30",
        ] {
            assert_eq!(parse_iso(text), Some(ms), "{text}");
        }
        assert_eq!(parse_iso("2024-01-15"), Some(ms - 37_800_000));
        for text in [
            "",
            "yesterday",
            "2024-13-01",
            "2024-01-15T10:30:00+2:00",
            "2024-01-15T10:30:00+ü:00",
            "１２３",
        ] {
            assert_eq!(parse_iso(text), None, "{text}");
        }
    }
}

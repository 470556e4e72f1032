//! The wall-clock time that rows carry.

use crate::error::RecordsError;
use std::ffi::OsStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The last second of the year 9999, beyond which ISO 8601 needs more than four digits for the year.
const LAST_SECOND: u64 = 253_402_300_799;

/// Gives the time as ISO 8601 text, formatting it only when the second has changed.
#[derive(Debug)]
pub struct Clock {
    fixed: bool,
    second: u64,
}

impl Clock {
    /// The system's clock, or the instant of the environment variable `SOURCE_DATE_EPOCH` if that is set, so that two
    /// runs give the same bytes.
    pub fn from_environment() -> Result<Self, RecordsError> {
        Self::from_source_date_epoch(std::env::var_os("SOURCE_DATE_EPOCH").as_deref())
    }

    /// The same with the variable's value given; an empty one counts as unset.
    pub fn from_source_date_epoch(value: Option<&OsStr>) -> Result<Self, RecordsError> {
        let Some(value) = value.filter(|v| !v.is_empty()) else {
            return Ok(Clock {
                fixed: false,
                second: now(),
            });
        };
        let second = value
            .to_str()
            .and_then(|text| text.parse().ok())
            .filter(|&second| second <= LAST_SECOND);
        match second {
            Some(second) => Ok(Clock { fixed: true, second }),
            None => Err(RecordsError::SourceDateEpoch(
                value.to_string_lossy().into_owned(),
            )),
        }
    }

    /// The current text, such as `2026-01-13T19:11:39Z`.
    pub fn text(&self) -> String {
        // `second` is at most the year 9999, which the formatter can write.
        humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(self.second)).to_string()
    }

    /// Looks at the system's clock; the new text if the second has changed.
    pub fn tick(&mut self) -> Option<String> {
        if self.fixed {
            return None;
        }
        let second = now();
        (second != self.second).then(|| {
            self.second = second;
            self.text()
        })
    }
}

fn now() -> u64 {
    // A clock set before 1970 counts as 1970.
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs())
        .min(LAST_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(value: &str) -> Result<Clock, RecordsError> {
        Clock::from_source_date_epoch(Some(OsStr::new(value)))
    }

    #[test]
    fn source_date_epoch_fixes_the_instant() {
        let mut clock = fixed("1768331499").expect("a number");
        assert_eq!(clock.text(), "2026-01-13T19:11:39Z");
        assert_eq!(clock.tick(), None);
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        assert!(!fixed("").expect("the system's clock").fixed);
    }

    #[test]
    fn a_bad_variable_is_bad_input() {
        for value in ["yesterday", "-1", "1.5", "253402300800"] {
            let error = fixed(value).expect_err("refused");
            assert!(error.is_input());
            assert!(error.to_string().contains(value), "{error}");
        }
        assert_eq!(
            fixed("253402300799").expect("the last second").text(),
            "9999-12-31T23:59:59Z"
        );
    }

    #[test]
    fn the_text_changes_with_the_second() {
        let mut clock = Clock {
            fixed: false,
            second: 0,
        };
        assert!(clock.tick().is_some_and(|text| text.starts_with("20")));
    }
}

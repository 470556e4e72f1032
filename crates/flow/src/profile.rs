//! Profiles: files, or texts inside a platform file, that say how a value changes with time.
//!
//! A line is `time value`, in seconds and in the basic unit of what changes: bytes per second for a bandwidth, seconds for a
//! latency, a share from 0 on for a speed, 0 or not 0 for a state. `LOOPAFTER n` begins again n seconds after the last line,
//! `PERIODICITY n` every n seconds. Empty lines and those that begin with `#` or `%` say nothing. (SimGrid's XML reference,
//! `<link>`, and its profile reader.)

use crate::error::{Error, Place, did_you_mean, show};
use crate::link::Profile;

/// What a profile changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// Bytes per second, above 0
    Bandwidth,
    /// Seconds
    Latency,
    /// On or off
    State,
    /// A share of the speed
    Speed,
}

/// Reads the text of a profile that begins on line `first` of `name` and repeats every `period` seconds, if that is above 0.
///
/// # Errors
///
/// A line that is neither a point nor an instruction, times that go back, values that cannot be, no point at all, or two
/// instructions to repeat.
pub fn parse(
    text: &str,
    name: &str,
    first: u32,
    period: Option<f64>,
    quality: Quality,
) -> Result<Profile, Error> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut period = period.filter(|period| *period > 0.0);
    let mut after = None;
    let mut place = at(name, first);
    for (line, text) in (first..).zip(text.lines()) {
        place = at(name, line);
        let text = text.trim();
        if text.is_empty() || text.starts_with(['#', '%']) {
            continue;
        }
        let wrong = |message: String, remedy: &str| Error::wrong(place.clone(), message, remedy);
        let words: Vec<&str> = text.split_whitespace().collect();
        if words[0].starts_with("STOCHASTIC") {
            let message = format!("a random profile ({}) is not supported", show(words[0]));
            return Err(wrong(message, "give lines of a time and a value"));
        }
        if words[0].starts_with(|c: char| c.is_ascii_alphabetic()) && words[0].parse::<f64>().is_err() {
            let known = ["LOOPAFTER", "PERIODICITY"];
            let slot = match words[0] {
                "LOOPAFTER" => &mut after,
                "PERIODICITY" => &mut period,
                other => {
                    let message = format!("unknown instruction {}", show(other));
                    let remedy = did_you_mean(
                        other,
                        known,
                        "a line is a time and a value, LOOPAFTER or PERIODICITY",
                    );
                    return Err(wrong(message, &remedy));
                }
            };
            let seconds = match words[..] {
                [_, number] => number.parse::<f64>().ok(),
                _ => None,
            };
            let seconds = seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
            let seconds = seconds.ok_or_else(|| {
                let message = format!("{} is not an instruction to repeat", show(text));
                wrong(message, "write it with a number of seconds: LOOPAFTER 8")
            })?;
            if slot.replace(seconds).is_some() {
                return Err(wrong(format!("a second {}", words[0]), "leave one of them out"));
            }
            continue;
        }
        let point = match words[..] {
            [time, value] => time.parse::<f64>().ok().zip(value.parse::<f64>().ok()),
            _ => None,
        };
        let (time, value) = point
            .filter(|(time, value)| time.is_finite() && value.is_finite())
            .ok_or_else(|| {
                let message = format!("{} is not a point", show(text));
                wrong(message, "write a time in seconds and a value: 4.0 40000000")
            })?;
        check(time, value, points.last().map(|last| last.0), quality)
            .map_err(|(message, remedy)| wrong(message, remedy))?;
        points.push((time, value));
    }
    let Some(&(last, _)) = points.last() else {
        return Err(Error::wrong(
            place,
            "a profile without a point",
            "give at least one line of a time and a value",
        ));
    };
    let repeats_after = repeats_after(last, after, period)
        .map_err(|(message, remedy)| Error::wrong(place, message, remedy))?;
    Ok(Profile {
        points,
        repeats_after,
    })
}

/// A message and its remedy.
type Fault = (String, &'static str);

/// Whether a point may follow one at `before`.
fn check(time: f64, value: f64, before: Option<f64>, quality: Quality) -> Result<(), Fault> {
    if time < 0.0 {
        return Err((format!("a time of {time} s is negative"), "begin at 0 or later"));
    }
    if let Some(before) = before.filter(|before| time < *before) {
        let message = format!("{time} s comes after {before} s");
        return Err((message, "sort the lines by time"));
    }
    if value < 0.0 {
        return Err((format!("a value of {value} is negative"), "give 0 or more"));
    }
    if value == 0.0 && quality == Quality::Bandwidth {
        let message = "a bandwidth of 0 lets no flow end".to_owned();
        return Err((message, "take the link down with a state_file instead"));
    }
    Ok(())
}

/// After how many seconds behind the last point the points begin again.
fn repeats_after(last: f64, after: Option<f64>, period: Option<f64>) -> Result<Option<f64>, Fault> {
    let after = match (after, period) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => {
            return Err(("both LOOPAFTER and a period".to_owned(), "leave one of them out"));
        }
        (Some(after), None) => after,
        (None, Some(period)) => period - last,
    };
    if after < 0.0 {
        let message = format!("the period ends before the last point, at {last} s");
        return Err((message, "make the period longer"));
    }
    if last + after <= 0.0 {
        let message = "the points repeat after no time at all".to_owned();
        return Err((message, "repeat after more than 0 s"));
    }
    Ok(Some(after))
}

/// The beginning of a line.
fn at(name: &str, line: u32) -> Place {
    Place {
        file: name.to_owned(),
        line,
        column: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Profile, Error> {
        parse(text, "p", 1, None, Quality::Bandwidth)
    }

    #[test]
    fn points_and_loopafter() {
        // The example of SimGrid's XML reference, <link>: at t = 24 the bandwidth drops at 40 MBps again.
        let profile = read("4.0 40000000\n8.0 60000000\nLOOPAFTER 12.0\n").unwrap();
        assert_eq!(profile.points, [(4.0, 4e7), (8.0, 6e7)]);
        assert_eq!(profile.repeats_after, Some(12.0));
        // 8 s + 12 s is when the points begin again; the first is 4 s later.
        assert_eq!(8.0 + profile.repeats_after.unwrap() + profile.points[0].0, 24.0);
    }

    #[test]
    fn periodicity_counts_from_the_beginning() {
        // Every 20 s, the last point at 8 s: 12 s remain.
        let profile = read("PERIODICITY 20\n4 1\n8 2\n").unwrap();
        assert_eq!(profile.repeats_after, Some(12.0));
        let inline = parse("4 1\n8 2", "p", 1, Some(20.0), Quality::Bandwidth).unwrap();
        assert_eq!(inline, profile);
        let once = parse("4 1\n8 2", "p", 1, Some(-1.0), Quality::Bandwidth).unwrap();
        assert_eq!(once.repeats_after, None);
    }

    #[test]
    fn comments_empty_lines_and_windows_line_ends_say_nothing() {
        let profile = read("# a comment\r\n\r\n% another\r\n 0\t1e9 \r\n").unwrap();
        assert_eq!(profile.points, [(0.0, 1e9)]);
        assert_eq!(profile.repeats_after, None);
    }

    #[test]
    fn a_state_and_a_latency_may_be_0_a_bandwidth_may_not() {
        assert!(parse("1 0\n2 1\n", "p", 1, None, Quality::State).is_ok());
        assert!(parse("1 0\n", "p", 1, None, Quality::Latency).is_ok());
        assert!(parse("1 0\n", "p", 1, None, Quality::Speed).is_ok());
        assert_eq!(
            read("1 0\n").unwrap_err().to_string(),
            "p:1:1: a bandwidth of 0 lets no flow end; take the link down with a state_file instead"
        );
    }

    #[test]
    fn faults_name_their_line() {
        for (text, expected) in [
            (
                "1 5\n1\n",
                r#"p:2:1: "1" is not a point; write a time in seconds and a value: 4.0 40000000"#,
            ),
            (
                "1 5 6\n",
                r#"p:1:1: "1 5 6" is not a point; write a time in seconds and a value: 4.0 40000000"#,
            ),
            (
                "1 inf\n",
                r#"p:1:1: "1 inf" is not a point; write a time in seconds and a value: 4.0 40000000"#,
            ),
            ("2 5\n1 5\n", "p:2:1: 1 s comes after 2 s; sort the lines by time"),
            ("-1 5\n", "p:1:1: a time of -1 s is negative; begin at 0 or later"),
            ("1 -5\n", "p:1:1: a value of -5 is negative; give 0 or more"),
            (
                "LOOPAFTR 3\n",
                r#"p:1:1: unknown instruction "LOOPAFTR"; did you mean "LOOPAFTER"?"#,
            ),
            (
                "LOOPAFTER\n",
                r#"p:1:1: "LOOPAFTER" is not an instruction to repeat; write it with a number of seconds: LOOPAFTER 8"#,
            ),
            (
                "1 5\nLOOPAFTER 3\nPERIODICITY 9\n",
                "p:3:1: both LOOPAFTER and a period; leave one of them out",
            ),
            (
                "LOOPAFTER 3\nLOOPAFTER 3\n",
                "p:2:1: a second LOOPAFTER; leave one of them out",
            ),
            (
                "0 5\nLOOPAFTER 0\n",
                "p:2:1: the points repeat after no time at all; repeat after more than 0 s",
            ),
            (
                "PERIODICITY 2\n3 5\n",
                "p:2:1: the period ends before the last point, at 3 s; make the period longer",
            ),
            (
                "STOCHASTIC LOOP\n",
                r#"p:1:1: a random profile ("STOCHASTIC") is not supported; give lines of a time and a value"#,
            ),
            (
                "# nothing\n",
                "p:1:1: a profile without a point; give at least one line of a time and a value",
            ),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), expected, "{text:?}");
        }
    }
}

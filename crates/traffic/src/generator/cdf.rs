//! A file of cumulative probabilities, from which sizes are drawn.

use packetloom_des::random::Stream;
use packetloom_params::Decimal;
use packetloom_params::decimal::Whole;
use serde::{Deserialize, Serialize};
use thiserror::Error;

#[cfg(test)]
mod tests;

/// The largest size of a file in bytes, 1 TB.
const LARGEST: u64 = 1_000_000_000_000;

/// A distribution of sizes as a rising line through points of cumulative probability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cdf {
    /// Sizes and probabilities do not fall, and each point differs from the one before; the last probability is 1.
    points: Vec<Point>,
}

/// A size and the probability of a size up to it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Point {
    /// In bytes.
    size: u64,
    /// From 0 to 1.
    cumulative: f64,
}

/// What is wrong with a file of cumulative probabilities, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {message}; {remedy}")]
pub struct CdfError {
    /// The line, from 1. For what is missing, it is the last line.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub remedy: String,
}

impl Cdf {
    /// Reads the text of a file.
    ///
    /// Each line has a size in whole bytes and the probability of a size up to it, apart by white space or a comma. What
    /// follows a `#` is a comment; empty lines mean nothing. Neither column falls from line to line, and the last
    /// probability is 1. Two lines with the same size give that size the probability between them; so does the first line
    /// if its probability is above 0.
    ///
    /// # Errors
    /// With the line at fault, when the text is no such file.
    pub fn parse(text: &str) -> Result<Cdf, CdfError> {
        let mut points: Vec<Point> = Vec::new();
        let mut last_line = 1;
        // Some editors begin a text with a mark of its byte order.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            if line.trim().is_empty() {
                continue;
            }
            last_line = number + 1;
            let point = point(line)
                .and_then(|point| follows(points.last(), point).map(|()| point))
                .map_err(|(message, remedy)| CdfError {
                    line: last_line,
                    message,
                    remedy,
                })?;
            points.push(point);
        }
        let fault = |message: String, remedy: &str| {
            Err(CdfError {
                line: last_line,
                message,
                remedy: remedy.to_owned(),
            })
        };
        match points.last() {
            None => fault(
                "the file has no points".to_owned(),
                "give lines of a size in bytes and a cumulative probability, such as \"1460 0.5\", the last of them with 1",
            ),
            Some(last) if last.cumulative < 1.0 => fault(
                format!("the last cumulative probability is {}", last.cumulative),
                "end with the largest size and 1",
            ),
            Some(_) => Ok(Cdf { points }),
        }
    }

    /// Draws a size in bytes: the line through the points is followed to the height of one random number from `[0, 1)`,
    /// and the size there is rounded to whole bytes, and is at least 1.
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        let height = stream.unit();
        // The last cumulative probability is 1, so there is always one above.
        let above = self.points.partition_point(|point| point.cumulative <= height);
        let to = self.points[above];
        let Some(from) = above.checked_sub(1).map(|below| self.points[below]) else {
            return to.size;
        };
        let share = (height - from.cumulative) / (to.cumulative - from.cumulative);
        let size = from.size as f64 + share * (to.size - from.size) as f64;
        (size.round() as u64).max(1)
    }

    /// Mean of the sizes drawn, in bytes.
    ///
    /// Between two points sizes are uniform, and their mean is the middle, also when they are rounded. Only sizes below
    /// half a byte become 1 rather than 0.
    pub fn mean(&self) -> f64 {
        let first = self.points[0];
        let mut mean = first.cumulative * first.size as f64;
        for pair in self.points.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let probability = to.cumulative - from.cumulative;
            mean += probability * (from.size as f64 + to.size as f64) / 2.0;
            if from.size == 0 {
                mean += probability * 0.5 / to.size as f64;
            }
        }
        mean
    }

    /// The smallest and the largest size that can be drawn, in bytes.
    pub fn range(&self) -> (u64, u64) {
        // Points at the ends over which the line does not rise are never drawn.
        let first = self.points.iter().rposition(|point| point.cumulative == 0.0);
        let last = self.points.partition_point(|point| point.cumulative < 1.0);
        (
            self.points[first.unwrap_or(0)].size.max(1),
            self.points[last].size,
        )
    }
}

/// A message and a remedy.
type Fault = (String, String);

/// A column in an error message: quoted, short, and without what a terminal would take for a command.
fn shown(column: &str) -> String {
    match column.char_indices().nth(40) {
        None => format!("{column:?}"),
        Some((end, _)) => format!("{:?}...", &column[..end]),
    }
}

/// The point that a line holds.
fn point(line: &str) -> Result<Point, Fault> {
    let columns: Vec<&str> = line
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|column| !column.is_empty())
        .collect();
    let [size, cumulative] = columns[..] else {
        return Err((
            format!("the number of columns is {}", columns.len()),
            "give two: a size in bytes and a cumulative probability".to_owned(),
        ));
    };
    let wrong_size = |what: &str| {
        (
            format!("the size {} is {what}", shown(size)),
            format!("give a whole number of bytes of at most {LARGEST}"),
        )
    };
    let size = match size.parse::<Decimal>() {
        Err(error) => return Err(wrong_size(&error.to_string())),
        Ok(number) if number.is_negative() => return Err(wrong_size("negative")),
        Ok(number) => match number.scale(1) {
            Whole::Exact(size) if size <= LARGEST => size,
            Whole::Fraction => return Err(wrong_size("not whole")),
            Whole::Exact(_) | Whole::TooLarge => return Err(wrong_size("too large")),
        },
    };
    let wrong_probability = |what: &str, remedy: &str| {
        (
            format!("the cumulative probability {} is {what}", shown(cumulative)),
            remedy.to_owned(),
        )
    };
    let cumulative = match cumulative.parse::<Decimal>().map(Decimal::as_f64) {
        Err(error) => {
            return Err(wrong_probability(&error.to_string(), "give a number from 0 to 1"));
        }
        Ok(number) if number < 0.0 => {
            return Err(wrong_probability("negative", "give a number from 0 to 1"));
        }
        Ok(number) if number > 1.0 => {
            return Err(wrong_probability(
                "above 1",
                "give a number from 0 to 1; 50 % is 0.5",
            ));
        }
        Ok(number) => number,
    };
    Ok(Point { size, cumulative })
}

/// Whether a point may follow the one before.
fn follows(before: Option<&Point>, point: Point) -> Result<(), Fault> {
    if point.size == 0 && point.cumulative > 0.0 {
        return Err((
            format!("size 0 has a probability of {}", point.cumulative),
            "sizes are at least 1 B: give 0 a cumulative probability of 0".to_owned(),
        ));
    }
    let Some(before) = before else { return Ok(()) };
    let falls = |what: &str, now: String, then: String| {
        Err((
            format!("the {what} is {now} after {then}"),
            "neither column may fall from line to line".to_owned(),
        ))
    };
    if point.size < before.size {
        return falls("size", point.size.to_string(), before.size.to_string());
    }
    if point.cumulative < before.cumulative {
        return falls(
            "cumulative probability",
            point.cumulative.to_string(),
            before.cumulative.to_string(),
        );
    }
    if point == *before {
        return Err((
            "both columns are those of the point before".to_owned(),
            "leave one of the two lines out".to_owned(),
        ));
    }
    Ok(())
}

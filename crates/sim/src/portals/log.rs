//! The log of operations: a CSV file with S4BXI's columns and codes, a row for each operation that ended, in the order of
//! ends and at one date of nodes.

use packetloom_portals::nic::{Kind, Logged};
use std::io::{self, Write};

/// The columns.
pub const HEADER: &str = "operation_type,initiator_nid,target_nid,start_time,end_time";

/// Writes the log.
pub struct OperationLog {
    out: Box<dyn Write>,
    /// Rows of the date that is not over
    rows: Vec<Row>,
    date: f64,
    text: String,
    failure: Option<io::Error>,
}

#[derive(Clone, Copy)]
struct Row {
    kind: Kind,
    initiator: u32,
    target: u32,
    start: f64,
}

impl OperationLog {
    /// A log into `out`, with its header written.
    ///
    /// # Errors
    ///
    /// What writing the header fails with.
    pub fn new(mut out: Box<dyn Write>) -> io::Result<Self> {
        writeln!(out, "{HEADER}")?;
        Ok(Self {
            out,
            rows: Vec::new(),
            date: 0.0,
            text: String::new(),
            failure: None,
        })
    }

    /// An operation has ended at `date`.
    pub(super) fn ended(&mut self, logged: Logged, date: f64) {
        if date > self.date {
            self.write_rows();
            self.date = date;
        }
        self.rows.push(Row {
            kind: logged.kind,
            initiator: logged.initiator,
            target: logged.target,
            start: logged.start,
        });
    }

    /// Writes what is left.
    ///
    /// # Errors
    ///
    /// The first failure of any write.
    pub fn finish(mut self) -> io::Result<()> {
        self.write_rows();
        match self.failure {
            Some(failure) => Err(failure),
            None => self.out.flush(),
        }
    }

    fn write_rows(&mut self) {
        self.rows.sort_by_key(|row| row.initiator);
        for row in self.rows.drain(..) {
            self.text.clear();
            self.text.push_str(itoa(row.kind as u32).as_str());
            self.text.push(',');
            self.text.push_str(itoa(row.initiator).as_str());
            self.text.push(',');
            self.text.push_str(itoa(row.target).as_str());
            self.text.push(',');
            push_seconds(&mut self.text, row.start);
            self.text.push(',');
            push_seconds(&mut self.text, self.date);
            self.text.push('\n');
            if self.failure.is_none()
                && let Err(failure) = self.out.write_all(self.text.as_bytes())
            {
                self.failure = Some(failure);
            }
        }
    }
}

fn itoa(number: u32) -> String {
    number.to_string()
}

/// Seconds as `%g` writes them with nine digits, or with more where nine would not tell picoseconds.
fn push_seconds(text: &mut String, seconds: f64) {
    use std::fmt::Write as _;
    if seconds == 0.0 {
        text.push('0');
        return;
    }
    // The exponent after rounding to nine digits; a picosecond is the digit behind exponent + 12 others.
    let rounded = format!("{seconds:.8e}");
    let exponent: i32 = rounded
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or(0);
    let digits = (exponent + 13).clamp(9, 17);
    let exact = format!("{seconds:.*e}", digits as usize - 1);
    let (mantissa, exponent) = exact.split_once('e').unwrap_or((&exact, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..digits).contains(&exponent) {
        let decimals = (digits - 1 - exponent).max(0) as usize;
        let fixed = format!("{seconds:.decimals$}");
        text.push_str(without_zeros(&fixed));
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(text, "{}e{sign}{:02}", without_zeros(mantissa), exponent.abs());
    }
}

fn without_zeros(number: &str) -> &str {
    if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(value: f64) -> String {
        let mut text = String::new();
        push_seconds(&mut text, value);
        text
    }

    #[test]
    fn rows_come_by_end_then_node_then_as_they_were_told() {
        let path = tempfile::NamedTempFile::new().expect("a file");
        let mut log = OperationLog::new(Box::new(path.reopen().expect("the file"))).expect("room");
        let row = |kind, initiator, start| Logged {
            kind,
            initiator,
            target: 9,
            start,
        };
        log.ended(row(Kind::Put, 7, 0.0), 1e-6);
        log.ended(row(Kind::Event, 2, 5e-7), 1e-6);
        log.ended(row(Kind::Command, 2, 0.0), 1e-6);
        log.ended(row(Kind::Compute, 1, 0.0), 2e-6);
        log.finish().expect("room");
        assert_eq!(
            std::fs::read_to_string(path.path()).expect("text"),
            "operation_type,initiator_nid,target_nid,start_time,end_time\n\
             12,2,9,5e-07,1e-06\n13,2,9,0,1e-06\n3,7,9,0,1e-06\n14,1,9,0,2e-06\n"
        );
    }

    #[test]
    fn a_full_disk_is_told_at_the_end() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 = self
                    .0
                    .checked_sub(bytes.len())
                    .ok_or(io::ErrorKind::StorageFull)?;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut log = OperationLog::new(Box::new(Full(HEADER.len() + 1))).expect("room for the header");
        let logged = Logged {
            kind: Kind::Put,
            initiator: 1,
            target: 2,
            start: 0.0,
        };
        log.ended(logged, 1e-6);
        let failure = log.finish().expect_err("no room");
        assert_eq!(failure.kind(), io::ErrorKind::StorageFull);
        assert!(OperationLog::new(Box::new(Full(3))).is_err());
    }

    #[test]
    fn seconds_have_nine_digits_as_in_the_traces() {
        assert_eq!(seconds(1e-9), "1e-09");
        assert_eq!(seconds(2.567_657_657_6e-7), "2.56765766e-07");
        assert_eq!(seconds(1.074_466_116_9e-5), "1.07446612e-05");
        assert_eq!(seconds(5.005e-5), "5.005e-05");
        assert_eq!(seconds(0.0), "0");
    }

    #[test]
    fn and_more_where_nine_do_not_tell_picoseconds() {
        // 9 digits of 1.5 ms end at 10 ps.
        assert_eq!(seconds(0.001_500_000_001), "0.001500000001");
        assert_eq!(seconds(10.000_000_000_002), "10.000000000002");
        assert_eq!(seconds(2.0), "2");
        assert_eq!(seconds(123.0), "123");
    }
}

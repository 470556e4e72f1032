//! The log of a simulation: a file of JSON objects, one a line.

use crate::time::{iso, now_ms};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The name of the file in the folder of the simulation.
pub const LOG_FILE: &str = "logs.jsonl";
/// The longest line, in bytes; what a message is longer is cut off.
const LONGEST: u64 = 64 << 10;

/// How grave it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// For whoever looks for a fault of the program.
    Debug,
    /// What goes as it should.
    Info,
    /// What may not be as meant.
    Warning,
    /// What went wrong.
    Error,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct LogLine {
    /// When.
    #[schema(format = DateTime)]
    pub timestamp: String,
    /// How grave.
    pub level: Level,
    /// Of what part.
    pub component: String,
    /// What.
    pub message: String,
}

/// The log in a folder.
#[derive(Clone, Debug)]
pub struct Log {
    path: PathBuf,
}

impl Log {
    /// The log in `folder`.
    pub fn of(folder: &Path) -> Log {
        Log {
            path: folder.join(LOG_FILE),
        }
    }

    /// Adds a line, whole or not at all as far as the system can do that.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&self, level: Level, component: &str, message: &str) -> io::Result<()> {
        let line = LogLine {
            timestamp: iso(now_ms()),
            level,
            component: component.to_owned(),
            message: message.chars().take(10_000).collect(),
        };
        let mut text = serde_json::to_string(&line)?;
        text.push('\n');
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(&self.path)?;
        // Behind a line that a full disk or a crash has torn, this one would be lost with it.
        if is_torn(&mut file)? {
            text.insert(0, '\n');
        }
        file.write_all(text.as_bytes())
    }

    /// Up to `most` lines from byte `from` on for which `wanted` holds, each with the place behind it.
    ///
    /// # Errors
    /// When the file is there but cannot be read.
    pub fn read(
        &self,
        from: u64,
        most: usize,
        wanted: impl Fn(&LogLine) -> bool,
    ) -> io::Result<Vec<(u64, LogLine)>> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            file => file?,
        };
        // A place behind the end comes from a forged cursor; one that no file can have is not even looked for.
        let from = from.min(file.metadata()?.len());
        file.seek(SeekFrom::Start(from))?;
        let mut reader = BufReader::new(file);
        let (mut at, mut found, mut line) = (from, Vec::new(), Vec::new());
        while found.len() < most {
            line.clear();
            let read = (&mut reader).take(LONGEST).read_until(b'\n', &mut line)?;
            at += read as u64;
            // A line that is being written has no end yet.
            if read == 0 || line.last() != Some(&b'\n') && (read as u64) < LONGEST {
                break;
            }
            if let Ok(line) = serde_json::from_slice::<LogLine>(&line)
                && wanted(&line)
            {
                found.push((at, line));
            }
        }
        Ok(found)
    }
}

/// Whether the last line of a file has no end.
fn is_torn(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_in_order_and_a_torn_one_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = Log::of(folder.path());
        assert_eq!(log.read(0, 10, |_| true).expect("read"), []);
        for (level, message) in [
            (Level::Info, "one"),
            (Level::Warning, "two\nlines"),
            (Level::Error, "three"),
        ] {
            log.add(level, "test", message).expect("written");
        }
        let mut file = OpenOptions::new()
            .append(true)
            .open(folder.path().join(LOG_FILE))
            .expect("open");
        file.write_all(b"{\"timestamp\": \"20").expect("written");
        let all = log.read(0, 10, |_| true).expect("read");
        let messages: Vec<&str> = all.iter().map(|(_, line)| line.message.as_str()).collect();
        assert_eq!(messages, ["one", "two\nlines", "three"]);
        let rest = log
            .read(all[0].0, 10, |line| line.level >= Level::Error)
            .expect("read");
        assert_eq!(rest.len(), 1);
        assert_eq!(rest[0].1.message, "three");
        assert_eq!(log.read(0, 2, |_| true).expect("read").len(), 2);
        // What comes behind it is whole.
        log.add(Level::Error, "test", "four").expect("written");
        let rest = log.read(all[2].0, 10, |_| true).expect("read");
        assert_eq!(rest.len(), 1);
        assert_eq!(rest[0].1.message, "four");
    }
}

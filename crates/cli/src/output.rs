//! Writing to the terminal, or whatever stands in its place, without falling over when it goes away.

use crate::failure::Failure;
use std::io::{self, Write};

/// Writes `text` to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    written(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// What came of writing to standard output.
///
/// A reader that has seen enough and left, as `head` does, is no failure.
pub fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Machine(format!(
            "cannot write to standard output: {error}; redirect it elsewhere"
        ))),
        _ => Ok(()),
    }
}

/// Writes a line to standard error. If that fails there is nobody left to tell.
pub fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

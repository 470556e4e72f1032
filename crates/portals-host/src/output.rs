//! What processes print: gathered in the order of (time, rank), and given to whoever shows it.

use std::io::{self, Write};

/// Which of a process's two output streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stream {
    /// `stdout`
    Out,
    /// `stderr`
    Err,
}

/// Takes what processes print, in the order of (time, rank).
pub trait Output {
    /// Bytes that a process printed at a time in seconds.
    ///
    /// # Errors
    ///
    /// When they cannot be shown; the run ends with it.
    fn write(&mut self, rank: u32, stream: Stream, bytes: &[u8], time: f64) -> io::Result<()>;

    /// The run is over: nothing more comes.
    ///
    /// # Errors
    ///
    /// As [`Output::write`].
    fn finish(&mut self) -> io::Result<()>;
}

/// Shows output as it is, or with `[rank] ` before each line; then a line is shown once it is whole.
///
/// A reader that has seen enough and left, as `head` does, is no failure: the run goes on, and what is left to show is dropped.
pub struct Terminal<Out, Err> {
    out: Out,
    err: Err,
    prefix: bool,
    /// Lines begun, by rank and stream
    begun: std::collections::BTreeMap<(u32, Stream), Vec<u8>>,
}

impl<Out: Write, Err: Write> Terminal<Out, Err> {
    /// Shows on `out` and `err`.
    pub fn new(out: Out, err: Err, prefix: bool) -> Self {
        Self {
            out,
            err,
            prefix,
            begun: std::collections::BTreeMap::new(),
        }
    }

    fn show(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        unless_gone(match stream {
            Stream::Out => self.out.write_all(bytes),
            Stream::Err => self.err.write_all(bytes),
        })
    }
}

impl<Out: Write, Err: Write> Output for Terminal<Out, Err> {
    fn write(&mut self, rank: u32, stream: Stream, bytes: &[u8], _: f64) -> io::Result<()> {
        if !self.prefix {
            return self.show(stream, bytes);
        }
        let mut line = self.begun.remove(&(rank, stream)).unwrap_or_default();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if line.is_empty() {
                line.extend_from_slice(format!("[{rank}] ").as_bytes());
            }
            line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.show(stream, &line)?;
                line.clear();
            }
        }
        if !line.is_empty() {
            self.begun.insert((rank, stream), line);
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        for ((_, stream), mut line) in std::mem::take(&mut self.begun) {
            line.push(b'\n');
            self.show(stream, &line)?;
        }
        unless_gone(self.out.flush())?;
        unless_gone(self.err.flush())
    }
}

/// What came of writing, if somebody reads.
fn unless_gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Output of one instant, until time moves on.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    bytes: Vec<u8>,
    /// Rank, stream, and the place in `bytes`
    pieces: Vec<(u32, Stream, std::ops::Range<usize>)>,
}

impl Collector {
    /// An empty one.
    pub(crate) const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            pieces: Vec::new(),
        }
    }

    /// Takes what a process prints.
    pub(crate) fn add(&mut self, rank: u32, stream: Stream, bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        match self.pieces.last_mut() {
            Some((last, of, range)) if (*last, *of) == (rank, stream) => range.end = self.bytes.len(),
            _ => self.pieces.push((rank, stream, start..self.bytes.len())),
        }
    }

    /// Whether nothing was printed since the last [`Collector::flush`].
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Gives what was printed to `output`, by rank, each rank's in the order in which it was printed.
    pub(crate) fn flush(&mut self, output: &mut impl Output, time: f64) -> io::Result<()> {
        self.pieces.sort_by_key(|(rank, ..)| *rank);
        for (rank, stream, range) in self.pieces.drain(..) {
            output.write(rank, stream, &self.bytes[range], time)?;
        }
        self.bytes.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(prefix: bool, pieces: &[(u32, Stream, &str)]) -> (String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut terminal = Terminal::new(&mut out, &mut err, prefix);
        for (rank, stream, text) in pieces {
            terminal.write(*rank, *stream, text.as_bytes(), 0.0).unwrap();
        }
        terminal.finish().unwrap();
        (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }

    #[test]
    fn with_a_prefix_lines_are_whole() {
        let pieces = [
            (0, Stream::Out, "a"),
            (1, Stream::Out, "x\ny"),
            (0, Stream::Err, "e\n"),
            (0, Stream::Out, "b\nc\n"),
        ];
        let (out, err) = shown(true, &pieces);
        assert_eq!(out, "[1] x\n[0] ab\n[0] c\n[1] y\n");
        assert_eq!(err, "[0] e\n");
    }

    #[test]
    fn without_a_prefix_bytes_are_shown_as_they_come() {
        let (out, _) = shown(
            false,
            &[
                (0, Stream::Out, "a"),
                (1, Stream::Out, "b"),
                (0, Stream::Out, "\n"),
            ],
        );
        assert_eq!(out, "ab\n");
    }

    #[test]
    fn output_of_an_instant_is_sorted_by_rank_and_keeps_the_order_of_a_rank() {
        let mut collector = Collector::default();
        collector.add(2, Stream::Out, b"c");
        collector.add(0, Stream::Out, b"a");
        collector.add(2, Stream::Err, b"d");
        collector.add(0, Stream::Out, b"b");
        let mut all = Vec::new();
        struct All<'a>(&'a mut Vec<(u32, Stream, Vec<u8>)>);
        impl Output for All<'_> {
            fn write(&mut self, rank: u32, stream: Stream, bytes: &[u8], _: f64) -> io::Result<()> {
                self.0.push((rank, stream, bytes.to_vec()));
                Ok(())
            }
            fn finish(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        collector.flush(&mut All(&mut all), 0.0).unwrap();
        let (out, err) = (Stream::Out, Stream::Err);
        assert_eq!(
            all,
            [
                (0, out, b"a".to_vec()),
                (0, out, b"b".to_vec()),
                (2, out, b"c".to_vec()),
                (2, err, b"d".to_vec())
            ]
        );
        assert!(collector.is_empty());
    }
}

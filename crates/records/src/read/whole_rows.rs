//! A file up to its last whole row.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};

/// How much is read at a time.
const CHUNK: usize = 256 * 1024;

/// Passes on what `source` gives up to the end of its last whole row. What is behind it, the beginning of a row that was
/// being written, is held back.
pub(crate) struct WholeRows<'a, R> {
    source: R,
    /// What has been read; from `start` to `end` it may be passed on.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Whether a quoted cell is open at the buffer's end.
    quoted: bool,
    finished: bool,
    /// Counts the bytes read, for whoever shows how far this is.
    progress: &'a AtomicU64,
}

impl<'a, R: Read> WholeRows<'a, R> {
    pub(crate) fn new(source: R, progress: &'a AtomicU64) -> Self {
        WholeRows {
            source,
            buffer: Vec::with_capacity(CHUNK),
            start: 0,
            end: 0,
            quoted: false,
            finished: false,
            progress,
        }
    }

    /// After the end: how many bytes of a torn row were held back.
    pub(crate) fn torn(&self) -> usize {
        if self.finished {
            self.buffer.len() - self.end
        } else {
            0
        }
    }

    /// Reads on until there is a whole row or nothing more.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.end -= self.start;
        self.start = 0;
        while self.end == 0 && !self.finished {
            let held = self.buffer.len();
            self.buffer.resize(held + CHUNK, 0);
            let read = match self.source.read(&mut self.buffer[held..]) {
                Ok(read) => read,
                Err(error) => {
                    self.buffer.truncate(held);
                    if error.kind() == io::ErrorKind::Interrupted {
                        continue;
                    }
                    return Err(error);
                }
            };
            self.buffer.truncate(held + read);
            self.progress.fetch_add(read as u64, Ordering::Relaxed);
            self.finished = read == 0;
            for (at, &byte) in self.buffer.iter().enumerate().skip(held) {
                match byte {
                    b'"' => self.quoted = !self.quoted,
                    b'\n' if !self.quoted => self.end = at + 1,
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for WholeRows<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.start == self.end {
            self.fill()?;
        }
        let size = out.len().min(self.end - self.start);
        out[..size].copy_from_slice(&self.buffer[self.start..self.start + size]);
        self.start += size;
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Gives `data` in pieces of at most `piece` bytes.
    struct Pieces<'a> {
        data: &'a [u8],
        piece: usize,
    }

    impl Read for Pieces<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let size = self.piece.min(self.data.len()).min(out.len());
            out[..size].copy_from_slice(&self.data[..size]);
            self.data = &self.data[size..];
            Ok(size)
        }
    }

    fn pass(data: &[u8], piece: usize) -> (Vec<u8>, usize) {
        let progress = AtomicU64::new(0);
        let mut rows = WholeRows::new(Pieces { data, piece }, &progress);
        let mut out = Vec::new();
        rows.read_to_end(&mut out).expect("read");
        assert_eq!(progress.load(Ordering::Relaxed), data.len() as u64);
        (out, rows.torn())
    }

    #[test]
    fn a_torn_row_is_held_back() {
        for piece in 1..20 {
            assert_eq!(pass(b"a,b\n1,2\n3,", piece), (b"a,b\n1,2\n".to_vec(), 2));
            assert_eq!(pass(b"a,b\n1,2\n", piece), (b"a,b\n1,2\n".to_vec(), 0));
            assert_eq!(pass(b"a,b", piece), (Vec::new(), 3));
            assert_eq!(pass(b"", piece), (Vec::new(), 0));
            // A line end within quotes ends no row.
            assert_eq!(pass(b"a\n\"x\ny", piece), (b"a\n".to_vec(), 4));
            assert_eq!(pass(b"a\n\"x\ny\"\n", piece), (b"a\n\"x\ny\"\n".to_vec(), 0));
        }
    }

    proptest! {
        #[test]
        fn whole_files_pass_as_they_are(rows in prop::collection::vec("[a-z,]{0,40}", 0..40), piece in 1..200usize) {
            let data: Vec<u8> = rows.iter().flat_map(|row| [row.as_bytes(), b"\n"].concat()).collect();
            prop_assert_eq!(pass(&data, piece), (data.clone(), 0));
        }
    }
}

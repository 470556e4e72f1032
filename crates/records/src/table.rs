//! One record's file: rows gather in a buffer, which goes out at a row's end.

use crate::error::RecordsError;
use crate::schema::{Row, Schema, Stamps};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A buffer this full goes out with the row that filled it.
const FLUSH_AT: usize = 64 * 1024;
/// Room for the row that fills it; a longer row only makes the buffer grow once.
const ROW_ROOM: usize = 4 * 1024;

/// What a table writes to.
pub(crate) trait Output {
    /// Writes some of `bytes`; how many it took.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;
    /// Cuts off what lies behind `length`.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
    /// Returns when the data is on the disk.
    fn sync(&mut self) -> io::Result<()>;
}

impl Output for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Write::write(self, bytes)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// A record's file.
///
/// **Invariant: the file ends with a whole row** whenever no write is under way. A write that fails takes back the part
/// of a row that it left.
#[derive(Debug)]
pub(crate) struct Table<O> {
    output: O,
    path: PathBuf,
    buffer: Vec<u8>,
    /// Length of the file.
    written: u64,
    /// Set by the first write that failed: nothing is written after it, or rows would be missing in between.
    failed: Option<io::ErrorKind>,
}

impl<O: Output> Table<O> {
    /// Starts the file with its header.
    pub(crate) fn new(output: O, path: PathBuf, schema: &Schema) -> Result<Self, RecordsError> {
        let mut buffer = Vec::with_capacity(FLUSH_AT + ROW_ROOM);
        buffer.extend_from_slice(schema.header().as_bytes());
        buffer.push(b'\n');
        let mut table = Table {
            output,
            path,
            buffer,
            written: 0,
            failed: None,
        };
        table.flush()?;
        Ok(table)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Length of the file.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    #[inline]
    pub(crate) fn put<R: Row>(&mut self, row: &R, stamps: &Stamps) -> Result<(), RecordsError> {
        row.put(stamps, &mut self.buffer);
        if self.buffer.len() >= FLUSH_AT {
            self.flush()?;
        }
        Ok(())
    }

    /// Hands all rows so far to the system.
    pub(crate) fn flush(&mut self) -> Result<(), RecordsError> {
        if let Some(kind) = self.failed {
            self.buffer.clear();
            return Err(RecordsError::io("write", &self.path)(kind.into()));
        }
        let mut done = 0;
        while done < self.buffer.len() {
            match self.output.write(&self.buffer[done..]) {
                Ok(0) => return Err(self.fail(done, io::ErrorKind::WriteZero.into())),
                Ok(taken) => done += taken,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.fail(done, error)),
            }
        }
        self.written += done as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Flushes, and returns when the rows are on the disk.
    pub(crate) fn sync(&mut self) -> Result<(), RecordsError> {
        self.flush()?;
        self.output.sync().map_err(RecordsError::io("sync", &self.path))
    }

    /// Ends the file with the last whole row of the `done` bytes that went out before `error`.
    #[cold]
    fn fail(&mut self, done: usize, error: io::Error) -> RecordsError {
        self.written += rows_end(&self.buffer[..done]) as u64;
        // If even this fails, the error at hand tells the user more than this one would.
        let _ = self.output.truncate(self.written);
        self.buffer.clear();
        self.failed = Some(error.kind());
        RecordsError::io("write", &self.path)(error)
    }
}

/// Where the last whole row in `bytes`, which starts with a row, ends.
fn rows_end(bytes: &[u8]) -> usize {
    let (mut end, mut quoted) = (0, false);
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => end = at + 1,
            _ => {}
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Seconds;
    use crate::schema::ApplicationReportRow;

    /// A disk with room for `room` bytes that takes at most `piece` at a time.
    struct SmallDisk {
        data: Vec<u8>,
        room: usize,
        piece: usize,
    }

    impl Output for SmallDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.piece).min(self.room - self.data.len());
            if taken == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.data.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn truncate(&mut self, length: u64) -> io::Result<()> {
            self.data.truncate(length as usize);
            Ok(())
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn row(node_id: u64) -> ApplicationReportRow<'static> {
        ApplicationReportRow {
            component_name: "a host, \"quoted\"\nover two lines",
            node_id,
            socket_type: "CLIENT",
            app_typeid: "ScalaRdmaApplication",
            app_name: "RdmaInitiator-P:0-R:0-S:0-R:0-C:0-1",
            dscp: 0,
            ect: 1,
            peer_node_id: 1,
        }
    }

    fn read(data: &[u8]) -> Vec<csv::StringRecord> {
        csv::Reader::from_reader(data)
            .records()
            .collect::<Result<_, _>>()
            .expect("whole rows")
    }

    #[test]
    fn a_full_disk_leaves_whole_rows() {
        let stamps = Stamps::new("demo");
        let mut header = Vec::new();
        for room in 200..900 {
            let disk = SmallDisk {
                data: Vec::new(),
                room,
                piece: 100,
            };
            let mut table =
                Table::new(disk, "demo.csv".into(), ApplicationReportRow::SCHEMA).expect("the header fits");
            if header.is_empty() {
                header = table.output.data.clone();
            }
            for n in 0..10 {
                table.put(&row(n), &stamps).expect("buffered");
            }
            let error = table.flush().expect_err("ten rows do not fit");
            assert!(!error.is_input());
            assert!(
                error.to_string().starts_with("cannot write demo.csv: "),
                "{error}"
            );
            assert!(error.to_string().contains("make room"), "{error}");

            let rows = read(&table.output.data);
            assert!(rows.iter().enumerate().all(|(n, row)| row[3] == n.to_string()));
            let one = (table.output.data.len() - header.len()) / rows.len().max(1);
            assert!(
                rows.is_empty() || table.output.data.len() + one > room,
                "a row that fitted was dropped"
            );

            // Later rows are refused: they would follow a gap.
            table.put(&row(99), &stamps).expect("buffered");
            assert!(table.flush().is_err());
            assert_eq!(read(&table.output.data).len(), rows.len());
        }
    }

    #[test]
    fn a_disk_without_room_for_the_header_is_an_error() {
        let disk = SmallDisk {
            data: Vec::new(),
            room: 10,
            piece: 100,
        };
        assert!(Table::new(disk, "demo.csv".into(), ApplicationReportRow::SCHEMA).is_err());
    }

    #[test]
    fn the_buffer_goes_out_by_itself_at_a_rows_end() {
        let disk = SmallDisk {
            data: Vec::new(),
            room: usize::MAX,
            piece: usize::MAX,
        };
        let mut table = Table::new(disk, "beacon.csv".into(), crate::BeaconRow::SCHEMA).expect("room");
        let stamps = Stamps::new("demo");
        let row = crate::BeaconRow {
            sim_time_sec: Seconds::from_ps(1),
            interval_duration_sec: Seconds::from_ps(1),
            tx_client: 0,
            rx_client: 0,
            tx_server: 0,
            rx_server: 0,
            rx_bytes_reader: 0,
            rx_bytes_writer: 0,
            goodput_reader_MB_per_sec: 0.0,
            goodput_writer_MB_per_sec: 0.0,
        };
        let mut sizes = std::collections::BTreeSet::new();
        for _ in 0..5000 {
            table.put(&row, &stamps).expect("room");
            sizes.insert(table.output.data.len());
            assert_eq!(table.output.data.last(), Some(&b'\n'));
        }
        assert!(sizes.len() > 2, "it went out in pieces: {sizes:?}");
    }
}

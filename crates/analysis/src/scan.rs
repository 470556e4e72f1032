//! Going through a file's rows.

use crate::inputs::{Input, Inputs};
use crate::summary::RecordSummary;
use packetloom_records::read::{Reader, RowRef};
use packetloom_records::{ReadError, Record};
use std::sync::atomic::{AtomicU64, Ordering};

/// How far reading has come, for whoever shows it meanwhile.
#[derive(Debug, Default)]
pub struct Progress {
    read: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Bytes read so far and bytes to read, which are 0 before the files are known.
    pub fn bytes(&self) -> (u64, u64) {
        (
            self.read.load(Ordering::Relaxed),
            self.total.load(Ordering::Relaxed),
        )
    }

    /// Says how many bytes there are to read.
    pub fn begin(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }
}

/// Records the summary is made of, in the order in which they are read.
pub(crate) const READ: &[Record] = &[
    Record::ApplicationReport,
    Record::TopologyReport,
    Record::RdmaPerf,
    Record::Perf,
    Record::Beacon,
    Record::NdStats,
    Record::TierHop,
    Record::EcnPfcStats,
    Record::RoceTransportStats,
    Record::TcpStats,
    Record::CpuMemStats,
];

/// The column of all records with the simulated time of a row, in seconds.
const TIME: &str = "sim_time_sec";

/// Reads files and keeps account of them.
pub(crate) struct Scan<'a> {
    inputs: &'a Inputs,
    progress: &'a Progress,
    /// Those that were read.
    pub records: Vec<RecordSummary>,
    /// The files with rows that have a time, and the latest of these, in picoseconds.
    pub ends: Vec<(String, u64)>,
    /// Whether to find these.
    wants_ends: bool,
}

impl<'a> Scan<'a> {
    pub fn new(inputs: &'a Inputs, progress: &'a Progress) -> Self {
        Scan {
            inputs,
            progress,
            records: Vec::new(),
            ends: Vec::new(),
            // Only of a run without an end they tell something.
            wants_ends: inputs.run.as_ref().is_some_and(|run| run.ended.is_none()),
        }
    }

    /// Gives every row of a record's files to `take`, shard after shard, with the columns in `wanted`. Whether there is a
    /// file with a header.
    pub fn rows(
        &mut self,
        record: Record,
        wanted: &[usize],
        mut take: impl FnMut(&Input, RowRef<'_>) -> Result<(), ReadError>,
    ) -> Result<bool, ReadError> {
        let mut any = false;
        let columns = record.schema().columns;
        let time = wanted.iter().copied().find(|&at| columns[at].name == TIME);
        let time = time.filter(|_| self.wants_ends);
        for input in self.inputs.of(record) {
            let mut reader = Reader::open(
                &input.path,
                record,
                input.name.format,
                wanted,
                &self.progress.read,
            )?;
            let (mut rows, mut end) = (0, None);
            while let Some(row) = reader.next_row()? {
                take(input, row)?;
                rows += 1;
                if let Some(time) = time {
                    end = end.max(Some(row.scaled(time, 12)?));
                }
            }
            // Neither an empty file nor one that ends in its header tells anything, not even that nothing happened.
            any |= rows > 0 || input.bytes > 0 && !reader.torn();
            let summary = RecordSummary::new(input, Some(rows), reader.torn());
            self.ends.extend(end.map(|end| (summary.file.clone(), end)));
            self.records.push(summary);
        }
        Ok(any)
    }
}

/// Names the columns of a record that a file reads: constants with their places, and `WANTED` with all of them.
macro_rules! columns {
    ($record:ident: $($name:ident = $column:literal,)+) => {
        $(const $name: usize = packetloom_records::Record::$record.schema().at($column);)+
        const WANTED: &[usize] = &[$($name),+];
    };
}

pub(crate) use columns;

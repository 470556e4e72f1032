//! How record files are named.

use crate::schema::Record;

/// How a record file is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Text, a row a line.
    Csv,
    /// Apache Parquet: columns, compressed.
    Parquet,
}

impl Format {
    /// What the file's name ends with, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Parquet => "parquet",
        }
    }
}

/// What the name of a record file says: `{simulation}-{record}-{shard}.{csv|parquet}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName {
    /// The simulation.
    pub simulation: String,
    /// The record.
    pub record: Record,
    /// The shard.
    pub shard: u32,
    /// The format.
    pub format: Format,
}

impl FileName {
    /// Takes `name` apart; nothing if it is not that of a record file.
    pub fn parse(name: &str) -> Option<FileName> {
        let (format, stem) = [Format::Csv, Format::Parquet].into_iter().find_map(|format| {
            let stem = name.strip_suffix(format.extension())?.strip_suffix('.')?;
            Some((format, stem))
        })?;
        let (stem, shard) = stem.rsplit_once('-')?;
        if !shard.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let shard = shard.parse().ok()?;
        // The longest: a record's name may end with that of another.
        let record = Record::ALL
            .iter()
            .copied()
            .filter(|record| simulation(stem, *record).is_some())
            .max_by_key(|record| record.name().len())?;
        Some(FileName {
            simulation: simulation(stem, record)?.to_owned(),
            record,
            shard,
            format,
        })
    }
}

/// What stands before the record's name in `stem`.
fn simulation(stem: &str, record: Record) -> Option<&str> {
    stem.strip_suffix(record.name())?.strip_suffix('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let name = FileName::parse("my-sim-2026-03-17-nd-stats-12.csv").expect("a record");
        assert_eq!(
            name,
            FileName {
                simulation: "my-sim-2026-03-17".to_owned(),
                record: Record::NdStats,
                shard: 12,
                format: Format::Csv,
            }
        );
        let name = FileName::parse("a-rdma-perf-0.parquet").expect("a record");
        assert_eq!((name.record, name.format), (Record::RdmaPerf, Format::Parquet));
    }

    #[test]
    fn other_names_are_not() {
        for name in [
            "notes.csv",
            "beacon.csv",
            "beacon-0.csv",
            "a-beacon.csv",
            "a-beacon-.csv",
            "a-beacon-x.csv",
            "a-beacon-+1.csv",
            "a-beacon-99999999999.csv",
            "a-beacon-0.csv.gz",
            "a-beacon-0.parquet.part",
            "a-beacons-0.csv",
            "abeacon-0.csv",
        ] {
            assert_eq!(FileName::parse(name), None, "{name}");
        }
    }
}

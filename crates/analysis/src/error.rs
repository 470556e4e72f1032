//! Why records cannot be summed up.

use packetloom_records::ReadError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why records cannot be summed up.
#[derive(Debug, Error)]
pub enum AnalysisError {
    /// There is nothing of that name.
    #[error("there is no {}; give the folder that --out named, or files of it", .0.display())]
    Missing(PathBuf),
    /// The folder holds no records.
    #[error(
        "{} holds no records, which are files named SIMULATION-RECORD-SHARD.csv; give the folder that --out named",
        .0.display()
    )]
    NoRecords(PathBuf),
    /// A file that was named is no record.
    #[error("{} is no record, which is a file named SIMULATION-RECORD-SHARD.csv of a record there is", .0.display())]
    NotARecord(PathBuf),
    /// The files are of several runs.
    #[error("these are records of several simulations ({}); give the files of one, such as {folder}/{}-*", .names.join(", "), .names[0])]
    SeveralSimulations {
        /// Their names, sorted.
        names: Vec<String>,
        /// A folder that holds some of them.
        folder: String,
    },
    /// The same part of a run is there twice.
    #[error("{} and {} are both {record} of shard {shard}; give the files of one run", .paths[0].display(), .paths[1].display())]
    Twice {
        /// The record.
        record: &'static str,
        /// The shard.
        shard: u32,
        /// The files.
        paths: [PathBuf; 2],
    },
    /// The window's end comes before its start.
    #[error("the window ends at {to} s, before it starts at {from} s; give a --to that is not below --from")]
    Window {
        /// Its start in seconds.
        from: String,
        /// Its end in seconds.
        to: String,
    },
    /// The window starts after the run ended.
    #[error(
        "the records end at {end} s, before the window starts at {from} s; give a --from that is not above that"
    )]
    Beyond {
        /// Their end in seconds.
        end: String,
        /// The window's start in seconds.
        from: String,
    },
    /// A file cannot be read, or is not what it should be.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A folder cannot be read.
    #[error("cannot read {}: {source}; check that it may be read", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl AnalysisError {
    /// Whether other input would have worked; otherwise the machine failed.
    pub fn is_input(&self) -> bool {
        match self {
            AnalysisError::Read(error) => error.is_input(),
            AnalysisError::Folder { .. } => false,
            _ => true,
        }
    }
}

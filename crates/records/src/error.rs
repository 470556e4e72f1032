//! What can go wrong with record files.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why record files could not be made or written.
#[derive(Debug, Error)]
pub enum RecordsError {
    /// The folder has records of an earlier run.
    #[error("{} holds records already ({file}); choose another --out", .folder.display())]
    Used {
        /// The folder.
        folder: PathBuf,
        /// The name of one record found in it.
        file: String,
    },
    /// Something else stands where the folder should be.
    #[error("{} is not a folder; choose another --out", .0.display())]
    NotAFolder(PathBuf),
    /// A symbolic link without a target stands where the folder should be, or above it.
    #[error("{} is a link that leads nowhere; choose another --out, or create what it points to", .0.display())]
    DeadLink(PathBuf),
    /// The simulation's name cannot be part of a file name.
    #[error("the simulation's name {name:?} {problem}; choose another --name")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// `SOURCE_DATE_EPOCH` is not a number of seconds.
    #[error(
        "SOURCE_DATE_EPOCH is {0:?}; set it to whole seconds since 1970 (up to 253402300799), or unset it"
    )]
    SourceDateEpoch(String),
    /// Parquet is wanted of a build that cannot write it.
    #[error("{NO_PARQUET}; or leave parquet out of --format")]
    NoParquet,
    /// A file just written cannot be made into another.
    #[error("cannot make a Parquet file of {}: {message}; the CSV file stays", .path.display())]
    Convert {
        /// The CSV file.
        path: PathBuf,
        /// What went wrong.
        message: String,
    },
    /// The machine refused.
    #[error("cannot {action} {}: {source}; {}", .path.display(), remedy(.source))]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Why a record file could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It holds something else than it should.
    #[error("{}{}: {message}", .path.display(), place(.line))]
    Content {
        /// The file.
        path: PathBuf,
        /// The line in it, from 1, where that says something.
        line: Option<u64>,
        /// What is wrong and what would be right.
        message: String,
    },
    /// It is Parquet, which this build cannot read.
    #[error("{} is a Parquet file: {NO_PARQUET}", .0.display())]
    NoParquet(PathBuf),
    /// The machine refused.
    #[error("cannot read {}: {source}; check that it is there and may be read", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What a build without Parquet says to whoever asks for it.
pub const NO_PARQUET: &str =
    "this build has no Parquet; build it with: cargo build --release --features parquet";

fn place(line: &Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(":{line}"))
}

impl ReadError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| ReadError::Io { path, source }
    }

    /// Whether other input would have worked; otherwise the machine failed.
    pub fn is_input(&self) -> bool {
        match self {
            ReadError::Content { .. } | ReadError::NoParquet(_) => true,
            // A file that is not there is not what was meant.
            ReadError::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
        }
    }
}

impl RecordsError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| RecordsError::Io { action, path, source }
    }

    /// Whether other input would have worked; otherwise the machine failed.
    pub fn is_input(&self) -> bool {
        !matches!(self, RecordsError::Io { .. } | RecordsError::Convert { .. })
    }
}

/// What the user can do about `error`.
fn remedy(error: &io::Error) -> &'static str {
    use io::ErrorKind::*;
    match error.kind() {
        PermissionDenied | ReadOnlyFilesystem => "choose a folder with --out that you may write to",
        StorageFull | QuotaExceeded | FileTooLarge | WriteZero => {
            "make room, or choose a larger disk with --out"
        }
        NotFound => "choose a folder with --out that can be created",
        _ => "check the disk, or choose another folder with --out",
    }
}

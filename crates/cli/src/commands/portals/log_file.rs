//! The file of the log of operations: there whole or not at all.

use crate::failure::Failure;
use packetloom_sim::portals::OperationLog;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Its name, in the folder of --log.
const NAME: &str = "operations.csv";

/// The log while it is written: under another name until it is whole, and gone when dropped before.
pub struct LogFile {
    file: NamedTempFile,
    path: PathBuf,
    /// Behind the file, which must be gone before
    _made: Made,
}

/// The folder, if it was made for the log: it goes when nothing is in it.
struct Made(Option<PathBuf>);

impl Drop for Made {
    fn drop(&mut self) {
        self.0.take().map(fs::remove_dir);
    }
}

impl LogFile {
    /// An empty one in `folder`, which is made if it is not there.
    pub fn begin(folder: &Path) -> Result<Self, Failure> {
        let failed = |error: io::Error| {
            Failure::Machine(format!(
                "cannot make a log in {}: {error}; name a folder that can be written to with --log",
                folder.display()
            ))
        };
        let made = Made((!folder.exists()).then(|| folder.to_owned()));
        fs::create_dir_all(folder).map_err(failed)?;
        let path = folder.join(NAME);
        if path.exists() {
            return Err(Failure::Input(format!(
                "{} is there already; name another folder with --log",
                path.display()
            )));
        }
        // As any new file: its owner alone decides who reads it.
        let file = tempfile::Builder::new()
            .prefix(".operations-")
            .permissions(fs::Permissions::from_mode(0o666))
            .tempfile_in(folder)
            .map_err(failed)?;
        Ok(Self {
            file,
            path,
            _made: made,
        })
    }

    /// What writes it.
    pub fn writer(&self) -> Result<OperationLog, Failure> {
        let failed = |error: io::Error| self.failed(&error);
        let file: File = self.file.reopen().map_err(failed)?;
        OperationLog::new(Box::new(BufWriter::with_capacity(1 << 16, file))).map_err(failed)
    }

    /// The run is over: the log gets its name.
    pub fn finish(self, rows: OperationLog) -> Result<(), Failure> {
        rows.finish().map_err(|error| self.failed(&error))?;
        let Self { file, path, .. } = self;
        file.persist(&path).map_err(|error| failed(&path, &error.error))?;
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> Failure {
        failed(&self.path, error)
    }
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::Machine(format!(
        "cannot write {}: {error}; make room, or name another folder with --log",
        path.display()
    ))
}

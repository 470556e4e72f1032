//! The files of one run and shard.

use crate::clock::Clock;
use crate::error::RecordsError;
use crate::file_name::FileName;
use crate::format::Formats;
use crate::name::check_simulation_name;
use crate::run_file::{self, RunFile};
use crate::schema::{Record, Row, Stamps};
use crate::table::Table;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

/// How many rows go by between two looks at the clock: a look costs about as much as a cell.
const ROWS_A_TICK: u32 = 64;

/// The record files of one run and shard, each named `{simulation}-{record}-{shard}.csv`.
///
/// Rows gather in memory and go out many at a time, always up to a row's end, so a run that is killed leaves files that
/// read well up to their last row. Dropping it hands the last rows to the system; [`flush_and_sync`] also tells whether
/// that worked.
///
/// [`flush_and_sync`]: RecordFiles::flush_and_sync
#[derive(Debug)]
pub struct RecordFiles {
    /// By `Record as usize`; absent for a record that is off.
    tables: Vec<Option<Table<File>>>,
    stamps: Stamps,
    clock: Clock,
    rows_to_tick: u32,
    folder: PathBuf,
    /// The file of the run, once it is written.
    run_file: Option<PathBuf>,
    /// The document as it ran, once it is written.
    document: Option<PathBuf>,
    /// Parquet files, once they are made.
    converted: Vec<PathBuf>,
    /// Folders this run made, outermost first.
    created_folders: Vec<PathBuf>,
}

impl RecordFiles {
    /// Creates the files of `records` in `folder`, which is created if missing and must hold no records yet.
    ///
    /// On an error nothing is left behind.
    pub fn create(
        folder: &Path,
        simulation: &str,
        shard: u32,
        records: &[Record],
    ) -> Result<Self, RecordsError> {
        check_simulation_name(simulation)?;
        let clock = Clock::from_environment()?;
        let created_folders = create_folder(folder)?;
        let mut files = RecordFiles {
            tables: Record::ALL.iter().map(|_| None).collect(),
            stamps: Stamps {
                time_utc: clock.text(),
                ..Stamps::new(simulation)
            },
            clock,
            rows_to_tick: ROWS_A_TICK,
            folder: folder.to_owned(),
            run_file: None,
            document: None,
            converted: Vec::new(),
            created_folders,
        };
        match files.create_tables(folder, simulation, shard, records) {
            Ok(()) => Ok(files),
            Err(error) => {
                files.abort();
                Err(error)
            }
        }
    }

    fn create_tables(
        &mut self,
        folder: &Path,
        simulation: &str,
        shard: u32,
        records: &[Record],
    ) -> Result<(), RecordsError> {
        if let Some(file) = find_record(folder)? {
            return Err(RecordsError::Used {
                folder: folder.to_owned(),
                file,
            });
        }
        for &record in records {
            let path = folder.join(format!("{simulation}-{}-{shard}.csv", record.name()));
            // Another run may have been started on the same folder a moment ago: only one of the two gets the file.
            let file = File::create_new(&path).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => used(folder, &path),
                _ => RecordsError::io("create", &path)(error),
            })?;
            match Table::new(file, path.clone(), record.schema()) {
                Ok(table) => self.tables[record as usize] = Some(table),
                Err(error) => {
                    // It is not in `tables` yet, so `abort` would miss it. Its own error matters more.
                    let _ = fs::remove_file(&path);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Whether `record` is written; rows of one that is not are ignored.
    pub fn writes(&self, record: Record) -> bool {
        self.tables[record as usize].is_some()
    }

    /// Names of the files: the CSV ones in the order of [`Record::ALL`], the Parquet ones, that of the run.
    pub fn names(&self) -> Vec<String> {
        let tables = self.tables.iter().flatten().map(Table::path);
        let others = self
            .converted
            .iter()
            .chain(&self.document)
            .chain(&self.run_file)
            .map(PathBuf::as_path);
        let names = tables.chain(others).filter_map(Path::file_name);
        names.map(|name| name.to_string_lossy().into_owned()).collect()
    }

    /// Writes the file that says what the run was, in place of an earlier one of this run.
    pub fn describe(&mut self, run: &RunFile) -> Result<(), RecordsError> {
        let path = run_file::path(&self.folder, &run.simulation);
        if self.run_file.is_none() && path.exists() {
            return Err(used(&self.folder, &path));
        }
        run.write(&path)?;
        self.run_file = Some(path);
        Ok(())
    }

    /// Writes the document of the run beside its records, as `{simulation}-configuration.json`.
    ///
    /// # Errors
    /// When it cannot be written, or there is such a file already.
    pub fn document(&mut self, simulation: &str, text: &str) -> Result<(), RecordsError> {
        let path = self.folder.join(format!("{simulation}-configuration.json"));
        if path.exists() {
            return Err(used(&self.folder, &path));
        }
        run_file::write_whole(&path, text)?;
        self.document = Some(path);
        Ok(())
    }

    /// Bytes in the CSV files, as far as rows have been handed to the system.
    pub fn bytes(&self) -> u64 {
        self.tables.iter().flatten().map(Table::written).sum()
    }

    /// Makes the files complete in the formats that are wanted. `progress` counts the bytes of CSV files that have been made
    /// into Parquet ones.
    ///
    /// # Errors
    /// When a file cannot be written. The CSV file of one that cannot be made stays.
    pub fn finish(&mut self, formats: Formats, progress: &AtomicU64) -> Result<(), RecordsError> {
        self.flush_and_sync()?;
        if !formats.parquet {
            return Ok(());
        }
        for (&record, table) in Record::ALL.iter().zip(&mut self.tables) {
            let Some(csv) = table.as_ref().map(Table::path) else {
                continue;
            };
            self.converted.push(convert(csv, record, progress)?);
            if !formats.csv {
                fs::remove_file(csv).map_err(RecordsError::io("remove", csv))?;
                *table = None;
            }
        }
        Ok(())
    }

    /// Writes `row`, if its record is written.
    #[inline]
    pub fn write<R: Row>(&mut self, row: &R) -> Result<(), RecordsError> {
        let Some(table) = &mut self.tables[R::RECORD as usize] else {
            return Ok(());
        };
        table.put(row, &self.stamps)?;
        self.rows_to_tick -= 1;
        if self.rows_to_tick == 0 {
            self.tick();
        }
        Ok(())
    }

    /// Brings the wall-clock time of the next rows up to date.
    ///
    /// It is looked at every few rows anyway; call it before the rows of a periodic report, which may come long after
    /// the row before them.
    pub fn tick(&mut self) {
        self.rows_to_tick = ROWS_A_TICK;
        if let Some(text) = self.clock.tick() {
            self.stamps.time_utc = text;
        }
    }

    /// Hands all rows so far to the system, so that a reader of the files sees them.
    pub fn flush(&mut self) -> Result<(), RecordsError> {
        self.tables.iter_mut().flatten().try_for_each(Table::flush)
    }

    /// Flushes, and returns when all rows are on the disk.
    pub fn flush_and_sync(&mut self) -> Result<(), RecordsError> {
        self.tables.iter_mut().flatten().try_for_each(Table::sync)
    }

    /// Removes the files, and the folder if this run created it: for a run that fails before its first event.
    pub fn abort(mut self) {
        for table in self.tables.drain(..).flatten() {
            // What cannot be removed stays; the run's own error is the one to show.
            let _ = fs::remove_file(table.path());
        }
        for path in self.document.iter().chain(&self.run_file) {
            let _ = fs::remove_file(path);
        }
        remove_folders(&self.created_folders);
    }
}

impl Drop for RecordFiles {
    fn drop(&mut self) {
        for table in self.tables.iter_mut().flatten() {
            // Whoever cares for the error has called `flush_and_sync`; a table that failed refuses again here.
            let _ = table.flush();
        }
    }
}

/// Creates `folder` and what is missing above it; those created, outermost first.
fn create_folder(folder: &Path) -> Result<Vec<PathBuf>, RecordsError> {
    let missing: Vec<&Path> = folder
        .ancestors()
        .filter(|f| !f.as_os_str().is_empty())
        .take_while(|f| !f.exists())
        .collect();
    let mut created = Vec::new();
    for folder in missing.into_iter().rev() {
        match fs::create_dir(folder) {
            Ok(()) => created.push(folder.to_owned()),
            // Somebody else was faster, or it is `..` of a folder just made.
            Err(_) if folder.is_dir() => {}
            Err(error) => {
                remove_folders(&created);
                return Err(match error.kind() {
                    io::ErrorKind::NotADirectory => RecordsError::NotAFolder(folder.to_owned()),
                    // Something is there, though `exists`, which follows links, did not find it.
                    io::ErrorKind::AlreadyExists if folder.is_symlink() => {
                        RecordsError::DeadLink(folder.to_owned())
                    }
                    _ => RecordsError::io("create the folder", folder)(error),
                });
            }
        }
    }
    if folder.is_dir() {
        Ok(created)
    } else {
        Err(RecordsError::NotAFolder(folder.to_owned()))
    }
}

/// Removes those of `folders`, outermost first, that are empty.
fn remove_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        // One that holds something else by now stays.
        let _ = fs::remove_dir(folder);
    }
}

/// The name of some record file in `folder`, if there is one.
fn find_record(folder: &Path) -> Result<Option<String>, RecordsError> {
    let read = || -> io::Result<Option<String>> {
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if FileName::parse(&name).is_some() {
                return Ok(Some(name));
            }
        }
        Ok(None)
    };
    read().map_err(RecordsError::io("read the folder", folder))
}

/// `folder` holds `path`, a file of another run.
fn used(folder: &Path, path: &Path) -> RecordsError {
    let file = path.file_name().unwrap_or_default();
    RecordsError::Used {
        folder: folder.to_owned(),
        file: file.to_string_lossy().into_owned(),
    }
}

#[cfg(feature = "parquet")]
use crate::parquet::write_parquet as convert;

/// Without Parquet there is no conversion to ask for.
#[cfg(not(feature = "parquet"))]
fn convert(_: &Path, _: Record, _: &AtomicU64) -> Result<PathBuf, RecordsError> {
    Err(RecordsError::NoParquet)
}

#[cfg(test)]
mod tests;

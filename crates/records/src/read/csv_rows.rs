//! Rows of a CSV file.

use super::whole_rows::WholeRows;
use crate::error::ReadError;
use crate::schema::Schema;
use csv::{ByteRecord, ErrorKind};
use std::fs::File;
use std::path::Path;
use std::sync::atomic::AtomicU64;

/// Rows of a CSV file, up to its last whole one.
pub(super) struct CsvRows<'a> {
    reader: csv::Reader<WholeRows<'a, File>>,
}

impl<'a> CsvRows<'a> {
    pub(super) fn open(path: &Path, schema: &Schema, progress: &'a AtomicU64) -> Result<Self, ReadError> {
        let file = File::open(path).map_err(ReadError::io(path))?;
        let mut reader = csv::Reader::from_reader(WholeRows::new(file, progress));
        let header = reader.byte_headers().map_err(|error| convert(path, error))?;
        // A file that ends before its header does has no rows.
        if !header.is_empty() {
            check(path, schema, header)?;
        }
        Ok(CsvRows { reader })
    }

    pub(super) fn next(&mut self, path: &Path, cells: &mut ByteRecord) -> Result<bool, ReadError> {
        self.reader
            .read_byte_record(cells)
            .map_err(|error| convert(path, error))
    }

    pub(super) fn torn(&self) -> bool {
        self.reader.get_ref().torn() > 0
    }
}

/// Whether the header is the record's.
fn check(path: &Path, schema: &Schema, header: &ByteRecord) -> Result<(), ReadError> {
    let wrong = |message: String| {
        Err(ReadError::Content {
            path: path.to_owned(),
            line: Some(1),
            message,
        })
    };
    for (at, column) in schema.columns.iter().enumerate() {
        let found = header.get(at).map(String::from_utf8_lossy);
        match found {
            Some(found) if found == column.name => {}
            Some(found) => {
                let found: String = found.chars().take(60).collect();
                return wrong(format!(
                    "the header's column {} is {found:?}; in {} it must be {:?}",
                    at + 1,
                    schema.name,
                    column.name
                ));
            }
            None => {
                return wrong(format!(
                    "the header ends before column {}; in {} it must be {:?}",
                    at + 1,
                    schema.name,
                    column.name
                ));
            }
        }
    }
    if header.len() > schema.columns.len() {
        return wrong(format!(
            "the header has {} columns; {} has {}",
            header.len(),
            schema.name,
            schema.columns.len()
        ));
    }
    Ok(())
}

#[cold]
fn convert(path: &Path, error: csv::Error) -> ReadError {
    let line = error.position().map(csv::Position::line);
    let message = error.to_string();
    match error.into_kind() {
        ErrorKind::Io(source) => ReadError::io(path)(source),
        ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => ReadError::Content {
            path: path.to_owned(),
            line,
            message: format!("the row has {len} cells; it must have {expected_len}, as the header does"),
        },
        _ => ReadError::Content {
            path: path.to_owned(),
            line,
            message,
        },
    }
}

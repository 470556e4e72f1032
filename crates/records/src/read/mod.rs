//! Reading records back, whatever they are stored as.
//!
//! A [`Reader`] gives a file's rows one after another and holds no more of it than a buffer. Columns are named by their
//! place in the record's schema, which [`Schema::at`] finds when the program is compiled:
//!
//! ```
//! use packetloom_records::Record;
//!
//! const COMPLETED: usize = Record::Beacon.schema().at("rx_client");
//! assert_eq!(Record::Beacon.schema().columns[COMPLETED].unit, "");
//! ```

mod csv_rows;
mod whole_rows;

#[cfg(feature = "parquet")]
mod parquet_rows;

use crate::error::ReadError;
use crate::file_name::Format;
use crate::parse;
use crate::schema::{Record, Schema};
use csv::ByteRecord;
use csv_rows::CsvRows;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

#[cfg(feature = "parquet")]
use parquet_rows::ParquetRows;

/// Reads the rows of one file.
pub struct Reader<'a> {
    path: PathBuf,
    schema: &'static Schema,
    rows: Rows<'a>,
    cells: ByteRecord,
}

enum Rows<'a> {
    Csv(Box<CsvRows<'a>>),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetRows<'a>>),
}

impl<'a> Reader<'a> {
    /// Opens a file of `record`, of which only the columns in `wanted` will be asked for. `progress` counts the bytes read.
    ///
    /// # Errors
    /// When it cannot be read, or its columns are not those of the record.
    pub fn open(
        path: &Path,
        record: Record,
        format: Format,
        wanted: &[usize],
        progress: &'a AtomicU64,
    ) -> Result<Self, ReadError> {
        let schema = record.schema();
        let rows = match format {
            // Finding the ends of cells that nobody wants costs nothing worth saving.
            Format::Csv => Rows::Csv(Box::new(CsvRows::open(path, schema, progress)?)),
            #[cfg(feature = "parquet")]
            Format::Parquet => Rows::Parquet(Box::new(ParquetRows::open(path, schema, wanted, progress)?)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => {
                let _ = wanted;
                return Err(ReadError::NoParquet(path.to_owned()));
            }
        };
        Ok(Reader {
            path: path.to_owned(),
            schema,
            rows,
            cells: ByteRecord::new(),
        })
    }

    /// The next row.
    ///
    /// # Errors
    /// When the file cannot be read on, or a row does not have the record's number of cells.
    pub fn next_row(&mut self) -> Result<Option<RowRef<'_>>, ReadError> {
        let more = match &mut self.rows {
            Rows::Csv(rows) => rows.next(&self.path, &mut self.cells)?,
            #[cfg(feature = "parquet")]
            Rows::Parquet(rows) => rows.next(&self.path, &mut self.cells)?,
        };
        Ok(more.then_some(RowRef {
            path: &self.path,
            schema: self.schema,
            cells: &self.cells,
        }))
    }

    /// Whether the file, read to its end, ended in the middle of a row, which was left out.
    pub fn torn(&self) -> bool {
        match &self.rows {
            Rows::Csv(rows) => rows.torn(),
            #[cfg(feature = "parquet")]
            Rows::Parquet(_) => false,
        }
    }
}

/// A row of a file.
#[derive(Clone, Copy, Debug)]
pub struct RowRef<'a> {
    path: &'a Path,
    schema: &'static Schema,
    cells: &'a ByteRecord,
}

impl<'a> RowRef<'a> {
    /// The text in column `column`.
    pub fn text(&self, column: usize) -> &'a [u8] {
        &self.cells[column]
    }

    /// The whole number in column `column`.
    ///
    /// # Errors
    /// When it is none.
    pub fn count(&self, column: usize) -> Result<u64, ReadError> {
        parse::count(self.text(column)).ok_or_else(|| self.fault(column, "a whole number from 0 on"))
    }

    /// The number in column `column`.
    ///
    /// # Errors
    /// When it is none.
    pub fn number(&self, column: usize) -> Result<f64, ReadError> {
        parse::number(self.text(column)).ok_or_else(|| self.fault(column, "a number"))
    }

    /// The whole number in column `column`, which may be negative.
    ///
    /// # Errors
    /// When it is none.
    pub fn integer(&self, column: usize) -> Result<i64, ReadError> {
        let text = std::str::from_utf8(self.text(column)).ok();
        text.and_then(|text| text.parse().ok())
            .ok_or_else(|| self.fault(column, "a whole number"))
    }

    /// The number in column `column` in units of `10^-digits` of the column's unit.
    ///
    /// # Errors
    /// When it is none, is negative, or is too large.
    pub fn scaled(&self, column: usize, digits: u32) -> Result<u64, ReadError> {
        parse::scaled(self.text(column), digits).ok_or_else(|| self.fault(column, "a number from 0 on"))
    }

    /// An error that names this row.
    pub fn error(&self, message: String) -> ReadError {
        ReadError::Content {
            path: self.path.to_owned(),
            line: self.cells.position().map(csv::Position::line),
            message,
        }
    }

    #[cold]
    fn fault(&self, column: usize, wanted: &str) -> ReadError {
        let (name, text) = (self.schema.columns[column].name, self.text(column));
        let text: String = String::from_utf8_lossy(text).chars().take(60).collect();
        self.error(format!("{name} is {text:?}; it must be {wanted}"))
    }
}

#[cfg(test)]
mod tests;

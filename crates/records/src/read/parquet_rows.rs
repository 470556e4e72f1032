//! Rows of a Parquet file.

use crate::cell::{Cell, ColumnType};
use crate::error::ReadError;
use crate::parquet as ours;
use crate::schema::Schema;
use csv::ByteRecord;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows that are decoded at a time.
const BATCH: usize = 4096;

/// Rows of a Parquet file, each cell as the text that stands in a CSV file.
pub(super) struct ParquetRows<'a> {
    file: SerializedFileReader<File>,
    size: u64,
    progress: &'a AtomicU64,
    schema: &'static Schema,
    wanted: Vec<bool>,
    /// Of the row group that is being read.
    columns: Vec<Option<Column>>,
    /// Number of the next row group.
    next_group: usize,
    /// Rows of the group that are not decoded yet.
    left: usize,
    /// Rows of the batch, and which is next.
    batch: (usize, usize),
    text: Vec<u8>,
}

/// A column of a row group with its decoded batch.
enum Column {
    Text(ColumnReaderImpl<ByteArrayType>, Vec<ByteArray>),
    Unsigned(ColumnReaderImpl<Int64Type>, Vec<i64>),
    Signed(ColumnReaderImpl<Int64Type>, Vec<i64>),
    Number(ColumnReaderImpl<DoubleType>, Vec<f64>),
}

impl<'a> ParquetRows<'a> {
    pub(super) fn open(
        path: &Path,
        schema: &'static Schema,
        wanted: &[usize],
        progress: &'a AtomicU64,
    ) -> Result<Self, ReadError> {
        let file = File::open(path).map_err(ReadError::io(path))?;
        let size = file.metadata().map_err(ReadError::io(path))?.len();
        let file = SerializedFileReader::new(file).map_err(|error| fault(path, &error))?;
        let right = ours::schema(schema).map_err(|error| fault(path, &error))?;
        let found = file.metadata().file_metadata().schema();
        for (at, right) in right.get_fields().iter().enumerate() {
            if found.get_fields().get(at) != Some(right) {
                let found = found.get_fields().get(at).map_or("missing".to_owned(), |found| {
                    format!("{:?} or of another type", found.name())
                });
                return Err(ReadError::Content {
                    path: path.to_owned(),
                    line: None,
                    message: format!(
                        "column {} is {found}; in {} it must be {:?}, as this program writes it",
                        at + 1,
                        schema.name,
                        right.name()
                    ),
                });
            }
        }
        Ok(ParquetRows {
            file,
            size,
            progress,
            schema,
            wanted: (0..schema.columns.len()).map(|at| wanted.contains(&at)).collect(),
            columns: Vec::new(),
            next_group: 0,
            left: 0,
            batch: (0, 0),
            text: Vec::new(),
        })
    }

    pub(super) fn next(&mut self, path: &Path, cells: &mut ByteRecord) -> Result<bool, ReadError> {
        if self.batch.0 == self.batch.1 && !self.decode().map_err(|error| fault(path, &error))? {
            return Ok(false);
        }
        let row = self.batch.1;
        self.batch.1 += 1;
        cells.clear();
        for column in &self.columns {
            self.text.clear();
            match column {
                None => {}
                Some(Column::Text(_, values)) => self.text.extend_from_slice(values[row].data()),
                Some(Column::Unsigned(_, values)) => values[row].cast_unsigned().put(&mut self.text),
                Some(Column::Signed(_, values)) => values[row].put(&mut self.text),
                Some(Column::Number(_, values)) => values[row].put(&mut self.text),
            }
            cells.push_field(&self.text);
        }
        Ok(true)
    }

    /// Decodes the next rows; whether there are any.
    fn decode(&mut self) -> Result<bool, ParquetError> {
        while self.left == 0 {
            let groups = self.file.num_row_groups();
            if self.next_group == groups {
                return Ok(false);
            }
            let group = self.file.get_row_group(self.next_group)?;
            self.next_group += 1;
            self.left = usize::try_from(group.metadata().num_rows())
                .map_err(|_| ParquetError::General("a row group has less than 0 rows".to_owned()))?;
            self.columns = self
                .schema
                .columns
                .iter()
                .enumerate()
                .map(|(at, column)| {
                    self.wanted[at]
                        .then(|| Column::open(group.as_ref(), at, column.column_type))
                        .transpose()
                })
                .collect::<Result<_, _>>()?;
            // Row groups are of about one size.
            let share = |groups_read: usize| self.size * groups_read as u64 / groups as u64;
            let read = share(self.next_group) - share(self.next_group - 1);
            self.progress.fetch_add(read, Ordering::Relaxed);
        }
        let rows = self.left.min(BATCH);
        for column in self.columns.iter_mut().flatten() {
            column.decode(rows)?;
        }
        self.left -= rows;
        self.batch = (rows, 0);
        Ok(true)
    }
}

impl Column {
    fn open(group: &dyn RowGroupReader, at: usize, column_type: ColumnType) -> Result<Column, ParquetError> {
        // The file's schema was compared, so the reader's type can only be this one.
        Ok(match (column_type, group.get_column_reader(at)?) {
            (ColumnType::Text, ColumnReader::ByteArrayColumnReader(reader)) => {
                Column::Text(reader, Vec::new())
            }
            (ColumnType::Unsigned, ColumnReader::Int64ColumnReader(reader)) => {
                Column::Unsigned(reader, Vec::new())
            }
            (ColumnType::Signed, ColumnReader::Int64ColumnReader(reader)) => {
                Column::Signed(reader, Vec::new())
            }
            (ColumnType::Float | ColumnType::Decimal, ColumnReader::DoubleColumnReader(reader)) => {
                Column::Number(reader, Vec::new())
            }
            _ => {
                return Err(ParquetError::General(format!(
                    "column {} is of another type",
                    at + 1
                )));
            }
        })
    }

    /// Decodes `rows` rows in place of those before.
    fn decode(&mut self, rows: usize) -> Result<(), ParquetError> {
        match self {
            Column::Text(reader, values) => fill(reader, values, rows),
            Column::Unsigned(reader, values) | Column::Signed(reader, values) => fill(reader, values, rows),
            Column::Number(reader, values) => fill(reader, values, rows),
        }
    }
}

fn fill<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    values: &mut Vec<T::T>,
    rows: usize,
) -> Result<(), ParquetError> {
    values.clear();
    while values.len() < rows {
        // A batch may end early where a page does.
        let (_, read, _) = reader.read_records(rows - values.len(), None, None, values)?;
        if read == 0 {
            return Err(ParquetError::General("a column ends too early".to_owned()));
        }
    }
    Ok(())
}

#[cold]
fn fault(path: &Path, error: &ParquetError) -> ReadError {
    ReadError::Content {
        path: path.to_owned(),
        line: None,
        message: format!("{error}; the file is damaged, or not Parquet: leave it out"),
    }
}

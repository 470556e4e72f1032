//! Parquet files of records, made from the CSV files once those are complete.
//!
//! A file's columns are those of the record, none of them nullable, compressed with Zstandard:
//!
//! | in the schema | in the file |
//! | --- | --- |
//! | text, `time_utc` included | `BYTE_ARRAY`, a UTF-8 string |
//! | unsigned integer | `INT64`, an unsigned integer of 64 bits |
//! | integer | `INT64`, a signed integer of 64 bits |
//! | number, exact decimal | `DOUBLE` |

use crate::cell::ColumnType;
use crate::error::{ReadError, RecordsError};
use crate::file_name::Format;
use crate::read::{Reader, RowRef};
use crate::schema::{Record, Schema};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Cells of a row group: what is held in memory at a time, about 8 B each.
const GROUP_CELLS: usize = 2 << 20;
/// Texts of a column that are kept to be shared by the rows that repeat them.
const SHARED_TEXTS: usize = 1 << 16;

/// The record's columns as a Parquet schema.
pub(crate) fn schema(schema: &Schema) -> Result<Type, ParquetError> {
    let columns = schema.columns.iter().map(|column| {
        let (physical, logical) = match column.column_type {
            ColumnType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnType::Unsigned => (Physical::INT64, Some(LogicalType::integer(64, false))),
            ColumnType::Signed => (Physical::INT64, Some(LogicalType::integer(64, true))),
            ColumnType::Float | ColumnType::Decimal => (Physical::DOUBLE, None),
        };
        let column = Type::primitive_type_builder(column.name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical)
            .build()?;
        Ok(Arc::new(column))
    });
    let columns: Result<Vec<_>, ParquetError> = columns.collect();
    Type::group_type_builder("record").with_fields(columns?).build()
}

/// Makes the Parquet file of a CSV file beside it; its path. It gets its name when it is complete and on the disk.
/// `progress` counts the bytes read.
///
/// # Errors
/// When the CSV file cannot be read, or the other not be written; nothing is left of it then.
pub fn write_parquet(csv: &Path, record: Record, progress: &AtomicU64) -> Result<PathBuf, RecordsError> {
    write(
        csv,
        record,
        progress,
        (GROUP_CELLS / record.schema().columns.len()).max(1),
    )
}

/// The same with the number of rows of a row group given.
pub(crate) fn write(
    csv: &Path,
    record: Record,
    progress: &AtomicU64,
    group: usize,
) -> Result<PathBuf, RecordsError> {
    let path = csv.with_extension(Format::Parquet.extension());
    let mut part = path.clone();
    part.as_mut_os_string().push(".part");
    let made = make(csv, &part, record, progress, group)
        .and_then(|()| fs::rename(&part, &path).map_err(RecordsError::io("write", &path)));
    if made.is_err() {
        // The error tells more than what might go wrong here.
        let _ = fs::remove_file(&part);
    }
    made.map(|()| path)
}

fn make(
    csv: &Path,
    part: &Path,
    record: Record,
    progress: &AtomicU64,
    group: usize,
) -> Result<(), RecordsError> {
    let converting = |message: String| RecordsError::Convert {
        path: csv.to_owned(),
        message,
    };
    let reading = |error: ReadError| converting(error.to_string());
    // Of a full disk this says no more than a text, but that is enough.
    let writing = |error: ParquetError| converting(error.to_string());
    let mut reader = Reader::open(csv, record, Format::Csv, &[], progress).map_err(reading)?;
    let file = File::create(part).map_err(RecordsError::io("create", part))?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(Default::default()))
        .set_created_by(concat!("packetloom ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let schema = Arc::new(schema(record.schema()).map_err(writing)?);
    let mut writer = SerializedFileWriter::new(&file, schema, Arc::new(properties)).map_err(writing)?;
    let mut columns: Vec<Cells> = record
        .schema()
        .columns
        .iter()
        .map(|column| Cells::new(column.column_type))
        .collect();
    loop {
        let mut rows = 0;
        while rows < group
            && let Some(row) = reader.next_row().map_err(reading)?
        {
            for (at, column) in columns.iter_mut().enumerate() {
                column.push(row, at).map_err(reading)?;
            }
            rows += 1;
        }
        if rows == 0 {
            break;
        }
        let mut row_group = writer.next_row_group().map_err(writing)?;
        for column in &mut columns {
            let place = row_group.next_column().map_err(writing)?;
            let place = place.ok_or_else(|| converting("it has too few columns".to_owned()))?;
            column.write(place).map_err(writing)?;
        }
        row_group.close().map_err(writing)?;
        if rows < group {
            break;
        }
    }
    writer.close().map_err(writing)?;
    file.sync_data().map_err(RecordsError::io("sync", part))
}

/// The cells of one column and row group.
enum Cells {
    Text {
        cells: Vec<ByteArray>,
        /// One of each text, so that a row that repeats one takes no memory for it.
        shared: HashMap<Vec<u8>, ByteArray>,
    },
    Unsigned(Vec<i64>),
    Signed(Vec<i64>),
    Number(Vec<f64>),
}

impl Cells {
    fn new(column_type: ColumnType) -> Self {
        match column_type {
            ColumnType::Text => Cells::Text {
                cells: Vec::new(),
                shared: HashMap::new(),
            },
            ColumnType::Unsigned => Cells::Unsigned(Vec::new()),
            ColumnType::Signed => Cells::Signed(Vec::new()),
            ColumnType::Float | ColumnType::Decimal => Cells::Number(Vec::new()),
        }
    }

    fn push(&mut self, row: RowRef<'_>, at: usize) -> Result<(), ReadError> {
        match self {
            Cells::Text { cells, shared } => {
                let text = row.text(at);
                let cell = match shared.get(text) {
                    Some(cell) => cell.clone(),
                    None => {
                        let cell = ByteArray::from(text.to_vec());
                        if shared.len() == SHARED_TEXTS {
                            shared.clear();
                        }
                        shared.insert(text.to_vec(), cell.clone());
                        cell
                    }
                };
                cells.push(cell);
            }
            // The bits stay; the column's logical type says that there is no sign among them.
            Cells::Unsigned(cells) => cells.push(row.count(at)?.cast_signed()),
            Cells::Signed(cells) => cells.push(row.integer(at)?),
            Cells::Number(cells) => cells.push(row.number(at)?),
        }
        Ok(())
    }

    /// Writes the cells and forgets them.
    fn write(&mut self, mut place: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        match self {
            Cells::Text { cells, .. } => {
                place.typed::<ByteArrayType>().write_batch(cells, None, None)?;
                cells.clear();
            }
            Cells::Unsigned(cells) | Cells::Signed(cells) => {
                place.typed::<Int64Type>().write_batch(cells, None, None)?;
                cells.clear();
            }
            Cells::Number(cells) => {
                place.typed::<DoubleType>().write_batch(cells, None, None)?;
                cells.clear();
            }
        }
        place.close()
    }
}

#[cfg(test)]
mod tests;

use super::*;
use crate::read::Reader;
use crate::schema::Record;
use proptest::prelude::*;

/// A CSV file of `record` with `rows` rows whose cells are made by `cell` from row, column and type.
fn csv(
    folder: &Path,
    record: Record,
    rows: usize,
    cell: impl Fn(usize, usize, ColumnType) -> String,
) -> PathBuf {
    let path = folder.join(format!("t-{}-0.csv", record.name()));
    let mut writer = csv::Writer::from_path(&path).expect("created");
    let columns = record.schema().columns;
    writer
        .write_record(columns.iter().map(|column| column.name))
        .expect("written");
    for row in 0..rows {
        let cells = columns.iter().enumerate();
        writer
            .write_record(cells.map(|(at, column)| cell(row, at, column.column_type)))
            .expect("written");
    }
    writer.flush().expect("written");
    path
}

fn all(record: Record) -> Vec<usize> {
    (0..record.schema().columns.len()).collect()
}

/// Compares a CSV file and the Parquet file made of it cell by cell; the number of rows.
fn compare(csv: &Path, parquet: &Path, record: Record) -> usize {
    let progress = AtomicU64::new(0);
    let wanted = all(record);
    let mut left = Reader::open(csv, record, Format::Csv, &wanted, &progress).expect("opened");
    let mut right = Reader::open(parquet, record, Format::Parquet, &wanted, &progress).expect("opened");
    let mut rows = 0;
    loop {
        let (left, right) = (left.next_row().expect("a row"), right.next_row().expect("a row"));
        let (Some(left), Some(right)) = (&left, &right) else {
            assert!(left.is_none() && right.is_none(), "one ends at row {rows}");
            return rows;
        };
        for (at, column) in record.schema().columns.iter().enumerate() {
            match column.column_type {
                ColumnType::Float | ColumnType::Decimal => {
                    let (left, right) = (
                        left.number(at).expect("a number"),
                        right.number(at).expect("a number"),
                    );
                    assert!(
                        left == right || left.is_nan() && right.is_nan(),
                        "{left} and {right}"
                    );
                }
                _ => assert_eq!(left.text(at), right.text(at), "row {rows}, {}", column.name),
            }
        }
        rows += 1;
    }
}

fn plain(row: usize, at: usize, column_type: ColumnType) -> String {
    match column_type {
        ColumnType::Text => format!("text {}, \"{at}\"", row % 7),
        ColumnType::Unsigned if row == 0 => u64::MAX.to_string(),
        ColumnType::Unsigned => (row * 1_000 + at).to_string(),
        ColumnType::Signed => (-(row as i64)).to_string(),
        ColumnType::Float if row == 1 => "NAN".to_owned(),
        ColumnType::Float => (row as f64 / 3.0).to_string(),
        ColumnType::Decimal => format!("0.{:012}", row * 7_919 + at + 1),
    }
}

#[test]
fn every_record_reads_back_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    for &record in Record::ALL {
        // Row groups of 10: whole ones, a part of one, and an empty file.
        for rows in [0, 9, 10, 11, 35] {
            let csv = csv(folder.path(), record, rows, plain);
            let progress = AtomicU64::new(0);
            let parquet = write(&csv, record, &progress, 10).expect("made");
            assert_eq!(
                parquet.file_name().expect("a name"),
                &*format!("t-{}-0.parquet", record.name())
            );
            assert_eq!(
                progress.into_inner(),
                fs::metadata(&csv).expect("a file").len(),
                "progress comes to the file's size"
            );
            assert_eq!(compare(&csv, &parquet, record), rows);
        }
    }
    assert!(
        fs::read_dir(folder.path())
            .expect("a folder")
            .all(|entry| !entry.expect("an entry").path().ends_with(".part")),
    );
}

#[test]
fn a_batch_may_be_longer_than_what_is_decoded_at_a_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = csv(folder.path(), Record::Beacon, 20_000, plain);
    let parquet = write_parquet(&csv, Record::Beacon, &AtomicU64::new(0)).expect("made");
    assert_eq!(compare(&csv, &parquet, Record::Beacon), 20_000);
    let sizes = [&csv, &parquet].map(|path| fs::metadata(path).expect("a file").len());
    assert!(sizes[1] * 2 < sizes[0], "it is compressed: {sizes:?}");
}

#[test]
fn columns_that_nobody_wants_are_not_decoded() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = csv(folder.path(), Record::Beacon, 5, plain);
    let parquet = write_parquet(&csv, Record::Beacon, &AtomicU64::new(0)).expect("made");
    const COMPLETED: usize = Record::Beacon.schema().at("rx_client");
    const POSTED: usize = Record::Beacon.schema().at("tx_client");
    let progress = AtomicU64::new(0);
    let mut reader =
        Reader::open(&parquet, Record::Beacon, Format::Parquet, &[COMPLETED], &progress).expect("opened");
    reader.next_row().expect("a row");
    let row = reader.next_row().expect("a row").expect("a second one");
    assert_eq!(row.count(COMPLETED).expect("a number"), 1_000 + COMPLETED as u64);
    assert_eq!(row.text(POSTED), b"");
}

#[test]
fn types_are_those_of_the_schema() {
    let schema = schema(Record::RdmaPerf.schema()).expect("a schema");
    let column = |name: &str| {
        let fields = schema.get_fields().iter();
        let field = fields.clone().find(|field| field.name() == name).expect(name);
        (
            field.get_physical_type(),
            field.get_basic_info().logical_type_ref().cloned(),
        )
    };
    assert_eq!(
        column("time_utc"),
        (Physical::BYTE_ARRAY, Some(LogicalType::String))
    );
    assert_eq!(
        column("wqe_id"),
        (Physical::INT64, Some(LogicalType::integer(64, false)))
    );
    assert_eq!(column("perf_metric_usec"), (Physical::DOUBLE, None));
}

#[test]
fn a_csv_file_that_is_damaged_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = csv(folder.path(), Record::Beacon, 3, |row, at, column_type| {
        if row == 1 && at == 4 {
            "many".to_owned()
        } else {
            plain(row, at, column_type)
        }
    });
    let error = write_parquet(&path, Record::Beacon, &AtomicU64::new(0)).expect_err("no number");
    let text = error.to_string();
    assert!(
        text.contains("t-beacon-0.csv:3: tx_client is \"many\"") && text.contains("the CSV file stays"),
        "{text}"
    );
    assert!(!error.is_input());
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn what_is_no_parquet_of_the_record_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = csv(folder.path(), Record::Beacon, 3, plain);
    let parquet = write_parquet(&csv, Record::Beacon, &AtomicU64::new(0)).expect("made");
    let progress = AtomicU64::new(0);
    let open = |path: &Path, record| {
        Reader::open(path, record, Format::Parquet, &[], &progress)
            .err()
            .map(|e| e.to_string())
    };
    let told = open(&parquet, Record::TierHop).expect("another record");
    assert!(told.contains("column 4 is \"interval_duration_sec\""), "{told}");
    let told = open(&csv, Record::Beacon).expect("no Parquet");
    assert!(
        told.contains("t-beacon-0.csv: ") && told.contains("not Parquet"),
        "{told}"
    );
    let bytes = fs::read(&parquet).expect("a file");
    fs::write(&parquet, &bytes[..bytes.len() - 5]).expect("written");
    assert!(open(&parquet, Record::Beacon).is_some(), "cut short");
}

proptest! {
    #[test]
    fn any_values_read_back(texts in prop::collection::vec(any::<String>(), 0..12), number: u64, float: f64) {
        let folder = tempfile::tempdir().expect("a folder");
        let rows = texts.len();
        let path = csv(folder.path(), Record::NdStats, rows, |row, _, column_type| match column_type {
            ColumnType::Text => texts[row].clone(),
            ColumnType::Unsigned => number.wrapping_mul(row as u64).to_string(),
            ColumnType::Signed => "0".to_owned(),
            ColumnType::Float => float.to_string(),
            ColumnType::Decimal => format!("{}.{}", number >> 20, row),
        });
        let parquet = write(&path, Record::NdStats, &AtomicU64::new(0), 3).expect("made");
        prop_assert_eq!(compare(&path, &parquet, Record::NdStats), rows);
    }
}

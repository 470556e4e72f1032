use super::*;
use std::fs;
use std::sync::atomic::AtomicU64;

const TIME: usize = Record::Beacon.schema().at("sim_time_sec");
const POSTED: usize = Record::Beacon.schema().at("tx_client");

/// Reads a file with this content; time in ps and requests posted of each row, and whether the last one was torn.
fn read(text: &str) -> Result<(Vec<(u64, u64)>, bool), String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a-beacon-0.csv");
    fs::write(&path, text).expect("written");
    let progress = AtomicU64::new(0);
    let rows = || -> Result<_, ReadError> {
        let mut reader = Reader::open(&path, Record::Beacon, Format::Csv, &[], &progress)?;
        let mut rows = Vec::new();
        while let Some(row) = reader.next_row()? {
            rows.push((row.scaled(TIME, 12)?, row.count(POSTED)?));
        }
        Ok((rows, reader.torn()))
    };
    rows().map_err(|error| {
        assert!(error.is_input(), "{error}");
        let text = error.to_string();
        text.strip_prefix(&folder.path().display().to_string())
            .expect("the path comes first")
            .to_owned()
    })
}

fn header() -> String {
    Record::Beacon.schema().header() + "\n"
}

const ROW: &str = "a,2026-01-13T19:11:39Z,0.003,0.001,80,7,0,0,0,0,0,0\n";

#[test]
fn rows_come_one_after_another() {
    let text = header() + ROW + &ROW.replace("0.003", "0.004").replace("80", "90");
    assert_eq!(
        read(&text),
        Ok((vec![(3_000_000_000, 80), (4_000_000_000, 90)], false))
    );
}

#[test]
fn a_torn_row_at_the_end_is_left_out() {
    for cut in 1..ROW.len() {
        let text = header() + ROW + &ROW[..cut];
        assert_eq!(read(&text), Ok((vec![(3_000_000_000, 80)], true)), "{cut}");
    }
    // Not even the header is whole.
    assert_eq!(read("job_id,time"), Ok((vec![], true)));
    assert_eq!(read(""), Ok((vec![], false)));
}

#[test]
fn faults_are_told_with_their_place() {
    for (text, told) in [
        (
            header() + ROW + &ROW.replace("80", "many"),
            "/a-beacon-0.csv:3: tx_client is \"many\"; it must be a whole number from 0 on",
        ),
        (
            header() + &ROW.replace("0.003", "-1"),
            "/a-beacon-0.csv:2: sim_time_sec is \"-1\"; it must be a number from 0 on",
        ),
        (
            header() + ROW + "a,b\n" + ROW,
            "/a-beacon-0.csv:3: the row has 2 cells; it must have 12, as the header does",
        ),
        (
            header().replace("tx_client", "tx_clients") + ROW,
            "/a-beacon-0.csv:1: the header's column 5 is \"tx_clients\"; in beacon it must be \"tx_client\"",
        ),
        (
            "job_id\n".to_owned(),
            "/a-beacon-0.csv:1: the header ends before column 2; in beacon it must be \"time_utc\"",
        ),
        (
            header().replace('\n', ",more\n"),
            "/a-beacon-0.csv:1: the header has 13 columns; beacon has 12",
        ),
    ] {
        assert_eq!(read(&text), Err(told.to_owned()));
    }
}

#[test]
fn a_file_that_is_not_there_is_bad_input() {
    let progress = AtomicU64::new(0);
    let open = Reader::open(Path::new("/no/such"), Record::Beacon, Format::Csv, &[], &progress);
    let error = open.err().expect("refused");
    assert!(
        error.is_input() && error.to_string().contains("cannot read /no/such"),
        "{error}"
    );
}

/// What a build without the feature says, tested whatever this one has.
#[test]
fn a_build_without_parquet_says_how_to_get_it() {
    let error = ReadError::NoParquet("runs/a-beacon-0.parquet".into());
    assert!(error.is_input());
    assert_eq!(
        error.to_string(),
        "runs/a-beacon-0.parquet is a Parquet file: this build has no Parquet; build it with: cargo build --release \
         --features parquet"
    );
}

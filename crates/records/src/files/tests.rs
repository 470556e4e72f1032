use super::*;
use crate::schema::BeaconRow;
use tempfile::tempdir;

fn beacon() -> BeaconRow {
    BeaconRow {
        sim_time_sec: crate::Seconds::from_ps(3_000_000_000),
        interval_duration_sec: crate::Seconds::from_ps(1_000_000_000),
        tx_client: 80,
        rx_client: 7,
        tx_server: 0,
        rx_server: 0,
        rx_bytes_reader: 0,
        rx_bytes_writer: 1_750_000,
        goodput_reader_MB_per_sec: 0.0,
        goodput_writer_MB_per_sec: 52.5883,
    }
}

fn listing(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn files_are_named_after_simulation_record_and_shard() {
    let temp = tempdir().expect("a folder");
    let out = temp.path().join("new/deep");
    let mut files =
        RecordFiles::create(&out, "my-sim", 3, &[Record::Beacon, Record::RdmaPerf]).expect("created");
    assert_eq!(listing(&out), ["my-sim-beacon-3.csv", "my-sim-rdma-perf-3.csv"]);
    assert_eq!(files.names(), ["my-sim-rdma-perf-3.csv", "my-sim-beacon-3.csv"]);
    assert!(files.writes(Record::Beacon) && !files.writes(Record::NdStats));

    let path = out.join("my-sim-beacon-3.csv");
    let header = Record::Beacon.schema().header() + "\n";
    assert_eq!(
        fs::read_to_string(&path).expect("a file"),
        header,
        "the header is there at once"
    );

    files.write(&beacon()).expect("written");
    files.flush_and_sync().expect("synced");
    let text = fs::read_to_string(&path).expect("a file");
    let row = text.strip_prefix(&header).expect("the header first");
    assert!(row.starts_with("my-sim,20"), "{row}");
    assert!(
        row.ends_with("Z,0.003,0.001,80,7,0,0,0,1750000,0,52.5883\n"),
        "{row}"
    );
}

#[test]
fn rows_of_a_record_that_is_off_are_ignored() {
    let temp = tempdir().expect("a folder");
    let mut files = RecordFiles::create(temp.path(), "a", 0, &[Record::RdmaPerf]).expect("created");
    files.write(&beacon()).expect("ignored");
    drop(files);
    assert_eq!(listing(temp.path()), ["a-rdma-perf-0.csv"]);
}

#[test]
fn the_last_rows_go_out_when_it_is_dropped() {
    let temp = tempdir().expect("a folder");
    let mut files = RecordFiles::create(temp.path(), "a", 0, &[Record::Beacon]).expect("created");
    files.write(&beacon()).expect("written");
    drop(files);
    let text = fs::read_to_string(temp.path().join("a-beacon-0.csv")).expect("a file");
    assert_eq!(text.lines().count(), 2);
}

#[test]
fn a_used_folder_is_refused_and_left_alone() {
    let temp = tempdir().expect("a folder");
    let old = temp.path().join("other-nd-stats-12.csv");
    fs::write(&old, "kept").expect("written");
    let error = RecordFiles::create(temp.path(), "a", 0, &[Record::Beacon]).expect_err("refused");
    assert!(error.is_input());
    let message = error.to_string();
    assert!(
        message.contains("holds records already (other-nd-stats-12.csv); choose another --out"),
        "{message}"
    );
    assert_eq!(listing(temp.path()), ["other-nd-stats-12.csv"]);
    assert_eq!(fs::read_to_string(old).expect("still there"), "kept");
}

#[test]
fn a_folder_with_other_files_is_fine() {
    let temp = tempdir().expect("a folder");
    for name in [
        "notes.txt",
        "beacon-0.csv",
        "my-beacon-x.csv",
        "my-beacon-.csv",
        "my-beacon-0.json",
        "perf-1.csv",
    ] {
        assert!(FileName::parse(name).is_none(), "{name}");
        fs::write(temp.path().join(name), "").expect("written");
    }
    RecordFiles::create(temp.path(), "a", 0, &[Record::Beacon])
        .expect("created")
        .abort();
    assert_eq!(listing(temp.path()).len(), 6, "abort leaves what it did not make");
}

#[test]
fn abort_removes_what_was_made() {
    let temp = tempdir().expect("a folder");
    let out = temp.path().join("runs/demo");
    RecordFiles::create(&out, "a", 0, Record::ALL)
        .expect("created")
        .abort();
    assert!(listing(temp.path()).is_empty());

    // A folder that somebody put something into stays.
    let files = RecordFiles::create(&out, "a", 0, Record::ALL).expect("created");
    fs::write(out.join("notes.txt"), "").expect("written");
    files.abort();
    assert_eq!(listing(&out), ["notes.txt"]);
}

#[test]
fn a_file_in_place_of_the_folder_is_bad_input() {
    let temp = tempdir().expect("a folder");
    let file = temp.path().join("file");
    fs::write(&file, "").expect("written");
    for out in [file.clone(), file.join("below"), file.join("further/below")] {
        let error = RecordFiles::create(&out, "a", 0, &[Record::Beacon]).expect_err("refused");
        assert!(error.is_input(), "{error}");
        assert!(
            error
                .to_string()
                .contains("is not a folder; choose another --out"),
            "{error}"
        );
    }
    assert_eq!(listing(temp.path()), ["file"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_cannot_be_made_is_the_machines_failure() {
    // Nobody can make a folder there, root included.
    let error =
        RecordFiles::create(Path::new("/proc/records"), "a", 0, &[Record::Beacon]).expect_err("refused");
    assert!(!error.is_input());
    assert!(
        error
            .to_string()
            .starts_with("cannot create the folder /proc/records: "),
        "{error}"
    );
    assert!(error.to_string().contains("with --out"), "{error}");
}

#[test]
fn a_bad_name_is_refused_before_anything_is_made() {
    let temp = tempdir().expect("a folder");
    let error =
        RecordFiles::create(&temp.path().join("out"), "..", 0, &[Record::Beacon]).expect_err("refused");
    assert!(error.to_string().contains("choose another --name"), "{error}");
    assert!(listing(temp.path()).is_empty());
}

#[test]
#[cfg(unix)]
fn a_link_that_leads_nowhere_is_bad_input() {
    let temp = tempdir().expect("a folder");
    let link = temp.path().join("link");
    std::os::unix::fs::symlink("gone", &link).expect("linked");
    for out in [link.clone(), link.join("below")] {
        let error = RecordFiles::create(&out, "a", 0, &[Record::Beacon]).expect_err("refused");
        assert!(error.is_input(), "{error}");
        assert!(
            error.to_string().contains("link is a link that leads nowhere"),
            "{error}"
        );
    }
    assert_eq!(listing(temp.path()), ["link"]);
    // With its target there it is as good as any folder.
    fs::create_dir(temp.path().join("gone")).expect("a folder");
    RecordFiles::create(&link, "a", 0, &[Record::Beacon]).expect("created");
    assert_eq!(listing(&temp.path().join("gone")), ["a-beacon-0.csv"]);
}

#[test]
fn a_name_with_a_comma_stays_one_cell() {
    let temp = tempdir().expect("a folder");
    let mut files = RecordFiles::create(temp.path(), "a,b", 0, &[Record::Beacon]).expect("created");
    files.write(&beacon()).expect("written");
    drop(files);
    let mut reader = csv::Reader::from_path(temp.path().join("a,b-beacon-0.csv")).expect("a file");
    let row = reader.records().next().expect("a row").expect("a whole one");
    assert_eq!(&row[0], "a,b");
    assert_eq!(row.len(), Record::Beacon.schema().columns.len());
}

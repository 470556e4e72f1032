//! Which files there are to read.

use crate::error::AnalysisError;
use packetloom_records::{FileName, Format, Record, RunFile};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// One record file.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub path: PathBuf,
    pub name: FileName,
    pub bytes: u64,
}

/// The files of one run.
#[derive(Debug)]
pub(crate) struct Inputs {
    pub simulation: String,
    /// By record and shard.
    pub files: Vec<Input>,
    /// The file that says what the run was, if it is there.
    pub run: Option<RunFile>,
    /// CSV and Parquet files that are no records.
    pub ignored: Vec<String>,
}

impl Inputs {
    /// Finds them: `paths` are folders, of which all records are taken, and files.
    pub fn find(paths: &[PathBuf]) -> Result<Inputs, AnalysisError> {
        let mut files = Vec::new();
        let mut ignored = Vec::new();
        for path in paths {
            if path.is_dir() {
                let before = files.len();
                list(path, &mut files, &mut ignored)?;
                if files.len() == before {
                    return Err(AnalysisError::NoRecords(path.clone()));
                }
            } else if !path.exists() {
                return Err(AnalysisError::Missing(path.clone()));
            } else if RunFile::is_name(&file_name(path)) {
                // It is looked for beside the records anyway; a shell's pattern may have named it too.
            } else {
                let file = input(path.clone()).ok_or_else(|| AnalysisError::NotARecord(path.clone()))?;
                files.push(file);
            }
        }
        let Some(first) = files.first() else {
            return Err(AnalysisError::NoRecords(
                paths.first().cloned().unwrap_or_default(),
            ));
        };
        let folder = first.path.parent().unwrap_or(Path::new("")).to_owned();
        let names: BTreeSet<&str> = files.iter().map(|file| &*file.name.simulation).collect();
        if names.len() > 1 {
            return Err(AnalysisError::SeveralSimulations {
                names: names.into_iter().map(str::to_owned).collect(),
                folder: folder.display().to_string(),
            });
        }
        let simulation = first.name.simulation.clone();
        let files = once(files)?;
        let run = folder.join(RunFile::file_name(&simulation));
        let run = if run.is_file() {
            Some(RunFile::read(&run)?)
        } else {
            None
        };
        Ok(Inputs {
            simulation,
            files,
            run,
            ignored,
        })
    }

    /// Those of one record, by shard.
    pub fn of(&self, record: Record) -> impl Iterator<Item = &Input> {
        self.files.iter().filter(move |file| file.name.record == record)
    }

    /// Number of shards.
    pub fn shards(&self) -> usize {
        let shards: BTreeSet<u32> = self.files.iter().map(|file| file.name.shard).collect();
        shards.len()
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn input(path: PathBuf) -> Option<Input> {
    let name = FileName::parse(&file_name(&path))?;
    // A file whose size is not told is one that cannot be read, which is found out then.
    let bytes = fs::metadata(&path).map_or(0, |data| data.len());
    Some(Input { path, name, bytes })
}

/// Adds the records of a folder, and the names of tables that are none.
fn list(folder: &Path, files: &mut Vec<Input>, ignored: &mut Vec<String>) -> Result<(), AnalysisError> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths = read().map_err(|source| AnalysisError::Folder {
        path: folder.to_owned(),
        source,
    })?;
    paths.sort();
    for path in paths.into_iter().filter(|path| path.is_file()) {
        let name = file_name(&path);
        match input(path) {
            Some(file) => files.push(file),
            None if name.ends_with(".csv") || name.ends_with(".parquet") => ignored.push(name),
            None => {}
        }
    }
    Ok(())
}

/// Sorts the files and leaves one of each record and shard: the CSV file, which is read faster, where both are there.
fn once(mut files: Vec<Input>) -> Result<Vec<Input>, AnalysisError> {
    let key = |file: &Input| (file.name.record, file.name.shard, file.name.format);
    files.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path)));
    files.dedup_by(|later, earlier| later.path == earlier.path);
    for two in files.windows(2) {
        if key(&two[0]) == key(&two[1]) {
            return Err(AnalysisError::Twice {
                record: two[0].name.record.name(),
                shard: two[0].name.shard,
                paths: [two[0].path.clone(), two[1].path.clone()],
            });
        }
    }
    files.dedup_by(|later, earlier| {
        let both = [&*later, &*earlier].map(|file| (file.name.record, file.name.shard));
        later.name.format == Format::Parquet && both[0] == both[1]
    });
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for name in names {
            fs::write(folder.path().join(name), "x").expect("written");
        }
        folder
    }

    fn found(inputs: &Inputs) -> Vec<String> {
        inputs.files.iter().map(|file| file_name(&file.path)).collect()
    }

    #[test]
    fn records_are_found_and_other_tables_named() {
        let folder = folder(&[
            "a-beacon-1.csv",
            "a-beacon-0.csv",
            "a-rdma-perf-0.csv",
            "a-rdma-perf-0.parquet",
            "a-tier-hop-0.parquet",
            "a-what-0.csv",
            "notes.txt",
        ]);
        let inputs = Inputs::find(&[folder.path().to_owned()]).expect("found");
        assert_eq!(inputs.simulation, "a");
        assert_eq!(
            found(&inputs),
            [
                "a-rdma-perf-0.csv",
                "a-beacon-0.csv",
                "a-beacon-1.csv",
                "a-tier-hop-0.parquet"
            ],
            "in the order of records and shards, CSV where there is a choice"
        );
        assert_eq!(inputs.ignored, ["a-what-0.csv"]);
        assert_eq!((inputs.shards(), inputs.run.is_none()), (2, true));
    }

    #[test]
    fn files_are_taken_as_they_are_named() {
        let folder = folder(&[
            "a-beacon-0.csv",
            "a-tier-hop-0.csv",
            "b-beacon-0.csv",
            "a-run.json",
        ]);
        let path = |name: &str| folder.path().join(name);
        let beacon = path("a-beacon-0.csv");
        fs::write(path("a-run.json"), "{}").expect("written");
        assert!(matches!(
            Inputs::find(&[beacon.clone(), path("a-run.json")]),
            Err(AnalysisError::Read(_))
        ));
        fs::remove_file(path("a-run.json")).expect("removed");
        let inputs = Inputs::find(&[beacon.clone(), beacon]).expect("found");
        assert_eq!(found(&inputs), ["a-beacon-0.csv"]);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let told = |paths: &[PathBuf]| {
            let error = Inputs::find(paths).expect_err("refused");
            assert!(error.is_input());
            error.to_string()
        };
        let folder = folder(&["a-beacon-0.csv", "b-beacon-0.csv", "notes.txt"]);
        let path = folder.path().to_owned();
        let text = told(std::slice::from_ref(&path));
        assert!(
            text.contains("several simulations (a, b)") && text.contains("/a-*"),
            "{text}"
        );
        assert!(told(&[path.join("none")]).starts_with("there is no "));
        assert!(told(&[path.join("notes.txt")]).contains("notes.txt is no record"));
        let empty = tempfile::tempdir().expect("a folder");
        assert!(told(&[empty.path().to_owned()]).contains("holds no records"));
        let other = tempfile::tempdir().expect("a folder");
        let again = other.path().join("a-beacon-0.csv");
        fs::write(&again, "x").expect("written");
        let text = told(&[path.join("a-beacon-0.csv"), again]);
        assert!(text.contains("are both beacon of shard 0"), "{text}");
    }
}

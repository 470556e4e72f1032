//! What a run was: the file beside the records that tells what they do not.

use crate::error::{ReadError, RecordsError};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What a run was, in `{simulation}-run.json`. It holds nothing of the machine, so two runs of a document have equal
/// ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFile {
    /// The simulation's name.
    pub simulation: String,
    /// The document's `RandomSeed`.
    pub random_seed: u64,
    /// Number of hosts.
    pub hosts: u64,
    /// Number of switches.
    pub switches: u64,
    /// The recording window, both ends included, in picoseconds of simulated time.
    pub recording_window_ps: (u64, u64),
    /// The stop time, in picoseconds of simulated time.
    pub stop_ps: u64,
    /// The document's applications.
    pub applications: Vec<RunApplication>,
    /// How the run ended; nothing while it goes on, and if it was killed.
    pub ended: Option<RunEnd>,
}

/// One application of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunApplication {
    /// Its name in the document.
    pub name: String,
    /// The name of its model; none in files of earlier versions.
    #[serde(default)]
    pub model: Option<String>,
    /// Its pairs of a client and a server.
    pub pairs: u64,
    /// Number of its first connection, the last part of its instances' names.
    pub first_connection: u64,
    /// How many connections it has; their numbers go on from the first.
    pub connections: u64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// Simulated time reached, in picoseconds.
    pub simulated_ps: u64,
    /// Whether that was before the stop time because somebody asked for it.
    pub interrupted: bool,
}

/// What the names of these files end with.
const ENDING: &str = "-run.json";

impl RunFile {
    /// Name of the file.
    pub fn file_name(simulation: &str) -> String {
        format!("{simulation}{ENDING}")
    }

    /// Whether a file of that name is one.
    pub fn is_name(name: &str) -> bool {
        name.strip_suffix(ENDING)
            .is_some_and(|simulation| !simulation.is_empty())
    }

    /// Reads it from `path`.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
    pub fn read(path: &Path) -> Result<RunFile, ReadError> {
        let text = fs::read_to_string(path).map_err(ReadError::io(path))?;
        serde_json::from_str(&text).map_err(|error| ReadError::Content {
            path: path.to_owned(),
            line: Some(error.line() as u64),
            message: format!("{error}; this is not the file of a run: take it away to do without it"),
        })
    }

    /// Writes it to `path`, at once and whole.
    pub(crate) fn write(&self, path: &Path) -> Result<(), RecordsError> {
        let mut text = serde_json::to_string_pretty(self).map_err(|error| {
            RecordsError::io("write", path)(error.into()) // cannot be: plain data
        })?;
        text.push('\n');
        write_whole(path, &text)
    }
}

/// Writes a file at once and whole.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<(), RecordsError> {
    let mut part = path.to_owned();
    part.as_mut_os_string().push(".part");
    let written = fs::File::create(&part)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_data()
        })
        .and_then(|()| fs::rename(&part, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&part);
        RecordsError::io("write", path)(error)
    })
}

/// Where the file of `simulation` is in `folder`.
pub(crate) fn path(folder: &Path, simulation: &str) -> PathBuf {
    folder.join(RunFile::file_name(simulation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_back_and_a_broken_one_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = path(folder.path(), "demo");
        assert!(path.ends_with("demo-run.json"));
        let mut run = RunFile {
            simulation: "demo".to_owned(),
            random_seed: 18_760,
            hosts: 16,
            switches: 4,
            recording_window_ps: (5_000_000_000, 505_000_000_000),
            stop_ps: 506_000_000_000,
            applications: vec![RunApplication {
                name: "Rdma".to_owned(),
                model: Some("ScalaRdmaApplication".to_owned()),
                pairs: 8,
                first_connection: 1,
                connections: 16,
            }],
            ended: None,
        };
        run.write(&path).expect("written");
        assert_eq!(RunFile::read(&path).expect("read"), run);
        run.ended = Some(RunEnd {
            simulated_ps: 506_000_000_000,
            interrupted: false,
        });
        run.write(&path).expect("written over");
        assert_eq!(RunFile::read(&path).expect("read"), run);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);

        // Earlier versions did not write the model.
        let text = fs::read_to_string(&path).expect("read");
        let text = text.replace("      \"model\": \"ScalaRdmaApplication\",\n", "");
        fs::write(&path, text).expect("written");
        run.applications[0].model = None;
        assert_eq!(RunFile::read(&path).expect("read"), run);

        fs::write(&path, "{\n\"simulation\": 1}").expect("written");
        let error = RunFile::read(&path).expect_err("no run").to_string();
        assert!(error.contains("demo-run.json:2: "), "{error}");
    }
}

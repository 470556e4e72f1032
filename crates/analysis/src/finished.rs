//! Runs in folders, for whoever looks at them after their end.

use crate::error::AnalysisError;
use crate::inputs::Inputs;
use crate::scan::Progress;
use crate::summarize::{Options, summarize};
use crate::summary::{ApplicationSummary, State};
use packetloom_records::{FileName, RunFile};
use packetloom_sim::summary::TierUtilization;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The log of a Portals run.
pub const OPERATIONS: &str = "operations.csv";
/// What the server's jobs write of a run at its end.
pub const SUMMARY: &str = "summary.json";
/// Most folders that are looked into.
const MOST_FOLDERS: usize = 10_000;

/// What is in a run's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Records of a fabric.
    Records,
    /// The log of operations of a Portals run.
    Operations,
}

/// A run that somebody wants to look at.
#[derive(Clone, Debug)]
pub struct FinishedRun {
    /// Its folder.
    pub folder: PathBuf,
    /// The simulation's name, or that of the folder; both where several runs would have the same.
    pub name: String,
    /// What there is.
    pub content: Content,
    /// How it ended.
    pub state: State,
    /// Simulated time reached and the stop time, in picoseconds; 0 where nothing tells.
    pub reached_ps: (u64, u64),
    /// The length of the recording window in picoseconds, if there is one.
    pub window_ps: Option<u64>,
    /// When the first and the last of its files were written.
    pub written: (SystemTime, SystemTime),
}

/// Finds the run in `folder`, or, if there is none, those in the folders in it, by name. The second part says which folders
/// hold something that cannot be shown, and why.
///
/// # Errors
/// When the folder cannot be read, or its records are not those of one run.
pub fn find(folder: &Path) -> Result<(Vec<FinishedRun>, Vec<String>), AnalysisError> {
    if !folder.exists() {
        return Err(AnalysisError::Missing(folder.to_owned()));
    }
    if let Some(run) = run_in(folder)? {
        return Ok((vec![run], Vec::new()));
    }
    let mut folders: Vec<PathBuf> = entries(folder)?
        .into_iter()
        .filter(|path| path.is_dir())
        .take(MOST_FOLDERS)
        .collect();
    folders.sort();
    let (mut runs, mut notes) = (Vec::new(), Vec::new());
    for folder in folders {
        match run_in(&folder) {
            Ok(run) => runs.extend(run),
            Err(error) => notes.push(format!("left out: {error}")),
        }
    }
    tell_apart(&mut runs);
    Ok((runs, notes))
}

/// Adds the folder's name to names that several have.
fn tell_apart(runs: &mut [FinishedRun]) {
    let names: Vec<String> = runs.iter().map(|run| run.name.clone()).collect();
    for run in runs {
        let folder = name_of(&run.folder);
        if names.iter().filter(|name| **name == run.name).count() > 1 && folder != run.name {
            run.name = format!("{} ({folder})", run.name);
        }
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, AnalysisError> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    read().map_err(|source| AnalysisError::Folder {
        path: folder.to_owned(),
        source,
    })
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// The run whose files are in `folder` itself.
fn run_in(folder: &Path) -> Result<Option<FinishedRun>, AnalysisError> {
    let files: Vec<PathBuf> = entries(folder)?
        .into_iter()
        .filter(|path| path.is_file())
        .collect();
    let written = written(&files);
    if files.iter().any(|path| FileName::parse(&name_of(path)).is_some()) {
        let inputs = Inputs::find(&[folder.to_owned()])?;
        let run = inputs.run.as_ref();
        let reached = run.and_then(|run| run.ended).map_or(0, |end| end.simulated_ps);
        return Ok(Some(FinishedRun {
            folder: folder.to_owned(),
            name: inputs.simulation.clone(),
            content: Content::Records,
            state: crate::summarize::state(run),
            reached_ps: (reached, run.map_or(0, |run| run.stop_ps)),
            window_ps: run.map(
                |RunFile {
                     recording_window_ps: (from, to),
                     ..
                 }| to.saturating_sub(*from),
            ),
            written,
        }));
    }
    let log = files.iter().any(|path| name_of(path) == OPERATIONS);
    Ok(log.then(|| FinishedRun {
        folder: folder.to_owned(),
        name: folder
            .canonicalize()
            .map_or_else(|_| name_of(folder), |path| name_of(&path)),
        content: Content::Operations,
        // The log is there whole or not at all.
        state: State::Finished,
        reached_ps: (0, 0),
        window_ps: None,
        written,
    }))
}

/// When the first and the last of the files were written.
fn written(files: &[PathBuf]) -> (SystemTime, SystemTime) {
    let times = || {
        files
            .iter()
            .filter_map(|path| path.metadata().ok()?.modified().ok())
    };
    let some = |time: Option<SystemTime>| time.unwrap_or(SystemTime::UNIX_EPOCH);
    (some(times().min()), some(times().max()))
}

/// What a run came to, as far as its records tell, with the names that the server's summaries have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// The simulation's name.
    pub simulation: String,
    /// Whether it was interrupted before its stop time.
    pub interrupted: bool,
    /// Simulated time reached, in seconds.
    pub simulated_seconds: f64,
    /// Wall-clock time, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_seconds: Option<f64>,
    /// Greatest resident memory, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_rss_bytes: Option<u64>,
    /// Frames dropped by switches and NIC receive pools, in the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drops: Option<u64>,
    /// Retransmission episodes: NAKs acted on and timeouts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retransmissions: Option<u64>,
    /// PFC pause frames sent, refreshes included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pfc_pauses: Option<u64>,
    /// Per application.
    pub applications: Vec<ApplicationSummary>,
    /// Per tier and direction.
    pub utilization: Vec<TierUtilization>,
    /// What one should know.
    pub warnings: Vec<String>,
}

impl FinishedRun {
    /// What it came to, from its records; `progress` tells meanwhile how far that is. Nothing of a log of operations.
    ///
    /// # Errors
    /// When a record cannot be read.
    pub fn figures(&self, progress: &Progress) -> Result<Option<Figures>, AnalysisError> {
        if self.content == Content::Operations {
            return Ok(None);
        }
        let summary = summarize(std::slice::from_ref(&self.folder), &Options::default(), progress)?;
        let counters = &summary.counters;
        let run = |counter: &Option<crate::summary::Counter>| counter.as_ref().map(|counter| counter.run);
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0) + b.unwrap_or(0)),
        };
        let machine = summary.machine.as_ref();
        Ok(Some(Figures {
            interrupted: self.state == State::Interrupted,
            simulated_seconds: summary.simulated_seconds,
            wall_seconds: machine.map(|machine| machine.wall_seconds),
            peak_rss_bytes: machine.map(|machine| machine.peak_rss_bytes),
            drops: sum(
                run(&counters.packets_dropped_by_switches),
                run(&counters.packets_dropped_by_nics),
            ),
            retransmissions: sum(
                run(&counters.retransmissions),
                sum(run(&counters.tcp_timeouts), run(&counters.tcp_fast_retransmits)),
            ),
            pfc_pauses: run(&counters.pauses_sent),
            simulation: summary.simulation,
            applications: summary.applications,
            utilization: summary.utilization,
            warnings: summary.notes,
        }))
    }

    /// How it ended, as the server names that, and why if it failed.
    pub fn status(&self) -> (&'static str, Option<&'static str>) {
        match self.state {
            State::Finished | State::Unknown => ("completed", None),
            State::Interrupted => ("terminated", None),
            State::Unfinished => (
                "failed",
                Some("It was ended in the middle, or runs still; open it again when it has ended"),
            ),
        }
    }

    /// How long it took in wall-clock time by the times of its files, where no record tells.
    pub fn took(&self) -> Duration {
        self.written.1.duration_since(self.written.0).unwrap_or_default()
    }
}

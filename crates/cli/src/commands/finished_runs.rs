//! Runs on disk, and what they came to.

use crate::failure::Failure;
use crate::output::complain;
use crate::watch::Watcher;
use packetloom_analysis::finished::{self, Figures, FinishedRun};
use packetloom_analysis::{AnalysisError, Progress};
use std::path::Path;
use std::sync::Arc;

fn failure(error: &AnalysisError) -> Failure {
    let text = error.to_string();
    match error.is_input() {
        true => Failure::Input(text),
        false => Failure::Machine(text),
    }
}

/// The runs in `folder` with their figures; what is left out is said on standard error.
pub fn read(folder: &Path, quiet: bool) -> Result<Vec<(FinishedRun, Option<Figures>)>, Failure> {
    let (found, notes) = finished::find(folder).map_err(|error| failure(&error))?;
    for note in notes {
        complain(&format!("note: {note}"));
    }
    let alone = found.len() == 1;
    let mut runs = Vec::new();
    for run in found {
        let progress = Arc::new(Progress::default());
        let watcher = Watcher::reading(&progress, quiet);
        let figures = run.figures(&progress);
        watcher.stop();
        match figures {
            Ok(figures) => runs.push((run, figures)),
            Err(error) if alone => return Err(failure(&error)),
            Err(error) => complain(&format!("note: {} is left out: {error}", run.folder.display())),
        }
    }
    match runs.is_empty() {
        true => Err(Failure::Input(format!(
            "{} holds no run, nor do the folders in it: a run is what `packetloom run --out` or `packetloom portals run --log` wrote",
            folder.display()
        ))),
        false => Ok(runs),
    }
}

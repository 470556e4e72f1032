//! Runs in folders of somebody's own, to look at: each becomes a simulation that has ended. Nothing is written into their
//! folders; what is computed goes into the server's.

use crate::id::{DEFAULT_WORKSPACE, Kind};
use crate::platform::{App, ServeError};
use crate::store::simulations::{Reached, SimulationRow, SimulationStatus};
use packetloom_analysis::finished::{FinishedRun, SUMMARY};
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// A run to show.
#[derive(Clone, Debug)]
pub struct ShownRun {
    /// What was found.
    pub run: FinishedRun,
    /// What it came to, as a JSON object like a job's summary; none if its records do not tell.
    pub figures: Option<String>,
}

fn ms(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64)
}

/// Adds a run to those that are shown.
pub(crate) async fn add(app: &App, shown: ShownRun) -> Result<(), ServeError> {
    let ShownRun { run, figures } = shown;
    let failed =
        |error: &dyn std::fmt::Display| ServeError::Machine(format!("{}: {error}", run.folder.display()));
    let source = run.folder.canonicalize().map_err(|error| failed(&error))?;
    // The same at each start, so that addresses can be kept.
    let id = Kind::Simulation.fixed_id(&source.to_string_lossy());
    let folder = app.results.of(&id);
    link(&source, &folder).map_err(|error| failed(&error))?;
    // What a job wrote knows more than records do.
    let known = fs::read_to_string(source.join(SUMMARY))
        .ok()
        .filter(|text| serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value.is_object()));
    if let (None, Some(figures)) = (&known, &figures) {
        let own = folder.join(SUMMARY);
        // One that is no JSON is not shown in its place.
        let _ = fs::remove_file(&own);
        fs::write(&own, figures).map_err(|error| failed(&error))?;
    }
    let summary = known.or(figures);
    let took_ms = summary
        .as_deref()
        .and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok())
        .and_then(|summary| summary["wall_seconds"].as_f64())
        .map_or(run.took().as_millis() as i64, |seconds| (seconds * 1e3) as i64);
    let end = ms(run.written.1);
    let (status, reason) = run.status();
    let status = SimulationStatus::from_text(status).unwrap_or(SimulationStatus::Completed);
    let row = SimulationRow {
        workspace_id: DEFAULT_WORKSPACE.to_owned(),
        configuration_id: Kind::Configuration.fixed_id(&source.to_string_lossy()),
        configuration_version: 1,
        name: run.name.clone(),
        status,
        duration: run
            .window_ps
            .map_or_else(String::new, |ps| format!("{}ns", ps / 1_000)),
        created_at: end.saturating_sub(took_ms),
        started_at: Some(end.saturating_sub(took_ms)),
        completed_at: Some(end),
        failure_reason: reason.map(str::to_owned),
        reached: Reached {
            simulated_ps: run.reached_ps.0,
            stop_ps: run.reached_ps.1,
            ..Reached::default()
        },
        summary,
        id: id.clone(),
    };
    app.store
        .add_simulation(&row, None)
        .await
        .map_err(|error| ServeError::Machine(format!("the database: {error}")))?;
    let mut shown = app
        .results
        .shown
        .write()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    shown.insert(id, source);
    Ok(())
}

/// Makes `folder`, in which each file of `source` is as a link. Hidden files and folders are left out, as is what is being
/// written under another name first.
fn link(source: &Path, folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(source)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if name.starts_with('.') || name.ends_with(".part") || !entry.path().is_file() {
            continue;
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(entry.path(), folder.join(&name))?;
        #[cfg(not(unix))]
        fs::copy(entry.path(), folder.join(&name)).map(|_| ())?;
    }
    Ok(())
}

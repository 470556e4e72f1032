//! What a server that died has left: simulations that it counted as running.

use super::child::{lock_of, up_to};
use super::log::{Level, Log};
use crate::platform::App;
use crate::store::StoreError;
use crate::store::simulations::SimulationStatus;
use packetloom_records::RunFile;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a process may take to find out that its server is gone, and to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Ends what was running as failed, once its process has let go of its files.
pub(super) async fn recover(app: &App) -> Result<(), StoreError> {
    let left = app.store.simulations_with(SimulationStatus::Running).await?;
    let deadline = Instant::now() + PATIENCE;
    for id in left {
        let lock = lock_of(&app.options.data, &id);
        let gone = wait_for(&lock, deadline).await;
        if !gone {
            end_process(&lock, &id);
            wait_for(&lock, Instant::now() + PATIENCE).await;
        }
        let mut reached = app
            .store
            .simulation(&id)
            .await?
            .map(|row| row.reached)
            .unwrap_or_default();
        if let Some(end) = simulated_ps(&app.results.of(&id)) {
            reached.simulated_ps = reached.simulated_ps.max(end);
        }
        // It may have come to its end, and only that not have been written down.
        if let Some(summary) = whole_summary(&app.results.of(&id)) {
            let completed = SimulationStatus::Completed;
            app.store
                .end_simulation(&id, completed, None, Some(reached), Some(&summary))
                .await?;
            let _ = fs::remove_file(&lock);
            app.jobs.ended(&id, completed);
            continue;
        }
        let reason = format!("the server ended while it ran; {}", up_to(reached));
        if let Err(error) = Log::of(&app.results.of(&id)).add(Level::Error, "server", &reason) {
            tracing::warn!(simulation = id, %error, "its log cannot be written");
        }
        tracing::warn!(
            simulation = id,
            reason,
            "found a simulation that an earlier server ran"
        );
        app.store
            .end_simulation(&id, SimulationStatus::Failed, Some(&reason), Some(reached), None)
            .await?;
        let _ = fs::remove_file(&lock);
        app.jobs.ended(&id, SimulationStatus::Failed);
    }
    Ok(())
}

/// Waits until nobody holds `lock`; whether that came true.
async fn wait_for(lock: &Path, deadline: Instant) -> bool {
    loop {
        match File::open(lock)
            .map_err(TryLockError::Error)
            .and_then(|file| file.try_lock())
        {
            Ok(()) => return true,
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::NotFound => return true,
            Err(TryLockError::Error(error)) => {
                tracing::warn!(lock = %lock.display(), %error, "cannot tell whether a simulation still runs");
                return false;
            }
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return false,
            Err(TryLockError::WouldBlock) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Ends the process whose number stands in `lock`, if it is that of simulation `id`.
fn end_process(lock: &Path, id: &str) {
    let number = fs::read_to_string(lock)
        .ok()
        .and_then(|text| text.trim().parse::<i32>().ok());
    let Some(number) = number else { return };
    let command = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
    let ours = command
        .split(|byte| *byte == 0)
        .any(|argument| argument == id.as_bytes());
    #[cfg(unix)]
    if let Some(process) = rustix::process::Pid::from_raw(number).filter(|_| ours) {
        tracing::warn!(
            simulation = id,
            process = number,
            "its process does not end; killing it"
        );
        let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = ours;
}

/// What a run came to that has come to its stop time: the summary it leaves last of all.
fn whole_summary(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join("summary.json")).ok()?;
    let summary: serde_json::Value = serde_json::from_str(&text).ok()?;
    (summary["interrupted"] == false).then(|| summary.to_string())
}

/// The simulated time at which a run ended, as the file beside its records says.
fn simulated_ps(folder: &Path) -> Option<u64> {
    let entries = fs::read_dir(folder).ok()?;
    let mut names = entries.flatten().map(|entry| entry.path());
    let path = names.find(|path| {
        path.file_name()
            .is_some_and(|name| RunFile::is_name(&name.to_string_lossy()))
    })?;
    Some(RunFile::read(&path).ok()?.ended?.simulated_ps)
}

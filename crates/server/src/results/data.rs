//! Data computed from the records of a simulation, kept beside them.

use super::Results;
use packetloom_analysis::data::{Data, DataError, Metric, Mode, Tier, compute};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

/// How hard to compress: the library's own choice between size and speed.
const LEVEL: i32 = 3;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Of what.
    pub metric: Metric,
    /// In which form.
    pub mode: Mode,
    /// Of which tier.
    pub tier: Tier,
    /// Of one switch or host only, for series.
    pub component: Option<String>,
}

/// What was computed, beside the file with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Computed {
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// From how many rows.
    pub rows: u64,
    /// In how many milliseconds.
    pub took_ms: u64,
}

/// Why there is no data.
#[derive(Debug)]
pub enum NoData {
    /// The simulation has no records of that kind.
    None,
    /// The record has no row of that switch or host.
    Component,
    /// It cannot be computed.
    Failed(String),
}

impl Wanted {
    /// The file with it, from the simulation's folder on.
    pub fn file(&self) -> String {
        use sha2::{Digest, Sha256};
        let of = match &self.component {
            None => String::new(),
            // What users name does not become part of a file's name.
            Some(name) => {
                let digest = Sha256::digest(name.as_bytes());
                "-".to_owned()
                    + &digest[..8]
                        .iter()
                        .map(|byte| format!("{byte:02x}"))
                        .collect::<String>()
            }
        };
        format!(
            "data/{}-{}-{}{of}.json.zst",
            self.metric.as_str(),
            self.mode.as_str(),
            self.tier.as_str()
        )
    }
}

impl Results {
    /// The data of simulation `id`: what was computed before if the simulation has `ended`, else computed now. The second part
    /// says whether it was there.
    ///
    /// # Errors
    /// When there is nothing to compute it from, or that fails.
    pub async fn data(
        &self,
        id: &str,
        wanted: &Wanted,
        ended: bool,
        heavy: &Arc<tokio::sync::Semaphore>,
    ) -> Result<(Computed, bool), NoData> {
        let folder = self.of(id);
        let failed = |error: &dyn std::fmt::Display| NoData::Failed(error.to_string());
        // One at a time of the same file; the others find it there.
        let key = format!("{id}/{}", wanted.file());
        let turn = {
            let mut computing = self.computing.lock().unwrap_or_else(PoisonError::into_inner);
            computing.retain(|_, turn| Arc::strong_count(turn) > 1);
            Arc::clone(computing.entry(key).or_default())
        };
        let _turn = turn.lock().await;
        if ended && let Some(computed) = stored(&folder, wanted) {
            return Ok((computed, true));
        }
        let _permit = heavy.acquire().await.map_err(|error| failed(&error))?;
        let wanted = wanted.clone();
        let work = tokio::task::spawn_blocking(move || make(&folder, &wanted, ended));
        let computed = work.await.map_err(|error| failed(&error))??;
        Ok((computed, false))
    }
}

/// The note beside the file.
fn note(folder: &Path, wanted: &Wanted) -> std::path::PathBuf {
    folder
        .join(wanted.file())
        .with_extension("")
        .with_extension("note")
}

fn stored(folder: &Path, wanted: &Wanted) -> Option<Computed> {
    let text = fs::read_to_string(note(folder, wanted)).ok()?;
    folder
        .join(wanted.file())
        .is_file()
        .then(|| serde_json::from_str(&text).ok())
        .flatten()
}

/// Computes and writes: the file first, the note that it is there for good last.
fn make(folder: &Path, wanted: &Wanted, ended: bool) -> Result<Computed, NoData> {
    let begun = Instant::now();
    let data = compute(
        folder,
        wanted.metric,
        wanted.mode,
        wanted.tier,
        wanted.component.as_deref(),
    )
    .map_err(|error| match error {
        DataError::None => NoData::None,
        DataError::Mode(..) => NoData::Failed(error.to_string()),
        DataError::Analysis(error) => NoData::Failed(error.to_string()),
    })?;
    // Nothing is kept of what is not there.
    if wanted.component.is_some() && data.rows_processed == 0 {
        return Err(NoData::Component);
    }
    let path = folder.join(wanted.file());
    write(&path, &data).map_err(|error| NoData::Failed(format!("{}: {error}", path.display())))?;
    let computed = Computed {
        at_ms: crate::time::now_ms(),
        rows: data.rows_processed,
        took_ms: begun.elapsed().as_millis() as u64,
    };
    if ended {
        let text = serde_json::to_string(&computed).map_err(|error| NoData::Failed(error.to_string()))?;
        crate::jobs::process::write_whole(&note(folder, wanted), &text)
            .map_err(|error| NoData::Failed(error.to_string()))?;
    }
    Ok(computed)
}

fn write(path: &Path, data: &Data) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        // Not the folder of the simulation: if that is gone, the simulation is.
        match fs::create_dir(parent) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    let part = path.with_extension("part");
    let written = (|| {
        let mut encoder = zstd::Encoder::new(File::create(&part)?, LEVEL)?;
        serde_json::to_writer(&mut encoder, data)?;
        encoder.flush()?;
        encoder.finish()?.sync_data()?;
        fs::rename(&part, path)
    })();
    written.inspect_err(|_| {
        let _ = fs::remove_file(&part);
    })
}

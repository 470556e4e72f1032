//! `packetloom report`: runs on disk as one file of HTML.

use super::finished_runs;
use crate::failure::Failure;
use crate::output;
use crate::text;
use crate::watch::Watcher;
use clap::Args;
use packetloom_analysis::Progress;
use packetloom_analysis::data::{DataError, Metric, Mode, Tier, compute_watched, size};
use packetloom_analysis::finished::{Content, Figures, FinishedRun, OPERATIONS, SUMMARY};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

const EXAMPLES: &str = "\
Examples:
  packetloom report runs/short                       write short-report.html: all plots of a run
  packetloom report runs --out all.html              of all runs in the folders in it, with what differs
  packetloom report log                              what `packetloom portals run --log log` wrote

The file needs nothing else: send it, and open it in any browser. It holds figures and series of
at most 2,000 points, not the rows they were computed from.";

/// Most points of a series: about as many as a screen has.
const POINTS: usize = 2_000;
/// The largest text that is taken in as a whole, in bytes.
const LARGEST_TEXT: u64 = 32 << 20;
/// Most operations of a log that are taken in.
const OPERATIONS_KEPT: usize = 100_000;

/// What the page draws. The page finds it under `METRIC MODE`.
const DRAWN: &[(Metric, &[Mode])] = &[
    (Metric::RdmaPerf, &[Mode::Summary, Mode::TimeSeries]),
    (Metric::Perf, &[Mode::Summary, Mode::TimeSeries]),
    (Metric::NdStats, &[Mode::TimeSeries, Mode::HeatMap, Mode::Ports]),
    (Metric::Pfc, &[Mode::TimeSeries, Mode::HeatMap, Mode::Ports]),
];

/// Write one file of HTML with the plots of runs on disk, to send to somebody.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Report {
    /// The folder of a run, or one with folders of runs in it
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// The file to write; one that is there is written over [default: NAME-report.html, NAME that of the run or folder]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// A run as the page's `still.js` reads it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    details: Details,
    files: Vec<ShownFile>,
    told: Option<Value>,
    document: Option<Value>,
    data: Map<String, Value>,
    texts: Map<String, Value>,
    cut: Vec<&'static str>,
}

/// What the server says of a simulation, as far as it is known.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    id: String,
    name: String,
    status: &'static str,
    created_at: String,
    completed_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure_reason: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownFile {
    name: String,
    r#type: String,
    size_bytes: u64,
}

impl Report {
    /// Reads the runs and writes the file.
    pub fn execute(self) -> Result<(), Failure> {
        let runs = finished_runs::read(&self.folder, self.quiet)?;
        let name = match &*runs {
            [(run, _)] => run.name.clone(),
            _ => self
                .folder
                .canonicalize()
                .ok()
                .map_or_else(String::new, |path| name_of(&path)),
        };
        let out = self
            .out
            .clone()
            .unwrap_or_else(|| format!("{name}-report.html").into());
        let progress = Arc::new(Progress::default());
        let passes = |run: &FinishedRun| -> u64 {
            let read = |(metric, modes): &(Metric, &[Mode])| size(&run.folder, *metric) * modes.len() as u64;
            DRAWN.iter().map(read).sum()
        };
        progress.begin(runs.iter().map(|(run, _)| passes(run)).sum());
        let watcher = Watcher::reading(&progress, self.quiet);
        let shown: Result<Vec<Shown>, Failure> = runs
            .into_iter()
            .enumerate()
            .map(|(n, (run, figures))| shown(n, &run, figures.as_ref(), &progress))
            .collect();
        watcher.stop();
        let json = serde_json::to_string(&serde_json::json!({ "runs": shown? }))
            .map_err(|error| Failure::Machine(format!("cannot write the runs as JSON: {error}")))?;
        let html = packetloom_web::single(&format!("{name} – Packetloom"), &json)
            .map_err(|error| Failure::Machine(format!("cannot make the page: {error}")))?;
        write(&out, &html).map_err(|error| {
            Failure::Machine(format!(
                "cannot write {}: {error}; name another file with --out",
                out.display()
            ))
        })?;
        output::print(&format!(
            "{} ({})\n",
            out.display(),
            text::memory(html.len() as u64)
        ))
    }
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Writes it whole: under another name first, then renamed.
fn write(path: &Path, html: &str) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    // As any new file: who may read it is its owner's choice.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.prefix(".report-").tempfile_in(folder)?;
    file.write_all(html.as_bytes())?;
    file.as_file().sync_data()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Everything the page wants of a run.
fn shown(
    n: usize,
    run: &FinishedRun,
    figures: Option<&Figures>,
    progress: &Progress,
) -> Result<Shown, Failure> {
    let mut data = Map::new();
    if run.content == Content::Records {
        for (metric, modes) in DRAWN {
            for mode in *modes {
                let found = match compute_watched(&run.folder, *metric, *mode, Tier::All, None, progress) {
                    Ok(found) => found.thinned(POINTS),
                    Err(DataError::None) => continue,
                    Err(error) => return Err(Failure::Machine(error.to_string())),
                };
                let value = serde_json::to_value(&found)
                    .map_err(|error| Failure::Machine(format!("cannot write data as JSON: {error}")))?;
                data.insert(format!("{} {}", metric.as_str(), mode.as_str()), value);
            }
        }
    }
    let (status, failure_reason) = run.status();
    let files = files(&run.folder);
    let (mut texts, mut cut, mut document) = (Map::new(), Vec::new(), None);
    for ShownFile { name, size_bytes, .. } in &files {
        let path = run.folder.join(name);
        let unread = |error: io::Error| Failure::Machine(format!("cannot read {}: {error}", path.display()));
        if name.ends_with("topology-report-0.csv") && *size_bytes <= LARGEST_TEXT {
            texts.insert(
                name.clone(),
                Value::String(fs::read_to_string(&path).map_err(unread)?),
            );
        } else if name == OPERATIONS {
            let (text, whole) = beginning(&path, OPERATIONS_KEPT).map_err(unread)?;
            texts.insert(name.clone(), Value::String(text));
            if !whole {
                cut.push(OPERATIONS);
            }
        } else if (name == "configuration.json" || name.ends_with("-configuration.json"))
            && *size_bytes <= LARGEST_TEXT
        {
            document = object(&path);
        }
    }
    let known = files
        .iter()
        .find(|file| file.name == SUMMARY)
        .and_then(|file| object(&run.folder.join(&file.name)));
    let window = run.window_ps.map(|ps| format!("{}ns", ps / 1_000));
    Ok(Shown {
        details: Details {
            // Only where runs are found again in the page itself.
            id: format!("run-{}", n + 1),
            name: run.name.clone(),
            status,
            created_at: iso(run.written.0),
            completed_at: iso(run.written.1),
            duration: window,
            failure_reason,
        },
        // What a job wrote knows more than records do.
        told: known.or_else(|| serde_json::to_value(figures?).ok()),
        files,
        document,
        data,
        texts,
        cut,
    })
}

fn iso(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}

/// The JSON object in a file, if it is there and one.
fn object(path: &Path) -> Option<Value> {
    let value: Value = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
    value.is_object().then_some(value)
}

/// The files of a folder, by name. What a link leads to elsewhere is none of them: a report may go to somebody else.
fn files(folder: &Path) -> Vec<ShownFile> {
    let inside = |path: &Path| {
        let folder = folder.canonicalize().ok();
        folder.is_some_and(|folder| path.canonicalize().is_ok_and(|path| path.starts_with(folder)))
    };
    let mut files: Vec<ShownFile> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let meta = fs::metadata(entry.path()).ok().filter(fs::Metadata::is_file)?;
            let shown = !name.starts_with('.') && !name.ends_with(".part") && inside(&entry.path());
            shown.then(|| ShownFile {
                r#type: name.rsplit_once('.').map_or("", |(_, ending)| ending).to_owned(),
                size_bytes: meta.len(),
                name,
            })
        })
        .collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

/// The first lines of a file, `rows` at most below the heading, and whether that is all of it.
fn beginning(path: &Path, rows: usize) -> io::Result<(String, bool)> {
    let mut reader = BufReader::new(fs::File::open(path)?);
    let mut text = String::new();
    for _ in 0..=rows {
        if reader.read_line(&mut text)? == 0 {
            return Ok((text, true));
        }
    }
    Ok((text, reader.fill_buf()?.is_empty()))
}

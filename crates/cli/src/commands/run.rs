//! `packetloom run`: simulates a document.

use crate::failure::Failure;
use crate::interrupt::on_interrupt;
use crate::output::{self, complain};
use crate::report;
use crate::source::Source;
use crate::text;
use crate::watch::Watcher;
use clap::{Args, ValueEnum};
use packetloom_config::{Document, catalog};
use packetloom_records::{Formats, check_simulation_name};
use packetloom_sim::progress::Progress;
use packetloom_sim::summary::Summary;
use packetloom_sim::{RunError, RunOptions};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

const EXAMPLES: &str = "\
Examples:
  packetloom run fabric.json
  packetloom run template:rdma-16-hosts --set SimulationParameters.RunTime=0.01 --out runs/short
  packetloom run fabric.json --set Nic.ScalaRoceQpManager.MSS=2048B --seed 7
  packetloom run template:tcp-16-hosts --set Tcp.CongestionControl=newreno
  packetloom run fabric.json --json | jq .applications
  packetloom run fabric.json --format csv,parquet

The records are CSV files named SIM-RECORD-SHARD.csv in the folder that --out names;
'packetloom summary' sums them up.
Ctrl-C ends a run with what it has (exit code 130); one more, half a second later or more,
ends it at once.";

/// Run a simulation and print its summary.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Run {
    #[command(flatten)]
    source: Source,

    /// Folder of the records; it is created, and must not hold records yet [default: runs/SIM-TIME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Name of the simulation, with which its files begin [default: the document's name]
    #[arg(long, value_name = "SIM")]
    name: Option<String>,

    /// Seed of everything drawn at random, in place of the document's RandomSeed
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// In which formats to leave the records; Parquet files are made from the CSV ones when the run ends
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        value_delimiter = ',',
        default_value = "csv"
    )]
    format: Vec<RecordFormat>,

    /// Show neither progress nor the summary
    #[arg(long, short)]
    quiet: bool,

    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
}

/// A format of record files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RecordFormat {
    /// Text, a row a line
    Csv,
    /// Apache Parquet, in builds that have it
    Parquet,
}

/// A document with every attribute of its models written out, as JSON.
fn written_out(document: &Document) -> Result<String, Failure> {
    serde_json::to_string_pretty(&catalog::full_leaves(document))
        .map(|text| text + "\n")
        .map_err(|error| Failure::Machine(format!("cannot write the document as JSON: {error}")))
}

impl Run {
    /// Runs it.
    pub fn execute(mut self) -> Result<(), Failure> {
        if let Some(name) = &self.name {
            // Here and not by clap, which would print the name as it is, with what it may hold to confuse a terminal.
            check_simulation_name(name).map_err(|error| Failure::Input(error.to_string()))?;
        }
        let formats = Formats {
            csv: self.format.contains(&RecordFormat::Csv),
            parquet: self.format.contains(&RecordFormat::Parquet),
        };
        formats
            .check()
            .map_err(|error| Failure::Input(format!("--format: {error}")))?;
        if let Some(seed) = self.seed {
            // Last, so that it wins over a --set of the same attribute.
            self.source
                .set
                .push(format!("SimulationParameters.RandomSeed={seed}"));
        }
        let (document, scenario) = self.source.both()?;
        let renamed = self.name.is_none() && check_simulation_name(&scenario.name).is_err();
        let name = self
            .name
            .take()
            .unwrap_or_else(|| text::file_safe(&scenario.name));
        let (out, claimed) = match self.out.take() {
            Some(out) => (out, false),
            None => (claim_folder(Path::new("runs"), &name, SystemTime::now()), true),
        };
        let mut options = RunOptions::new(name, out);
        options.formats = formats;
        options.document = Some(written_out(&document)?);

        // Before the run, which may be long: they may be a reason to stop it.
        if renamed {
            complain(&format!(
                "warning: the simulation is called {:?}: the document's name {:?} cannot be part of a file name",
                options.name, scenario.name
            ));
        }
        warn(&scenario.warnings);
        let progress = Arc::new(Progress::default());
        let interrupted = Arc::clone(&progress);
        on_interrupt(move || interrupted.interrupt())?;
        let watcher = Watcher::start(&progress, self.quiet);
        let result = packetloom_sim::run(&scenario, &options, &progress);
        watcher.stop();
        if claimed && result.is_err() {
            // They go only if nothing is in them.
            let _ = fs::remove_dir(&options.out);
            let _ = fs::remove_dir("runs");
        }

        let summary = result.map_err(|error| match error {
            RunError::Input(message) => Failure::Input(message),
            RunError::Machine(message) => Failure::Machine(message + &what_remains(&progress, &options.out)),
        })?;
        let printed = self.print(&summary);
        // Last, where they are seen, and also when the summary cannot be printed.
        warn(
            summary
                .warnings
                .iter()
                .filter(|warning| !scenario.warnings.contains(warning)),
        );
        printed?;
        if summary.interrupted {
            let reached = text::seconds(summary.simulated_seconds);
            complain(&format!(
                "interrupted at {reached} of simulated time; the records up to there are in {}",
                summary.out
            ));
            return Err(Failure::Interrupted);
        }
        Ok(())
    }

    fn print(&self, summary: &Summary) -> Result<(), Failure> {
        if self.json {
            let json = serde_json::to_string(summary)
                .map_err(|error| Failure::Machine(format!("cannot write the summary as JSON: {error}")))?;
            output::print(&(json + "\n"))
        } else if self.quiet {
            Ok(())
        } else {
            output::print(&report::tables(summary))
        }
    }
}

/// What a run that the machine ended leaves in `out`; nothing if it had not begun.
fn what_remains(progress: &Progress, out: &Path) -> String {
    match progress.simulated().0 {
        0 => String::new(),
        reached => format!(
            "; the run had come to {} of simulated time, and its records so far stay in {}, each up to its last whole row",
            text::seconds(reached as f64 / 1e12),
            out.display()
        ),
    }
}

fn warn<'a>(warnings: impl IntoIterator<Item = &'a String>) {
    for warning in warnings {
        complain(&format!("warning: {warning}"));
    }
}

/// Makes `{name}-{time}` in `parent`, or the first of `-2`, `-3`, … behind it that nobody else has made: runs started in the same
/// second each get one of their own.
fn claim_folder(parent: &Path, name: &str, now: SystemTime) -> PathBuf {
    let time = humantime::format_rfc3339_seconds(now)
        .to_string()
        .replace(['-', ':'], "");
    let first = parent.join(format!("{name}-{time}"));
    let mut folder = first.clone();
    // What cannot be made is told by the run, which needs the folder.
    let _ = fs::create_dir_all(parent);
    for n in 2.. {
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                folder = parent.join(format!("{name}-{time}-{n}"));
            }
            _ => break,
        }
    }
    folder
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn default_folders_are_named_after_simulation_and_time() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_768_331_499);
        let parent = tempfile::tempdir().expect("a folder");
        let runs = parent.path().join("runs");
        // Eight at once, as a shell loop starts them.
        let mut claimed: Vec<PathBuf> = std::thread::scope(|scope| {
            let claims: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| claim_folder(&runs, "demo", now)))
                .collect();
            claims
                .into_iter()
                .map(|claim| claim.join().expect("no panic"))
                .collect()
        });
        assert!(claimed.contains(&runs.join("demo-20260113T191139Z")));
        claimed.sort();
        claimed.dedup();
        assert_eq!(claimed.len(), 8, "each its own");
    }
}

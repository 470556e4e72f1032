//! `packetloom summary`: sums up the records of a run.

use crate::failure::Failure;
use crate::output::{self, complain};
use crate::records_report;
use crate::watch::Watcher;
use clap::Args;
use packetloom_analysis::{Options, Progress, RunSummary, summarize};
use packetloom_des::Time;
use packetloom_records::parse;
use std::path::PathBuf;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  packetloom summary runs/short
  packetloom summary runs/short --from 0.0052 --to 0.0056
  packetloom summary runs/short/*-rdma-perf-*.csv
  packetloom summary runs/short --json | jq .counters.packets_dropped_by_switches

Figures are those of the run's recording window, which the file SIM-run.json beside the
records tells; without it and without --from and --to they are of the whole run. Records of a
run that goes on can be read too: a row that is being written is left out.";

/// Sum up the records of a run.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Summary {
    /// The folder of a run's records, or some of its files
    #[arg(value_name = "DIR|FILE", required = true)]
    paths: Vec<PathBuf>,

    /// Start of the window that figures are of, in seconds of simulated time [default: the recording window's]
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    from: Option<Time>,

    /// End of that window, itself included [default: the recording window's]
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    to: Option<Time>,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,

    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
}

impl Summary {
    /// Reads the records and prints their summary.
    pub fn execute(self) -> Result<(), Failure> {
        let options = Options {
            from: self.from,
            to: self.to,
        };
        let progress = Arc::new(Progress::default());
        let watcher = Watcher::reading(&progress, self.quiet);
        let result = summarize(&self.paths, &options, &progress);
        watcher.stop();
        let summary = result.map_err(|error| {
            let text = error.to_string();
            if error.is_input() {
                Failure::Input(text)
            } else {
                Failure::Machine(text)
            }
        })?;
        let printed = self.print(&summary);
        for note in &summary.notes {
            complain(&format!("note: {note}"));
        }
        printed
    }

    fn print(&self, summary: &RunSummary) -> Result<(), Failure> {
        if !self.json {
            return output::print(&records_report::tables(summary));
        }
        let json = serde_json::to_string(summary)
            .map_err(|error| Failure::Machine(format!("cannot write the summary as JSON: {error}")))?;
        output::print(&(json + "\n"))
    }
}

/// A simulated time in seconds, exact to the picosecond.
fn time(text: &str) -> Result<Time, String> {
    parse::scaled(text.as_bytes(), 12)
        .map(Time::from_ps)
        .ok_or_else(|| "give seconds of simulated time, such as 0.005".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact_seconds() {
        assert_eq!(time("0.005"), Ok(Time::from_ps(5_000_000_000)));
        assert_eq!(time("1e-3"), Ok(Time::from_ps(1_000_000_000)));
        for text in ["", "-1", "5ms", "nan", "1e9"] {
            assert!(time(text).is_err(), "{text}");
        }
    }
}

//! `packetloom open`: runs on disk in the browser.

use super::runtime;
use crate::commands::finished_runs;
use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use clap::Args;
use packetloom_server::telemetry::{self, LogFormat};
use packetloom_server::{CancellationToken, Ready, ShownRun};
use std::net::SocketAddr;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  packetloom open runs/short                         one run
  packetloom open runs                               all runs in the folders in it, to compare them
  packetloom open log                                what `packetloom portals run --log log` wrote
  packetloom open runs --listen 127.0.0.1:9000       where the address should stay the same

The address it prints lets you in: open it in a browser on this machine. Nothing is written into
the folder, and nothing is kept. Ctrl-C ends it.";

/// Look at runs on disk in a browser.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Open {
    /// The folder of a run, or one with folders of runs in it
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Where to listen, on this machine alone; port 0 takes any free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

impl Open {
    /// Shows them until a signal ends it.
    pub fn execute(self) -> Result<(), Failure> {
        if !self.listen.ip().is_loopback() {
            return Err(Failure::Input(format!(
                "--listen: others could reach {}; give an address of this machine alone, such as 127.0.0.1:9000, or use `packetloom serve`",
                self.listen.ip()
            )));
        }
        let runs = finished_runs::read(&self.folder, self.quiet)?;
        let mut shown = Vec::new();
        for (run, figures) in runs {
            let figures = figures
                .map(|figures| serde_json::to_string(&figures))
                .transpose()
                .map_err(|error| Failure::Machine(format!("cannot write figures as JSON: {error}")))?;
            shown.push(ShownRun { run, figures });
        }
        telemetry::start_log(LogFormat::Text, "warn")?;
        let data = tempfile::Builder::new()
            .prefix("packetloom-open-")
            .tempdir()
            .map_err(|error| {
                Failure::Machine(format!(
                    "cannot make a folder in {}: {error}; name another with TMPDIR",
                    std::env::temp_dir().display()
                ))
            })?;
        let many = shown.len();
        let end = CancellationToken::new();
        let asked = end.clone();
        interrupt::on_interrupt(move || asked.cancel())?;
        let served = runtime()?.block_on(packetloom_server::show(
            shown,
            self.listen,
            data.path().to_owned(),
            end,
            |ready| {
                // Whoever started it may not listen.
                let _ = output::print(&greeting(&ready, many));
            },
        ));
        Ok(served?)
    }
}

fn greeting(ready: &Ready, many: usize) -> String {
    let runs = if many == 1 { "the run is" } else { "the runs are" };
    format!(
        "{many} to look at; {runs} at this address until Ctrl-C:\nhttp://{}/#token={}\n",
        ready.address,
        ready.first_token.as_deref().unwrap_or_default()
    )
}

//! `packetloom serve`: the platform over HTTP.

use super::{data_folder, runtime};
use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use clap::{Args, ValueEnum};
use packetloom_server::telemetry::{self, LogFormat};
use packetloom_server::{CancellationToken, Ready, ServeOptions};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread;

const EXAMPLES: &str = "\
Examples:
  packetloom serve                                   on http://127.0.0.1:8080, for this machine only
  packetloom serve --listen 127.0.0.1:9000 --data ./platform --jobs 4
  packetloom serve --listen 0.0.0.0:8080             for others too; they need a token
  packetloom token create alice                      make one, also while the server runs
  curl http://127.0.0.1:8080/api/v1/health

The first start prints a token. The API is described at /docs; docs/server.md says more.
SIGTERM and Ctrl-C end the server: simulations that run end with whole files, those that wait run
at the next start.";

/// Serve configurations, simulations and results over HTTP.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Serve {
    /// Where to listen; port 0 takes any free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

    /// Folder of the database and the results; created if missing [default: the user's data folder]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// How many simulations run at once; 0 starts none [default: one a core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,

    /// Ask nobody for a token; only where nobody else can connect
    #[arg(long)]
    no_auth: bool,

    /// Most connections at once
    #[arg(long, value_name = "N", default_value_t = 1_024)]
    connections: usize,

    /// How lines of the log, on standard error, look
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    log_format: Format,

    /// What the log tells: error, warn, info, debug (each request) or trace
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log_level: String,

    /// A database server; not available yet
    #[arg(long, value_name = "URL", hide = true)]
    database: Option<String>,

    /// A store for results elsewhere; not available yet
    #[arg(long, value_name = "URL", hide = true)]
    results: Option<String>,

    /// What starts simulations of several processes; not available yet
    #[arg(long, value_name = "COMMAND", hide = true)]
    launcher: Option<String>,
}

/// How lines of the log look.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// A JSON object a line
    Json,
}

impl Serve {
    /// Serves until a signal ends it.
    pub fn execute(self) -> Result<(), Failure> {
        for (name, given, instead) in [
            (
                "--database",
                &self.database,
                "database servers are not available yet; leave it out to use SQLite in the folder of --data",
            ),
            (
                "--results",
                &self.results,
                "stores elsewhere are not available yet; leave it out to keep results in the folder of --data",
            ),
            (
                "--launcher",
                &self.launcher,
                "simulations of several processes are not available yet; leave it out",
            ),
        ] {
            if given.is_some() {
                return Err(Failure::Input(format!("{name}: {instead}")));
            }
        }
        if self.connections == 0 {
            return Err(Failure::Input("--connections: is 0; give 1 or more".to_owned()));
        }
        let format = match self.log_format {
            Format::Text => LogFormat::Text,
            Format::Json => LogFormat::Json,
        };
        telemetry::start_log(format, &self.log_level)?;
        let program = std::env::current_exe()
            .map_err(|error| Failure::Machine(format!("cannot find this program's own file: {error}")))?;
        let options = ServeOptions {
            listen: self.listen,
            data: data_folder(self.data)?,
            jobs: self
                .jobs
                .unwrap_or_else(|| thread::available_parallelism().map_or(1, |n| n.get())),
            no_auth: self.no_auth,
            program,
            connections: self.connections,
            shows_only: false,
        };
        let data = options.data.clone();
        let end = CancellationToken::new();
        let asked = end.clone();
        interrupt::on_interrupt(move || asked.cancel())?;
        let served = runtime()?.block_on(packetloom_server::serve(options, end, |ready| {
            // Whoever started it may not listen.
            let _ = output::print(&greeting(&ready, &data));
        }));
        Ok(served?)
    }
}

fn greeting(ready: &Ready, data: &std::path::Path) -> String {
    let mut text = format!(
        "listening on http://{}\ndata in {}; the web page at /, the API described at /docs\n",
        ready.address,
        data.display()
    );
    if let Some(token) = &ready.first_token {
        text +=
            &format!("there was no token yet; this one, called \"first\", is shown only once:\n{token}\n");
    }
    text
}

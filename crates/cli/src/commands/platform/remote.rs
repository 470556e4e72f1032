//! `packetloom remote`: a client of a server.

use super::client::Client;
use crate::failure::Failure;
use crate::output::{self, complain};
use crate::table::Table;
use crate::text;
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use packetloom_config::document::Document;
use packetloom_config::load::{self, LoadError};
use packetloom_config::{global, overrides, template};
use packetloom_params::{Attributes, Errors};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  export PACKETLOOM_URL=http://127.0.0.1:8080 PACKETLOOM_TOKEN=plt_...
  packetloom remote submit fabric.json --duration 1ms --wait
  SIM=$(packetloom remote submit template:rdma-16-hosts | tail -n 1)
  packetloom remote status                           the latest simulations
  packetloom remote status $SIM
  packetloom remote fetch $SIM --out runs/remote     its files, checked
  packetloom remote terminate $SIM

A token on the command line can be seen by others on the machine; the environment variable cannot.";

/// Send simulations to a server, follow them, and fetch what they came to.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Remote {
    /// The server
    #[arg(
        long,
        env = "PACKETLOOM_URL",
        default_value = "http://127.0.0.1:8080",
        global = true
    )]
    url: String,

    /// The token to ask it with
    #[arg(long, env = "PACKETLOOM_TOKEN", hide_env_values = true, global = true)]
    token: Option<String>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Store a document on the server, have it checked, and ask for its simulation
    Submit(Submit),
    /// Show how simulations stand
    Status {
        /// The simulation; the latest ones if left out
        sim: Option<String>,
        /// Print the server's answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Fetch the files of a simulation, and check that they came whole
    Fetch {
        /// The simulation
        sim: String,
        /// Folder for them; created if missing [default: runs/SIM]
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// End a simulation with what it has
    Terminate {
        /// The simulation
        sim: String,
    },
}

#[derive(Args)]
struct Submit {
    /// A configuration file, or template:NAME for one of the templates
    #[arg(value_name = "FILE|template:NAME")]
    document: String,

    /// Change one attribute; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<String>,

    /// Length of the recording window in simulated time, such as 1ms [default: the document's RunTime]
    #[arg(long, value_name = "TIME")]
    duration: Option<String>,

    /// Name of the simulation [default: the document's name]
    #[arg(long, value_name = "SIM")]
    name: Option<String>,

    /// Follow it to its end
    #[arg(long)]
    wait: bool,
}

impl Remote {
    /// Carries the command out.
    pub fn execute(self) -> Result<(), Failure> {
        let client = Client::new(&self.url, self.token)?;
        match self.command {
            Command::Submit(submit) => submit.execute(&client),
            Command::Status { sim: Some(sim), json } => {
                let details = client.get(&format!("/simulations/{}", part(&sim)))?;
                output::print(&if json {
                    format!("{details}\n")
                } else {
                    described(&details)
                })
            }
            Command::Status { sim: None, json } => {
                let list = client.get("/simulations?limit=20")?;
                output::print(&if json { format!("{list}\n") } else { listed(&list) })
            }
            Command::Fetch { sim, out } => fetch(&client, &sim, out),
            Command::Terminate { sim } => {
                let details = client.post(&format!("/simulations/{}/terminate", part(&sim)), &json!({}))?;
                output::print(&described(&details))
            }
        }
    }
}

/// A part of a path: whatever is no letter, digit or `_` cannot be in an identifier, and goes no further.
fn part(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '-'
            }
        })
        .collect()
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("-")
}

/// One simulation, an item a line.
fn described(details: &Value) -> String {
    let mut lines = vec![
        ("Simulation", word(details, "id").to_owned()),
        ("Name", word(details, "name").to_owned()),
        ("Status", word(details, "status").to_owned()),
    ];
    if let Some(reason) = details["failureReason"].as_str() {
        lines.push(("Reason", reason.to_owned()));
    }
    lines.push(("Duration", word(details, "duration").to_owned()));
    let metrics = &details["metrics"];
    if metrics.is_object() {
        let percent = metrics["progress"].as_f64().unwrap_or(0.0) * 100.0;
        lines.push((
            "Simulated",
            format!("{} ({percent:.0} %)", word(metrics, "simulatedTime")),
        ));
        lines.push((
            "Events",
            text::count(metrics["eventsProcessed"].as_u64().unwrap_or(0)),
        ));
        for (name, key) in [("Throughput", "throughput"), ("Time left", "timeLeft")] {
            if let Some(text) = metrics[key].as_str() {
                lines.push((name, text.to_owned()));
            }
        }
    }
    for (name, key) in [
        ("Created", "createdAt"),
        ("Started", "startedAt"),
        ("Ended", "completedAt"),
    ] {
        if let Some(text) = details[key].as_str() {
            lines.push((name, text.to_owned()));
        }
    }
    lines
        .into_iter()
        .map(|(name, value)| format!("{name:<11} {value}\n"))
        .collect()
}

/// A list of simulations, one a line.
fn listed(list: &Value) -> String {
    let mut table = Table::new(&["Simulation", "Name", "Status", "Created"]);
    for item in list["simulations"].as_array().into_iter().flatten() {
        table.row(["id", "name", "status", "createdAt"].map(|key| word(item, key).to_owned()));
    }
    table.to_string()
}

impl Submit {
    fn document(&self) -> Result<Document, Failure> {
        let told = |errors: Errors| Failure::Input(errors.to_string());
        let mut document = match self.document.strip_prefix("template:") {
            Some(name) => template::document(name).map_err(told)?,
            None => load::load(Path::new(&self.document)).map_err(|error| match error {
                LoadError::BadInput(errors) => told(errors),
                error @ LoadError::Machine { .. } => Failure::Machine(error.to_string()),
            })?,
        };
        for setting in &self.set {
            overrides::apply(&mut document, setting).map_err(told)?;
        }
        Ok(document)
    }

    fn execute(self, client: &Client) -> Result<(), Failure> {
        let document = self.document()?;
        let name = self.name.clone().unwrap_or_else(|| {
            let safe = text::file_safe(&document.name).replace('.', "-");
            safe.trim_start_matches(['-', '_']).to_owned()
        });
        let duration = self.duration.clone().unwrap_or_else(|| {
            let given = global::GlobalParameters::from_json(
                &Value::Object(document.global_parameters.clone()),
                "",
                &mut Errors::new(),
            );
            // In nanoseconds, as every run time can be said.
            format!(
                "{}ns",
                (given.simulation_parameters.run_time * 1e9).round().max(1.0)
            )
        });
        let body = serde_json::to_value(&document).map_err(|error| Failure::Machine(error.to_string()))?;
        let configuration = client.post("/configurations", &body)?;
        let id = word(&configuration, "id").to_owned();
        let verdict = client.post(&format!("/configurations/{}/validate", part(&id)), &json!({}))?;
        for warning in verdict["warnings"].as_array().into_iter().flatten() {
            complain(&format!("warning: {}", word(warning, "message")));
        }
        if verdict["valid"] != true {
            let errors = verdict["errors"].as_array().into_iter().flatten();
            let lines: Vec<String> = errors
                .map(|error| {
                    let place = error["path"].as_str().map(|path| path.trim_start_matches("$."));
                    let place = place.map_or(String::new(), |place| format!("{place}: "));
                    format!("{place}{}", word(error, "message"))
                })
                .collect();
            return Err(Failure::Input(lines.join("\n")));
        }
        let started = client.post(
            "/simulations",
            &json!({"configurationId": id, "name": name, "duration": duration}),
        )?;
        let sim = word(&started, "id").to_owned();
        if !self.wait {
            return output::print(&format!("{sim}\n"));
        }
        let details = follow(client, &sim)?;
        output::print(&described(&details))?;
        match word(&details, "status") {
            "completed" => Ok(()),
            _ => Err(Failure::Machine(format!(
                "the simulation {sim} is {}",
                word(&details, "status")
            ))),
        }
    }
}

/// Waits until a simulation has ended, showing how far it is.
fn follow(client: &Client, sim: &str) -> Result<Value, Failure> {
    let bar = bar(1_000, "{wide_bar} {percent:>3} %  {msg}");
    loop {
        let details = client.get(&format!("/simulations/{}", part(sim)))?;
        let status = word(&details, "status").to_owned();
        bar.set_position((details["metrics"]["progress"].as_f64().unwrap_or(0.0) * 1e3) as u64);
        let left = details["metrics"]["timeLeft"]
            .as_str()
            .map_or(String::new(), |left| format!(", {left} left"));
        bar.set_message(format!("{status}{left}"));
        if ["completed", "failed", "terminated"].contains(&status.as_str()) {
            bar.finish_and_clear();
            return Ok(details);
        }
        thread::sleep(Duration::from_millis(300));
    }
}

fn bar(length: u64, template: &str) -> ProgressBar {
    let target = match io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Fetches all files of a simulation.
fn fetch(client: &Client, sim: &str, out: Option<PathBuf>) -> Result<(), Failure> {
    let out = out.unwrap_or_else(|| Path::new("runs").join(part(sim)));
    let mut names = Vec::new();
    let mut next = String::new();
    loop {
        let page = client.get(&format!(
            "/simulations/{}/results?sort=size&order=desc{next}",
            part(sim)
        ))?;
        names.extend(
            page["files"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|file| word(file, "name").to_owned()),
        );
        match page["pagination"]["nextCursor"].as_str() {
            Some(cursor) => next = format!("&next={cursor}"),
            None => break,
        }
    }
    let mut table = Table::new(&["File", ">Bytes"]);
    for name in names {
        // The server is not trusted with where files go.
        let safe = Path::new(&name)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        if !safe {
            return Err(Failure::Machine(format!(
                "the server names a file {name:?} outside of its folder"
            )));
        }
        let query: String = name
            .bytes()
            .map(|byte| {
                if byte.is_ascii_alphanumeric() {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            })
            .collect();
        let link = client.get(&format!(
            "/simulations/{}/results/download-url?fileName={query}",
            part(sim)
        ))?;
        let bytes = one(client, &link, &out.join(&name), &name)?;
        table.row([name, text::count(bytes)]);
    }
    output::print(&format!("{table}in {}\n", out.display()))
}

/// Fetches one file under another name, checks it, and gives it its own.
fn one(client: &Client, link: &Value, path: &Path, name: &str) -> Result<u64, Failure> {
    let told = |error: io::Error| Failure::Machine(format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(told)?;
    }
    let mut source = client.open(word(link, "downloadUrl"))?;
    let mut part_name = path.as_os_str().to_owned();
    part_name.push(".part");
    let part = PathBuf::from(part_name);
    let bar = bar(
        link["sizeBytes"].as_u64().unwrap_or(0),
        "{wide_bar} {bytes}/{total_bytes}, {eta} left  {msg}",
    );
    bar.set_message(name.to_owned());
    let copied = (|| {
        let (mut file, mut digest, mut size) = (File::create(&part).map_err(told)?, Sha256::new(), 0u64);
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = source.read(&mut buffer).map_err(|error| {
                Failure::Machine(format!(
                    "{name}: the server stopped in the middle: {error}; try again"
                ))
            })?;
            if read == 0 {
                break;
            }
            file.write_all(&buffer[..read]).map_err(told)?;
            digest.update(&buffer[..read]);
            size += read as u64;
            bar.set_position(size);
        }
        let sum: String = digest
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        if word(link, "checksum") != format!("sha256:{sum}") {
            return Err(Failure::Machine(format!(
                "{name}: came with other bytes than the server has; fetch it again (does the simulation still run?)"
            )));
        }
        fs::rename(&part, path).map_err(told)?;
        Ok(size)
    })();
    bar.finish_and_clear();
    copied.inspect_err(|_| {
        let _ = fs::remove_file(&part);
    })
}

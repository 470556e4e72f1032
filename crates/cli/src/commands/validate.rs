//! `packetloom validate`: checks a document without running it.

use crate::failure::Failure;
use crate::output::{self, complain};
use crate::source::{Source, SourceError};
use crate::text::count;
use clap::Args;
use packetloom_config::Scenario;
use packetloom_config::scenario::Role;
use packetloom_params::Errors;
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  packetloom validate fabric.json
  packetloom validate template:rdma-16-hosts --set Nic.ScalaRoceQpManager.MSS=2048B
  packetloom validate fabric.json --json | jq -r '.errors[].path'

The exit code is 0 for a valid document and 2 for one that is not.";

/// Check a configuration without running it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Validate {
    #[command(flatten)]
    source: Source,

    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

/// The result as JSON.
#[derive(Serialize)]
struct Verdict {
    valid: bool,
    status: &'static str,
    errors: Vec<Finding>,
    warnings: Vec<Finding>,
}

#[derive(Serialize)]
struct Finding {
    severity: &'static str,
    path: String,
    message: String,
    remedy: String,
}

impl Validate {
    /// Checks it.
    pub fn execute(self) -> Result<(), Failure> {
        match self.source.scenario() {
            Ok(scenario) if self.json => print(&Verdict::valid(&scenario)),
            Ok(scenario) => {
                for warning in &scenario.warnings {
                    complain(&format!("warning: {warning}"));
                }
                output::print(&format!(
                    "{} is valid: {}\n",
                    self.source.document,
                    outline(&scenario)
                ))
            }
            Err(SourceError::Bad(errors)) if self.json => {
                print(&Verdict::invalid(errors))?;
                Err(Failure::Told)
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn print(verdict: &Verdict) -> Result<(), Failure> {
    let json = serde_json::to_string(verdict)
        .map_err(|error| Failure::Machine(format!("cannot write the result as JSON: {error}")))?;
    output::print(&(json + "\n"))
}

impl Verdict {
    fn valid(scenario: &Scenario) -> Self {
        let warning = |message: &String| Finding {
            severity: "warning",
            path: String::new(),
            message: message.clone(),
            remedy: String::new(),
        };
        Verdict {
            valid: true,
            status: "valid",
            errors: Vec::new(),
            warnings: scenario.warnings.iter().map(warning).collect(),
        }
    }

    fn invalid(errors: Errors) -> Self {
        let error = |problem: packetloom_params::Problem| Finding {
            severity: "error",
            path: problem.path,
            message: problem.message,
            remedy: problem.remedy,
        };
        Verdict {
            valid: false,
            status: "error",
            errors: errors.into_iter().map(error).collect(),
            warnings: Vec::new(),
        }
    }
}

/// What the document describes, in one line.
fn outline(scenario: &Scenario) -> String {
    let pods = &scenario.plan.pods;
    let racks = pods.iter().map(|pod| pod.racks.len() as u64).sum::<u64>();
    let rack_switches = pods
        .iter()
        .flat_map(|pod| &pod.racks)
        .map(|rack| rack.switches.len() as u64)
        .sum::<u64>();
    let fabric_switches = pods
        .iter()
        .map(|pod| pod.fabric_switches.len() as u64)
        .sum::<u64>();
    let mut parts = vec![
        (scenario.plan.hosts() as u64, "host", "hosts"),
        (racks, "rack", "racks"),
        (pods.len() as u64, "pod", "pods"),
        (rack_switches, "rack switch", "rack switches"),
        (fabric_switches, "fabric switch", "fabric switches"),
    ];
    let (spines, planes) = (scenario.plan.spine_switches(), scenario.plan.planes.len());
    if spines > 0 {
        parts.push((spines as u64, "spine switch", "spine switches"));
    }
    if planes > 0 {
        parts.push((planes as u64, "plane", "planes"));
    }
    let applications = scenario.applications.len() as u64;
    parts.push((applications, "application", "applications"));
    let words: Vec<String> = parts
        .into_iter()
        .map(|(n, one, many)| format!("{} {}", count(n), if n == 1 { one } else { many }))
        .collect();
    format!("{}: {}", words.join(", "), hosts_of_applications(scenario))
}

/// How many hosts run each role of each application.
fn hosts_of_applications(scenario: &Scenario) -> String {
    // A scenario whose applications cannot be placed is not valid.
    let placed = scenario.placement().unwrap_or_default().applications;
    let words: Vec<String> = scenario
        .applications
        .iter()
        .zip(&placed)
        .map(|(application, placed)| {
            let hosts = |role, hosts: &[u32]| {
                let name = application.attributes.kind().role_name(role);
                let plural = if hosts.len() == 1 { "" } else { "s" };
                format!("{} {name}{plural}", count(hosts.len() as u64))
            };
            format!(
                "{} ({}, {})",
                application.name,
                hosts(Role::Client, &placed.clients),
                hosts(Role::Server, &placed.servers)
            )
        })
        .collect();
    words.join(", ")
}

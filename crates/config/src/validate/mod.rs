//! From a document to a scenario: everything that is wrong is reported at once.
//!
//! The parts are checked in turn. A part that is wrong leaves a stand-in, so that the next ones can still be checked.

mod applications;
mod buffers;
mod components;
mod fabric;
mod pins;
mod plan;
mod unsupported;

use crate::document::Document;
use crate::global::{self, GlobalParameters};
use crate::scenario::{Application, Scenario};
use packetloom_des::Span;
use packetloom_params::{Attributes, Errors};
use serde_json::Value;

/// Most connections of a run, about 4 million: every one of them may end on one host, whose timers are numbered with 24
/// bits.
const MOST_CONNECTIONS: u64 = 1 << 22;

/// Checks a document and makes it ready to run.
pub fn validate(document: &Document) -> Result<Scenario, Errors> {
    let mut errors = Errors::new();
    let mut warnings = Vec::new();
    let global = globals(document, &mut errors);
    let declared = components::read(document, &mut errors, &mut warnings);
    let applications = applications::read(document, &declared, &mut errors, &mut warnings);
    let plan = plan::build(document, &declared, &mut errors, &mut warnings);
    unsupported::check(&global, &declared, &mut errors, &mut warnings);
    let uses = applications::uses(&applications, &plan);
    applications::check(document, &applications, &uses, &mut errors);
    buffers::check(&global, &declared, &plan, &applications, &uses, &mut errors);
    fabric::check(&declared, &plan, &applications, &mut errors, &mut warnings);
    let scenario = Scenario {
        name: document.name.clone(),
        seed: global.simulation_parameters.random_seed,
        global,
        switches: declared
            .switches
            .into_iter()
            .map(|declared| declared.component)
            .collect(),
        nics: declared
            .nics
            .into_iter()
            .map(|declared| declared.component)
            .collect(),
        plan,
        applications: applications
            .into_iter()
            .map(|declared| declared.component)
            .collect(),
        warnings,
    };
    if errors.is_empty() {
        check_placement(&scenario, &mut errors);
    }
    errors.or(scenario)
}

fn globals(document: &Document, errors: &mut Errors) -> GlobalParameters {
    let given = Value::Object(global::known_sections(&document.global_parameters));
    let global = GlobalParameters::from_json(&given, "globalParameters", errors);
    let times = &global.simulation_parameters;
    for (name, seconds) in [
        ("RunTime", times.run_time),
        ("BeaconReportInterval", times.beacon_report_interval),
        ("NDStatsReportInterval", times.nd_stats_report_interval),
        (
            "NetworkBufferStatsReportingInterval",
            times.network_buffer_stats_reporting_interval,
        ),
        ("TcpStackReportInterval", times.tcp_stack_report_interval),
    ] {
        if Span::from_seconds(seconds).is_none_or(|span| span == Span::ZERO) {
            errors.push(
                format!("globalParameters.SimulationParameters.{name}"),
                format!("{seconds:e} s is less than a picosecond"),
                "give a longer time, in seconds",
            );
        }
    }
    global
}

/// Applications must find hosts and counterparts; the rules are those of the placement itself.
fn check_placement(scenario: &Scenario, errors: &mut Errors) {
    let placement = match scenario.placement() {
        Ok(placement) => placement,
        Err(error) => {
            // The message of a placement says what to do about it.
            errors.push("topology.appDistribution", error.to_string(), "");
            return;
        }
    };
    let each = |application: &Application| application.attributes.num_connections;
    let placed = scenario.applications.iter().zip(&placement.applications);
    let connections: u64 = placed
        .map(|(application, placed)| each(application) * placed.pairs.len() as u64)
        .sum();
    if connections > MOST_CONNECTIONS {
        errors.push(
            "applications",
            format!("the run has {connections} connections; at most {MOST_CONNECTIONS} are possible"),
            "lower NumConnections",
        );
    }
}

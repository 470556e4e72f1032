//! From a document to a scenario: everything that is wrong is reported at once.
//!
//! The parts are checked in turn. A part that is wrong leaves a stand-in, so that the next ones can still be checked.

mod applications;
mod buffers;
mod components;
mod fabric;
mod limits;
mod lossless;
mod pins;
mod plan;
mod reports;
mod shares;
mod sharing;
mod sizes;
mod traffic;
mod unsupported;

use crate::document::Document;
use crate::faults::Faults;
use crate::global::{self, GlobalParameters};
use crate::scenario::{Application, Plan, Scenario};
use applications::Uses;
use components::{Declarations, Declared};
use packetloom_des::Span;
use packetloom_params::{Attributes, Errors};
use serde_json::Value;

/// Checks a document and makes it ready to run.
pub fn validate(document: &Document) -> Result<Scenario, Errors> {
    partly(document, &Faults::default())
}

/// Checks a document of which parts could not be read; what follows from these is not reported.
pub(crate) fn partly(document: &Document, faults: &Faults) -> Result<Scenario, Errors> {
    let mut errors = Errors::new();
    let mut warnings = Vec::new();
    let global = globals(document, &mut errors);
    let declared = components::read(document, &mut errors, &mut warnings);
    let applications = applications::read(document, &declared, faults, &mut errors, &mut warnings);
    // An attribute that could not be read has its default now, and is not judged against others.
    let known = faults.with(&errors);
    let mut cross = Errors::new();
    let plan = plan::build(document, &declared, faults, &mut errors, &mut warnings);
    unsupported::check(&declared, &mut errors, &mut warnings);
    let uses = applications::uses(&applications, &declared, &plan);
    let parts = Parts {
        global: &global,
        declared: &declared,
        plan: &plan,
        applications: &applications,
        uses: &uses,
        known: &known,
    };
    applications::check(document, &parts, faults, &mut errors);
    buffers::check(&parts, &mut cross);
    fabric::check(&parts, &mut cross, &mut warnings);
    if errors.is_empty() && cross.is_empty() {
        lossless::warn(&parts, &mut warnings);
        sharing::warn(&parts, &mut warnings);
        reports::warn(&parts, &mut warnings);
    }
    errors.append(known.news(cross));
    let mut errors = faults.news(errors);
    let mut scenario = Scenario {
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
    if errors.is_empty() && faults.is_empty() {
        let mut warnings = Vec::new();
        limits::check(&scenario, &mut errors, &mut warnings);
        scenario.warnings.append(&mut warnings);
    }
    errors.or(scenario)
}

/// What the rules between parts look at.
struct Parts<'a> {
    global: &'a GlobalParameters,
    declared: &'a Declarations,
    plan: &'a Plan,
    applications: &'a [Declared<Application>],
    /// By application.
    uses: &'a [Uses],
    /// What is wrong already.
    known: &'a Faults,
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

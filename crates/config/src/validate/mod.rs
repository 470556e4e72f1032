//! From a document to a scenario: everything that is wrong is reported at once.
//!
//! The parts are checked in turn. A part that is wrong leaves a stand-in, so that the next ones can still be checked.

mod applications;
mod buffers;
mod components;
mod fabric;
mod lossless;
mod pins;
mod plan;
mod reports;
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
use std::collections::BTreeSet;

/// Most connections of a run, about 4 million: every one of them may end on one host, whose timers are numbered with 24
/// bits.
const MOST_CONNECTIONS: u64 = 1 << 22;
/// Most work requests outstanding at a time, about 17 million: each takes some 50 B, so that is 0.8 GB.
const MOST_WORK_REQUESTS: u64 = 1 << 24;

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
    unsupported::check(&global, &declared, &mut errors, &mut warnings);
    let uses = applications::uses(&applications, &plan);
    applications::check(document, &applications, &uses, faults, &mut errors);
    let parts = Parts {
        global: &global,
        declared: &declared,
        plan: &plan,
        applications: &applications,
        uses: &uses,
        known: &known,
    };
    buffers::check(&parts, &mut cross);
    fabric::check(&parts, &mut cross, &mut warnings);
    if errors.is_empty() && cross.is_empty() {
        lossless::warn(&parts, &mut warnings);
        reports::warn(&global, &declared, &mut warnings);
    }
    errors.append(known.news(cross));
    let mut errors = faults.news(errors);
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
    if errors.is_empty() && faults.is_empty() {
        check_placement(&scenario, &mut errors);
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

impl Parts<'_> {
    /// The largest payload of the packets of a NIC.
    fn mss(&self, nic: usize) -> u64 {
        let attributes = &self.declared.nics[nic].component.attributes;
        attributes.scala_roce_qp_manager.mss.0
    }

    /// The largest payload of all packets; 0 without a host.
    fn largest_mss(&self) -> u64 {
        let nics: BTreeSet<usize> = self.plan.servers().map(|server| server.nic).collect();
        nics.into_iter().map(|nic| self.mss(nic)).max().unwrap_or(0)
    }

    /// Whether every NIC's MSS is what the document says, not a stand-in.
    fn know_mss(&self) -> bool {
        let at = |nic: &Declared<_>| format!("{}.ScalaRoceQpManager.MSS", nic.path);
        self.declared.nics.iter().all(|nic| !self.known.cover(&at(nic)))
    }

    /// Whether the classes of an application are what the document says, not stand-ins.
    fn know_classes(&self, application: &Declared<Application>) -> bool {
        let whole = application.path.trim_end_matches(".typedParameters");
        ![
            "model",
            "typedParameters.RdmaDataPacketTC",
            "typedParameters.RdmaControlPacketTC",
        ]
        .iter()
        .any(|part| self.known.cover(&format!("{whole}.{part}")))
    }
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
    let (mut connections, mut outstanding) = (0u64, 0u64);
    for (application, placed) in scenario.applications.iter().zip(&placement.applications) {
        let attributes = &application.attributes;
        let own = attributes
            .num_connections
            .saturating_mul(placed.pairs.len() as u64);
        connections = connections.saturating_add(own);
        outstanding = outstanding.saturating_add(own.saturating_mul(attributes.max_pending_wqes));
    }
    if outstanding > MOST_WORK_REQUESTS {
        errors.push(
            "applications",
            format!(
                "the run's {connections} connections keep {outstanding} work requests outstanding; at most \
                 {MOST_WORK_REQUESTS} are possible"
            ),
            "lower MaxPendingWQEs or NumConnections",
        );
    }
    if connections > MOST_CONNECTIONS {
        errors.push(
            "applications",
            format!("the run has {connections} connections; at most {MOST_CONNECTIONS} are possible"),
            "lower NumConnections",
        );
    }
}

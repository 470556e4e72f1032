//! The applications and which part of the hosts runs each of their roles.

use super::components::{Declarations, Declared, model, warn_version};
use crate::catalog::ModelKind;
use crate::document::{DistributionEntry, Document};
use crate::faults::Faults;
use crate::scenario::{Application, Plan};
use packetloom_params::decimal::text_of_e30ths;
use packetloom_params::problem::did_you_mean;
use packetloom_params::{Attributes, Decimal, Errors};
use packetloom_traffic::rdma_attributes::RdmaApplicationAttributes;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeSet;

const INITIATOR: &str = "prScalaRdmaInitiator";
const RESPONDER: &str = "prScalaRdmaResponder";
/// Where the shares of the roles stand.
const ENTRIES: &str = "topology.appDistribution.randomApplicationDistribution";

/// One in units of 10^-30, in which ratios are added up.
const ONE: i128 = 10i128.pow(30);
/// How far the sum of all ratios may be from 1: 10^-9.
const TOLERANCE: i128 = 10i128.pow(21);

/// The NICs on whose hosts the roles of an application may run, as positions in the scenario.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub initiators: BTreeSet<usize>,
    pub responders: BTreeSet<usize>,
}

/// Reads all applications; each keeps its position in the document.
pub(super) fn read(
    document: &Document,
    declared: &Declarations,
    faults: &Faults,
    errors: &mut Errors,
    warnings: &mut Vec<String>,
) -> Vec<Declared<Application>> {
    let mut applications = Vec::new();
    for (i, definition) in document.applications.iter().enumerate() {
        let path = format!("applications[{i}]");
        let at = format!("{path}.typedParameters");
        match definition.traffic_type.as_deref() {
            None | Some("non-coordinated") => {}
            Some("chakra" | "coordinated") => {
                let message = "replay of traces is not available yet";
                errors.push(format!("{path}.trafficType"), message, "give \"non-coordinated\"");
            }
            Some(other) => {
                let message = format!("\"{}\" is not a known choice", other.escape_debug());
                errors.push(format!("{path}.trafficType"), message, "give \"non-coordinated\"");
            }
        }
        let mut attributes = RdmaApplicationAttributes::default();
        if !definition.model.is_empty() {
            let found = model(&definition.model, ModelKind::Application, &path, errors);
            // Attributes of a model that cannot be run are not judged by those of another.
            if let Some((model, spelled)) = found {
                warn_version(spelled.as_deref().unwrap_or(&definition.version), model, warnings);
                attributes.read(&Value::Object(definition.typed_parameters.clone()), &at, errors);
            }
        }
        let name = definition.name.clone();
        let component = Application {
            name,
            attributes,
            initiator_ratio: None,
            responder_ratio: None,
        };
        applications.push(Declared { component, path: at });
    }
    if applications.is_empty() {
        errors.push(
            "applications",
            "there is no application",
            "add one, such as a ScalaRdmaApplication",
        );
    }
    ratios(document, declared, &mut applications, faults, errors);
    applications
}

fn ratios(
    document: &Document,
    declared: &Declarations,
    applications: &mut [Declared<Application>],
    faults: &Faults,
    errors: &mut Errors,
) {
    if applications.is_empty() {
        // That was reported, and no entry can name one.
        return;
    }
    let entries = &document.topology.app_distribution.random_application_distribution;
    if entries.is_empty() {
        let pinned = document
            .components
            .iter()
            .flat_map(|c| &c.components)
            .any(|r| r.kind == "application");
        if !pinned {
            // What adding the applications one by one gives: 1 split evenly over all their roles.
            let share = 1.0 / (2.0 * applications.len() as f64);
            for application in applications.iter_mut() {
                application.component.initiator_ratio = Some(share);
                application.component.responder_ratio = Some(share);
            }
        }
        return;
    }
    let mut sum = Some(0i128);
    for (i, entry) in entries.iter().enumerate() {
        let path = format!("{ENTRIES}[{i}]");
        let ratio = ratio(entry, &path, errors);
        sum = sum
            .zip(ratio.and_then(Decimal::in_e30ths))
            .map(|(sum, ratio)| sum.saturating_add(ratio));
        let Some(application) = applications
            .iter_mut()
            .find(|application| application.component.name == entry.parent_application)
        else {
            if entry.parent_application.is_empty() || faults.hide_names("applications") {
                continue;
            }
            let known = declared.names_of(ModelKind::Application);
            let message = format!("there is no application \"{}\"", entry.parent_application);
            let remedy = did_you_mean(&entry.parent_application, known.iter().copied());
            errors.push(format!("{path}.parentApplication"), message, remedy);
            continue;
        };
        let Some(initiator) = role(entry, &path, errors) else {
            continue;
        };
        let place = match initiator {
            true => &mut application.component.initiator_ratio,
            false => &mut application.component.responder_ratio,
        };
        if place.is_some() {
            let id = &entry.distribution_percent.distribution_id;
            let message = format!("{id} of \"{}\" is given twice", entry.parent_application);
            errors.push(path, message, "leave one entry");
            continue;
        }
        // A stand-in marks the entry as there, so that its fault is not reported as its absence too.
        *place = Some(ratio.map_or(1.0, Decimal::as_f64));
    }
    if let Some(sum) = sum.filter(|sum| (sum - ONE).abs() > TOLERANCE) {
        let message = format!("the ratios add up to {}, not to 1", text_of_e30ths(sum));
        errors.push(
            ENTRIES,
            message,
            "change them until the sum over all applications is 1",
        );
    }
}

fn ratio(entry: &DistributionEntry, path: &str, errors: &mut Errors) -> Option<Decimal> {
    let path = format!("{path}.distributionPercent.value");
    let remedy = "give a number above 0 and at most 1";
    let value = &entry.distribution_percent.value;
    let decimal = match value {
        Value::Number(number) => Decimal::from_json(number).ok(),
        _ => None,
    };
    let Some(decimal) = decimal else {
        let message = if value.is_null() {
            "is missing".to_owned()
        } else {
            format!("{value} is not a ratio")
        };
        errors.push(path, message, remedy);
        return None;
    };
    let above_one = decimal.compare_share(1, 1) == Ordering::Less;
    if decimal.is_zero() || decimal.is_negative() || above_one {
        let message = match decimal.is_zero() {
            true => "a ratio of 0 is not allowed".to_owned(),
            false => format!("{decimal} is out of range"),
        };
        errors.push(path, message, remedy);
        return None;
    }
    Some(decimal)
}

/// Whether the entry is the Initiator's; its id and type must agree.
fn role(entry: &DistributionEntry, path: &str, errors: &mut Errors) -> Option<bool> {
    let id = entry.distribution_percent.distribution_id.as_str();
    let (initiator, kind) = match id {
        INITIATOR => (true, "client"),
        RESPONDER => (false, "server"),
        "" => return None,
        other => {
            let path = format!("{path}.distributionPercent.distributionId");
            let message = format!(
                "\"{}\" is no role of a ScalaRdmaApplication",
                other.escape_debug()
            );
            errors.push(path, message, did_you_mean(other, [INITIATOR, RESPONDER]));
            return None;
        }
    };
    if !entry.application_type.is_empty() && entry.application_type != kind {
        let message = format!(
            "{id} is the part of a {kind}, not of a {}",
            entry.application_type
        );
        errors.push(
            format!("{path}.applicationType"),
            message,
            format!("make it \"{kind}\""),
        );
        return None;
    }
    Some(initiator)
}

/// Where the roles of each application may run: a drawn role on any host without a pin, a pinned one where it is.
pub(super) fn uses(applications: &[Declared<Application>], plan: &Plan) -> Vec<Uses> {
    let mut uses: Vec<Uses> = applications.iter().map(|_| Uses::default()).collect();
    for server in plan.servers() {
        for pin in &server.pinned {
            let uses = &mut uses[pin.application];
            let nics = if pin.initiator {
                &mut uses.initiators
            } else {
                &mut uses.responders
            };
            nics.insert(server.nic);
        }
        if server.pinned.is_empty() {
            for (uses, application) in uses.iter_mut().zip(applications) {
                if application.component.initiator_ratio.is_some() {
                    uses.initiators.insert(server.nic);
                }
                if application.component.responder_ratio.is_some() {
                    uses.responders.insert(server.nic);
                }
            }
        }
    }
    uses
}

/// Whether an entry of the distribution is wrong in what it names: it may be meant for a role that seems to be missing.
fn misdirected(errors: &Errors) -> bool {
    errors.iter().any(|problem| {
        let entry = problem.path.strip_prefix(ENTRIES);
        entry.is_some_and(|rest| rest.starts_with('[') && !rest.ends_with(".value"))
    })
}

/// Every application needs both of its roles.
pub(super) fn check(
    document: &Document,
    applications: &[Declared<Application>],
    uses: &[Uses],
    faults: &Faults,
    errors: &mut Errors,
) {
    // Who has which role, or is pinned where, may stand in what could not be read.
    if faults.hide_hosts() || faults.touch("topology.appDistribution") || misdirected(errors) {
        return;
    }
    for (i, (application, uses)) in applications.iter().zip(uses).enumerate() {
        let definition = &document.applications[i];
        if definition.name.is_empty() {
            continue;
        }
        let pinned = |initiator: bool| {
            // A pin may stand in a server that the plan left out for another fault.
            document.components.iter().flat_map(|c| &c.components).any(|r| {
                r.parent_application_name.as_ref() == Some(&definition.name)
                    && (initiator == r.name.to_lowercase().contains("initiator")
                        || uses.initiators.is_empty())
            })
        };
        let initiators = application.component.initiator_ratio.is_some() || !uses.initiators.is_empty();
        let responders = application.component.responder_ratio.is_some() || !uses.responders.is_empty();
        let missing = match (initiators, responders) {
            (true, true) => continue,
            (true, false) => ("Responder", RESPONDER),
            (false, true) => ("Initiator", INITIATOR),
            (false, false) if pinned(true) || pinned(false) => continue,
            (false, false) => {
                errors.push(
                    format!("applications[{i}]"),
                    format!("\"{}\" runs on no host", definition.name),
                    format!("add entries to appDistribution with {INITIATOR} and {RESPONDER}, or pin it to servers"),
                );
                continue;
            }
        };
        errors.push(
            format!("applications[{i}]"),
            format!("\"{}\" has no {}", definition.name, missing.0),
            format!(
                "add an entry to appDistribution with {}, or pin one to a server",
                missing.1
            ),
        );
    }
}

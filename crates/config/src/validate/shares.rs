//! Which part of the hosts runs each role of each application.

use super::applications::kind;
use super::components::{Declarations, Declared};
use crate::catalog::ModelKind;
use crate::document::{DistributionEntry, Document};
use crate::faults::Faults;
use crate::scenario::{Application, ApplicationKind};
use packetloom_params::decimal::text_of_e30ths;
use packetloom_params::problem::did_you_mean;
use packetloom_params::{Decimal, Errors};
use packetloom_traffic::placement::Role;
use serde_json::Value;
use std::cmp::Ordering;

/// Where the shares of the roles stand.
pub(super) const ENTRIES: &str = "topology.appDistribution.randomApplicationDistribution";

/// One in units of 10^-30, in which ratios are added up.
const ONE: i128 = 10i128.pow(30);
/// How far the sum of all ratios may be from 1: 10^-9.
const TOLERANCE: i128 = 10i128.pow(21);

/// Gives each application its ratios.
pub(super) fn ratios(
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
                application.component.client_ratio = Some(share);
                application.component.server_ratio = Some(share);
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
        let position = applications
            .iter()
            .position(|application| application.component.name == entry.parent_application);
        let Some(position) = position else {
            if entry.parent_application.is_empty() || faults.hide_names("applications") {
                continue;
            }
            let known = declared.names_of(ModelKind::Application);
            let message = format!("there is no application \"{}\"", entry.parent_application);
            let remedy = did_you_mean(&entry.parent_application, known.iter().copied());
            errors.push(format!("{path}.parentApplication"), message, remedy);
            continue;
        };
        let kind = kind(&document.applications[position]);
        let Some(role) = role(entry, kind, &path, errors) else {
            continue;
        };
        let application = &mut applications[position].component;
        let place = match role {
            Role::Client => &mut application.client_ratio,
            Role::Server => &mut application.server_ratio,
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

/// The role that the entry is about; its id must be one of the application's kind, and agree with its type. Of an
/// application whose kind is unknown, every id may be one.
fn role(
    entry: &DistributionEntry,
    kind: Option<ApplicationKind>,
    path: &str,
    errors: &mut Errors,
) -> Option<Role> {
    let id = entry.distribution_percent.distribution_id.as_str();
    if id.is_empty() {
        return None;
    }
    let find = |kind: ApplicationKind| {
        [Role::Client, Role::Server]
            .into_iter()
            .find(|&role| kind.distribution_id(role) == id)
    };
    let meant = ApplicationKind::ALL.into_iter().find_map(find);
    let role = match kind {
        Some(kind) => find(kind),
        None => meant,
    };
    let Some(role) = role else {
        // An application that cannot be run was reported.
        let kind = kind?;
        let path = format!("{path}.distributionPercent.distributionId");
        let message = format!("\"{}\" is no role of a {}", id.escape_debug(), kind.model());
        let remedy = match meant {
            Some(role) => format!("did you mean \"{}\"?", kind.distribution_id(role)),
            None => did_you_mean(
                id,
                [Role::Client, Role::Server].map(|role| kind.distribution_id(role)),
            ),
        };
        errors.push(path, message, remedy);
        return None;
    };
    let stated = entry.application_type.as_str();
    let fitting = role.to_string();
    if !stated.is_empty() && stated != fitting {
        errors.push(
            format!("{path}.applicationType"),
            format!("{id} is the part of a {fitting}, not of a {stated}"),
            format!("make it \"{fitting}\""),
        );
        return None;
    }
    Some(role)
}

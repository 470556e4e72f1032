//! Applications pinned to servers.

use super::components::{Declarations, Item};
use crate::catalog::ModelKind;
use crate::document::{ComponentDeclaration, ComponentRef, Document};
use crate::faults::Faults;
use crate::scenario::PinnedRole;
use packetloom_params::Errors;
use packetloom_params::problem::did_you_mean;

/// The role that an application held by a server names: by the name of a distribution entry, or by the word
/// Initiator or Responder within the name.
pub(super) fn pin(
    document: &Document,
    declared: &Declarations,
    reference: &ComponentRef,
    path: &str,
    faults: &Faults,
    errors: &mut Errors,
) -> Option<PinnedRole> {
    let Some(parent) = &reference.parent_application_name else {
        let remedy = "add \"parentApplicationName\", the name of the application";
        errors.push(path, "names no application", remedy);
        return None;
    };
    let application = match declared.names.get(parent) {
        Some(Item::Application(i)) => *i,
        Some(Item::Unknown) => return None,
        None if faults.hide_names("applications") => return None,
        _ => {
            let known = declared.names_of(ModelKind::Application);
            let message = format!("there is no application \"{parent}\"");
            let remedy = did_you_mean(parent, known.iter().copied());
            errors.push(format!("{path}.parentApplicationName"), message, remedy);
            return None;
        }
    };
    if reference.count != 1 {
        let message = format!("a server runs a role once, not {} times", reference.count);
        errors.push(format!("{path}.count"), message, "make the count 1");
        return None;
    }
    let entries = &document.topology.app_distribution.random_application_distribution;
    let entry = entries
        .iter()
        .find(|e| e.parent_application == *parent && e.name == reference.name);
    let name = reference.name.to_lowercase();
    let initiator = match entry {
        Some(entry) => entry.application_type == "client",
        None if name.is_empty() => return None,
        None => match (name.contains("initiator"), name.contains("responder")) {
            (true, false) => true,
            (false, true) => false,
            _ => {
                let message = format!("\"{}\" does not tell the role", reference.name);
                let remedy = "use the name of an entry of appDistribution, or Initiator or Responder";
                errors.push(format!("{path}.name"), message, remedy);
                return None;
            }
        },
    };
    Some(PinnedRole {
        application,
        initiator,
    })
}

/// Reports the roles that a server holds more than once.
pub(super) fn twice(
    server: &ComponentDeclaration,
    pins: &[(PinnedRole, String)],
    document: &Document,
    errors: &mut Errors,
) {
    for (position, (pin, path)) in pins.iter().enumerate() {
        if pins[..position].iter().any(|(earlier, _)| earlier == pin) {
            let role = if pin.initiator { "Initiator" } else { "Responder" };
            let application = &document.applications[pin.application].name;
            let message = format!(
                "server \"{}\" holds the {role} of \"{application}\" more than once",
                server.name
            );
            let remedy = "leave one; NumConnections gives a host more connections";
            errors.push(path, message, remedy);
        }
    }
}

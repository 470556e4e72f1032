//! Applications pinned to servers.

use super::applications::kind;
use super::components::{Declarations, Item};
use crate::catalog::ModelKind;
use crate::document::{ComponentDeclaration, ComponentRef, Document};
use crate::faults::Faults;
use crate::scenario::{ApplicationKind, PinnedRole};
use packetloom_params::Errors;
use packetloom_params::problem::did_you_mean;
use packetloom_traffic::placement::Role;

/// The role that an application held by a server names: by the name of a distribution entry, or by a role's name within
/// its own, such as Initiator or Server.
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
    let role = match entry {
        Some(entry) if entry.application_type == "client" => Role::Client,
        Some(_) => Role::Server,
        None if name.is_empty() => return None,
        None => {
            // Of a model that cannot be run it is unknown what its roles are called.
            let kind = kind(&document.applications[application])?;
            let names = [Role::Client, Role::Server].map(|role| kind.role_name(role));
            match names.map(|role| name.contains(&role.to_lowercase())) {
                [true, false] => Role::Client,
                [false, true] => Role::Server,
                _ => {
                    let message = format!("\"{}\" does not tell the role", reference.name);
                    let [client, server] = names;
                    let remedy =
                        format!("use the name of an entry of appDistribution, or {client} or {server}");
                    errors.push(format!("{path}.name"), message, remedy);
                    return None;
                }
            }
        }
    };
    Some(PinnedRole { application, role })
}

/// Reports the roles that a server cannot run with its NIC.
pub(super) fn unable(
    server: &ComponentDeclaration,
    pins: &[(PinnedRole, String)],
    document: &Document,
    declared: &Declarations,
    errors: &mut Errors,
) {
    let nic = server
        .components
        .iter()
        .find_map(|reference| match declared.names.get(&reference.name) {
            Some(&Item::Nic(nic)) if reference.kind == "nic" => Some(&declared.nics[nic].component),
            _ => None,
        });
    let Some(nic) = nic else {
        return;
    };
    for (pin, path) in pins {
        let application = &document.applications[pin.application];
        let Some(kind) = kind(application) else {
            continue;
        };
        let needed = kind.nic();
        if nic.attributes.kind() != needed {
            let message = format!(
                "server \"{}\" cannot run \"{}\": its NIC \"{}\" is a {}, and a {} runs over a {}",
                server.name,
                application.name,
                nic.name,
                nic.attributes.kind().model(),
                kind.model(),
                needed.model()
            );
            let remedy = format!("give the server a {}, or pin it to another", needed.model());
            errors.push(path, message, remedy);
        }
    }
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
            let application = &document.applications[pin.application];
            let kind = kind(application).unwrap_or(ApplicationKind::Generator);
            let role = kind.role_name(pin.role);
            let application = &application.name;
            let message = format!(
                "server \"{}\" holds the {role} of \"{application}\" more than once",
                server.name
            );
            let remedy = "leave one; NumConnections gives a host more connections";
            errors.push(path, message, remedy);
        }
    }
}

//! The applications, and the hosts that may run each of their roles.

use super::Parts;
use super::components::{Declarations, Declared, model, warn_version};
use super::shares::{self, ENTRIES};
use super::sizes::sizes;
use crate::catalog::{self, ModelKind};
use crate::document::{ApplicationDefinition, Document};
use crate::faults::Faults;
use crate::scenario::{Application, ApplicationAttributes, ApplicationKind, GeneratorApplication, Plan};
use packetloom_params::{Attributes, Errors};
use packetloom_traffic::generator_attributes::TrafficGeneratorAttributes;
use packetloom_traffic::placement::Role;
use packetloom_traffic::rdma_attributes::RdmaApplicationAttributes;
use serde_json::Value;
use std::collections::BTreeSet;

/// The NICs on whose hosts the roles of an application may run, as positions in the scenario.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub clients: BTreeSet<usize>,
    pub servers: BTreeSet<usize>,
    /// Whether a client and a server are pinned somewhere.
    pinned: (bool, bool),
}

impl Uses {
    fn nics(&mut self, role: Role) -> &mut BTreeSet<usize> {
        match role {
            Role::Client => &mut self.clients,
            Role::Server => &mut self.servers,
        }
    }

    /// NICs of hosts that may run either role.
    pub fn both(&self) -> impl Iterator<Item = usize> {
        self.clients.union(&self.servers).copied()
    }
}

/// The kind of an application; none if its model cannot be run.
pub(super) fn kind(definition: &ApplicationDefinition) -> Option<ApplicationKind> {
    let (model, _) = catalog::find(&definition.model)?;
    ApplicationKind::of_model(model.name)
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
        // One of a model that cannot be run has a stand-in.
        let mut attributes = ApplicationAttributes::Rdma(RdmaApplicationAttributes::default());
        if !definition.model.is_empty() {
            let found = model(&definition.model, ModelKind::Application, &path, errors);
            // Attributes of a model that cannot be run are not judged by those of another.
            if let Some((model, spelled)) = found {
                warn_version(spelled.as_deref().unwrap_or(&definition.version), model, warnings);
                let given = Value::Object(definition.typed_parameters.clone());
                attributes = match ApplicationKind::of_model(model.name) {
                    Some(ApplicationKind::Generator) => {
                        let mut wrong = Errors::new();
                        let attributes = TrafficGeneratorAttributes::from_json(&given, &at, &mut wrong);
                        let base = document.base.as_deref();
                        let written = &definition.typed_parameters;
                        let (request, reply) = sizes(&attributes, written, &at, base, &mut wrong, warnings);
                        errors.append(wrong);
                        ApplicationAttributes::Generator(GeneratorApplication {
                            attributes,
                            request,
                            reply,
                        })
                    }
                    _ => {
                        ApplicationAttributes::Rdma(RdmaApplicationAttributes::from_json(&given, &at, errors))
                    }
                };
            }
        }
        let name = definition.name.clone();
        let component = Application {
            name,
            attributes,
            client_ratio: None,
            server_ratio: None,
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
    shares::ratios(document, declared, &mut applications, faults, errors);
    applications
}

/// Where the roles of each application may run: a drawn role on any host without a pin whose NIC can run it, a pinned
/// one where it is.
pub(super) fn uses(
    applications: &[Declared<Application>],
    declared: &Declarations,
    plan: &Plan,
) -> Vec<Uses> {
    let mut uses: Vec<Uses> = applications.iter().map(|_| Uses::default()).collect();
    let able = |nic: usize, application: &Application| {
        declared.nics[nic].component.attributes.kind() == application.attributes.kind().nic()
    };
    for server in plan.servers() {
        for pin in &server.pinned {
            let uses = &mut uses[pin.application];
            match pin.role {
                Role::Client => uses.pinned.0 = true,
                Role::Server => uses.pinned.1 = true,
            }
            if able(server.nic, &applications[pin.application].component) {
                uses.nics(pin.role).insert(server.nic);
            }
        }
        if server.pinned.is_empty() {
            for (uses, application) in uses.iter_mut().zip(applications) {
                if !able(server.nic, &application.component) {
                    continue;
                }
                if application.component.client_ratio.is_some() {
                    uses.clients.insert(server.nic);
                }
                if application.component.server_ratio.is_some() {
                    uses.servers.insert(server.nic);
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

/// Every application needs both of its roles, and hosts that can run them.
pub(super) fn check(document: &Document, parts: &Parts, faults: &Faults, errors: &mut Errors) {
    let &Parts {
        applications,
        uses,
        declared,
        plan,
        ..
    } = parts;
    // Who has which role, or is pinned where, may stand in what could not be read.
    if faults.hide_hosts() || faults.touch("topology.appDistribution") || misdirected(errors) {
        return;
    }
    // Which NICs there are may be wrong already, too.
    let hidden = faults.with(errors).hide_hosts();
    for (i, (application, uses)) in applications.iter().zip(uses).enumerate() {
        let definition = &document.applications[i];
        if definition.name.is_empty() {
            continue;
        }
        // One of a model that cannot be run was reported.
        let Some(kind) = kind(definition) else {
            continue;
        };
        // A pin may stand in a server that the plan left out for another fault.
        let held = || {
            let mut held = document.components.iter().flat_map(|c| &c.components);
            held.any(|r| r.parent_application_name.as_ref() == Some(&definition.name))
        };
        let path = format!("applications[{i}]");
        let client = application.component.client_ratio.is_some() || uses.pinned.0;
        let server = application.component.server_ratio.is_some() || uses.pinned.1;
        let id = |role| kind.distribution_id(role);
        let missing = match (client, server) {
            (true, true) => {
                let needed = kind.nic();
                let mut nics = plan.servers().map(|server| &declared.nics[server.nic].component);
                if !hidden && plan.hosts() > 0 && !nics.any(|nic| nic.attributes.kind() == needed) {
                    let needed = needed.model();
                    let message = format!(
                        "\"{}\" runs on servers with a {needed}, and there is none",
                        definition.name
                    );
                    errors.push(path, message, format!("give servers a {needed}"));
                }
                continue;
            }
            (true, false) => Role::Server,
            (false, true) => Role::Client,
            (false, false) if held() => continue,
            (false, false) => {
                errors.push(
                    path,
                    format!("\"{}\" runs on no host", definition.name),
                    format!(
                        "add entries to appDistribution with {} and {}, or pin it to servers",
                        id(Role::Client),
                        id(Role::Server)
                    ),
                );
                continue;
            }
        };
        errors.push(
            path,
            format!("\"{}\" has no {}", definition.name, kind.role_name(missing)),
            format!(
                "add an entry to appDistribution with {}, or pin one to a server",
                id(missing)
            ),
        );
    }
}

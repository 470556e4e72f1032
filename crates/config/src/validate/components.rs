//! The declarations of a document: names, models, versions, attributes.

use crate::catalog::{self, Model, ModelKind, NoAttributes};
use crate::document::{Document, Parameters};
use crate::scenario::{NicAttributes, NicComponent, NicKind, SwitchComponent};
use packetloom_fabric::switch::attributes::SwitchAttributes;
use packetloom_nic::ethernet::attributes::EthernetNicAttributes;
use packetloom_nic::roce::attributes::RoceNicAttributes;
use packetloom_params::{Attributes, Errors};
use serde_json::Value;
use std::collections::HashMap;

/// Something declared, with the path of its attributes.
pub(super) struct Declared<T> {
    pub component: T,
    /// Such as `components[1].typedParameters`.
    pub path: String,
}

/// What a name in a document stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A position in [`Declarations::switches`].
    Switch(usize),
    /// A position in [`Declarations::nics`].
    Nic(usize),
    /// A position in the document's components.
    Server(usize),
    /// A position in the document's containers.
    Rack(usize),
    /// A position in the document's containers.
    Pod(usize),
    /// A position in the document's links.
    Layer(usize),
    /// A position in the document's applications.
    Application(usize),
    /// Declared, but of a model that cannot be run.
    Unusable(ModelKind),
    /// Declared, but of a type that is wrong, which was reported.
    Unknown,
}

impl Item {
    pub fn kind(self) -> Option<ModelKind> {
        Some(match self {
            Item::Switch(_) => ModelKind::Switch,
            Item::Nic(_) => ModelKind::Nic,
            Item::Server(_) => ModelKind::Server,
            Item::Rack(_) => ModelKind::Rack,
            Item::Pod(_) => ModelKind::Pod,
            Item::Layer(_) => ModelKind::Layer,
            Item::Application(_) => ModelKind::Application,
            Item::Unusable(kind) => kind,
            Item::Unknown => return None,
        })
    }
}

/// All declarations of a document.
#[derive(Default)]
pub(super) struct Declarations {
    pub switches: Vec<Declared<SwitchComponent>>,
    pub nics: Vec<Declared<NicComponent>>,
    pub names: HashMap<String, Item>,
}

impl Declarations {
    /// The names of everything of one kind, for remedies; sorted, so that a message is always the same.
    pub fn names_of(&self, kind: ModelKind) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .names
            .iter()
            .filter(|(_, item)| item.kind() == Some(kind))
            .map(|(name, _)| name.as_str())
            .collect();
        names.sort_unstable();
        names
    }

    fn add(&mut self, name: &str, item: Item, path: &str, errors: &mut Errors) {
        // An empty name was reported when the document was read.
        if name.is_empty() {
            return;
        }
        if self.names.contains_key(name) {
            let message = format!("\"{name}\" is declared twice");
            errors.push(
                format!("{path}.name"),
                message,
                "give each declaration a name of its own",
            );
            return;
        }
        self.names.insert(name.to_owned(), item);
    }
}

/// Collects the versions that are run as another one, each once.
#[derive(Default)]
struct Versions(Vec<(String, &'static Model)>);

impl Versions {
    fn warn(&mut self, version: &str, model: &'static Model, warnings: &mut Vec<String>) {
        if version == model.version || self.0.iter().any(|(v, m)| v == version && m.name == model.name) {
            return;
        }
        self.0.push((version.to_owned(), model));
        warnings.push(format!(
            "{} {version} is run as version {}",
            model.name, model.version
        ));
    }
}

/// Finds the model that a declaration names and checks that it fits its type and can be run.
pub(super) fn model(
    name: &str,
    kind: ModelKind,
    path: &str,
    errors: &mut Errors,
) -> Option<(&'static Model, Option<String>)> {
    let at = format!("{path}.model");
    let Some((model, version)) = catalog::find(name) else {
        errors.push(
            at,
            format!("\"{name}\" is not a known model"),
            catalog::suggest(name, Some(kind)),
        );
        return None;
    };
    if model.kind != kind {
        let message = format!(
            "{} is a model of type \"{}\", not \"{}\"",
            model.name,
            model.kind.as_str(),
            { kind.as_str() }
        );
        errors.push(at, message, catalog::suggest("", Some(kind)));
        return None;
    }
    if !model.available {
        let offered: Vec<&str> = catalog::models()
            .filter(|m| m.kind == kind)
            .map(|m| m.name)
            .collect();
        let remedy = if offered.is_empty() {
            "leave it out".to_owned()
        } else {
            format!("use {}", offered.join(" or "))
        };
        errors.push(at, format!("{} is not available yet", model.name), remedy);
        return None;
    }
    Some((model, version.map(str::to_owned)))
}

/// Reads the attributes of a model that has none.
fn no_attributes(given: &Parameters, path: &str, errors: &mut Errors) {
    NoAttributes::from_json(&Value::Object(given.clone()), path, errors);
}

/// Reads all declarations.
pub(super) fn read(document: &Document, errors: &mut Errors, warnings: &mut Vec<String>) -> Declarations {
    let mut declared = Declarations::default();
    let mut versions = Versions::default();
    for (i, component) in document.components.iter().enumerate() {
        let path = format!("components[{i}]");
        let kind = match component.kind.as_str() {
            "switch" => ModelKind::Switch,
            "nic" => ModelKind::Nic,
            "server" => ModelKind::Server,
            other => {
                let at = format!("{path}.type");
                match other {
                    // Reported when the document was read.
                    "" => {}
                    "gpu" => errors.push(at, "GPUs are not available yet", "leave it out"),
                    other => {
                        let message = format!("\"{}\" is not a type of component", other.escape_debug());
                        errors.push(at, message, "give switch, nic or server");
                    }
                }
                declared.add(&component.name, Item::Unknown, &path, errors);
                continue;
            }
        };
        let found = if component.model.is_empty() {
            None
        } else {
            model(&component.model, kind, &path, errors)
        };
        let Some((model, spelled)) = found else {
            declared.add(&component.name, Item::Unusable(kind), &path, errors);
            continue;
        };
        versions.warn(spelled.as_deref().unwrap_or(&component.version), model, warnings);
        let at = format!("{path}.typedParameters");
        let given = Value::Object(component.typed_parameters.clone());
        let name = component.name.clone();
        let item = match kind {
            ModelKind::Switch => {
                let attributes = SwitchAttributes::from_json(&given, &at, errors);
                declared.switches.push(Declared {
                    component: SwitchComponent { name, attributes },
                    path: at,
                });
                Item::Switch(declared.switches.len() - 1)
            }
            ModelKind::Nic => {
                let attributes = match NicKind::of_model(model.name) {
                    Some(NicKind::Ethernet) => {
                        NicAttributes::Ethernet(EthernetNicAttributes::from_json(&given, &at, errors))
                    }
                    _ => NicAttributes::Roce(RoceNicAttributes::from_json(&given, &at, errors)),
                };
                declared.nics.push(Declared {
                    component: NicComponent { name, attributes },
                    path: at,
                });
                Item::Nic(declared.nics.len() - 1)
            }
            _ => {
                no_attributes(&component.typed_parameters, &at, errors);
                Item::Server(i)
            }
        };
        declared.add(&component.name, item, &path, errors);
        if kind != ModelKind::Server && !component.components.is_empty() {
            let message = format!("a {} holds no components", kind.as_str());
            errors.push(format!("{path}.components"), message, "leave it out");
        }
    }
    containers(document, &mut declared, &mut versions, errors, warnings);
    layers(document, &mut declared, &mut versions, errors, warnings);
    for (i, application) in document.applications.iter().enumerate() {
        declared.add(
            &application.name,
            Item::Application(i),
            &format!("applications[{i}]"),
            errors,
        );
    }
    declared
}

fn containers(
    document: &Document,
    declared: &mut Declarations,
    versions: &mut Versions,
    errors: &mut Errors,
    warnings: &mut Vec<String>,
) {
    for (i, container) in document.containers.iter().enumerate() {
        let path = format!("containers[{i}]");
        let (kind, item) = match container.kind.as_str() {
            "rack" => (ModelKind::Rack, Item::Rack(i)),
            "pod" => (ModelKind::Pod, Item::Pod(i)),
            // Reported when the document was read.
            _ => {
                declared.add(&container.name, Item::Unknown, &path, errors);
                continue;
            }
        };
        let found = container
            .model
            .as_deref()
            .and_then(|name| model(name, kind, &path, errors));
        if let Some((model, spelled)) = found
            && let Some(version) = spelled.as_deref().or(container.version.as_deref())
        {
            versions.warn(version, model, warnings);
        }
        no_attributes(
            &container.typed_parameters,
            &format!("{path}.typedParameters"),
            errors,
        );
        declared.add(&container.name, item, &path, errors);
    }
}

fn layers(
    document: &Document,
    declared: &mut Declarations,
    versions: &mut Versions,
    errors: &mut Errors,
    warnings: &mut Vec<String>,
) {
    for (i, link) in document.links.iter().enumerate() {
        let path = format!("links[{i}]");
        if link.kind != "layer" {
            // None at all was reported when the document was read.
            if !link.kind.is_empty() {
                let message = format!("\"{}\" is not a type of link", link.kind.escape_debug());
                errors.push(format!("{path}.type"), message, "give layer");
            }
            declared.add(&link.name, Item::Unknown, &path, errors);
            continue;
        }
        let found = match link.model.as_str() {
            "" => None,
            name => model(name, ModelKind::Layer, &path, errors),
        };
        let Some((model, spelled)) = found else {
            declared.add(&link.name, Item::Unusable(ModelKind::Layer), &path, errors);
            continue;
        };
        versions.warn(spelled.as_deref().unwrap_or(&link.version), model, warnings);
        no_attributes(&link.typed_parameters, &format!("{path}.typedParameters"), errors);
        declared.add(&link.name, Item::Layer(i), &path, errors);
    }
}

/// Warns about an application's version that is run as another one.
pub(super) fn warn_version(version: &str, model: &'static Model, warnings: &mut Vec<String>) {
    Versions::default().warn(version, model, warnings);
}

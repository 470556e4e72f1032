//! The models a document may name, collected from their declarations.

use crate::document::{Document, Parameters};
use crate::global::GlobalParameters;
use packetloom_fabric::switch::attributes::SwitchAttributes;
use packetloom_nic::ethernet::attributes::EthernetNicAttributes;
use packetloom_nic::roce::attributes::RoceNicAttributes;
use packetloom_params::{Attributes, Errors, Group, nearest, table};
use packetloom_traffic::generator_attributes::TrafficGeneratorAttributes;
use packetloom_traffic::rdma_attributes::RdmaApplicationAttributes;
use serde_json::Value;

packetloom_params::attributes! {
    /// A model without attributes.
    pub struct NoAttributes {}
}

/// What a model is a model of, as the `type` of a component spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    /// A switch.
    Switch,
    /// A NIC.
    Nic,
    /// A server.
    Server,
    /// A rack.
    Rack,
    /// A pod.
    Pod,
    /// A layer of spine switches.
    Layer,
    /// An application.
    Application,
}

impl ModelKind {
    /// The `type` of its components.
    pub fn as_str(self) -> &'static str {
        match self {
            ModelKind::Switch => "switch",
            ModelKind::Nic => "nic",
            ModelKind::Server => "server",
            ModelKind::Rack => "rack",
            ModelKind::Pod => "pod",
            ModelKind::Layer => "layer",
            ModelKind::Application => "application",
        }
    }
}

/// A model.
#[derive(Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// The version offered.
    pub version: &'static str,
    /// What it is a model of.
    pub kind: ModelKind,
    /// One line about it.
    pub text: &'static str,
    /// Whether it can be run; if not, documents that name it are refused.
    pub available: bool,
    declare: fn() -> Group,
    fill: fn(&Parameters) -> Value,
    judge: fn(&Parameters) -> Errors,
}

/// Reads attributes and writes them as full leaves; faults are left at their defaults.
pub(crate) fn fill<T: Attributes>(given: &Parameters) -> Value {
    T::from_json(&Value::Object(given.clone()), "", &mut Errors::new()).to_leaves()
}

/// What is wrong with attributes, with paths from where they begin.
pub(crate) fn judge<T: Attributes>(given: &Parameters) -> Errors {
    let mut errors = Errors::new();
    T::from_json(&Value::Object(given.clone()), "", &mut errors);
    errors
}

const fn model<T: Attributes>(
    name: &'static str,
    version: &'static str,
    kind: ModelKind,
    available: bool,
    text: &'static str,
) -> Model {
    Model {
        name,
        version,
        kind,
        text,
        available,
        declare: T::declaration,
        fill: fill::<T>,
        judge: judge::<T>,
    }
}

static MODELS: [Model; 12] = [
    model::<SwitchAttributes>(
        "ScalaSwitch",
        "3.7.0",
        ModelKind::Switch,
        true,
        "A switch with one packet buffer shared by all ports",
    ),
    model::<RoceNicAttributes>(
        "ScalaRoceNic",
        "4.6.0",
        ModelKind::Nic,
        true,
        "A NIC for RDMA over converged Ethernet, with its host's PCIe link",
    ),
    model::<EthernetNicAttributes>(
        "ScalaNic",
        "3.1.1",
        ModelKind::Nic,
        true,
        "A plain Ethernet NIC, for TCP",
    ),
    model::<NoAttributes>("ScalaHost", "3.1.1", ModelKind::Server, true, "A server"),
    model::<NoAttributes>(
        "ScalaRack",
        "4.0.0",
        ModelKind::Rack,
        true,
        "A rack of servers with its switch",
    ),
    model::<NoAttributes>(
        "ScalaPod",
        "4.0.0",
        ModelKind::Pod,
        true,
        "A pod of racks with its fabric switches",
    ),
    model::<NoAttributes>(
        "ScalaLayer",
        "4.0.0",
        ModelKind::Layer,
        true,
        "A plane of spine switches above the pods",
    ),
    model::<RdmaApplicationAttributes>(
        "ScalaRdmaApplication",
        "3.1.1",
        ModelKind::Application,
        true,
        "Initiators that keep RDMA writes outstanding to Responders",
    ),
    model::<TrafficGeneratorAttributes>(
        "ScalaTrafficGeneratorApplication",
        "3.1.1",
        ModelKind::Application,
        true,
        "Clients that send requests to servers over TCP, in an open loop",
    ),
    model::<NoAttributes>(
        "ScalaUETNIC",
        "4.6.0",
        ModelKind::Nic,
        false,
        "A NIC for Ultra Ethernet",
    ),
    model::<NoAttributes>(
        "ScalaChakraGenerator",
        "4.0.3",
        ModelKind::Application,
        false,
        "Replay of traces",
    ),
    model::<NoAttributes>(
        "ChakraWorkload",
        "4.0.1",
        ModelKind::Application,
        false,
        "Replay of traces",
    ),
];

impl Model {
    /// The model's attributes.
    pub fn declaration(&self) -> Group {
        (self.declare)()
    }

    /// `given` with everything left out filled in, as full leaves.
    pub fn full_leaves(&self, given: &Parameters) -> Value {
        (self.fill)(given)
    }

    /// What is wrong with `given`, with paths from where the attributes begin.
    pub fn judge(&self, given: &Parameters) -> Errors {
        (self.judge)(given)
    }

    /// The other spelling of the name, as in `scala-switch-v3.7.0`.
    fn slug(&self) -> String {
        let mut slug = String::new();
        let mut before = None;
        for c in self.name.chars() {
            // A capital begins a word unless it goes on an abbreviation.
            if c.is_uppercase() && before.is_some_and(char::is_lowercase) {
                slug.push('-');
            }
            slug.extend(c.to_lowercase());
            before = Some(c);
        }
        slug
    }
}

/// The models that can be run.
pub fn models() -> impl Iterator<Item = &'static Model> {
    MODELS.iter().filter(|model| model.available)
}

/// Models whose names are known but that cannot be run yet.
pub fn not_yet() -> impl Iterator<Item = &'static Model> {
    MODELS.iter().filter(|model| !model.available)
}

/// The model called `name`, and the version if the name spells one, as in `scala-switch-v3.7.0`.
pub fn find(name: &str) -> Option<(&'static Model, Option<&str>)> {
    if let Some(model) = MODELS.iter().find(|model| model.name == name) {
        return Some((model, None));
    }
    let (slug, version) = name.rsplit_once("-v")?;
    MODELS
        .iter()
        .find(|model| model.slug() == slug)
        .map(|model| (model, Some(version)))
}

/// The model that the document means by `name`, if it can be run.
pub fn find_available(name: &str) -> Option<&'static Model> {
    find(name).map(|(model, _)| model).filter(|model| model.available)
}

/// The remedy for a name that no model has, of those of one kind.
pub fn suggest(name: &str, kind: Option<ModelKind>) -> String {
    let names: Vec<&str> = models()
        .filter(|model| kind.is_none_or(|kind| kind == model.kind))
        .map(|model| model.name)
        .collect();
    match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None if names.is_empty() => "there is none to use instead".to_owned(),
        None => format!("the models are {}", names.join(", ")),
    }
}

/// The attributes of a model as a Markdown table.
pub fn markdown_table(model: &Model) -> String {
    table::markdown(&model.declaration())
}

/// The global parameters as a Markdown table.
pub fn global_markdown_table() -> String {
    table::markdown(&GlobalParameters::declaration())
}

/// The document with every attribute of every known model filled in, as full leaves.
///
/// Values that are wrong are replaced by their defaults, so validate first.
pub fn full_leaves(document: &Document) -> Document {
    let filled =
        |model: &str, given: &Parameters| match find(model).map(|(model, _)| model.full_leaves(given)) {
            Some(Value::Object(full)) => full,
            _ => given.clone(),
        };
    let mut full = document.clone();
    for component in full.components.iter_mut().chain(&mut full.links) {
        component.typed_parameters = filled(&component.model, &component.typed_parameters);
    }
    for application in &mut full.applications {
        application.typed_parameters = filled(&application.model, &application.typed_parameters);
    }
    if let Value::Object(global) =
        fill::<GlobalParameters>(&crate::global::known_sections(&full.global_parameters))
    {
        full.global_parameters = global;
    }
    full
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_a_model_are_known() {
        assert_eq!(
            find("ScalaSwitch").map(|(m, v)| (m.name, v)),
            Some(("ScalaSwitch", None))
        );
        assert_eq!(
            find("scala-switch-v3.2.1").map(|(m, v)| (m.name, v)),
            Some(("ScalaSwitch", Some("3.2.1")))
        );
        assert_eq!(
            find("scala-roce-nic-v4.6.0").map(|(m, v)| (m.name, v)),
            Some(("ScalaRoceNic", Some("4.6.0")))
        );
        assert!(find("ScalaSwich").is_none());
        assert_eq!(suggest("ScalaSwich", None), "did you mean \"ScalaSwitch\"?");
    }

    #[test]
    fn every_attribute_has_a_row_with_a_meaning() {
        for model in models() {
            let rows = markdown_table(model).lines().count();
            let leaves = model.declaration().leaves().len();
            assert_eq!(rows, if leaves == 0 { 1 } else { leaves + 2 }, "{}", model.name);
            assert!(
                model
                    .declaration()
                    .leaves()
                    .iter()
                    .all(|(_, leaf)| !leaf.text.is_empty())
            );
        }
        let table = markdown_table(find("ScalaRoceNic").unwrap().0);
        let row = "| `HostInterface.NICSide.PCIeGen3.0.NicDeviceLayer.NicPCIeInterface.PhysicalLayer.LaneBps` | \
                   `datarate` | `31.52 Gbps` |";
        assert!(table.contains(row), "{table}");
        assert!(
            table.contains("| `ScalaRoceQpManager.MSS` | `bytes` | `4096 B` | 1 B to 9216 B |"),
            "{table}"
        );
        let rate = "DataRate` | `datarate` | `400 Gbps` | 1 Mbps to 100 Tbps |";
        assert!(table.contains(rate), "{table}");
    }
}

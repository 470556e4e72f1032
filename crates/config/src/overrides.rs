//! Overrides of single attributes: `Nic.ScalaRoceQpManager.MSS=2048 B`.
//!
//! The first part of a path is the name of a component, link or application, or a global section. The rest is the
//! path of an attribute in its model's declaration, which also tells a dot inside a name from one between names.

use crate::catalog;
use crate::document::{Document, Parameters};
use crate::faults::Faults;
use crate::global::{self, GlobalParameters};
use packetloom_params::problem::did_you_mean;
use packetloom_params::{Attributes, Errors, Group, Member};
use serde_json::{Map, Value};

/// Applies one override of the form `PATH=VALUE`. A value is JSON, or else bare text such as `400Gbps`.
///
/// Whether the value suits its attribute is found when the document is validated.
pub fn apply(document: &mut Document, setting: &str) -> Result<(), Errors> {
    apply_one(document, setting).map_err(|fault| problem(setting, fault))
}

/// Applies an override to a document of which parts could not be read. Not reported is what follows from these parts, or
/// is found wrong with the document when that is validated.
pub(crate) fn apply_partly(document: &mut Document, setting: &str, faults: &Faults) -> Errors {
    let hidden = ["components", "applications", "links"];
    match apply_one(document, setting) {
        Ok(()) => Errors::new(),
        Err(fault) => match fault.cause {
            Cause::Document => Errors::new(),
            Cause::Name if hidden.iter().any(|list| faults.hide_names(list)) => Errors::new(),
            Cause::Name | Cause::Setting => problem(setting, fault),
        },
    }
}

fn problem(setting: &str, fault: Fault) -> Errors {
    let path = setting.split('=').next().unwrap_or(setting).trim();
    Errors::one(format!("--set {path}"), fault.message, fault.remedy)
}

/// What an override fails for.
enum Cause {
    /// It is wrong itself.
    Setting,
    /// It names something that is not in the document.
    Name,
    /// The document is wrong where it reaches, and reported for that.
    Document,
}

struct Fault {
    message: String,
    remedy: String,
    cause: Cause,
}

impl From<(String, String)> for Fault {
    fn from((message, remedy): (String, String)) -> Self {
        Fault {
            message,
            remedy,
            cause: Cause::Setting,
        }
    }
}

impl Fault {
    fn of(cause: Cause, message: String, remedy: String) -> Self {
        Fault {
            message,
            remedy,
            cause,
        }
    }
}

fn apply_one(document: &mut Document, setting: &str) -> Result<(), Fault> {
    let Some((path, value)) = setting.split_once('=') else {
        return Err((
            "has no \"=\"".to_owned(),
            "write PATH=VALUE, such as SimulationParameters.RunTime=0.01".to_owned(),
        )
            .into());
    };
    let (path, value) = (path.trim(), value.trim());
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    let globals = GlobalParameters::declaration();
    let global = globals.members.iter().find_map(|member| {
        let rest = path.strip_prefix(member.name())?;
        (rest.is_empty() || rest.starts_with('.')).then_some(())
    });
    if global.is_some() {
        let names = locate(&globals, path)?;
        document.global_parameters = global::known_sections(&document.global_parameters);
        return place(&mut document.global_parameters, &names, value);
    }
    let declared = declared(document);
    // A name may hold dots; the longest that fits is meant.
    let owner = declared
        .iter()
        .filter(|(name, ..)| {
            path.strip_prefix(name.as_str())
                .is_some_and(|rest| rest.starts_with('.'))
        })
        .max_by_key(|(name, ..)| name.len());
    let Some((name, model, at)) = owner else {
        let first = path.split('.').next().unwrap_or(path);
        if declared.iter().any(|(name, ..)| name == path) {
            return Err((
                format!("\"{path}\" is no attribute"),
                format!("name one of its attributes: {path}.NAME"),
            )
                .into());
        }
        let mut known: Vec<&str> = declared.iter().map(|(name, ..)| name.as_str()).collect();
        for section in &globals.members {
            known.push(section.name());
        }
        let message = format!("nothing is called \"{first}\"");
        let remedy = did_you_mean(first, known.iter().copied());
        return Err(Fault::of(Cause::Name, message, remedy));
    };
    let Some((model, _)) = catalog::find(model) else {
        let message = format!("the model of {name}, \"{model}\", is not known");
        return Err(Fault::of(Cause::Document, message, catalog::suggest(model, None)));
    };
    let names = locate(&model.declaration(), &path[name.len() + 1..])?;
    place(at.parameters(document), &names, value)
}

/// Where a declaration stands in the document.
#[derive(Clone, Copy)]
enum Place {
    Component(usize),
    Link(usize),
    Application(usize),
}

impl Place {
    fn parameters(self, document: &mut Document) -> &mut Parameters {
        match self {
            Place::Component(i) => &mut document.components[i].typed_parameters,
            Place::Link(i) => &mut document.links[i].typed_parameters,
            Place::Application(i) => &mut document.applications[i].typed_parameters,
        }
    }
}

/// Name, model and place of everything that has attributes.
fn declared(document: &Document) -> Vec<(String, String, Place)> {
    let components = document.components.iter().enumerate();
    let links = document.links.iter().enumerate();
    let applications = document.applications.iter().enumerate();
    components
        .map(|(i, c)| (c.name.clone(), c.model.clone(), Place::Component(i)))
        .chain(links.map(|(i, c)| (c.name.clone(), c.model.clone(), Place::Link(i))))
        .chain(applications.map(|(i, a)| (a.name.clone(), a.model.clone(), Place::Application(i))))
        .collect()
}

/// The names along `path` from the root of a declaration to one of its attributes.
fn locate(root: &Group, path: &str) -> Result<Vec<&'static str>, Fault> {
    let mut names = Vec::new();
    let mut members = &root.members;
    let mut rest = path;
    loop {
        let fitting = members.iter().find_map(|member| {
            let after = rest.strip_prefix(member.name())?;
            (after.is_empty() || after.starts_with('.')).then(|| (member, after.trim_start_matches('.')))
        });
        let known = || members.iter().map(Member::name);
        match fitting {
            None => {
                let part = rest.split('.').next().unwrap_or(rest);
                let place = if names.is_empty() {
                    String::new()
                } else {
                    format!(" in {}", names.join("."))
                };
                return Err((
                    format!("there is no \"{part}\"{place}"),
                    did_you_mean(part, known()),
                )
                    .into());
            }
            Some((Member::Leaf(leaf), "")) => {
                names.push(leaf.name);
                return Ok(names);
            }
            Some((Member::Leaf(leaf), after)) => {
                let message = format!("{} is an attribute and holds no \"{after}\"", leaf.name);
                return Err((message, format!("end the path at {}", leaf.name)).into());
            }
            Some((Member::Group(group), after)) => {
                names.push(group.name);
                members = &group.members;
                if after.is_empty() {
                    let inside: Vec<&str> = members.iter().map(Member::name).collect();
                    let message = format!("{} is a group of attributes", group.name);
                    return Err((message, format!("name one of them: {}", inside.join(", "))).into());
                }
                rest = after;
            }
        }
    }
}

/// Puts `value` at the end of `names`, making the groups on the way.
fn place(parameters: &mut Parameters, names: &[&str], value: Value) -> Result<(), Fault> {
    let (last, groups) = names
        .split_last()
        .ok_or_else(|| Fault::from(("names no attribute".to_owned(), String::new())))?;
    let mut at = parameters;
    for name in groups {
        let group = at.entry(*name).or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(group) = group else {
            let message = format!("{name} is not a group in the document");
            let remedy = "make it an object there".to_owned();
            return Err(Fault::of(Cause::Document, message, remedy));
        };
        at = group;
    }
    at.insert((*last).to_owned(), value);
    Ok(())
}

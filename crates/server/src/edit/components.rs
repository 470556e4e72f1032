//! Adding and removing components, containers and layers.

use super::{allowed_in, kind, taken};
use crate::api::error::{ApiError, ApiResult};
use crate::id::Kind;
use packetloom_config::catalog::{self, Model, ModelKind};
use packetloom_config::document::{ComponentDeclaration, ContainerDefinition, Document, Parameters};
use serde_json::{Map, Value};

/// The model with that identifier or name, of that version if one is named.
///
/// # Errors
/// 400 when there is none that can be used.
pub fn model(id: &str, version: Option<&str>, wanted: Option<ModelKind>) -> ApiResult<&'static Model> {
    let by_id = catalog::models()
        .chain(catalog::not_yet())
        .find(|model| Kind::Model.fixed_id(model.name) == id);
    let (model, spelt) = match by_id {
        Some(model) => (model, None),
        None => catalog::find(id).ok_or_else(|| {
            ApiError::invalid(format!(
                "there is no model {id:?}; {}",
                catalog::suggest(id, wanted)
            ))
        })?,
    };
    if !model.available {
        return Err(ApiError::invalid(format!(
            "the model {} is not available yet",
            model.name
        )));
    }
    if let Some(version) = version.or(spelt).filter(|version| *version != model.version) {
        return Err(ApiError::invalid(format!(
            "{} has no version {version:?}; the one offered is {}",
            model.name, model.version
        )));
    }
    if let Some(wanted) = wanted.filter(|wanted| *wanted != model.kind) {
        return Err(ApiError::invalid(format!(
            "{} is a model of type {}, not {}; {}",
            model.name,
            model.kind.as_str(),
            wanted.as_str(),
            catalog::suggest("", Some(wanted))
        )));
    }
    Ok(model)
}

/// All attributes of a model at their defaults, as full leaves.
pub fn defaults(model: &Model) -> Parameters {
    match model.full_leaves(&Map::new()) {
        Value::Object(full) => full,
        _ => Map::new(),
    }
}

/// A declaration of `model` called `name`, ready to stand in a document.
pub fn declaration(model: &Model, name: &str) -> ComponentDeclaration {
    let kind = model.kind.as_str();
    ComponentDeclaration {
        kind: kind.to_owned(),
        name: name.to_owned(),
        model: model.name.to_owned(),
        version: model.version.to_owned(),
        typed_parameters: defaults(model),
        traffic_type: (model.kind == ModelKind::Application).then(|| "non-coordinated".to_owned()),
        allowed_components: allowed_in(kind).iter().map(|text| (*text).to_owned()).collect(),
        components: Vec::new(),
    }
}

/// Refuses names that are taken or cannot stand in a path or in records.
pub(crate) fn check_name(document: &Document, name: &str) -> ApiResult<()> {
    if name.trim().is_empty() || name.chars().any(char::is_control) || name.chars().count() > 200 {
        return Err(ApiError::invalid("name: give 1 to 200 characters on one line"));
    }
    if taken(document, name) {
        return Err(ApiError::invalid(format!(
            "name: there is something called {name:?} already; give another name"
        )));
    }
    Ok(())
}

/// Adds an instance of a model where its type belongs: components, containers or links.
///
/// # Errors
/// 400 when the model or the name cannot be used.
pub fn add(
    document: &mut Document,
    id: &str,
    type_text: &str,
    name: &str,
    version: Option<&str>,
) -> ApiResult<ComponentDeclaration> {
    let wanted = kind(type_text)
        .filter(|kind| *kind != ModelKind::Application)
        .ok_or_else(|| {
            ApiError::invalid(format!(
                "type: {type_text:?} is none; give switch, nic, server, rack, pod or layer"
            ))
        })?;
    let model = model(id, version, Some(wanted))?;
    check_name(document, name)?;
    let new = declaration(model, name);
    match wanted {
        ModelKind::Rack | ModelKind::Pod => document.containers.push(ContainerDefinition {
            kind: new.kind.clone(),
            name: new.name.clone(),
            model: Some(new.model.clone()),
            version: Some(new.version.clone()),
            configuration: None,
            typed_parameters: Map::new(),
            allowed_components: new.allowed_components.clone(),
            components: Vec::new(),
        }),
        ModelKind::Layer => document.links.push(new.clone()),
        _ => document.components.push(new.clone()),
    }
    Ok(new)
}

/// Takes a component away, and every reference to it: in containers, in layers, in the topology and in other components.
///
/// # Errors
/// 404 when there is none.
pub fn remove(document: &mut Document, name: &str) -> ApiResult<()> {
    let before = document.components.len();
    document.components.retain(|component| component.name != name);
    if document.components.len() == before {
        return Err(ApiError::not_found("component", name));
    }
    let holders = document
        .components
        .iter_mut()
        .chain(&mut document.links)
        .map(|c| &mut c.components);
    let containers = document.containers.iter_mut().map(|c| &mut c.components);
    for references in holders
        .chain(containers)
        .chain([&mut document.topology.components])
    {
        references.retain(|reference| reference.name != name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use packetloom_config::template;

    #[test]
    fn each_type_goes_where_it_belongs() {
        let mut document = template::document("rdma-one-rack").expect("a template");
        let counts = |d: &Document| (d.components.len(), d.containers.len(), d.links.len());
        let before = counts(&document);
        for (model, kind) in [
            ("ScalaSwitch", "switch"),
            ("ScalaNic", "nic"),
            ("ScalaHost", "host"),
            ("ScalaRack", "rack"),
            ("ScalaPod", "pod"),
            ("scala-layer-v4.0.0", "layer"),
        ] {
            add(&mut document, model, kind, &format!("New {kind}"), None).expect(kind);
        }
        let after = counts(&document);
        assert_eq!(
            (after.0 - before.0, after.1 - before.1, after.2 - before.2),
            (3, 2, 1)
        );
        let id = Kind::Model.fixed_id("ScalaSwitch");
        let added = add(&mut document, &id, "switch", "By id", Some("3.7.0")).expect("added");
        assert_eq!(added.typed_parameters["NumUpLinksPerSwitch"]["value"], 8);
        for (model, kind, name, version) in [
            ("ScalaSwich", "switch", "A", None),
            ("ScalaSwitch", "nic", "A", None),
            ("ScalaSwitch", "switch", "A", Some("9.9.9")),
            ("ScalaUETNIC", "nic", "A", None),
            ("ScalaRdmaApplication", "application", "A", None),
            ("ScalaSwitch", "router", "A", None),
            ("ScalaSwitch", "switch", "By id", None),
            ("ScalaSwitch", "switch", "", None),
            ("ScalaSwitch", "switch", "a\nb", None),
        ] {
            let error = add(&mut document, model, kind, name, version).expect_err(name);
            assert_eq!(error.status(), 400, "{model} {kind} {name:?}");
        }
    }

    #[test]
    fn references_go_with_what_they_refer_to() {
        let mut document = template::document("rdma-16-hosts").expect("a template");
        let names: Vec<String> = document.components.iter().map(|c| c.name.clone()).collect();
        for name in names {
            remove(&mut document, &name).expect("there");
            let text = serde_json::to_string(&document).expect("JSON");
            assert!(
                !text.contains(&format!("\"name\":\"{name}\"")),
                "{name} in {text}"
            );
        }
        assert_eq!(remove(&mut document, "Nic").expect_err("gone").status(), 404);
    }
}

//! What servers, containers and the topology hold: references to declarations, with counts.

use super::{allowed, kind};
use crate::api::error::{ApiError, ApiResult};
use packetloom_config::Document;
use packetloom_config::catalog::ModelKind;
use packetloom_config::document::{
    ComponentDeclaration, ComponentRef, ContainerDefinition, TopologyDefinition,
};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A reference to add.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewReference {
    /// The name of something declared in the configuration.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// How many of it there are; 1 if left out.
    #[schema(minimum = 1)]
    pub count: Option<u64>,
    /// A label.
    pub group: Option<String>,
    /// The application whose role it is, for a child of type `application`.
    pub parent_application_name: Option<String>,
}

/// What to change of a reference.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReferenceChange {
    /// How many there are.
    #[schema(minimum = 1)]
    pub count: Option<u64>,
    /// A label.
    pub group: Option<String>,
}

fn checked_count(count: Option<u64>) -> ApiResult<u64> {
    match count.unwrap_or(1) {
        0 => Err(ApiError::invalid("count: is 0; give 1 or more")),
        count => Ok(count),
    }
}

/// Adds a reference to `references` of something called `owner`, which may hold `allowed`.
fn add(
    references: &mut Vec<ComponentRef>,
    owner: &str,
    allowed: &[&str],
    new: &NewReference,
) -> ApiResult<()> {
    let kind = if new.kind == "host" {
        "server"
    } else {
        new.kind.as_str()
    };
    if !allowed.contains(&kind) {
        return Err(ApiError::invalid(format!(
            "type: {owner} may hold {}, no {kind:?}",
            allowed.join(", ")
        )));
    }
    if references
        .iter()
        .any(|reference| reference.name == new.name && reference.kind == kind)
    {
        return Err(ApiError::invalid(format!(
            "name: {owner} holds {:?} already; change its count instead",
            new.name
        )));
    }
    references.push(ComponentRef {
        name: new.name.clone(),
        kind: kind.to_owned(),
        count: checked_count(new.count)?,
        group: new.group.clone().map(Value::String),
        model: None,
        version: None,
        parent_application_name: new.parent_application_name.clone(),
    });
    Ok(())
}

/// Changes the reference called `name`.
fn change(
    references: &mut [ComponentRef],
    owner: &str,
    name: &str,
    change: &ReferenceChange,
) -> ApiResult<()> {
    if change.count.is_none() && change.group.is_none() {
        return Err(ApiError::invalid("the patch is empty; give count, group or both"));
    }
    let reference = references
        .iter_mut()
        .find(|reference| reference.name == name)
        .ok_or_else(|| ApiError::not_found(&format!("component of {owner} called"), name))?;
    if change.count.is_some() {
        reference.count = checked_count(change.count)?;
    }
    if let Some(group) = &change.group {
        reference.group = Some(Value::String(group.clone()));
    }
    Ok(())
}

fn remove(references: &mut Vec<ComponentRef>, owner: &str, name: &str) -> ApiResult<()> {
    let before = references.len();
    references.retain(|reference| reference.name != name);
    if references.len() == before {
        return Err(ApiError::not_found(&format!("component of {owner} called"), name));
    }
    Ok(())
}

/// Whether the list for things of that type has one called `name`.
fn declared(document: &Document, kind: ModelKind, name: &str) -> bool {
    let named = |c: &ComponentDeclaration| c.name == name && c.kind == kind.as_str();
    match kind {
        ModelKind::Layer => document.links.iter().any(named),
        ModelKind::Rack | ModelKind::Pod => document
            .containers
            .iter()
            .any(|c| c.name == name && c.kind == kind.as_str()),
        ModelKind::Application => document.applications.iter().any(|a| a.name == name),
        _ => document.components.iter().any(named),
    }
}

fn must_be_declared(document: &Document, type_text: &str, name: &str) -> ApiResult<()> {
    match kind(type_text) {
        Some(kind) if declared(document, kind, name) => Ok(()),
        _ => Err(ApiError::not_found(
            &format!(
                "{} in this configuration called",
                type_text.chars().take(40).collect::<String>()
            ),
            name,
        )),
    }
}

fn server<'a>(document: &'a mut Document, name: &str) -> ApiResult<&'a mut ComponentDeclaration> {
    let component = document
        .components
        .iter_mut()
        .find(|component| component.name == name)
        .ok_or_else(|| ApiError::not_found("component", name))?;
    if component.kind != "server" {
        return Err(ApiError::invalid(format!(
            "{name} is a {}; only servers hold others",
            component.kind
        )));
    }
    Ok(component)
}

/// Adds a NIC, a GPU or an application's role to a server.
///
/// # Errors
/// 404 when the server or what is referred to is not there, 400 when it may not be held.
pub fn add_child(
    document: &mut Document,
    owner: &str,
    new: &NewReference,
) -> ApiResult<ComponentDeclaration> {
    let given = server(document, owner)?;
    let may = allowed("server", &given.allowed_components).contains(&new.kind.as_str());
    if may && new.kind == "application" {
        let Some(parent) = &new.parent_application_name else {
            return Err(ApiError::invalid(
                "parentApplicationName: is missing; name the application whose role this is",
            ));
        };
        must_be_declared(document, "application", parent)?;
    } else if may {
        if new.parent_application_name.is_some() {
            return Err(ApiError::invalid(
                "parentApplicationName: belongs to children of type application; leave it out",
            ));
        }
        must_be_declared(document, &new.kind, &new.name)?;
    }
    let server = server(document, owner)?;
    let allowed: Vec<String> = allowed("server", &server.allowed_components)
        .into_iter()
        .map(str::to_owned)
        .collect();
    let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
    add(&mut server.components, owner, &allowed, new)?;
    Ok(server.clone())
}

/// Changes the count or group of a server's child.
///
/// # Errors
/// 404 when it is not there, 400 when the change is empty or wrong.
pub fn change_child(
    document: &mut Document,
    owner: &str,
    name: &str,
    to: &ReferenceChange,
) -> ApiResult<ComponentDeclaration> {
    let server = server(document, owner)?;
    change(&mut server.components, owner, name, to)?;
    Ok(server.clone())
}

/// Takes a child from a server.
///
/// # Errors
/// 404 when it is not there.
pub fn remove_child(document: &mut Document, owner: &str, name: &str) -> ApiResult<()> {
    remove(&mut server(document, owner)?.components, owner, name)
}

fn container<'a>(document: &'a mut Document, name: &str) -> ApiResult<&'a mut ContainerDefinition> {
    document
        .containers
        .iter_mut()
        .find(|container| container.name == name)
        .ok_or_else(|| ApiError::not_found("container", name))
}

/// Adds a reference to a rack or pod.
///
/// # Errors
/// 404 when the container or what is referred to is not there, 400 when it may not be held.
pub fn add_to_container(
    document: &mut Document,
    owner: &str,
    new: &NewReference,
) -> ApiResult<ContainerDefinition> {
    let given = container(document, owner)?;
    let allowed: Vec<String> = allowed(&given.kind, &given.allowed_components)
        .into_iter()
        .map(str::to_owned)
        .collect();
    let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
    let kind = if new.kind == "host" {
        "server"
    } else {
        new.kind.as_str()
    };
    if allowed.contains(&kind) {
        must_be_declared(document, kind, &new.name)?;
    }
    let container = container(document, owner)?;
    add(&mut container.components, owner, &allowed, new)?;
    Ok(container.clone())
}

/// Changes the count or group of a reference in a rack or pod.
///
/// # Errors
/// 404 when it is not there, 400 when the change is empty or wrong.
pub fn change_in_container(
    document: &mut Document,
    owner: &str,
    name: &str,
    to: &ReferenceChange,
) -> ApiResult<ContainerDefinition> {
    let container = container(document, owner)?;
    change(&mut container.components, owner, name, to)?;
    Ok(container.clone())
}

/// Takes a reference from a rack or pod.
///
/// # Errors
/// 404 when it is not there.
pub fn remove_from_container(document: &mut Document, owner: &str, name: &str) -> ApiResult<()> {
    remove(&mut container(document, owner)?.components, owner, name)
}

/// Adds a reference to the topology.
///
/// # Errors
/// 404 when what is referred to is not there, 400 when its type does not belong there or it is there already.
pub fn add_to_topology(document: &mut Document, new: &NewReference) -> ApiResult<TopologyDefinition> {
    if new.group.is_some() || new.parent_application_name.is_some() {
        return Err(ApiError::invalid("only name, type and count belong here"));
    }
    let allowed: Vec<String> = allowed("topology", &document.topology.allowed_components)
        .into_iter()
        .map(str::to_owned)
        .collect();
    let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
    if allowed.contains(&new.kind.as_str()) {
        must_be_declared(document, &new.kind, &new.name)?;
    }
    add(&mut document.topology.components, "the topology", &allowed, new)?;
    Ok(document.topology.clone())
}

/// Changes the count of a reference in the topology.
///
/// # Errors
/// 404 when it is not there, 400 when the count is 0.
pub fn change_in_topology(document: &mut Document, name: &str, count: u64) -> ApiResult<TopologyDefinition> {
    let to = ReferenceChange {
        count: Some(count),
        group: None,
    };
    change(&mut document.topology.components, "the topology", name, &to)?;
    Ok(document.topology.clone())
}

/// Takes a reference from the topology.
///
/// # Errors
/// 404 when it is not there.
pub fn remove_from_topology(document: &mut Document, name: &str) -> ApiResult<()> {
    remove(&mut document.topology.components, "the topology", name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use packetloom_config::template;
    use serde_json::json;

    fn new(value: Value) -> NewReference {
        serde_json::from_value(value).expect("a reference")
    }

    fn document() -> Document {
        template::document("rdma-three-tier").expect("a template")
    }

    #[test]
    fn servers_hold_nics_and_roles() {
        let mut d = document();
        remove_child(&mut d, "Server", "Nic").expect("there");
        assert_eq!(
            remove_child(&mut d, "Server", "Nic").expect_err("gone").status(),
            404
        );
        let server = add_child(&mut d, "Server", &new(json!({"name": "Nic", "type": "nic"}))).expect("added");
        assert_eq!(server.components[0].count, 1);
        let role = json!({"name": "RdmaInitiator", "type": "application", "parentApplicationName": "Rdma"});
        add_child(&mut d, "Server", &new(role)).expect("added");
        for (owner, child, status) in [
            ("Server", json!({"name": "Nic", "type": "nic"}), 400),
            ("Server", json!({"name": "Other", "type": "nic"}), 404),
            ("Server", json!({"name": "RackSwitch", "type": "switch"}), 400),
            ("Server", json!({"name": "RackSwitch", "type": "nic"}), 404),
            ("Server", json!({"name": "R", "type": "application"}), 400),
            (
                "Server",
                json!({"name": "R", "type": "application", "parentApplicationName": "Tcp"}),
                404,
            ),
            ("Nic", json!({"name": "Nic", "type": "nic"}), 400),
            ("Nobody", json!({"name": "Nic", "type": "nic"}), 404),
        ] {
            assert_eq!(
                add_child(&mut d, owner, &new(child.clone()))
                    .expect_err("refused")
                    .status(),
                status,
                "{child}"
            );
        }
    }

    #[test]
    fn counts_and_groups_change() {
        let mut d = document();
        let to = |count, group: Option<&str>| ReferenceChange {
            count,
            group: group.map(str::to_owned),
        };
        let rack = change_in_container(&mut d, "Rack", "Server", &to(Some(4), Some("g"))).expect("there");
        let server = rack
            .components
            .iter()
            .find(|r| r.name == "Server")
            .expect("there");
        assert_eq!((server.count, &server.group), (4, &Some(json!("g"))));
        assert_eq!(
            change_in_container(&mut d, "Rack", "Server", &to(None, None))
                .expect_err("empty")
                .status(),
            400
        );
        assert_eq!(
            change_in_container(&mut d, "Rack", "Server", &to(Some(0), None))
                .expect_err("zero")
                .status(),
            400
        );
        assert_eq!(
            change_in_container(&mut d, "Rack", "Nic", &to(Some(1), None))
                .expect_err("none")
                .status(),
            404
        );
        assert_eq!(
            change_in_container(&mut d, "Shelf", "Server", &to(Some(1), None))
                .expect_err("none")
                .status(),
            404
        );
        assert_eq!(
            change_child(&mut d, "Server", "Nic", &to(Some(2), None))
                .expect("there")
                .components[0]
                .count,
            2
        );
        assert_eq!(
            change_in_topology(&mut d, "Pod", 2)
                .expect("there")
                .components
                .iter()
                .find(|r| r.name == "Pod")
                .map(|r| r.count),
            Some(2)
        );
        assert_eq!(
            change_in_topology(&mut d, "Pod", 0).expect_err("zero").status(),
            400
        );
        assert_eq!(
            change_in_topology(&mut d, "Rack", 1)
                .expect_err("not there")
                .status(),
            404
        );
    }

    #[test]
    fn containers_and_the_topology_hold_what_belongs_there() {
        let mut d = document();
        remove_from_container(&mut d, "Pod", "Rack").expect("there");
        add_to_container(
            &mut d,
            "Pod",
            &new(json!({"name": "Rack", "type": "rack", "count": 2})),
        )
        .expect("added");
        assert_eq!(
            remove_from_container(&mut d, "Pod", "Server")
                .expect_err("none")
                .status(),
            404
        );
        for (owner, reference, status) in [
            ("Pod", json!({"name": "Rack", "type": "rack"}), 400),
            ("Pod", json!({"name": "Server", "type": "server"}), 400),
            ("Rack", json!({"name": "Nic", "type": "nic"}), 400),
            ("Rack", json!({"name": "Absent", "type": "switch"}), 404),
            (
                "Rack",
                json!({"name": "FabricSwitch", "type": "switch", "count": 0}),
                400,
            ),
            ("Shelf", json!({"name": "Server", "type": "server"}), 404),
        ] {
            assert_eq!(
                add_to_container(&mut d, owner, &new(reference.clone()))
                    .expect_err("refused")
                    .status(),
                status,
                "{reference}"
            );
        }
        remove_from_topology(&mut d, "Pod").expect("there");
        assert_eq!(
            remove_from_topology(&mut d, "Pod").expect_err("gone").status(),
            404
        );
        add_to_topology(&mut d, &new(json!({"name": "Pod", "type": "pod", "count": 4}))).expect("added");
        for (reference, status) in [
            (json!({"name": "Pod", "type": "pod"}), 400),
            (json!({"name": "Rack", "type": "rack"}), 400),
            (json!({"name": "Nic", "type": "switch"}), 404),
            (json!({"name": "Pod", "type": "layer"}), 404),
            (json!({"name": "Pod", "type": "pod", "group": "g"}), 400),
        ] {
            assert_eq!(
                add_to_topology(&mut d, &new(reference.clone()))
                    .expect_err("refused")
                    .status(),
                status,
                "{reference}"
            );
        }
    }
}

//! Components: what there is to build configurations of, and the attributes each has.

use super::error::{ApiResult, ErrorBody};
use super::extract::{Path, Query};
use super::models::{find_usable, model_kind};
use super::page::{PageQuery, Pagination};
use crate::edit::allowed_in;
use crate::id::Kind;
use crate::platform::App;
use crate::time::iso;
use axum::Json;
use packetloom_config::catalog::{self, Model, ModelKind};
use packetloom_params::{Group, Leaf, Member};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(get))
}

/// When what comes with the program was made, as its identifiers have it: the first second of all identifiers.
pub(super) const BUILT_IN_MS: i64 = 1_400_000_000_000;

/// What a component is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// It does something in a simulation.
    Model,
    /// It holds others: a rack or a pod.
    Container,
}

fn category(kind: ModelKind) -> Category {
    match kind {
        ModelKind::Rack | ModelKind::Pod => Category::Container,
        _ => Category::Model,
    }
}

/// A component in a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentType {
    /// What it is for.
    category: Category,
    /// One line about it.
    description: &'static str,
    /// Its identifier, the same in every installation.
    #[schema(pattern = "^model_[0-9A-Za-z]{27}$")]
    id: String,
    /// The latest version.
    latest_version: &'static str,
    /// What configurations call it.
    model: &'static str,
    /// What people call it.
    name: &'static str,
    /// The `type` of its declarations: switch, nic, server, rack, pod, layer or application.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Its versions, newest first.
    versions: Vec<&'static str>,
}

/// A page of components.
#[derive(Debug, Serialize, ToSchema)]
pub struct ComponentTypeList {
    /// In the order of the catalogue.
    components: Vec<ComponentType>,
    pagination: Pagination,
}

/// A property of a container's definition.
#[derive(Debug, Serialize, ToSchema)]
pub struct PropertySchema {
    /// What it holds.
    description: &'static str,
    /// Its type in JSON.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The least length of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<u64>,
    /// What a list is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<&'static str>,
}

/// How a container is defined.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContainerSchema {
    /// Types of components that it may hold.
    allowed: &'static [&'static str],
    /// What it holds.
    components: PropertySchema,
    /// Its name.
    name: PropertySchema,
    /// `rack` or `pod`.
    #[serde(rename = "type")]
    kind: &'static str,
}

/// A component with its attributes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentSchema {
    /// What it is for.
    category: Category,
    /// How a container is defined; left out of everything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    container_schema: Option<ContainerSchema>,
    /// The same for everything that comes with the program.
    #[schema(format = DateTime)]
    created_at: String,
    /// One line about it.
    description: &'static str,
    /// Its identifier, the same in every installation.
    #[schema(pattern = "^model_[0-9A-Za-z]{27}$")]
    id: String,
    /// The latest version.
    latest_version: &'static str,
    /// What configurations call it.
    model: &'static str,
    /// What people call it.
    name: &'static str,
    /// Its attributes as a table in Markdown; left out unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<String>,
    /// The kind of traffic of an application; left out of everything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    traffic_type: Option<&'static str>,
    /// The `type` of its declarations.
    #[serde(rename = "type")]
    kind: &'static str,
    /// A tree of its attributes; each has `type`, `default` (as text), `description`, and where they apply `defaultUnit`, `min`
    /// and `max` (each a `value` with its `unit`), `enum` and `readonly`.
    #[schema(value_type = Object)]
    typed_parameters: Value,
    /// The version this is about.
    version: &'static str,
}

/// Which components.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Most items; more than 100 are taken as 100.
    #[param(minimum = 1)]
    limit: Option<u64>,
    /// The `nextCursor` of the page before.
    next: Option<String>,
    /// Only those of this category.
    #[param(inline)]
    category: Option<Category>,
    /// Only those of this type: switch, nic, server (or host), rack, pod, layer or application.
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// Which version, and how much of it.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SchemaQuery {
    /// The version; the latest if left out.
    version: Option<String>,
    /// Whether the answer has `notes`; it has not if left out.
    notes: Option<bool>,
}

/// List what configurations are made of.
#[utoipa::path(get, path = "/components", tag = "Components", params(ListQuery), responses((status = 200, description = "A page of them", body = ComponentTypeList)))]
async fn list(Query(given): Query<ListQuery>) -> ApiResult<Json<ComponentTypeList>> {
    const LIST: &str = "components";
    let page = PageQuery {
        limit: given.limit,
        next: given.next,
    };
    let (size, after) = (page.size()?, page.after::<usize>(LIST)?);
    let kind = given.kind.as_deref().map(model_kind).transpose()?;
    let mut found: Vec<(usize, &Model)> = catalog::models()
        .enumerate()
        .skip(after.map_or(0, |at| at.saturating_add(1)))
        .filter(|(_, model)| given.category.is_none_or(|wanted| wanted == category(model.kind)))
        .filter(|(_, model)| kind.is_none_or(|wanted| wanted == model.kind))
        .take(size + 1)
        .collect();
    let pagination = Pagination::cut(&mut found, size, LIST, |(at, _)| *at);
    let components = found
        .into_iter()
        .map(|(_, model)| ComponentType {
            category: category(model.kind),
            description: model.text,
            id: Kind::Model.fixed_id(model.name),
            latest_version: model.version,
            model: model.name,
            name: model.name,
            kind: model.kind.as_str(),
            versions: vec![model.version],
        })
        .collect();
    Ok(Json(ComponentTypeList {
        components,
        pagination,
    }))
}

/// An attribute as a schema has it: its default is a text, and it has no value.
fn leaf_schema(leaf: &Leaf) -> Value {
    let mut schema = leaf.to_json(leaf.default.value.clone(), leaf.default.unit);
    if let Value::Object(parts) = &mut schema {
        parts.shift_remove("value");
        parts.shift_remove("unit");
        let mut plain = leaf.default.clone();
        plain.unit = None;
        parts.insert("default".to_owned(), plain.to_string().into());
    }
    schema
}

fn group_schema(group: &Group) -> Value {
    let members = group.members.iter().map(|member| {
        let schema = match member {
            Member::Leaf(leaf) => leaf_schema(leaf),
            Member::Group(group) => group_schema(group),
        };
        (member.name().to_owned(), schema)
    });
    Value::Object(members.collect::<Map<_, _>>())
}

fn container_schema(kind: ModelKind) -> ContainerSchema {
    ContainerSchema {
        allowed: allowed_in(kind.as_str()),
        components: PropertySchema {
            description: "What it holds, each with name, type and count",
            kind: "array",
            minimum: None,
            items: Some("ComponentRef"),
        },
        name: PropertySchema {
            description: "Its name, unlike all others of the configuration",
            kind: "string",
            minimum: Some(1),
            items: None,
        },
        kind: kind.as_str(),
    }
}

/// Get the attributes of a component: their types, defaults and limits.
#[utoipa::path(get, path = "/components/{component_id}", tag = "Components", params(("component_id" = String, Path, description = "The component's identifier, or its model, with a version (scala-switch-v3.7.0) or without (ScalaSwitch)"), SchemaQuery), responses(
    (status = 200, description = "They", body = ComponentSchema),
    (status = 404, description = "There is no such component or version, or it cannot be used yet", body = ErrorBody)))]
async fn get(Path(id): Path<String>, Query(given): Query<SchemaQuery>) -> ApiResult<Json<ComponentSchema>> {
    let model = find_usable(&id, given.version.as_deref())?;
    let category = category(model.kind);
    Ok(Json(ComponentSchema {
        category,
        container_schema: (category == Category::Container).then(|| container_schema(model.kind)),
        created_at: iso(BUILT_IN_MS),
        description: model.text,
        id: Kind::Model.fixed_id(model.name),
        latest_version: model.version,
        model: model.name,
        name: model.name,
        notes: (given.notes == Some(true)).then(|| catalog::markdown_table(model)),
        traffic_type: (model.kind == ModelKind::Application).then_some("non-coordinated"),
        kind: model.kind.as_str(),
        typed_parameters: group_schema(&model.declaration()),
        version: model.version,
    }))
}

#[cfg(test)]
mod tests {
    use crate::api::client::Client;
    use crate::id::Kind;
    use serde_json::json;

    #[tokio::test]
    async fn only_what_can_be_used_is_listed() {
        let service = Client::new().await;
        let (status, list) = service.see("/components").await;
        assert_eq!((status, &list["pagination"]["count"]), (200, &json!(9)), "{list}");
        assert_eq!(list["components"][0]["versions"], json!(["3.7.0"]));
        for (query, count) in [
            // Rack and pod.
            ("category=container", 2),
            // All others of the nine.
            ("category=model", 7),
            ("category=model&type=nic", 2),
            ("category=container&type=nic", 0),
        ] {
            let (status, list) = service.see(&format!("/components?{query}")).await;
            assert_eq!(
                (status, &list["pagination"]["count"]),
                (200, &json!(count)),
                "{query}"
            );
        }
        for query in ["category=other", "type=router", "limit=0", "next=zz"] {
            assert_eq!(
                service.see(&format!("/components?{query}")).await.0,
                400,
                "{query}"
            );
        }
    }

    #[tokio::test]
    async fn schemas_have_defaults_as_text_and_limits_with_units() {
        let service = Client::new().await;
        let path = format!("/components/{}", Kind::Model.fixed_id("ScalaRoceNic"));
        let (status, nic) = service.see(&path).await;
        assert_eq!(
            (status, &nic["category"], &nic["type"]),
            (200, &json!("model"), &json!("nic"))
        );
        assert_eq!(nic.get("notes"), None);
        assert_eq!(nic.get("containerSchema"), None);
        // `bytes`, 4096 B, 1 B to 9216 B: as in the table of the NIC's attributes.
        let mss = &nic["typedParameters"]["ScalaRoceQpManager"]["MSS"];
        assert_eq!(
            (&mss["type"], &mss["default"], &mss["defaultUnit"]),
            (&json!("bytes"), &json!("4096"), &json!("B"))
        );
        assert_eq!(mss["min"], json!({"value": 1, "unit": "B"}));
        assert_eq!(mss["max"], json!({"value": 9216, "unit": "B"}));
        assert_eq!((mss.get("value"), mss.get("unit")), (None, None));
        let lanes = &nic["typedParameters"]["HostInterface"]["NICSide"]["PCIeGen3.0"]["NicDeviceLayer"]["NicPCIeInterface"]
            ["PhysicalLayer"];
        assert_eq!(lanes["LaneBps"]["default"], "31.52");
        assert_eq!(lanes["LaneCount"]["max"], json!({"value": 16}));
        let (_, noted) = service.see(&format!("{path}?notes=true&version=4.6.0")).await;
        assert!(noted["notes"].as_str().is_some_and(|text| text.contains("MSS")));
    }

    #[tokio::test]
    async fn every_default_is_text() {
        let service = Client::new().await;
        for model in packetloom_config::catalog::models() {
            let (status, schema) = service.see(&format!("/components/{}", model.name)).await;
            assert_eq!(status, 200, "{}", model.name);
            for (path, _) in model.declaration().leaves() {
                let pointer = format!(
                    "/typedParameters/{}",
                    path.replace("3.0", "3\0").replace('.', "/")
                );
                let leaf = schema.pointer(&pointer.replace('\0', ".0"));
                let default = leaf.and_then(|leaf| leaf["default"].as_str());
                assert!(default.is_some(), "{} {path}", model.name);
            }
        }
    }

    #[tokio::test]
    async fn containers_say_what_they_may_hold() {
        let service = Client::new().await;
        let (_, rack) = service.see("/components/ScalaRack").await;
        assert_eq!(rack["containerSchema"]["allowed"], json!(["switch", "server"]));
        assert_eq!(
            (&rack["containerSchema"]["type"], &rack["category"]),
            (&json!("rack"), &json!("container"))
        );
        let (_, application) = service.see("/components/ScalaRdmaApplication").await;
        assert_eq!(application["trafficType"], "non-coordinated");
        for path in [
            "/components/ScalaUETNIC",
            "/components/ScalaRack?version=1",
            "/components/x",
        ] {
            assert_eq!(service.see(path).await.0, 404, "{path}");
        }
        assert_eq!(service.see("/components/ScalaRack?notes=maybe").await.0, 400);
    }
}

//! Components of a configuration, and what servers hold.

use super::{edit, load};
use crate::api::error::{ApiError, ApiResult, ErrorBody};
use crate::api::etag::{IfMatch, etag};
use crate::api::extract::{Body, Path, Query};
use crate::api::page::{PageQuery, Pagination};
use crate::edit::references::{self, NewReference, ReferenceChange};
use crate::edit::{self as edits, components};
use crate::platform::App;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode};
use packetloom_config::Document;
use packetloom_config::document::{ComponentDeclaration, Parameters};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_components, add_component))
        .routes(routes!(remove_component))
        .routes(routes!(add_child))
        .routes(routes!(change_child, remove_child))
}

/// Which components.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ComponentQuery {
    /// Only those of this type: switch, nic, server (or host).
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Most items; more than 100 are taken as 100.
    #[param(minimum = 1)]
    limit: Option<u64>,
    /// The `nextCursor` of the page before.
    next: Option<String>,
    /// Whether attributes are shown; they are not if left out.
    with_details: Option<bool>,
}

/// A component in a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ComponentItem {
    #[serde(rename = "type")]
    kind: String,
    name: String,
    model: String,
    version: String,
    #[schema(value_type = Object)]
    typed_parameters: Parameters,
    /// The first rack, pod or layer that holds it.
    container: Option<String>,
}

/// Components of a configuration.
#[derive(Debug, Serialize, ToSchema)]
struct Components {
    components: Vec<ComponentItem>,
    pagination: Pagination,
}

fn container_of(document: &Document, name: &str) -> Option<String> {
    let containers = document.containers.iter().map(|c| (&c.name, &c.components));
    let layers = document.links.iter().map(|c| (&c.name, &c.components));
    containers
        .chain(layers)
        .find(|(_, held)| held.iter().any(|reference| reference.name == name))
        .map(|(holder, _)| holder.clone())
}

/// List the components that a configuration declares, used or not.
#[utoipa::path(get, path = "/configurations/{config_id}/components", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ComponentQuery), responses(
    (status = 200, description = "A page of them", body = Components),
    (status = 404, description = "There is no such configuration", body = ErrorBody)))]
async fn list_components(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<ComponentQuery>,
) -> ApiResult<Json<Components>> {
    let kind = match query.kind.as_deref() {
        Some("host" | "server") => Some("server"),
        Some("switch") => Some("switch"),
        Some("nic") => Some("nic"),
        Some(other) => {
            return Err(ApiError::invalid(format!(
                "type: {:?} is none; give switch, nic, server or host",
                crate::api::query::short(other)
            )));
        }
        None => None,
    };
    let (_, document) = load(&app, &id).await?;
    let page = PageQuery {
        limit: query.limit,
        next: query.next,
    };
    let (size, list) = (page.size()?, format!("components of {id}"));
    let after: usize = page.after(&list)?.unwrap_or(0);
    let fitting = document
        .components
        .iter()
        .enumerate()
        .skip(after)
        .filter(|(_, c)| kind.is_none_or(|kind| c.kind == kind));
    let mut found: Vec<(usize, ComponentItem)> = fitting
        .take(size + 1)
        .map(|(at, c)| {
            let item = ComponentItem {
                kind: c.kind.clone(),
                name: c.name.clone(),
                model: c.model.clone(),
                version: c.version.clone(),
                typed_parameters: if query.with_details == Some(true) {
                    c.typed_parameters.clone()
                } else {
                    Parameters::new()
                },
                container: container_of(&document, &c.name),
            };
            (at, item)
        })
        .collect();
    let pagination = Pagination::cut(&mut found, size, &list, |(at, _)| at + 1);
    Ok(Json(Components {
        components: found.into_iter().map(|(_, item)| item).collect(),
        pagination,
    }))
}

/// A model to make something of.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct NewComponentQuery {
    /// The model: its identifier or its name.
    model_id: String,
    /// switch, nic, server, rack, pod or layer.
    #[serde(rename = "type")]
    kind: String,
    /// A name that nothing else in the configuration has.
    #[param(min_length = 1, max_length = 200)]
    name: String,
    /// The version of the model; the one offered if left out.
    version: Option<String>,
}

/// Add a component, container or layer, with the attributes of its model.
#[utoipa::path(post, path = "/configurations/{config_id}/components", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), NewComponentQuery, ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), responses(
    (status = 201, description = "It", body = ComponentDeclaration),
    (status = 404, description = "There is no such configuration", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn add_component(
    State(app): State<App>,
    Path(id): Path<String>,
    expected: IfMatch,
    Query(query): Query<NewComponentQuery>,
) -> ApiResult<(StatusCode, [(HeaderName, String); 1], Json<ComponentDeclaration>)> {
    let (row, _, new) = edit(&app, &id, &expected, |document| {
        components::add(
            document,
            &query.model_id,
            &query.kind,
            &query.name,
            query.version.as_deref(),
        )
    })
    .await?;
    Ok((StatusCode::CREATED, etag(row.version), Json(new)))
}

/// Remove a component and every reference to it.
#[utoipa::path(delete, path = "/configurations/{config_id}/components/{component_name}", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("component_name" = String, Path, description = "The component"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), responses(
    (status = 204, description = "It is gone"),
    (status = 404, description = "There is no such configuration or component", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn remove_component(
    State(app): State<App>,
    Path((id, name)): Path<(String, String)>,
    expected: IfMatch,
) -> ApiResult<(StatusCode, [(HeaderName, String); 1])> {
    let (row, ..) = edit(&app, &id, &expected, |document| {
        edits::components::remove(document, &name)
    })
    .await?;
    Ok((StatusCode::NO_CONTENT, etag(row.version)))
}

/// Add a NIC, a GPU or an application's role to a server.
#[utoipa::path(patch, path = "/configurations/{config_id}/configurations/{component_name}", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("component_name" = String, Path, description = "The server"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), request_body = NewReference, responses(
    (status = 200, description = "The server", body = ComponentDeclaration),
    (status = 404, description = "There is no such configuration, server or child", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn add_child(
    State(app): State<App>,
    Path((id, name)): Path<(String, String)>,
    expected: IfMatch,
    Body(new): Body<NewReference>,
) -> ApiResult<([(HeaderName, String); 1], Json<ComponentDeclaration>)> {
    let (row, _, server) = edit(&app, &id, &expected, |document| {
        references::add_child(document, &name, &new)
    })
    .await?;
    Ok((etag(row.version), Json(server)))
}

/// Change the count or group of a server's child.
#[utoipa::path(patch, path = "/configurations/{config_id}/configurations/{component_name}/components/{child_name}", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("component_name" = String, Path, description = "The server"), ("child_name" = String, Path, description = "Its child"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), request_body = ReferenceChange, responses(
    (status = 200, description = "The server", body = ComponentDeclaration),
    (status = 404, description = "There is no such configuration, server or child", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn change_child(
    State(app): State<App>,
    Path((id, name, child)): Path<(String, String, String)>,
    expected: IfMatch,
    Body(change): Body<ReferenceChange>,
) -> ApiResult<([(HeaderName, String); 1], Json<ComponentDeclaration>)> {
    let (row, _, server) = edit(&app, &id, &expected, |document| {
        references::change_child(document, &name, &child, &change)
    })
    .await?;
    Ok((etag(row.version), Json(server)))
}

/// Remove a child from a server.
#[utoipa::path(delete, path = "/configurations/{config_id}/configurations/{component_name}/components/{child_name}", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("component_name" = String, Path, description = "The server"), ("child_name" = String, Path, description = "Its child"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), responses(
    (status = 204, description = "It is gone"),
    (status = 404, description = "There is no such configuration, server or child", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn remove_child(
    State(app): State<App>,
    Path((id, name, child)): Path<(String, String, String)>,
    expected: IfMatch,
) -> ApiResult<(StatusCode, [(HeaderName, String); 1])> {
    let (row, ..) = edit(&app, &id, &expected, |document| {
        references::remove_child(document, &name, &child)
    })
    .await?;
    Ok((StatusCode::NO_CONTENT, etag(row.version)))
}

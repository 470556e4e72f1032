//! Racks and pods of a configuration.

use super::{edit, load};
use crate::api::error::{ApiError, ApiResult, ErrorBody};
use crate::api::etag::{IfMatch, etag};
use crate::api::extract::{Body, Path, Query};
use crate::api::page::{PageQuery, Pagination};
use crate::edit::allowed;
use crate::edit::references::{self, NewReference, ReferenceChange};
use crate::platform::App;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode};
use packetloom_config::document::ContainerDefinition;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_containers))
        .routes(routes!(add_to_container))
        .routes(routes!(allowed_types))
        .routes(routes!(change_in_container, remove_from_container))
}

/// Which containers.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ContainerQuery {
    /// Only those of this type: rack or pod.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Most items; more than 100 are taken as 100.
    #[param(minimum = 1)]
    limit: Option<u64>,
    /// The `nextCursor` of the page before.
    next: Option<String>,
}

/// Containers of a configuration.
#[derive(Debug, Serialize, ToSchema)]
struct Containers {
    containers: Vec<ContainerDefinition>,
    pagination: Pagination,
}

/// What a container may hold.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Allowed {
    container_name: String,
    container_type: String,
    allowed_components: Vec<String>,
}

/// List the racks and pods of a configuration.
#[utoipa::path(get, path = "/configurations/{config_id}/containers", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ContainerQuery), responses(
    (status = 200, description = "A page of them", body = Containers),
    (status = 404, description = "There is no such configuration", body = ErrorBody)))]
async fn list_containers(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<ContainerQuery>,
) -> ApiResult<Json<Containers>> {
    if let Some(other) = query
        .kind
        .as_deref()
        .filter(|kind| !["rack", "pod"].contains(kind))
    {
        return Err(ApiError::invalid(format!(
            "type: {:?} is none; give rack or pod",
            crate::api::query::short(other)
        )));
    }
    let (_, document) = load(&app, &id).await?;
    let page = PageQuery {
        limit: query.limit,
        next: query.next,
    };
    let (size, list) = (page.size()?, format!("containers of {id}"));
    let after: usize = page.after(&list)?.unwrap_or(0);
    let kind = query.kind.as_deref();
    let all = document.containers.into_iter().enumerate().skip(after);
    let mut found: Vec<_> = all
        .filter(|(_, c)| kind.is_none_or(|kind| c.kind == kind))
        .take(size + 1)
        .collect();
    let pagination = Pagination::cut(&mut found, size, &list, |(at, _)| at + 1);
    Ok(Json(Containers {
        containers: found.into_iter().map(|(_, container)| container).collect(),
        pagination,
    }))
}

/// Add a component to a rack or pod.
#[utoipa::path(patch, path = "/configurations/{config_id}/containers/{container_name}", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("container_name" = String, Path, description = "The container"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), request_body = NewReference, responses(
    (status = 200, description = "The container", body = ContainerDefinition),
    (status = 404, description = "There is no such configuration, container or component", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn add_to_container(
    State(app): State<App>,
    Path((id, name)): Path<(String, String)>,
    expected: IfMatch,
    Body(new): Body<NewReference>,
) -> ApiResult<([(HeaderName, String); 1], Json<ContainerDefinition>)> {
    let (row, _, container) = edit(&app, &id, &expected, |document| {
        references::add_to_container(document, &name, &new)
    })
    .await?;
    Ok((etag(row.version), Json(container)))
}

/// Get the types that a container may hold.
#[utoipa::path(get, path = "/configurations/{config_id}/containers/{container_name}/allowed", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("container_name" = String, Path, description = "The container")), responses(
    (status = 200, description = "They", body = Allowed),
    (status = 404, description = "There is no such configuration or container", body = ErrorBody)))]
async fn allowed_types(
    State(app): State<App>,
    Path((id, name)): Path<(String, String)>,
) -> ApiResult<Json<Allowed>> {
    let (_, document) = load(&app, &id).await?;
    let container = document
        .containers
        .iter()
        .find(|container| container.name == name);
    let container = container.ok_or_else(|| ApiError::not_found("container", &name))?;
    Ok(Json(Allowed {
        container_name: container.name.clone(),
        container_type: container.kind.clone(),
        allowed_components: allowed(&container.kind, &container.allowed_components)
            .into_iter()
            .map(str::to_owned)
            .collect(),
    }))
}

/// Change the count or group of a component in a rack or pod.
#[utoipa::path(patch, path = "/configurations/{config_id}/containers/{container_name}/components/{component_name}", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("container_name" = String, Path, description = "The container"), ("component_name" = String, Path, description = "What it holds"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), request_body = ReferenceChange, responses(
    (status = 200, description = "The container", body = ContainerDefinition),
    (status = 404, description = "There is no such configuration, container or component", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn change_in_container(
    State(app): State<App>,
    Path((id, name, component)): Path<(String, String, String)>,
    expected: IfMatch,
    Body(change): Body<ReferenceChange>,
) -> ApiResult<([(HeaderName, String); 1], Json<ContainerDefinition>)> {
    let (row, _, container) = edit(&app, &id, &expected, |document| {
        references::change_in_container(document, &name, &component, &change)
    })
    .await?;
    Ok((etag(row.version), Json(container)))
}

/// Remove a component from a rack or pod.
#[utoipa::path(delete, path = "/configurations/{config_id}/containers/{container_name}/components/{component_name}", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("container_name" = String, Path, description = "The container"), ("component_name" = String, Path, description = "What it holds"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), responses(
    (status = 204, description = "It is gone"),
    (status = 404, description = "There is no such configuration, container or component", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn remove_from_container(
    State(app): State<App>,
    Path((id, name, component)): Path<(String, String, String)>,
    expected: IfMatch,
) -> ApiResult<(StatusCode, [(HeaderName, String); 1])> {
    let (row, ..) = edit(&app, &id, &expected, |document| {
        references::remove_from_container(document, &name, &component)
    })
    .await?;
    Ok((StatusCode::NO_CONTENT, etag(row.version)))
}

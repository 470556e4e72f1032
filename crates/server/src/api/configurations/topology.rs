//! What the topology of a configuration holds.

use super::edit;
use crate::api::error::{ApiResult, ErrorBody};
use crate::api::etag::{IfMatch, etag};
use crate::api::extract::{Body, Path};
use crate::edit::references::{self, NewReference};
use crate::platform::App;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode};
use packetloom_config::document::TopologyDefinition;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(add_to_topology))
        .routes(routes!(change_in_topology, remove_from_topology))
}

/// A new count.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct CountChange {
    /// How many there are.
    #[schema(minimum = 1)]
    count: u64,
}

/// Add a switch, layer or pod to the topology.
#[utoipa::path(patch, path = "/configurations/{config_id}/topology", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), request_body = NewReference, responses(
    (status = 200, description = "The topology", body = TopologyDefinition),
    (status = 404, description = "There is no such configuration, switch, layer or pod", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn add_to_topology(
    State(app): State<App>,
    Path(id): Path<String>,
    expected: IfMatch,
    Body(new): Body<NewReference>,
) -> ApiResult<([(HeaderName, String); 1], Json<TopologyDefinition>)> {
    let (row, _, topology) = edit(&app, &id, &expected, |document| {
        references::add_to_topology(document, &new)
    })
    .await?;
    Ok((etag(row.version), Json(topology)))
}

/// Change a count in the topology.
#[utoipa::path(patch, path = "/configurations/{config_id}/topology/{component_name}", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("component_name" = String, Path, description = "What the topology holds"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), request_body = CountChange, responses(
    (status = 200, description = "The topology", body = TopologyDefinition),
    (status = 404, description = "There is no such configuration, or nothing of that name in its topology", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn change_in_topology(
    State(app): State<App>,
    Path((id, name)): Path<(String, String)>,
    expected: IfMatch,
    Body(change): Body<CountChange>,
) -> ApiResult<([(HeaderName, String); 1], Json<TopologyDefinition>)> {
    let (row, _, topology) = edit(&app, &id, &expected, |document| {
        references::change_in_topology(document, &name, change.count)
    })
    .await?;
    Ok((etag(row.version), Json(topology)))
}

/// Remove something from the topology.
#[utoipa::path(delete, path = "/configurations/{config_id}/topology/{component_name}", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("component_name" = String, Path, description = "What the topology holds"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), responses(
    (status = 204, description = "It is gone"),
    (status = 404, description = "There is no such configuration, or nothing of that name in its topology", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn remove_from_topology(
    State(app): State<App>,
    Path((id, name)): Path<(String, String)>,
    expected: IfMatch,
) -> ApiResult<(StatusCode, [(HeaderName, String); 1])> {
    let (row, ..) = edit(&app, &id, &expected, |document| {
        references::remove_from_topology(document, &name)
    })
    .await?;
    Ok((StatusCode::NO_CONTENT, etag(row.version)))
}

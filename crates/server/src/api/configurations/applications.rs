//! Applications of a configuration, and their shares of the hosts.

use super::{edit, load};
use crate::api::error::{ApiResult, ErrorBody};
use crate::api::etag::{IfMatch, etag};
use crate::api::extract::{Body, Path, Query};
use crate::edit::applications::{self, ShareChange};
use crate::platform::App;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode};
use packetloom_config::document::{AppDistribution, ApplicationDefinition};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_applications, add_application))
        .routes(routes!(remove_application))
        .routes(routes!(set_distribution))
}

/// Whether attributes are shown.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct DetailsQuery {
    /// Whether attributes are shown; they are not if left out.
    pub with_details: Option<bool>,
}

/// Applications of a configuration.
#[derive(Debug, Serialize, ToSchema)]
struct Applications {
    applications: Vec<ApplicationDefinition>,
}

/// Something that was removed.
#[derive(Debug, Serialize, ToSchema)]
struct Removed {
    /// Its name.
    id: String,
    /// `removed`.
    status: &'static str,
    /// What was done.
    message: String,
}

/// List the applications of a configuration.
#[utoipa::path(get, path = "/configurations/{config_id}/applications", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), DetailsQuery), responses(
    (status = 200, description = "They", body = Applications),
    (status = 404, description = "There is no such configuration", body = ErrorBody)))]
async fn list_applications(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<DetailsQuery>,
) -> ApiResult<Json<Applications>> {
    let (_, document) = load(&app, &id).await?;
    let mut applications = document.applications;
    if query.with_details != Some(true) {
        for application in &mut applications {
            application.typed_parameters.clear();
        }
    }
    Ok(Json(Applications { applications }))
}

/// A model to make something of.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ApplicationQuery {
    /// The model: its identifier or its name.
    model_id: String,
    /// A name that nothing else in the configuration has.
    #[param(min_length = 1, max_length = 200)]
    name: String,
    /// The version of the model; the one offered if left out.
    version: Option<String>,
}

/// Add an application: 1 is then split evenly over the clients and servers of all applications.
#[utoipa::path(post, path = "/configurations/{config_id}/applications", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ApplicationQuery, ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), responses(
    (status = 201, description = "It, with the attributes of its model", body = ApplicationDefinition),
    (status = 404, description = "There is no such configuration", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn add_application(
    State(app): State<App>,
    Path(id): Path<String>,
    expected: IfMatch,
    Query(query): Query<ApplicationQuery>,
) -> ApiResult<(StatusCode, [(HeaderName, String); 1], Json<ApplicationDefinition>)> {
    let (row, _, new) = edit(&app, &id, &expected, |document| {
        applications::add(document, &query.model_id, &query.name, query.version.as_deref())
    })
    .await?;
    Ok((StatusCode::CREATED, etag(row.version), Json(new)))
}

/// Remove an application: the shares of the others grow in proportion until their sum is 1.
#[utoipa::path(delete, path = "/configurations/{config_id}/applications/{app_name}", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("app_name" = String, Path, description = "The application"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), responses(
    (status = 200, description = "It is gone", body = Removed),
    (status = 404, description = "There is no such configuration or application", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn remove_application(
    State(app): State<App>,
    Path((id, name)): Path<(String, String)>,
    expected: IfMatch,
) -> ApiResult<([(HeaderName, String); 1], Json<Removed>)> {
    let (row, ..) = edit(&app, &id, &expected, |document| {
        applications::remove(document, &name)
    })
    .await?;
    let message = format!("The application {name:?} is removed");
    Ok((
        etag(row.version),
        Json(Removed {
            id: name,
            status: "removed",
            message,
        }),
    ))
}

/// Change which part of the hosts runs a role.
#[utoipa::path(patch, path = "/configurations/{config_id}/distribution", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), request_body = ShareChange, responses(
    (status = 200, description = "All shares", body = AppDistribution),
    (status = 404, description = "There is no such configuration or share", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn set_distribution(
    State(app): State<App>,
    Path(id): Path<String>,
    expected: IfMatch,
    Body(change): Body<ShareChange>,
) -> ApiResult<([(HeaderName, String); 1], Json<AppDistribution>)> {
    let (row, _, all) = edit(&app, &id, &expected, |document| {
        applications::set_share(document, &change)
    })
    .await?;
    Ok((etag(row.version), Json(all)))
}

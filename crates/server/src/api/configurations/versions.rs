//! Versions of a configuration, and whether the current one is valid.

use super::{DocumentParts, load, stored};
use crate::api::error::{ApiError, ApiResult, ErrorBody};
use crate::api::extract::Path;
use crate::api::verdict::{Verdict, verdict};
use crate::platform::App;
use crate::scenario::scenario;
use crate::store::configurations::ConfigurationStatus;
use crate::time::iso;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(validate))
        .routes(routes!(list_versions))
        .routes(routes!(get_version))
}

/// Validate a configuration: its current version becomes `validated` or `invalid`.
#[utoipa::path(post, path = "/configurations/{config_id}/validate", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration")), responses(
    (status = 200, description = "What was found", body = Verdict),
    (status = 404, description = "There is no such configuration", body = ErrorBody)))]
async fn validate(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<Verdict>> {
    let (row, document) = load(&app, &id).await?;
    let result = scenario(&app, &document).await;
    let status = match &result {
        Ok(_) => ConfigurationStatus::Validated,
        Err(_) => ConfigurationStatus::Invalid,
    };
    app.store
        .set_configuration_status(&id, row.version, status)
        .await?;
    Ok(Json(verdict(&document, &result)))
}

/// A version in a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct VersionItem {
    version: i64,
    #[schema(format = DateTime)]
    created_at: String,
}

/// Versions of a configuration.
#[derive(Debug, Serialize, ToSchema)]
struct Versions {
    versions: Vec<VersionItem>,
}

/// List the versions of a configuration, newest first.
#[utoipa::path(get, path = "/configurations/{config_id}/versions", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration")), responses(
    (status = 200, description = "They", body = Versions),
    (status = 404, description = "There is no such configuration", body = ErrorBody)))]
async fn list_versions(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<Versions>> {
    load(&app, &id).await?;
    let versions = app
        .store
        .versions(&id)
        .await?
        .into_iter()
        .map(|(version, created)| VersionItem {
            version,
            created_at: iso(created),
        });
    Ok(Json(Versions {
        versions: versions.collect(),
    }))
}

/// One version of a configuration.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct VersionDetails {
    version: i64,
    #[schema(format = DateTime)]
    created_at: String,
    status: ConfigurationStatus,
    name: String,
    #[serde(flatten)]
    document: DocumentParts,
}

/// Get one version of a configuration.
#[utoipa::path(get, path = "/configurations/{config_id}/versions/{version}", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("version" = i64, Path, description = "The version", minimum = 1)), responses(
    (status = 200, description = "It", body = VersionDetails),
    (status = 404, description = "There is no such configuration or version", body = ErrorBody)))]
async fn get_version(
    State(app): State<App>,
    Path((id, version)): Path<(String, i64)>,
) -> ApiResult<Json<VersionDetails>> {
    let row = app.store.version(&id, Some(version)).await?;
    let row = row.ok_or_else(|| ApiError::not_found("version", &version.to_string()))?;
    let document = stored(&row.document)?;
    Ok(Json(VersionDetails {
        version: row.version,
        created_at: iso(row.created_at),
        status: row.status,
        name: document.name.clone(),
        document: document.into(),
    }))
}

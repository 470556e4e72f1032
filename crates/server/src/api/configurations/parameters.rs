//! Attributes of what a configuration declares.

use super::applications::DetailsQuery;
use super::{edit, load};
use crate::api::error::{ApiResult, ErrorBody};
use crate::api::etag::{IfMatch, etag};
use crate::api::extract::{Body, Path, Query};
use crate::edit::parameters::{self, List};
use crate::platform::App;
use axum::Json;
use axum::extract::State;
use axum::http::HeaderName;
use packetloom_config::document::{ComponentDeclaration, Parameters};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(patch_component))
        .routes(routes!(patch_application))
        .routes(routes!(list_links))
        .routes(routes!(patch_link))
        .routes(routes!(patch_global))
        .routes(routes!(software_version))
}

/// All attributes, and the version of the configuration.
type Patched = ApiResult<([(HeaderName, String); 1], Json<Parameters>)>;

async fn patch(app: &App, id: &str, expected: &IfMatch, list: List, name: &str, patch: &Value) -> Patched {
    let (row, _, all) = edit(app, id, expected, |document| {
        parameters::patch(document, list, name, patch)
    })
    .await?;
    Ok((etag(row.version), Json(all)))
}

/// Change attributes of a component.
#[utoipa::path(patch, path = "/configurations/{config_id}/components/{component_name}/parameters", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("component_name" = String, Path, description = "The component"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), request_body(content = Object, description = "A tree of attributes, each as {type, value, unit}"), responses(
    (status = 200, description = "All its attributes", body = Object),
    (status = 404, description = "There is no such configuration or component", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn patch_component(
    State(app): State<App>,
    Path((id, name)): Path<(String, String)>,
    expected: IfMatch,
    Body(body): Body<Value>,
) -> Patched {
    patch(&app, &id, &expected, List::Components, &name, &body).await
}

/// Change attributes of an application.
#[utoipa::path(patch, path = "/configurations/{config_id}/applications/{app_name}/parameters", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("app_name" = String, Path, description = "The application"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), request_body(content = Object, description = "A tree of attributes, each as {type, value, unit}"), responses(
    (status = 200, description = "All its attributes", body = Object),
    (status = 404, description = "There is no such configuration or application", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn patch_application(
    State(app): State<App>,
    Path((id, name)): Path<(String, String)>,
    expected: IfMatch,
    Body(body): Body<Value>,
) -> Patched {
    patch(&app, &id, &expected, List::Applications, &name, &body).await
}

/// Layers of a configuration.
#[derive(Debug, Serialize, ToSchema)]
struct Links {
    links: Vec<ComponentDeclaration>,
}

/// List the layers of spine switches of a configuration.
#[utoipa::path(get, path = "/configurations/{config_id}/links", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), DetailsQuery), responses(
    (status = 200, description = "They", body = Links),
    (status = 404, description = "There is no such configuration", body = ErrorBody)))]
async fn list_links(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<DetailsQuery>,
) -> ApiResult<Json<Links>> {
    let (_, document) = load(&app, &id).await?;
    let mut links = document.links;
    if query.with_details != Some(true) {
        for link in &mut links {
            link.typed_parameters.clear();
        }
    }
    Ok(Json(Links { links }))
}

/// Change attributes of a layer.
#[utoipa::path(patch, path = "/configurations/{config_id}/links/{link_name}/parameters", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("link_name" = String, Path, description = "The layer"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), request_body(content = Object, description = "A tree of attributes, each as {type, value, unit}"), responses(
    (status = 200, description = "All its attributes", body = Object),
    (status = 404, description = "There is no such configuration or layer", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn patch_link(
    State(app): State<App>,
    Path((id, name)): Path<(String, String)>,
    expected: IfMatch,
    Body(body): Body<Value>,
) -> Patched {
    patch(&app, &id, &expected, List::Links, &name, &body).await
}

/// Change what holds for the whole run.
#[utoipa::path(patch, path = "/configurations/{config_id}/parameters", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration"), ("If-Match" = Option<String>, Header, description = "The version it is changed from, in quotes")), request_body(content = Object, description = "A tree of attributes, each as {type, value, unit}"), responses(
    (status = 200, description = "All global parameters", body = Object),
    (status = 404, description = "There is no such configuration", body = ErrorBody),
    (status = 409, description = "Others change it at the same time", body = ErrorBody),
    (status = 412, description = "It has changed since that version", body = ErrorBody)))]
async fn patch_global(
    State(app): State<App>,
    Path(id): Path<String>,
    expected: IfMatch,
    Body(body): Body<Value>,
) -> Patched {
    let (row, _, all) = edit(&app, &id, &expected, |document| {
        parameters::patch_global(document, &body)
    })
    .await?;
    Ok((etag(row.version), Json(all)))
}

/// A version of the software.
#[derive(Debug, Serialize, ToSchema)]
struct SoftwareVersion {
    version: &'static str,
}

/// Get the version of the simulator that would run the configuration.
#[utoipa::path(get, path = "/configurations/{config_id}/software-version", tag = "Configurations", params(("config_id" = String, Path, description = "The configuration")), responses(
    (status = 200, description = "It", body = SoftwareVersion),
    (status = 404, description = "There is no such configuration", body = ErrorBody)))]
async fn software_version(
    State(app): State<App>,
    Path(id): Path<String>,
) -> ApiResult<Json<SoftwareVersion>> {
    load(&app, &id).await?;
    Ok(Json(SoftwareVersion {
        version: env!("CARGO_PKG_VERSION"),
    }))
}

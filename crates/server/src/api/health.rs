//! Whether the server is well.

use crate::platform::App;
use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(health))
}

/// Whether the server is well.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// `healthy`.
    pub status: &'static str,
    /// The version of the program.
    pub version: &'static str,
}

/// Whether the server is well; needs no token.
#[utoipa::path(get, path = "/health", tag = "Health", responses((status = 200, description = "It is", body = Health)), security(()))]
async fn health() -> Json<Health> {
    Json(Health {
        status: "healthy",
        version: env!("CARGO_PKG_VERSION"),
    })
}

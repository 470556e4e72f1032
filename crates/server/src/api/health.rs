//! Whether the server is well.

use super::error::ApiResult;
use crate::platform::App;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use std::time::{Duration, Instant};
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
    /// `serve`, or `open` if it only shows runs that have ended.
    pub mode: &'static str,
}

/// How long what was found holds.
const FRESH: Duration = Duration::from_secs(5);

/// Whether the server is well: it can write its database. Needs no token.
#[utoipa::path(get, path = "/health", tag = "Health", responses((status = 200, description = "It is", body = Health)), security(()))]
async fn health(State(app): State<App>) -> ApiResult<Json<Health>> {
    let mut known = app.health.lock().await;
    if known.is_none_or(|since| since.elapsed() > FRESH) {
        *known = None;
        app.store.probe().await?;
        *known = Some(Instant::now());
    }
    Ok(Json(Health {
        status: "healthy",
        version: env!("CARGO_PKG_VERSION"),
        mode: if app.options.shows_only { "open" } else { "serve" },
    }))
}

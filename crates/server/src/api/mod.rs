//! The routes, one file a resource.
//!
//! **Invariant: whoever adds a route adds it behind the token.** What needs none is on the one list in [`auth`].

#[cfg(test)]
mod access;
pub mod auth;
pub mod charts;
#[cfg(test)]
mod client;
pub mod components;
pub mod configurations;
pub mod downloads;
pub mod error;
pub mod etag;
pub mod extract;
pub mod health;
mod limits;
pub mod models;
pub mod openapi;
pub mod page;
mod page_files;
mod query;
#[cfg(test)]
mod refusals;
pub mod results;
#[cfg(test)]
mod results_tests;
pub mod simulations;
pub mod templates;
pub mod topology;
pub mod verdict;
pub mod workspaces;

use crate::options::LARGEST_BODY;
use crate::platform::App;
use crate::telemetry;
use axum::extract::DefaultBodyLimit;
use axum::routing::get;
use axum::{Router, middleware};
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::limit::RequestBodyLimitLayer;
use utoipa_axum::router::OpenApiRouter;

/// Everything under `/api/v1`.
pub(crate) fn resources() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .merge(health::routes())
        .merge(configurations::routes())
        .merge(topology::routes())
        .merge(components::routes())
        .merge(models::routes())
        .merge(templates::routes())
        .merge(workspaces::routes())
        .merge(charts::routes())
        .merge(simulations::routes())
        .merge(results::routes())
        .merge(downloads::routes())
}

/// The description of everything under `/api/v1`.
pub fn description() -> utoipa::openapi::OpenApi {
    let (_, description) = OpenApiRouter::with_openapi(openapi::base())
        .nest("/api/v1", resources())
        .split_for_parts();
    openapi::complete(description)
}

/// The whole service.
pub fn router(app: App) -> Router {
    let (api, description) = OpenApiRouter::with_openapi(openapi::base())
        .nest("/api/v1", resources())
        .split_for_parts();
    let description = Arc::new(openapi::complete(description));
    // Layers of a router run after the route is found, so what is said of a request knows it. Everything that does
    // something is inside the guard.
    let routes = api
        .merge(openapi::routes(&description))
        .merge(page_files::routes())
        .route("/metrics", get(telemetry::metrics))
        .fallback(error::no_such_path)
        .method_not_allowed_fallback(error::no_such_method)
        .with_state(app.clone());
    routes
        .layer(DefaultBodyLimit::disable())
        .layer(RequestBodyLimitLayer::new(LARGEST_BODY))
        .layer(middleware::from_fn(limits::in_time))
        .layer(CatchPanicLayer::custom(limits::panicked))
        .layer(middleware::from_fn_with_state(app, auth::guard))
        .layer(middleware::from_fn(limits::dress))
        // Outermost: requests that are refused count too.
        .layer(middleware::from_fn(telemetry::observe))
}

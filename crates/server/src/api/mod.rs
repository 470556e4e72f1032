//! The routes, one file a resource.
//!
//! **Invariant: whoever adds a route adds it behind the token.** What needs none is on the one list in [`auth`].

pub mod configurations;
pub mod error;
pub mod etag;
pub mod extract;
pub mod health;
pub mod openapi;
pub mod page;
mod query;
pub mod simulations;
pub mod topology;
pub mod verdict;

use crate::platform::App;
use axum::Router;
use utoipa_axum::router::OpenApiRouter;

/// Everything under `/api/v1`.
pub(crate) fn resources() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .merge(health::routes())
        .merge(configurations::routes())
        .merge(topology::routes())
        .merge(simulations::routes())
}

/// The whole service.
pub fn router(app: App) -> Router {
    let (router, _document) = OpenApiRouter::with_openapi(openapi::base())
        .nest("/api/v1", resources())
        .split_for_parts();
    router
        .fallback(error::no_such_path)
        .method_not_allowed_fallback(error::no_such_method)
        .with_state(app)
}

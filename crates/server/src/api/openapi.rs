//! The description of the API that is generated from it, and the page to try it with.

use super::error::ErrorBody;
use crate::platform::App;
use axum::routing::get;
use axum::{Json, Router};
use std::sync::Arc;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, Content, OpenApi as Description, Ref, RefOr, ResponseBuilder};
use utoipa::{OpenApi, ToSchema};
use utoipa_swagger_ui::SwaggerUi;

/// Where the description is.
const PLACE: &str = "/api/v1/openapi.json";

/// What is not said at the routes.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Packetloom",
        description = "Simulations of datacenter fabrics: configurations, runs, results. Every failure is an object `error` with a `code` for programs and a `message` for people.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    tags(
        (name = "Charts", description = "What can be drawn from records"),
        (name = "Components", description = "Schemas of what configurations are made of"),
        (name = "Configurations", description = "Documents with versions"),
        (name = "Health", description = "Whether the server is well"),
        (name = "Models", description = "What there are models of"),
        (name = "Simulations", description = "Runs and their results"),
        (name = "Templates", description = "Configurations to start from"),
        (name = "Topology", description = "Checking what is not stored"),
        (name = "Workspaces", description = "What belongs together"),
    ),
    components(schemas(ErrorBody)),
    security(("token" = []))
)]
struct Base;

pub(crate) fn base() -> Description {
    let mut base = Base::openapi();
    let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    base.components
        .get_or_insert_with(Components::new)
        .add_security_scheme("token", token);
    base
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [
        &mut item.get,
        &mut item.put,
        &mut item.post,
        &mut item.delete,
        &mut item.patch,
        &mut item.head,
        &mut item.options,
        &mut item.trace,
    ]
    .into_iter()
    .filter_map(Option::as_mut)
}

/// Adds what any request may be answered with.
pub(crate) fn complete(mut description: Description) -> Description {
    for item in description.paths.paths.values_mut() {
        let shared = item
            .parameters
            .as_ref()
            .is_some_and(|parameters| !parameters.is_empty());
        for operation in operations(item) {
            let open = operation
                .security
                .as_ref()
                .is_some_and(|all| all.iter().any(|one| *one == SecurityRequirement::default()));
            let body = operation.request_body.is_some();
            let given = shared
                || body
                || operation
                    .parameters
                    .as_ref()
                    .is_some_and(|parameters| !parameters.is_empty());
            for (status, what, wanted) in [
                (
                    "400",
                    "The request is wrong; the message says where, and what would be right",
                    given,
                ),
                ("401", "There is no token, or none that is known", !open),
                ("408", "The request took too long", true),
                ("413", "The body is too large", body),
                ("415", "The body is not said to be JSON", body),
                ("500", "The server failed; its log says why", true),
                ("503", "The server cannot do that now", true),
            ] {
                if wanted && !operation.responses.responses.contains_key(status) {
                    let content = Content::new(Some(RefOr::Ref(Ref::from_schema_name(ErrorBody::name()))));
                    let response = ResponseBuilder::new()
                        .description(what)
                        .content("application/json", content)
                        .build();
                    operation
                        .responses
                        .responses
                        .insert(status.to_owned(), RefOr::T(response));
                }
            }
        }
    }
    description
}

/// Routes to the description and to its page.
pub(crate) fn routes(description: &Arc<Description>) -> Router<App> {
    let served = Arc::clone(description);
    let page = SwaggerUi::new("/docs").config(utoipa_swagger_ui::Config::from(PLACE));
    Router::new()
        .route(PLACE, get(move || async move { Json((*served).clone()) }))
        .merge(page)
}

//! The description of the API that is generated from it, and the page to try it with.

#[cfg(test)]
mod tests;

use super::error::{ApiError, ApiResult, ErrorBody};
use super::extract::Path;
use crate::platform::App;
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Json, Router};
use std::sync::Arc;
use utoipa::openapi::path::{Operation, Parameter, ParameterIn, PathItem};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, Content, OpenApi as Description, Ref, RefOr, ResponseBuilder, Schema};
use utoipa::{OpenApi, ToSchema};
use utoipa_swagger_ui::Config;

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
        (name = "Description", description = "This description"),
        (name = "Health", description = "Whether the server is well"),
        (name = "Models", description = "What there are models of"),
        (name = "Simulations", description = "Runs and their results"),
        (name = "Templates", description = "Configurations to start from"),
        (name = "Topology", description = "Checking what is not stored"),
        (name = "Workspaces", description = "What belongs together"),
    ),
    paths(document),
    components(schemas(ErrorBody)),
    security(("token" = []))
)]
struct Base;

/// Get this description: OpenAPI 3.1 as JSON. Needs no token.
#[utoipa::path(get, path = "/api/v1/openapi.json", tag = "Description", responses((status = 200, description = "It", body = Object)), security(()))]
#[expect(dead_code, reason = "the description of a route that has its text at hand")]
fn document() {}

pub(crate) fn base() -> Description {
    let mut base = Base::openapi();
    let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    base.components
        .get_or_insert_with(Components::new)
        .add_security_scheme("token", token);
    base
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    [
        ("get", &mut item.get),
        ("put", &mut item.put),
        ("post", &mut item.post),
        ("delete", &mut item.delete),
        ("patch", &mut item.patch),
        ("head", &mut item.head),
        ("options", &mut item.options),
        ("trace", &mut item.trace),
    ]
    .into_iter()
    .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// A name that no other operation has, such as `getConfigurationsByConfigIdVersions`.
fn operation_id(method: &str, path: &str) -> String {
    let mut id = method.to_owned();
    let path = path.strip_prefix("/api/v1").unwrap_or(path);
    for part in path.split('/') {
        let name = part.trim_matches(['{', '}', '*']);
        if name != part {
            id.push_str("By");
        }
        for word in name.split(['-', '_', '.']) {
            let mut letters = word.chars();
            id.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            id.push_str(letters.as_str());
        }
    }
    id
}

/// Identifiers in paths, and what stands before their 27 letters and digits.
const IDENTIFIERS: [(&str, &str); 4] = [
    ("config_id", "config_"),
    ("sim_id", "sim_"),
    ("template_id", "template_"),
    ("workspace_id", "workspace_"),
];

/// Adds the form of an identifier to the parameter of a path that is one.
fn add_form(parameter: &mut Parameter) {
    let prefix = IDENTIFIERS.iter().find(|(name, _)| *name == parameter.name);
    let (ParameterIn::Path, Some((_, prefix))) = (&parameter.parameter_in, prefix) else {
        return;
    };
    if let Some(RefOr::T(Schema::Object(schema))) = &mut parameter.schema {
        schema
            .pattern
            .get_or_insert_with(|| format!("^{prefix}[0-9A-Za-z]{{27}}$"));
    }
}

/// Adds what holds for all routes alike: what any request may be answered with, the forms of identifiers, names that differ.
pub(crate) fn complete(mut description: Description) -> Description {
    // The router says where a parameter takes the rest of the path; a description has no words for that.
    let paths = std::mem::take(&mut description.paths.paths);
    description.paths.paths = paths
        .into_iter()
        .map(|(path, item)| (path.replace("{*", "{"), item))
        .collect();
    for (path, item) in &mut description.paths.paths {
        let shared = item
            .parameters
            .as_ref()
            .is_some_and(|parameters| !parameters.is_empty());
        for (method, operation) in operations(item) {
            operation.operation_id = Some(operation_id(method, path));
            for parameter in operation.parameters.iter_mut().flatten() {
                if let RefOr::T(parameter) = parameter {
                    add_form(parameter);
                }
            }
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
    Router::new()
        .route(PLACE, get(move || async move { Json((*served).clone()) }))
        .route("/docs", get(async || Redirect::permanent("/docs/")))
        .route("/docs/", get(async || page("index.html")))
        .route("/docs/{*file}", get(async |Path(file): Path<String>| page(&file)))
}

/// What the page may load: its own files. Its styles stand in its elements.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A file of the page.
fn page(name: &str) -> ApiResult<Response> {
    // The name "none" keeps it from having the description checked by a server elsewhere.
    let config = Config::from(PLACE).validator_url("none");
    let found = utoipa_swagger_ui::serve(name, Arc::new(config)).map_err(ApiError::internal)?;
    let file = found.ok_or_else(|| ApiError::not_found("file", name))?;
    let headers = [
        (header::CONTENT_TYPE, file.content_type.as_str()),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ];
    Ok((headers, file.bytes.into_owned()).into_response())
}

//! Who may come in: everything needs a token but what is on one list.

use super::error::{ApiError, ApiResult};
use crate::platform::App;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Whoever asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The name of their token.
    pub name: String,
}

/// For how long a token that was right is taken to be so still: what a revoked one gets.
const KNOWN: Duration = Duration::from_millis(800);
/// Most tokens kept in mind.
const MOST_KNOWN: usize = 1_000;

/// Tokens that were right a moment ago.
#[derive(Debug, Default)]
pub struct Known(Mutex<HashMap<String, (Instant, String)>>);

impl Known {
    fn get(&self, token: &str) -> Option<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .get(token)
            .filter(|(since, _)| since.elapsed() < KNOWN)
            .map(|(_, name)| name.clone())
    }

    fn put(&self, token: &str, name: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_KNOWN {
            known.retain(|_, (since, _)| since.elapsed() < KNOWN);
        }
        if known.len() < MOST_KNOWN {
            known.insert(token.to_owned(), (Instant::now(), name.to_owned()));
        }
    }
}

/// What needs no token. Links to files are signed, which is checked where they lead.
pub fn is_open(method: &Method, path: &str) -> bool {
    let reading = method == Method::GET || method == Method::HEAD;
    let open = matches!(path, "/" | "/api/v1/health" | "/api/v1/openapi.json" | "/docs")
        || path.starts_with("/docs/")
        || path.starts_with("/page/")
        || path.starts_with("/api/v1/downloads/");
    reading && open
}

/// The token in the headers, if they have one.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers
        .get(header::AUTHORIZATION)?
        .to_str()
        .ok()?
        .split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Whether a page of another site asks, as its browser says.
fn is_of_another_site(headers: &HeaderMap) -> bool {
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &axum::http::HeaderValue| value.to_str().ok())
    };
    headers.contains_key(header::ORIGIN)
        && match (
            text(header::ORIGIN).and_then(|origin| origin.split_once("://")),
            text(header::HOST),
        ) {
            (Some((_, site)), Some(host)) => !site.eq_ignore_ascii_case(host),
            _ => true,
        }
}

async fn caller(app: &App, headers: &HeaderMap) -> ApiResult<Caller> {
    if app.options.no_auth {
        return Ok(Caller {
            name: "anonymous".to_owned(),
        });
    }
    let token = bearer(headers)
        .filter(|token| token.len() < 200)
        .ok_or_else(ApiError::unauthorized)?;
    if let Some(name) = app.known.get(token) {
        return Ok(Caller { name });
    }
    let name = app
        .store
        .token_name(token)
        .await?
        .ok_or_else(ApiError::unauthorized)?;
    app.known.put(token, &name);
    Ok(Caller { name })
}

/// Lets through what is open, and whoever has a token; the answer carries who it was, for the log.
pub(crate) async fn guard(State(app): State<App>, mut request: Request, next: Next) -> Response {
    if is_open(request.method(), request.uri().path()) {
        return next.run(request).await;
    }
    // Where nobody has a token, any site in a browser of this machine could start and delete simulations.
    if app.options.no_auth && !request.method().is_safe() && is_of_another_site(request.headers()) {
        return ApiError::forbidden(
            "A page of another site asks; the server has no tokens that would tell whether it may",
        )
        .into_response();
    }
    match caller(&app, request.headers()).await {
        Ok(_) if app.options.shows_only && !request.method().is_safe() => ApiError::forbidden(
            "This server shows runs that have ended; nothing can be changed or started here",
        )
        .into_response(),
        Ok(caller) => {
            request.extensions_mut().insert(caller.clone());
            let mut response = next.run(request).await;
            response.extensions_mut().insert(caller);
            response
        }
        Err(error) => error.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn only_what_is_on_the_list_is_open() {
        for path in [
            "/",
            "/page/app.js",
            "/api/v1/health",
            "/api/v1/openapi.json",
            "/docs",
            "/docs/",
            "/docs/swagger-ui.css",
            "/api/v1/downloads/x/y",
        ] {
            assert!(is_open(&Method::GET, path), "{path}");
            assert!(!is_open(&Method::POST, path), "{path}");
        }
        for path in [
            "//",
            "",
            "/page",
            "/pages/app.js",
            "/metrics",
            "/api/v1/health/",
            "//api/v1/health",
            "/api/v1/Health",
            "/api/v1/%68ealth",
            "/docs/../api/v1/simulations%2f..",
            "/api/v1/downloads",
            "/docsx",
            "/api/v1/simulations",
        ] {
            assert!(
                !is_open(&Method::GET, path) || path.starts_with("/docs/"),
                "{path}"
            );
        }
    }

    #[test]
    fn browsers_say_which_site_asks() {
        let asked = |origin: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("127.0.0.1:8080"));
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            }
            is_of_another_site(&headers)
        };
        assert!(!asked(None), "no browser");
        assert!(!asked(Some("http://127.0.0.1:8080")));
        for other in [
            "http://127.0.0.1:8081",
            "http://localhost:8080",
            "https://elsewhere.example",
            "null",
            "",
        ] {
            assert!(asked(Some(other)), "{other}");
        }
    }

    #[tokio::test]
    async fn without_tokens_other_sites_change_nothing() {
        let client = crate::api::client::Client::new().await;
        let ask = async |method: &str, origin: &str| {
            let headers = [("host", "127.0.0.1:8080"), ("origin", origin)];
            let body = serde_json::json!({"name": "x"});
            client
                .ask(
                    method,
                    "/api/v1/workspaces",
                    &headers,
                    (method == "POST").then_some(&body),
                )
                .await
                .status
                .as_u16()
        };
        assert_eq!(ask("POST", "http://elsewhere.example").await, 403);
        assert_eq!(ask("POST", "http://127.0.0.1:8080").await, 201);
        assert_eq!(ask("GET", "http://elsewhere.example").await, 200);
    }

    #[test]
    fn the_scheme_is_bearer_in_any_case() {
        let given = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, HeaderValue::from_static(value));
            bearer(&headers).map(str::to_owned)
        };
        assert_eq!(given("Bearer abc").as_deref(), Some("abc"));
        assert_eq!(given("bearer abc").as_deref(), Some("abc"));
        assert_eq!(given("Basic abc"), None);
        assert_eq!(given("abc"), None);
    }
}

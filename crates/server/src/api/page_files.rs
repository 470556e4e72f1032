//! The web page: files that need no token, since whoever has none is asked for one there.

use super::error::{ApiError, ApiResult};
use super::extract::Path;
use crate::platform::App;
use axum::Router;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// Routes to the page and its files.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route(
            "/",
            get(async |headers: HeaderMap| answer("index.html", &headers)),
        )
        .route(
            "/page/{*file}",
            get(async |Path(file): Path<String>, headers: HeaderMap| answer(&file, &headers)),
        )
}

/// A file, or nothing new if the browser has it.
fn answer(name: &str, headers: &HeaderMap) -> ApiResult<Response> {
    let file = packetloom_web::file(name).ok_or_else(|| ApiError::not_found("file", name))?;
    let tag = format!("\"{}\"", file.sha256);
    let common = [
        (header::CONTENT_SECURITY_POLICY, packetloom_web::POLICY),
        // Kept, and asked for again each time: a newer program has a newer page.
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONTENT_TYPE, file.media_type),
        (header::ETAG, &tag),
    ];
    if headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|given| given.as_bytes() == tag.as_bytes())
    {
        return Ok((StatusCode::NOT_MODIFIED, common).into_response());
    }
    Ok((common, file.bytes.into_owned()).into_response())
}

#[cfg(test)]
mod tests {
    use crate::api::client::Client;

    #[tokio::test]
    async fn every_file_comes_to_whoever_asks_with_a_policy_and_a_tag() {
        let client = Client::new().await;
        let names: Vec<String> = packetloom_web::names()
            .map(|name| format!("/page/{name}"))
            .collect();
        assert!(names.len() > 15, "{names:?}");
        for path in names.iter().map(String::as_str).chain(["/"]) {
            let answer = client.ask("GET", path, &[], None).await;
            assert_eq!(answer.status, 200, "{path}");
            let policy = answer.headers["content-security-policy"]
                .to_str()
                .expect("text")
                .to_owned();
            assert!(
                policy.contains("default-src 'none'") && policy.contains("script-src 'self';"),
                "{policy}"
            );
            assert!(!policy.contains("unsafe"), "{policy}");
            let tag = answer.headers["etag"].to_str().expect("text").to_owned();
            let again = client.ask("GET", path, &[("if-none-match", &tag)], None).await;
            assert_eq!((again.status.as_u16(), again.bytes.len()), (304, 0), "{path}");
        }
        for absent in [
            "/page/nothing.js",
            "/page/vendor",
            "/page/",
            "/page/../Cargo.toml",
            "/page/%2e%2e/Cargo.toml",
        ] {
            assert!(
                [404, 401].contains(&client.ask("GET", absent, &[], None).await.status.as_u16()),
                "{absent}"
            );
        }
    }
}

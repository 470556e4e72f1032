//! How long a request may take, what becomes of a panic, and what all answers have in common.

use super::error::ApiError;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::any::Any;
use std::time::Duration;

/// How long a request may take until its answer begins, its body included.
const LONGEST: Duration = Duration::from_secs(30);

/// Gives up on requests that take too long.
pub(super) async fn in_time(request: Request, next: Next) -> Response {
    within(LONGEST, next.run(request)).await
}

async fn within(longest: Duration, response: impl Future<Output = Response>) -> Response {
    match tokio::time::timeout(longest, response).await {
        Ok(response) => response,
        Err(_) => {
            let message = format!("The request took longer than {} seconds", longest.as_secs_f64());
            ApiError::new(StatusCode::REQUEST_TIMEOUT, "REQUEST_TIMEOUT", message).into_response()
        }
    }
}

/// Answers a request whose handler panicked.
pub(super) fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic");
    ApiError::internal(text).into_response()
}

/// Puts on what every answer carries, and gives errors that no handler made the form of all others.
pub(super) async fn dress(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let plain = !response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if response.status() == StatusCode::PAYLOAD_TOO_LARGE && plain {
        let message = "The body is larger than 16 MiB";
        response = ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE", message).into_response();
        // The rest of the body is not read.
        response
            .headers_mut()
            .insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response.map(Body::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::routing::get;
    use http_body_util::BodyExt;
    use serde_json::Value;
    use tower::ServiceExt;
    use tower_http::catch_panic::CatchPanicLayer;

    async fn json(response: Response) -> (u16, Value) {
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.expect("a body").to_bytes();
        (status, serde_json::from_slice(&body).expect("JSON"))
    }

    #[tokio::test]
    async fn what_takes_too_long_is_told_so() {
        let (status, body) = json(within(Duration::from_millis(20), std::future::pending()).await).await;
        assert_eq!(status, 408);
        assert_eq!(body["error"]["code"], "REQUEST_TIMEOUT");
        assert_eq!(
            body["error"]["message"],
            "The request took longer than 0.02 seconds"
        );
        let quick = within(
            LONGEST,
            std::future::ready(StatusCode::NO_CONTENT.into_response()),
        )
        .await;
        assert_eq!(quick.status(), StatusCode::NO_CONTENT);
        assert_eq!(LONGEST.as_secs(), 30);
    }

    #[tokio::test]
    async fn a_panic_is_an_answer_that_says_nothing_of_what_is_inside() {
        let router: Router = Router::new()
            .route("/", get(async || -> StatusCode { panic!("secret place") }))
            .layer(CatchPanicLayer::custom(panicked));
        let request = Request::get("/").body(Body::empty()).expect("a request");
        let (status, body) = json(router.oneshot(request).await.expect("an answer")).await;
        assert_eq!(status, 500);
        assert_eq!(body["error"]["code"], "INTERNAL_ERROR");
        assert!(!body.to_string().contains("secret"), "{body}");
    }
}

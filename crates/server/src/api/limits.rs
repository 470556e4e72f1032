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
    match tokio::time::timeout(LONGEST, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let message = format!("The request took longer than {} seconds", LONGEST.as_secs());
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

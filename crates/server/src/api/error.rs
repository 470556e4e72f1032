//! How errors look: `{"error": {"code", "message"}}`, for every failure.

use axum::Json;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use packetloom_params::Errors;
use serde::Serialize;
use utoipa::ToSchema;

/// The body of every failure.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    /// What went wrong.
    pub error: ErrorDetails,
}

/// What went wrong.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorDetails {
    /// The kind of failure, for programs.
    pub code: &'static str,
    /// What was wrong and what would be right, for people.
    pub message: String,
}

/// A request that does not get what it asked for.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
}

/// What handlers give.
pub type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    /// With a status, a code and a message of one's own.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        ApiError {
            status,
            code,
            message: message.into(),
        }
    }

    /// 400: the request is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::BAD_REQUEST, "VALIDATION_ERROR", message)
    }

    /// 401: nobody known asks.
    pub fn unauthorized() -> Self {
        let message = "Invalid or missing authentication token";
        ApiError::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", message)
    }

    /// 403: whoever asks may not.
    pub fn forbidden(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::FORBIDDEN, "FORBIDDEN", message)
    }

    /// 404: there is no `what` called `name`.
    pub fn not_found(what: &str, name: &str) -> Self {
        let name: String = name.chars().take(100).collect();
        let message = format!("There is no {what} {:?}", name);
        ApiError::new(StatusCode::NOT_FOUND, "NOT_FOUND", message)
    }

    /// 409: it does not go with what there is now.
    pub fn conflict(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::CONFLICT, "CONFLICT", message)
    }

    /// 412: it has changed since.
    pub fn changed_since(given: &str, now: &str) -> Self {
        let given: String = given.chars().take(100).collect();
        let message = format!("If-Match is {given}, but the current version is {now}; read it again");
        ApiError::new(StatusCode::PRECONDITION_FAILED, "PRECONDITION_FAILED", message)
    }

    /// 422: it is understood but cannot be done.
    pub fn unprocessable(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "UNPROCESSABLE_ENTITY", message)
    }

    /// 503: not now.
    pub fn unavailable(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "SERVICE_UNAVAILABLE", message)
    }

    /// 500: the server is at fault. What exactly goes to the log, not to the client.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        tracing::error!(%cause, "a request failed");
        let message = "The server failed; its log says why";
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL_ERROR", message)
    }

    /// Its status.
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (
            self.status,
            Json(ErrorBody {
                error: ErrorDetails {
                    code: self.code,
                    message: self.message,
                },
            }),
        )
            .into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = header::HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

impl From<crate::store::StoreError> for ApiError {
    fn from(error: crate::store::StoreError) -> Self {
        // SQLite's own numbers: 13 is a full disk, 10 a failure to read or write, in the lower byte.
        let code = error.as_database_error().and_then(|error| error.code());
        let code: Option<u32> = code.and_then(|code| code.parse().ok());
        if code.is_some_and(|code| [10, 13].contains(&(code & 0xff))) {
            tracing::error!(%error, "the database cannot be written");
            return ApiError::unavailable("The server cannot write its database; its disk may be full");
        }
        ApiError::internal(format!("the database: {error}"))
    }
}

impl From<Errors> for ApiError {
    /// What is wrong with a document, all of it.
    fn from(errors: Errors) -> Self {
        ApiError::invalid(errors.to_string())
    }
}

/// Answers paths that nothing is at.
pub(crate) async fn no_such_path(uri: Uri) -> ApiError {
    ApiError::not_found("path", uri.path())
}

/// Answers methods that a path does not have.
pub(crate) async fn no_such_method() -> ApiError {
    let message = "The path does not have this method";
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", message)
}

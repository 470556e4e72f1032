//! What tests of routes ask with: the whole service in a folder of its own, without a network.

use crate::options::ServeOptions;
use crate::platform::{App, Platform};
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

/// The service that everybody may use, and its folder. It runs no simulations.
pub(crate) struct Client {
    /// What the handlers share.
    pub app: App,
    _folder: tempfile::TempDir,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Client {
    /// A new one.
    pub async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let options = ServeOptions {
            listen: ([127, 0, 0, 1], 0).into(),
            data: folder.path().to_owned(),
            jobs: 0,
            no_auth: true,
            program: "packetloom".into(),
            connections: 10,
            shows_only: false,
        };
        Client {
            app: Platform::open(options).await.expect("opened"),
            _folder: folder,
        }
    }

    /// Asks for `path`, from the root of the service.
    pub async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let response = super::router(self.app.clone())
            .oneshot(request.body(body).expect("a request"))
            .await
            .expect("an answer");
        let (parts, body) = response.into_parts();
        Answer {
            status: parts.status,
            headers: parts.headers,
            bytes: body.collect().await.expect("a body").to_bytes().to_vec(),
        }
    }

    /// GET below `/api/v1`.
    pub async fn get(&self, path: &str) -> Answer {
        self.ask("GET", &format!("/api/v1{path}"), &[], None).await
    }

    /// POST below `/api/v1`.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", &format!("/api/v1{path}"), &[], Some(body)).await
    }

    /// Status and JSON of the answer to a GET below `/api/v1`.
    pub async fn see(&self, path: &str) -> (u16, Value) {
        let answer = self.get(path).await;
        let status = answer.status.as_u16();
        (status, answer.is(status))
    }

    /// Status and JSON of the answer to a POST below `/api/v1`.
    pub async fn give(&self, path: &str, body: &Value) -> (u16, Value) {
        let answer = self.post(path, body).await;
        let status = answer.status.as_u16();
        (status, answer.is(status))
    }
}

impl Answer {
    /// The JSON of an answer that must have this status.
    pub fn is(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.bytes));
        serde_json::from_slice(&self.bytes).expect("JSON")
    }

    /// The JSON of a 200.
    pub fn ok(&self) -> Value {
        self.is(200)
    }

    /// The message of a failure, which must have this status and code.
    pub fn fails(&self, status: u16, code: &str) -> String {
        let body = self.is(status);
        assert_eq!(body["error"]["code"], code);
        body["error"]["message"].as_str().expect("a message").to_owned()
    }
}

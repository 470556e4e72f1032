//! Who may come in: every path and method of the whole service, asked without a token and with one.

use crate::options::{LARGEST_BODY, ServeOptions};
use crate::platform::{App, Platform};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{Method, Request, header};
use axum::response::Response;
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

const METHODS: [&str; 10] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PURGE",
];

struct Door {
    app: App,
    router: Router,
    token: String,
    _folder: tempfile::TempDir,
}

impl Door {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let options = ServeOptions {
            listen: ([127, 0, 0, 1], 0).into(),
            data: folder.path().to_owned(),
            jobs: 0,
            no_auth: false,
            program: "packetloom".into(),
            connections: 10,
            shows_only: false,
        };
        let app = Platform::open(options).await.expect("opened");
        let made = app.store.create_token("ci").await.expect("asked");
        Door {
            router: super::router(app.clone()),
            token: made.expect("made"),
            app,
            _folder: folder,
        }
    }

    async fn ask(&self, method: &str, path: &str, authorization: Option<&str>, body: Body) -> Response {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(value) = authorization {
            request = request.header(header::AUTHORIZATION, value);
        }
        let request = request.body(body).expect("a request");
        self.router.clone().oneshot(request).await.expect("an answer")
    }

    async fn status(&self, method: &str, path: &str, authorization: Option<&str>) -> u16 {
        let answer = self.ask(method, path, authorization, Body::empty()).await;
        answer.status().as_u16()
    }
}

/// Paths of the description with something in the place of each parameter, and the methods each has.
fn described() -> Vec<(String, Vec<String>)> {
    let description = serde_json::to_value(super::description()).expect("JSON");
    let paths = description["paths"].as_object().expect("paths");
    paths
        .iter()
        .map(|(path, item)| {
            let filled: Vec<&str> = path
                .split('/')
                .map(|part| if part.starts_with('{') { "x" } else { part })
                .collect();
            let methods = item.as_object().expect("a path").keys();
            let methods = methods
                .map(|method| method.to_uppercase())
                .filter(|method| METHODS.contains(&method.as_str()))
                .collect();
            (filled.join("/"), methods)
        })
        .collect()
}

/// What needs no token, written down a second time: a change of the list has to be made here too.
fn open(method: &str, path: &str) -> bool {
    matches!(method, "GET" | "HEAD")
        && (["/", "/api/v1/health", "/api/v1/openapi.json", "/docs", "/docs/"].contains(&path)
            || path.starts_with("/page/")
            || path.starts_with("/api/v1/downloads/"))
}

#[tokio::test]
async fn nothing_but_the_list_is_answered_without_a_token() {
    let door = Door::new().await;
    let mut paths: Vec<String> = described().into_iter().map(|(path, _)| path).collect();
    assert!(paths.len() > 20, "{paths:?}");
    paths.extend(
        [
            "/",
            "//",
            "/index.html",
            "/page",
            "/page/app.js",
            "/page/nothing.js",
            "/pages/app.js",
            "/Page/app.js",
            "/metrics",
            "/docs",
            "/docs/",
            "/nothing",
            "/api",
            "/api/v1",
            "/api/v1/",
            "/api/v1/nothing",
            "/api/v2/health",
            "//api/v1/simulations",
            "/api//v1/health",
            "/api/v1/../v1/health",
            "/api/v1/./health",
            "/api/v1/health/../simulations",
            "/api/v1/health/",
            "/api/v1/health%2f",
            "/api/v1/%68ealth",
            "/api/v1/%2e%2e/v1/health",
            "/api/v1/openapi.json/",
            "/api/v1/openapi.json%00",
            "/api/v1/downloads",
            "/API/v1/health",
            "/api/v1/HEALTH",
            "/api/v1/simulations/",
            "/api/v1/simulations?x=/api/v1/health",
            "/metrics/",
            "/metrics?/docs/",
            "/docsx",
        ]
        .map(str::to_owned),
    );
    let wrong = format!("Bearer {}", door.token.to_uppercase());
    let basic = format!("Basic {}", door.token);
    let ways = [
        None,
        Some(wrong.as_str()),
        Some(basic.as_str()),
        Some(door.token.as_str()),
        Some("Bearer "),
    ];
    for path in &paths {
        for method in METHODS {
            for way in ways {
                // Neither a query nor a cookie is a way to give a token.
                let status = door.status(method, path, way).await;
                let is_open = open(method, path);
                assert_eq!(status != 401, is_open, "{method} {path} with {way:?}: {status}");
            }
        }
    }
}

#[tokio::test]
async fn everything_described_is_there_with_a_token() {
    let door = Door::new().await;
    let right = format!("bEaReR {}", door.token);
    for (path, methods) in described() {
        assert!(!methods.is_empty(), "{path}");
        for method in methods {
            let status = door.status(&method, &path, Some(&right)).await;
            // Downloads are refused for their signature, with 403 or 401, whoever asks.
            let signed = path.starts_with("/api/v1/downloads/");
            assert!(signed || status != 401, "{method} {path}: {status}");
            assert!(status != 405 && status < 500, "{method} {path}: {status}");
        }
    }
    assert_eq!(door.status("GET", "/metrics", Some(&right)).await, 200);
    assert_eq!(door.status("GET", "/nothing", Some(&right)).await, 404);
    assert_eq!(door.status("PURGE", "/api/v1/health", Some(&right)).await, 405);
}

#[tokio::test]
async fn a_refusal_has_the_form_of_all_errors_and_names_the_scheme() {
    let door = Door::new().await;
    let answer = door.ask("GET", "/api/v1/simulations", None, Body::empty()).await;
    let headers = answer.headers().clone();
    assert_eq!(headers["x-content-type-options"], "nosniff");
    assert_eq!(headers["referrer-policy"], "no-referrer");
    assert_eq!(headers["cache-control"], "no-store");
    assert_eq!(headers["content-type"], "application/json");
    let body = answer.into_body().collect().await.expect("a body").to_bytes();
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(body["error"]["code"], "UNAUTHORIZED");
}

#[tokio::test]
async fn bodies_end_at_16_mib() {
    let door = Door::new().await;
    let right = format!("Bearer {}", door.token);
    // 16 x 1,048,576 bytes.
    assert_eq!(LARGEST_BODY, 16_777_216);
    let chunked = |size: usize| {
        let piece = Bytes::from(vec![b' '; 1 << 16]);
        let pieces = (0..size.div_ceil(1 << 16)).map(move |i| {
            let left = size - (i << 16);
            Ok::<_, std::io::Error>(piece.slice(..left.min(1 << 16)))
        });
        Body::from_stream(futures_util::stream::iter(pieces))
    };
    for (size, refused) in [(LARGEST_BODY, false), (LARGEST_BODY + 1, true)] {
        for (how, body) in [
            ("declared", Body::from(vec![b' '; size])),
            ("in chunks", chunked(size)),
        ] {
            let answer = door
                .ask("POST", "/api/v1/configurations", Some(&right), body)
                .await;
            let status = answer.status().as_u16();
            let body = answer.into_body().collect().await.expect("a body").to_bytes();
            let body: Value = serde_json::from_slice(&body).expect("JSON");
            // Blanks are no JSON: what is not refused for its size is a 400.
            assert_eq!(
                status,
                if refused { 413 } else { 400 },
                "{size} bytes {how}: {body}"
            );
            if refused {
                assert_eq!(body["error"]["code"], "PAYLOAD_TOO_LARGE", "{how}");
            }
        }
    }
    // Whoever has no token is not even listened to.
    let answer = door
        .ask("POST", "/api/v1/configurations", None, chunked(LARGEST_BODY + 1))
        .await;
    assert_eq!(answer.status(), 401);
}

#[tokio::test]
async fn a_revoked_token_holds_for_less_than_a_second() {
    let door = Door::new().await;
    let right = format!("Bearer {}", door.token);
    assert_eq!(door.status("GET", "/metrics", Some(&right)).await, 200);
    assert!(door.app.store.revoke_token("ci").await.expect("asked"));
    tokio::time::sleep(std::time::Duration::from_millis(1_000)).await;
    assert_eq!(door.status("GET", "/metrics", Some(&right)).await, 401);
}

#[tokio::test]
async fn refused_requests_are_counted_by_route() {
    crate::telemetry::start_metrics();
    let door = Door::new().await;
    assert_eq!(door.status(Method::PATCH.as_str(), "/metrics", None).await, 401);
    let right = format!("Bearer {}", door.token);
    let answer = door.ask("GET", "/metrics", Some(&right), Body::empty()).await;
    let text = answer.into_body().collect().await.expect("a body").to_bytes();
    let text = String::from_utf8(text.to_vec()).expect("text");
    let counted = text.lines().any(|line| {
        line.starts_with("packetloom_http_requests_total{")
            && line.contains("method=\"PATCH\"")
            && line.contains("path=\"/metrics\"")
            && line.contains("status=\"401\"")
    });
    assert!(counted, "{text}");
    assert!(text.contains("packetloom_uptime_seconds"), "{text}");
}

//! What nobody should send, and what it is answered with: the form of errors, cursors that are none, SQL in texts.

use super::client::Client;
use crate::jobs::log::{Level, Log};
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

/// Methods that a path of the API may have.
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// A refusal: its status, its code and its headers, after a look at its form.
async fn refusal(
    client: &Client,
    (method, path): (&str, &str),
    kind: Option<&str>,
    body: &str,
) -> (u16, String, HeaderMap) {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("if-match", "\"1\"");
    if let Some(kind) = kind {
        request = request.header("content-type", kind);
    }
    let request = request.body(Body::from(body.to_owned())).expect("a request");
    let answer = super::router(client.app.clone())
        .oneshot(request)
        .await
        .expect("an answer");
    let (parts, body) = answer.into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    let what = format!("{method} {path}: {} {body:?}", parts.status);
    assert!(parts.status.is_client_error(), "{what}");
    assert_eq!(parts.headers["content-type"], "application/json", "{what}");
    let body: Value = serde_json::from_slice(&body).expect(&what);
    assert_eq!(body.as_object().map(serde_json::Map::len), Some(1), "{what}");
    let error = body["error"].as_object().expect(&what);
    assert_eq!(error.len(), 2, "{what}");
    assert!(error["message"].as_str().is_some_and(|m| !m.is_empty()), "{what}");
    let code = error["code"].as_str().expect(&what).to_owned();
    (parts.status.as_u16(), code, parts.headers)
}

/// Each path of the description with `x` for every parameter, and what is said of it.
fn described() -> Vec<(String, Value)> {
    let description = serde_json::to_value(super::description()).expect("JSON");
    let paths = description["paths"].as_object().expect("paths");
    let filled = |path: &str| -> String {
        let parts = path
            .split('/')
            .map(|part| if part.starts_with('{') { "x" } else { part });
        parts.collect::<Vec<_>>().join("/")
    };
    paths
        .iter()
        .map(|(path, item)| (filled(path), item.clone()))
        .collect()
}

#[tokio::test]
async fn unknown_paths_are_404() {
    let client = Client::new().await;
    for path in [
        "/nothing",
        "/api/v1",
        "/api/v1/",
        "/api/v1/nothing",
        "/api/v1/simulations/",
        "/api/v1/Simulations",
        // Of the API that is described elsewhere, what is not part of this server.
        "/api/v1/billing",
        "/api/v1/credits",
        "/api/v1/libraries",
        "/api/v1/tracesets",
        "/api/v1/mapping-files",
        "/api/v1/simple",
    ] {
        for method in METHODS {
            let (status, code, _) = refusal(&client, (method, path), None, "").await;
            assert_eq!((status, code.as_str()), (404, "NOT_FOUND"), "{method} {path}");
        }
    }
}

#[tokio::test]
async fn methods_that_a_path_has_not_are_405_and_those_it_has_are_told() {
    let client = Client::new().await;
    let mut tried = 0;
    for (path, item) in described() {
        for method in METHODS {
            if item.get(method.to_lowercase()).is_some() {
                continue;
            }
            let (status, code, headers) = refusal(&client, (method, &path), None, "").await;
            assert_eq!(
                (status, code.as_str()),
                (405, "METHOD_NOT_ALLOWED"),
                "{method} {path}"
            );
            let allowed = headers["allow"].to_str().expect("text");
            for has in METHODS {
                assert_eq!(
                    allowed.split(',').any(|one| one == has),
                    item.get(has.to_lowercase()).is_some(),
                    "{has} {path}: {allowed}"
                );
            }
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried}");
}

#[tokio::test]
async fn bodies_that_are_not_said_to_be_json_are_415_and_those_that_are_none_400() {
    let client = Client::new().await;
    let deep = "[".repeat(100_000);
    let mut tried = 0;
    for (path, item) in described() {
        for method in METHODS {
            if item
                .get(method.to_lowercase())
                .and_then(|operation| operation.get("requestBody"))
                .is_none()
            {
                continue;
            }
            for kind in [None, Some("text/plain"), Some("application/xml")] {
                let (status, code, _) = refusal(&client, (method, &path), kind, "{}").await;
                assert_eq!(
                    (status, code.as_str()),
                    (415, "UNSUPPORTED_MEDIA_TYPE"),
                    "{method} {path} {kind:?}"
                );
            }
            for text in ["", "{", "{\"a\": nan}", "{} {}", "\u{0}", &deep] {
                let (status, code, _) =
                    refusal(&client, (method, &path), Some("application/json"), text).await;
                let text: String = text.chars().take(20).collect();
                assert_eq!(
                    (status, code.as_str()),
                    (400, "VALIDATION_ERROR"),
                    "{method} {path} {text:?}"
                );
            }
            tried += 1;
        }
    }
    assert!(tried > 10, "{tried}");
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// A validated configuration and a simulation of it that has a line in its log.
async fn things(client: &Client) -> (String, String) {
    let text = packetloom_config::template::text("rdma-one-rack").expect("a template");
    let document: Value = serde_json::from_str(text).expect("JSON");
    let made = client.post("/configurations", &document).await.is(201);
    let configuration = made["id"].as_str().expect("an id").to_owned();
    let path = format!("/configurations/{configuration}/validate");
    assert_eq!(client.post(&path, &json!({})).await.ok()["valid"], true);
    let body = json!({"configurationId": configuration, "name": "a", "duration": "1us"});
    let made = client.post("/simulations", &body).await.is(201);
    let sim = made["id"].as_str().expect("an id").to_owned();
    let folder = client.app.results.of(&sim);
    std::fs::create_dir_all(&folder).expect("a folder");
    Log::of(&folder)
        .add(Level::Info, "test", "a line")
        .expect("written");
    (configuration, sim)
}

#[tokio::test]
async fn cursors_that_are_none_are_refused_and_forged_ones_harm_nothing() {
    let client = Client::new().await;
    let (configuration, sim) = things(&client).await;
    let components = format!("/configurations/{configuration}/components");
    let containers = format!("/configurations/{configuration}/containers");
    let logs = format!("/simulations/{sim}/logs");
    let lists = [
        ("/workspaces", "workspaces".to_owned()),
        ("/configurations", "configurations".to_owned()),
        ("/simulations", "simulations by Created true".to_owned()),
        (
            "/simulations?sort=name:asc",
            "simulations by Name false".to_owned(),
        ),
        ("/components", "components".to_owned()),
        ("/templates", "templates".to_owned()),
        (components.as_str(), format!("components of {configuration}")),
        (containers.as_str(), format!("containers of {configuration}")),
        (logs.as_str(), format!("log of {sim}")),
    ];
    for (path, name) in &lists {
        let glue = if path.contains('?') { '&' } else { '?' };
        for wrong in [
            "x",
            "0",
            "zz",
            "%00",
            "%27%20OR%201=1--",
            "../../etc/passwd",
            &hex("null"),
            &hex("[]"),
            // A cursor of another list, even with a place that fits this one.
            &hex("[\"other\",1]"),
            &hex("[\"other\",[1,\"x\"]]"),
            &hex(&format!("[\"{name}\"]")),
            &hex(&format!("[\"{name}\",-1.5]")),
            &hex(&format!("[\"{name}\",{{\"$gt\":\"\"}}]")),
            &"ab".repeat(2_000),
        ] {
            let answer = client.get(&format!("{path}{glue}next={wrong}")).await;
            let message = answer.fails(400, "VALIDATION_ERROR");
            assert!(
                message.starts_with("next is no cursor"),
                "{path} {wrong}: {message}"
            );
        }
        // Cursors are not signed: whoever makes one of the right form gets a page that may be empty, never a failure.
        for place in [
            "18446744073709551615",
            "9223372036854775808",
            "[-9223372036854775808,\"' OR '1'='1\"]",
            "[\"x' OR '1'='1\",\"'; DROP TABLE simulations; --\"]",
        ] {
            let next = hex(&format!("[\"{name}\",{place}]"));
            let answer = client.get(&format!("{path}{glue}next={next}")).await;
            let status = answer.status.as_u16();
            assert!(
                status == 200 || status == 400,
                "{path} {place}: {status} {}",
                String::from_utf8_lossy(&answer.bytes)
            );
        }
        for limit in ["0", "-1", "1.5", "x", "18446744073709551616"] {
            let answer = client.get(&format!("{path}{glue}limit={limit}")).await;
            answer.fails(400, "VALIDATION_ERROR");
        }
        let most = client
            .get(&format!("{path}{glue}limit=18446744073709551615"))
            .await
            .ok();
        assert_eq!(most["pagination"]["hasMore"], false, "{path}");
    }
    // Everything is still there.
    assert_eq!(client.get("/simulations").await.ok()["pagination"]["count"], 1);
}

/// A text as it stands in a query.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[tokio::test]
async fn sql_in_names_and_searches_is_text() {
    let client = Client::new().await;
    let names = [
        "a'; DROP TABLE workspaces; --",
        "' OR '1'='1",
        "\" OR \"\"=\"",
        "100%",
        "a_b",
        "back\\slash!",
        "$1 ?1 :name",
    ];
    for name in names {
        let body = json!({"name": name, "description": "plain"});
        let made = client.post("/workspaces", &body).await.is(201);
        assert_eq!(made["name"], name);
    }
    for name in names {
        // Found is what has the whole text in it, wildcards of LIKE included, and nothing else.
        let found = client
            .get(&format!("/workspaces?search={}", encoded(name)))
            .await
            .ok();
        let found: Vec<&Value> = found["workspaces"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| &one["name"])
            .collect();
        assert_eq!(found, [&json!(name)]);
        let none = client
            .get(&format!("/workspaces?owner={}", encoded(name)))
            .await
            .ok();
        assert_eq!(none["pagination"]["count"], 0, "{name}");
        for list in ["configurations", "simulations", "templates"] {
            let none = client
                .get(&format!("/{list}?search={}", encoded(name)))
                .await
                .ok();
            assert_eq!(none["pagination"]["count"], 0, "{list} {name}");
        }
        for path in [
            "/workspaces/",
            "/configurations/",
            "/simulations/",
            "/templates/",
            "/models/",
        ] {
            let answer = client.get(&format!("{path}{}", encoded(name))).await;
            let status = answer.status.as_u16();
            assert!(status == 404 || status == 400, "{path}{name}: {status}");
        }
    }
    // The default one and those made here: none more, none less.
    let all = client.get("/workspaces").await.ok();
    assert_eq!(all["pagination"]["count"], 1 + names.len());

    for search in ["%00", "%FF", "%C3%28"] {
        let answer = client.get(&format!("/workspaces?search={search}")).await;
        assert!(
            !answer.status.is_server_error(),
            "{search}: {}",
            String::from_utf8_lossy(&answer.bytes)
        );
    }
    let long = client
        .get(&format!("/workspaces?search={}", "x".repeat(101)))
        .await;
    long.fails(400, "VALIDATION_ERROR");
    client
        .get(&format!("/workspaces?search={}", "x".repeat(100)))
        .await
        .ok();
}

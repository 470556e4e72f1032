//! The description is whole, and its page needs nothing from elsewhere.

use super::operation_id;
use crate::api::client::Client;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The methods that a path of a description can have.
const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// Whether an operation needs no token.
fn is_public(operation: &Map<String, Value>) -> bool {
    let ways = operation.get("security").and_then(Value::as_array);
    ways.is_some_and(|ways| ways.contains(&serde_json::json!({})))
}

#[test]
fn operations_are_called_by_method_and_path() {
    for (method, path, id) in [
        ("get", "/api/v1/health", "getHealth"),
        ("get", "/api/v1/openapi.json", "getOpenapiJson"),
        (
            "post",
            "/api/v1/workspaces/{workspace_id}/legacy-project",
            "postWorkspacesByWorkspaceIdLegacyProject",
        ),
        ("get", "/api/v1/downloads/{id}/{*file}", "getDownloadsByIdByFile"),
    ] {
        assert_eq!(operation_id(method, path), id);
    }
}

async fn served() -> Value {
    Client::new().await.get("/openapi.json").await.ok()
}

/// Every operation: its method, its path, and what is said of it.
fn operations(document: &Value) -> Vec<(&str, &str, &Map<String, Value>)> {
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                all.push((
                    method,
                    path.as_str(),
                    operation.as_object().expect("an operation"),
                ));
            }
        }
    }
    all
}

fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(text) if key == "$ref" => found.push(text),
                    value => references(value, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[tokio::test]
async fn it_is_openapi_and_every_reference_leads_somewhere() {
    let document = served().await;
    assert!(
        document["openapi"]
            .as_str()
            .is_some_and(|version| version.starts_with("3.1"))
    );
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 50);
    for reference in found {
        let pointer = reference.strip_prefix('#').expect(reference);
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[tokio::test]
async fn every_operation_is_whole() {
    let document = served().await;
    assert_eq!(document["security"], serde_json::json!([{"token": []}]));
    assert_eq!(
        document["components"]["securitySchemes"]["token"]["scheme"],
        "bearer"
    );
    let tags: Vec<&Value> = document["tags"]
        .as_array()
        .expect("tags")
        .iter()
        .map(|tag| &tag["name"])
        .collect();
    let mut ids = HashSet::new();
    for (method, path, operation) in operations(&document) {
        let place = format!("{method} {path}");
        let id = operation["operationId"].as_str().expect("an operationId");
        assert!(ids.insert(id), "{place}: {id}");
        assert!(
            operation["summary"].as_str().is_some_and(|text| !text.is_empty()),
            "{place}"
        );
        let own = operation["tags"].as_array().expect("tags");
        assert!(own.len() == 1 && tags.contains(&&own[0]), "{place}: {own:?}");

        let responses = operation["responses"].as_object().expect("responses");
        assert!(responses.keys().any(|status| status.starts_with('2')), "{place}");
        for status in ["408", "500", "503"] {
            assert!(responses.contains_key(status), "{place}: {status}");
        }
        assert_eq!(responses.contains_key("401"), !is_public(operation), "{place}");
        if operation.contains_key("requestBody") {
            for status in ["400", "413", "415"] {
                assert!(responses.contains_key(status), "{place}: {status}");
            }
        }
        for (status, response) in responses {
            if status.starts_with('4') || status.starts_with('5') {
                let schema = &response["content"]["application/json"]["schema"]["$ref"];
                assert_eq!(schema, "#/components/schemas/ErrorBody", "{place}: {status}");
            }
        }

        let none = Vec::new();
        let parameters = operation
            .get("parameters")
            .and_then(Value::as_array)
            .unwrap_or(&none);
        for parameter in parameters {
            let name = parameter["name"].as_str().expect("a name");
            assert!(
                parameter["description"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{place}: {name}"
            );
            assert!(responses.contains_key("400"), "{place}");
            if parameter["in"] == "path" {
                assert!(path.contains(&format!("{{{name}}}")), "{place}: {name}");
                assert_eq!(parameter["required"], true, "{place}: {name}");
            }
        }
        let declared = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "path")
            .count();
        assert_eq!(path.matches('{').count(), declared, "{place}");
    }
    let public: Vec<&str> = operations(&document)
        .into_iter()
        .filter(|(_, _, operation)| is_public(operation))
        .map(|(_, path, _)| path)
        .collect();
    for path in ["/api/v1/health", "/api/v1/openapi.json"] {
        assert!(public.contains(&path), "{public:?}");
    }
}

#[tokio::test]
async fn identifiers_have_their_forms() {
    let document = served().await;
    for (path, pattern) in [
        ("/api/v1/workspaces/{workspace_id}", "^workspace_[0-9A-Za-z]{27}$"),
        ("/api/v1/simulations/{sim_id}", "^sim_[0-9A-Za-z]{27}$"),
        ("/api/v1/configurations/{config_id}", "^config_[0-9A-Za-z]{27}$"),
    ] {
        let schema = &document["paths"][path]["get"]["parameters"][0]["schema"];
        assert_eq!(schema["pattern"], pattern, "{path}");
    }
}

#[tokio::test]
async fn the_page_needs_nothing_from_elsewhere() {
    let client = Client::new().await;
    let ask = async |path: &str| client.ask("GET", path, &[], None).await;
    assert_eq!(ask("/docs").await.headers["location"], "/docs/");
    let page = ask("/docs/").await;
    assert_eq!(page.status, 200);
    assert!(
        page.headers["content-type"]
            .to_str()
            .is_ok_and(|kind| kind.starts_with("text/html"))
    );
    let policy = page.headers["content-security-policy"].to_str().expect("text");
    assert!(
        policy.starts_with("default-src 'none'") && !policy.contains("http"),
        "{policy}"
    );
    let text = String::from_utf8(page.bytes).expect("text");
    let mut files = 0;
    for attribute in ["src=\"", "href=\""] {
        for rest in text.split(attribute).skip(1) {
            let file = rest.split('"').next().expect("a value");
            assert!(!file.contains("//"), "{file}");
            let file = file.trim_start_matches("./");
            assert_eq!(ask(&format!("/docs/{file}")).await.status, 200, "{file}");
            files += 1;
        }
    }
    assert!(files >= 4, "{text}");
    let start = String::from_utf8(ask("/docs/swagger-initializer.js").await.bytes).expect("text");
    assert!(
        start.contains("/api/v1/openapi.json") && start.contains("\"validatorUrl\": \"none\""),
        "{start}"
    );
    assert!(!start.contains("http"), "{start}");
    for path in [
        "/docs/../Cargo.toml",
        "/docs/nothing.js",
        "/docs/%2e%2e/Cargo.toml",
    ] {
        ask(path).await.fails(404, "NOT_FOUND");
    }
}

//! Every endpoint of configurations, with each of its answers.

mod building;
mod lists;
mod parts;
mod together;

use crate::api::client::{Answer, Client};
use crate::id::Kind;
use serde_json::{Value, json};

/// A template as a body.
fn template(name: &str) -> Value {
    let text = packetloom_config::template::text(name).expect("a template");
    serde_json::from_str(text).expect("JSON")
}

/// Stores a body, and gives its path below `/api/v1`.
async fn stored(client: &Client, body: &Value) -> String {
    let new = client.post("/configurations", body).await.is(201);
    format!("/configurations/{}", new["id"].as_str().expect("an id"))
}

/// Asks below `/api/v1`, with If-Match if there is one.
async fn ask(
    client: &Client,
    method: &str,
    path: &str,
    version: Option<&str>,
    body: Option<&Value>,
) -> Answer {
    let headers: Vec<(&str, &str)> = version.map(|version| ("if-match", version)).into_iter().collect();
    client
        .ask(method, &format!("/api/v1{path}"), &headers, body)
        .await
}

/// PATCH below `/api/v1`.
async fn patch(client: &Client, path: &str, body: &Value) -> Answer {
    ask(client, "PATCH", path, None, Some(body)).await
}

/// DELETE below `/api/v1`.
async fn delete(client: &Client, path: &str) -> Answer {
    ask(client, "DELETE", path, None, None).await
}

/// Version and status.
async fn state(client: &Client, path: &str) -> (u64, String) {
    let now = client.get(path).await.ok();
    let status = now["status"].as_str().expect("a status").to_owned();
    (now["version"].as_u64().expect("a version"), status)
}

#[tokio::test]
async fn one_is_stored_shown_changed_and_deleted() {
    let client = Client::new().await;
    let body = template("rdma-16-hosts");
    let answer = client.post("/configurations", &body).await;
    let new = answer.is(201);
    assert_eq!(answer.headers["etag"], "\"1\"");
    assert_eq!(
        (&new["status"], &new["version"], &new["componentCount"]),
        (&json!("draft"), &json!(1), &json!(4))
    );
    assert_eq!(new["workspaceId"], crate::id::DEFAULT_WORKSPACE);
    assert_eq!(new["createdAt"], new["modifiedAt"]);
    assert_eq!(
        (&new["activeTraceset"], &new["activeMappingFile"]),
        (&Value::Null, &Value::Null)
    );
    for part in [
        "name",
        "components",
        "containers",
        "applications",
        "topology",
        "globalParameters",
    ] {
        assert!(new[part] != Value::Null, "{part}");
    }
    let path = format!("/configurations/{}", new["id"].as_str().expect("an id"));
    let answer = client.get(&path).await;
    assert_eq!(
        (answer.ok(), answer.headers["etag"].to_str().ok()),
        (new, Some("\"1\""))
    );

    let change = json!({"name": "Sixteen", "globalParameters": {}});
    let answer = ask(&client, "PATCH", &path, Some("\"1\""), Some(&change)).await;
    let changed = answer.ok();
    assert_eq!(answer.headers["etag"], "\"2\"");
    assert_eq!(
        (&changed["name"], &changed["version"]),
        (&json!("Sixteen"), &json!(2))
    );
    assert_eq!(changed["globalParameters"], json!({}));
    assert_eq!(changed["applications"].as_array().map(Vec::len), Some(1));

    assert_eq!(delete(&client, &path).await.status, 204);
    for answer in [client.get(&path).await, delete(&client, &path).await] {
        answer.fails(404, "NOT_FOUND");
    }
    ask(&client, "PATCH", &path, Some("*"), Some(&change))
        .await
        .fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn bodies_that_are_no_document_are_refused_with_the_place() {
    let client = Client::new().await;
    for key in [
        "name",
        "components",
        "containers",
        "applications",
        "links",
        "topology",
        "globalParameters",
    ] {
        let mut body = template("rdma-16-hosts");
        body.as_object_mut().expect("an object").remove(key);
        let message = client
            .post("/configurations", &body)
            .await
            .fails(400, "VALIDATION_ERROR");
        assert!(message.contains(key), "{message}");
    }
    for (key, value) in [
        ("activeMappingFile", json!({"id": "x"})),
        ("activeTraceset", json!({"id": "ts_x"})),
        ("workspaceId", json!("ws_1")),
        ("components", json!({})),
        ("colour", json!("red")),
    ] {
        let mut body = template("rdma-16-hosts");
        body[key] = value;
        let message = client
            .post("/configurations", &body)
            .await
            .fails(400, "VALIDATION_ERROR");
        assert!(message.contains(key), "{key}: {message}");
    }
    let mut body = template("rdma-16-hosts");
    body["activeMappingFile"] = Value::Null;
    body["activeTraceset"] = Value::Null;
    client.post("/configurations", &body).await.is(201);
    body["workspaceId"] = json!(Kind::Workspace.new_id());
    client
        .post("/configurations", &body)
        .await
        .fails(404, "NOT_FOUND");
    client
        .post("/configurations", &json!([1]))
        .await
        .fails(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn patches_need_a_version_and_something_in_them() {
    let client = Client::new().await;
    let path = stored(&client, &template("rdma-one-rack")).await;
    let name = json!({"name": "Other"});
    let message = patch(&client, &path, &name).await.fails(400, "VALIDATION_ERROR");
    assert!(
        message.contains("If-Match") && message.contains("\"1\""),
        "{message}"
    );
    for wrong in [
        json!({}),
        json!({"name": null}),
        json!([]),
        json!({"status": "validated"}),
        json!({"activeMappingFile": null}),
        json!({"topology": 5}),
        json!({"activeTraceset": {"id": "x"}}),
    ] {
        let answer = ask(&client, "PATCH", &path, Some("*"), Some(&wrong)).await;
        answer.fails(400, "VALIDATION_ERROR");
    }
    assert_eq!(state(&client, &path).await, (1, "draft".to_owned()));
    for version in ["\"1\"", "\"v2\"", "*"] {
        ask(&client, "PATCH", &path, Some(version), Some(&name))
            .await
            .ok();
    }
    let stale = ask(&client, "PATCH", &path, Some("\"3\""), Some(&name)).await;
    stale.fails(412, "PRECONDITION_FAILED");
    assert_eq!(state(&client, &path).await.0, 4);
}

#[tokio::test]
async fn validating_says_what_is_wrong_and_edits_make_a_draft() {
    let client = Client::new().await;
    let path = stored(&client, &template("rdma-16-hosts")).await;
    let verdict = client.post(&format!("{path}/validate"), &json!({})).await.ok();
    assert_eq!(
        (&verdict["valid"], &verdict["status"]),
        (&json!(true), &json!("valid"))
    );
    assert_eq!(verdict["errors"], json!([]));
    let document = packetloom_config::template::document("rdma-16-hosts").expect("a template");
    let warnings = packetloom_config::validate(&document).expect("valid").warnings;
    let told: Vec<Value> = warnings
        .iter()
        .map(|message| {
            json!({"severity": "warning", "code": "CONSTRAINT_VIOLATION", "message": message,
                "path": null, "component": null, "parameter": null})
        })
        .collect();
    assert_eq!(verdict["warnings"], json!(told));
    let info = &verdict["info"][0];
    assert_eq!(
        (&info["severity"], &info["code"]),
        (&json!("info"), &json!("PREPROCESSOR_VALIDATION_NOTE"))
    );
    let message = info["message"].as_str().expect("text");
    assert!(message.contains("16 hosts"), "{message}");
    // No new version.
    assert_eq!(state(&client, &path).await, (1, "validated".to_owned()));

    // A negative run time is none.
    let wrong =
        json!({"globalParameters": {"SimulationParameters": {"RunTime": {"type": "double", "value": -1}}}});
    ask(&client, "PATCH", &path, Some("\"1\""), Some(&wrong))
        .await
        .ok();
    assert_eq!(state(&client, &path).await, (2, "draft".to_owned()));
    let verdict = client.post(&format!("{path}/validate"), &json!({})).await.ok();
    assert_eq!(
        (&verdict["valid"], &verdict["status"], &verdict["info"]),
        (&json!(false), &json!("error"), &json!([]))
    );
    let error = &verdict["errors"][0];
    assert_eq!(error["path"], "$.globalParameters.SimulationParameters.RunTime");
    assert_eq!(error["parameter"], "SimulationParameters.RunTime");
    assert_eq!(
        (&error["severity"], &error["code"], &error["component"]),
        (&json!("error"), &json!("CONSTRAINT_VIOLATION"), &Value::Null)
    );
    assert_eq!(state(&client, &path).await, (2, "invalid".to_owned()));

    // Each version keeps how it stood.
    for (version, status) in [(1, "validated"), (2, "invalid")] {
        let old = client.get(&format!("{path}/versions/{version}")).await.ok();
        assert_eq!(
            (&old["version"], &old["status"]),
            (&json!(version), &json!(status))
        );
        assert!(old["createdAt"].is_string() && old["topology"].is_object());
    }
    let versions = client.get(&format!("{path}/versions")).await.ok();
    let numbers: Vec<_> = versions["versions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|v| v["version"].as_u64())
        .collect();
    assert_eq!(numbers, [Some(2), Some(1)]);
    for gone in ["0", "3", "-1"] {
        client
            .get(&format!("{path}/versions/{gone}"))
            .await
            .fails(404, "NOT_FOUND");
    }
    client
        .get(&format!("{path}/versions/first"))
        .await
        .fails(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn every_endpoint_of_a_configuration_that_is_not_there_is_a_404() {
    let client = Client::new().await;
    let reference = json!({"name": "x", "type": "switch"});
    let (count, leaf) = (json!({"count": 1}), json!({"X": {"type": "uint", "value": 1}}));
    let share = json!({"parentApplication": "a", "distributionId": "b", "value": 0.5});
    let new = "?modelId=ScalaSwitch&type=switch&name=x";
    let all: Vec<(&str, String, Option<&Value>)> = vec![
        ("GET", "/applications".into(), None),
        (
            "POST",
            "/applications?modelId=ScalaRdmaApplication&name=x".into(),
            None,
        ),
        ("DELETE", "/applications/x".into(), None),
        ("PATCH", "/applications/x/parameters".into(), Some(&leaf)),
        ("GET", "/components".into(), None),
        ("POST", format!("/components{new}"), None),
        ("DELETE", "/components/x".into(), None),
        ("PATCH", "/components/x/parameters".into(), Some(&leaf)),
        ("PATCH", "/configurations/x".into(), Some(&reference)),
        ("PATCH", "/configurations/x/components/y".into(), Some(&count)),
        ("DELETE", "/configurations/x/components/y".into(), None),
        ("GET", "/containers".into(), None),
        ("PATCH", "/containers/x".into(), Some(&reference)),
        ("GET", "/containers/x/allowed".into(), None),
        ("PATCH", "/containers/x/components/y".into(), Some(&count)),
        ("DELETE", "/containers/x/components/y".into(), None),
        ("PATCH", "/distribution".into(), Some(&share)),
        ("GET", "/links".into(), None),
        ("PATCH", "/links/x/parameters".into(), Some(&leaf)),
        ("PATCH", "/parameters".into(), Some(&leaf)),
        ("GET", "/software-version".into(), None),
        ("PATCH", "/topology".into(), Some(&reference)),
        ("PATCH", "/topology/x".into(), Some(&count)),
        ("DELETE", "/topology/x".into(), None),
        ("GET", "/traceset".into(), None),
        ("PATCH", "/traceset".into(), Some(&leaf)),
        ("POST", "/validate".into(), None),
        ("GET", "/versions".into(), None),
        ("GET", "/versions/1".into(), None),
    ];
    // Nobody has the first; the others are none.
    for id in [Kind::Configuration.new_id().as_str(), "cfg_1", "config_"] {
        for (method, rest, body) in &all {
            let answer = ask(
                &client,
                method,
                &format!("/configurations/{id}{rest}"),
                None,
                *body,
            )
            .await;
            assert_eq!(answer.status, 404, "{method} {id}{rest}");
            answer.fails(404, "NOT_FOUND");
        }
    }
    // There are no traces, of no configuration.
    let path = stored(&client, &template("rdma-one-rack")).await;
    client
        .get(&format!("{path}/traceset"))
        .await
        .fails(404, "NOT_FOUND");
    patch(
        &client,
        &format!("{path}/traceset"),
        &json!({"tracesetId": "ts_1"}),
    )
    .await
    .fails(404, "NOT_FOUND");
}

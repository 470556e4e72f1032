//! Every endpoint of workspaces.

use super::*;
use crate::api::client::Client;
use serde_json::{Value, json};

fn names(body: &Value) -> Vec<&str> {
    let workspaces = body["workspaces"].as_array().expect("a list");
    workspaces.iter().filter_map(|one| one["name"].as_str()).collect()
}

async fn made(client: &Client, name: &str, description: &str) -> String {
    let body = json!({"name": name, "description": description});
    let new = client.post("/workspaces", &body).await.is(201);
    new["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn the_default_workspace_is_there_and_stays() {
    let client = Client::new().await;
    let path = format!("/workspaces/{DEFAULT_WORKSPACE}");
    let default = client.get(&path).await.ok();
    assert_eq!(
        (&default["name"], &default["owner"]),
        (&json!("Default"), &json!("system"))
    );
    let delete = client.ask("DELETE", &format!("/api/v1{path}"), &[], None).await;
    delete.fails(409, "CONFLICT");
    client.get(&path).await.ok();
}

#[tokio::test]
async fn a_workspace_is_made_renamed_and_deleted_with_what_it_holds() {
    let client = Client::new().await;
    let answer = client.post("/workspaces", &json!({"name": "Lab"})).await;
    let new = answer.is(201);
    assert_eq!(answer.headers["etag"], "\"1\"");
    assert_eq!(
        (&new["description"], &new["owner"]),
        (&json!(""), &json!("anonymous"))
    );
    let stats = json!({"activeSimulations": 0, "configurationCount": 0, "simulationCount": 0});
    assert_eq!(new["stats"], stats);
    let id = new["id"].as_str().expect("an id");
    let path = format!("/api/v1/workspaces/{id}");

    let text = packetloom_config::template::text("rdma-one-rack").expect("a template");
    let mut body: Value = serde_json::from_str(text).expect("JSON");
    body["workspaceId"] = json!(id);
    let stored = client.post("/configurations", &body).await.is(201);
    assert_eq!(
        client.get(&format!("/workspaces/{id}")).await.ok()["stats"]["configurationCount"],
        1
    );

    let patch = json!({"name": "Lab 2", "description": "the second"});
    let answer = client
        .ask("PATCH", &path, &[("if-match", "\"1\"")], Some(&patch))
        .await;
    assert_eq!(answer.ok()["name"], "Lab 2");
    assert_eq!(answer.headers["etag"], "\"2\"");
    // Two clients that edit one version: the second write is refused.
    let stale = client
        .ask("PATCH", &path, &[("if-match", "\"1\"")], Some(&patch))
        .await;
    stale.fails(412, "PRECONDITION_FAILED");
    let free = client
        .ask("PATCH", &path, &[], Some(&json!({"name": "Lab 3"})))
        .await
        .ok();
    assert_eq!(free["description"], "the second");
    client
        .ask("PATCH", &path, &[], Some(&json!({})))
        .await
        .fails(400, "VALIDATION_ERROR");

    let gone = client.ask("DELETE", &path, &[], None).await.is(202);
    assert_eq!(gone, json!({"id": id, "status": "deleting"}));
    client
        .get(&format!("/workspaces/{id}"))
        .await
        .fails(404, "NOT_FOUND");
    client
        .ask("DELETE", &path, &[], None)
        .await
        .fails(404, "NOT_FOUND");
    client
        .ask("PATCH", &path, &[], Some(&patch))
        .await
        .fails(404, "NOT_FOUND");
    let configuration = stored["id"].as_str().expect("an id");
    client
        .get(&format!("/configurations/{configuration}"))
        .await
        .fails(404, "NOT_FOUND");
}

async fn simulation(client: &Client, workspace: &str, id: &str, status: &str) {
    sqlx::query("INSERT INTO simulations (id, workspace_id, configuration_id, configuration_version, name, status, duration, created_at, simulated_ps, stop_ps, events, packet_hops, search_text) VALUES ($1, $2, 'config', 1, 'a', $3, '1ms', 0, 0, 0, 0, 0, 'a')")
        .bind(id)
        .bind(workspace)
        .bind(status)
        .execute(client.app.store.pool())
        .await
        .expect("inserted");
}

#[tokio::test]
async fn simulations_are_counted_ended_and_removed_with_the_workspace() {
    let client = Client::new().await;
    let id = made(&client, "Lab", "").await;
    let ended = Kind::Simulation.new_id();
    let waiting = Kind::Simulation.new_id();
    simulation(&client, &id, &ended, "completed").await;
    simulation(&client, &id, &waiting, "provisioning").await;
    let elsewhere = Kind::Simulation.new_id();
    simulation(&client, DEFAULT_WORKSPACE, &elsewhere, "completed").await;
    let folder = client.app.results.of(&ended);
    std::fs::create_dir_all(&folder).expect("made");
    std::fs::write(folder.join("summary.json"), "{}").expect("written");
    let stats = json!({"activeSimulations": 1, "configurationCount": 0, "simulationCount": 2});
    let path = format!("/workspaces/{id}");
    assert_eq!(client.get(&path).await.ok()["stats"], stats);
    client
        .ask("DELETE", &format!("/api/v1{path}"), &[], None)
        .await
        .is(202);
    assert!(!folder.exists());
    client.get(&path).await.fails(404, "NOT_FOUND");
    assert!(
        client
            .app
            .store
            .simulations_in(&id)
            .await
            .expect("listed")
            .is_empty()
    );
    let others = client.app.store.simulations_in(DEFAULT_WORKSPACE).await;
    assert_eq!(others.expect("listed"), [elsewhere]);
}

#[tokio::test]
async fn a_workspace_that_goes_is_gone_for_all_and_goes_when_what_runs_in_it_has_ended() {
    let client = Client::new().await;
    let id = made(&client, "Lab", "").await;
    let running = Kind::Simulation.new_id();
    simulation(&client, &id, &running, "running").await;
    let path = format!("/workspaces/{id}");
    let delete = || async { client.ask("DELETE", &format!("/api/v1{path}"), &[], None).await };
    delete().await.is(202);
    // Nobody finds it any more, or puts anything in.
    client.get(&path).await.fails(404, "NOT_FOUND");
    delete().await.fails(404, "NOT_FOUND");
    assert_eq!(names(&client.get("/workspaces").await.ok()), ["Default"]);
    let template = client.get("/templates").await.ok()["templates"][0]["id"].clone();
    let clone = format!("/templates/{}/clone", template.as_str().expect("an id"));
    let late = json!({"name": "late", "workspaceId": id});
    client.post(&clone, &late).await.fails(404, "NOT_FOUND");
    assert_eq!(
        client.app.store.deletions().await.expect("asked"),
        std::slice::from_ref(&id)
    );
    sqlx::query("UPDATE simulations SET status = 'terminated' WHERE id = $1")
        .bind(&running)
        .execute(client.app.store.pool())
        .await
        .expect("changed");
    // It is looked for ten times a second.
    for _ in 0..300 {
        if client.app.store.deletions().await.expect("asked").is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the workspace is still there");
}

#[tokio::test]
async fn lists_are_filtered_and_come_in_pages() {
    let client = Client::new().await;
    for number in 0..4 {
        made(&client, &format!("Lab {number}"), "for THE rack").await;
    }
    assert_eq!(names(&client.get("/workspaces").await.ok()).len(), 5);
    assert_eq!(
        names(&client.get("/workspaces?search=the%20RACK").await.ok()).len(),
        4
    );
    assert_eq!(
        names(&client.get("/workspaces?search=lab%202").await.ok()),
        ["Lab 2"]
    );
    assert_eq!(
        names(&client.get("/workspaces?owner=system").await.ok()),
        ["Default"]
    );
    assert_eq!(
        names(&client.get("/workspaces?owner=x'%20OR%20'1'='1").await.ok()).len(),
        0
    );
    for (query, count) in [
        ("createdAfter=2020-01-01", 5),
        ("createdBefore=2020-01-01", 0),
        ("modifiedAfter=2020-01-01T00:00:00Z", 5),
        ("modifiedBefore=2020-01-01", 0),
        ("createdAfter=2999-01-01", 0),
    ] {
        let found = client.get(&format!("/workspaces?{query}")).await.ok();
        assert_eq!(names(&found).len(), count, "{query}");
    }
    // The bounds themselves: from then on, and before then.
    let default = client.get(&format!("/workspaces/{DEFAULT_WORKSPACE}")).await.ok();
    let at = default["createdAt"].as_str().expect("a time");
    let from = client
        .get(&format!(
            "/workspaces?owner=system&createdAfter={at}&modifiedAfter={at}"
        ))
        .await
        .ok();
    assert_eq!(names(&from).len(), 1);
    let before = client
        .get(&format!("/workspaces?owner=system&createdBefore={at}"))
        .await
        .ok();
    assert_eq!(names(&before).len(), 0);
    for wrong in ["createdAfter=yesterday", "limit=0", "next=zz", "search="] {
        let answer = client.get(&format!("/workspaces?{wrong}")).await;
        if wrong == "search=" {
            answer.ok();
        } else {
            answer.fails(400, "VALIDATION_ERROR");
        }
    }
    let mut seen = Vec::new();
    let mut next = String::new();
    loop {
        let page = client.get(&format!("/workspaces?limit=2{next}")).await.ok();
        seen.extend(names(&page).into_iter().map(str::to_owned));
        match page["pagination"]["nextCursor"].as_str() {
            Some(cursor) => next = format!("&next={cursor}"),
            None => break,
        }
    }
    seen.sort();
    assert_eq!(seen, ["Default", "Lab 0", "Lab 1", "Lab 2", "Lab 3"]);
}

#[tokio::test]
async fn a_project_elsewhere_is_set_once() {
    let client = Client::new().await;
    let id = made(&client, "Lab", "").await;
    let path = format!("/workspaces/{id}/legacy-project");
    let uuid = "550e8400-e29b-41d4-a716-446655440000";
    let first = client.post(&path, &json!({"legacyProjectId": uuid})).await.ok();
    assert_eq!(
        first,
        json!({"created": true, "legacyProjectId": uuid, "workspaceId": id})
    );
    let again = json!({"legacyProjectId": uuid.to_uppercase()});
    let again = client.post(&path, &again).await.ok();
    assert_eq!(
        again,
        json!({"created": false, "legacyProjectId": uuid, "workspaceId": id})
    );
    let other = json!({"legacyProjectId": "550e8400-e29b-41d4-a716-446655440001"});
    client.post(&path, &other).await.fails(409, "CONFLICT");
    for wrong in [
        "",
        "550e8400",
        "550e8400-e29b-41d4-a716-44665544000g",
        "550e8400e29b41d4a716446655440000",
    ] {
        let message = client
            .post(&path, &json!({"legacyProjectId": wrong}))
            .await
            .fails(400, "VALIDATION_ERROR");
        assert!(message.starts_with("legacyProjectId"), "{message}");
    }
    let elsewhere = format!("/workspaces/{}/legacy-project", Kind::Workspace.new_id());
    client.post(&elsewhere, &other).await.fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn names_that_cannot_be_are_refused() {
    let client = Client::new().await;
    for (key, wrong) in [
        ("name", json!("")),
        ("name", json!("  ")),
        ("name", json!("a\nb")),
        ("name", json!("x".repeat(201))),
        ("description", json!("x".repeat(2_001))),
        ("description", json!("\u{0}")),
        ("owner", json!("me")),
    ] {
        let mut body = json!({"name": "Lab"});
        body[key] = wrong;
        let message = client
            .post("/workspaces", &body)
            .await
            .fails(400, "VALIDATION_ERROR");
        assert!(message.contains(key), "{message}");
    }
    let longest = json!({"name": "ü".repeat(200), "description": "x".repeat(2_000)});
    client.post("/workspaces", &longest).await.is(201);
    for id in ["ws_abc123", "workspace_", &Kind::Workspace.new_id()] {
        client
            .get(&format!("/workspaces/{id}"))
            .await
            .fails(404, "NOT_FOUND");
    }
}

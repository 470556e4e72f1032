//! Simulations on a server, from their beginning to every end they may have.

use crate::lab::{Lab, document};
use crate::server_ends::{LONG, are_whole};
use crate::server_lab::{Server, folder};
use serde_json::{Value, json};
use std::fs;

/// A record without what a clock has written into it.
fn timeless(text: &str) -> Vec<String> {
    let header: Vec<&str> = text.lines().next().unwrap_or_default().split(',').collect();
    let clock = header.iter().position(|column| *column == "time_utc");
    let rows = text.lines().map(|line| {
        let cells = line.split(',').enumerate().filter(|(at, _)| Some(*at) != clock);
        cells.map(|(_, cell)| cell).collect::<Vec<_>>().join(",")
    });
    rows.collect()
}

#[test]
fn a_simulation_leaves_what_the_same_run_leaves() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let configuration = server.configuration();
    let sim = server.submit(&configuration, "four-hosts", "100us");
    let details = server.wait(&sim, &["completed", "failed"]);
    assert_eq!(details["status"], "completed", "{details}");
    assert_eq!(details["metrics"]["progress"], 1.0);
    assert!(
        details["startedAt"].is_string() && details["completedAt"].is_string(),
        "{details}"
    );

    let lab = Lab::with(&document());
    let run = [
        "run",
        "fabric.json",
        "--name",
        "four-hosts",
        "--out",
        "out",
        "--set",
        "SimulationParameters.RunTime=0.0001",
        "-q",
    ];
    lab.packetloom(&run).succeeded();
    let records: Vec<String> = lab
        .listing("out")
        .into_iter()
        // The document has a name of its own there.
        .filter(|name| !name.contains("cpu-mem") && !name.ends_with("-configuration.json"))
        .collect();
    assert!(records.len() > 5, "{records:?}");
    for name in records {
        let here = fs::read_to_string(server.results(&sim).join(&name)).expect(&name);
        let there = lab.read(&format!("out/{name}"));
        assert_eq!(timeless(&here), timeless(&there), "{name}");
    }

    // What it was and what it came to lies beside them, and so does its log.
    let written: Value =
        serde_json::from_slice(&fs::read(server.results(&sim).join("configuration.json")).expect("there"))
            .expect("JSON");
    assert_eq!(
        written["globalParameters"]["SimulationParameters"]["RunTime"]["value"],
        0.0001
    );
    let logs = server.get(&format!("/simulations/{sim}/logs"));
    assert!(
        logs["logs"][0]["message"]
            .as_str()
            .expect("text")
            .contains("4 hosts"),
        "{logs}"
    );
    let first = server.get(&format!("/simulations/{sim}/logs?limit=1"));
    assert_eq!(first["logs"], json!([logs["logs"][0]]));
    let next = first["pagination"]["nextCursor"].as_str().expect("more");
    let second = server.get(&format!("/simulations/{sim}/logs?limit=1&next={next}"));
    assert_eq!(second["logs"], json!([logs["logs"][1]]));
    assert_eq!(
        server.get(&format!("/simulations/{sim}/logs?level=error"))["logs"],
        json!([])
    );
    let own = server.get(&format!("/simulations/{sim}/logs?component=simulation"));
    assert!(
        own["logs"]
            .as_array()
            .expect("a list")
            .iter()
            .all(|line| line["component"] == "simulation")
    );

    // It has ended, and can go.
    server
        .call("POST", &format!("/simulations/{sim}/terminate"), None)
        .failed(409, "CONFLICT");
    let gone = server.call("DELETE", &format!("/simulations/{sim}"), None).ok();
    assert_eq!(gone["status"], "deleted");
    assert!(!server.results(&sim).exists());
    server
        .call("GET", &format!("/simulations/{sim}"), None)
        .failed(404, "NOT_FOUND");
    server
        .call("DELETE", &format!("/simulations/{sim}"), None)
        .failed(404, "NOT_FOUND");
}

#[test]
fn the_events_of_a_simulation_tell_its_way_and_end_with_it() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let configuration = server.configuration();
    let first = server.submit(&configuration, "first", "5ms");
    let sim = server.submit(&configuration, "second", "100us");
    // The answer ends when the simulation does.
    let answer = server.call("GET", &format!("/simulations/{sim}/events"), None);
    assert!(answer.headers.contains("text/event-stream"), "{}", answer.headers);
    let text = answer.text();
    let mut statuses: Vec<String> = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let details: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(details["id"], sim.as_str());
        statuses.push(details["status"].as_str().expect("text").to_owned());
    }
    statuses.dedup();
    let way = ["validating", "provisioning", "running", "completed"];
    let mut places = statuses
        .iter()
        .map(|status| way.iter().position(|step| step == status).expect(status));
    let mut before = places.next().expect("one");
    for place in places {
        assert!(place > before, "{statuses:?}");
        before = place;
    }
    assert_eq!(statuses.last().map(String::as_str), Some("completed"), "{text}");
    // One at a time, those asked for first first.
    let ended = |sim: &str, key: &str| {
        server.wait(sim, &["completed"])[key]
            .as_str()
            .expect("a time")
            .to_owned()
    };
    assert!(ended(&first, "completedAt") <= ended(&sim, "startedAt"));
}

#[test]
fn a_terminated_simulation_keeps_what_it_has() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let configuration = server.configuration();
    let running = server.submit(&configuration, "long", LONG);
    let waiting = server.submit(&configuration, "later", LONG);
    server.wait(&running, &["running"]);
    server.wait_for_progress(&running);
    server
        .call("DELETE", &format!("/simulations/{running}"), None)
        .failed(409, "CONFLICT");
    // One that waits does not run at all.
    server.wait(&waiting, &["provisioning"]);
    let ended = server
        .call("POST", &format!("/simulations/{waiting}/terminate"), None)
        .ok();
    assert_eq!(ended["status"], "terminated");
    assert!(
        ended["startedAt"].is_null() && !server.results(&waiting).exists(),
        "{ended}"
    );
    server
        .call("GET", &format!("/simulations/{waiting}/results"), None)
        .failed(404, "NOT_FOUND");

    server
        .call("POST", &format!("/simulations/{running}/terminate"), None)
        .ok();
    let details = server.wait(&running, &["terminated", "failed", "completed"]);
    assert_eq!(details["status"], "terminated", "{details}");
    let progress = details["metrics"]["progress"].as_f64().expect("a number");
    assert!(progress > 0.0 && progress < 1.0, "{details}");
    let summary = are_whole(&server.results(&running));
    assert_eq!(summary["state"], "interrupted");
    assert!(
        server.get(&format!("/simulations/{running}/results"))["files"]
            .as_array()
            .expect("a list")
            .len()
            > 5
    );
}

#[test]
fn without_slots_all_wait() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0"]);
    let configuration = server.configuration();
    let sims: Vec<String> = (0..3)
        .map(|n| server.submit(&configuration, &format!("s{n}"), "100us"))
        .collect();
    for sim in &sims {
        server.wait(sim, &["provisioning"]);
    }
    assert!(server.stop().success());
    // They are still there, and run once somebody has room for them.
    let server = Server::start(data.path(), &["--jobs", "2"]);
    for sim in &sims {
        server.wait(sim, &["completed"]);
    }
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0"]);
    let configuration = server.configuration();
    let ask = |change: Value| {
        let mut body = json!({"configurationId": configuration, "name": "x", "duration": "1ms"});
        for (key, value) in change.as_object().expect("an object") {
            body[key] = value.clone();
        }
        server.call("POST", "/simulations", Some(&body))
    };
    for name in ["", "-x", "_x", "a b", "a.b", "é", "a/b", &"x".repeat(256)] {
        ask(json!({"name": name})).failed(400, "VALIDATION_ERROR");
    }
    for duration in ["", "0s", "60", "-1s", "a day", "1e400s"] {
        ask(json!({"duration": duration})).failed(400, "VALIDATION_ERROR");
    }
    ask(json!({"workspaceId": "nonsense"})).failed(400, "VALIDATION_ERROR");
    ask(json!({"workspaceId": "workspace_111111111111111111111111111"})).failed(404, "NOT_FOUND");
    ask(json!({"configurationId": "config_111111111111111111111111111"})).failed(404, "NOT_FOUND");
    ask(json!({"configurationVersion": 9})).failed(404, "NOT_FOUND");
    let checkpoints = json!({"checkpointing": {"enabled": true, "interval": "10m"}});
    assert!(
        ask(checkpoints)
            .failed(422, "UNPROCESSABLE_ENTITY")
            .contains("checkpointing")
    );
    assert_eq!(ask(json!({"checkpointing": {"enabled": false}})).status, 201);
    assert_eq!(ask(json!({"name": "x".repeat(255)})).status, 201);
    // An edit makes a draft, which has to be validated again.
    let path = format!("/configurations/{configuration}/parameters");
    let run_time = json!({"SimulationParameters": {"RunTime": {"type": "double", "value": 0.002}}});
    server.call("PATCH", &path, Some(&run_time)).ok();
    assert!(
        ask(json!({}))
            .failed(422, "UNPROCESSABLE_ENTITY")
            .contains("draft")
    );
    // The version before is still what it was.
    assert_eq!(ask(json!({"configurationVersion": 1})).status, 201);
}

#[test]
fn no_more_than_a_thousand_wait() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0"]);
    let configuration = server.configuration();
    let body = json!({"configurationId": configuration, "name": "x", "duration": "1ms"});
    for _ in 0..1_000 {
        assert_eq!(server.call("POST", "/simulations", Some(&body)).status, 201);
    }
    let message = server
        .call("POST", "/simulations", Some(&body))
        .failed(503, "SERVICE_UNAVAILABLE");
    assert!(message.contains("1000"), "{message}");
    let one = server.get("/simulations?limit=1")["simulations"][0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    server.call("DELETE", &format!("/simulations/{one}"), None).ok();
    assert_eq!(server.call("POST", "/simulations", Some(&body)).status, 201);
}

#[test]
fn documents_read_no_files_of_the_machine() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let template = server.get("/templates?search=tcp-16-hosts")["templates"][0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let id = server.post(&format!("/templates/{template}/clone"), &json!({"name": "files"}))["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let sizes = |file: &str| {
        let patch = json!({
            "ReplySizeDistribution": {"type": "string", "value": "empirical"},
            "ReplySizeFile": {"type": "string", "value": file},
        });
        server
            .call(
                "PATCH",
                &format!("/configurations/{id}/applications/Tcp/parameters"),
                Some(&patch),
            )
            .ok();
        server.post(&format!("/configurations/{id}/validate"), &json!({}))
    };
    for outside in ["/etc/passwd", "../packetloom.db", "a/../../token"] {
        let verdict = sizes(outside);
        assert_eq!(verdict["valid"], false, "{verdict}");
        let error = &verdict["errors"][0];
        assert_eq!(error["path"], "$.applications[0].typedParameters.ReplySizeFile");
        assert!(
            error["message"]
                .as_str()
                .expect("text")
                .contains("out of the server"),
            "{error}"
        );
        assert!(!verdict.to_string().contains("root:"), "{verdict}");
    }
    fs::write(data.path().join("data/files/sizes.cdf"), "1000 0.5\n2000 1\n").expect("written");
    let verdict = sizes("sizes.cdf");
    assert_eq!(verdict["valid"], true, "{verdict}");
    let sim = server.submit(&id, "files", "1ms");
    let details = server.wait(&sim, &["completed", "failed"]);
    assert_eq!(details["status"], "completed", "{details}");
}

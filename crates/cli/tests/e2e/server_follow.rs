//! Following simulations on a server: lists, logs, and events as they happen.

use crate::server_ends::LONG;
use crate::server_lab::{Server, folder};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Opens a stream of events; what is told on it comes when it has ended.
#[track_caller]
fn listen(server: &Server, path: &str) -> JoinHandle<Vec<Value>> {
    let mut stream = TcpStream::connect(&server.address).expect("connected");
    let patience = Some(Duration::from_secs(120));
    stream.set_read_timeout(patience).expect("a timeout");
    let request = format!(
        "GET /api/v1{path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
        server.address, server.token
    );
    stream.write_all(request.as_bytes()).expect("written");
    // Once its head has come the server listens, too.
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).expect("a head");
        head.extend(byte);
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    assert!(
        head.contains(" 200 ") && head.contains("text/event-stream"),
        "{head}"
    );
    thread::spawn(move || {
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("its end");
        text.lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    })
}

/// What a simulation stood as, each change once.
fn statuses(told: &[Value], sim: &str) -> Vec<String> {
    let of_it = told.iter().filter(|details| details["id"] == sim);
    let mut statuses: Vec<String> = of_it
        .map(|details| details["status"].as_str().expect("text").to_owned())
        .collect();
    statuses.dedup();
    statuses
}

#[test]
fn a_stream_ends_when_its_simulation_does_not_run_any_more() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0"]);
    let configuration = server.configuration();
    let sims = ["ended", "deleted"].map(|name| server.submit(&configuration, name, "1ms"));
    for sim in &sims {
        server.wait(sim, &["provisioning"]);
    }
    let [ended, deleted] = sims
        .each_ref()
        .map(|sim| listen(&server, &format!("/simulations/{sim}/events")));
    server.post(&format!("/simulations/{}/terminate", sims[0]), &json!({}));
    server
        .call("DELETE", &format!("/simulations/{}", sims[1]), None)
        .ok();
    let told = ended.join().expect("told");
    assert_eq!(statuses(&told, &sims[0]), ["provisioning", "terminated"]);
    // The one that is gone says no more.
    let told = deleted.join().expect("told");
    assert_eq!(statuses(&told, &sims[1]), ["provisioning"]);
    // One that has ended is told of once.
    let told = listen(&server, &format!("/simulations/{}/events", sims[0])).join();
    assert_eq!(
        statuses(&told.expect("told"), &sims[0]),
        ["terminated"],
        "of one that has ended"
    );
}

#[test]
fn who_listens_to_all_hears_of_all_and_does_not_hold_the_server() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let configuration = server.configuration();
    let all = listen(&server, "/events");
    let short = server.submit(&configuration, "short", "100us");
    let long = server.submit(&configuration, "long", LONG);
    let one = listen(&server, &format!("/simulations/{long}/events"));
    server.wait(&short, &["completed"]);
    server.wait(&long, &["running"]);
    server.wait_for_progress(&long);
    assert!(server.stop().success());
    let told = all.join().expect("told");
    let way = ["validating", "provisioning", "running", "completed"];
    let went = statuses(&told, &short);
    let places: Vec<usize> = went
        .iter()
        .map(|status| way.iter().position(|step| step == status).expect(status))
        .collect();
    assert!(
        places.is_sorted() && went.ends_with(&["completed".to_owned()]),
        "{went:?}"
    );
    for told in [&told, &one.join().expect("told")] {
        assert!(statuses(told, &long).contains(&"running".to_owned()), "{told:?}");
    }
    // It waits for requests in progress, but none is endless.
    let log = fs::read_to_string(data.path().join("log")).expect("a log");
    assert!(!log.contains("closed in the middle"), "{log}");
}

/// Names of the simulations in a list.
#[track_caller]
fn listed(server: &Server, query: &str) -> Vec<String> {
    let list = server.get(&format!("/simulations{query}"));
    let simulations = list["simulations"].as_array().expect("a list").clone();
    assert_eq!(list["pagination"]["count"], simulations.len());
    let names = simulations
        .iter()
        .map(|item| item["name"].as_str().expect("text"));
    names.map(str::to_owned).collect()
}

#[test]
fn lists_give_what_is_asked_for_in_order() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0"]);
    let configuration = server.configuration();
    let sims = ["beta", "alpha", "gamma_Alpha"].map(|name| {
        // Times are told in milliseconds.
        thread::sleep(Duration::from_millis(2));
        server.submit(&configuration, name, "1ms")
    });
    for sim in &sims {
        server.wait(sim, &["provisioning"]);
    }
    server.post(&format!("/simulations/{}/terminate", sims[0]), &json!({}));

    assert_eq!(listed(&server, ""), ["gamma_Alpha", "alpha", "beta"]);
    assert_eq!(
        listed(&server, "?sort=created:asc"),
        ["beta", "alpha", "gamma_Alpha"]
    );
    assert_eq!(
        listed(&server, "?sort=name:asc"),
        ["alpha", "beta", "gamma_Alpha"]
    );
    assert_eq!(listed(&server, "?sort=status:desc")[0], "beta");
    assert_eq!(listed(&server, "?status=terminated"), ["beta"]);
    assert_eq!(listed(&server, "?status=nonsense,terminated,running"), ["beta"]);
    assert!(listed(&server, "?status=invalid").is_empty());
    assert_eq!(listed(&server, "?search=ALPHA"), ["gamma_Alpha", "alpha"]);
    // What is a wildcard in the database is a letter here.
    assert_eq!(listed(&server, "?search=_"), ["gamma_Alpha"]);
    assert!(listed(&server, "?search=%25").is_empty());
    let created = server.get(&format!("/simulations/{}", sims[0]))["createdAt"].clone();
    let created = created.as_str().expect("a time");
    assert_eq!(listed(&server, &format!("?createdAfter={created}")).len(), 3);
    assert!(listed(&server, &format!("?createdBefore={created}")).is_empty());

    // Pages one after the other are the list.
    for sort in ["created:desc", "name:asc", "status:asc"] {
        let whole = listed(&server, &format!("?sort={sort}"));
        let (mut parts, mut next) = (Vec::new(), String::new());
        loop {
            let query = format!("?sort={sort}&limit=2{next}");
            parts.extend(listed(&server, &query));
            let page = server.get(&format!("/simulations{query}"))["pagination"].clone();
            assert_eq!(page["hasMore"], page["nextCursor"].is_string(), "{page}");
            match page["nextCursor"].as_str() {
                Some(cursor) => next = format!("&next={cursor}"),
                None => break,
            }
        }
        assert_eq!(parts, whole, "{sort}");
        if sort == "created:desc" {
            // A cursor belongs to one order.
            server
                .call("GET", &format!("/simulations?sort=name:asc{next}"), None)
                .failed(400, "VALIDATION_ERROR");
        }
    }
    for query in [
        "limit=0",
        "limit=x",
        "next=nonsense",
        "sort=size:asc",
        "sort=name",
        "sort=name:up",
        "workspaceId=w",
        "createdAfter=yesterday",
        &format!("search={}", "x".repeat(101)),
    ] {
        server
            .call("GET", &format!("/simulations?{query}"), None)
            .failed(400, "VALIDATION_ERROR");
    }
    assert!(listed(&server, "?workspaceId=workspace_111111111111111111111111111").is_empty());
}

#[test]
fn what_is_no_simulation_is_not_found() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0"]);
    for (method, rest) in [
        ("GET", ""),
        ("DELETE", ""),
        ("POST", "/terminate"),
        ("GET", "/logs"),
        ("GET", "/events"),
        ("GET", "/results"),
    ] {
        let ask = |id: &str| server.call(method, &format!("/simulations/{id}{rest}"), None);
        ask("sim_111111111111111111111111111").failed(404, "NOT_FOUND");
        for malformed in ["sim_1", "config_111111111111111111111111111", "x%27%20OR%201=1"] {
            ask(malformed).failed(400, "VALIDATION_ERROR");
        }
    }
}

#[test]
fn the_log_of_one_that_waits_is_empty_and_its_pages_are_its_own() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let configuration = server.configuration();
    let ran = server.submit(&configuration, "ran", "100us");
    server.wait(&ran, &["completed"]);
    let long = server.submit(&configuration, "long", LONG);
    server.wait(&long, &["running"]);
    let waits = server.submit(&configuration, "waits", "100us");
    let empty = server.get(&format!("/simulations/{waits}/logs"));
    assert_eq!(
        empty,
        json!({"logs": [], "pagination": {"count": 0, "hasMore": false}})
    );
    let logs = server.get(&format!("/simulations/{ran}/logs"));
    let times: Vec<&str> = logs["logs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|line| line["timestamp"].as_str().expect("a time"))
        .collect();
    assert!(times.len() >= 2 && times.is_sorted(), "{logs}");
    // At least as grave as what is asked for.
    let lines = |query: &str| {
        let logs = server.get(&format!("/simulations/{ran}/logs{query}"))["logs"].clone();
        logs.as_array().expect("a list").len()
    };
    assert_eq!(lines("?level=debug"), times.len());
    assert!(lines("?level=warning") < lines("?level=info"));
    assert_eq!(lines("?component=nobody"), 0);

    let page = server.get(&format!("/simulations/{ran}/logs?limit=1"));
    let next = page["pagination"]["nextCursor"].as_str().expect("more");
    for path in [
        format!("/simulations/{long}/logs?next={next}"),
        format!("/simulations/{ran}/logs?next=nonsense"),
        format!("/simulations/{ran}/logs?level=loud"),
        format!("/simulations/{ran}/logs?limit=0"),
    ] {
        server.call("GET", &path, None).failed(400, "VALIDATION_ERROR");
    }
}

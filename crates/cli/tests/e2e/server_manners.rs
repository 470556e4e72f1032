//! How a server answers what should not be asked, and those who ask at the same time.

use crate::server_lab::{Server, folder};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What needs no token.
fn open(path: &str) -> bool {
    ["/", "/api/v1/health", "/api/v1/openapi.json", "/docs"].contains(&path)
        || path.starts_with("/page/")
        || path.starts_with("/docs/")
        || path.starts_with("/api/v1/downloads/")
}

#[test]
fn every_route_asks_for_a_token_but_those_on_the_list() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0"]);
    let described = server.ask("GET", "/api/v1/openapi.json", &[], b"").ok();
    let mut tried = 0;
    for (path, item) in described["paths"].as_object().expect("an object") {
        let path = path
            .replace("{sim_id}", "sim_111111111111111111111111111")
            .replace("{*file}", "x")
            .replace(['{', '}'], "");
        for method in ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS"] {
            let answer = server.ask(method, &path, &[], b"");
            let known = item[method.to_lowercase()].is_object();
            if open(&path) && ["GET", "HEAD"].contains(&method) {
                assert_ne!(answer.status, 401, "{method} {path}");
            } else {
                assert_eq!(answer.status, 401, "{method} {path} (described: {known})");
            }
            tried += 1;
        }
    }
    assert!(tried > 40 * 7, "{tried}");
    for path in [
        "/index.html",
        "/page",
        "/pages/app.js",
        "/metrics",
        "/metrics/",
        "/nothing",
        "//api/v1/simulations",
        "/api/v1/../v1/simulations",
        "/api/v1/%73imulations",
        "/API/V1/health",
        "/api/v1/health/",
        "/api/v1/simulations/",
        "/api",
        "/api/v2/health",
        "/api/v1/health/../simulations",
        "/docsx",
        "/.env",
        "/api/v1/downloads",
    ] {
        server.ask("GET", path, &[], b"").failed(401, "UNAUTHORIZED");
    }
    for wrong in [
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Basic eDp5",
        &format!("Bearer {}x", server.token),
        &format!("Token {}", server.token),
    ] {
        server
            .ask("GET", "/api/v1/workspaces", &[("Authorization", wrong)], b"")
            .failed(401, "UNAUTHORIZED");
    }
    // A link that nobody signed.
    server
        .ask(
            "GET",
            "/api/v1/downloads/sim_111111111111111111111111111/x",
            &[],
            b"",
        )
        .failed(400, "VALIDATION_ERROR");
    let forged = format!(
        "/api/v1/downloads/sim_111111111111111111111111111/x?expires=9999999999&signature={}",
        "0".repeat(64)
    );
    server.ask("GET", &forged, &[], b"").failed(403, "FORBIDDEN");
    // The page is there, and asks nobody else for anything.
    let page = server.ask("GET", "/docs/", &[], b"");
    assert_eq!(page.status, 200);
    assert!(!page.text().contains("https://"), "{}", page.text());
}

#[test]
fn failures_of_every_kind_look_alike() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0"]);
    server.call("GET", "/nothing", None).failed(404, "NOT_FOUND");
    assert!(!server.log().contains(&server.token), "{}", server.log());
    server
        .call("GET", "/billing/balance", None)
        .failed(404, "NOT_FOUND");
    server
        .call("PUT", "/workspaces", None)
        .failed(405, "METHOD_NOT_ALLOWED");
    let token = format!("Bearer {}", server.token);
    let send = |kind: &str, body: &[u8]| {
        server.ask(
            "POST",
            "/api/v1/workspaces",
            &[("Authorization", &token), ("Content-Type", kind)],
            body,
        )
    };
    send("application/json", b"{").failed(400, "VALIDATION_ERROR");
    send("application/json", b"[1]").failed(400, "VALIDATION_ERROR");
    send("application/json", b"{\"name\": 5}").failed(400, "VALIDATION_ERROR");
    send("application/json", b"\xff\xfe").failed(400, "VALIDATION_ERROR");
    send("text/plain", b"{\"name\": \"x\"}").failed(415, "UNSUPPORTED_MEDIA_TYPE");
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    server
        .ask(
            "POST",
            "/api/v1/configurations",
            &[("Authorization", &token), ("Content-Type", "application/json")],
            &deep,
        )
        .failed(400, "VALIDATION_ERROR");
    for path in [
        "/configurations",
        "/simulations",
        "/templates",
        "/workspaces",
        "/models",
        "/components",
    ] {
        for next in ["x", "%00", "' OR 1=1 --", "5b5d", &"a".repeat(5_000)] {
            let next = next.replace(' ', "%20").replace('\'', "%27");
            server
                .call("GET", &format!("{path}?next={next}"), None)
                .failed(400, "VALIDATION_ERROR");
        }
        server
            .call("GET", &format!("{path}?limit=0"), None)
            .failed(400, "VALIDATION_ERROR");
        server
            .call("GET", &format!("{path}?limit=x"), None)
            .failed(400, "VALIDATION_ERROR");
    }
}

#[test]
fn names_are_names_whatever_they_hold() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0"]);
    let evil = "x'); DROP TABLE workspaces; -- \" % _ <script>";
    let made = server.post("/workspaces", &json!({"name": evil, "description": "100%_!"}));
    assert_eq!(made["name"], evil);
    let search = |text: &str| {
        server.get(&format!("/workspaces?search={text}"))["workspaces"]
            .as_array()
            .expect("a list")
            .len()
    };
    assert_eq!(search("DROP%20TABLE"), 1);
    assert_eq!(search("100%25_!"), 1);
    // No wildcards.
    assert_eq!(search("1_0%25"), 0);
    assert_eq!(search("%27%20OR%20%271%27=%271"), 0);
    assert_eq!(search("drop%20table"), 1);
    let mut document = crate::lab::document();
    document["name"] = evil.into();
    assert_eq!(server.post("/configurations", &document)["name"], evil);
    assert_eq!(
        server.get("/workspaces")["workspaces"].as_array().map(Vec::len),
        Some(2)
    );
}

#[test]
fn two_who_edit_one_configuration_do_not_lose_what_the_other_wrote() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0"]);
    let id = server.configuration();
    let token = format!("Bearer {}", server.token);
    let edit = |version: &str, name: &str| {
        let headers = [
            ("Authorization", token.as_str()),
            ("Content-Type", "application/json"),
            ("If-Match", version),
        ];
        server.ask(
            "PATCH",
            &format!("/api/v1/configurations/{id}"),
            &headers,
            json!({"name": name}).to_string().as_bytes(),
        )
    };
    let first = edit("\"1\"", "mine");
    assert!(first.headers.contains("etag: \"2\""), "{}", first.headers);
    assert_eq!(first.ok()["version"], 2);
    edit("\"1\"", "yours").failed(412, "PRECONDITION_FAILED");
    assert_eq!(server.get(&format!("/configurations/{id}"))["name"], "mine");
    assert_eq!(edit("\"v2\"", "yours").ok()["version"], 3);
    // Without If-Match a whole part cannot be replaced.
    server
        .call(
            "PATCH",
            &format!("/configurations/{id}"),
            Some(&json!({"name": "x"})),
        )
        .failed(400, "VALIDATION_ERROR");
    // Twenty at once that do not care about versions: each change is there in the end.
    std::thread::scope(|scope| {
        for n in 0..20 {
            let (server, id) = (&server, &id);
            scope.spawn(move || {
                let path =
                    format!("/configurations/{id}/components?modelId=ScalaSwitch&type=switch&name=Extra{n}");
                let deadline = Instant::now() + Duration::from_secs(60);
                loop {
                    let answer = server.call("POST", &path, None);
                    match answer.status {
                        201 => break,
                        409 if Instant::now() < deadline => {}
                        _ => panic!("{} {}", answer.status, answer.text()),
                    }
                }
            });
        }
    });
    let all: Value = server.get(&format!("/configurations/{id}/components"));
    let extra = all["components"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|c| c["name"].as_str().is_some_and(|name| name.starts_with("Extra")));
    assert_eq!(extra.count(), 20);
    assert_eq!(server.get(&format!("/configurations/{id}"))["version"], 23);
}

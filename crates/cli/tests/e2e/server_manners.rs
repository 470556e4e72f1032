//! Who may come in to a server, and what it does with whoever does not behave.

use crate::lab::{Lab, Outcome};
use crate::server_lab::{Server, folder};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

#[test]
fn tokens_come_and_go_while_it_runs() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0"]);
    assert!(server.greeting.contains("shown only once"), "{}", server.greeting);
    let lab = Lab::new();
    let path = data.path().join("data").display().to_string();
    let token =
        |words: &[&str]| -> Outcome { lab.packetloom(&[&["token"], words, &["--data", &path]].concat()) };
    let made = token(&["create", "ci"]).succeeded();
    let new = made.stdout.lines().last().expect("a line").to_owned();
    let ask = |token: &str| {
        server.ask(
            "GET",
            "/api/v1/workspaces",
            &[("Authorization", &format!("Bearer {token}"))],
            b"",
        )
    };
    assert_eq!(ask(&new).status, 200);
    assert_eq!(ask(&server.token).status, 200);
    let list = token(&["list"]).succeeded().stdout;
    let names: Vec<&str> = list
        .lines()
        .skip(1)
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(names, ["first", "ci"]);
    assert!(!list.contains(&new));
    token(&["create", "ci"]).failed(2).says(&["already"]);
    token(&["create", "a b"]).failed(2).says(&["letters, digits"]);
    token(&["revoke", "ci"]).succeeded();
    std::thread::sleep(Duration::from_secs(1));
    ask(&new).failed(401, "UNAUTHORIZED");
    token(&["revoke", "ci"]).failed(2).says(&["there is no token"]);
    assert_eq!(ask(&server.token).status, 200);
    // Nothing of it is in the log.
    assert!(!server.log().contains(&server.token) && !server.log().contains(&new));
    assert!(server.stop().success());
    // A second start makes no token.
    let again = Server::start(data.path(), &["--jobs", "0"]);
    assert!(!again.greeting.contains("plt_"), "{}", again.greeting);
    assert_eq!(
        again.get("/workspaces")["workspaces"].as_array().map(Vec::len),
        Some(1)
    );
}

#[test]
fn what_cannot_be_served_is_refused_at_start() {
    let data = folder();
    let server = Server::start(data.path(), &[]);
    let lab = Lab::new();
    let path = data.path().join("data").display().to_string();
    let serve = |arguments: &[&str]| lab.packetloom(&[&["serve"], arguments].concat());
    serve(&["--listen", "127.0.0.1:0", "--data", &path])
        .failed(2)
        .says(&["another server uses", "--data"]);
    serve(&["--listen", &server.address, "--data", "other"])
        .failed(1)
        .says(&["cannot listen on", "--listen"]);
    serve(&["--listen", "0.0.0.0:0", "--no-auth", "--data", "other"])
        .failed(2)
        .says(&["--no-auth", "127.0.0.1"]);
    serve(&["--database", "postgres://x/y"])
        .failed(2)
        .says(&["--database", "not available yet"]);
    serve(&["--results", "s3://bucket"])
        .failed(2)
        .says(&["--results", "not available yet"]);
    serve(&["--launcher", "mpirun -n {ranks}"])
        .failed(2)
        .says(&["--launcher", "not available yet"]);
    serve(&["--log-level", "loud"])
        .failed(2)
        .says(&["--log-level", "debug"]);
    serve(&["--connections", "0"]).failed(2).says(&["--connections"]);
    serve(&["--data", "/proc/nowhere"])
        .failed(1)
        .says(&["/proc/nowhere"]);
    serve(&["--listen", "nowhere"]).failed_by_clap(&["--listen"]);
}

#[test]
fn without_tokens_everybody_may_do_everything() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0", "--no-auth"]);
    assert!(!server.greeting.contains("plt_"));
    let made = server.ask(
        "POST",
        "/api/v1/workspaces",
        &[("Content-Type", "application/json")],
        br#"{"name": "w"}"#,
    );
    assert_eq!(made.ok()["owner"], "anonymous");
}

/// What needs no token.
fn open(path: &str) -> bool {
    ["/api/v1/health", "/api/v1/openapi.json", "/docs"].contains(&path)
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
            .replace('{', "")
            .replace('}', "");
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
        "/",
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
fn large_bodies_and_slow_heads_are_cut_off() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0"]);
    let head = format!(
        "POST /api/v1/configurations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n",
        server.token
    );
    // 16 MiB and one byte, said before anything is sent.
    let declared = format!("{head}Content-Length: {}\r\n\r\n", (16 << 20) + 1);
    let answer = String::from_utf8_lossy(&server.raw(declared.as_bytes())).into_owned();
    assert!(
        answer.starts_with("HTTP/1.1 413") && answer.contains("PAYLOAD_TOO_LARGE"),
        "{answer}"
    );
    // The same not said, but sent.
    let mut chunked = format!("{head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n").into_bytes();
    let chunk = [
        format!("{:x}\r\n", 1 << 20).into_bytes(),
        vec![b' '; 1 << 20],
        b"\r\n".to_vec(),
    ]
    .concat();
    for _ in 0..18 {
        chunked.extend_from_slice(&chunk);
    }
    let answer = String::from_utf8_lossy(&server.raw(&chunked)).into_owned();
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 413"),
        "{answer:.200}"
    );

    // A head that does not come to its end.
    let begun = Instant::now();
    let mut slow = TcpStream::connect(&server.address).expect("connected");
    slow.write_all(b"GET /api/v1/health HTTP/1.1\r\nHost:")
        .expect("sent");
    slow.set_read_timeout(Some(Duration::from_secs(60)))
        .expect("a timeout");
    let mut rest = Vec::new();
    let _ = slow.read_to_end(&mut rest);
    let took = begun.elapsed();
    assert!((8..30).contains(&took.as_secs()), "{took:?}");
    // Heads that are too large are refused.
    let large = format!(
        "GET /api/v1/health HTTP/1.1\r\nHost: x\r\nX-Much: {}\r\n\r\n",
        "x".repeat(200_000)
    );
    let answer = String::from_utf8_lossy(&server.raw(large.as_bytes())).into_owned();
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 431"),
        "{answer:.200}"
    );
    assert_eq!(server.ask("GET", "/api/v1/health", &[], b"").status, 200);
}

#[test]
fn ten_thousand_connections_do_not_take_it_down() {
    const MANY: u64 = 10_000;
    // Both ends are files of a process.
    let wanted = MANY + 200;
    match rlimit::increase_nofile_limit(wanted) {
        Ok(limit) if limit >= wanted => {}
        limit => return eprintln!("skipped: {wanted} open files are wanted, and {limit:?} are to be had"),
    }
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0"]);
    let mut held = Vec::new();
    for _ in 0..MANY {
        if let Ok(stream) = TcpStream::connect(&server.address) {
            held.push(stream);
        }
    }
    assert!(held.len() > 5_000, "{}", held.len());
    // Those beyond the limit are closed at once; the others after a while without a request.
    let closed = |stream: &mut TcpStream| {
        stream
            .set_read_timeout(Some(Duration::from_millis(1)))
            .expect("a timeout");
        !matches!(stream.read(&mut [0; 1]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        held.retain_mut(|stream| !closed(stream));
        if held.len() <= 1_024 {
            break;
        }
        assert!(Instant::now() < deadline, "{} are still open", held.len());
    }
    drop(held);
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let stream = TcpStream::connect(&server.address);
        if let Ok(mut stream) = stream {
            let _ = stream.write_all(b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            let mut answer = String::new();
            let _ = stream.read_to_string(&mut answer);
            if answer.starts_with("HTTP/1.1 200") {
                break;
            }
        }
        assert!(Instant::now() < deadline, "it does not answer any more");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(
        server.log().contains("connections are refused"),
        "{}",
        server.log()
    );
    let metrics = server
        .ask(
            "GET",
            "/metrics",
            &[("Authorization", &format!("Bearer {}", server.token))],
            b"",
        )
        .text();
    let refused = metrics
        .lines()
        .find_map(|line| line.strip_prefix("packetloom_connections_refused_total "));
    assert!(
        refused
            .and_then(|n| n.parse::<u64>().ok())
            .is_some_and(|n| n > 1_000),
        "{metrics}"
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

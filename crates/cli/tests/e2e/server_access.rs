//! Who may use the server, and what it does with those who use it badly.

use crate::lab::Lab;
use crate::server_lab::{Server, folder};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A connection to it, on which nothing is waited for longer than a minute.
fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(&server.address).expect("connected");
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .expect("a timeout");
    stream
}

/// The token that a run of `packetloom token create` printed: alone on its last line.
fn create(lab: &Lab, name: &str, data: &str) -> String {
    let made = lab
        .packetloom(&["token", "create", name, "--data", data])
        .succeeded();
    made.stdout.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn the_first_start_prints_a_token_and_later_ones_do_not() {
    let lab = Lab::new();
    let server = Server::start(&lab.path("."), &["--jobs", "0"]);
    let lines: Vec<&str> = server.greeting.lines().collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(
        lines[1].ends_with("/data; the web page at /, the API described at /docs"),
        "{lines:?}"
    );
    // plt_, 48 bits and 256 bits in hexadecimal digits: 4 + 12 + 1 + 64.
    assert_eq!(lines[3].len(), 81, "{lines:?}");
    server.get("/simulations");
    assert_eq!(server.stop().code(), Some(0));
    let server = Server::start(&lab.path("."), &["--jobs", "0"]);
    assert_eq!(server.greeting.lines().count(), 2, "{}", server.greeting);
    server.get("/simulations");
}

#[test]
fn tokens_are_made_and_revoked_while_the_server_runs() {
    let lab = Lab::new();
    let server = Server::start(&lab.path("."), &["--jobs", "0"]);
    let token = create(&lab, "ci.2", "data");
    let bearer = format!("Bearer {token}");
    let ask = || server.ask("GET", "/api/v1/simulations", &[("Authorization", &bearer)], &[]);
    ask().ok();
    let list = lab.packetloom(&["token", "list", "--data", "data"]).succeeded();
    let lines: Vec<&str> = list.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(
        lines[1].starts_with("first ") && lines[2].starts_with("ci.2 "),
        "{lines:?}"
    );
    assert!(!list.stdout.contains("plt_"), "{lines:?}");
    lab.packetloom(&["token", "revoke", "ci.2", "--data", "data"])
        .succeeded();
    std::thread::sleep(Duration::from_secs(1));
    let refused = ask();
    assert!(
        refused.headers.contains("\nwww-authenticate: bearer"),
        "{refused:?}"
    );
    refused.failed(401, "UNAUTHORIZED");
    server.get("/simulations");
}

#[test]
fn names_of_tokens_that_cannot_be_are_refused() {
    let lab = Lab::new();
    create(&lab, "twice", "data");
    let long = "x".repeat(65);
    for (command, name) in [
        ("create", "twice"),
        ("create", ""),
        ("create", "a b"),
        ("create", "x'; DROP TABLE tokens"),
        ("create", long.as_str()),
        ("revoke", "nobody"),
    ] {
        let outcome = lab.packetloom(&["token", command, name, "--data", "data"]);
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.stderr.starts_with("error: "), "{outcome:?}");
        assert_eq!(outcome.stdout, "", "{outcome:?}");
    }
    create(&lab, &"x".repeat(64), "data");
}

#[test]
fn what_cannot_be_served_is_refused_by_name() {
    let lab = Lab::new();
    for (arguments, says) in [
        (&["--database", "postgres://localhost/x"][..], "--database: "),
        (&["--results", "s3://bucket"], "--results: "),
        (&["--launcher", "mpirun -n {ranks}"], "--launcher: "),
        (&["--no-auth", "--listen", "0.0.0.0:0"], "--no-auth: "),
        (&["--no-auth", "--listen", "[::]:0"], "--no-auth: "),
        (&["--connections", "0"], "--connections: "),
        (&["--log-level", "loud"], "--log-level: "),
    ] {
        let mut line = vec!["serve", "--data", "data"];
        line.extend(arguments);
        let outcome = lab.packetloom(&line);
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.stderr.contains(&format!("error: {says}")), "{outcome:?}");
        assert_eq!(outcome.stdout, "", "{outcome:?}");
    }
}

#[test]
fn one_folder_has_one_server_and_one_port_too() {
    let lab = Lab::new();
    let server = Server::start(&lab.path("."), &["--jobs", "0"]);
    let second = lab.packetloom(&["serve", "--listen", "127.0.0.1:0", "--data", "data"]);
    assert_eq!(second.code, Some(2), "{second:?}");
    assert!(second.stderr.contains("another server uses data"), "{second:?}");
    let address = server.address.clone();
    let third = lab.packetloom(&["serve", "--listen", &address, "--data", "other"]);
    assert_eq!(third.code, Some(1), "{third:?}");
    assert!(
        third.stderr.contains(&format!("cannot listen on {address}")),
        "{third:?}"
    );
    server.get("/health");
}

#[test]
fn without_tokens_everybody_on_this_machine_may_come_in() {
    let folder = folder();
    let server = Server::start(folder.path(), &["--no-auth", "--jobs", "0"]);
    assert_eq!(server.greeting.lines().count(), 2, "{}", server.greeting);
    server.get("/simulations");
}

/// Half a megabyte more than may be.
const TOO_LARGE: usize = (16 << 20) + (1 << 19);

#[test]
fn a_body_that_is_too_large_is_refused() {
    let folder = folder();
    let server = Server::start(folder.path(), &["--jobs", "0"]);
    let head = |rest: &str| {
        format!(
            "POST /api/v1/configurations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer {}\r\n{rest}\r\n\r\n",
            server.token
        )
    };
    // It is told before a byte of the body has come.
    let declared = head(&format!("Content-Length: {TOO_LARGE}"));
    let answer = String::from_utf8_lossy(&server.raw(declared.as_bytes())).into_owned();
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains("\"PAYLOAD_TOO_LARGE\""), "{answer}");

    let mut stream = connect(&server);
    let chunked = head("Transfer-Encoding: chunked");
    stream.write_all(chunked.as_bytes()).expect("sent");
    let chunk = [b"10000\r\n".as_slice(), &[b' '; 1 << 16], b"\r\n"].concat();
    let mut sent = 0;
    // The server closes before all is sent, or is about to; a reset may then overtake its answer.
    while sent < TOO_LARGE && stream.write_all(&chunk).is_ok() {
        sent += 1 << 16;
    }
    let mut first = [0; 12];
    match stream.read_exact(&mut first) {
        Ok(()) => assert_eq!(&first, b"HTTP/1.1 413"),
        Err(error) => assert_ne!(error.kind(), ErrorKind::WouldBlock, "it is not answered"),
    }
    server.get("/health");
}

#[test]
fn a_head_that_does_not_come_is_not_waited_for() {
    let folder = folder();
    let server = Server::start(folder.path(), &["--jobs", "0"]);
    let mut slow = connect(&server);
    slow.write_all(b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\n")
        .expect("sent");
    let mut silent = connect(&server);
    let start = Instant::now();
    let mut said = Vec::new();
    let _ = slow.read_to_end(&mut said);
    let _ = silent.read_to_end(&mut said);
    // 10 s; neither is answered as if it had asked for something.
    let took = start.elapsed();
    assert!(
        took > Duration::from_secs(8) && took < Duration::from_secs(40),
        "{took:?}"
    );
    assert!(!String::from_utf8_lossy(&said).contains(" 200 "), "{said:?}");
    server.get("/health");
}

#[test]
fn signals_end_it_and_requests_come_to_their_end() {
    for ends in [Server::stop, Server::interrupt] {
        let folder = folder();
        let server = Server::start(folder.path(), &["--jobs", "0"]);
        // Kept alive, with nothing asked: not worth waiting for.
        let mut idle = connect(&server);
        idle.write_all(b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n")
            .expect("sent");
        let mut some = [0; 16];
        idle.read_exact(&mut some).expect("an answer");
        let start = Instant::now();
        assert_eq!(ends(server).code(), Some(0));
        assert!(start.elapsed() < Duration::from_secs(9), "{:?}", start.elapsed());
    }
}

/// Whether the server has closed it.
fn is_closed(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0]) {
        Ok(n) => n == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

#[test]
fn of_ten_thousand_connections_the_first_1024_are_held() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum.map(|most| most.min(20_000)).or(Some(20_000));
    if limit.current < Some(11_000) || setrlimit(Resource::Nofile, limit).is_err() {
        eprintln!("skipped: the limit on open files (ulimit -Hn) is below 11,000");
        return;
    }
    let folder = folder();
    let server = Server::start(folder.path(), &["--jobs", "0"]);
    let start = Instant::now();
    let mut held: Vec<TcpStream> = Vec::new();
    for i in 0..10_000 {
        match TcpStream::connect(&server.address) {
            Ok(stream) => {
                stream.set_nonblocking(true).expect("set");
                held.push(stream);
            }
            // Closed before it was even known here.
            Err(error) => assert!(i >= 1_024, "{i}: {error}"),
        }
    }
    let all = start.elapsed();
    std::thread::sleep(Duration::from_millis(500));
    let open: Vec<usize> = (0..held.len()).filter(|&i| !is_closed(&mut held[i])).collect();
    // Those that say nothing for 10 s are closed, and make room: on a machine as slow as that it cannot be told.
    if start.elapsed() < Duration::from_secs(9) {
        assert_eq!(open, (0..1_024).collect::<Vec<usize>>(), "after {all:?}");
    } else {
        assert!(open.len() <= 1_024, "{} after {all:?}", open.len());
    }
    drop(held);
    // Places are free again as soon as the server has seen that they are closed.
    let start = Instant::now();
    loop {
        let mut stream = connect(&server);
        let asked = stream.write_all(b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let mut first = [0; 12];
        if asked.is_ok() && stream.read_exact(&mut first).is_ok() {
            assert_eq!(&first, b"HTTP/1.1 200");
            break;
        }
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "it does not answer any more"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    let bearer = format!("Bearer {}", server.token);
    let metrics = server
        .ask("GET", "/metrics", &[("Authorization", &bearer)], &[])
        .text();
    let refused = metrics
        .lines()
        .find_map(|line| line.strip_prefix("packetloom_connections_refused_total "));
    assert!(
        refused.is_some_and(|n| n.parse::<f64>().is_ok_and(|n| n >= 1.0)),
        "{metrics}"
    );
}

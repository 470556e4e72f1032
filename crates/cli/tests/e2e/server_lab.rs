//! A server to ask, in a folder of its own.

use crate::lab::{PROGRAM, document};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than anything here takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running server.
pub struct Server {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub address: String,
    /// A token it knows.
    pub token: String,
    /// What it said when it started.
    pub greeting: String,
    folder: PathBuf,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: String,
    pub body: Vec<u8>,
}

/// A folder for a server's data.
pub fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

impl Server {
    /// Starts one with its data in `folder`.
    pub fn start(folder: &Path, arguments: &[&str]) -> Server {
        Server::start_in(folder, "", arguments)
    }

    /// The same in a shell in which `before` was said, such as a limit.
    pub fn start_in(folder: &Path, before: &str, arguments: &[&str]) -> Server {
        let data = folder.join("data");
        let known = folder.join("token");
        let line = format!("{before} exec \"$0\" serve --listen 127.0.0.1:0 --data \"$1\" \"${{@:2}}\"");
        let log = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.join("log"))
            .expect("a log");
        let mut child = Command::new("bash")
            .args(["-c", &line, PROGRAM])
            .arg(&data)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(log)
            .process_group(0)
            .spawn()
            .expect("started");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut greeting = String::new();
        let mut next = || {
            let line = lines.next().expect("a line").expect("text");
            greeting.push_str(&line);
            greeting.push('\n');
            line
        };
        let address = next()
            .strip_prefix("listening on http://")
            .expect("an address")
            .to_owned();
        next();
        // The token is told once, by the first start.
        let token = match fs::read_to_string(&known) {
            Ok(token) => token,
            Err(_) if arguments.contains(&"--no-auth") => String::new(),
            Err(_) => {
                next();
                let token = next();
                fs::write(&known, &token).expect("written");
                token
            }
        };
        // Whatever else it says goes nowhere, but does not stop it.
        std::thread::spawn(move || lines.for_each(drop));
        Server {
            child,
            address,
            token,
            greeting,
            folder: folder.to_owned(),
        }
    }

    /// One that `packetloom open` has just started.
    pub fn opened(mut child: Child, folder: &Path) -> Server {
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut next = || lines.next().expect("a line").expect("text");
        let (first, url) = (next(), next());
        let (address, token) = url
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once("/#token="))
            .expect("an address");
        Server {
            address: address.to_owned(),
            token: token.to_owned(),
            greeting: format!("{first}\n{url}\n"),
            child,
            folder: folder.to_owned(),
        }
    }

    /// Its address as a URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).expect("a log")
    }

    /// The folder of a simulation's files.
    pub fn results(&self, sim: &str) -> PathBuf {
        self.folder.join("data/results").join(sim)
    }

    /// Sends `text` as it is and reads what comes until the end.
    pub fn raw(&self, text: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(&self.address).expect("connected");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        // A server that refuses early stops reading.
        let _ = stream.write_all(text);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    /// Asks for something with headers of one's own.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut text = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n",
            self.address
        );
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            text += &format!("Content-Length: {}\r\n", body.len());
        }
        text += "\r\n";
        Answer::read(&self.raw(&[text.as_bytes(), body].concat()))
    }

    /// Asks for something below `/api/v1` with the token, and JSON if there is a body.
    pub fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let token = format!("Bearer {}", self.token);
        let body = body.map(Value::to_string).unwrap_or_default();
        let headers = [
            ("Authorization", token.as_str()),
            ("Content-Type", "application/json"),
        ];
        self.ask(method, &format!("/api/v1{path}"), &headers, body.as_bytes())
    }

    /// The JSON of a GET that succeeds.
    #[track_caller]
    pub fn get(&self, path: &str) -> Value {
        self.call("GET", path, None).ok()
    }

    /// The JSON of a POST that succeeds.
    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Value {
        self.call("POST", path, Some(body)).ok()
    }

    /// The identifier of a valid configuration of four hosts.
    #[track_caller]
    pub fn configuration(&self) -> String {
        self.configuration_of(&document())
    }

    /// The identifier of a configuration with that document, which is valid.
    #[track_caller]
    pub fn configuration_of(&self, document: &Value) -> String {
        let made = self.post("/configurations", document);
        let id = made["id"].as_str().expect("an id").to_owned();
        let verdict = self.post(&format!("/configurations/{id}/validate"), &json!({}));
        assert_eq!(verdict["valid"], true, "{verdict}");
        id
    }

    /// The identifier of a new simulation.
    #[track_caller]
    pub fn submit(&self, configuration: &str, name: &str, duration: &str) -> String {
        let body = json!({"configurationId": configuration, "name": name, "duration": duration});
        let started = self.post("/simulations", &body);
        assert_eq!(started["status"], "validating", "{started}");
        started["id"].as_str().expect("an id").to_owned()
    }

    /// Waits until a simulation stands as one of `wanted`; its details then.
    #[track_caller]
    pub fn wait(&self, sim: &str, wanted: &[&str]) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let details = self.get(&format!("/simulations/{sim}"));
            if wanted.iter().any(|status| details["status"] == *status) {
                return details;
            }
            assert!(Instant::now() < deadline, "{details} is not {wanted:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until a running simulation has simulated something.
    #[track_caller]
    pub fn wait_for_progress(&self, sim: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.get(&format!("/simulations/{sim}"))["metrics"]["progress"]
            .as_f64()
            .unwrap_or(0.0)
            == 0.0
        {
            assert!(Instant::now() < deadline, "no progress");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn signal(&self, name: &str) {
        let done = Command::new("kill")
            .args([name, &self.child.id().to_string()])
            .status();
        assert!(done.expect("started").success());
    }

    /// Asks it to end, and waits until it has.
    pub fn stop(mut self) -> ExitStatus {
        self.signal("-TERM");
        self.child.wait().expect("ended")
    }

    /// Presses Ctrl-C, and waits until it has ended.
    pub fn interrupt(mut self) -> ExitStatus {
        self.signal("-INT");
        self.child.wait().expect("ended")
    }

    /// Ends it without asking.
    pub fn kill(mut self) {
        self.signal("-KILL");
        self.child.wait().expect("ended");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            self.signal("-TERM");
            let deadline = Instant::now() + Duration::from_secs(20);
            while matches!(self.child.try_wait(), Ok(None)) {
                if Instant::now() > deadline {
                    let _ = self.child.kill();
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

impl Answer {
    fn read(bytes: &[u8]) -> Answer {
        let end = bytes
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .unwrap_or_else(|| {
                panic!("no HTTP: {:?}", String::from_utf8_lossy(bytes));
            });
        let headers = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let status = headers
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok())
            .expect("a status");
        let mut body = bytes[end + 4..].to_vec();
        if headers.contains("transfer-encoding: chunked") {
            body = unchunked(&body);
        }
        Answer {
            status,
            headers,
            body,
        }
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The JSON of a success.
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert!(
            (200..300).contains(&self.status),
            "{} {}",
            self.status,
            self.text()
        );
        self.json()
    }

    /// The message of a failure with that status and code.
    #[track_caller]
    pub fn failed(&self, status: u16, code: &str) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        let body = self.json();
        assert_eq!(body["error"]["code"], code, "{body}");
        body["error"]["message"].as_str().expect("a message").to_owned()
    }
}

/// The text of a body that came in chunks.
fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n") {
        let size = String::from_utf8_lossy(&body[..end]);
        let size = usize::from_str_radix(size.trim(), 16).expect("a size");
        if size == 0 {
            break;
        }
        whole.extend_from_slice(&body[end + 2..end + 2 + size]);
        body = &body[end + 2 + size + 2..];
    }
    whole
}

//! Somebody looks at runs on disk in a browser.

use crate::lab::{Lab, PROGRAM, document};
use crate::server_lab::Server;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Opens `folder` of the lab; temporary files go into the lab's `tmp`.
fn open(lab: &Lab, folder: &str) -> Server {
    fs::create_dir_all(lab.path("tmp")).expect("made");
    let child = Command::new(PROGRAM)
        .args(["open", folder])
        .current_dir(lab.path("."))
        .env("TMPDIR", lab.path("tmp"))
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .expect("started");
    Server::opened(child, Path::new(""))
}

fn lab() -> Lab {
    let lab = Lab::with(&document());
    for name in ["one", "two"] {
        let out = format!("runs/{name}");
        lab.packetloom(&["run", "fabric.json", "--name", name, "--out", &out])
            .succeeded();
    }
    lab
}

#[test]
fn runs_are_shown_and_left_as_they_are() {
    let lab = lab();
    fs::write(lab.path("runs/one/.secret"), "x").expect("written");
    let before = [lab.listing("runs/one"), lab.listing("runs/two")];
    let server = open(&lab, "runs");
    assert!(
        server.greeting.starts_with("2 to look at; "),
        "{}",
        server.greeting
    );
    assert_eq!(server.get("/health")["mode"], "open");
    let list = server.get("/simulations?sort=name:asc");
    let (one, two) = (&list["simulations"][0], &list["simulations"][1]);
    assert_eq!(
        (&one["name"], &one["status"]),
        (&"one".into(), &"completed".into()),
        "{list}"
    );
    assert_eq!(two["name"], "two");
    let id = one["id"].as_str().expect("an id").to_owned();

    // Its files are those of the folder, and the figures that the records tell.
    let results = server.get(&format!("/simulations/{id}/results?limit=100"));
    let mut names: Vec<&str> = results["files"]
        .as_array()
        .expect("files")
        .iter()
        .filter_map(|file| file["name"].as_str())
        .collect();
    names.sort_unstable();
    let mut known: Vec<&str> = before[0]
        .iter()
        .map(String::as_str)
        .filter(|name| !name.starts_with('.'))
        .collect();
    known.push("summary.json");
    known.sort_unstable();
    assert_eq!(names, known);
    assert!(
        results["summary"]["throughput"]
            .as_str()
            .expect("a rate")
            .ends_with("Gbps"),
        "{results}"
    );
    let file = format!("/simulations/{id}/results/download-url?fileName=one-rdma-perf-0.csv");
    let url = server.get(&file)["downloadUrl"]
        .as_str()
        .expect("a link")
        .to_owned();
    let path = url.split_once(&server.address).expect("of this server").1;
    let answer = server.ask("GET", path, &[], b"");
    assert_eq!(answer.text(), lab.read("runs/one/one-rdma-perf-0.csv"));
    for outside in ["..%2Ftwo%2Ftwo-run.json", ".secret"] {
        let file = format!("/simulations/{id}/results/download-url?fileName={outside}");
        assert!(
            [400, 404].contains(&server.call("GET", &file, None).status),
            "{outside}"
        );
    }

    // What is computed is kept somewhere else.
    let data = server.get(&format!(
        "/simulations/{id}/results/data?metric=rdma-perf&mode=summary"
    ));
    assert!(data["file"]["downloadUrl"].is_string(), "{data}");

    // Nothing can be changed, whoever asks.
    for (method, path) in [
        ("POST", "/simulations".to_owned()),
        ("POST", "/configurations".to_owned()),
        ("DELETE", format!("/simulations/{id}")),
        ("POST", format!("/simulations/{id}/terminate")),
    ] {
        let message = server
            .call(method, &path, Some(&serde_json::json!({})))
            .failed(403, "FORBIDDEN");
        assert!(message.contains("nothing can be changed"), "{message}");
    }
    assert_eq!(server.ask("GET", "/api/v1/simulations", &[], b"").status, 401);

    assert!(server.interrupt().success());
    assert_eq!([lab.listing("runs/one"), lab.listing("runs/two")], before);
    assert_eq!(lab.listing("tmp"), Vec::<String>::new());
}

#[test]
fn ends_are_told_as_they_were() {
    let lab = lab();
    let path = "runs/one/one-run.json";
    let text = lab.read(path);
    let (head, _) = text.split_once("\"ended\"").expect("an end");
    lab.write(path, &format!("{head}\"ended\": null}}"));
    let path = "runs/two/two-run.json";
    lab.write(
        path,
        &lab.read(path)
            .replace("\"interrupted\": false", "\"interrupted\": true"),
    );
    let server = open(&lab, "runs");
    let list = server.get("/simulations?sort=name:asc");
    let id = list["simulations"][0]["id"].as_str().expect("an id");
    let one = server.get(&format!("/simulations/{id}"));
    assert_eq!(one["status"], "failed", "{one}");
    assert!(
        one["failureReason"].as_str().expect("why").contains("runs still"),
        "{one}"
    );
    assert_eq!(list["simulations"][1]["status"], "terminated", "{list}");
    assert!(server.stop().success());
    assert_eq!(lab.listing("tmp"), Vec::<String>::new());
}

#[test]
fn what_cannot_be_is_refused() {
    let lab = lab();
    lab.packetloom(&["open", "nowhere"])
        .failed(2)
        .says(&["there is no nowhere"]);
    lab.packetloom(&["open", "."]).failed(2).says(&[". holds no run"]);
    lab.packetloom(&["open", "runs", "--listen", "0.0.0.0:0"])
        .failed(2)
        .says(&["--listen", "packetloom serve"]);
    lab.packetloom(&["open", "runs", "--listen", "here"])
        .failed_by_clap(&["--listen"]);
}

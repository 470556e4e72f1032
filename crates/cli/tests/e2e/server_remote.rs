//! `packetloom remote`: from a document to its records on this side, through a server.

use crate::lab::{Lab, Outcome, document, names};
use crate::server_lab::{Server, folder};
use serde_json::json;
use std::fs;

/// Runs `packetloom remote` against a server.
fn remote(lab: &Lab, url: &str, token: &str, words: &[&str]) -> Outcome {
    lab.packetloom(&[&["remote", "--url", url, "--token", token], words].concat())
}

#[test]
fn a_document_goes_there_and_its_records_come_back() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let lab = Lab::with(&document());
    let ask = |words: &[&str]| remote(&lab, &server.url(), &server.token, words);
    let sent = ask(&["submit", "fabric.json", "--duration", "100us", "--name", "there"]).succeeded();
    let sim = sent.stdout.trim().to_owned();
    assert!(
        sim.starts_with("sim_") && sent.stdout.lines().count() == 1,
        "{sent:?}"
    );
    server.wait(&sim, &["completed"]);
    let shown = ask(&["status", &sim]).succeeded().stdout;
    assert!(
        shown.contains("Status      completed\n") && shown.contains("(100 %)"),
        "{shown}"
    );
    assert_eq!(
        ask(&["status", &sim, "--json"]).succeeded().json()["status"],
        "completed"
    );
    let list = ask(&["status"]).succeeded().stdout;
    assert!(list.starts_with("Simulation ") && list.contains(&sim), "{list}");
    ask(&["fetch", &sim, "--out", "back"]).succeeded();
    let here = names(&lab.path("back"));
    assert_eq!(here, names(&server.results(&sim)));
    for name in here {
        let (back, there) = (
            fs::read(lab.path("back").join(&name)),
            fs::read(server.results(&sim).join(&name)),
        );
        assert_eq!(back.expect("read"), there.expect("read"), "{name}");
    }
    lab.packetloom(&["summary", "back"]).succeeded();

    // The document's own run time and name, changed here, and followed to its end.
    let followed = ask(&[
        "submit",
        "fabric.json",
        "--set",
        "SimulationParameters.RunTime=0.00005",
        "--wait",
    ])
    .succeeded()
    .stdout;
    assert!(
        followed.contains("Name        four-hosts\n") && followed.contains("Duration    50000ns\n"),
        "{followed}"
    );
    ask(&["submit", "template:rdma-one-rack", "--duration", "20us", "--wait"]).succeeded();
    ask(&["terminate", &sim]).failed(2).says(&["completed already"]);
}

#[test]
fn what_is_wrong_is_said_on_this_side() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "0"]);
    let mut wrong = document();
    wrong["topology"]["components"][0]["count"] = json!(0);
    let lab = Lab::with(&wrong);
    let url = server.url();
    let ask = |words: &[&str]| remote(&lab, &url, &server.token, words);
    ask(&["submit", "fabric.json"])
        .failed(2)
        .says(&["topology: there are no hosts"]);
    ask(&["submit", "absent.json"])
        .failed(2)
        .says(&["absent.json", "no such file"]);
    ask(&["submit", "template:rdma-one-rac"])
        .failed(2)
        .says(&["did you mean"]);
    ask(&["submit", "template:rdma-one-rack", "--duration", "soon"])
        .failed(2)
        .says(&["duration"]);
    ask(&["submit", "template:rdma-one-rack", "--name", "a b"])
        .failed(2)
        .says(&["name"]);
    ask(&["submit", "template:rdma-one-rack", "--set", "Nic.Nothing=1"])
        .failed(2)
        .says(&["--set Nic.Nothing"]);
    ask(&["status", "sim_1"]).failed(2).says(&["sim_1"]);
    ask(&["fetch", "sim_111111111111111111111111111"])
        .failed(2)
        .says(&["There is no simulation"]);
    remote(&lab, &url, "plt_x", &["status"])
        .failed(2)
        .says(&["PACKETLOOM_TOKEN", "token create"]);
    remote(&lab, "ftp://x", "plt_x", &["status"])
        .failed(2)
        .says(&["--url"]);
    // One that waits can be taken back.
    let sim = ask(&["submit", "template:rdma-one-rack", "--duration", "20us"])
        .stdout
        .trim()
        .to_owned();
    let ended = ask(&["terminate", &sim]).succeeded().stdout;
    assert!(ended.contains("Status      terminated\n"), "{ended}");
    ask(&["fetch", &sim, "--out", "none"]).failed(2).says(&["result"]);
    assert!(!lab.path("none").exists());
    let token = server.token.clone();
    assert!(server.stop().success());
    remote(&lab, &url, &token, &["status"])
        .failed(1)
        .says(&["no answer from", "is the server running"]);
}

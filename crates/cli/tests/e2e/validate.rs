//! Somebody checks a document before running it.

use crate::lab::{Lab, document, document_with};
use serde_json::json;

#[test]
fn a_valid_document_is_said_to_be_valid() {
    let lab = Lab::with(&document());
    let outcome = lab.packetloom(&["validate", "fabric.json"]).succeeded();
    assert!(
        outcome
            .stdout
            .starts_with("fabric.json is valid: 4 hosts, 1 rack, 1 pod"),
        "{outcome:#?}"
    );
    assert_eq!(lab.listing("."), ["fabric.json"], "validating writes nothing");
}

#[test]
fn overrides_are_checked_too() {
    let lab = Lab::with(&document());
    lab.packetloom(&[
        "validate",
        "fabric.json",
        "--set",
        "SimulationParameters.RunTime=0.5",
    ])
    .succeeded();
    lab.packetloom(&[
        "validate",
        "fabric.json",
        "--set",
        "SimulationParameters.RunTime=-1",
    ])
    .failed(2)
    .says(&["SimulationParameters.RunTime"]);
    lab.packetloom(&[
        "validate",
        "fabric.json",
        "--set",
        "SimulationParameters.RunTimes=1",
    ])
    .failed(2)
    .says(&["RunTimes", "did you mean \"RunTime\"?"]);
    lab.packetloom(&["validate", "fabric.json", "--set", "nonsense"])
        .failed(2)
        .says(&["nonsense"]);
}

#[test]
fn json_tells_the_same_to_a_program() {
    let lab = Lab::with(&document());
    let verdict = lab
        .packetloom(&["validate", "fabric.json", "--json"])
        .succeeded()
        .json();
    assert_eq!(
        (&verdict["valid"], &verdict["status"]),
        (&json!(true), &json!("valid"))
    );

    let lab = Lab::with(&document_with(
        "/globalParameters/SimulationParameters/RunTime",
        json!(-1),
    ));
    let outcome = lab.packetloom(&["validate", "fabric.json", "--json"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(2), ""));
    let verdict = outcome.json();
    assert_eq!(
        (&verdict["valid"], &verdict["status"]),
        (&json!(false), &json!("error"))
    );
    let error = &verdict["errors"][0];
    assert!(
        error["path"]
            .as_str()
            .is_some_and(|path| path.contains("RunTime")),
        "{verdict}"
    );
    assert!(
        error["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty()),
        "{verdict}"
    );
}

#[test]
fn all_faults_are_told_at_once() {
    let mut document = document_with("/globalParameters/SimulationParameters/RunTime", json!(-1));
    document["applications"][0]["typedParameters"] = json!({ "NumConnections": 0, "MaxPendingWQE": 1 });
    let lab = Lab::with(&document);
    let outcome = lab.packetloom(&["validate", "fabric.json"]).failed(2);
    let outcome = outcome.says(&[
        "RunTime",
        "NumConnections",
        "MaxPendingWQE",
        "did you mean \"MaxPendingWQEs\"?",
    ]);
    assert_eq!(outcome.stderr.lines().count(), 3, "{outcome:#?}");
}

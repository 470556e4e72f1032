//! Somebody gets a document wrong: it is refused before it runs, with the place and what would be right.

use crate::lab::{Lab, document, document_with};
use serde_json::{Value, json};

/// Both commands refuse the document in the lab with all of `words`, and leave nothing behind.
#[track_caller]
fn refused(lab: &Lab, arguments: &[&str], words: &[&str]) {
    let before = lab.listing(".");
    for command in ["validate", "run"] {
        lab.packetloom(&[&[command], arguments].concat())
            .failed(2)
            .says(words);
        assert_eq!(lab.listing("."), before, "{command} left something behind");
    }
}

#[track_caller]
fn document_refused(document: &Value, words: &[&str]) {
    refused(&Lab::with(document), &["fabric.json"], words);
}

#[track_caller]
fn set_refused(set: &[&str], words: &[&str]) {
    let sets = set.iter().flat_map(|&set| ["--set", set]);
    let arguments: Vec<&str> = std::iter::once("fabric.json").chain(sets).collect();
    refused(&Lab::with(&document()), &arguments, words);
}

#[test]
fn a_file_that_is_not_json() {
    let lab = Lab::new();
    lab.write("fabric.json", "{ \"name\": \"demo\",\n  \"components\": [ }");
    refused(&lab, &["fabric.json"], &["line 2", "JSON"]);
    lab.write("fabric.json", "");
    refused(&lab, &["fabric.json"], &["JSON"]);
    lab.write("fabric.json", "[1, 2]");
    refused(&lab, &["fabric.json"], &["a list", "object"]);
}

#[test]
fn a_file_that_is_not_there() {
    refused(&Lab::new(), &["fabrik.json"], &["fabrik.json", "no such file"]);
}

#[test]
fn a_folder_in_place_of_a_file() {
    let lab = Lab::new();
    refused(&lab, &["."], &["directory"]);
}

#[test]
fn an_unknown_key() {
    let mut document = document();
    document["topologie"] = json!({});
    document_refused(&document, &["topologie", "did you mean \"topology\"?"]);
    let nic = document_with(
        "/components/1/typedParameters",
        json!({ "EnableBufferStat": true }),
    );
    document_refused(&nic, &["EnableBufferStat", "did you mean \"EnableBufferStats\"?"]);
}

#[test]
fn a_wrong_unit() {
    set_refused(
        &["Nic.NetworkInterface.UplinkNetworkInterface.DataRate=400ns"],
        &["DataRate"],
    );
    set_refused(
        &["Nic.NetworkInterface.TransmissionMedium.Delay=100Gbps"],
        &["Delay"],
    );
    set_refused(&["Rdma.TransferSize=1kilobyte"], &["TransferSize"]);
}

#[test]
fn a_negative_size() {
    set_refused(&["Rdma.TransferSize=-1B"], &["TransferSize"]);
    set_refused(
        &["Nic.NetworkInterface.IngressBufferManager.TotalBufferSize=-4MB"],
        &["TotalBufferSize"],
    );
}

#[test]
fn a_value_out_of_range() {
    set_refused(&["Rdma.NumConnections=0"], &["NumConnections", "1 to 1024"]);
    set_refused(&["SimulationParameters.RunTime=0"], &["RunTime"]);
}

/// The document with these parts of the hosts as initiators and responders.
fn ratios(initiator: f64, responder: f64) -> Value {
    let mut document = document();
    let entries = &mut document["topology"]["appDistribution"]["randomApplicationDistribution"];
    entries[0]["distributionPercent"]["value"] = json!(initiator);
    entries[1]["distributionPercent"]["value"] = json!(responder);
    document
}

#[test]
fn a_ratio_of_zero() {
    document_refused(&ratios(0.0, 1.0), &["randomApplicationDistribution[0]"]);
}

#[test]
fn ratios_that_do_not_add_up_to_one() {
    document_refused(&ratios(0.5, 0.4), &["add up to 0.9, not to 1"]);
    document_refused(&ratios(0.5, 0.6), &["add up to 1", "not to 1"]);
}

#[test]
fn a_switch_that_is_not_declared() {
    let document = document_with("/containers/0/components/0/name", json!("Spine"));
    document_refused(&document, &["containers[0].components[0]", "Spine"]);
}

#[test]
fn a_rack_without_a_switch() {
    let servers = json!([{ "type": "server", "name": "Server", "count": 4 }]);
    document_refused(
        &document_with("/containers/0/components", servers),
        &["containers[0]", "switch"],
    );
}

#[test]
fn a_server_without_a_nic() {
    document_refused(
        &document_with("/components/2/components", json!([])),
        &["components[2]", "NIC"],
    );
}

#[test]
fn a_server_with_two_nics() {
    document_refused(
        &document_with("/components/2/components/0/count", json!(2)),
        &["components[2]", "NIC"],
    );
}

#[test]
fn no_hosts_at_all() {
    document_refused(&document_with("/topology/components", json!([])), &["topology"]);
}

#[test]
fn a_traffic_class_without_a_pool() {
    set_refused(
        &["Rdma.RdmaDataPacketTC=5"],
        &["PoolAllocationVector", "class 5", "Rdma"],
    );
}

#[test]
fn a_segment_larger_than_a_frame_may_be() {
    set_refused(
        &["DefaultNetworkParameters.GenericNetDevice.Mtu=4100B"],
        &["MSS", "Mtu"],
    );
}

#[test]
fn containers_that_hold_each_other() {
    let mut document = document();
    let inner = json!({ "type": "pod", "name": "Pod", "count": 1 });
    document["containers"][0]["components"]
        .as_array_mut()
        .expect("a list")
        .push(inner);
    document_refused(&document, &["containers[0]", "Rack", "pod"]);
}

#[test]
fn a_name_that_cannot_be_part_of_a_file_name() {
    let lab = Lab::with(&document());
    for name in [
        "a/b",
        "..\\a",
        "a\nb",
        "",
        "..",
        ".x",
        "-x",
        "--json",
        "a\u{202E}b",
    ] {
        let outcome = lab.packetloom(&["run", "fabric.json", &format!("--name={name}")]);
        let outcome = outcome
            .failed(2)
            .says(&["the simulation's name", "choose another --name"]);
        assert!(!outcome.stderr.contains('\u{202E}'), "{outcome:#?}");
    }
    assert_eq!(lab.listing("."), ["fabric.json"]);
}

#[test]
#[cfg(unix)]
fn a_link_to_nowhere_in_place_of_the_folder_of_records() {
    let lab = Lab::with(&document());
    std::os::unix::fs::symlink("gone", lab.path("link")).expect("linked");
    lab.packetloom(&["run", "fabric.json", "--out", "link"])
        .failed(2)
        .says(&["link is a link that leads nowhere", "--out"]);
    assert_eq!(lab.listing("."), ["fabric.json", "link"]);
}

#[test]
fn a_file_in_place_of_the_folder_of_records() {
    let lab = Lab::with(&document());
    for out in ["fabric.json", "fabric.json/below"] {
        lab.packetloom(&["run", "fabric.json", "--out", out])
            .failed(2)
            .says(&["is not a folder", "--out"]);
    }
    assert_eq!(lab.listing("."), ["fabric.json"]);
}

#[test]
fn a_source_date_epoch_that_is_no_number() {
    let lab = Lab::with(&document());
    let outcome = lab.bash("SOURCE_DATE_EPOCH=yesterday \"$packetloom\" run fabric.json --out out");
    outcome.failed(2).says(&["SOURCE_DATE_EPOCH", "yesterday"]);
    assert_eq!(lab.listing("."), ["fabric.json"]);
}

#[cfg(not(feature = "platform"))]
#[test]
fn a_program_without_the_server_says_how_to_get_it() {
    let lab = Lab::new();
    for line in [
        &["serve", "--listen", "127.0.0.1:0"][..],
        &["token", "list", "--data", "data"],
        &["remote", "status"],
    ] {
        lab.packetloom(line)
            .failed(2)
            .says(&["cargo build --release --features platform"]);
    }
    assert!(lab.listing(".").is_empty());
}

//! Files with files beside them: profiles, deployments.

use crate::{document, platform};
use packetloom_flow::{Deployment, Platform};
use std::fs;
use tempfile::TempDir;

const LINK: &str = "<zone id=\"z\" routing=\"Full\"><host id=\"h\" speed=\"1Gf\" speed_file=\"h.speed\" state_file=\"h.state\"/>\
    <link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\" bandwidth_file=\"sub/l.bw\" latency_file=\"l.lat\" state_file=\"l.state\"/></zone>";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn profiles_are_read_from_the_folder_of_the_platform() {
    let folder = folder(&[
        ("p.xml", &document(LINK)),
        ("h.speed", "0 0.5\n"),
        ("h.state", "1 0\n2 1\nLOOPAFTER 8\n"),
        ("sub/l.bw", "4.0 40000000\n8.0 60000000\n"),
        ("l.lat", "1 0.001\n"),
        ("l.state", "5 0\n"),
    ]);
    let platform = Platform::read(&folder.path().join("p.xml")).unwrap();
    let link = &platform.links()[0];
    let points =
        |profile: &Option<std::sync::Arc<packetloom_flow::Profile>>| profile.as_ref().unwrap().points.clone();
    assert_eq!(points(&link.bandwidth_profile), [(4.0, 4e7), (8.0, 6e7)]);
    assert_eq!(points(&link.latency_profile), [(1.0, 0.001)]);
    assert_eq!(points(&link.state_profile), [(5.0, 0.0)]);
    let host = &platform.hosts()[0];
    assert_eq!(points(&host.speed_profile), [(0.0, 0.5)]);
    assert_eq!(host.state_profile.as_ref().unwrap().repeats_after, Some(8.0));
}

#[test]
fn faults_of_profiles_name_the_platform_or_the_profile() {
    let files = [
        ("p.xml", document(LINK)),
        ("h.speed", "0 0.5\n".to_owned()),
        ("h.state", "1 0\n".to_owned()),
        ("sub/l.bw", "4.0 40000000\nx\n".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = folder(&files);
    let path = folder.path().join("p.xml");
    let profile = folder.path().join("sub/l.bw");
    assert_eq!(
        Platform::read(&path).unwrap_err().to_string(),
        format!(
            "{}:2:1: unknown instruction \"x\"; a line is a time and a value, LOOPAFTER or PERIODICITY",
            profile.display()
        )
    );
    fs::remove_file(&profile).unwrap();
    let message = Platform::read(&path).unwrap_err().to_string();
    assert!(
        message.starts_with(&format!("{}:4:", path.display()))
            && message.contains("l.bw\" cannot be read: ")
            && message.ends_with("; give the path of a profile, from the folder of this file"),
        "{message}"
    );
}

#[test]
fn profiles_stand_in_the_platform_too() {
    let platform = platform(
        "<zone id=\"z\" routing=\"Full\"><host id=\"h\" speed=\"1Gf\"/><link id=\"l\" bandwidth=\"1GBps\" sharing_policy=\"SPLITDUPLEX\"/>\
         <link id=\"m\" bandwidth=\"1GBps\"/></zone>\
         <trace id=\"slow\" periodicity=\"10.0\">\n0 1e8\n5 1e9\n</trace><trace id=\"off\" periodicity=\"-1\">1 0</trace>\
         <trace_connect trace=\"slow\" kind=\"BANDWIDTH\" element=\"l\"/>\
         <trace_connect trace=\"off\" kind=\"LINK_AVAIL\" element=\"m\"/>\
         <trace_connect trace=\"off\" kind=\"LATENCY\" element=\"m\"/>\
         <trace_connect trace=\"off\" element=\"h\"/><trace_connect trace=\"off\" kind=\"SPEED\" element=\"h\"/>",
    );
    let links = platform.links();
    for half in &links[..2] {
        let profile = half.bandwidth_profile.as_ref().unwrap();
        assert_eq!(profile.points, [(0.0, 1e8), (5.0, 1e9)]);
        // Every 10 s, the last point at 5 s.
        assert_eq!(profile.repeats_after, Some(5.0));
    }
    assert_eq!(links[2].state_profile.as_ref().unwrap().points, [(1.0, 0.0)]);
    assert_eq!(links[2].latency_profile.as_ref().unwrap().repeats_after, None);
    let host = &platform.hosts()[0];
    assert!(host.state_profile.is_some() && host.speed_profile.is_some());
}

#[test]
fn a_platform_and_its_deployment_may_share_a_file() {
    let text = document(
        "<zone id=\"z\" routing=\"Full\"><host id=\"h\" speed=\"1Gf\"/></zone><actor host=\"h\" function=\"f\"/>",
    );
    let platform = Platform::parse(&text, "both.xml", None).unwrap();
    let deployment = Deployment::parse(&text, "both.xml").unwrap();
    deployment.check(&platform).unwrap();
    assert_eq!(deployment.actors.len(), 1);
}

#[test]
fn a_deployment_is_read_from_its_file() {
    let folder = folder(&[(
        "d.xml",
        "\n<?xml version='1.0'?>\n<platform version=\"4.1\"><actor host=\"h\" function=\"f\"/></platform>",
    )]);
    let path = folder.path().join("d.xml");
    let deployment = Deployment::read(&path).unwrap();
    assert_eq!(deployment.actors[0].line, 3);
    assert_eq!(deployment.name, path.display().to_string());
    let missing = folder.path().join("e.xml");
    let message = Deployment::read(&missing).unwrap_err().to_string();
    assert!(
        message.starts_with(&format!("{}: cannot be read: ", missing.display())),
        "{message}"
    );
}

#[test]
fn bytes_that_are_no_utf_8_are_refused_by_their_line() {
    let folder = folder(&[]);
    let path = folder.path().join("p.xml");
    fs::write(&path, b"<platform>\n\xff</platform>").unwrap();
    assert_eq!(
        Platform::read(&path).unwrap_err().to_string(),
        format!(
            "{}:2:1: not XML: the text is not in UTF-8; save it as UTF-8",
            path.display()
        )
    );
}

#[test]
fn a_shared_object_is_no_platform() {
    let folder = folder(&[]);
    let path = folder.path().join("p.so");
    fs::write(&path, b"\x7fELF\x02").unwrap();
    assert_eq!(
        Platform::read(&path).unwrap_err().to_string(),
        format!(
            "{}:1:1: a shared object; describe the platform in XML: functions such as load_platform are not called",
            path.display()
        )
    );
}

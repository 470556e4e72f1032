//! Everything that is wrong with a document and its overrides is reported at once, and nothing twice.

use crate::common::{json, with};
use packetloom_config::{check, check_value, document, template, validate};
use serde_json::{Value, json as j};

const ONE: &str = "rdma-one-rack";
const RACK: &str = "/containers/0/components";
const ENTRIES: &str = "/topology/appDistribution/randomApplicationDistribution";

/// The lines of what is wrong with a changed template.
fn wrong(changes: &[(&str, Value)], settings: &[&str]) -> Vec<String> {
    lines(&with(ONE, changes), settings)
}

fn lines(value: &Value, settings: &[&str]) -> Vec<String> {
    let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
    match check_value(value, &settings) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn shape_overrides_and_meaning_are_reported_together() {
    assert_eq!(
        wrong(
            &[
                ("/foo", j!(1)),
                (&format!("{RACK}/1/group"), j!("a label")),
                (&format!("{RACK}/1/version"), j!(4)),
                ("/applications/0/typedParameters/NumConnections", j!(0)),
                ("/components/0/typedParameters/LoadBalancingMethod", j!("flowlet")),
            ],
            &["Nic.MSS=1", "Rdma.TransferSize=-1B"],
        ),
        [
            "foo: is not known here; known here: name, workspaceId, components, containers, applications, links, \
             topology, globalParameters, activeTraceset, id, status, version, createdAt, modifiedAt, componentCount, \
             activeMappingFile",
            "containers[0].components[1].version: a number stands where a text belongs; give a text",
            "--set Nic.MSS: there is no \"MSS\"; known here: NumDownLinks, EnableBufferStats, NetworkInterface, \
             HostInterface, TransportProcessingLayers, ScalaRoceQpManager, ECNHandler",
            "applications[0].typedParameters.NumConnections: 0 is out of range; give 1 to 1024",
            "applications[0].typedParameters.TransferSize: -1 B is negative; give a size of 0 B or more",
            "components[0].typedParameters.LoadBalancingMethod: flowlet balancing is not available yet; use none",
        ]
    );
}

#[test]
fn what_cannot_be_read_is_reported_once() {
    let application =
        j!({"type": "application", "name": 7, "model": "ScalaRdmaApplication", "version": "3.1.1"});
    for (pointer, value) in [
        ("/components", j!(5)),
        ("/components", j!(null)),
        ("/components/0", j!("RackSwitch")),
        ("/components/0/name", j!(7)),
        ("/components/0/type", j!(7)),
        ("/components/0/type", j!("bridge")),
        ("/components/0/model", j!(7)),
        ("/components/1/name", j!(null)),
        ("/components/1/model", j!("ScalaRoceNik")),
        ("/components/1/typedParameters", j!([])),
        ("/components/2", j!(null)),
        ("/components/2/name", j!("")),
        ("/components/2/model", j!("ScalaHots")),
        ("/components/2/components", j!("Nic")),
        ("/components/2/components/0", j!("Nic")),
        ("/components/2/components/0/type", j!(1)),
        ("/containers", j!({})),
        ("/containers/0", j!(1)),
        ("/containers/0/type", j!("rak")),
        ("/containers/0/components", j!(null)),
        (&format!("{RACK}/0"), j!("RackSwitch")),
        (&format!("{RACK}/1"), j!("Server")),
        (&format!("{RACK}/1/count"), j!("8")),
        (&format!("{RACK}/1/type"), j!(8)),
        ("/containers/1/components/0", j!("Rack")),
        ("/containers/1/components/0/name", j!("Rak")),
        ("/applications", j!("Rdma")),
        ("/applications", j!([])),
        ("/applications/0", j!("Rdma")),
        ("/applications/0", application),
        ("/applications/0/type", j!("app")),
        ("/links", j!(null)),
        ("/topology", j!(null)),
        ("/topology", j!([])),
        ("/topology/components", j!("Pod")),
        ("/topology/components/0", j!("Pod")),
        ("/topology/components/0/type", j!(null)),
        ("/topology/appDistribution", j!(1)),
        (ENTRIES, j!({})),
        (&format!("{ENTRIES}/0"), j!("Rdma")),
        (&format!("{ENTRIES}/0/parentApplication"), j!(1)),
        (&format!("{ENTRIES}/0/parentApplication"), j!("Rdmo")),
        (&format!("{ENTRIES}/0/distributionPercent"), j!(0.5)),
        (&format!("{ENTRIES}/0/distributionPercent"), j!(null)),
        (&format!("{ENTRIES}/0/distributionPercent/value"), j!("half")),
        ("/globalParameters", j!(null)),
        ("/globalParameters", j!(1)),
    ] {
        let wrong = wrong(&[(pointer, value.clone())], &[]);
        assert_eq!(wrong.len(), 1, "{pointer} {value}:\n{}", wrong.join("\n"));
    }
}

#[test]
fn a_misspelt_key_is_not_missing_too() {
    for (parent, key) in [
        ("", "components"),
        ("", "globalParameters"),
        ("/components/1", "typedParameters"),
        ("/components/2", "components"),
        ("/containers/0/components/1", "count"),
        ("/topology", "appDistribution"),
        ("/topology", "components"),
        ("/components/0", "name"),
        ("", "topology"),
    ] {
        let mut value = json(ONE);
        let object = value.pointer_mut(parent).and_then(Value::as_object_mut).unwrap();
        let part = object.remove(key).unwrap();
        object.insert(format!("{key}x"), part);
        let wrong = lines(&value, &[]);
        assert_eq!(wrong.len(), 1, "{parent}/{key}:\n{}", wrong.join("\n"));
        assert!(
            wrong[0].ends_with(&format!("did you mean \"{key}\"?")),
            "{}",
            wrong[0]
        );
    }
}

#[test]
fn entries_that_cannot_be_read_keep_their_positions() {
    let nic = "/components/1/typedParameters/EnableBufferStats";
    assert_eq!(
        wrong(&[("/components/0", j!(null)), (nic, j!("no"))], &[]),
        [
            "components[0]: null stands where an object belongs; give an object: { ... }",
            "components[1].typedParameters.EnableBufferStats: \"no\" is neither true nor false; give true or false, \
             without quotes",
        ]
    );
}

#[test]
fn a_fault_elsewhere_hides_no_fault_of_meaning() {
    // What the unreadable part cannot be the cause of is reported.
    assert_eq!(
        wrong(
            &[
                ("/components/0/version", j!(3)),
                (&format!("{RACK}/0/name"), j!("Leaf"))
            ],
            &[]
        ),
        [
            "components[0].version: a number stands where a text belongs; give a text",
            "containers[0].components[0].name: there is no switch \"Leaf\"; did you mean \"RackSwitch\"?"
                .replace("did you mean \"RackSwitch\"?", "known here: RackSwitch")
                .as_str(),
        ]
    );
}

#[test]
fn overrides_of_what_cannot_be_read() {
    // The fault of the document is one; that nothing can be set there follows from it.
    for (pointer, value) in [
        ("/components/1", j!(1)),
        ("/components/1/name", j!(1)),
        ("/components", j!(1)),
        ("/components/1/model", j!(1)),
        ("/components/1/typedParameters/ScalaRoceQpManager", j!(1)),
    ] {
        let wrong = wrong(&[(pointer, value)], &["Nic.ScalaRoceQpManager.MSS=1KB"]);
        assert_eq!(wrong.len(), 1, "{pointer}:\n{}", wrong.join("\n"));
    }
    assert_eq!(wrong(&[("/foo", j!(1))], &["Nik.A=1"]).len(), 2);
}

#[test]
fn a_stand_in_is_not_judged_against_other_attributes() {
    // The MSS is unknown, so it is neither too large for this MTU nor for these pools.
    let small = j!({ "Mtu": "600 B" });
    let pools = j!({ "TotalBufferSize": "2 KB" });
    let mss = "components[1].typedParameters.ScalaRoceQpManager.MSS: 512 has no unit; give one of B, KB, KiB, MB, MiB, \
               GB, GiB";
    assert_eq!(
        wrong(
            &[
                (
                    "/globalParameters/DefaultNetworkParameters/GenericNetDevice",
                    small
                ),
                (
                    "/components/1/typedParameters/NetworkInterface/EgressBufferManager",
                    pools
                ),
                ("/components/1/typedParameters/ScalaRoceQpManager/MSS", j!(512)),
            ],
            &[]
        ),
        [mss]
    );
    // Nor are the classes of an application that cannot be read.
    assert_eq!(
        wrong(
            &[
                (
                    "/components/0/typedParameters/SharedBufferManager/EnablePFC",
                    j!([0, 0, 1, 1, 0, 0, 0, 0])
                ),
                ("/applications/0/typedParameters/RdmaDataPacketTC", j!("2")),
                ("/applications/0/typedParameters/RdmaControlPacketTC", j!("3")),
            ],
            &[]
        )
        .len(),
        2
    );
}

#[test]
fn a_text_is_checked_like_a_value() {
    let text = template::text(ONE).unwrap();
    let settings = ["SimulationParameters.RunTime=0.02".to_owned()];
    let scenario = check(text, &settings).unwrap();
    assert_eq!(scenario, check_value(&json(ONE), &settings).unwrap());
    assert_eq!(scenario.global.simulation_parameters.run_time, 0.02);
    assert_eq!(
        check("{", &[]).unwrap_err().to_string(),
        "line 1, column 1: not valid JSON: EOF while parsing an object; correct the text there"
    );
    assert!(check("[]", &[]).unwrap_err().len() == 1);
    // Step by step, the outcome is the same.
    assert_eq!(
        validate(&document::read(text).unwrap()),
        check_value(&json(ONE), &[])
    );
}

//! What is refused, with its message: the path, what is wrong, and what would be right.

use crate::common::{check, fault, faults, json, with};
use serde_json::{Value, json as j};

const ONE: &str = "rdma-one-rack";
const RACK: &str = "/containers/0/components";
const ENTRIES: &str = "/topology/appDistribution/randomApplicationDistribution";

/// What is wrong once one value under `root` is changed.
fn one(root: &str, rest: &str, value: Value) -> String {
    fault(ONE, &[(&format!("{root}/{rest}"), value)])
}

#[test]
fn shape() {
    assert_eq!(
        fault(ONE, &[("/componets", j!([]))]),
        "componets: is not known here; did you mean \"components\"?"
    );
    assert_eq!(
        fault(ONE, &[("/name", j!(3))]),
        "name: a number stands where a text belongs; give a text"
    );
    assert_eq!(fault(ONE, &[("/name", j!(" "))]), "name: is empty; give a text");
    assert_eq!(
        fault(ONE, &[("/links", j!(null))]),
        "links: is missing; add \"links\": []"
    );
    assert_eq!(
        fault(ONE, &[("/topology/type", j!("ring"))]),
        "topology.type: \"ring\" is not a known choice; give one of clos"
    );
    assert_eq!(
        one(RACK, "1/count", j!(-1)),
        "containers[0].components[1].count: -1 is not a whole number from 0; give a whole number"
    );
    assert_eq!(
        check(&j!([])).unwrap_err().to_string(),
        "document: a list stands where an object belongs; give an object: { ... }"
    );
    assert!(
        faults(ONE, &[("/", j!(1))])[0].starts_with("\"\": is not known here"),
        "a key without a letter is a place too"
    );
    assert!(check(&j!({})).unwrap_err().len() >= 6);
}

#[test]
fn everything_wrong_is_reported_at_once() {
    let faults = faults(
        ONE,
        &[
            (
                "/components/0/typedParameters/SharedBufferManager/TotalSharedBufferSize/value",
                j!(-3),
            ),
            ("/components/1/typedParameters/EnableBuferStats", j!(true)),
            ("/applications/0/typedParameters/NumConnections", j!(0)),
            ("/globalParameters/SimulationParameters/RunTime", j!("long")),
        ],
    );
    assert_eq!(
        faults,
        [
            "globalParameters.SimulationParameters.RunTime: \"long\" is not a number; give a decimal number",
            "components[0].typedParameters.SharedBufferManager.TotalSharedBufferSize: -256 MB is negative; give a size \
             of 0 B or more"
                .replace("-256", "-3")
                .as_str(),
            "components[1].typedParameters.EnableBuferStats: is not known here; did you mean \"EnableBufferStats\"?",
            "applications[0].typedParameters.NumConnections: 0 is out of range; give 1 to 1024",
        ]
    );
}

#[test]
fn models() {
    assert_eq!(
        fault(ONE, &[("/components/0/model", j!("ScalaSwich"))]),
        "components[0].model: \"ScalaSwich\" is not a known model; did you mean \"ScalaSwitch\"?"
    );
    assert_eq!(
        fault(ONE, &[("/components/1/model", j!("ScalaUETNIC"))]),
        "components[1].model: ScalaUETNIC is not available yet; use ScalaRoceNic or ScalaNic"
    );
    assert_eq!(
        fault(ONE, &[("/components/1/model", j!("ScalaSwitch"))]),
        "components[1].model: ScalaSwitch is a model of type \"switch\", not \"nic\"; the models are ScalaRoceNic, \
         ScalaNic"
    );
    assert_eq!(
        fault(ONE, &[("/applications/0/model", j!("ScalaChakraGenerator"))]),
        "applications[0].model: ScalaChakraGenerator is not available yet; use ScalaRdmaApplication or \
         ScalaTrafficGeneratorApplication"
    );
    assert_eq!(
        fault(ONE, &[("/components/0/type", j!("bridge"))]),
        "components[0].type: \"bridge\" is not a type of component; give switch, nic or server"
    );
}

#[test]
fn any_version_of_a_known_model_is_run_with_a_warning() {
    let scenario = check(&with(ONE, &[("/components/0/version", j!("3.2.1"))])).unwrap();
    assert!(
        scenario
            .warnings
            .contains(&"ScalaSwitch 3.2.1 is run as version 3.7.0".to_owned())
    );
    let scenario = check(&with(ONE, &[("/components/0/model", j!("scala-switch-v3.2.1"))])).unwrap();
    assert!(
        scenario
            .warnings
            .contains(&"ScalaSwitch 3.2.1 is run as version 3.7.0".to_owned())
    );
}

#[test]
fn references() {
    assert_eq!(
        one(RACK, "0/name", j!("RackSwich")),
        "containers[0].components[0].name: there is no switch \"RackSwich\"; did you mean \"RackSwitch\"?"
    );
    assert_eq!(
        one(RACK, "1/name", j!("Sever")),
        "containers[0].components[1].name: there is no server \"Sever\"; did you mean \"Server\"?"
    );
    assert_eq!(
        fault(ONE, &[("/components/2/components/0/name", j!("Nix"))]),
        "components[2].components[0].name: there is no nic \"Nix\"; did you mean \"Nic\"?"
    );
    assert_eq!(
        one(RACK, "1/name", j!("Nic")),
        "containers[0].components[1]: \"Nic\" is a nic, not a server; correct the name or the type"
    );
    assert_eq!(
        fault(ONE, &[("/topology/components/0/name", j!("Pud"))]),
        "topology.components[0].name: there is no pod \"Pud\"; did you mean \"Pod\"?"
    );
}

#[test]
fn racks_and_servers() {
    assert_eq!(
        one(RACK, "0/count", j!(0)),
        "containers[0].components: rack \"Rack\" has no switch; add a switch to it"
    );
    assert_eq!(
        one(RACK, "0/count", j!(2)),
        "containers[1].components: nothing connects the 2 rack switches of pod \"Pod\"; add fabric switches to it, or \
         leave one switch in its rack"
    );
    assert_eq!(
        one(RACK, "1/count", j!(0)),
        "containers[0].components: rack \"Rack\" has no server; add a server to it"
    );
    assert_eq!(
        one(RACK, "1/count", j!(1)),
        "topology: there is only one host; add servers until there are two or more"
    );
    assert_eq!(
        fault(ONE, &[("/components/2/components", j!([]))]),
        "components[2].components: server \"Server\" has no NIC; give it one NIC with a count of 1"
    );
    assert_eq!(
        fault(ONE, &[("/components/2/components/0/count", j!(2))]),
        "components[2].components: server \"Server\" has 2 NICs; give it one NIC with a count of 1"
    );
    assert_eq!(
        fault(
            ONE,
            &[("/components/2/components/+", j!({"name": "Gpu", "type": "gpu"}))]
        ),
        "components[2].components[1].type: GPUs are not available yet; leave it out"
    );
    assert_eq!(
        one(RACK, "1/count", j!(u64::MAX)),
        "containers[0].components[1].count: 18446744073709551615 is more servers than can be simulated; give at most \
         262144"
    );
    assert!(one(RACK, "1/count", j!(262_145)).contains("give at most 262144"));
}

#[test]
fn containers_in_circles() {
    assert_eq!(
        fault(
            ONE,
            &[("/containers/1/components/0", j!({"name": "Pod", "type": "pod"}))]
        ),
        "containers[1].components[0]: pod \"Pod\" contains itself; name another component\n\
         containers[1].components: pod \"Pod\" has no rack; add a rack to it"
    );
    assert_eq!(
        one(RACK, "+", j!({"name": "Rack", "type": "rack"})),
        "containers[0].components[2]: rack \"Rack\" contains itself; name another component"
    );
    assert_eq!(
        one(RACK, "+", j!({"name": "Pod", "type": "pod"})),
        "containers[0].components[2].type: rack \"Rack\" cannot hold a pod; it holds switch or server"
    );
}

#[test]
fn one_name_twice() {
    assert_eq!(
        fault(ONE, &[("/components/+", json(ONE)["components"][1].clone())]),
        "components[3].name: \"Nic\" is declared twice; give each declaration a name of its own"
    );
    assert_eq!(
        fault(ONE, &[("/applications/0/name", j!("Server"))])
            .lines()
            .next()
            .unwrap(),
        "applications[0].name: \"Server\" is declared twice; give each declaration a name of its own"
    );
}

#[test]
fn distribution() {
    let initiator = "topology.appDistribution.randomApplicationDistribution[0]";
    assert_eq!(
        faults(ONE, &[(&format!("{ENTRIES}/0/distributionPercent/value"), j!(0))]),
        [format!(
            "{initiator}.distributionPercent.value: a ratio of 0 is not allowed; give a number above 0 and at most 1"
        )]
    );
    assert_eq!(
        one(ENTRIES, "0/distributionPercent/value", j!(1.5)),
        format!(
            "{initiator}.distributionPercent.value: 1.5 is out of range; give a number above 0 and at most 1"
        )
    );
    assert!(one(ENTRIES, "0/distributionPercent/value", j!(-1)).contains("-1 is out of range"));
    assert_eq!(
        one(ENTRIES, "0/distributionPercent/value", j!(0.4)),
        "topology.appDistribution.randomApplicationDistribution: the ratios add up to 0.9, not to 1; change them until \
         the sum over all applications is 1"
    );
    assert_eq!(
        one(ENTRIES, "0/distributionPercent/value", j!(0.500000001)),
        "",
        "within 10^-9"
    );
    assert_eq!(
        one(ENTRIES, "0/applicationType", j!("server"))
            .lines()
            .next()
            .unwrap(),
        format!(
            "{initiator}.applicationType: prScalaRdmaInitiator is the part of a client, not of a server; make it \"client\""
        )
    );
    assert_eq!(
        one(ENTRIES, "0/parentApplication", j!("Rdmo"))
            .lines()
            .next()
            .unwrap(),
        format!("{initiator}.parentApplication: there is no application \"Rdmo\"; did you mean \"Rdma\"?")
    );
    assert_eq!(
        one(
            ENTRIES,
            "0/distributionPercent/distributionId",
            j!("prScalaTrafficServer")
        )
        .lines()
        .next()
        .unwrap(),
        format!(
            "{initiator}.distributionPercent.distributionId: \"prScalaTrafficServer\" is no role of a \
             ScalaRdmaApplication; did you mean \"prScalaRdmaResponder\"?"
        )
    );
    let both = json(ONE)["topology"]["appDistribution"]["randomApplicationDistribution"][0].clone();
    assert_eq!(
        one(ENTRIES, "1", both).lines().next().unwrap(),
        "topology.appDistribution.randomApplicationDistribution[1]: prScalaRdmaInitiator of \"Rdma\" is given twice; \
         leave one entry"
    );
}

#[test]
fn more_roles_than_hosts() {
    let mut value = with(ONE, &[("/containers/0/components/1/count", j!(3))]);
    let mut second = value["applications"][0].clone();
    second["name"] = j!("Other");
    value["applications"].as_array_mut().unwrap().push(second);
    value["topology"]["appDistribution"] = j!(null);
    let errors = check(&value).unwrap_err();
    assert!(
        errors
            .to_string()
            .starts_with("topology.appDistribution: the ratios ask for 4 hosts"),
        "{errors}"
    );
}

#[test]
fn a_pause_of_no_time() {
    assert_eq!(
        one(
            "/components/1/typedParameters/NetworkInterface",
            "IngressBufferManager",
            j!({ "QuantaValue": [65535, 0, 0, 0, 0, 0, 0, 0] })
        ),
        "components[1].typedParameters.NetworkInterface.IngressBufferManager.QuantaValue: class 1 pauses its sender \
         (PFCEnableVector) for 0 quanta; give it 1 to 65535 quanta, or set its entry of PFCEnableVector to 0"
    );
}

#[test]
fn a_pin_given_twice_names_its_server() {
    let pin = j!({"name": "Initiator", "type": "application", "parentApplicationName": "Rdma"});
    let nic = j!({"name": "Nic", "type": "nic"});
    assert_eq!(
        fault(ONE, &[("/components/2/components", j!([nic, pin, pin]))])
            .lines()
            .next()
            .unwrap(),
        "components[2].components[2]: server \"Server\" holds the Initiator of \"Rdma\" more than once; leave one; \
         NumConnections gives a host more connections"
    );
}

//! What a deployment makes of a platform, and what it cannot make.

use super::script::star;
use crate::portals::{Machine, Options};
use packetloom_flow::{Deployment, Platform};

const NIC: &str = "<actor host=\"m1_NIC\" function=\"nic_initiator\"><prop id=\"VN\" value=\"1\"/></actor>";
const APP: &str = "<actor host=\"m1\" function=\"user_app\"/>";

fn machine_on(platform: &str, actors: &str, options: &Options) -> Result<Machine, String> {
    let platform = Platform::parse(platform, "platform.xml", None).expect("a platform");
    let text = format!("<platform version=\"4.1\">\n{actors}\n</platform>");
    let deployment = Deployment::parse(&text, "deploy.xml").expect("a deployment");
    Machine::new(&platform, &deployment, options).map_err(|error| error.to_string())
}

fn machine(actors: &str) -> Result<Machine, String> {
    machine_on(&star(&[1, 2]), actors, &Options::default())
}

fn actor(host: &str, function: &str, properties: &[(&str, &str)]) -> String {
    let properties: String = properties
        .iter()
        .map(|(id, value)| format!("<prop id=\"{id}\" value=\"{value}\"/>"))
        .collect();
    format!("<actor host=\"{host}\" function=\"{function}\">{properties}</actor>\n")
}

#[test]
fn what_cannot_be_is_said_with_its_place_and_a_remedy() {
    let app = |host, properties: &[(&str, &str)]| actor(host, "user_app", properties);
    for (actors, expected) in [
        (
            NIC.to_owned(),
            "deploy.xml: no actor user_app: add <actor host=\"...\" function=\"user_app\"/> for each process",
        ),
        (
            app("m1_NIC", &[]),
            "deploy.xml:2: actor user_app on host m1_NIC: a process runs on a processor: host=\"m1\" is expected",
        ),
        (
            actor("m1", "nic_target", &[("VN", "1")]),
            "deploy.xml:2: actor nic_target on host m1: a part of a NIC runs on a NIC: host=\"m1_NIC\" is expected",
        ),
        (
            actor("m1_NIC", "nic_target", &[]),
            "deploy.xml:2: actor nic_target on host m1_NIC: property VN is missing: 0 to 3 is expected (1 requests, 3 responses of computations)",
        ),
        (
            actor("m1_NIC", "nic_target", &[("VN", "4")]),
            "deploy.xml:2: actor nic_target on host m1_NIC: property VN is not one of 0, 1, 2 and 3",
        ),
        (
            actor("m1", "user_ap", &[]),
            "deploy.xml:2: actor user_ap on host m1: function user_ap is not known: user_app, nic_initiator, nic_target or nic_e2e is expected",
        ),
        (
            app("m1", &[("rank", "one")]),
            "deploy.xml:2: actor user_app on host m1: property rank is one: a whole number is expected",
        ),
        (
            app("m1", &[("rank", "0")]) + &app("m2", &[("rank", "0")]),
            "deploy.xml:3: actor user_app on host m2: rank 0 is that of the actor on line 2: a rank once is expected",
        ),
        (
            app("m1", &[("rank", "0")]) + &app("m2", &[("rank", "2")]),
            "deploy.xml: the ranks of user_app actors are not 0 to 1: rank 1 is missing",
        ),
        (
            app("m1", &[("delay_start", "-1")]),
            "deploy.xml:2: actor user_app on host m1: property delay_start is -1: seconds of at least 0 are expected",
        ),
        (
            app("m1", &[("model_pci", "true")]) + &app("m1", &[("model_pci", "false")]),
            "deploy.xml:3: actor user_app on host m1: property model_pci differs from that of another process of the node: one value a node is expected",
        ),
    ] {
        assert_eq!(machine(&actors).expect_err("it cannot be"), expected);
    }
    let missing = machine(&app("m9", &[])).expect_err("no such host");
    assert!(
        missing.starts_with("deploy.xml:2") && missing.contains("m9"),
        "{missing}"
    );
}

#[test]
fn nodes_need_a_nic_and_an_identifier_of_their_own() {
    let lone = "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"><host id=\"m1\" speed=\"1Gf\"/></zone></platform>";
    assert_eq!(
        machine_on(lone, APP, &Options::default()).expect_err("no NIC"),
        "deploy.xml:2: actor user_app on host m1: its node has no NIC: the platform needs a host m1_NIC"
    );
    let apps = actor("m1", "user_app", &[]) + &actor("m2", "user_app", &[]);
    let with = |nid: &str| {
        star(&[1, 2]).replace(
            "<host id=\"m2_NIC\" speed=\"1Gf\"/>",
            &format!("<host id=\"m2_NIC\" speed=\"1Gf\"><prop id=\"nid\" value=\"{nid}\"/></host>"),
        )
    };
    let nids = |platform: &str| {
        let machine = machine_on(platform, &apps, &Options::default())?;
        Ok::<_, String>(machine.nodes.iter().map(|node| node.nid).collect::<Vec<_>>())
    };
    assert_eq!(nids(&star(&[1, 2])), Ok(vec![1, 2]), "the number in the name");
    assert_eq!(nids(&with("70")), Ok(vec![1, 70]), "the NIC's property");
    assert_eq!(
        nids(&with("1")).expect_err("twice"),
        "deploy.xml:3: actor user_app on host m2: node identifier 1 is that of node m1 too: give m2_NIC a property nid of its own"
    );
    assert_eq!(
        nids(&with("x")).expect_err("no number"),
        "deploy.xml:3: actor user_app on host m2: property nid of host m2_NIC is x: a whole number from 0 to 4294967295 is expected"
    );
    let nameless = star(&[1]).replace("m1", "quito");
    assert_eq!(
        machine_on(
            &nameless,
            "<actor host=\"quito\" function=\"user_app\"/>",
            &Options::default()
        )
        .expect_err("no number"),
        "deploy.xml:2: actor user_app on host quito: its node has no identifier: give host quito_NIC a property nid, or the node a name with a number"
    );
}

#[test]
fn processors_of_a_node_share_its_nic() {
    let platform = star(&[1]).replace(
        "<router id=\"r\"/>",
        "<router id=\"r\"/><host id=\"m1_CPU0\" speed=\"1Gf\"/><host id=\"m1_CPU12\" speed=\"2Gf\"/>",
    );
    let actors = actor("m1_CPU12", "user_app", &[]) + &actor("m1_CPU0", "user_app", &[]);
    let machine = machine_on(&platform, &actors, &Options::default()).expect("a node");
    assert_eq!(machine.nodes.len(), 1);
    assert_eq!(
        machine
            .launches
            .iter()
            .map(|launch| (launch.node, launch.nid, launch.host_name.as_str()))
            .collect::<Vec<_>>(),
        [(0, 1, "m1_CPU12"), (0, 1, "m1_CPU0")]
    );
}

#[test]
fn ranks_follow_the_file_or_the_property() {
    let hosts = |actors: &str| {
        let machine = machine(actors).expect("a machine");
        machine
            .launches
            .iter()
            .map(|launch| launch.host_name.clone())
            .collect::<Vec<_>>()
    };
    let (one, two) = (actor("m1", "user_app", &[]), actor("m2", "user_app", &[]));
    assert_eq!(hosts(&(two.clone() + &one)), ["m2", "m1"]);
    let first = actor("m1", "user_app", &[("rank", "1")]) + &actor("m2", "user_app", &[("rank", "0")]);
    assert_eq!(hosts(&first), ["m2", "m1"]);
}

#[test]
fn features_need_node_and_run() {
    let features = |properties: &[(&str, &str)], e2e: bool, options: &Options| {
        let mut actors = actor("m1", "user_app", properties);
        if e2e {
            actors += &actor("m1_NIC", "nic_e2e", &[]);
        }
        let features = machine_on(&star(&[1]), &actors, options)
            .expect("a machine")
            .nodes[0]
            .features;
        (features.pci, features.pci_commands, features.e2e)
    };
    let all = Options::default();
    assert_eq!(features(&[], true, &all), (true, true, true));
    assert_eq!(
        features(&[("model_pci", "false")], false, &all),
        (false, false, false)
    );
    assert_eq!(
        features(&[("model_pci_commands", "false")], true, &all),
        (true, false, true)
    );
    let off = |change: fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        options
    };
    assert_eq!(
        features(&[], true, &off(|to| to.model_pci = false)),
        (false, false, true)
    );
    assert_eq!(
        features(&[], true, &off(|to| to.model_pci_commands = false)),
        (true, false, true)
    );
    assert_eq!(
        features(&[], true, &off(|to| to.e2e_off = true)),
        (true, true, false)
    );
}

#[test]
fn what_is_missing_is_added_and_said() {
    let machine = machine(&(APP.to_owned() + NIC)).expect("a machine");
    assert_eq!(
        machine.warnings,
        [
            "m1_NIC has no nic_target with VN 1: it was given one",
            "m1_NIC has no nic_initiator with VN 3: it was given one",
            "m1_NIC has no nic_target with VN 3: it was given one",
        ]
    );
    assert_eq!(
        (
            machine.nodes[0].transmitters.len(),
            machine.nodes[0].receivers.len()
        ),
        (2, 2)
    );
}

//! Tiers of switches: what joins racks and pods, and what is refused because something is left alone.

use crate::common::{check, fault, with};
use packetloom_config::Scenario;
use serde_json::{Value, json as j};

const ONE: &str = "rdma-one-rack";
const TWO: &str = "rdma-16-hosts";
const TOP: &str = "/topology/components";

fn spine(count: u64) -> Value {
    j!({"name": "Spine", "type": "switch", "count": count})
}

fn layer(count: u64) -> Value {
    j!({"name": "Plane", "type": "layer", "count": count})
}

fn pods(count: u64) -> Value {
    j!({"name": "Pod", "type": "pod", "count": count})
}

/// Two racks of 8 hosts a pod under 2 fabric switches, spine switches of a component of their own, a layer of 3 of
/// them, and what the topology counts.
fn tiers(top: Value, changes: &[(&str, Value)]) -> Value {
    let spine = j!({"type": "switch", "name": "Spine", "model": "ScalaSwitch", "version": "3.7.0", "typedParameters": {
        "NetworkInterface": {"DownlinkNetworkInterface": {"DataRate": "800Gbps"}},
    }});
    let plane = j!({"type": "layer", "name": "Plane", "model": "ScalaLayer", "version": "4.0.0",
        "components": [{"name": "Spine", "type": "switch", "count": 3}]});
    let mut all = vec![
        ("/components/+", spine),
        ("/links/+", plane),
        (TOP, top),
        ("/topology/topologyTiers", j!(3)),
    ];
    all.extend(changes.iter().cloned());
    with(TWO, &all)
}

#[track_caller]
fn accepted(top: Value, changes: &[(&str, Value)]) -> Scenario {
    check(&tiers(top, changes)).unwrap_or_else(|errors| panic!("{errors}"))
}

#[track_caller]
fn refused(top: Value, changes: &[(&str, Value)]) -> String {
    check(&tiers(top, changes))
        .expect_err("must be refused")
        .to_string()
}

/// The component added after those of the template: its rack switch, fabric switch, NIC and server.
const SPINE: usize = 2;

#[test]
fn plain_spine_switches_join_pods() {
    let scenario = accepted(j!([spine(2), pods(2)]), &[("/links", j!([]))]);
    assert_eq!(scenario.switches[SPINE].name, "Spine");
    assert_eq!(scenario.plan.spines, [SPINE; 2]);
    assert!(scenario.plan.planes.is_empty());
    assert_eq!((scenario.plan.pods.len(), scenario.plan.hosts()), (2, 32));
    assert_eq!(scenario.plan.spines_above(1).collect::<Vec<_>>(), [SPINE; 2]);
    assert_eq!(scenario.warnings.len(), 2, "{:?}", scenario.warnings);
}

#[test]
fn a_layers_count_is_the_number_of_planes() {
    let scenario = accepted(j!([layer(2), pods(2)]), &[]);
    assert_eq!(scenario.plan.planes, vec![vec![SPINE; 3]; 2]);
    assert_eq!(scenario.plan.spine_switches(), 6);
    assert_eq!(
        [0, 1, 2, 3].map(|i| scenario.plan.plane_of(i)),
        [0, 1, 0, 1].map(Some)
    );
    // Two layers, and a plain switch beside them.
    let other = j!({"type": "layer", "name": "Other", "model": "scala-layer-v4.0.0", "version": "4.0.0",
        "components": [{"name": "FabricSwitch", "type": "switch"}]});
    let top = j!([pods(1), pods(1), layer(1), {"name": "Other", "type": "layer"}, spine(1)]);
    let scenario = accepted(top, &[("/links/+", other)]);
    assert_eq!(scenario.plan.planes, [vec![SPINE; 3], vec![1]]);
    assert_eq!(scenario.plan.pods.len(), 2);
    assert_eq!(scenario.plan.spines_above(0).collect::<Vec<_>>(), [SPINE; 4]);
    assert_eq!(scenario.plan.spines_above(1).collect::<Vec<_>>(), [SPINE, 1]);
}

#[test]
fn several_switches_in_a_rack() {
    let scenario = check(&with(TWO, &[("/containers/0/components/0/count", j!(3))])).unwrap();
    assert!(
        scenario.plan.pods[0]
            .racks
            .iter()
            .all(|rack| rack.switches == [0, 0, 0])
    );
    assert_eq!(
        fault(ONE, &[("/containers/0/components/0/count", j!(2))]),
        "containers[1].components: nothing connects the 2 rack switches of pod \"Pod\"; add fabric switches to it, or \
         leave one switch in its rack"
    );
    assert_eq!(
        fault(TWO, &[("/containers/0/components/0/count", j!(u64::MAX))]),
        "containers[0].components[0].count: 18446744073709551615 is more switches than can be simulated; give at most \
         32768"
    );
}

#[test]
fn the_tiers_stated_are_those_that_are_there() {
    let stated = |top: Value, tiers: u64| {
        let scenario = accepted(top, &[("/topology/topologyTiers", j!(tiers))]);
        let warning = scenario
            .warnings
            .into_iter()
            .find(|w| w.contains("topologyTiers"));
        warning.unwrap_or_default()
    };
    assert_eq!(stated(j!([layer(2), pods(2)]), 3), "");
    assert_eq!(stated(j!([spine(1), pods(1)]), 3), "");
    assert_eq!(
        stated(j!([layer(2), pods(2)]), 2),
        "topology.topologyTiers is 2, but the components make 3 tiers"
    );
    assert_eq!(
        stated(j!([layer(0), pods(1)]), 3),
        "topology.topologyTiers is 3, but the components make 2 tiers"
    );
}

#[test]
fn what_nothing_connects() {
    assert_eq!(
        refused(j!([pods(2)]), &[]),
        "topology.components: nothing connects the 2 pods; add spine switches or a layer of them, or leave one pod"
    );
    assert_eq!(
        fault(ONE, &[("/containers/1/components/0/count", j!(2))]),
        "containers[1].components: nothing connects the 2 racks of pod \"Pod\"; add fabric switches to it, or leave one \
         rack"
    );
    // One rack a pod, and no fabric switch.
    let alone = j!([{"name": "Rack", "type": "rack", "count": 1}]);
    for top in [j!([layer(2), pods(2)]), j!([spine(1), pods(1)])] {
        assert_eq!(
            refused(top, &[("/containers/1/components", alone.clone())]),
            "containers[1].components: nothing connects pod \"Pod\" to the spine switches; add fabric switches to it"
        );
    }
    assert_eq!(
        refused(j!([layer(3), pods(2)]), &[]),
        "topology.components: no fabric switch belongs to plane 2: there are 3 planes, from 0, and a pod has 2 fabric \
         switches at most; lower the count of layers to 2, or add fabric switches to the pods"
    );
    for (switch, name, above) in [
        (0, "rack switch \"RackSwitch\"", "fabric"),
        (1, "fabric switch \"FabricSwitch\"", "spine"),
    ] {
        let path = format!("components[{switch}].typedParameters.NumUpLinksPerSwitch");
        let pointer = format!("/components/{switch}/typedParameters/NumUpLinksPerSwitch");
        assert_eq!(
            refused(j!([layer(2), pods(2)]), &[(&pointer, j!(0))]),
            format!("{path}: {name} has no links to the {above} switches; give 1 or more")
        );
    }
    // Switches with nothing above them need no uplinks.
    let pointer = "/components/1/typedParameters/NumUpLinksPerSwitch";
    assert_eq!(fault(TWO, &[(pointer, j!(0))]), "");
}

#[test]
fn layers_are_declared_in_links_and_hold_switches() {
    let top = || j!([layer(2), pods(2)]);
    assert_eq!(
        refused(top(), &[("/links/0/components", j!([]))]),
        "links[0].components: layer \"Plane\" has no switch; add a switch to it"
    );
    assert_eq!(
        refused(top(), &[("/links/0/components/0/type", j!("pod"))]),
        "links[0].components[0].type: layer \"Plane\" cannot hold a pod; it holds switch"
    );
    assert_eq!(
        refused(top(), &[("/links/0/components/0/name", j!("Spin"))]),
        "links[0].components[0].name: there is no switch \"Spin\"; did you mean \"Spine\"?"
    );
    assert_eq!(
        refused(top(), &[("/links/0/type", j!("cable"))]),
        "links[0].type: \"cable\" is not a type of link; give layer"
    );
    assert_eq!(
        refused(top(), &[("/links/0/model", j!("ScalaLair"))]),
        "links[0].model: \"ScalaLair\" is not a known model; did you mean \"ScalaLayer\"?"
    );
    assert_eq!(
        refused(top(), &[("/links/0/model", j!("ScalaPod"))]),
        "links[0].model: ScalaPod is a model of type \"pod\", not \"layer\"; the models are ScalaLayer"
    );
    assert!(
        refused(top(), &[("/links/0/typedParameters", j!({"Planes": 2}))])
            .starts_with("links[0].typedParameters.Planes: ")
    );
    assert_eq!(
        refused(j!([{"name": "Plain", "type": "layer"}, pods(2)]), &[]),
        "topology.components[0].name: there is no layer \"Plain\"; did you mean \"Plane\"?"
    );
    assert_eq!(
        refused(j!([{"name": "Spine", "type": "layer"}, pods(2)]), &[]),
        "topology.components[0]: \"Spine\" is a switch, not a layer; correct the name or the type"
    );
    let scenario = accepted(top(), &[("/links/0/version", j!("3.0.0"))]);
    let warning = "ScalaLayer 3.0.0 is run as version 4.0.0".to_owned();
    assert!(scenario.warnings.contains(&warning), "{:?}", scenario.warnings);
}

#[test]
fn more_than_can_be_simulated() {
    // 16 hosts a pod: 262,144 / 16.
    assert_eq!(
        refused(j!([spine(1), pods(16_385)]), &[]),
        "topology.components[1].count: 16385 is more pods than can be simulated; give at most 16384"
    );
    assert_eq!(
        refused(j!([spine(1), pods(10_000), pods(u64::MAX)]), &[])
            .lines()
            .next()
            .unwrap(),
        "topology.components[2].count: 18446744073709551615 is more pods than can be simulated; give at most 6384"
    );
    assert_eq!(
        refused(j!([spine(65_537), pods(1)]), &[]),
        "topology.components[0].count: 65537 is more spine switches than can be simulated; give at most 65536"
    );
    // Layers of 3 switches.
    assert_eq!(
        refused(j!([layer(21_846), pods(1)]), &[]),
        "topology.components[0].count: 21846 is more planes than can be simulated; give at most 21845"
    );
    // A layer counted twice.
    assert_eq!(
        refused(
            j!([layer(1), layer(1), pods(2)]),
            &[("/links/0/components/0/count", j!(65_537))]
        ),
        "links[0].components[0].count: 65537 is more switches than can be simulated; give at most 65536"
    );
    // Up from each of 2 pods: 2 rack switches with 8 links to 2 fabric switches, and these with 100,000 to 3 spines.
    let many = ("/components/1/typedParameters/NumUpLinksPerSwitch", j!(100_000));
    let found = refused(j!([layer(2), pods(2)]), &[many]);
    let links = "topology.components: 1200064 links between switches are more than can be simulated; lower \
                 NumUpLinksPerSwitch or the counts, to 1048576";
    assert!(found.lines().any(|line| line == links), "{found}");
    // A fabric switch: 16 ports down, and 3 x 22,000 up.
    let many = ("/components/1/typedParameters/NumUpLinksPerSwitch", j!(22_000));
    let found = refused(j!([layer(2), pods(2)]), &[many]);
    let ports = "components[1].typedParameters.NumUpLinksPerSwitch: an instance of \"FabricSwitch\" has 66016 connected \
                 ports; at most 65535 are possible; use fewer parallel links or more switches";
    assert!(found.lines().any(|line| line == ports), "{found}");
}

#[test]
fn ports_of_every_tier_share_the_buffer() {
    // Component and the ports of one instance. 2 pods of 2 fabric switches in 2 planes of 3 spines: a rack switch has 16
    // up and 8 down, a fabric switch 8 to each of 3 spines and 8 to each of 2 racks, a spine 8 to one switch of each pod.
    for (component, ports) in [(0, 24), (1, 40), (4, 16)] {
        let pointer =
            format!("/components/{component}/typedParameters/SharedBufferManager/HeadRoomPerPortLimit");
        let found = refused(j!([layer(2), pods(2)]), &[(&pointer, j!("200 MB"))]);
        let start = format!(
            "components[{component}].typedParameters.SharedBufferManager.HeadRoomPerPortLimit: HeadRoomPerPortLimit x \
             {ports} connected ports is {} B, more than TotalSharedBufferSize",
            200_000_000u64 * ports
        );
        assert!(found.starts_with(&start), "{found}");
    }
    // A plain spine switch meets all 4 fabric switches; with 3 switches in a rack of 8 servers, the first has 3 of them.
    let room = "/components/4/typedParameters/SharedBufferManager/HeadRoomPerPortLimit";
    assert!(refused(j!([spine(1), pods(2)]), &[(room, j!("200 MB"))]).contains("x 32 connected ports"));
    let rack = "/components/0/typedParameters/SharedBufferManager/HeadRoomPerPortLimit";
    let found = fault(
        TWO,
        &[("/containers/0/components/0/count", j!(3)), (rack, j!("200 MB"))],
    );
    assert!(found.contains("x 19 connected ports"), "{found}");
}

#[test]
fn headroom_for_the_links_to_the_spines() {
    // At 400 Gbps and 800 ns: 80,000 B under way in both directions, two frames of 4,154 B and a pause of 84 B. At the rack switch it
    // is 500 ns still, at the spine switch the fabric switch's delay.
    let delay = (
        "/components/1/typedParameters/NetworkInterface/TransmissionMedium/Delay",
        j!("800 ns"),
    );
    let room = |component: usize| {
        format!("/components/{component}/typedParameters/SharedBufferManager/HeadRoomPerPortLimit")
    };
    for (component, needed, delay_there) in [
        (0, 58_392, "500 ns"),
        (1, 88_392, "800 ns"),
        (4, 88_392, "800 ns"),
    ] {
        let short = |given: u64| {
            let changes = [delay.clone(), (&*room(component), j!(format!("{given} B")))];
            let scenario = accepted(j!([layer(2), pods(2)]), &changes);
            let warning = format!(
                "may not hold what arrives after a pause: a link of 400 Gbps with a delay of {delay_there} needs {needed} B"
            );
            scenario
                .warnings
                .iter()
                .any(|w| w.starts_with(&format!("components[{component}]")) && w.ends_with(&warning))
        };
        assert!(!short(needed), "component {component}");
        assert!(short(needed - 1), "component {component}");
    }
}

#[test]
fn faults_of_a_layer_bring_no_others() {
    let top = || j!([layer(2), pods(2)]);
    for (pointer, value) in [
        ("/links", j!(7)),
        ("/links/0", j!("Plane")),
        ("/links/0/name", j!(7)),
        ("/links/0/type", j!(7)),
        ("/links/0/model", j!(7)),
        ("/links/0/components", j!("Spine")),
        ("/links/0/components/0", j!("Spine")),
        ("/links/0/components/0/count", j!("3")),
        ("/topology/components/0/type", j!(7)),
        ("/topology/components/1/count", j!("2")),
    ] {
        let document = tiers(top(), &[(pointer, value.clone())]);
        let errors = packetloom_config::check_value(&document, &[]).expect_err("must be refused");
        assert_eq!(errors.len(), 1, "{pointer} {value}:\n{errors}");
    }
}

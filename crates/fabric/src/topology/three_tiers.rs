//! Networks with spine switches: plain ones, and planes of them.

use super::tests::{pod, rack, switch};
use super::*;
use crate::frame::HostId;
use packetloom_des::{Rate, Span};

/// Node numbers of the switches above a switch, one for each parallel link.
fn above(topology: &Topology, node: u32) -> Vec<u32> {
    let ports = &topology.switches[node as usize].ports;
    let peer = |port: &Port| match port.peer {
        Endpoint::Switch(peer) => peer,
        Endpoint::Host(_) => unreachable!("no host above a switch"),
    };
    ports.iter().filter(|port| port.up).map(peer).collect()
}

/// 2 planes of 2 spine switches, 2 pods of 2 fabric switches, 2 racks of 4 servers; one link everywhere.
fn two_planes() -> Topology {
    let plan = Plan {
        pods: vec![pod(2, 2, 4, 1); 2],
        planes: vec![vec![switch(1); 2]; 2],
        ..Plan::default()
    };
    Topology::build(plan).expect("a connected plan")
}

#[test]
fn a_fabric_switch_meets_the_spines_of_its_plane() {
    // Nodes: spines 0 and 1 of plane 0, 2 and 3 of plane 1; fabric 4, 5 of pod 0 and 6, 7 of pod 1; racks 8 to 11; NICs
    // 12 to 27; hosts 28 to 43.
    let topology = two_planes();
    assert_eq!(topology.switches.len(), 12);
    assert_eq!(
        (topology.hosts[0].nic_node, topology.hosts[0].host_node),
        (12, 28)
    );
    assert_eq!(topology.hosts[15].host_node, 43);
    for (fabric, spines) in [(4, [0, 1]), (5, [2, 3]), (6, [0, 1]), (7, [2, 3])] {
        assert_eq!(above(&topology, fabric), spines, "fabric switch {fabric}");
    }
    assert_eq!(above(&topology, 10), [6, 7], "the first rack of pod 1");
    assert_eq!(topology.switches[3].name, "ScalaSpineSwitch-3-3-0-0-0-3");
    assert_eq!(topology.switches[7].name, "ScalaFabricSwitch-7-7-0-1-1-1");
    // A spine switch has a port to its plane's switch of each pod, and leads to a pod by this alone.
    let peers: Vec<Endpoint> = topology.switches[2].ports.iter().map(|port| port.peer).collect();
    assert_eq!(peers, [5, 7].map(Endpoint::Switch));
    assert_eq!(topology.routes[2].members(HostId(0)), [0]);
    assert_eq!(topology.routes[2].members(HostId(15)), [1]);
    assert_eq!(topology.routes[2].sets(), 2, "one for each pod");
    // A fabric switch goes up to the other pod by ports 0 and 1, down to its racks by ports 2 and 3.
    let fabric = &topology.routes[4];
    assert_eq!(fabric.members(HostId(8)), [0, 1]);
    assert_eq!(
        (fabric.members(HostId(0)), fabric.members(HostId(4))),
        (&[2][..], &[3][..])
    );
    // A rack switch has one set for everything that is not its own.
    let rack = &topology.routes[8];
    assert_eq!(
        (rack.sets(), rack.members(HostId(4)), rack.members(HostId(15))),
        (1, &[0, 1][..], &[0, 1][..])
    );
}

#[test]
fn planes_come_round_again() {
    // 5 fabric switches a pod in 2 planes: switches 0, 2, 4 in plane 0 and 1, 3 in plane 1. Parallel links: 3.
    let plan = Plan {
        pods: vec![pod(5, 1, 1, 3); 2],
        planes: vec![vec![switch(1)], vec![switch(1); 2]],
        ..Plan::default()
    };
    assert_eq!((plan.plane_of(4), plan.plane_of(3)), (Some(0), Some(1)));
    let topology = Topology::build(plan).expect("a connected plan");
    // Spines 0; 1 and 2. Fabric switches 3 to 7 and 8 to 12.
    assert_eq!(above(&topology, 7), [0, 0, 0]);
    assert_eq!(above(&topology, 6), [1, 1, 1, 2, 2, 2]);
    assert_eq!(topology.switches[0].downlinks(), 2 * 3 * 3);
    assert_eq!(topology.switches[2].downlinks(), 2 * 2 * 3);
    // To pod 1, spine 0 has 3 links to each of fabric switches 8, 10 and 12: its ports 9 to 17.
    assert_eq!(
        topology.routes[0].members(HostId(1)),
        (9..18).collect::<Vec<u16>>()
    );
}

#[test]
fn plain_spines_meet_every_fabric_switch_beside_planes() {
    let plan = Plan {
        pods: vec![pod(2, 1, 1, 1); 2],
        spines: vec![switch(1)],
        planes: vec![vec![switch(1)], vec![switch(1)]],
    };
    assert_eq!(Plan::default().plane_of(3), None);
    let topology = Topology::build(plan).expect("a connected plan");
    assert_eq!(
        (above(&topology, 3), above(&topology, 4)),
        (vec![0, 1], vec![0, 2])
    );
    assert_eq!(topology.switches[0].downlinks(), 4);
}

#[test]
fn pods_that_share_no_plane_with_a_fabric_switch_are_reached_by_others() {
    // Pod 0 has fabric switches in planes 0 and 1, pod 1 in plane 0 alone.
    let plan = Plan {
        pods: vec![pod(2, 2, 1, 1), pod(1, 1, 1, 1)],
        planes: vec![vec![switch(1)]; 2],
        ..Plan::default()
    };
    let topology = Topology::build(plan).expect("plane 0 joins both pods");
    // Spines 0, 1; fabric 2, 3 and 4; racks 5, 6 and 7. Port 0 of a rack in pod 0 leads to plane 0, port 1 to plane 1.
    let rack = &topology.routes[5];
    assert_eq!(rack.members(HostId(1)), [0, 1], "to the other rack of the pod");
    assert_eq!(rack.members(HostId(2)), [0], "to the other pod");
    // Without a switch in the plane that they share, the pods are apart.
    let apart = Plan {
        pods: vec![pod(2, 1, 1, 1), pod(1, 1, 1, 1)],
        planes: vec![Vec::new(), vec![switch(1)]],
        ..Plan::default()
    };
    let refused = Topology::build(apart).expect_err("plane 0 has no switch");
    assert!(matches!(refused, PlanError::Unreachable { .. }), "{refused}");
    // A plane that no fabric switch belongs to.
    let idle = Plan {
        pods: vec![pod(2, 1, 1, 1); 2],
        planes: vec![vec![switch(1)]; 3],
        ..Plan::default()
    };
    let refused = Topology::build(idle).expect_err("no pod has three fabric switches");
    let spine = "ScalaSpineSwitch-2-2-0-0-0-2".to_owned();
    assert_eq!(refused, PlanError::UnlinkedSpine { spine });
}

#[test]
fn a_link_to_a_spine_takes_the_lower_rate_and_the_fabric_switchs_delay() {
    let mut plan = Plan {
        pods: vec![pod(1, 1, 1, 1); 2],
        planes: vec![vec![switch(1)]],
        ..Plan::default()
    };
    plan.planes[0][0].down_rate = Rate::from_gbps(800);
    plan.planes[0][0].up_delay = Span::from_ns(9);
    plan.pods[0].fabric_switches[0].up_rate = Rate::from_gbps(200);
    plan.pods[0].fabric_switches[0].up_delay = Span::from_ns(700);
    plan.pods[1].fabric_switches[0].up_rate = Rate::from_gbps(1_600);
    let topology = Topology::build(plan).expect("a connected plan");
    let spine: Vec<(Rate, Span)> = topology.switches[0]
        .ports
        .iter()
        .map(|p| (p.rate, p.delay))
        .collect();
    assert_eq!(
        spine,
        [
            (Rate::from_gbps(200), Span::from_ns(700)),
            (Rate::from_gbps(800), Span::from_ns(500)),
        ]
    );
}

#[test]
fn partitions_of_three_tiers() {
    // Nodes: spines 0, 1; fabric 2, 3; racks 4 and 5; hosts 6 to 9. By default a rack with its hosts is one.
    let plan = Plan {
        pods: vec![pod(1, 1, 2, 1); 2],
        spines: vec![switch(1); 2],
        ..Plan::default()
    };
    let mut zero = plan.clone();
    let topology = Topology::build(plan).expect("a connected plan");
    assert_eq!(topology.partitions(Cut::Default), [0, 1, 2, 3, 4, 5, 4, 4, 5, 5]);
    assert_eq!(topology.partitions(Cut::One), [0; 10]);
    assert_eq!(topology.partitions(Cut::Each), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    // A fabric switch whose uplinks have no delay shares its partition with all spine switches.
    zero.pods[0].fabric_switches[0].up_delay = Span::ZERO;
    let topology = Topology::build(zero).expect("a connected plan");
    assert_eq!(topology.partitions(Cut::Default), [0, 0, 0, 1, 2, 3, 2, 2, 3, 3]);
    // Each of several rack switches in a rack goes with its own hosts.
    let mut shared = rack(1, 4);
    shared.switches.push(switch(1));
    let plan = Plan {
        pods: vec![PodPlan {
            fabric_switches: vec![switch(1)],
            racks: vec![shared],
        }],
        ..Plan::default()
    };
    let topology = Topology::build(plan).expect("a connected plan");
    assert_eq!(topology.partitions(Cut::Default), [0, 1, 2, 1, 2, 1, 2]);
}

#[test]
fn a_large_three_tier_fabric_builds() {
    // 65,536 hosts: 32 pods of 32 racks of 64, 8 fabric switches a pod in 8 planes of 8 spine switches. Links: 8 from a
    // rack switch to each of 8 fabric switches, 32 from each fabric switch to each of 8 spines of its plane.
    let mut fabric = pod(8, 32, 64, 8);
    fabric.fabric_switches = vec![switch(32); 8];
    let plan = Plan {
        pods: vec![fabric; 32],
        planes: vec![vec![switch(1); 8]; 8],
        ..Plan::default()
    };
    let topology = Topology::build(plan).expect("a connected plan");
    assert_eq!(topology.hosts.len(), 65_536);
    assert_eq!(topology.switches.len(), 64 + 32 * 8 + 32 * 32);
    assert_eq!(topology.links().count(), 65_536 + 32 * 32 * 64 + 32 * 8 * 256);
    let spine = &topology.routes[0];
    assert_eq!((spine.sets(), spine.members(HostId(65_535)).len()), (32, 32));
    assert_eq!(topology.routes[64].members(HostId(65_535)).len(), 256);
    assert_eq!(topology.routes[64].sets(), 33, "32 racks, and up");
}

#[test]
fn racks_below_unlike_pods_need_no_table_of_racks() {
    // 2 pods that differ in planes, 4,096 racks each: a table of racks in every rack switch would take 128 MB.
    let plan = Plan {
        pods: vec![pod(2, 4_096, 1, 1), pod(1, 4_096, 1, 1)],
        planes: vec![vec![switch(1)]; 2],
        ..Plan::default()
    };
    let (switches, hosts) = build::wire(&plan).expect("can be wired");
    let mut built = None;
    let counted = allocation_counter::measure(|| built = routes::all(&switches, &hosts).ok());
    let routes = built.expect("all are joined");
    assert_eq!(routes[5].sets(), 2);
    assert!(counted.bytes_max < 16_000_000, "{} B", counted.bytes_max);
}

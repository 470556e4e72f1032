use super::*;
use crate::frame::HostId;
use packetloom_des::{Rate, Span};

pub(super) fn switch(links: u32) -> SwitchPlan {
    SwitchPlan {
        component: 0,
        up_rate: Rate::from_gbps(400),
        down_rate: Rate::from_gbps(400),
        up_delay: Span::from_ns(500),
        up_links_per_switch: links,
    }
}

pub(super) fn server() -> ServerPlan {
    ServerPlan {
        component: 0,
        rate: Rate::from_gbps(400),
        delay: Span::from_ns(100),
    }
}

pub(super) fn rack(links: u32, servers: usize) -> RackPlan {
    RackPlan {
        switches: vec![switch(links)],
        servers: vec![server(); servers],
    }
}

pub(super) fn pod(fabric: usize, racks: usize, servers: usize, links: u32) -> PodPlan {
    PodPlan {
        fabric_switches: vec![switch(links); fabric],
        racks: vec![rack(links, servers); racks],
    }
}

fn one_pod(fabric: usize, racks: usize, servers: usize, links: u32) -> Topology {
    let plan = Plan {
        pods: vec![pod(fabric, racks, servers, links)],
        ..Plan::default()
    };
    Topology::build(plan).expect("a connected plan")
}

#[test]
fn node_ids_run_from_the_top_down() {
    // 2 fabric + 4 rack switches are nodes 0 to 5, 256 NICs 6 to 261, hosts 262 to 517.
    let topology = one_pod(2, 4, 64, 8);
    assert_eq!(topology.hosts[0].host_node, 262);
    assert_eq!(topology.hosts[0].nic_node, 6);
    let host = topology
        .hosts
        .iter()
        .find(|h| (h.rack, h.server) == (3, 24))
        .expect("rack 3 has 64 servers");
    assert_eq!(host.host_node, 478, "262 + 3 x 64 + 24");
    assert_eq!(
        topology.switches.iter().map(|s| s.node).collect::<Vec<_>>(),
        [0, 1, 2, 3, 4, 5]
    );
}

#[test]
fn names_say_where_a_device_stands() {
    let plan = Plan {
        pods: vec![pod(1, 2, 2, 1); 2],
        spines: vec![switch(1)],
        ..Plan::default()
    };
    let topology = Topology::build(plan).expect("a connected plan");
    let names: Vec<&str> = topology.switches.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "ScalaSpineSwitch-0-0-0-0-0-0",
            "ScalaFabricSwitch-1-1-0-0-1-0",
            "ScalaFabricSwitch-2-2-0-1-1-0",
            "ScalaRackSwitch-3-3-0-0-2-0",
            "ScalaRackSwitch-4-4-0-0-2-1",
            "ScalaRackSwitch-5-5-0-1-2-0",
            "ScalaRackSwitch-6-6-0-1-2-1",
        ]
    );
    assert_eq!(
        topology.name(Endpoint::Host(5)),
        "ScalaHost-0-1-0-1",
        "third rack, second server"
    );
    // The documented sample: two fabric switches, then the first rack switch.
    assert_eq!(
        one_pod(2, 1, 1, 1).switches[2].name,
        "ScalaRackSwitch-2-2-0-0-2-0"
    );
}

#[test]
fn uplinks_come_before_downlinks() {
    // 2 fabric switches, 3 racks of 4 servers, 2 parallel links: a rack switch has ports 0, 1 to the first fabric
    // switch, 2, 3 to the second, and 4 to 7 to its servers; a fabric switch has 2 ports to each of 3 racks.
    let topology = one_pod(2, 3, 4, 2);
    let rack = &topology.switches[3];
    let peers: Vec<(Endpoint, u16, bool)> = rack.ports.iter().map(|p| (p.peer, p.peer_port, p.up)).collect();
    assert_eq!(
        peers,
        [
            (Endpoint::Switch(0), 2, true),
            (Endpoint::Switch(0), 3, true),
            (Endpoint::Switch(1), 2, true),
            (Endpoint::Switch(1), 3, true),
            (Endpoint::Host(4), 0, false),
            (Endpoint::Host(5), 0, false),
            (Endpoint::Host(6), 0, false),
            (Endpoint::Host(7), 0, false),
        ]
    );
    assert_eq!((rack.uplinks(), rack.downlinks()), (4, 4));
    assert_eq!(
        (topology.switches[0].uplinks(), topology.switches[0].downlinks()),
        (0, 6)
    );
    assert_eq!(topology.hosts[5].port.peer, Endpoint::Switch(3));
    assert_eq!(topology.hosts[5].port.peer_port, 5);
    assert_eq!(topology.links().count(), 3 * 2 * 2 + 12);
    let first = topology.links().next().expect("there are links");
    assert_eq!(
        (first.upper, first.upper_port, first.lower, first.lower_port),
        (0, 0, Endpoint::Switch(2), 0)
    );
}

#[test]
fn a_link_takes_the_lower_rate_and_the_lower_devices_delay() {
    let mut plan = Plan {
        pods: vec![pod(1, 1, 1, 1)],
        ..Plan::default()
    };
    plan.pods[0].fabric_switches[0].down_rate = Rate::from_gbps(800);
    plan.pods[0].fabric_switches[0].up_delay = Span::from_ns(9);
    plan.pods[0].racks[0].switches[0].up_rate = Rate::from_gbps(200);
    plan.pods[0].racks[0].switches[0].down_rate = Rate::from_gbps(100);
    let topology = Topology::build(plan).expect("a connected plan");
    let links: Vec<(Rate, Span)> = topology.links().map(|link| (link.rate, link.delay)).collect();
    let expected = [
        (Rate::from_gbps(200), Span::from_ns(500)),
        (Rate::from_gbps(100), Span::from_ns(100)),
    ];
    assert_eq!(links, expected);
    assert_eq!(
        topology.hosts[0].port.rate,
        Rate::from_gbps(100),
        "both directions of a link are alike"
    );
    assert_eq!(topology.switches[1].ports[0].rate, Rate::from_gbps(200));
}

#[test]
fn a_rack_switch_sends_up_by_all_uplinks() {
    let topology = one_pod(2, 3, 4, 2);
    let rack = &topology.routes[3];
    assert_eq!(rack.members(HostId(0)), [0, 1, 2, 3]);
    assert_eq!(rack.members(HostId(6)), [6], "its third server");
    assert_eq!(rack.sets(), 1);
    assert_eq!((rack.set_of(HostId(0)), rack.set_of(HostId(6))), (Some(0), None));
    let fabric = &topology.routes[1];
    assert_eq!(fabric.members(HostId(0)), [0, 1]);
    assert_eq!(fabric.members(HostId(11)), [4, 5]);
    assert_eq!(fabric.sets(), 3);
}

#[test]
fn a_lone_rack_needs_no_switch_above() {
    let topology = one_pod(0, 1, 16, 8);
    assert_eq!(topology.routes[0].members(HostId(15)), [15]);
    assert_eq!(topology.links().count(), 16);
}

#[test]
fn several_rack_switches_share_a_racks_servers_in_turn() {
    let mut plan = Plan {
        pods: vec![pod(1, 2, 5, 1)],
        ..Plan::default()
    };
    plan.pods[0].racks[1].switches.push(switch(1));
    let topology = Topology::build(plan).expect("a connected plan");
    let peers: Vec<Endpoint> = topology.hosts[5..].iter().map(|host| host.port.peer).collect();
    assert_eq!(peers, [2, 3, 2, 3, 2].map(Endpoint::Switch));
    assert_eq!(
        topology.routes[3].members(HostId(8)),
        [2],
        "port 0 leads up, server 1 is on port 1, server 3 on 2"
    );
    assert_eq!(topology.routes[3].members(HostId(7)), [0]);
}

#[test]
fn plans_that_cannot_work_are_refused() {
    let refused = |plan: Plan| Topology::build(plan).expect_err("cannot be built");
    assert_eq!(refused(Plan::default()), PlanError::NoServers);

    let mut plan = Plan {
        pods: vec![pod(1, 2, 1, 1)],
        ..Plan::default()
    };
    plan.pods[0].racks[1].switches.clear();
    assert_eq!(refused(plan), PlanError::NoRackSwitch { pod: 0, rack: 1 });

    let split = refused(Plan {
        pods: vec![pod(0, 2, 1, 1)],
        ..Plan::default()
    });
    assert!(matches!(split, PlanError::Unreachable { .. }), "{split}");
    let unwired = refused(Plan {
        pods: vec![pod(1, 2, 1, 0)],
        ..Plan::default()
    });
    assert!(matches!(unwired, PlanError::Unreachable { .. }), "{unwired}");
    let apart = refused(Plan {
        pods: vec![pod(1, 1, 1, 1); 2],
        ..Plan::default()
    });
    assert!(matches!(apart, PlanError::Unreachable { .. }), "{apart}");

    let mut plan = Plan {
        pods: vec![pod(0, 1, 1, 1)],
        ..Plan::default()
    };
    plan.pods[0].racks[0].servers[0].rate = Rate::from_bps(0);
    let stuck = refused(plan);
    assert!(
        stuck.to_string().contains("ScalaHost-0-0-0-0 has a rate of 0"),
        "{stuck}"
    );

    let crowded = refused(Plan {
        pods: vec![pod(1, 2, 1, 40_000)],
        ..Plan::default()
    });
    assert!(
        matches!(crowded, PlanError::TooManyPorts { ports: 65_536, .. }),
        "{crowded}"
    );
    let full = refused(Plan {
        pods: vec![pod(2, 1, 1, 40_000)],
        ..Plan::default()
    });
    assert!(
        matches!(full, PlanError::TooManyPorts { ports: 80_000, .. }),
        "{full}"
    );
}

#[test]
fn partitions_keep_a_rack_together() {
    // Nodes: fabric 0, racks 1 and 2, hosts 3 to 6.
    let topology = one_pod(1, 2, 2, 1);
    assert_eq!(topology.partitions(Cut::Default), [0, 1, 2, 1, 1, 2, 2]);
    assert_eq!(topology.partitions(Cut::One), [0; 7]);
    assert_eq!(topology.partitions(Cut::Each), [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_link_without_delay_is_never_cut() {
    let mut plan = Plan {
        pods: vec![pod(1, 2, 2, 1)],
        ..Plan::default()
    };
    plan.pods[0].racks[1].switches[0].up_delay = Span::ZERO;
    plan.pods[0].racks[0].servers[1].delay = Span::ZERO;
    let topology = Topology::build(plan).expect("a connected plan");
    assert_eq!(topology.partitions(Cut::Default), [0, 1, 0, 1, 1, 0, 0]);
    assert_eq!(topology.partitions(Cut::Each), [0, 1, 0, 2, 1, 3, 4]);
}

#[test]
fn reading_back_builds_the_same_network() {
    let topology = one_pod(2, 3, 4, 2);
    let text = serde_json::to_string(&topology).expect("a plan is plain data");
    let again: Topology = serde_json::from_str(&text).expect("as written");
    assert_eq!(
        (&again.switches, &again.hosts),
        (&topology.switches, &topology.hosts)
    );
    assert_eq!(
        again.routes[1].members(HostId(11)),
        topology.routes[1].members(HostId(11))
    );
}

#[test]
fn a_large_fabric_builds() {
    // 65,536 hosts in 1,024 racks below 16 fabric switches, 8 parallel links: 131,072 + 65,536 links.
    let topology = one_pod(16, 1_024, 64, 8);
    assert_eq!(topology.hosts.len(), 65_536);
    assert_eq!(topology.routes[16].members(HostId(65_535)).len(), 128);
    assert_eq!(topology.routes[0].members(HostId(65_535)).len(), 8);
    assert_eq!(topology.links().count(), 131_072 + 65_536);
}

#[test]
fn a_large_fabric_of_small_racks_builds() {
    // 8,192 racks below 32 fabric switches: a search from every rack, or a table of racks in every rack switch, would
    // show here.
    let topology = one_pod(32, 8_192, 8, 1);
    assert_eq!(topology.routes[32].members(HostId(65_535)).len(), 32);
    assert_eq!(topology.routes[0].members(HostId(65_535)), [8_191]);
}

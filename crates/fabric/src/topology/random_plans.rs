//! Routes and wiring of plans drawn at random.

use super::tests::{server, switch};
use super::*;
use crate::frame::HostId;
use proptest::prelude::*;

/// Hops over switches from one host to another by following `choose` among the members, or `None` if it gets lost.
fn follow(topology: &Topology, from: u32, to: u32, mut choose: impl FnMut(usize) -> usize) -> Option<u32> {
    let mut at = topology.hosts[from as usize].port.peer;
    for hops in 1..=topology.switches.len() as u32 {
        let Endpoint::Switch(switch) = at else { return None };
        let members = topology.routes[switch as usize].members(HostId(to));
        assert!(members.is_sorted(), "members are ordered by port number");
        let port = members[choose(members.len())];
        at = topology.switches[switch as usize].ports[port as usize].peer;
        if at == Endpoint::Host(to) {
            return Some(hops);
        }
    }
    None
}

/// Hops from a rack switch to every switch by relaxing all links until nothing changes.
fn distances(topology: &Topology, from: u32) -> Vec<u32> {
    let mut hops = vec![u32::MAX / 2; topology.switches.len()];
    hops[from as usize] = 0;
    loop {
        let before = hops.clone();
        for switch in &topology.switches {
            for port in &switch.ports {
                if let Endpoint::Switch(peer) = port.peer {
                    hops[peer as usize] = hops[peer as usize].min(hops[switch.node as usize] + 1);
                }
            }
        }
        if hops == before {
            return hops;
        }
    }
}

fn plans() -> impl Strategy<Value = Plan> {
    // Racks of a pod may differ in servers, links and rack switches; pods in fabric switches; planes in spine switches.
    let rack = (1u32..4, 0usize..5, 1usize..3).prop_map(|(links, servers, switches)| RackPlan {
        switches: vec![switch(links); switches],
        servers: vec![server(); servers],
    });
    let pod =
        (1usize..4, 1u32..3, proptest::collection::vec(rack, 1..5)).prop_map(|(fabric, links, racks)| {
            PodPlan {
                fabric_switches: vec![switch(links); fabric],
                racks,
            }
        });
    // Every pod has a fabric switch in plane 0, so planes join all pods; without a plane, a spine switch must.
    let spines = (0usize..3, proptest::collection::vec(1usize..4, 0..4))
        .prop_map(|(spines, planes)| (spines.max(planes.is_empty().into()), planes));
    (proptest::collection::vec(pod, 1..4), spines, any::<bool>())
        .prop_map(|(pods, (spines, planes), two_tiers)| {
            if two_tiers && pods.len() == 1 {
                return Plan {
                    pods,
                    ..Plan::default()
                };
            }
            // No plane without a fabric switch.
            let most = pods
                .iter()
                .map(|pod| pod.fabric_switches.len())
                .max()
                .unwrap_or(0);
            Plan {
                pods,
                spines: vec![switch(1); spines],
                planes: planes
                    .into_iter()
                    .take(most)
                    .map(|n| vec![switch(1); n])
                    .collect(),
            }
        })
        .prop_filter("a network without servers", |plan| {
            plan.pods
                .iter()
                .flat_map(|pod| &pod.racks)
                .any(|rack| !rack.servers.is_empty())
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_route_is_a_shortest_path(plan in plans(), choices in proptest::collection::vec(any::<usize>(), 1..16)) {
        let topology = Topology::build(plan).expect("all plans drawn are connected");
        let mut choices = choices.iter().cycle();
        for from in 0..topology.hosts.len() as u32 {
            let Endpoint::Switch(edge) = topology.hosts[from as usize].port.peer else { unreachable!() };
            let distances = distances(&topology, edge);
            for to in (0..topology.hosts.len() as u32).filter(|&to| to != from) {
                let Endpoint::Switch(last) = topology.hosts[to as usize].port.peer else { unreachable!() };
                let hops = follow(&topology, from, to, |n| choices.next().expect("a cycle") % n);
                prop_assert_eq!(hops, Some(distances[last as usize] + 1), "{} to {}", from, to);
            }
        }
    }

    #[test]
    fn every_shortest_path_is_a_route(plan in plans()) {
        let topology = Topology::build(plan).expect("all plans drawn are connected");
        for to in 0..topology.hosts.len() as u32 {
            let Endpoint::Switch(edge) = topology.hosts[to as usize].port.peer else { unreachable!() };
            let distances = distances(&topology, edge);
            for switch in topology.switches.iter().filter(|switch| switch.node != edge) {
                let here = distances[switch.node as usize];
                let ports = switch.ports.iter().enumerate().filter(|(_, port)| match port.peer {
                    Endpoint::Switch(peer) => distances[peer as usize] + 1 == here,
                    Endpoint::Host(_) => false,
                });
                let expected: Vec<u16> = ports.map(|(number, _)| number as u16).collect();
                prop_assert_eq!(topology.routes[switch.node as usize].members(HostId(to)), &expected[..]);
            }
        }
    }

    #[test]
    fn both_ends_of_a_link_agree(plan in plans()) {
        let topology = Topology::build(plan).expect("all plans drawn are connected");
        for node in 0..topology.engine_nodes() {
            let here = topology.endpoint(node);
            for (number, port) in topology.ports(here).iter().enumerate() {
                let there = topology.ports(port.peer)[port.peer_port as usize];
                prop_assert_eq!((there.peer, there.peer_port as usize), (here, number));
                prop_assert_eq!((there.rate, there.delay, there.up), (port.rate, port.delay, !port.up));
            }
        }
    }
}

//! The cluster tag in all its topologies, and zones routed as clusters.

use crate::{host, platform, route};
use packetloom_flow::{HostId, Platform, Sharing};
use std::collections::HashSet;
use std::time::Instant;

/// A cluster of hosts `n<number>.c` with attributes added to those it needs.
fn cluster(radical: &str, more: &str) -> String {
    format!(
        "<cluster id=\"c\" prefix=\"n\" suffix=\".c\" radical=\"{radical}\" speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\" {more}/>"
    )
}

fn names(platform: &Platform) -> Vec<&str> {
    platform.hosts().iter().map(|host| host.name.as_str()).collect()
}

#[test]
fn a_crossbar_has_a_split_link_for_each_host() {
    let mut p = platform(&cluster("0-2,7", ""));
    assert_eq!(names(&p), ["n0.c", "n1.c", "n2.c", "n7.c"]);
    assert_eq!(route(&mut p, "n0.c", "n7.c"), "c_link_0_UP c_link_7_DOWN");
    assert_eq!(route(&mut p, "n7.c", "n0.c"), "c_link_7_UP c_link_0_DOWN");
    // Without a loopback of its own a host reaches itself over its link.
    assert_eq!(route(&mut p, "n1.c", "n1.c"), "c_link_1_UP c_link_1_DOWN");
    let link = &p.links()[0];
    assert_eq!((link.bandwidth, link.latency), (125e6, 50.0 * 1e-6));
}

#[test]
fn a_backbone_stands_in_the_middle_once() {
    let mut p = platform(&cluster(
        "0-2",
        "bb_bw=\"2GBps\" bb_lat=\"500us\" bb_sharing_policy=\"FATPIPE\"",
    ));
    assert_eq!(
        route(&mut p, "n0.c", "n1.c"),
        "c_link_0_UP c_backbone c_link_1_DOWN"
    );
    let backbone = &p.links()[0];
    assert_eq!(backbone.name, "c_backbone");
    assert_eq!((backbone.bandwidth, backbone.sharing), (2e9, Sharing::FatPipe));
}

#[test]
fn a_shared_link_is_one_link_for_both_directions() {
    for (policy, sharing) in [("SHARED", Sharing::Shared), ("FATPIPE", Sharing::FatPipe)] {
        let mut p = platform(&cluster("0-1", &format!("sharing_policy=\"{policy}\"")));
        assert_eq!(route(&mut p, "n0.c", "n1.c"), "c_link_0 c_link_1");
        assert_eq!(p.links()[0].sharing, sharing);
    }
}

#[test]
fn limiters_and_loopbacks_belong_to_each_host() {
    let mut p = platform(&cluster(
        "0-1",
        "limiter_link=\"150MBps\" loopback_bw=\"5GBps\" loopback_lat=\"1us\"",
    ));
    assert_eq!(
        route(&mut p, "n0.c", "n1.c"),
        "c_link_0_limiter c_link_0_UP c_link_1_DOWN c_link_1_limiter"
    );
    assert_eq!(route(&mut p, "n1.c", "n1.c"), "c_link_1_loopback");
}

#[test]
fn hosts_of_a_cluster_share_its_properties_cores_and_speed() {
    let text = cluster("3", "core=\"4\"").replace("/>", "><prop id=\"rack\" value=\"7\"/></cluster>");
    let p = platform(&text);
    let host = &p.hosts()[0];
    assert_eq!(
        (host.cores, host.speed, host.property("rack")),
        (4, 1e9, Some("7"))
    );
}

#[test]
fn clusters_are_joined_through_their_routers() {
    let second = cluster("0-1", "router_id=\"door\"")
        .replace("\"c\"", "\"d\"")
        .replace(".c", ".d");
    let mut p = platform(&format!(
        "<zone id=\"z\" routing=\"Full\">{}{second}<link id=\"l\" bandwidth=\"1GBps\"/>\
         <zoneRoute src=\"c\" dst=\"d\" gw_src=\"nc_router.c\" gw_dst=\"door\"><link_ctn id=\"l\"/></zoneRoute></zone>",
        cluster("0-1", "bb_bw=\"2GBps\"")
    ));
    assert_eq!(
        route(&mut p, "n0.c", "n1.d"),
        "c_link_0_UP c_backbone l d_link_1_DOWN"
    );
    assert_eq!(
        route(&mut p, "n1.d", "n0.c"),
        "d_link_1_UP l c_backbone c_link_0_DOWN"
    );
}

#[test]
fn a_zone_routed_as_a_cluster_has_host_links_cabinets_and_a_backbone() {
    let mut p = platform(
        "<zone id=\"z\" routing=\"Cluster\"><host id=\"h\" speed=\"1Gf\"/>\
         <link id=\"up\" bandwidth=\"1GBps\"/><link id=\"down\" bandwidth=\"1GBps\"/>\
         <host_link id=\"h\" up=\"up\" down=\"down\"/>\
         <cabinet id=\"cab\" prefix=\"p-\" suffix=\".s\" radical=\"1-2\" speed=\"1Gf\" bw=\"125MBps\" lat=\"100us\"/>\
         <router id=\"r\"/><backbone id=\"bb\" bandwidth=\"2GBps\" latency=\"500us\"/></zone>",
    );
    assert_eq!(names(&p), ["h", "p-1.s", "p-2.s"]);
    assert_eq!(route(&mut p, "h", "p-2.s"), "up bb link_p-2.s_DOWN");
    assert_eq!(route(&mut p, "p-1.s", "h"), "link_p-1.s_UP bb down");
    assert_eq!(
        route(&mut p, "p-1.s", "p-2.s"),
        "link_p-1.s_UP bb link_p-2.s_DOWN"
    );
}

#[test]
fn a_torus_routes_along_one_dimension_after_the_other() {
    let mut p = platform(&cluster("0-11", "topology=\"TORUS\" topo_parameters=\"4,3\""));
    // Node 5 is (1, 1): along x from 0 to 1, then along y to 5.
    assert_eq!(
        route(&mut p, "n0.c", "n5.c"),
        "c_link_from_0_to_1_UP c_link_from_1_to_5_UP"
    );
    assert_eq!(
        route(&mut p, "n5.c", "n0.c"),
        "c_link_from_4_to_5_DOWN c_link_from_0_to_4_DOWN"
    );
    assert_eq!(route(&mut p, "n5.c", "n5.c"), "__loopback__");
}

#[test]
fn a_fat_tree_routes_up_and_down() {
    let mut p = platform(&cluster(
        "0-3",
        "topology=\"FAT_TREE\" topo_parameters=\"2;2,2;1,2;1,1\" loopback_bw=\"1GBps\"",
    ));
    // Nodes 0 to 3; leaves are numbered 7 and 6, spines 5 and 4: downwards from twice the number of nodes. Cables in order: one
    // for each node, then two for each leaf.
    assert_eq!(
        route(&mut p, "n0.c", "n1.c"),
        "link_from_0_7_0_UP link_from_1_7_1_DOWN"
    );
    // To node 3: port 3 % 2 = 1 of the leaf, to the second spine.
    assert_eq!(
        route(&mut p, "n0.c", "n3.c"),
        "link_from_0_7_0_UP link_from_7_4_5_UP link_from_6_4_7_DOWN link_from_3_6_3_DOWN"
    );
    assert_eq!(route(&mut p, "n2.c", "n2.c"), "c_link_2_loopback");
}

#[test]
fn a_dragonfly_routes_over_the_one_link_between_two_groups() {
    // 2 groups of 2 chassis of 2 blades with 1 node: 8 nodes. Node = ((group * 2) + chassis) * 2 + blade.
    let mut p = platform(&cluster(
        "0-7",
        "topology=\"DRAGONFLY\" topo_parameters=\"2,3;2,1;2,2;1\"",
    ));
    let without_counts = |way: String| {
        let names = way.split(' ').map(|name| {
            let (name, direction) = name.rsplit_once('_').unwrap();
            format!("{}_{direction}", name.rsplit_once('_').unwrap().0)
        });
        names.collect::<Vec<_>>()
    };
    // Same chassis: over the green link.
    assert_eq!(
        without_counts(route(&mut p, "n2.c", "n3.c")),
        [
            "local_link_from_router_2_to_node_0_UP",
            "green_link_in_chassis_1_between_routers_0_and_1_UP",
            "local_link_from_router_3_to_node_0_DOWN",
        ]
    );
    // From group 0, chassis 1, blade 0 to group 1, chassis 1, blade 1: to blade 1 (which has group 1's link), to chassis 0, over
    // the blue link to group 1, chassis 0, blade 0, to blade 1, to chassis 1.
    assert_eq!(
        without_counts(route(&mut p, "n2.c", "n7.c")),
        [
            "local_link_from_router_2_to_node_0_UP",
            "green_link_in_chassis_1_between_routers_0_and_1_UP",
            "black_link_in_group_0_between_chassis_0_and_1_blade_1_DOWN",
            "blue_link_between_group_0_and_1_routers_1_and_4_UP",
            "green_link_in_chassis_0_between_routers_0_and_1_UP",
            "black_link_in_group_1_between_chassis_0_and_1_blade_1_UP",
            "local_link_from_router_7_to_node_0_DOWN",
        ]
    );
    // Within another chassis than the first: over one green link, and no other.
    assert_eq!(route(&mut p, "n6.c", "n7.c").split(' ').count(), 3);
    // A blue link has the bandwidth of three.
    let blue = p
        .links()
        .iter()
        .find(|link| link.name.starts_with("blue"))
        .unwrap();
    assert_eq!(blue.bandwidth, 3.0 * 125e6);
}

#[test]
fn limiters_of_topologies_stand_at_every_host_and_switch_on_the_way() {
    // 4 nodes; switches and routers are numbered downwards from 7.
    let limiters = |more: &str| {
        let mut p = platform(&cluster("0-3", &format!("limiter_link=\"1GBps\" {more}")));
        let way = route(&mut p, "n0.c", "n3.c");
        let limiters = way.split(' ').filter_map(|name| name.strip_suffix("_limiter"));
        limiters
            .map(|name| name.replace("c_link_", ""))
            .collect::<Vec<_>>()
            .join(" ")
    };
    // Along x from 0 to 1, along y to 3.
    assert_eq!(limiters("topology=\"TORUS\" topo_parameters=\"2,2\""), "0 1 3");
    // Leaf 7, spine 4, leaf 6.
    assert_eq!(
        limiters("topology=\"FAT_TREE\" topo_parameters=\"2;2,2;1,2;1,1\""),
        "0 7 4 6 3"
    );
    // Group 0 has routers 7 and 6, group 1 has 5 and 4: from 7 to the blade that has group 1, 6, to group 1's blade 0, 5, to 4.
    assert_eq!(
        limiters("topology=\"DRAGONFLY\" topo_parameters=\"2,1;1,1;2,1;1\""),
        "0 7 6 5 4 3"
    );
}

#[test]
fn no_way_in_a_topology_crosses_a_link_twice_and_ends_are_those_of_the_hosts() {
    for more in [
        "topology=\"TORUS\" topo_parameters=\"4,3\"",
        "topology=\"FAT_TREE\" topo_parameters=\"2;3,4;2,2;1,2\"",
        "topology=\"DRAGONFLY\" topo_parameters=\"2,1;2,1;3,1;1\"",
    ] {
        let mut p = platform(&cluster("0-11", more));
        let mut first = HashSet::new();
        for from in 0..12 {
            for to in (0..12).filter(|to| *to != from) {
                let links = p.route(HostId(from), HostId(to)).unwrap().links;
                let distinct: HashSet<_> = links.iter().collect();
                assert_eq!(distinct.len(), links.len(), "{more}: {from} to {to}");
                first.insert((from, links[0]));
            }
        }
        assert!(first.len() >= 12);
    }
}

#[test]
fn a_large_cluster_is_read_at_once() {
    let start = Instant::now();
    let mut p = platform(&cluster("0-1999", "bb_bw=\"2GBps\""));
    assert_eq!(p.hosts().len(), 2_000);
    let (from, to) = (host(&p, "n0.c"), host(&p, "n1999.c"));
    assert_eq!(p.route(from, to).unwrap().links.len(), 3);
    // It takes some milliseconds; a table of all 4,000,000 routes would take far longer than this.
    assert!(start.elapsed().as_secs_f64() < 5.0, "{:?}", start.elapsed());
}

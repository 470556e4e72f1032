//! The platform of S4BXI's users: NICs around one router, CPUs behind them.

use crate::{host, platform, route};
use packetloom_flow::Sharing;

/// As many nodes around one router as asked for.
fn star(nodes: usize) -> String {
    let mut hosts = String::new();
    let mut routes = String::new();
    for node in 0..nodes {
        let nid = if node == 0 {
            "<prop id=\"nid\" value=\"42\"/>"
        } else {
            ""
        };
        hosts += &format!(
            "<host id=\"quito{node}\" speed=\"10Gf\"/>\n<host id=\"quito{node}_NIC\" speed=\"1Gf\">{nid}</host>\n"
        );
        routes += &format!(
            "<route src=\"quito{node}\" dst=\"quito{node}_NIC\"><link_ctn id=\"quito{node}_FAT\"/><link_ctn id=\"quito{node}_PCI\"/></route>\n\
             <route src=\"quito{node}_NIC\" dst=\"switch\"><link_ctn id=\"quito{node}_BXI\"/></route>\n"
        );
    }
    let mut links = String::new();
    for node in 0..nodes {
        links += &format!(
            "<link id=\"quito{node}_BXI\" bandwidth=\"11.1GBps\" latency=\"500ns\"/>\n\
             <link id=\"quito{node}_FAT\" bandwidth=\"11.1GBps\" latency=\"0ns\" sharing_policy=\"FATPIPE\"/>\n\
             <link id=\"quito{node}_PCI\" bandwidth=\"15.75GBps\" latency=\"250ns\"/>\n"
        );
    }
    format!(
        "<config><prop id=\"network/model\" value=\"CM02\"/><prop id=\"network/loopback-lat\" value=\"0.000000001\"/>\
         <prop id=\"network/loopback-bw\" value=\"99000000000\"/></config>\n\
         <zone id=\"AS0\" routing=\"Floyd\">\n{hosts}<router id=\"switch\"/>\n{links}{routes}</zone>"
    )
}

#[test]
fn ways_lead_over_pci_and_wire() {
    let mut platform = platform(&star(3));
    assert_eq!(platform.warnings(), [""; 0]);
    assert_eq!(platform.hosts().len(), 6);
    assert_eq!(
        route(&mut platform, "quito0", "quito0_NIC"),
        "quito0_FAT quito0_PCI"
    );
    assert_eq!(
        route(&mut platform, "quito0_NIC", "quito0"),
        "quito0_PCI quito0_FAT"
    );
    assert_eq!(
        route(&mut platform, "quito0_NIC", "quito2_NIC"),
        "quito0_BXI quito2_BXI"
    );
    assert_eq!(
        route(&mut platform, "quito1", "quito2"),
        "quito1_FAT quito1_PCI quito1_BXI quito2_BXI quito2_PCI quito2_FAT"
    );
    assert_eq!(route(&mut platform, "quito1", "quito1"), "__loopback__");
}

#[test]
fn links_have_the_bandwidths_latencies_and_policies_of_the_file() {
    let mut platform = platform(&star(2));
    let link = |name: &str| {
        let link = platform.links().iter().find(|link| link.name == name).unwrap();
        (link.bandwidth, link.latency, link.sharing)
    };
    assert_eq!(link("quito1_BXI"), (11.1e9, 500.0 * 1e-9, Sharing::Shared));
    assert_eq!(link("quito1_FAT"), (11.1e9, 0.0, Sharing::FatPipe));
    assert_eq!(link("quito1_PCI"), (15.75e9, 250.0 * 1e-9, Sharing::Shared));
    assert_eq!(link("__loopback__"), (99e9, 1e-9, Sharing::FatPipe));
    // From NIC to NIC: two wires of 500 ns.
    let (from, to) = (host(&platform, "quito0_NIC"), host(&platform, "quito1_NIC"));
    let latency = platform.route(from, to).unwrap().latency;
    assert!((latency - 1e-6).abs() < 1e-18, "{latency}");
}

#[test]
fn hosts_have_their_speeds_and_properties() {
    let platform = platform(&star(2));
    let nic = &platform.hosts()[host(&platform, "quito0_NIC").0 as usize];
    assert_eq!((nic.speed, nic.cores), (1e9, 1));
    assert_eq!(nic.property("nid"), Some("42"));
    assert_eq!(nic.properties, [("nid".to_owned(), "42".to_owned())]);
    let cpu = &platform.hosts()[host(&platform, "quito1").0 as usize];
    assert_eq!((cpu.speed, cpu.property("nid")), (1e10, None));
    assert_eq!(platform.host("switch"), None);
    assert_eq!(platform.host("AS0"), None);
}

#[test]
fn the_settings_of_the_file_hold_and_the_others_are_those_of_cm02() {
    let platform = platform(&star(1));
    let settings = platform.settings();
    assert_eq!(settings.loopback_latency, 1e-9);
    assert_eq!(settings.loopback_bandwidth, 99e9);
    assert_eq!(settings.tcp_gamma, 4_194_304.0);
    assert!(settings.cross_traffic);
}

#[test]
fn a_thousand_nodes_are_all_connected_with_the_first() {
    let mut platform = platform(&star(1_000));
    for node in 1..1_000 {
        let way = route(&mut platform, &format!("quito{node}_NIC"), "quito0_NIC");
        assert_eq!(way, format!("quito{node}_BXI quito0_BXI"));
    }
}

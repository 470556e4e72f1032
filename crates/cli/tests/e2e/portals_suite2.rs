//! The suite in C, second half: a program for each topic, whose checks cite the rules of the public header.

use crate::lab::Lab;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What a checkout has under `name`.
fn at_root(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// A deployment: processes on these hosts, and NICs for these nodes.
fn deployment(hosts: &[&str], nodes: &[&str]) -> String {
    let mut text = String::from("<platform version=\"4.1\">\n");
    let real = "<prop id=\"use_real_memory\" value=\"true\"/>";
    for host in hosts {
        let _ = writeln!(
            text,
            "<actor host=\"{host}\" function=\"user_app\">{real}</actor>"
        );
    }
    for node in nodes {
        for function in ["nic_initiator", "nic_target"] {
            for vn in [1, 3] {
                let vn = format!("<prop id=\"VN\" value=\"{vn}\"/>");
                let _ = writeln!(
                    text,
                    "<actor host=\"{node}_NIC\" function=\"{function}\">{vn}</actor>"
                );
            }
        }
        let _ = writeln!(text, "<actor host=\"{node}_NIC\" function=\"nic_e2e\"/>");
    }
    text + "</platform>\n"
}

/// Builds `program` of the suite and runs it; `expected` are the checks that each rank makes.
#[track_caller]
fn holds_on(platform: &Path, hosts: &[&str], nodes: &[&str], program: &str, expected: &[usize]) {
    let lab = Lab::new();
    lab.write("deploy.xml", &deployment(hosts, nodes));
    let source = at_root("crates/cli/tests/portals/suite").join(format!("{program}.c"));
    lab.bash(&format!(
        "export XDG_CACHE_HOME=$PWD/cache; unset CC CXX; \
         \"$packetloom\" portals cc -Wall -Wextra -Werror -g -o p.so '{}' -lpthread",
        source.display()
    ))
    .succeeded();
    let outcome = lab.bash(&format!(
        "\"$packetloom\" portals run --quiet '{}' deploy.xml ./p.so {program} | sort",
        platform.display()
    ));
    let counts: String = expected
        .iter()
        .enumerate()
        .map(|(rank, checks)| format!("rank {rank}: {checks} checks, 0 failed\n"))
        .collect();
    assert_eq!(outcome.stdout, counts, "{outcome:#?}");
    outcome.succeeded();
}

/// On the first nodes of the star, one process each.
#[track_caller]
fn holds(program: &str, expected: &[usize]) {
    let nodes = ["node0", "node1", "node2", "node3"];
    let nodes = &nodes[..expected.len()];
    holds_on(
        &at_root("examples/portals/star.xml"),
        nodes,
        nodes,
        program,
        expected,
    );
}

#[test]
fn event_queues() {
    holds("event_queues", &[54]);
}

#[test]
fn fields_of_events() {
    holds("event_fields", &[23, 41]);
}

#[test]
fn counting_events() {
    holds("counters", &[75]);
}

#[test]
fn triggered_operations() {
    holds("triggered", &[64, 2]);
}

#[test]
fn data_movement() {
    holds("movement", &[87, 62]);
}

#[test]
fn atomic_operations() {
    holds("atomics", &[231, 1]);
}

#[test]
fn clocks() {
    holds("clocks", &[28]);
}

#[test]
fn threads_and_abort() {
    holds("threads", &[13]);
}

#[test]
fn variants_that_do_not_wait() {
    holds("nonblocking", &[56, 4]);
}

/// Two processes on each of two nodes.
const TWICE: [&str; 4] = ["node0", "node1", "node0", "node1"];

#[test]
fn start_up() {
    let star = at_root("examples/portals/star.xml");
    holds_on(&star, &TWICE, &TWICE[..2], "startup", &[73; 4]);
}

#[test]
fn several_processes_on_a_host() {
    let star = at_root("examples/portals/star.xml");
    holds_on(&star, &TWICE, &TWICE[..2], "placement", &[16, 16, 16, 9]);
}

/// A node whose processors are hosts of their own: `node0_CPU0` and `node0_CPU1` beside `node0_NIC`.
#[test]
fn several_processors_of_a_node() {
    let mut platform = String::from(
        "<platform version=\"4.1\">\n<zone id=\"star\" routing=\"Floyd\">\n<router id=\"router\"/>\n",
    );
    for node in &TWICE[..2] {
        let _ = writeln!(
            platform,
            "<host id=\"{node}_NIC\" speed=\"1Gf\"/>
             <link id=\"{node}_wire\" bandwidth=\"11.1GBps\" latency=\"500ns\"/>
             <link id=\"{node}_PCI\" bandwidth=\"15.75GBps\" latency=\"250ns\"/>
             <route src=\"{node}_NIC\" dst=\"router\"><link_ctn id=\"{node}_wire\"/></route>"
        );
        for cpu in 0..2 {
            let _ = writeln!(
                platform,
                "<host id=\"{node}_CPU{cpu}\" speed=\"10Gf\"/>
                 <route src=\"{node}_CPU{cpu}\" dst=\"{node}_NIC\"><link_ctn id=\"{node}_PCI\"/></route>"
            );
        }
    }
    platform += "</zone>\n</platform>\n";
    let lab = Lab::new();
    lab.write("platform.xml", &platform);
    let hosts = ["node0_CPU0", "node1_CPU0", "node0_CPU1", "node1_CPU1"];
    holds_on(
        &lab.path("platform.xml"),
        &hosts,
        &TWICE[..2],
        "placement",
        &[16, 16, 16, 9],
    );
}

//! Applications that cannot run on every host.

use super::*;

fn tcp_app(name: &str, client_ratio: f64, server_ratio: f64) -> AppShares {
    AppShares {
        transport: Transport::Tcp,
        ..app(name, client_ratio, server_ratio)
    }
}

/// Hosts with a NIC for RDMA alone and for TCP alone by turns.
fn mixed_hosts(count: usize) -> Vec<HostSlot> {
    let mut hosts = hosts(count);
    for slot in hosts.iter_mut().skip(1).step_by(2) {
        slot.transports = Transports::TCP;
    }
    hosts
}

#[test]
fn components_are_drawn_from_hosts_whose_nic_can_run_them() {
    let apps = [app("rdma", 0.25, 0.25), tcp_app("web", 0.125, 0.375)];
    let placement = place(&apps, &mixed_hosts(16), SEED).expect("can be placed");
    let [rdma, web] = &placement.applications[..] else {
        panic!("two applications")
    };
    assert_eq!((rdma.clients.len(), rdma.servers.len()), (4, 4));
    assert_eq!((web.clients.len(), web.servers.len()), (2, 6));
    assert!(rdma.clients.iter().chain(&rdma.servers).all(|host| host % 2 == 0));
    assert!(web.clients.iter().chain(&web.servers).all(|host| host % 2 == 1));
    assert_eq!(
        (&rdma.clients, &rdma.servers),
        (&vec![2, 6, 8, 14], &vec![0, 4, 10, 12]),
        "the evens of the shuffled hosts: 8 14 2 6, 4 12 10 0"
    );
    assert_eq!(
        (&web.clients, &web.servers),
        (&vec![5, 11], &vec![1, 3, 7, 9, 13, 15]),
        "the odds of the shuffled hosts: 5 11, 15 3 1 7 13 9"
    );
}

#[test]
fn hosts_that_can_run_everything_are_dealt_as_if_nothing_else_was_there() {
    let everything = vec![
        HostSlot {
            transports: Transports::ALL,
            pinned: Vec::new()
        };
        16
    ];
    let mixed = place(&[tcp_app("rdma", 0.5, 0.5)], &everything, SEED).expect("can be placed");
    assert_eq!(mixed.applications[0].pairs, GOLDEN);
}

#[test]
fn hosts_that_can_run_no_drawn_application_take_no_part_in_the_shuffle() {
    let mut hosts = hosts(16);
    hosts.push(HostSlot {
        transports: Transports::TCP,
        pinned: Vec::new(),
    });
    // 17 hosts left: floor(8.5) each is 8 and 8, and the host left over goes to the client: 9.
    let error = place(&[app("rdma", 0.5, 0.5)], &hosts, SEED).expect_err("only 16 can");
    assert_eq!(
        error.to_string(),
        "the ratios ask for 17 hosts that run `rdma`, but only 16 of the hosts without a pinned application have a NIC \
         for RDMA; give more hosts such a NIC, or change the ratios"
    );
    hosts[16].pinned.push((1, Role::Server));
    hosts.push(HostSlot {
        transports: Transports::TCP,
        pinned: vec![(1, Role::Client)],
    });
    let web = AppShares {
        transport: Transport::Tcp,
        ..pinned_app("web")
    };
    let placement = place(&[app("rdma", 0.5, 0.5), web], &hosts, SEED).expect("can be placed");
    assert_eq!(placement.applications[0].pairs, GOLDEN);
    assert_eq!(placement.applications[1].pairs, [(17, 16)]);
}

#[test]
fn too_few_hosts_for_a_transport_and_a_pin_to_the_wrong_nic_are_refused() {
    let refused = |apps: &[AppShares], hosts: &[HostSlot]| {
        let error = place(apps, hosts, SEED).expect_err("cannot be placed");
        error.to_string()
    };
    // 16 hosts, 8 of them for TCP; the two applications ask for 3 x 4 of these.
    let apps = [
        tcp_app("web", 0.25, 0.25),
        AppShares {
            server_ratio: None,
            ..tcp_app("mail", 0.25, 0.25)
        },
        AppShares {
            server_ratio: None,
            ..app("rdma", 0.25, 0.25)
        },
    ];
    assert_eq!(
        refused(&apps, &mixed_hosts(16)),
        "the ratios ask for 12 hosts that run `web`, `mail`, but only 8 of the hosts without a pinned application have \
         a NIC for TCP; give more hosts such a NIC, or change the ratios"
    );
    // Two hosts for both, two for none: each transport alone has enough for its two components.
    let mut hosts = hosts(4);
    for (host, slot) in hosts.iter_mut().enumerate() {
        slot.transports = [Transports::ALL, Transports::NONE][host % 2];
    }
    let apps = [app("rdma", 0.25, 0.25), tcp_app("web", 0.25, 0.25)];
    assert_eq!(
        place(&apps, &hosts, SEED),
        Err(PlacementError::TooFewHosts {
            components: 4,
            able: 2
        })
    );
    let mut hosts = mixed_hosts(4);
    hosts[2].pinned.push((0, Role::Server));
    assert_eq!(
        refused(&[tcp_app("web", 0.5, 0.5)], &hosts),
        "the server of application `web` is pinned to host 2, whose NIC cannot run it; give that host a NIC for TCP, or \
         pin it to another"
    );
}

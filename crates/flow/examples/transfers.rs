//! How fast the flow-level network is: nanoseconds an event (the start and the end of one transfer or sleep).
//!
//! `cargo run --release -p packetloom-flow --example transfers` runs all cases, `… transfers random` those with "random" in
//! their names.

use packetloom_flow::{Link, LinkId, Network, NetworkSettings, PathId, Sharing};
use std::time::{Duration, Instant};

fn link(bandwidth: f64, latency: f64, sharing: Sharing) -> Link {
    Link {
        name: String::new(),
        bandwidth,
        latency,
        sharing,
        bandwidth_profile: None,
        latency_profile: None,
        state_profile: None,
    }
}

/// Numbers that look random and are the same every time (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

/// A host's links on the star: two of PCI (a fat pipe and a shared one) and its wire.
const LINKS_A_HOST: u32 = 3;

/// Hosts with PCI and a wire to one router, and for each host its way over PCI and its wire to its partner.
fn star(hosts: u32) -> (Network, Vec<(PathId, PathId)>) {
    let mut links = Vec::new();
    for _ in 0..hosts {
        links.push(link(11.1e9, 0.0, Sharing::FatPipe));
        links.push(link(15.75e9, 250e-9, Sharing::Shared));
        links.push(link(11.1e9, 500e-9, Sharing::Shared));
    }
    let mut network = Network::new(&links, &NetworkSettings::default());
    let mut both = |forward: &[u32]| {
        let forward: Vec<LinkId> = forward.iter().map(|&l| LinkId(l)).collect();
        let backward: Vec<LinkId> = forward.iter().rev().copied().collect();
        network.path(&forward, &backward)
    };
    let paths = (0..hosts).map(|host| {
        let (own, other) = (host * LINKS_A_HOST, (host ^ 1) * LINKS_A_HOST);
        (both(&[own, own + 1]), both(&[own + 2, other + 2]))
    });
    let paths = paths.collect();
    (network, paths)
}

/// Each pair of hosts plays ping-pong: PCI, wire, PCI at the other end with a sleep beside it, and back.
fn ping_pong(name: &str, pairs: u32, rounds: u64) {
    let (mut network, paths) = star(pairs * 2);
    let mut ended = Vec::new();
    let mut events = 0u64;
    let start = Instant::now();
    // A token is the host and what has just ended there.
    for pair in 0..pairs {
        network.transfer(paths[pair as usize * 2].0, 64, u64::from(pair) * 8);
        events += 1;
    }
    let limit = rounds * u64::from(pairs);
    while network.advance(&mut ended) {
        for end in &ended {
            let (host, step) = ((end.token / 4) as usize, end.token % 4);
            if events >= limit {
                continue;
            }
            let next = |host: usize, step: u64| host as u64 * 4 + step;
            match step {
                0 => network.transfer(paths[host].1, 8, next(host, 1)),
                1 => {
                    network.transfer(paths[host ^ 1].0, 96, next(host ^ 1, 2));
                    network.sleep(200e-9, next(host, 3));
                    events += 1;
                }
                2 => network.transfer(paths[host].0, 64, next(host, 0)),
                _ => continue,
            }
            events += 1;
        }
    }
    report(name, events, start.elapsed());
}

fn report(name: &str, events: u64, took: Duration) {
    let each = took.as_secs_f64() * 1e9 / events as f64;
    println!(
        "{name:<58} {events:>9} events  {:>8.3} s  {each:>9.0} ns an event",
        took.as_secs_f64()
    );
}

fn drain(name: &str, network: &mut Network, transfers: u64, start: Instant) {
    let mut ended = Vec::new();
    let mut count = 0;
    while network.advance(&mut ended) {
        count += ended.len() as u64;
    }
    assert_eq!(count, transfers);
    report(name, transfers, start.elapsed());
}

/// All transfers over one link end one after another.
fn one_link(paths: u32, transfers: u64) {
    let mut links = vec![link(12.5e9, 1e-6, Sharing::Shared)];
    links.extend((0..paths).map(|_| link(12.5e9, 1e-6, Sharing::Shared)));
    let mut network = Network::new(&links, &NetworkSettings::default());
    let start = Instant::now();
    for number in 0..transfers {
        let own = LinkId(1 + (number % u64::from(paths)) as u32);
        let path = network.path(&[own, LinkId(0)], &[LinkId(0), own]);
        network.transfer(path, 1_000_000 + number * 1000, number);
    }
    drain(
        &format!("{transfers} one after another on one link, from {paths} hosts"),
        &mut network,
        transfers,
        start,
    );
}

const FAN: u64 = 10;
const HOSTS: u64 = FAN * FAN * FAN;

/// A tree: 10 pods of 10 racks of 10 hosts, each level with the bandwidth of all hosts below it.
fn tree() -> Network {
    let mut links = Vec::new();
    for (count, bandwidth) in [(HOSTS, 12.5e9), (FAN * FAN, 125e9), (FAN, 1250e9)] {
        // One link up and one down for each node of the level.
        links.extend((0..2 * count).map(|_| link(bandwidth, 500e-9, Sharing::Shared)));
    }
    Network::new(&links, &NetworkSettings::default())
}

/// The links from one host of the tree to another.
fn way(from: u64, to: u64) -> Vec<LinkId> {
    let (rack, pod) = (2 * HOSTS, 2 * (HOSTS + FAN * FAN));
    let mut way = vec![2 * from];
    if from / FAN != to / FAN {
        way.push(rack + 2 * (from / FAN));
        if from / FAN / FAN != to / FAN / FAN {
            way.push(pod + 2 * (from / FAN / FAN));
            way.push(pod + 2 * (to / FAN / FAN) + 1);
        }
        way.push(rack + 2 * (to / FAN) + 1);
    }
    way.push(2 * to + 1);
    way.into_iter().map(|l| LinkId(l as u32)).collect()
}

/// Two hosts drawn at random, and the path from one to the other.
fn pair(network: &mut Network, numbers: &mut Numbers) -> PathId {
    let from = numbers.below(HOSTS);
    let to = (from + 1 + numbers.below(HOSTS - 1)) % HOSTS;
    network.path(&way(from, to), &way(to, from))
}

/// Every host sends 1 MB to each of the next `peers` hosts, all at once.
fn shift(peers: u64) {
    let mut network = tree();
    let start = Instant::now();
    for from in 0..HOSTS {
        for to in (1..=peers).map(|next| (from + next) % HOSTS) {
            let path = network.path(&way(from, to), &way(to, from));
            network.transfer(path, 1_000_000, from * HOSTS + to);
        }
    }
    drain(
        &format!(
            "{} at once in a tree, each host to the next {peers}",
            HOSTS * peers
        ),
        &mut network,
        HOSTS * peers,
        start,
    );
}

/// Transfers of random sizes between random hosts, all at once: every end changes the rates of most others.
fn random(transfers: u64) {
    let (mut network, mut numbers) = (tree(), Numbers(1));
    let start = Instant::now();
    for token in 0..transfers {
        let path = pair(&mut network, &mut numbers);
        network.transfer(path, 1 + numbers.below(2_000_000), token);
    }
    drain(
        &format!("{transfers} at once in a tree, hosts and sizes at random"),
        &mut network,
        transfers,
        start,
    );
}

/// Transfers of up to 128 KiB between random hosts, one every 50 ns: about a tenth of what the hosts' links carry.
fn arrivals(transfers: u64) {
    const ARRIVAL: u64 = u64::MAX;
    let (mut network, mut numbers) = (tree(), Numbers(1));
    let mut ended = Vec::new();
    let (mut begun, mut most) = (0, 0);
    let start = Instant::now();
    network.sleep(50e-9, ARRIVAL);
    while network.advance(&mut ended) {
        for end in ended.iter().filter(|e| e.token == ARRIVAL) {
            let path = pair(&mut network, &mut numbers);
            network.transfer(path, 1 + numbers.below(131_072), begun);
            begun += 1;
            if begun < transfers {
                network.sleep(50e-9, end.token);
            }
        }
        most = most.max(network.pending());
    }
    report(
        &format!("{transfers} in a tree over time, up to {most} at once"),
        2 * transfers,
        start.elapsed(),
    );
}

fn main() {
    // The part of the names of the cases to run; all, without one.
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let cases: [(&str, fn()); 9] = [
        ("one pair", || ping_pong("ping-pong of one pair", 1, 4_000_000)),
        ("pairs", || {
            ping_pong("ping-pong of 64 pairs at once", 64, 100_000)
        }),
        ("one path", || one_link(1, 100_000)),
        ("arrivals", || arrivals(100_000)),
        ("shift", || shift(100)),
        ("one link", || one_link(1_000, 100_000)),
        ("random 3000", || random(3_000)),
        ("random 10000", || random(10_000)),
        ("random 100000", || random(100_000)),
    ];
    for (_, case) in cases.iter().filter(|c| c.0.contains(&wanted)) {
        case();
    }
}

//! Many at once: links that hold nobody up, and sharing by link.

use super::*;

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Paths between hosts of two racks with `up` bytes per second from rack to rack, 1 MB/s at each of 2 x 8 hosts.
fn racks(up: f64) -> (Network, impl Fn(&mut Network, u32, u32) -> PathId) {
    let mut links: Vec<Link> = (0..32)
        .map(|host| shared(1e6, 0.001 + f64::from(host % 5) * 0.0003))
        .collect();
    links.extend((0..2).map(|_| shared(up, 0.002)));
    let network = Network::new(&links, &NetworkSettings::default());
    // Links 2h and 2h + 1: up from and down to host h; 32 and 33: from rack 0 and from rack 1 to the other.
    let way = |from: u32, to: u32| -> Vec<LinkId> {
        let between = (from / 8 != to / 8).then_some(32 + from / 8);
        let links = [2 * from].into_iter().chain(between).chain([2 * to + 1]);
        links.map(LinkId).collect()
    };
    let path = move |network: &mut Network, from, to| network.path(&way(from, to), &way(to, from));
    (network, path)
}

/// Transfers between random hosts, some joining later, with what happens to each.
fn busy(crowd: bool, up: f64, transfers: u64) -> (Vec<(f64, u64, Outcome)>, u64) {
    let (mut network, path) = racks(up);
    if crowd {
        network.solver.crowd_from(2);
    }
    let mut numbers = Numbers(7);
    for token in 0..transfers {
        let from = numbers.below(16) as u32;
        let to = (from + 1 + numbers.below(15) as u32) % 16;
        let way = path(&mut network, from, to);
        network.transfer(way, 1 + numbers.below(200_000), token);
        if token % 4 == 3 {
            network.sleep(numbers.below(1000) as f64 * 1e-3, transfers + token);
        }
    }
    let (mut all, mut ended) = (Vec::new(), Vec::new());
    let mut more = transfers;
    while network.advance(&mut ended) {
        for end in &ended {
            all.push((network.now(), end.token, end.outcome));
            if end.token >= transfers && end.token < 2 * transfers {
                let from = numbers.below(16) as u32;
                let way = path(&mut network, from, (from + 8) % 16);
                network.transfer(way, 1 + numbers.below(200_000), 2 * transfers + more);
                more += 1;
            }
        }
    }
    (all, network.solver.crowd.anew)
}

/// Racks that have all the bandwidth of their hosts, a part of it, and hardly any.
#[test]
fn a_crowd_ends_as_small_parts_do() {
    for up in [8e6, 3e6, 0.2e6] {
        let (plain, never) = busy(false, up, 120);
        let (crowd, anew) = busy(true, up, 120);
        assert_eq!(never, 0);
        assert!(anew > 0, "the crowd came about");
        let steps = plain.len() as u64;
        assert!(anew * 10 < steps, "{anew} times anew in {steps} steps");
        let dates = |ends: Vec<(f64, u64, Outcome)>| {
            let mut ends: Vec<(u64, f64)> = ends.into_iter().map(|e| (e.1, e.0)).collect();
            ends.sort_unstable_by_key(|e| e.0);
            ends
        };
        let (plain, crowd) = (dates(plain), dates(crowd));
        assert_eq!(plain.len(), crowd.len());
        for (plain, crowd) in plain.iter().zip(&crowd) {
            assert_eq!(plain.0, crowd.0);
            // Ends within a nanosecond of each other are joined.
            assert!(
                (plain.1 - crowd.1).abs() <= plain.1 * 1e-9 + 2e-9,
                "{plain:?} {crowd:?}"
            );
        }
    }
}

#[test]
fn many_become_a_crowd_and_few_are_one_no_more() {
    // 200 hosts over one link of 1 MB/s, 1 kB, 2 kB ... 200 kB: the k-th ends when it and the shorter ones have k kB each and the
    // 200 - k longer ones as much: (k (k + 1) / 2 + (200 - k) k) ms.
    let mut links = vec![shared(1e6, 0.0)];
    links.extend((0..200).map(|_| shared(2e6, 0.0)));
    let mut network = Network::new(&links, &one_way());
    for host in 1..=200 {
        let way = path(&mut network, &[host, 0]);
        network.transfer(way, u64::from(host) * 1000, u64::from(host));
    }
    let mut ended = Vec::new();
    for k in 1..=200_u64 {
        assert!(network.advance(&mut ended));
        assert_eq!(ended[0].token, k);
        let due = (k * (k + 1) / 2 + (200 - k) * k) as f64 * 1e-3;
        assert!(
            (network.now() - due).abs() < due * 1e-12,
            "{k}: {}",
            network.now()
        );
        let on = network.solver.crowd.on;
        // All was shared anew four times first, and it disperses at the first end among fewer than 32: the 170th is among 31.
        assert_eq!(on, (4..=170).contains(&k), "{k}");
    }
    assert_eq!(network.solver.crowd.anew, 1);
}

#[test]
fn a_profile_acts_on_a_crowd_and_a_link_that_goes_down_ends_it() {
    // 300 transfers over one link of 1 MB/s, from 0.1 s on 100 kB/s, that goes down at 1.1 s.
    let mut links = vec![Link {
        bandwidth_profile: profile(&[(0.1, 1e5)], None),
        state_profile: profile(&[(1.1, 0.0)], None),
        ..shared(1e6, 0.0)
    }];
    links.extend((0..300).map(|_| shared(1e7, 0.0)));
    let mut network = Network::new(&links, &one_way());
    network.solver.crowd_from(2);
    for host in 1..=300 {
        let way = path(&mut network, &[host, 0]);
        network.transfer(way, if host <= 100 { 500 } else { 1000 }, u64::from(host));
    }
    let ends = run(&mut network);
    // Each has 333.3 B at 0.1 s; the 100 short ones need 166.7 B more at 333.3 B/s: 0.6 s.
    for &(date, token, outcome) in &ends {
        if token <= 100 {
            assert_eq!(outcome, Outcome::Done);
            assert!((date - 0.6).abs() < 1e-9, "{token}: {date}");
        } else {
            // 200 left at 500 B/s each would need 1 s more: they are at 750 B when the link fails.
            assert_eq!((date, outcome), (1.1, Outcome::Failed));
        }
    }
    assert_eq!(ends.len(), 300);
}

#[test]
fn a_crowd_leaves_caps_their_own() {
    // 50 paths with a cap of 1 kB/s each (fat pipes) and 50 without over a link of 250 kB/s: 200 kB/s for the 50 others, 4 kB/s
    // each. 8 kB end after 2 s, 2 kB of the capped too; then nothing is left.
    let mut links = vec![shared(250e3, 0.0)];
    links.extend((0..50).map(|_| fat(1e3, 0.0)));
    links.extend((0..50).map(|_| shared(1e6, 0.0)));
    let mut network = Network::new(&links, &one_way());
    network.solver.crowd_from(2);
    for host in 1..=100 {
        let way = path(&mut network, &[host, 0]);
        let bytes = if host <= 50 { 2000 } else { 8000 };
        network.transfer(way, bytes, u64::from(host));
    }
    let ends = run(&mut network);
    assert!(ends.iter().all(|e| (e.0 - 2.0).abs() < 1e-12), "{ends:?}");
    assert_eq!(ends.len(), 100);
}

#[test]
fn a_link_leans_on_what_brings_it_too_little() {
    let kept = |up: f64, hosts: &[u32]| {
        let (mut network, path) = racks(up);
        for &host in hosts {
            path(&mut network, host, host + 8);
        }
        network.paths.pipes[32].kept
    };
    // The link from rack 0 has 3 MB/s: three hosts of 1 MB/s cannot fill it, four can.
    assert!(!kept(3e6, &[0, 1, 2]));
    assert!(!kept(3e6, &[0, 1, 1, 2, 0]), "each counts once");
    assert!(kept(3e6, &[0, 1, 2, 3]));
    assert!(kept(2.9e6, &[0, 1, 2]));
}

#[test]
fn of_two_equal_links_in_a_row_one_is_kept() {
    let mut network = Network::new(
        &[shared(1e6, 0.0), shared(1e6, 0.0), shared(1e6, 0.0)],
        &one_way(),
    );
    let way = path(&mut network, &[2, 1, 0]);
    let kept: Vec<bool> = network.paths.pipes.iter().map(|p| p.kept).collect();
    assert_eq!(kept, [true, false, false]);
    network.transfer(way, 1_000_000, 1);
    assert_ends(&mut network, &[(1, 1.0)]);
}

#[test]
fn what_may_change_is_always_kept() {
    let narrowing = Link {
        bandwidth_profile: profile(&[(1.0, 1e6)], None),
        ..shared(4e6, 0.0)
    };
    let mut network = Network::new(&[shared(2e6, 0.0), narrowing], &one_way());
    let way = path(&mut network, &[0, 1]);
    assert!(network.paths.pipes[0].kept && network.paths.pipes[1].kept);
    network.transfer(way, 4_000_000, 1);
    // 2 MB in the first second, the other 2 MB at 1 MB/s.
    assert_ends(&mut network, &[(1, 3.0)]);
}

#[test]
fn a_link_that_counts_from_now_on_counts_for_those_under_way() {
    // Host 0 and host 1 send over a link of 1.5 MB/s; 0 alone cannot fill it.
    let (mut network, path) = racks(1.5e6);
    let first = path(&mut network, 0, 8);
    network.transfer(first, 10_000_000, 1);
    let mut ended = Vec::new();
    network.sleep(1.0, 0);
    network.advance(&mut ended);
    assert!(!network.paths.pipes[32].kept);
    let second = path(&mut network, 1, 8 + 1);
    network.transfer(second, 1_000_000, 2);
    network.sleep(0.1, 3);
    network.advance(&mut ended);
    assert!(network.paths.pipes[32].kept);
    let rates: f64 = network.paths.paths.iter().map(|p| p.rate).sum();
    assert!((rates - 1.5e6).abs() < 1.0, "{rates}");
}

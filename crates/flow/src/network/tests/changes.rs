//! Links that change while transfers are under way.

use super::*;

/// A shared link of 100 B/s without latency.
fn plain() -> Link {
    shared(100.0, 0.0)
}

#[test]
fn a_bandwidth_acts_at_once_on_what_is_under_way() {
    // 200 B at 100 B/s; at 1 s 50 B/s, at 2 s 500 B/s: 100 + 50 + 50 B at 500 B/s.
    let link = Link {
        bandwidth_profile: profile(&[(1.0, 50.0), (2.0, 500.0)], None),
        ..plain()
    };
    let mut network = Network::new(&[link], &one_way());
    let way = path(&mut network, &[0]);
    network.transfer(way, 200, 1);
    assert_ends(&mut network, &[(1, 2.1)]);
}

#[test]
fn the_bandwidth_of_a_fat_pipe_changes_too() {
    let link = Link {
        bandwidth_profile: profile(&[(1.0, 50.0)], None),
        ..fat(100.0, 0.0)
    };
    let mut network = Network::new(&[link], &one_way());
    let way = path(&mut network, &[0]);
    network.transfer(way, 200, 1);
    network.transfer(way, 200, 2);
    assert_ends(&mut network, &[(1, 3.0), (2, 3.0)]);
}

#[test]
fn what_a_profile_says_at_the_start_holds_from_the_start() {
    let link = Link {
        bandwidth_profile: profile(&[(0.0, 50.0)], None),
        latency_profile: profile(&[(0.0, 1.0)], None),
        ..plain()
    };
    let mut network = Network::new(&[link], &one_way());
    let way = path(&mut network, &[0]);
    assert_eq!(network.path_latency(way), 1.0);
    network.transfer(way, 50, 1);
    assert_ends(&mut network, &[(1, 2.0)]);
}

#[test]
fn a_profile_that_repeats_goes_on() {
    // 100 B/s from 0, 50 from 1 s, again 100 from 1 + 1 + 0 = 2 s, 50 from 3 s: 300 B take 4 s.
    let link = Link {
        bandwidth_profile: profile(&[(0.0, 100.0), (1.0, 50.0)], Some(1.0)),
        ..plain()
    };
    let mut network = Network::new(&[link], &one_way());
    let way = path(&mut network, &[0]);
    network.transfer(way, 300, 1);
    assert_ends(&mut network, &[(1, 4.0)]);
    // And does not keep the simulation alive.
    assert_eq!(network.next_date(), None);
    assert!(!network.advance(&mut Vec::new()));
    assert_eq!(network.now(), 4.0);
}

#[test]
fn a_latency_counts_for_new_transfers_and_for_the_weight_of_those_under_way() {
    // Both of 1 s, 50 B/s each from 1 s on. At 2 s the second's latency becomes 3 s: weights 1 and 1/3, 75 and 25 B/s.
    // The first has had 50 B; 75 more take 1 s. The second has 50 + 25 then, and gets all of the link for its last 100 B.
    let links = [
        plain(),
        shared(1e6, 1.0),
        Link {
            latency_profile: profile(&[(2.0, 3.0)], None),
            ..shared(1e6, 1.0)
        },
    ];
    let mut network = Network::new(&links, &one_way());
    let (first, second) = (path(&mut network, &[0, 1]), path(&mut network, &[0, 2]));
    network.transfer(first, 125, 1);
    network.transfer(second, 175, 2);
    assert_ends(&mut network, &[(1, 3.0), (2, 4.0)]);
    assert_eq!(network.path_latency(second), 3.0);
    network.transfer(second, 100, 3);
    assert_ends(&mut network, &[(3, 8.0)]);
}

#[test]
fn a_latency_that_is_being_spent_stays_as_it_was() {
    let link = Link {
        latency_profile: profile(&[(0.5, 9.0)], None),
        ..shared(100.0, 1.0)
    };
    let mut network = Network::new(&[link], &one_way());
    let way = path(&mut network, &[0]);
    network.transfer(way, 100, 1);
    assert_ends(&mut network, &[(1, 2.0)]);
}

#[test]
fn the_bound_follows_the_latency() {
    // Bound 4,194,304 / 2 = 2,097,152 B/s; at 2 s the latency doubles, and so the bound halves.
    let link = Link {
        latency_profile: profile(&[(2.0, 2.0)], None),
        ..shared(1e9, 1.0)
    };
    let mut network = Network::new(&[link], &one_way());
    let way = path(&mut network, &[0]);
    network.transfer(way, 4_194_304, 1);
    assert_ends(&mut network, &[(1, 4.0)]);
}

#[test]
fn a_link_that_goes_down_fails_what_is_on_it_and_what_comes() {
    let links = [
        Link {
            state_profile: profile(&[(1.0, 0.0), (3.0, 1.0)], None),
            ..plain()
        },
        plain(),
        shared(100.0, 5.0),
    ];
    let mut network = Network::new(&links, &one_way());
    let (over, beside, late) = (
        path(&mut network, &[0, 1]),
        path(&mut network, &[1]),
        path(&mut network, &[2, 0]),
    );
    network.transfer(over, 1000, 1);
    network.transfer(beside, 150, 2);
    network.transfer(late, 1000, 3);
    network.transfer(late, 0, 4);
    let mut ended = Vec::new();
    assert!(network.advance(&mut ended));
    assert_eq!(network.now(), 1.0);
    let failed = |token| Ended {
        token,
        outcome: Outcome::Failed,
    };
    assert_eq!(
        ended,
        [failed(1), failed(3), failed(4)],
        "under way and in their latency"
    );
    network.transfer(over, 10, 5);
    assert!(network.advance(&mut ended));
    assert_eq!(
        (network.now(), &ended[..]),
        (1.0, &[failed(5)][..]),
        "new ones at once"
    );
    // The other had 50 B in the first second and now has the link alone.
    assert_ends(&mut network, &[(2, 2.0)]);
    network.sleep(2.0, 6);
    assert_ends(&mut network, &[(6, 4.0)]);
    network.transfer(over, 100, 7);
    assert_ends(&mut network, &[(7, 5.0)]);
}

#[test]
fn with_cross_traffic_a_link_on_the_way_back_counts() {
    let down = Link {
        state_profile: profile(&[(1.0, 0.0)], None),
        ..plain()
    };
    for (settings, expected) in [
        (NetworkSettings::default(), (1.0, Outcome::Failed)),
        (one_way(), (2.0, Outcome::Done)),
    ] {
        let mut network = Network::new(&[plain(), down.clone()], &settings);
        let way = network.path(&[LinkId(0)], &[LinkId(1)]);
        network.transfer(way, 200, 1);
        let ends = run(&mut network);
        assert_eq!(ends, [(expected.0, 1, expected.1)]);
    }
}

#[test]
fn an_end_and_a_failure_at_one_date_is_a_failure() {
    let link = Link {
        state_profile: profile(&[(1.0, 0.0)], None),
        ..plain()
    };
    let mut network = Network::new(&[link], &one_way());
    let way = path(&mut network, &[0]);
    network.transfer(way, 100, 1);
    assert_eq!(run(&mut network), [(1.0, 1, Outcome::Failed)]);
}

#[test]
fn without_bandwidth_a_transfer_waits_for_some() {
    let link = Link {
        bandwidth_profile: profile(&[(0.5, 0.0), (2.0, 100.0)], None),
        ..plain()
    };
    let mut network = Network::new(&[link], &one_way());
    let way = path(&mut network, &[0]);
    network.transfer(way, 100, 1);
    assert_ends(&mut network, &[(1, 2.5)]);
}

#[test]
fn without_bandwidth_for_good_nothing_ends() {
    let dead = Link {
        bandwidth_profile: profile(&[(0.5, 0.0), (2.0, 0.0)], Some(1.0)),
        ..plain()
    };
    // Another link's profile goes on for ever.
    let other = Link {
        bandwidth_profile: profile(&[(0.0, 1.0), (1.0, 2.0)], Some(1.0)),
        ..plain()
    };
    let mut network = Network::new(&[dead, other], &one_way());
    let way = path(&mut network, &[0]);
    network.transfer(way, 100, 1);
    let mut ended = Vec::new();
    assert!(!network.advance(&mut ended));
    assert_eq!((network.pending(), network.next_date()), (1, None));
}

#[test]
fn without_bandwidth_a_transfer_can_still_fail() {
    let link = Link {
        bandwidth_profile: profile(&[(0.5, 0.0)], None),
        state_profile: profile(&[(3.0, 0.0)], None),
        ..plain()
    };
    let mut network = Network::new(&[link], &one_way());
    let way = path(&mut network, &[0]);
    network.transfer(way, 100, 1);
    assert_eq!(run(&mut network), [(3.0, 1, Outcome::Failed)]);
}

/// Links that a profile keeps in the sharing, whatever their neighbours let through.
fn kept() -> Link {
    Link {
        bandwidth_profile: profile(&[(0.0, 100.0)], None),
        ..plain()
    }
}

#[test]
fn what_is_alone_from_now_on_stays_so_when_the_path_that_left_is_looked_at() {
    // Over the middle link: two transfers of one path, and one of another; each gets a third of 100 B/s. The smaller ones,
    // one on each path, end at 3 s; the other then has the link for itself: 100 B more take 1 s.
    for order in [[[0, 1], [1, 2]], [[1, 2], [0, 1]]] {
        let mut network = Network::new(&[kept(), kept(), kept()], &one_way());
        let ways = order.map(|links| path(&mut network, &links));
        let (two, one) = if order[0] == [0, 1] {
            (ways[0], ways[1])
        } else {
            (ways[1], ways[0])
        };
        network.transfer(two, 100, 1);
        network.transfer(two, 200, 2);
        network.transfer(one, 100, 3);
        assert_ends(&mut network, &[(1, 3.0), (3, 3.0), (2, 4.0)]);
    }
}

//! Rates against arithmetic.

use super::*;

#[test]
fn one_transfer_takes_latency_and_bytes_over_bandwidth() {
    // 2 ms, then 1000 B at 1000 B/s = 1 s.
    let mut network = Network::new(&[shared(1000.0, 0.002)], &one_way());
    let way = path(&mut network, &[0]);
    assert_eq!(network.path_latency(way), 0.002);
    network.transfer(way, 1000, 1);
    assert_eq!(network.pending(), 1);
    assert_ends(&mut network, &[(1, 1.002)]);
    assert_eq!(network.pending(), 0);
}

#[test]
fn a_route_is_as_fast_as_its_slowest_link_and_as_late_as_all_together() {
    // 1 + 2 + 3 ms, then 1000 B at 500 B/s = 2 s.
    let mut network = Network::new(
        &[shared(1000.0, 0.001), shared(500.0, 0.002), shared(800.0, 0.003)],
        &one_way(),
    );
    let way = path(&mut network, &[0, 1, 2]);
    network.transfer(way, 1000, 1);
    assert_ends(&mut network, &[(1, 2.006)]);
}

#[test]
fn equal_transfers_share_a_link_equally() {
    // Three on 900 B/s: 300 B/s each; 300, 600 and 600 B. The first ends at 1 s; then 450 B/s each for 300 B.
    let mut network = Network::new(&[shared(900.0, 0.0)], &one_way());
    let way = path(&mut network, &[0]);
    for (token, bytes) in [(1, 600), (2, 300), (3, 600)] {
        network.transfer(way, bytes, token);
    }
    assert_ends(
        &mut network,
        &[(2, 1.0), (1, 1.0 + 300.0 / 450.0), (3, 1.0 + 300.0 / 450.0)],
    );
}

#[test]
fn shares_are_as_one_over_the_latency() {
    // A common link of 900 B/s and private ones of 1 and 2 ms: weights 1000 and 500, rates 600 and 300 B/s.
    // From 2 ms on (before, the first has 1 ms alone: 0.9 B): 600 B need (600 - 0.9) / 600 s.
    // By then the second has had 300 B/s x 0.9985 s = 299.55 B; 0.45 B more at 900 B/s.
    let links = [shared(900.0, 0.0), shared(1e6, 0.001), shared(1e6, 0.002)];
    let mut network = Network::new(&links, &one_way());
    let near = path(&mut network, &[0, 1]);
    let far = path(&mut network, &[0, 2]);
    network.transfer(near, 600, 1);
    network.transfer(far, 300, 2);
    assert_ends(
        &mut network,
        &[
            (1, 0.002 + 599.1 / 600.0),
            (2, 0.002 + 599.1 / 600.0 + 0.45 / 900.0),
        ],
    );
}

#[test]
fn a_dumbbell_is_held_up_in_the_middle() {
    // Two senders at 1000 B/s, a middle of 1000 B/s, two receivers of 1000 and 200 B/s. The second gets 200, the first 800.
    let links = [
        shared(1000.0, 0.0),
        shared(1000.0, 0.0),
        shared(1000.0, 0.0),
        shared(1000.0, 0.0),
        shared(200.0, 0.0),
    ];
    let mut network = Network::new(&links, &one_way());
    let first = path(&mut network, &[0, 2, 3]);
    let second = path(&mut network, &[1, 2, 4]);
    network.transfer(first, 800, 1);
    network.transfer(second, 400, 2);
    assert_ends(&mut network, &[(1, 1.0), (2, 2.0)]);
}

#[test]
fn a_parking_lot_gives_the_long_way_what_the_worst_link_leaves() {
    // Links of 100, 60 and 100 B/s; one over all three, two more over the middle, one more over each other.
    // Middle: 60 / 3 = 20 each. The others get 100 - 20 = 80.
    let mut network = Network::new(
        &[shared(100.0, 0.0), shared(60.0, 0.0), shared(100.0, 0.0)],
        &one_way(),
    );
    let ways = [vec![0, 1, 2], vec![1], vec![1], vec![0], vec![2]];
    for (token, (way, bytes)) in ways.iter().zip([20, 20, 20, 80, 80]).enumerate() {
        let way = path(&mut network, way);
        network.transfer(way, bytes, token as u64);
    }
    assert_ends(&mut network, &[(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0), (4, 1.0)]);
}

#[test]
fn cross_traffic_takes_a_twentieth_of_the_reverse_route() {
    // Two links of 12.5 GB/s and 400 ns. 10 MB: 800 us at full rate and 0.8 us of latency.
    // With 5 % on the same links for the way back each gives 12.5 / 1.05 GB/s: 800 us x 1.05 = 840 us.
    for (settings, due) in [(one_way(), 800.8e-6), (NetworkSettings::default(), 840.8e-6)] {
        let mut network = Network::new(&[shared(12.5e9, 400e-9), shared(12.5e9, 400e-9)], &settings);
        let way = path(&mut network, &[0, 1]);
        network.transfer(way, 10_000_000, 1);
        assert_ends(&mut network, &[(1, due)]);
    }
}

#[test]
fn cross_traffic_of_two_directions_adds_up() {
    // A pair of links, one for each direction, of 1050 B/s. Each takes r forward and 0.05 r on the other: 1.05 r = 1050.
    let mut network = Network::new(
        &[shared(1050.0, 0.0), shared(1050.0, 0.0)],
        &NetworkSettings::default(),
    );
    let there = network.path(&[LinkId(0)], &[LinkId(1)]);
    let back = network.path(&[LinkId(1)], &[LinkId(0)]);
    network.transfer(there, 1000, 1);
    network.transfer(back, 2000, 2);
    // After 1 s the second is alone: 1050 B/s for its other 1000 B (its own reverse link gives 1050 / 0.05).
    assert_ends(&mut network, &[(1, 1.0), (2, 1.0 + 1000.0 / 1050.0)]);
}

#[test]
fn a_link_twice_on_a_route_is_charged_twice() {
    let mut network = Network::new(&[shared(1000.0, 0.0)], &one_way());
    let way = path(&mut network, &[0, 0]);
    network.transfer(way, 500, 1);
    assert_ends(&mut network, &[(1, 1.0)]);
}

#[test]
fn a_fat_pipe_gives_each_its_bandwidth() {
    // Three at 1000 B/s each, and charges of the two directions do not add: no 1.05.
    let mut network = Network::new(&[fat(1000.0, 0.0)], &NetworkSettings::default());
    let way = path(&mut network, &[0]);
    for (token, bytes) in [(1, 1000), (2, 2000), (3, 3000)] {
        network.transfer(way, bytes, token);
    }
    assert_ends(&mut network, &[(1, 1.0), (2, 2.0), (3, 3.0)]);
}

#[test]
fn a_fat_pipe_on_the_way_back_holds_up_only_the_twentieth() {
    // 0.05 r <= 10 B/s: r <= 200 B/s, though the way there has 1000.
    let mut network = Network::new(
        &[shared(1000.0, 0.0), fat(10.0, 0.0)],
        &NetworkSettings::default(),
    );
    let way = network.path(&[LinkId(0)], &[LinkId(1)]);
    network.transfer(way, 400, 1);
    assert_ends(&mut network, &[(1, 2.0)]);
}

#[test]
fn what_a_fat_pipe_holds_up_leaves_the_rest_to_others() {
    // A shared link of 1000 B/s; one of two comes through a fat pipe of 200 B/s: 200 and 800.
    let mut network = Network::new(&[shared(1000.0, 0.0), fat(200.0, 0.0)], &one_way());
    let held = path(&mut network, &[0, 1]);
    let free = path(&mut network, &[0]);
    network.transfer(held, 200, 1);
    network.transfer(free, 800, 2);
    assert_ends(&mut network, &[(1, 1.0), (2, 1.0)]);
}

#[test]
fn a_rate_is_at_most_the_window_over_the_round_trip() {
    // 4,194,304 B over 2 x 0.5 s = 4,194,304 B/s on a link of 10 MB/s: 0.5 s + 2 s for 8,388,608 B, for one as for two.
    let mut network = Network::new(&[shared(10e6, 0.5)], &one_way());
    let way = path(&mut network, &[0]);
    network.transfer(way, 8_388_608, 1);
    network.transfer(way, 8_388_608, 2);
    assert_ends(&mut network, &[(1, 2.5), (2, 2.5)]);
    // A third does not fit under 10 MB/s: 10 / 3 MB/s each.
    for token in 1..4 {
        network.transfer(way, 10_000_000, token);
    }
    let ends: Vec<(u64, f64)> = (1..4).map(|t| (t, 2.5 + 0.5 + 3.0)).collect();
    assert_ends(&mut network, &ends);
}

#[test]
fn without_a_window_there_is_no_bound() {
    let settings = NetworkSettings {
        tcp_gamma: 0.0,
        ..one_way()
    };
    let mut network = Network::new(&[shared(10e6, 0.5)], &settings);
    let way = path(&mut network, &[0]);
    network.transfer(way, 10_000_000, 1);
    assert_ends(&mut network, &[(1, 1.5)]);
}

#[test]
fn the_bound_leaves_what_it_does_not_take() {
    // Bound of the far one: 4,194,304 / (2 x 1 s) = 2,097,152 B/s, less than half of 10 MB/s; the near one, without latency
    // and so without bound, has all of the first second and then the rest: 7,902,848 B/s.
    let mut network = Network::new(&[shared(10e6, 0.0), shared(1e9, 1.0)], &one_way());
    let far = path(&mut network, &[0, 1]);
    let near = path(&mut network, &[0]);
    network.transfer(far, 4_194_304, 1);
    network.transfer(near, 10_000_000 + 7_902_848, 2);
    assert_ends(&mut network, &[(2, 2.0), (1, 3.0)]);
}

#[test]
fn factors_stretch_latency_and_bytes() {
    // 3 x 0.1 s, then 97 B at 0.97 x 100 B/s.
    let settings = NetworkSettings {
        latency_factor: 3.0,
        bandwidth_factor: 0.97,
        ..one_way()
    };
    let mut network = Network::new(&[shared(100.0, 0.1)], &settings);
    let way = path(&mut network, &[0]);
    network.transfer(way, 97, 1);
    assert_ends(&mut network, &[(1, 1.3)]);
}

#[test]
fn weight_s_adds_to_the_penalty_of_each_link() {
    // Penalties: 1 + 100 / 100 = 2 and 1 + 100 / 100 + 100 / 50 = 4, so 2 : 1 on 100 B/s, once both are past 1 s.
    let settings = NetworkSettings {
        weight_s: 100.0,
        tcp_gamma: 0.0,
        ..one_way()
    };
    let mut network = Network::new(&[shared(100.0, 1.0), shared(50.0, 0.0)], &settings);
    let light = path(&mut network, &[0]);
    let heavy = path(&mut network, &[0, 1]);
    network.transfer(light, 200, 1);
    network.transfer(heavy, 100, 2);
    // 200/3 and 100/3 B/s: 3 s each.
    assert_ends(&mut network, &[(1, 4.0), (2, 4.0)]);
}

#[test]
fn a_latency_uses_no_bandwidth() {
    // The second's latency of 5 s: the first has all of the link until then. 1000 B at 100 B/s: 500 B alone, then the weights
    // are 1 / 1e-3 and 1 / 5, so the first gets 100 x 1000 / 1000.2; the sum of both stays 100.
    let mut network = Network::new(
        &[shared(100.0, 0.0), shared(1e6, 0.001), shared(1e6, 5.0)],
        &one_way(),
    );
    let first = path(&mut network, &[0, 1]);
    let second = path(&mut network, &[0, 2]);
    network.transfer(first, 400, 1);
    network.transfer(second, 100, 2);
    assert_ends(&mut network, &[(1, 4.001), (2, 6.0)]);
    let start = network.now();
    network.transfer(first, 1000, 1);
    network.transfer(second, 100, 2);
    let both = (1000.0 - 499.9) / (100.0 * 1000.0 / 1000.2);
    assert_ends(
        &mut network,
        &[(1, start + 5.0 + both), (2, start + 0.001 + 1100.0 / 100.0)],
    );
}

//! Dates: what is joined, what ends at once, sleeps, order.

use super::*;

#[test]
fn ends_within_the_precision_are_one_date() {
    // 12.5 GB/s and 0.8 us: 100,000 B are due at 8.8 us, 4 B more 0.32 ns later, 12 B more 0.96 ns later; 13 B more, 1.04 ns.
    let links: Vec<Link> = (0..4).map(|_| shared(12.5e9, 0.8e-6)).collect();
    let mut network = Network::new(&links, &one_way());
    for (number, more) in [13, 12, 4, 0].into_iter().enumerate() {
        let way = path(&mut network, &[number as u32]);
        network.transfer(way, 100_000 + more, more);
    }
    let ends = run(&mut network);
    let tokens: Vec<u64> = ends.iter().map(|e| e.1).collect();
    assert_eq!(tokens, [0, 4, 12, 13], "in the order of their own dates");
    let first = ends[0].0;
    assert!((first - 8.8e-6).abs() < 1e-17);
    assert!(ends[1].0 == first && ends[2].0 == first);
    assert!((ends[3].0 - 8.80104e-6).abs() < 1e-17);
}

#[test]
fn equal_dates_are_told_in_the_order_of_starts() {
    let mut network = Network::new(&[shared(1e9, 0.0), shared(1e9, 0.0)], &one_way());
    let (a, b) = (path(&mut network, &[0]), path(&mut network, &[1]));
    network.transfer(b, 1000, 1);
    network.sleep(1e-6, 2);
    network.transfer(a, 1000, 3);
    network.sleep(1e-6, 4);
    let mut ended = Vec::new();
    assert!(network.advance(&mut ended));
    assert_eq!(ended.iter().map(|e| e.token).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[test]
fn what_begins_to_share_at_a_date_does_not_end_at_it() {
    // The first ends when the second's latency is over: 2 us. The second's 8 B take 0.8 ns more: less than the precision, but
    // from the date on which it got its rate.
    let mut network = Network::new(&[shared(10e9, 1e-6)], &one_way());
    let way = path(&mut network, &[0]);
    let mut ended = Vec::new();
    network.transfer(way, 10_000, 1);
    network.sleep(1e-6, 0);
    assert!(network.advance(&mut ended));
    network.transfer(way, 8, 2);
    assert_ends(&mut network, &[(1, 2e-6), (2, 2.0008e-6)]);
}

#[test]
fn without_bytes_a_transfer_takes_its_latency() {
    let mut network = Network::new(&[shared(1.0, 0.25), shared(1.0, 0.0)], &one_way());
    let way = path(&mut network, &[0]);
    let quick = path(&mut network, &[1]);
    network.transfer(way, 0, 1);
    network.transfer(quick, 0, 2);
    assert_ends(&mut network, &[(2, 0.0), (1, 0.25)]);
}

#[test]
fn over_no_links_a_transfer_ends_at_once() {
    let mut network = Network::new(&[], &NetworkSettings::default());
    let way = network.path(&[], &[]);
    assert_eq!(network.path_latency(way), 0.0);
    network.sleep(2.0, 1);
    let mut ended = Vec::new();
    network.advance(&mut ended);
    network.transfer(way, u64::MAX, 2);
    assert_eq!(network.next_date(), Some(2.0));
    assert_ends(&mut network, &[(2, 2.0)]);
}

#[test]
fn a_sleep_takes_at_least_the_precision_unless_it_is_none() {
    let mut network = Network::new(&[], &NetworkSettings::default());
    network.sleep(0.0, 1);
    network.sleep(1e-12, 2);
    network.sleep(3e-9, 3);
    assert_ends(&mut network, &[(1, 0.0), (2, 1e-9), (3, 3e-9)]);
}

#[test]
fn a_cancelled_sleep_is_as_if_it_had_never_been() {
    let mut network = Network::new(&[], &NetworkSettings::default());
    let long = network.sleep(10.0, 1);
    // Not even as a date that others join: the second is due 0.5 ns after the first.
    let first = network.sleep(1.0, 2);
    network.sleep(1.0 + 0.5e-9, 3);
    assert!(network.cancel_sleep(first));
    assert!(!network.cancel_sleep(first), "it is gone");
    assert!(network.cancel_sleep(long));
    assert_eq!(network.pending(), 1);
    assert_ends(&mut network, &[(3, 1.0 + 0.5e-9)]);
    assert_eq!(network.now(), 1.0 + 0.5e-9);
    // The slot is used again; the old name does not reach the new sleep.
    let again = network.sleep(1.0, 4);
    assert!(!network.cancel_sleep(first) && !network.cancel_sleep(long));
    assert!(network.cancel_sleep(again));
    assert_eq!(network.next_date(), None);
}

#[test]
fn nothing_pending_is_the_end() {
    let mut network = Network::new(&[shared(1.0, 0.0)], &NetworkSettings::default());
    let mut ended = vec![Ended {
        token: 9,
        outcome: Outcome::Done,
    }];
    assert!(!network.advance(&mut ended));
    assert!(ended.is_empty());
    assert_eq!(network.now(), 0.0);
}

#[test]
fn the_same_links_are_the_same_path() {
    let mut network = Network::new(&[shared(1.0, 0.0), shared(1.0, 0.0)], &NetworkSettings::default());
    let (a, b) = ([LinkId(0)], [LinkId(1)]);
    let there = network.path(&a, &b);
    assert_ne!(network.path(&a, &a), there);
    assert_ne!(
        network.path(&[LinkId(0), LinkId(1)], &[]),
        there,
        "where the way back begins counts"
    );
    assert_eq!(network.path(&a, &b), there);
    let mut network = Network::new(&[shared(1.0, 0.0), shared(1.0, 0.0)], &one_way());
    assert_eq!(
        network.path(&a, &b),
        network.path(&a, &a),
        "without cross-traffic the way back does not matter"
    );
}

#[test]
fn a_small_transfer_keeps_its_digits_on_a_path_that_is_never_idle() {
    let settings = NetworkSettings {
        precision: 0.0,
        ..one_way()
    };
    let mut network = Network::new(&[shared(2e3, 0.0)], &settings);
    let way = path(&mut network, &[0]);
    network.transfer(way, 4_000_000_000_000_000, 1);
    let mut ended = Vec::new();
    network.sleep(1e12, 2);
    assert!(network.advance(&mut ended));
    // 2e15 B have been served. 7 and 3 MB share 2000 B/s with the long one: the 3 MB end after 3 x 3e6 / 2000 = 4500 s; the
    // 4 MB that the other still has take 2 x 4e6 / 2000 = 4000 s. (Dates near 1e12 s come in steps of 0.12 ms.)
    network.transfer(way, 7_000_000, 3);
    network.transfer(way, 3_000_000, 4);
    let ends = run(&mut network);
    assert_eq!(ends.iter().map(|e| e.1).collect::<Vec<_>>(), [4, 3, 1]);
    assert!((ends[0].0 - 1e12 - 4500.0).abs() < 1e-3, "{}", ends[0].0 - 1e12);
    assert!((ends[1].0 - 1e12 - 8500.0).abs() < 1e-3, "{}", ends[1].0 - 1e12);
}

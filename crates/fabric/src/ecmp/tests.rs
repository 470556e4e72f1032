//! The pinned test vectors, and how each method spreads flows over one and two tiers.

use super::EcmpHashMethod::{Crc32, Crc32WithSalt, Dpr, DprWithFallback, Hash, HashWithSalt};
use super::*;
use crate::frame::tcp::TcpHeader;
use proptest::prelude::*;

/// A frame of a queue pair from one host to another, with what the hashes look at.
fn frame(source: u32, destination: u32, queue_pair: u32) -> Frame {
    let (source, destination) = (HostId(source), HostId(destination));
    let source_port = source_port(source, destination, queue_pair);
    Frame {
        source,
        destination,
        source_port,
        flow: flow_crc(source, destination, source_port),
        ..Frame::pfc(0, 0)
    }
}

/// A TCP segment from one host to another.
fn segment(source: u32, destination: u32, source_port: u16, destination_port: u16) -> Frame {
    let (source, destination) = (HostId(source), HostId(destination));
    let flow = tcp_flow_crc(source, destination, source_port, destination_port);
    let header = TcpHeader {
        source_port,
        destination_port,
        ..TcpHeader::default()
    };
    Frame::tcp(source, destination, flow, header, 0)
}

#[test]
fn the_crc_is_the_usual_one() {
    assert_eq!(crc(0, b"123456789"), 0xCBF4_3926, "the check value of CRC-32");
}

#[test]
fn a_continued_crc_is_that_of_the_whole() {
    assert_eq!(crc(crc(0, b"12345"), b"6789"), 0xCBF4_3926);
}

#[test]
fn mixing_is_murmurs_finalizer() {
    assert_eq!([mix(0), mix(1), mix(0xFFFF_FFFF)], [0, 0x514E_28B7, 0x81F1_6F39]);
}

/// What a vector pins: source, destination, queue pair (of TCP the destination port), switch; source port, CRC, exclusive or of addresses and ports;
/// then of the methods in the order of their declaration the hashes, but for `dprWithFallback`, and the members of 8.
struct Vector {
    flow: [u32; 3],
    node: u32,
    port: u16,
    crc: u32,
    exclusive_or: u32,
    hashes: [u16; 5],
    members: [usize; 6],
}

// Also computed by an independent program with the seeded CRC of zlib.
const VECTORS: [Vector; 3] = [
    Vector {
        flow: [0, 1, 0],
        node: 0,
        port: 65_074,
        crc: 0x3E2B_8F7F,
        exclusive_or: 0xFE32_12B4,
        hashes: [0xD5D2, 0xB154, 0xD13E, 0xEC86, 1],
        members: [2, 4, 6, 6, 1, 1],
    },
    Vector {
        flow: [1, 0, 0],
        node: 0,
        port: 54_336,
        crc: 0xB4CA_7CBE,
        exclusive_or: 0xD440_12B4,
        hashes: [0x134A, 0xC874, 0x26C8, 0xC6F4, 0],
        members: [2, 4, 0, 4, 0, 0],
    },
    Vector {
        flow: [1_000, 65_535, 1_023],
        node: 17,
        port: 50_521,
        crc: 0x5999_F9A2,
        exclusive_or: 0xC558_115E,
        hashes: [0xD081, 0xA03B, 0xC2E1, 0xD406, 511],
        members: [1, 3, 1, 6, 7, 3],
    },
];

// Ports of the first, the answers to it, and the eighth connection of a pair.
const TCP_VECTORS: [Vector; 3] = [
    Vector {
        flow: [0, 1, 5_000],
        node: 0,
        port: 49_152,
        crc: 0x640B_5C07,
        exclusive_or: 0xC000_138B,
        hashes: [0x0001, 0x380C, 0x1053, 0xD38B, 1],
        members: [1, 4, 3, 3, 1, 1],
    },
    Vector {
        flow: [1, 0, 49_152],
        node: 0,
        port: 5_000,
        crc: 0x3509_D2B6,
        exclusive_or: 0x1388_C003,
        hashes: [0xE8CA, 0xE7BF, 0x4943, 0xD38B, 0],
        members: [2, 7, 3, 3, 0, 0],
    },
    Vector {
        flow: [1_000, 65_535, 5_007],
        node: 17,
        port: 49_159,
        crc: 0x58AD_D1E6,
        exclusive_or: 0xC006_1066,
        hashes: [0x4C8B, 0x894B, 0xDB3B, 0xD060, 511],
        members: [3, 3, 3, 0, 7, 3],
    },
];

#[test]
fn vectors_are_pinned() {
    for vector in &VECTORS {
        let [source, destination, queue_pair] = vector.flow;
        vector.check(frame(source, destination, queue_pair));
    }
    for vector in &TCP_VECTORS {
        let [source, destination, port] = vector.flow;
        vector.check(segment(source, destination, vector.port, port as u16));
    }
}

impl Vector {
    fn check(&self, frame: Frame) {
        assert_eq!(
            (frame.source_port, frame.flow, addresses_and_ports(&frame)),
            (self.port, self.crc, self.exclusive_or),
            "{:?}",
            self.flow
        );
        for (number, &method) in EcmpHashMethod::ALL.iter().enumerate() {
            let hasher = FlowHasher::new(method, self.node);
            assert_eq!(
                hasher.member(&frame, 8),
                self.members[number],
                "{method:?} of {:?}",
                self.flow
            );
            if method != DprWithFallback {
                let hash = hasher.hash(&frame, 8);
                assert_eq!(hash, self.hashes[number], "{method:?} of {:?}", self.flow);
            }
        }
    }
}

#[test]
fn the_seed_is_a_constant_on_the_crc() {
    for node in [0, 1, 2, 3, 1_000, 65_535, u32::MAX] {
        let salt = mix(node.wrapping_add(SALT_OFFSET));
        for host in 0..200 {
            let frame = frame(host, host * 7 + 1, host);
            let ports = (frame.source_port, ROCE_PORT);
            let tuple = five_tuple(UDP, frame.source, frame.destination, ports);
            let expected = fold(mix(crc(salt, &tuple).wrapping_add(salt)));
            let hash = FlowHasher::new(Crc32WithSalt, node).hash(&frame, 8);
            assert_eq!(hash, expected, "host {host}, node {node}");
        }
    }
}

#[test]
fn source_ports_are_dynamic_ports_and_spread() {
    let mut eighths = [0u32; 8];
    for connection in 0..8_000 {
        let port = source_port(HostId(3), HostId(4), connection);
        assert!(port >= 49_152);
        eighths[((port - 49_152) / 2_048) as usize] += 1;
    }
    // 1,000 each, +- 5 standard deviations of sqrt(8000 x 1/8 x 7/8) = 29.6.
    assert!(eighths.iter().all(|&n| n.abs_diff(1_000) < 148), "{eighths:?}");
}

proptest! {
    #[test]
    fn a_member_is_one_of_the_set_and_the_flow_alone_decides(
        source in 0u32..262_144, destination in 0u32..262_144, queue_pair: u32, node: u32, members in 1usize..=512,
        method in prop::sample::select(EcmpHashMethod::ALL), psn: u32, size: u16, class in 0u8..8,
    ) {
        let hasher = FlowHasher::new(method, node);
        let first = frame(source, destination, queue_pair);
        let member = hasher.member(&first, members);
        prop_assert!(member < members);
        let later = Frame { psn, size, class, ..first };
        prop_assert_eq!(hasher.member(&later, members), member);
    }

    #[test]
    fn without_salt_every_switch_chooses_alike(
        source: u16, destination: u16, queue_pair: u32, nodes: [u32; 2], members in 1usize..=512,
        method in prop::sample::select(vec![Crc32, Hash, Dpr, DprWithFallback]),
    ) {
        let frame = frame(source.into(), destination.into(), queue_pair);
        let [one, other] = nodes.map(|node| FlowHasher::new(method, node).member(&frame, members));
        prop_assert_eq!(one, other);
    }

    #[test]
    fn dpr_goes_by_the_destination_alone(
        sources: [u16; 2], destination: u16, queue_pairs: [u32; 2], nodes: [u32; 2], members in 1usize..=512,
    ) {
        let member = |end: usize| {
            let frame = frame(sources[end].into(), destination.into(), queue_pairs[end]);
            FlowHasher::new(Dpr, nodes[end]).member(&frame, members)
        };
        prop_assert_eq!(member(0), member(1));
        prop_assert_eq!(member(0), destination as usize % 512 % members);
    }

    #[test]
    fn the_fallback_is_the_unsalted_crc(
        source: u16, destination: u16, queue_pair: u32, node: u32, members in 1usize..=512,
    ) {
        let frame = frame(source.into(), destination.into(), queue_pair);
        let member = FlowHasher::new(DprWithFallback, node).member(&frame, members);
        let index = destination as usize % 512;
        let method = if index < members { Dpr } else { Crc32 };
        prop_assert_eq!(member, FlowHasher::new(method, node).member(&frame, members));
    }
}

#[test]
fn a_destination_index_counts_hosts_from_0_to_511() {
    // 32.0.0.1 is host 0: its address less 1 is 0x20000000, of which the low 9 bits are 0.
    assert_eq!(HostId(0).address() - 1, 0x2000_0000);
    let index = |host| destination_index(HostId(host));
    assert_eq!(
        [0, 1, 255, 511, 512, 513].map(index),
        [0, 1, 255, 511, 0, 1],
        "host 512 is at 32.0.2.1"
    );
}

#[test]
fn the_fallback_begins_at_the_number_of_members() {
    for members in 1..512 {
        let last = frame(1_000, members - 1, 0);
        let beyond = frame(1_000, members, 0);
        let members = members as usize;
        let member = |method, frame| FlowHasher::new(method, 0).member(frame, members);
        assert_eq!(member(DprWithFallback, &last), members - 1);
        assert_eq!(member(DprWithFallback, &beyond), member(Crc32, &beyond));
    }
}

/// Flows of 128 hosts to 128 others, one queue pair each: 16,384.
fn flows() -> impl Iterator<Item = Frame> {
    (0..128).flat_map(|from| (128..256).map(move |to| frame(from, to, 0)))
}

/// Chi-square of `counts` against an even spread.
fn chi_square(counts: &[u32]) -> f64 {
    let mean = counts.iter().sum::<u32>() as f64 / counts.len() as f64;
    counts.iter().map(|&n| (n as f64 - mean).powi(2) / mean).sum()
}

/// Chi-square with 7 degrees of freedom has mean 7 and variance 14; it exceeds 29.9 once in 10,000 times.
const BOUND: f64 = 29.9;

#[test]
fn one_switch_spreads_flows_evenly() {
    for method in [Crc32WithSalt, Crc32, HashWithSalt, Hash] {
        for members in [8, 6, 12] {
            let mut counts = vec![0; members];
            let hasher = FlowHasher::new(method, 2);
            flows().for_each(|flow| counts[hasher.member(&flow, members)] += 1);
            // Mean plus six standard deviations of members - 1 degrees of freedom.
            let degrees = members as f64 - 1.0;
            let bound = degrees + 6.0 * (2.0 * degrees).sqrt();
            assert!(chi_square(&counts) < bound, "{method:?}: {counts:?}");
        }
    }
}

/// By uplink of switch 2, which has 8: how many of the flows it sends there go to each of the 8 members of the switch they
/// reach.
fn second_tier(method: EcmpHashMethod) -> [[u32; 8]; 8] {
    let first = FlowHasher::new(method, 2);
    let mut counts = [[0; 8]; 8];
    for flow in flows() {
        let uplink = first.member(&flow, 8);
        let second = FlowHasher::new(method, 10 + uplink as u32);
        counts[uplink][second.member(&flow, 8)] += 1;
    }
    counts
}

/// By uplink: how many of the members beyond it have flows.
fn used(counts: &[[u32; 8]; 8]) -> [usize; 8] {
    counts.map(|members| members.iter().filter(|&&n| n > 0).count())
}

#[test]
fn two_tiers_do_not_polarize() {
    // The flows that one switch sends to each of its 8 uplinks, about 2,048, spread over the 8 of the next: each
    // gets 256 +- 15 or so, and chi-square stays below its bound.
    for (uplink, counts) in second_tier(Crc32WithSalt).iter().enumerate() {
        assert!(chi_square(counts) < BOUND, "uplink {uplink}: {counts:?}");
    }
}

#[test]
fn without_salt_they_do() {
    // All flows that chose uplink 3 choose 3 again: this is what the salt is for.
    for method in [Crc32, Hash, Dpr] {
        for (uplink, counts) in second_tier(method).iter().enumerate() {
            let elsewhere = counts.iter().sum::<u32>() - counts[uplink];
            assert!(counts[uplink] > 0 && elsewhere == 0, "{method:?}: {counts:?}");
        }
    }
}

#[test]
fn a_salt_that_is_only_added_helps_in_part() {
    // The sum carries from bit to bit, and that is all that is not linear: the flows of an uplink part for the next switch,
    // unlike those of `hash`, but never over all of its ports.
    let used = used(&second_tier(HashWithSalt));
    assert!(used.iter().all(|members| (1..=3).contains(members)), "{used:?}");
    assert!(
        used.iter().filter(|&&members| members > 1).count() > 4,
        "{used:?}"
    );
}

//! Flow hashes for equal-cost multipath.
//!
//! A packet's flow is its five-tuple. Its CRC-32 is computed once for each queue pair and travels with the frame; a
//! switch turns it into a 16-bit hash with an exclusive or and a finalizer. The member of an equal-cost set is the
//! hash modulo the number of members. The definitions are part of the documented behaviour and may not change; the
//! page `docs/ecmp.md` states them with the test vectors below.

use crate::frame::{HostId, ROCE_PORT};
use crc32fast::Hasher;
use serde::{Deserialize, Serialize};

/// Length of the hashed five-tuple.
const TUPLE: usize = 13;
/// IP protocol number of UDP.
const UDP: u8 = 17;
/// First UDP source port of queue pairs; the dynamic ports begin here.
const FIRST_SOURCE_PORT: u16 = 49_152;
/// Source ports of queue pairs: 49,152 to 65,535.
const SOURCE_PORTS: u32 = 16_384;
/// Added to a node id before it is mixed, since the mixing leaves 0 as it is: 2^32 divided by the golden ratio.
const SALT_OFFSET: u32 = 0x9E37_79B9;

/// The five-tuple as it is hashed: protocol, source port, destination port, source address, destination address, each
/// in network byte order.
fn five_tuple(source: HostId, destination: HostId, source_port: u16) -> [u8; TUPLE] {
    let mut tuple = [0; TUPLE];
    tuple[0] = UDP;
    tuple[1..3].copy_from_slice(&source_port.to_be_bytes());
    tuple[3..5].copy_from_slice(&ROCE_PORT.to_be_bytes());
    tuple[5..9].copy_from_slice(&source.address().to_be_bytes());
    tuple[9..13].copy_from_slice(&destination.address().to_be_bytes());
    tuple
}

/// CRC-32 (reflected polynomial 0xEDB88320, as in Ethernet and zip) of `bytes`, continued from the CRC `seed`.
fn crc(seed: u32, bytes: &[u8]) -> u32 {
    let mut hasher = Hasher::new_with_initial(seed);
    hasher.update(bytes);
    hasher.finalize()
}

/// Unsalted CRC-32 of the five-tuple of a packet from `source` to `destination` over UDP to port 4791.
pub fn flow_crc(source: HostId, destination: HostId, source_port: u16) -> u32 {
    crc(0, &five_tuple(source, destination, source_port))
}

/// UDP source port of the packets a queue pair sends: 49152 + (a hash of the queue pair) modulo 16384.
///
/// `source` is the sending host, so the two ends of a connection have different ports. The hash is the CRC-32 of both
/// addresses and `queue_pair`, which tells it from others between the same hosts, 4 bytes each in network byte order, passed
/// through [`mix`]: the CRC alone would carry the structure of neighbouring addresses over into the five-tuple.
pub fn source_port(source: HostId, destination: HostId, queue_pair: u32) -> u16 {
    let mut bytes = [0; 12];
    bytes[0..4].copy_from_slice(&source.address().to_be_bytes());
    bytes[4..8].copy_from_slice(&destination.address().to_be_bytes());
    bytes[8..12].copy_from_slice(&queue_pair.to_be_bytes());
    FIRST_SOURCE_PORT + (mix(crc(0, &bytes)) % SOURCE_PORTS) as u16
}

/// The 32-bit finalizer of MurmurHash3: a bijection in which every bit of the input changes half the bits of the
/// output.
#[inline]
pub fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x85EB_CA6B);
    x ^= x >> 13;
    x = x.wrapping_mul(0xC2B2_AE35);
    x ^ (x >> 16)
}

/// 32 bits folded to 16 by exclusive or of the halves.
#[inline]
fn fold(x: u32) -> u16 {
    (x ^ (x >> 16)) as u16
}

/// Flow hash of method `crc32`: no salt, no finalizer, the same on every switch.
#[inline]
pub fn unsalted_hash(flow_crc: u32) -> u16 {
    fold(flow_crc)
}

/// Flow hash of method `crc32WithSalt` on one switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FlowHasher {
    salt: u32,
    /// What a CRC seeded with the salt differs by from one that is not.
    ///
    /// A CRC is linear over exclusive or: crc(seed, m) = crc(0, m) ^ crc(seed, zeros) ^ crc(0, zeros) for any message
    /// of one length. So the seed costs nothing per packet.
    seed: u32,
}

impl FlowHasher {
    /// The hash of the switch with this node id.
    pub fn new(node_id: u32) -> Self {
        let salt = mix(node_id.wrapping_add(SALT_OFFSET));
        let zeros = [0; TUPLE];
        FlowHasher {
            salt,
            seed: crc(salt, &zeros) ^ crc(0, &zeros),
        }
    }

    /// The hash of the flow whose unsalted CRC is `flow_crc`; see [`flow_crc`].
    #[inline]
    pub fn hash(&self, flow_crc: u32) -> u16 {
        fold(mix((flow_crc ^ self.seed).wrapping_add(self.salt)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn vectors_are_pinned() {
        // Source, destination, connection, switch; source port, CRC, hash with salt, hash without.
        for (source, destination, connection, node, port, crc, salted, unsalted) in VECTORS {
            let (source, destination) = (HostId(source), HostId(destination));
            let found_port = source_port(source, destination, connection);
            let found_crc = flow_crc(source, destination, found_port);
            let found = (
                found_port,
                found_crc,
                FlowHasher::new(node).hash(found_crc),
                unsalted_hash(found_crc),
            );
            assert_eq!(
                found,
                (port, crc, salted, unsalted),
                "{source:?} to {destination:?} at {node}"
            );
        }
    }

    type Vector = (u32, u32, u32, u32, u16, u32, u16, u16);
    // Also computed by an independent program with the seeded CRC of zlib.
    const VECTORS: [Vector; 3] = [
        (0, 1, 0, 0, 65_074, 0x3E2B_8F7F, 0xD5D2, 0xB154),
        (1, 0, 0, 0, 54_336, 0xB4CA_7CBE, 0x134A, 0xC874),
        (1_000, 65_535, 1_023, 17, 50_521, 0x5999_F9A2, 0xD081, 0xA03B),
    ];

    #[test]
    fn the_seed_is_a_constant_on_the_crc() {
        for node in [0, 1, 2, 3, 1_000, 65_535, u32::MAX] {
            let salt = mix(node.wrapping_add(SALT_OFFSET));
            for host in 0..200 {
                let (source, destination) = (HostId(host), HostId(host * 7 + 1));
                let port = source_port(source, destination, host);
                let seeded = crc(salt, &five_tuple(source, destination, port));
                let expected = fold(mix(seeded.wrapping_add(salt)));
                let hash = FlowHasher::new(node).hash(flow_crc(source, destination, port));
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

    /// Flows of 128 hosts to 128 others, one queue pair each: 16,384.
    fn flows() -> impl Iterator<Item = u32> {
        (0..128).flat_map(|from| {
            (128..256).map(move |to| {
                let (source, destination) = (HostId(from), HostId(to));
                flow_crc(source, destination, source_port(source, destination, 0))
            })
        })
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
        for members in [8, 6, 12] {
            let mut counts = vec![0; members];
            let hasher = FlowHasher::new(2);
            flows().for_each(|flow| counts[hasher.hash(flow) as usize % members] += 1);
            // Mean plus six standard deviations of members - 1 degrees of freedom.
            let degrees = members as f64 - 1.0;
            let bound = degrees + 6.0 * (2.0 * degrees).sqrt();
            assert!(chi_square(&counts) < bound, "{counts:?}");
        }
    }

    #[test]
    fn two_tiers_do_not_polarize() {
        // The flows that one switch sends to each of its 8 uplinks, about 2,048, spread over the 8 of the next: each
        // gets 256 +- 15 or so, and chi-square stays below its bound.
        let first = FlowHasher::new(2);
        for member in 0..8 {
            let second = FlowHasher::new(10 + member as u32);
            let mut counts = [0; 8];
            let arriving = flows().filter(|&flow| first.hash(flow) % 8 == member);
            arriving.for_each(|flow| counts[second.hash(flow) as usize % 8] += 1);
            assert!(chi_square(&counts) < BOUND, "uplink {member}: {counts:?}");
        }
    }

    #[test]
    fn without_salt_they_do() {
        // All flows that chose uplink 3 choose 3 again: this is what the salt is for.
        let arriving = flows().filter(|&flow| unsalted_hash(flow) % 8 == 3);
        assert!(
            arriving
                .map(|flow| unsalted_hash(flow) % 8)
                .all(|member| member == 3)
        );
    }
}

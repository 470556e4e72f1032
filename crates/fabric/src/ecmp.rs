//! Flow hashes for equal-cost multipath.
//!
//! A packet's flow is its five-tuple. A switch makes a 16-bit hash of it by one of six methods, and the member of an
//! equal-cost set is the hash modulo the number of members. The CRC-32 that most of them need is computed once for each
//! queue pair or TCP connection and travels with the frame, so that a packet costs a few operations on numbers that are at
//! hand. The
//! definitions are part of the documented behaviour and may not change; the page `docs/ecmp.md` states them with the test
//! vectors below.
//!
//! Packets that are neither TCP nor UDP would all be one flow (public switch page, "Flow identity"). Every frame that is
//! routed is one of the two, so there is no case for them.

use crate::frame::{Frame, HostId, ROCE_PORT};
use crate::switch::attributes::EcmpHashMethod;
use crc32fast::Hasher;
use serde::{Deserialize, Serialize};

/// Length of the hashed five-tuple.
const TUPLE: usize = 13;
/// IP protocol number of UDP.
const UDP: u8 = 17;
/// IP protocol number of TCP.
const TCP: u8 = 6;
/// First UDP source port of queue pairs; the dynamic ports begin here.
const FIRST_SOURCE_PORT: u16 = 49_152;
/// Source ports of queue pairs: 49,152 to 65,535.
const SOURCE_PORTS: u32 = 16_384;
/// Added to a node id before it is mixed, since the mixing leaves 0 as it is: 2^32 divided by the golden ratio.
const SALT_OFFSET: u32 = 0x9E37_79B9;

/// The five-tuple as it is hashed: protocol, source port, destination port, source address, destination address, each
/// in network byte order.
fn five_tuple(protocol: u8, source: HostId, destination: HostId, ports: (u16, u16)) -> [u8; TUPLE] {
    let mut tuple = [0; TUPLE];
    tuple[0] = protocol;
    tuple[1..3].copy_from_slice(&ports.0.to_be_bytes());
    tuple[3..5].copy_from_slice(&ports.1.to_be_bytes());
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
    crc(0, &five_tuple(UDP, source, destination, (source_port, ROCE_PORT)))
}

/// Unsalted CRC-32 of the five-tuple of a TCP segment from `source` to `destination`.
pub fn tcp_flow_crc(source: HostId, destination: HostId, source_port: u16, destination_port: u16) -> u32 {
    let ports = (source_port, destination_port);
    crc(0, &five_tuple(TCP, source, destination, ports))
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

/// Exclusive or of the addresses and the ports. The source port stands above the destination port, as in the packet.
#[inline]
fn addresses_and_ports(frame: &Frame) -> u32 {
    let ports = (frame.source_port as u32) << 16 | frame.destination_port() as u32;
    frame.source.address() ^ frame.destination.address() ^ ports
}

/// What the methods `dpr` and `dprWithFallback` number destinations by: the low 9 bits of the address before it.
#[inline]
fn destination_index(destination: HostId) -> u16 {
    (destination.address().wrapping_sub(1) & 0x1FF) as u16
}

/// How one switch picks among equal-cost members.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FlowHasher {
    method: EcmpHashMethod,
    salt: u32,
    /// What a CRC seeded with the salt differs by from one that is not.
    ///
    /// A CRC is linear over exclusive or: crc(seed, m) = crc(0, m) ^ crc(seed, zeros) ^ crc(0, zeros) for any message
    /// of one length. So the seed costs nothing per packet.
    seed: u32,
}

impl FlowHasher {
    /// The choice by `method` at the switch with this node id, which salts the methods that have a salt.
    pub fn new(method: EcmpHashMethod, node_id: u32) -> Self {
        let salt = mix(node_id.wrapping_add(SALT_OFFSET));
        let zeros = [0; TUPLE];
        FlowHasher {
            method,
            salt,
            seed: crc(salt, &zeros) ^ crc(0, &zeros),
        }
    }

    /// The member that `frame` takes, of `members`, of which there is at least one.
    #[inline]
    pub fn member(&self, frame: &Frame, members: usize) -> usize {
        self.hash(frame, members) as usize % members
    }

    /// The flow hash. Only `dprWithFallback` looks at the number of members.
    #[inline]
    fn hash(&self, frame: &Frame, members: usize) -> u16 {
        match self.method {
            EcmpHashMethod::Crc32WithSalt => fold(mix((frame.flow ^ self.seed).wrapping_add(self.salt))),
            EcmpHashMethod::Crc32 => fold(frame.flow),
            EcmpHashMethod::HashWithSalt => fold(addresses_and_ports(frame).wrapping_add(self.salt)),
            EcmpHashMethod::Hash => fold(addresses_and_ports(frame)),
            EcmpHashMethod::Dpr => destination_index(frame.destination),
            EcmpHashMethod::DprWithFallback => match destination_index(frame.destination) {
                index if (index as usize) < members => index,
                _ => fold(frame.flow),
            },
        }
    }
}

#[cfg(test)]
mod tests;

//! Frames as header bytes, and back.
//!
//! This is the one place that knows the layouts on the wire. The simulation itself moves [`Frame`]s; bytes are made
//! for captures and checks. Only headers are encoded: the payload has no content and the frame check sequence no
//! value, so a frame's bytes are shorter than its size on the wire, which travels beside them.
//!
//! | Header | Bytes | In |
//! | --- | --- | --- |
//! | Ethernet | 14 | all |
//! | IPv4 | 20 | all but PFC |
//! | UDP, base transport header | 8 + 12 | RDMA |
//! | acknowledgement extended header | 4 | ACK, NAK |
//! | TCP, with its options | 20 to 56 | TCP |
//! | opcode, class vector, eight pause times | 2 + 2 + 16 | PFC |
//!
//! An RDMA write carries no RDMA extended header, and no packet an invariant CRC: the sizes are those of [`frame`],
//! which leaves both out. The checksum of a TCP segment is that of a payload of zeros.
//!
//! [`frame`]: crate::frame

mod pfc;
mod tcp;

use crate::ecmp::flow_crc;
use crate::frame::tcp::TCP_HEADER;
use crate::frame::{
    ACK_HEADER, BASE_TRANSPORT_HEADER, CLASSES, ETHERNET_HEADER, Ecn, FRAME_CHECK, Frame, HostId,
    IPV4_HEADER, Kind, ROCE_PORT, UDP_HEADER,
};
use thiserror::Error;

const IPV4: usize = ETHERNET_HEADER as usize;
const UDP: usize = IPV4 + IPV4_HEADER as usize;
const TRANSPORT: usize = UDP + UDP_HEADER as usize;
/// Where the header after IPv4 begins.
const BEHIND_IPV4: usize = UDP;
/// Header bytes of data, CNP and connection packets.
const PLAIN_HEADERS: usize = TRANSPORT + BASE_TRANSPORT_HEADER as usize;
/// Header bytes of ACK and NAK.
const ACK_HEADERS: usize = PLAIN_HEADERS + ACK_HEADER as usize;
/// Header and pause times of a PFC frame; 46 bytes of data and the check follow.
const PFC_HEADERS: usize = IPV4 + 2 + 2 + 2 * CLASSES;

const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_MAC_CONTROL: u16 = 0x8808;
/// Version 4, header of five 32-bit words.
const IPV4_VERSION_AND_LENGTH: u8 = 0x45;
/// Don't fragment, offset 0.
const DO_NOT_FRAGMENT: u16 = 0x4000;
/// Time to live at the sender. It is not counted down: routes cannot loop.
const TIME_TO_LIVE: u8 = 64;
const PROTOCOL_UDP: u8 = 17;
const PROTOCOL_TCP: u8 = 6;
/// The partition that every port is a member of.
const DEFAULT_PARTITION: u16 = 0xFFFF;
/// Syndrome of an ACK without a limit on credits.
const SYNDROME_ACK: u8 = 0x1F;
/// Syndrome of a NAK for a sequence error.
const SYNDROME_NAK: u8 = 0x60;

// Opcodes of the base transport header. Reliable connection: RDMA write, acknowledge. CNP is that of RoCE version 2.
// Connection packets are ours, from the range left to manufacturers (0xC0 to 0xFF).
const WRITE_FIRST: u8 = 0x06;
const WRITE_MIDDLE: u8 = 0x07;
const WRITE_LAST: u8 = 0x08;
const WRITE_ONLY: u8 = 0x0A;
const ACKNOWLEDGE: u8 = 0x11;
const CNP: u8 = 0x81;
const CONNECT_REQUEST: u8 = 0xC0;
const CONNECT_RESPONSE: u8 = 0xC1;
const CONNECT_ACKNOWLEDGE: u8 = 0xC2;

/// Why bytes are no frame of ours.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// Fewer bytes than the headers take.
    #[error("{bytes} bytes are too short for the headers; at least {needed} are needed")]
    TooShort {
        /// Bytes given.
        bytes: usize,
        /// Bytes needed.
        needed: usize,
    },
    /// A size on the wire that does not go with the headers, or is more than a frame can have.
    #[error("a size of {size} bytes on the wire does not go with the frame's headers")]
    WireSize {
        /// The size given.
        size: usize,
    },
    /// A field with a value that no frame of ours has.
    #[error("{field} is {value:#x}, which is not understood")]
    Field {
        /// The field's name.
        field: &'static str,
        /// Its value.
        value: u32,
    },
    /// The IPv4 header's checksum does not match.
    #[error("the checksum of the IPv4 header does not match")]
    Checksum,
    /// The checksum of a TCP segment does not match, over a payload of zeros.
    #[error("the checksum of the TCP segment does not match")]
    TcpChecksum,
    /// A PFC frame with different pause times for its classes.
    #[error("the classes of a PFC frame have different pause times")]
    PauseTimes,
}

/// Number of header bytes of a frame of this kind. The options of a TCP segment come on top.
pub fn header_length(kind: Kind) -> usize {
    match kind {
        Kind::Pfc => PFC_HEADERS,
        Kind::Ack | Kind::Nak => ACK_HEADERS,
        Kind::Tcp => BEHIND_IPV4 + TCP_HEADER as usize,
        _ => PLAIN_HEADERS,
    }
}

/// Number of header bytes of this frame: what [`encode`] writes.
pub fn headers_of(frame: &Frame) -> usize {
    let options = match frame.kind {
        Kind::Tcp => frame.tcp_options_length() as usize,
        _ => 0,
    };
    header_length(frame.kind) + options
}

/// The frame's header bytes.
pub fn encode(frame: &Frame) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(headers_of(frame));
    encode_into(frame, &mut bytes);
    bytes
}

/// Appends the frame's header bytes to `bytes`.
pub fn encode_into(frame: &Frame, bytes: &mut Vec<u8>) {
    if frame.kind == Kind::Pfc {
        pfc::put(frame, bytes);
        return;
    }
    put_ethernet(mac(frame.destination), mac(frame.source), ETHERTYPE_IPV4, bytes);
    if frame.kind == Kind::Tcp {
        tcp::put(frame, bytes);
        return;
    }
    // The size without Ethernet header and check.
    let total_length = frame.size.saturating_sub((ETHERNET_HEADER + FRAME_CHECK) as u16);
    put_ipv4(frame, PROTOCOL_UDP, total_length, bytes);
    put_udp(frame, total_length.saturating_sub(IPV4_HEADER as u16), bytes);
    put_base_transport(frame, bytes);
    match frame.kind {
        Kind::Ack => bytes.extend([SYNDROME_ACK, 0, 0, 0]),
        Kind::Nak => bytes.extend([SYNDROME_NAK, 0, 0, 0]),
        _ => {}
    }
}

/// A locally administered address made of the host's IPv4 address.
fn mac(host: HostId) -> [u8; 6] {
    let [a, b, c, d] = host.address().to_be_bytes();
    [0x02, 0x00, a, b, c, d]
}

fn put_ethernet(destination: [u8; 6], source: [u8; 6], ethertype: u16, bytes: &mut Vec<u8>) {
    bytes.extend(destination);
    bytes.extend(source);
    bytes.extend(ethertype.to_be_bytes());
}

fn put_ipv4(frame: &Frame, protocol: u8, total_length: u16, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    let ecn = match frame.ecn {
        Ecn::NotEct => 0b00,
        Ecn::Ect0 => 0b10,
        Ecn::Ce => 0b11,
    };
    // The DSCP of class n is 8 n, and it stands above the two bits of the ECN field.
    bytes.extend([IPV4_VERSION_AND_LENGTH, (frame.class << 5) | ecn]);
    bytes.extend(total_length.to_be_bytes());
    bytes.extend([0, 0]); // identification: nothing is fragmented
    bytes.extend(DO_NOT_FRAGMENT.to_be_bytes());
    bytes.extend([TIME_TO_LIVE, protocol, 0, 0]);
    bytes.extend(frame.source.address().to_be_bytes());
    bytes.extend(frame.destination.address().to_be_bytes());
    let checksum = !ones_sum(&bytes[start..]);
    bytes[start + 10..start + 12].copy_from_slice(&checksum.to_be_bytes());
}

/// Ones' complement sum of 16-bit words (RFC 1071).
fn ones_sum(bytes: &[u8]) -> u16 {
    let words = bytes
        .chunks_exact(2)
        .map(|word| u16::from_be_bytes([word[0], word[1]]) as u32);
    let mut sum: u32 = words.sum();
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    sum as u16
}

fn put_udp(frame: &Frame, length: u16, bytes: &mut Vec<u8>) {
    bytes.extend(frame.source_port.to_be_bytes());
    bytes.extend(ROCE_PORT.to_be_bytes());
    bytes.extend(length.to_be_bytes());
    bytes.extend([0, 0]); // RoCE sends no UDP checksum
}

fn put_base_transport(frame: &Frame, bytes: &mut Vec<u8>) {
    let opcode = match frame.kind {
        Kind::WriteFirst => WRITE_FIRST,
        Kind::WriteMiddle => WRITE_MIDDLE,
        Kind::WriteLast => WRITE_LAST,
        Kind::WriteOnly => WRITE_ONLY,
        Kind::Ack | Kind::Nak => ACKNOWLEDGE,
        Kind::Cnp => CNP,
        Kind::ConnectRequest => CONNECT_REQUEST,
        Kind::ConnectResponse => CONNECT_RESPONSE,
        Kind::ConnectAcknowledge => CONNECT_ACKNOWLEDGE,
        Kind::Pfc | Kind::Tcp => unreachable!("neither a PFC frame nor a TCP segment has such a header"),
    };
    // Payloads are padded to four bytes on a real wire; here a payload has any length and the pad count is 0.
    bytes.extend([opcode, (frame.solicited as u8) << 7]);
    bytes.extend(DEFAULT_PARTITION.to_be_bytes());
    // One byte and 24 bits, twice: reserved and queue pair, acknowledgement request and sequence number.
    let acknowledge = (frame.solicited && frame.kind.is_data()) as u32;
    bytes.extend((frame.queue_pair & 0x00FF_FFFF).to_be_bytes());
    bytes.extend(((acknowledge << 31) | (frame.psn & 0x00FF_FFFF)).to_be_bytes());
}

/// The frame whose header bytes these are and that takes `wire_size` bytes on the wire. Bytes after the headers are
/// not looked at.
///
/// The flow is computed from the addresses and ports.
pub fn decode(bytes: &[u8], wire_size: usize) -> Result<Frame, DecodeError> {
    let size = u16::try_from(wire_size).map_err(|_| DecodeError::WireSize { size: wire_size })?;
    need(bytes, IPV4)?;
    match u16_at(bytes, 12) {
        ETHERTYPE_IPV4 => decode_packet(bytes, size),
        ETHERTYPE_MAC_CONTROL => pfc::decode(bytes, size),
        other => Err(field("Ethernet type", other as u32)),
    }
}

fn need(bytes: &[u8], needed: usize) -> Result<(), DecodeError> {
    if bytes.len() < needed {
        Err(DecodeError::TooShort {
            bytes: bytes.len(),
            needed,
        })
    } else {
        Ok(())
    }
}

fn field(field: &'static str, value: u32) -> DecodeError {
    DecodeError::Field { field, value }
}

/// Big-endian number at `at`; the caller has checked the length.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// Big-endian number at `at`; the caller has checked the length.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn decode_packet(bytes: &[u8], size: u16) -> Result<Frame, DecodeError> {
    need(bytes, BEHIND_IPV4)?;
    match bytes[IPV4 + 9] {
        PROTOCOL_UDP => decode_rdma(bytes, size),
        PROTOCOL_TCP => tcp::decode(bytes, size),
        other => Err(field("IPv4 protocol", other as u32)),
    }
}

fn decode_rdma(bytes: &[u8], size: u16) -> Result<Frame, DecodeError> {
    need(bytes, PLAIN_HEADERS)?;
    let kind = kind(bytes)?;
    let headers = header_length(kind);
    let Some(payload) = (size as usize).checked_sub(headers + FRAME_CHECK as usize) else {
        return Err(DecodeError::WireSize { size: size as usize });
    };
    // Cannot be less than 0: the headers and the check are more than this.
    let total_length = size - (ETHERNET_HEADER + FRAME_CHECK) as u16;
    let ipv4 = Ipv4::read(&bytes[IPV4..UDP])?;
    if ipv4.total_length != total_length {
        return Err(field("IPv4 total length", ipv4.total_length as u32));
    }
    let Ipv4 {
        source, destination, ..
    } = ipv4;

    let (source_port, port, length) = (u16_at(bytes, UDP), u16_at(bytes, UDP + 2), u16_at(bytes, UDP + 4));
    if port != ROCE_PORT {
        return Err(field("UDP destination port", port as u32));
    }
    if length != total_length - IPV4_HEADER as u16 {
        return Err(field("UDP length", length as u32));
    }
    Ok(Frame {
        source,
        destination,
        flow: flow_crc(source, destination, source_port),
        queue_pair: u32_at(bytes, TRANSPORT + 4) & 0x00FF_FFFF,
        psn: u32_at(bytes, TRANSPORT + 8) & 0x00FF_FFFF,
        payload: payload as u16,
        size,
        source_port,
        kind,
        class: ipv4.class,
        ecn: ipv4.ecn,
        solicited: bytes[TRANSPORT + 1] & 0x80 != 0,
        ..Frame::pfc(0, 0)
    })
}

/// What the transport header says the packet is. There must be at least [`PLAIN_HEADERS`] bytes.
fn kind(bytes: &[u8]) -> Result<Kind, DecodeError> {
    Ok(match bytes[TRANSPORT] {
        WRITE_FIRST => Kind::WriteFirst,
        WRITE_MIDDLE => Kind::WriteMiddle,
        WRITE_LAST => Kind::WriteLast,
        WRITE_ONLY => Kind::WriteOnly,
        CNP => Kind::Cnp,
        CONNECT_REQUEST => Kind::ConnectRequest,
        CONNECT_RESPONSE => Kind::ConnectResponse,
        CONNECT_ACKNOWLEDGE => Kind::ConnectAcknowledge,
        ACKNOWLEDGE => {
            need(bytes, ACK_HEADERS)?;
            match bytes[PLAIN_HEADERS] {
                SYNDROME_ACK => Kind::Ack,
                SYNDROME_NAK => Kind::Nak,
                other => return Err(field("acknowledgement syndrome", other as u32)),
            }
        }
        other => return Err(field("transport opcode", other as u32)),
    })
}

/// What an IPv4 header tells.
struct Ipv4 {
    total_length: u16,
    class: u8,
    ecn: Ecn,
    source: HostId,
    destination: HostId,
}

impl Ipv4 {
    /// Reads the 20 bytes of a header and checks its fixed fields but for the protocol.
    fn read(header: &[u8]) -> Result<Ipv4, DecodeError> {
        if header[0] != IPV4_VERSION_AND_LENGTH {
            return Err(field("IPv4 version and header length", header[0] as u32));
        }
        // The sum over a header with its own checksum is all ones.
        if ones_sum(header) != 0xFFFF {
            return Err(DecodeError::Checksum);
        }
        let dscp = header[1] >> 2;
        if !dscp.is_multiple_of(8) {
            return Err(field("DSCP", dscp as u32));
        }
        let ecn = match header[1] & 0b11 {
            0b00 => Ecn::NotEct,
            0b10 => Ecn::Ect0,
            0b11 => Ecn::Ce,
            other => return Err(field("ECN", other as u32)),
        };
        Ok(Ipv4 {
            total_length: u16_at(header, 2),
            class: dscp / 8,
            ecn,
            source: host(u32_at(header, 12))?,
            destination: host(u32_at(header, 16))?,
        })
    }
}

/// The host with this address.
fn host(address: u32) -> Result<HostId, DecodeError> {
    let first = HostId(0).address();
    address
        .checked_sub(first)
        .map(HostId)
        .ok_or_else(|| field("IPv4 address", address))
}

#[cfg(test)]
mod tests;

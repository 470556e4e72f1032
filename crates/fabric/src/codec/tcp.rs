//! TCP headers as bytes, and back (RFC 9293, section 3.1).

use super::{
    BEHIND_IPV4, DecodeError, IPV4, Ipv4, PROTOCOL_TCP, field, header_length, need, ones_sum, put_ipv4,
    u16_at, u32_at,
};
use crate::ecmp::tcp_flow_crc;
use crate::frame::tcp::{MOST_SACK_BLOCKS, SMALLEST_TCP_FRAME, SackBlock, TCP_HEADER, TcpHeader, TcpOptions};
use crate::frame::{ETHERNET_HEADER, FRAME_CHECK, Frame, HostId, IPV4_HEADER, Kind};

// Kinds of options, and the lengths of those that have one length.
const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const MAXIMUM_SEGMENT_SIZE: u8 = 2;
const MAXIMUM_SEGMENT_SIZE_LENGTH: u8 = 4;
const WINDOW_SCALE: u8 = 3;
const WINDOW_SCALE_LENGTH: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK_PERMITTED_LENGTH: u8 = 2;
const SACK: u8 = 5;
/// Bytes of a SACK block.
const BLOCK: usize = 8;

/// Appends the IPv4 header, the TCP header and its options.
pub(super) fn put(frame: &Frame, bytes: &mut Vec<u8>) {
    let header = frame.tcp_header();
    let header_length = (TCP_HEADER + frame.tcp_options_length()) as u16;
    let length = header_length.saturating_add(frame.payload);
    // A padded frame is longer than its packet.
    put_ipv4(
        frame,
        PROTOCOL_TCP,
        length.saturating_add(IPV4_HEADER as u16),
        bytes,
    );
    let start = bytes.len();
    bytes.extend(header.source_port.to_be_bytes());
    bytes.extend(header.destination_port.to_be_bytes());
    bytes.extend(header.sequence.to_be_bytes());
    bytes.extend(header.acknowledgement.to_be_bytes());
    // The data offset counts 32-bit words and stands in the upper half of its byte.
    bytes.extend([(header_length as u8 / 4) << 4, header.flags]);
    bytes.extend(header.window.to_be_bytes());
    bytes.extend([0, 0, 0, 0]); // checksum and urgent pointer
    put_options(&header.options, bytes);
    debug_assert_eq!(bytes.len() - start, header_length as usize);
    let checksum = !sum(frame.source, frame.destination, length, &bytes[start..]);
    bytes[start + 16..start + 18].copy_from_slice(&checksum.to_be_bytes());
}

/// Appends options, each aligned to 32 bits by no-operations before it.
fn put_options(options: &TcpOptions, bytes: &mut Vec<u8>) {
    match options {
        TcpOptions::None => {}
        TcpOptions::Syn {
            mss,
            sack_permitted,
            window_scale,
        } => {
            bytes.extend([MAXIMUM_SEGMENT_SIZE, MAXIMUM_SEGMENT_SIZE_LENGTH]);
            bytes.extend(mss.to_be_bytes());
            if *sack_permitted {
                bytes.extend([NO_OPERATION, NO_OPERATION, SACK_PERMITTED, SACK_PERMITTED_LENGTH]);
            }
            if let Some(scale) = window_scale {
                bytes.extend([NO_OPERATION, WINDOW_SCALE, WINDOW_SCALE_LENGTH, *scale]);
            }
        }
        TcpOptions::Sack { count, .. } => {
            bytes.extend([NO_OPERATION, NO_OPERATION, SACK, 2 + BLOCK as u8 * count]);
            for (start, end) in options.sack() {
                bytes.extend(start.to_be_bytes());
                bytes.extend(end.to_be_bytes());
            }
        }
    }
}

/// Ones' complement sum of a segment of `length` bytes, of which `header` comes first and zeros follow, with its pseudo
/// header.
fn sum(source: HostId, destination: HostId, length: u16, header: &[u8]) -> u16 {
    let mut pseudo = [0; 12];
    pseudo[..4].copy_from_slice(&source.address().to_be_bytes());
    pseudo[4..8].copy_from_slice(&destination.address().to_be_bytes());
    pseudo[9] = PROTOCOL_TCP;
    pseudo[10..].copy_from_slice(&length.to_be_bytes());
    let (sum, carry) = ones_sum(&pseudo).overflowing_add(ones_sum(header));
    // After a carry there is room for it.
    sum + carry as u16
}

/// The segment whose header bytes these are and that takes `size` bytes on the wire.
pub(super) fn decode(bytes: &[u8], size: u16) -> Result<Frame, DecodeError> {
    need(bytes, header_length(Kind::Tcp))?;
    let offset = bytes[BEHIND_IPV4 + 12] >> 4;
    let length = offset as usize * 4;
    if length < TCP_HEADER as usize {
        return Err(field("TCP data offset", offset as u32));
    }
    need(bytes, BEHIND_IPV4 + length)?;
    let ipv4 = Ipv4::read(&bytes[IPV4..BEHIND_IPV4])?;
    let segment = (ipv4.total_length as usize).checked_sub(IPV4_HEADER as usize);
    let Some(payload) = segment.and_then(|segment| segment.checked_sub(length)) else {
        return Err(field("IPv4 total length", ipv4.total_length as u32));
    };
    let wire = ipv4.total_length as u64 + ETHERNET_HEADER + FRAME_CHECK;
    if size as u64 != wire.max(SMALLEST_TCP_FRAME) {
        return Err(DecodeError::WireSize { size: size as usize });
    }
    let tcp = &bytes[BEHIND_IPV4..BEHIND_IPV4 + length];
    if tcp[12] & 0x0F != 0 {
        return Err(field("TCP reserved bits", (tcp[12] & 0x0F) as u32));
    }
    if u16_at(tcp, 18) != 0 {
        return Err(field("TCP urgent pointer", u16_at(tcp, 18) as u32));
    }
    if sum(ipv4.source, ipv4.destination, (length + payload) as u16, tcp) != 0xFFFF {
        return Err(DecodeError::TcpChecksum);
    }
    let header = TcpHeader {
        source_port: u16_at(tcp, 0),
        destination_port: u16_at(tcp, 2),
        sequence: u32_at(tcp, 4),
        acknowledgement: u32_at(tcp, 8),
        flags: tcp[13],
        window: u16_at(tcp, 14),
        options: options(&tcp[TCP_HEADER as usize..])?,
    };
    let flow = tcp_flow_crc(
        ipv4.source,
        ipv4.destination,
        header.source_port,
        header.destination_port,
    );
    let frame =
        Frame::try_tcp(ipv4.source, ipv4.destination, flow, header, payload as u32).ok_or_else(|| {
            field(
                "acknowledgement, far from its SACK blocks,",
                header.acknowledgement,
            )
        })?;
    if TCP_HEADER + frame.tcp_options_length() != length as u64 {
        return Err(field("TCP data offset", offset as u32));
    }
    Ok(Frame {
        class: ipv4.class,
        ecn: ipv4.ecn,
        ..frame
    })
}

/// Reads options: those of a SYN, or SACK.
fn options(mut bytes: &[u8]) -> Result<TcpOptions, DecodeError> {
    let (mut mss, mut window_scale, mut sack_permitted, mut sack) = (None, None, None, None);
    while let [kind, rest @ ..] = bytes {
        match *kind {
            END => break,
            NO_OPERATION => {
                bytes = rest;
                continue;
            }
            _ => {}
        }
        let length = rest.first().copied().unwrap_or(0);
        let wrong = || Err(field("TCP option length", length as u32));
        let Some(value) = bytes.get(2..length as usize) else {
            return wrong();
        };
        let known_before = match *kind {
            MAXIMUM_SEGMENT_SIZE if length == MAXIMUM_SEGMENT_SIZE_LENGTH => {
                mss.replace(u16_at(value, 0)).is_some()
            }
            WINDOW_SCALE if length == WINDOW_SCALE_LENGTH => match value[0] {
                u8::MAX => return Err(field("TCP window scale", u8::MAX as u32)),
                scale => window_scale.replace(scale).is_some(),
            },
            SACK_PERMITTED if length == SACK_PERMITTED_LENGTH => sack_permitted.replace(()).is_some(),
            SACK if !value.is_empty() && value.len().is_multiple_of(BLOCK) => {
                let mut blocks = [SackBlock::default(); MOST_SACK_BLOCKS];
                for (block, value) in blocks.iter_mut().zip(value.chunks_exact(BLOCK)) {
                    *block = (u32_at(value, 0), u32_at(value, 4));
                }
                // There is room for at most four in 40 bytes.
                let count = (value.len() / BLOCK) as u8;
                sack.replace(TcpOptions::Sack { blocks, count }).is_some()
            }
            MAXIMUM_SEGMENT_SIZE | WINDOW_SCALE | SACK_PERMITTED | SACK => return wrong(),
            other => return Err(field("TCP option", other as u32)),
        };
        if known_before {
            return Err(field("TCP option, given twice,", *kind as u32));
        }
        bytes = &bytes[length as usize..];
    }
    // What stands beside what a segment of ours never has it beside.
    let stray = |present: bool, kind: u8| {
        if present {
            Err(field("TCP option among the others", kind as u32))
        } else {
            Ok(())
        }
    };
    match (mss, sack) {
        (Some(_), Some(_)) => Err(field("TCP option among the others", SACK as u32)),
        (Some(mss), None) => Ok(TcpOptions::Syn {
            mss,
            sack_permitted: sack_permitted.is_some(),
            window_scale,
        }),
        (None, sack) => {
            stray(window_scale.is_some(), WINDOW_SCALE)?;
            stray(sack_permitted.is_some(), SACK_PERMITTED)?;
            Ok(sack.unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests;

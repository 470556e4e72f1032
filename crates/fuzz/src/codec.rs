//! Header bytes.

use crate::frames::{Bounds, frame, segment};
use arbitrary::{Result, Unstructured};
use packetloom_fabric::codec::{decode, encode, headers_of};
use packetloom_fabric::frame::{ETHERNET_HEADER, Ecn, FRAME_CHECK, Frame, HostId, IPV4_HEADER, Kind};

/// Decodes `data` (two bytes of size on the wire, then header bytes), which must give an answer; a frame that comes out
/// encodes to bytes that mean the same. Then makes a frame of `data`, and a TCP segment, which must survive their encoding.
pub fn codec(data: &[u8]) {
    if let Some((size, bytes)) = data.split_first_chunk() {
        answer(bytes, u16::from_be_bytes(*size) as usize);
    }
    // What is left out of a short input is zero; there is always a frame.
    let _ = rdma(&mut Unstructured::new(data));
    let _ = tcp(&mut Unstructured::new(data));
}

/// Decodes anything.
fn answer(bytes: &[u8], size: usize) {
    if let Ok(frame) = decode(bytes, size) {
        assert_eq!(decode(&encode(&frame), size), Ok(frame));
    }
    // Sizes that no frame has are answered too.
    assert!(decode(bytes, usize::MAX - size).is_err());
}

/// Hosts that have an address.
fn hosts() -> u64 {
    (1 << 32) - HostId(0).address() as u64
}

fn tcp(u: &mut Unstructured) -> Result<()> {
    let segment = segment(u, hosts())?;
    let class = u.int_in_range(0..=7)?;
    let ecn = *u.choose(&[Ecn::NotEct, Ecn::Ect0, Ecn::Ce])?;
    round_trip(
        u,
        Frame {
            class,
            ecn,
            ..segment
        },
    )
}

fn rdma(u: &mut Unstructured) -> Result<()> {
    let bounds = Bounds {
        hosts: hosts(),
        queue_pairs: 1 << 24,
        payload: 65_535 - 62,
    };
    let mut given = frame(u, &bounds)?;
    given.psn = u.int_in_range(0..=(1 << 24) - 1)?;
    if given.kind == Kind::Pfc {
        given.psn = 0;
        if given.pfc_classes == 0 {
            // Without a class there is no pause time to carry.
            given.quanta = 0;
        }
    }
    round_trip(u, given)
}

fn round_trip(u: &mut Unstructured, given: Frame) -> Result<()> {
    let bytes = encode(&given);
    assert_eq!(bytes.len(), headers_of(&given));
    assert!(bytes.len() + FRAME_CHECK as usize <= given.size as usize);
    assert_eq!(decode(&bytes, given.size as usize), Ok(given));
    // Cut off anywhere, it is too short, and nothing worse.
    let cut = u.int_in_range(0..=bytes.len() - 1)?;
    assert!(decode(&bytes[..cut], given.size as usize).is_err());
    // Changed here and there, with a checksum that is right all the same, it is some frame or none.
    let mut bytes = bytes;
    for _ in 0..u.int_in_range(1..=4)? {
        let place = u.choose_index(bytes.len())?;
        bytes[place] = u.arbitrary()?;
    }
    if given.kind != Kind::Pfc {
        let header = &mut bytes[ETHERNET_HEADER as usize..][..IPV4_HEADER as usize];
        header[10..12].fill(0);
        let checksum = !sum(header, 0);
        header[10..12].copy_from_slice(&checksum.to_be_bytes());
    }
    if given.kind == Kind::Tcp {
        // The pseudo header: both addresses, which stand just before, the protocol and the length.
        let length = u16::from_be_bytes([bytes[16], bytes[17]]).wrapping_sub(IPV4_HEADER as u16);
        bytes[50..52].fill(0);
        let checksum = !sum(&bytes[26..], 6 + length as u32);
        bytes[50..52].copy_from_slice(&checksum.to_be_bytes());
    }
    answer(&bytes, given.size as usize);
    Ok(())
}

/// Ones' complement sum of 16-bit words and of `other`.
fn sum(bytes: &[u8], other: u32) -> u16 {
    let words = bytes
        .chunks_exact(2)
        .map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])));
    let sum = words.sum::<u32>() + other;
    let sum = (sum & 0xFFFF) + (sum >> 16);
    ((sum & 0xFFFF) + (sum >> 16)) as u16
}

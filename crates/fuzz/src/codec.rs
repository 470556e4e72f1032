//! Header bytes.

use crate::frames::{Bounds, frame};
use arbitrary::{Result, Unstructured};
use packetloom_fabric::codec::{decode, encode, header_length};
use packetloom_fabric::frame::{FRAME_CHECK, HostId};

/// Decodes `data` (two bytes of size on the wire, then header bytes), which must give an answer; a frame that comes out
/// encodes to bytes that mean the same. Then makes a frame of `data`, which must survive its encoding.
pub fn codec(data: &[u8]) {
    if let Some((size, bytes)) = data.split_first_chunk() {
        let size = u16::from_be_bytes(*size) as usize;
        if let Ok(frame) = decode(bytes, size) {
            assert_eq!(decode(&encode(&frame), size), Ok(frame));
        }
        // Any size is answered too.
        let _ = decode(bytes, usize::MAX - size);
    }
    // What is left out of a short input is zero; there is always a frame.
    let _ = round_trip(&mut Unstructured::new(data));
}

fn round_trip(u: &mut Unstructured) -> Result<()> {
    let bounds = Bounds {
        hosts: (1 << 32) - HostId(0).address() as u64,
        queue_pairs: 1 << 24,
        payload: 65_535 - 62,
    };
    let mut given = frame(u, &bounds)?;
    given.psn = u.int_in_range(0..=(1 << 24) - 1)?;
    if given.kind == packetloom_fabric::frame::Kind::Pfc {
        given.psn = 0;
        if given.pfc_classes == 0 {
            // Without a class there is no pause time to carry.
            given.quanta = 0;
        }
    }
    let bytes = encode(&given);
    assert_eq!(bytes.len(), header_length(given.kind));
    assert!(bytes.len() + FRAME_CHECK as usize <= given.size as usize);
    assert_eq!(decode(&bytes, given.size as usize), Ok(given));
    // Cut off anywhere, it is too short, and nothing worse.
    let cut = u.int_in_range(0..=bytes.len() - 1)?;
    assert!(decode(&bytes[..cut], given.size as usize).is_err());
    Ok(())
}

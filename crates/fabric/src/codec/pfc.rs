//! PFC frames as bytes, and back (IEEE 802.1Q).

use super::{DecodeError, ETHERTYPE_MAC_CONTROL, IPV4, PFC_HEADERS, field, mac, need, put_ethernet, u16_at};
use crate::frame::{CLASSES, Frame, PFC_SIZE};

/// MAC control opcode of priority-based flow control.
const PFC_OPCODE: u16 = 0x0101;
/// Where MAC control frames go: to the other end of the link, never further.
const PFC_ADDRESS: [u8; 6] = [0x01, 0x80, 0xC2, 0x00, 0x00, 0x01];

/// Appends the header and the pause times.
pub(super) fn put(frame: &Frame, bytes: &mut Vec<u8>) {
    // Such a frame belongs to a link, not to a host; its sender is told by the port it arrives on.
    put_ethernet(PFC_ADDRESS, mac(frame.source), ETHERTYPE_MAC_CONTROL, bytes);
    bytes.extend(PFC_OPCODE.to_be_bytes());
    bytes.extend([0, frame.pfc_classes]);
    for class in 0..CLASSES {
        let named = frame.pfc_classes >> class & 1 == 1;
        bytes.extend(if named { frame.quanta } else { 0 }.to_be_bytes());
    }
}

/// The PFC frame whose header bytes these are.
pub(super) fn decode(bytes: &[u8], size: u16) -> Result<Frame, DecodeError> {
    need(bytes, PFC_HEADERS)?;
    if size as u64 != PFC_SIZE {
        return Err(DecodeError::WireSize { size: size as usize });
    }
    if u16_at(bytes, IPV4) != PFC_OPCODE {
        return Err(field("MAC control opcode", u16_at(bytes, IPV4) as u32));
    }
    let classes = u16_at(bytes, IPV4 + 2);
    let Ok(named) = u8::try_from(classes) else {
        return Err(field("PFC class vector", classes as u32));
    };
    let mut times = (0..CLASSES)
        .filter(|class| named >> class & 1 == 1)
        .map(|n| u16_at(bytes, IPV4 + 4 + 2 * n));
    let quanta = times.next().unwrap_or(0);
    if times.any(|time| time != quanta) {
        return Err(DecodeError::PauseTimes);
    }
    Ok(Frame::pfc(named, quanta))
}

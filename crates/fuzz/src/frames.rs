//! Frames made of arbitrary bytes.

use arbitrary::{Result, Unstructured};
use packetloom_fabric::codec::header_length;
use packetloom_fabric::ecmp::flow_crc;
use packetloom_fabric::frame::{CONTROL_PAYLOAD, Ecn, FRAME_CHECK, Frame, HostId, Kind};

/// Every kind of frame.
pub const KINDS: [Kind; 11] = [
    Kind::WriteFirst,
    Kind::WriteMiddle,
    Kind::WriteLast,
    Kind::WriteOnly,
    Kind::Ack,
    Kind::Nak,
    Kind::Cnp,
    Kind::Pfc,
    Kind::ConnectRequest,
    Kind::ConnectResponse,
    Kind::ConnectAcknowledge,
];

/// Within which bounds a frame is made.
pub struct Bounds {
    /// Hosts are numbered below this.
    pub hosts: u64,
    /// Queue pair numbers lie below this.
    pub queue_pairs: u32,
    /// The largest payload of a data packet in bytes.
    pub payload: u32,
}

/// A whole number below `end`.
pub fn below(u: &mut Unstructured, end: u64) -> Result<u64> {
    u.int_in_range(0..=end - 1)
}

/// A frame whose size goes with its kind and payload, and whose flow with its addresses: a frame that can be sent.
pub fn frame(u: &mut Unstructured, bounds: &Bounds) -> Result<Frame> {
    let kind = *u.choose(&KINDS)?;
    if kind == Kind::Pfc {
        return pfc(u);
    }
    let payload = if kind.is_data() || u.ratio(1, 8)? {
        u.int_in_range(0..=bounds.payload)?
    } else {
        CONTROL_PAYLOAD as u32
    };
    let (source, destination) = (
        HostId(below(u, bounds.hosts)? as u32),
        HostId(below(u, bounds.hosts)? as u32),
    );
    let source_port = u.arbitrary()?;
    let flags: u8 = u.arbitrary()?;
    Ok(Frame {
        source,
        destination,
        flow: flow_crc(source, destination, source_port),
        queue_pair: u.int_in_range(0..=bounds.queue_pairs - 1)?,
        psn: 0,
        payload: payload as u16,
        size: (header_length(kind) as u64 + FRAME_CHECK + payload as u64) as u16,
        source_port,
        kind,
        class: flags & 7,
        ecn: [Ecn::NotEct, Ecn::Ect0, Ecn::Ce, Ecn::Ect0][(flags >> 3 & 3) as usize],
        solicited: flags & 0x20 != 0,
        ..Frame::pfc(0, 0)
    })
}

/// A PFC frame for any classes and quanta.
pub fn pfc(u: &mut Unstructured) -> Result<Frame> {
    // Long pauses are as likely as short ones.
    let quanta = u.arbitrary::<u16>()? >> below(u, 16)?;
    Ok(Frame::pfc(u.arbitrary()?, quanta))
}

//! Frames made of arbitrary bytes.

use arbitrary::{Result, Unstructured};
use packetloom_fabric::codec::header_length;
use packetloom_fabric::ecmp::{flow_crc, tcp_flow_crc};
use packetloom_fabric::frame::tcp::{MOST_SACK_BLOCKS, TcpHeader, TcpOptions};
use packetloom_fabric::frame::{CONTROL_PAYLOAD, Ecn, FRAME_CHECK, Frame, HostId, Kind};

/// Every kind of frame but TCP segments.
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

/// A TCP segment with any header and up to a full payload, between hosts numbered below `hosts`.
pub fn segment(u: &mut Unstructured, hosts: u64) -> Result<Frame> {
    let (source, destination) = (HostId(below(u, hosts)? as u32), HostId(below(u, hosts)? as u32));
    let (source_port, destination_port) = (u.arbitrary()?, u.arbitrary()?);
    let acknowledgement: u32 = u.arbitrary()?;
    let options = match below(u, 4)? {
        0 => TcpOptions::Syn {
            mss: u.arbitrary()?,
            sack_permitted: u.arbitrary()?,
            window_scale: match u.arbitrary()? {
                true => Some(u.int_in_range(0..=254)?),
                false => None,
            },
        },
        1 => {
            let mut blocks = [(0, 0); MOST_SACK_BLOCKS];
            let count = u.int_in_range(1..=MOST_SACK_BLOCKS as u8)?;
            for (start, end) in blocks.iter_mut().take(count as usize) {
                for edge in [start, end] {
                    *edge = acknowledgement.wrapping_add_signed(u.int_in_range(-(1 << 23)..=(1 << 23) - 1)?);
                }
            }
            TcpOptions::Sack { blocks, count }
        }
        _ => TcpOptions::None,
    };
    let header = TcpHeader {
        source_port,
        destination_port,
        sequence: u.arbitrary()?,
        acknowledgement,
        flags: u.arbitrary()?,
        window: u.arbitrary()?,
        options,
    };
    let payload = u.int_in_range(0..=1_460)?;
    let flow = tcp_flow_crc(source, destination, source_port, destination_port);
    Ok(Frame::tcp(source, destination, flow, header, payload))
}

//! The frame that crosses links: header fields and a payload length, never payload.
//!
//! Sizes are those of the public RoCE NIC page, "Packets on the wire": no preamble, no gap, no invariant CRC. Those of TCP
//! segments are in [`tcp`].

mod options;
pub mod tcp;

pub use options::PackedOptions;
use packetloom_des::Bytes;
use serde::{Deserialize, Serialize};
pub use tcp::{TcpHeader, TcpOptions};

/// Ethernet header, 14 B.
pub const ETHERNET_HEADER: u64 = 14;
/// Frame check sequence, 4 B.
pub const FRAME_CHECK: u64 = 4;
/// IPv4 header, 20 B.
pub const IPV4_HEADER: u64 = 20;
/// UDP header, 8 B.
pub const UDP_HEADER: u64 = 8;
/// RoCE base transport header, 12 B.
pub const BASE_TRANSPORT_HEADER: u64 = 12;
/// Acknowledgement extended transport header of ACK and NAK, 4 B.
pub const ACK_HEADER: u64 = 4;
/// Everything around the payload of a data packet: 58 B.
pub const DATA_OVERHEAD: u64 =
    ETHERNET_HEADER + IPV4_HEADER + UDP_HEADER + BASE_TRANSPORT_HEADER + FRAME_CHECK;
/// Payload of ACK, NAK, CNP and connection packets, 64 B.
pub const CONTROL_PAYLOAD: u64 = 64;
/// An ACK or NAK on the wire, 126 B.
pub const ACK_SIZE: u64 = DATA_OVERHEAD + ACK_HEADER + CONTROL_PAYLOAD;
/// A CNP or connection packet on the wire, 122 B.
pub const CNP_SIZE: u64 = DATA_OVERHEAD + CONTROL_PAYLOAD;
/// A priority flow control frame on the wire, 84 B: 34 B of header and pause times, 46 B of data, 4 B of check.
pub const PFC_SIZE: u64 = 84;
/// The smallest frame on a link, 58 B: a data packet without payload.
pub const SMALLEST_FRAME: Bytes = Bytes(DATA_OVERHEAD);
/// UDP destination port of RoCE version 2.
pub const ROCE_PORT: u16 = 4791;
/// Number of traffic classes.
pub const CLASSES: usize = 8;

/// A host's index in (pod, rack, server) order. Its address is 32.0.0.1 + index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct HostId(pub u32);

impl HostId {
    /// IPv4 address as a number: 32.0.0.1 + index.
    pub fn address(self) -> u32 {
        0x2000_0001 + self.0
    }
}

/// What a frame is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// First packet of a message of several.
    WriteFirst,
    /// A packet between the first and the last.
    WriteMiddle,
    /// Last packet of a message of several.
    WriteLast,
    /// The only packet of its message.
    WriteOnly,
    /// Cumulative acknowledgement: `psn` is the highest received in order.
    Ack,
    /// Negative acknowledgement: `psn` is the one expected.
    Nak,
    /// Congestion notification packet.
    Cnp,
    /// Priority flow control frame: `pfc_classes` and `quanta`.
    Pfc,
    /// Connection request, from the initiator.
    ConnectRequest,
    /// Connection response, from the responder.
    ConnectResponse,
    /// Acknowledgement of the connection response, from the initiator.
    ConnectAcknowledge,
    /// TCP segment: its header is [`Frame::tcp_header`].
    Tcp,
}

impl Kind {
    /// Whether this is a data packet of RDMA.
    #[inline]
    pub fn is_data(self) -> bool {
        matches!(
            self,
            Kind::WriteFirst | Kind::WriteMiddle | Kind::WriteLast | Kind::WriteOnly
        )
    }

    /// Whether this packet sets up a connection of RDMA.
    #[inline]
    pub fn is_connection(self) -> bool {
        matches!(
            self,
            Kind::ConnectRequest | Kind::ConnectResponse | Kind::ConnectAcknowledge
        )
    }
}

/// The IP header's ECN field.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Ecn {
    /// Not ECN-capable; switches never mark it.
    #[default]
    NotEct,
    /// ECN-capable transport, codepoint ECT(0).
    Ect0,
    /// Congestion experienced.
    Ce,
}

/// One frame. `Copy` and at most 64 bytes, so that rings hold frames themselves.
///
/// RDMA and TCP share places. A TCP segment is made by [`Frame::tcp`] and read by [`Frame::tcp_header`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Frame {
    /// Sending host.
    pub source: HostId,
    /// Receiving host.
    pub destination: HostId,
    /// Unsalted CRC-32 of the five-tuple, computed once per queue pair or connection; see `ecmp`.
    pub flow: u32,
    /// Destination queue pair number (24 bits on the wire); the acknowledgement of a TCP segment.
    pub queue_pair: u32,
    /// Packet sequence number, 24 bits; the sequence number of a TCP segment, 32 bits.
    pub psn: u32,
    /// Payload in bytes.
    pub payload: u16,
    /// The frame's size on the wire in bytes, Ethernet header and check included.
    pub size: u16,
    /// UDP or TCP source port.
    pub source_port: u16,
    /// TCP destination port. Only in a TCP segment; see [`Frame::destination_port`].
    pub tcp_port: u16,
    /// Pause time in quanta of 512 bit times; 0 resumes. Only in a PFC frame. The window of a TCP segment.
    pub quanta: u16,
    /// What the frame is.
    pub kind: Kind,
    /// Traffic class, 0 to 7; the DSCP is 8 times this.
    pub class: u8,
    /// ECN field.
    pub ecn: Ecn,
    /// Solicited event: set on the last packet of each message.
    pub solicited: bool,
    /// Bit n set: the PFC frame is about class n. Only in a PFC frame. The control bits of a TCP segment.
    pub pfc_classes: u8,
    /// Options of a TCP segment. Only there are any; see [`Frame::tcp_header`].
    pub options: PackedOptions,
}

impl Frame {
    /// A PFC frame for the classes of `classes` (bit n for class n) with one pause time for all of them.
    pub fn pfc(classes: u8, quanta: u16) -> Frame {
        Frame {
            source: HostId(0),
            destination: HostId(0),
            flow: 0,
            queue_pair: 0,
            psn: 0,
            payload: 0,
            size: PFC_SIZE as u16,
            source_port: 0,
            tcp_port: 0,
            quanta,
            kind: Kind::Pfc,
            class: 0,
            ecn: Ecn::NotEct,
            solicited: false,
            pfc_classes: classes,
            options: PackedOptions::NONE,
        }
    }

    /// Destination port of a routed frame: that of RoCE, or of the TCP connection.
    #[inline]
    pub fn destination_port(&self) -> u16 {
        if self.kind == Kind::Tcp {
            self.tcp_port
        } else {
            ROCE_PORT
        }
    }

    /// The frame's size on the wire.
    #[inline]
    pub fn wire(&self) -> Bytes {
        Bytes(self.size as u64)
    }

    /// What a buffer is charged: the frame without Ethernet header and check, at least 46 B.
    #[inline]
    pub fn charge(&self) -> Bytes {
        charge(self.size)
    }
}

/// What a buffer is charged for a frame of `size` bytes on the wire.
#[inline]
pub(crate) fn charge(size: u16) -> Bytes {
    Bytes((size as u64 - (ETHERNET_HEADER + FRAME_CHECK)).max(46))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_the_documented_ones() {
        assert_eq!(DATA_OVERHEAD, 58);
        assert_eq!(ACK_SIZE, 126);
        assert_eq!(CNP_SIZE, 122);
        assert_eq!(PFC_SIZE, 84);
        assert!(size_of::<Frame>() <= 64, "{} bytes", size_of::<Frame>());
    }

    #[test]
    fn a_full_packet_is_charged_4136_bytes() {
        let mut frame = Frame::pfc(1, 0);
        frame.size = 4096 + 58;
        assert_eq!(frame.charge(), Bytes(4_136));
        frame.size = 58;
        assert_eq!(frame.charge(), Bytes(46), "58 - 18 is 40: charged 46");
    }

    #[test]
    fn addresses_start_at_32_0_0_1() {
        assert_eq!(HostId(0).address().to_be_bytes(), [32, 0, 0, 1]);
        assert_eq!(HostId(255).address().to_be_bytes(), [32, 0, 1, 0]);
    }
}

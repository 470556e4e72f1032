//! TCP segments as frames.
//!
//! A segment on the wire is its payload and 58 B around it (Ethernet 14, IPv4 20, TCP 20, check 4), and its options; frames
//! shorter than 64 B are padded. The fields of a segment stand in the places of RDMA's, see [`Frame`].

use super::options::PackedOptions;
use super::{ETHERNET_HEADER, Ecn, FRAME_CHECK, Frame, HostId, IPV4_HEADER, Kind};
use serde::{Deserialize, Serialize};

/// TCP header without options, 20 B.
pub const TCP_HEADER: u64 = 20;
/// Everything around the payload of a segment without options: 58 B.
pub const TCP_OVERHEAD: u64 = ETHERNET_HEADER + IPV4_HEADER + TCP_HEADER + FRAME_CHECK;
/// The smallest Ethernet frame, 64 B. A shorter TCP frame is padded.
pub const SMALLEST_TCP_FRAME: u64 = 64;
/// The longest TCP frame on the wire, 1,554 B: a full payload of 1,460 B and the 36 B of four SACK blocks.
pub const LARGEST_TCP_FRAME: u64 = TCP_OVERHEAD + 36 + 1_460;
/// Most SACK blocks of a segment: what fits beside no other option (RFC 2018, section 3).
pub const MOST_SACK_BLOCKS: usize = 4;
/// A run of sequence numbers that the receiver holds: the first, and the one after the last.
pub type SackBlock = (u32, u32);

/// The options of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum TcpOptions {
    /// None.
    #[default]
    None,
    /// What a SYN carries.
    Syn {
        /// Largest payload its sender takes (RFC 9293, section 3.7.1).
        mss: u16,
        /// Whether it takes selective acknowledgements (RFC 2018, section 2).
        sack_permitted: bool,
        /// How far its windows are to be shifted (RFC 7323, section 2.2), 0 to 254; none if it does not scale.
        window_scale: Option<u8>,
    },
    /// Selective acknowledgement (RFC 2018, section 3).
    Sack {
        /// The blocks, each within 8,388,607 B of the acknowledgement. Those beyond `count` are 0.
        blocks: [SackBlock; MOST_SACK_BLOCKS],
        /// How many there are, 1 to 4.
        count: u8,
    },
}

impl TcpOptions {
    /// The SACK blocks.
    #[inline]
    pub fn sack(&self) -> &[SackBlock] {
        match self {
            TcpOptions::Sack { blocks, count } => &blocks[..*count as usize],
            _ => &[],
        }
    }
}

/// The header of a TCP segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TcpHeader {
    /// Source port.
    pub source_port: u16,
    /// Destination port.
    pub destination_port: u16,
    /// Sequence number.
    pub sequence: u32,
    /// Acknowledgement number.
    pub acknowledgement: u32,
    /// Control bits (RFC 9293, section 3.1), as they stand in the header.
    pub flags: u8,
    /// The window field.
    pub window: u16,
    /// Options.
    pub options: TcpOptions,
}

impl Frame {
    /// A TCP segment with `payload` bytes, in class 0 and not ECN-capable. `flow` is its [`tcp_flow_crc`].
    ///
    /// # Panics
    /// When a SACK block lies 8 MiB or more from the acknowledgement, when there are not 1 to 4 blocks, when a window scale is
    /// 255, or when the frame would be longer than 65,535 B.
    ///
    /// [`tcp_flow_crc`]: crate::ecmp::tcp_flow_crc
    #[inline]
    pub fn tcp(source: HostId, destination: HostId, flow: u32, header: TcpHeader, payload: u32) -> Frame {
        Frame::try_tcp(source, destination, flow, header, payload)
            .expect("SACK blocks lie within a receive buffer of the acknowledgement, and frames are short")
    }

    /// [`Frame::tcp`], or nothing where it would panic.
    #[inline]
    pub(crate) fn try_tcp(
        source: HostId,
        destination: HostId,
        flow: u32,
        header: TcpHeader,
        payload: u32,
    ) -> Option<Frame> {
        let options = PackedOptions::pack(&header.options, header.acknowledgement)?;
        let size = (TCP_OVERHEAD + options.length() + payload as u64).max(SMALLEST_TCP_FRAME);
        Some(Frame {
            source,
            destination,
            flow,
            queue_pair: header.acknowledgement,
            psn: header.sequence,
            payload: payload as u16,
            size: u16::try_from(size).ok()?,
            source_port: header.source_port,
            tcp_port: header.destination_port,
            quanta: header.window,
            kind: Kind::Tcp,
            class: 0,
            ecn: Ecn::NotEct,
            solicited: false,
            pfc_classes: header.flags,
            options,
        })
    }

    /// The header of a TCP segment; of another frame it means nothing.
    #[inline]
    pub fn tcp_header(&self) -> TcpHeader {
        debug_assert_eq!(self.kind, Kind::Tcp);
        TcpHeader {
            source_port: self.source_port,
            destination_port: self.tcp_port,
            sequence: self.psn,
            acknowledgement: self.queue_pair,
            flags: self.pfc_classes,
            window: self.quanta,
            options: self.options.unpack(self.queue_pair),
        }
    }

    /// Length of a TCP segment's options in bytes, padding included: a multiple of 4.
    #[inline]
    pub fn tcp_options_length(&self) -> u64 {
        self.options.length()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use packetloom_des::Bytes;
    use proptest::prelude::*;

    fn segment(options: TcpOptions, payload: u32) -> Frame {
        let header = TcpHeader {
            acknowledgement: 1_000,
            options,
            ..TcpHeader::default()
        };
        Frame::tcp(HostId(0), HostId(1), 7, header, payload)
    }

    fn sack(count: u8) -> TcpOptions {
        let mut blocks = [SackBlock::default(); MOST_SACK_BLOCKS];
        blocks[..count as usize].fill((2_460, 3_920));
        TcpOptions::Sack { blocks, count }
    }

    #[test]
    fn sizes_on_the_wire() {
        let size = |options, payload| segment(options, payload).size;
        assert_eq!(size(TcpOptions::None, 1_460), 1_518);
        assert_eq!(size(TcpOptions::None, 0), 64, "58 padded");
        assert_eq!(size(TcpOptions::None, 6), 64);
        assert_eq!(size(TcpOptions::None, 7), 65);
        let syn = |sack_permitted, window_scale| TcpOptions::Syn {
            mss: 1_460,
            sack_permitted,
            window_scale,
        };
        // 4, with 2 and 3 more, padded to a multiple of 4: 9 to 12, 6 and 7 to 8.
        assert_eq!(size(syn(true, Some(6)), 0), 70, "58 + 12");
        assert_eq!(size(syn(true, None), 0), 66);
        assert_eq!(size(syn(false, Some(6)), 0), 66);
        assert_eq!(size(syn(false, None), 0), 64, "58 + 4 padded");
        // 2 + 8n padded: 12, 20, 28, 36.
        assert_eq!([1, 2, 3, 4].map(|n| size(sack(n), 0)), [70, 78, 86, 94]);
        assert_eq!(
            size(sack(4), 1_460),
            LARGEST_TCP_FRAME as u16,
            "the payload stays"
        );
        assert_eq!(LARGEST_TCP_FRAME, 1_554);
    }

    #[test]
    fn charges_are_frames_without_ethernet() {
        assert_eq!(segment(TcpOptions::None, 1_460).charge(), Bytes(1_500));
        assert_eq!(segment(TcpOptions::None, 0).charge(), Bytes(46));
        assert_eq!(segment(sack(4), 1_460).charge(), Bytes(1_536));
    }

    #[test]
    fn blocks_reach_eight_mebibytes_either_way() {
        let block = |start: u32, end: u32| {
            let mut blocks = [SackBlock::default(); MOST_SACK_BLOCKS];
            blocks[0] = (start, end);
            let header = TcpHeader {
                acknowledgement: 1_000,
                options: TcpOptions::Sack { blocks, count: 1 },
                ..TcpHeader::default()
            };
            Frame::try_tcp(HostId(0), HostId(1), 7, header, 0)
                .map(|frame| frame.tcp_header().options.sack()[0])
        };
        let far = 1_000 + (1 << 23);
        assert_eq!(block(1_001, far - 1), Some((1_001, far - 1)));
        assert_eq!(block(1_001, far), None);
        // Behind the acknowledgement, across 0.
        let behind = 1_000u32.wrapping_sub(1 << 23);
        assert_eq!(block(behind, 1_000), Some((behind, 1_000)));
        assert_eq!(block(behind - 1, 1_000), None);
    }

    #[test]
    fn what_is_no_option_is_refused() {
        let made = |options| {
            let header = TcpHeader {
                options,
                ..TcpHeader::default()
            };
            Frame::try_tcp(HostId(0), HostId(1), 7, header, 0).is_some()
        };
        let blocks = [SackBlock::default(); MOST_SACK_BLOCKS];
        assert!(made(TcpOptions::Sack { blocks, count: 4 }));
        assert!(!made(TcpOptions::Sack { blocks, count: 0 }));
        assert!(!made(TcpOptions::Sack { blocks, count: 5 }));
        let syn = |scale| TcpOptions::Syn {
            mss: 1,
            sack_permitted: false,
            window_scale: Some(scale),
        };
        assert!(made(syn(254)));
        assert!(!made(syn(255)));
    }

    /// Any options of a segment with this acknowledgement.
    fn options(acknowledgement: u32) -> impl Strategy<Value = TcpOptions> {
        let distance = -(1i32 << 23)..1 << 23;
        let edges = prop::collection::vec((distance.clone(), distance), 1..=4);
        prop_oneof![
            Just(TcpOptions::None),
            (any::<u16>(), any::<bool>(), prop::option::of(0u8..255)).prop_map(
                |(mss, sack_permitted, window_scale)| {
                    TcpOptions::Syn {
                        mss,
                        sack_permitted,
                        window_scale,
                    }
                }
            ),
            edges.prop_map(move |edges| {
                let mut blocks = [SackBlock::default(); MOST_SACK_BLOCKS];
                for (block, (start, end)) in blocks.iter_mut().zip(&edges) {
                    *block = (
                        acknowledgement.wrapping_add_signed(*start),
                        acknowledgement.wrapping_add_signed(*end),
                    );
                }
                TcpOptions::Sack {
                    blocks,
                    count: edges.len() as u8,
                }
            }),
        ]
    }

    /// Any header of a segment.
    pub(crate) fn headers() -> impl Strategy<Value = TcpHeader> {
        let numbers = (any::<u32>(), any::<u32>(), any::<u8>(), any::<u16>());
        (any::<(u16, u16)>(), numbers)
            .prop_flat_map(|(ports, numbers)| (Just(ports), Just(numbers), options(numbers.1)))
            .prop_map(|(ports, numbers, options)| TcpHeader {
                source_port: ports.0,
                destination_port: ports.1,
                sequence: numbers.0,
                acknowledgement: numbers.1,
                flags: numbers.2,
                window: numbers.3,
                options,
            })
    }

    proptest! {
        #[test]
        fn a_header_comes_out_as_it_went_in(header in headers(), payload in 0u32..=1_460) {
            let frame = Frame::tcp(HostId(3), HostId(9), 7, header, payload);
            prop_assert_eq!(frame.tcp_header(), header);
            prop_assert_eq!((frame.kind, frame.class, frame.ecn), (Kind::Tcp, 0, Ecn::NotEct));
            prop_assert_eq!((frame.payload as u32, frame.flow), (payload, 7));
        }
    }
}

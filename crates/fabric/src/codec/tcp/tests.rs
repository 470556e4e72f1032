use crate::codec::{DecodeError, decode, encode, headers_of};
use crate::ecmp::tcp_flow_crc;
use crate::frame::tcp::tests::headers;
use crate::frame::tcp::{MOST_SACK_BLOCKS, SackBlock, TcpHeader, TcpOptions};
use crate::frame::{Ecn, FRAME_CHECK, Frame, HostId};
use etherparse::TcpOptionElement;
use proptest::prelude::*;

/// A segment from host 3 to host 260.
fn segment(header: TcpHeader, payload: u32) -> Frame {
    let (source, destination) = (HostId(3), HostId(260));
    let flow = tcp_flow_crc(source, destination, header.source_port, header.destination_port);
    Frame::tcp(source, destination, flow, header, payload)
}

fn syn() -> Frame {
    let header = TcpHeader {
        source_port: 49_152,
        destination_port: 5_000,
        sequence: 0x0102_0304,
        acknowledgement: 0,
        flags: 0x02,
        window: 0xFFFF,
        options: TcpOptions::Syn {
            mss: 1_460,
            sack_permitted: true,
            window_scale: Some(6),
        },
    };
    segment(header, 0)
}

fn sack() -> Frame {
    let mut blocks = [SackBlock::default(); MOST_SACK_BLOCKS];
    blocks[..2].copy_from_slice(&[(4_000, 5_000), (7_000, 8_000)]);
    let header = TcpHeader {
        acknowledgement: 1_000,
        flags: 0x10,
        options: TcpOptions::Sack { blocks, count: 2 },
        ..syn().tcp_header()
    };
    segment(header, 100)
}

#[test]
fn a_syn_byte_by_byte() {
    let bytes = encode(&syn());
    // IPv4 checksum: 4500 + 0034 + 4000 + 4006 + 2000 + 0004 + 2000 + 0105 = 1 0643; 0643 + 1 = 0644; its complement F9BB.
    // TCP: addresses 2000 + 0004 + 2000 + 0105 = 4109, protocol 6 and length 32 = 26: 412F; ports C000 + 1388: 1 14B7;
    // numbers 0102 + 0304: 1 18BD; offset and flags 8002: 1 98BF; window FFFF: 2 98BE; MSS 0204 + 05B4: 2 A076;
    // SACK permitted 0101 + 0402: 2 A579; scale 0103 + 0306: 2 A982; A982 + 2 = A984; its complement 567B.
    let expected = [
        0x02, 0x00, 32, 0, 1, 5, 0x02, 0x00, 32, 0, 0, 4, 0x08, 0x00, // to host 260, from host 3, IPv4
        0x45, 0x00, 0, 52, 0, 0, 0x40, 0, 64, 6, 0xF9, 0xBB, // DSCP 0, 20 + 32 bytes, TCP
        32, 0, 0, 4, 32, 0, 1, 5, //
        0xC0, 0x00, 0x13, 0x88, 1, 2, 3, 4, 0, 0, 0, 0, // ports 49152 and 5000
        0x80, 0x02, 0xFF, 0xFF, 0x56, 0x7B, 0, 0, // 8 words, SYN
        2, 4, 0x05, 0xB4, 1, 1, 4, 2, 1, 3, 3, 6, // MSS 1460, SACK permitted, scale 6
    ];
    assert_eq!(bytes, expected);
    assert_eq!(syn().size, 70, "66 bytes and the check");
}

#[test]
fn sack_blocks_byte_by_byte() {
    let bytes = encode(&sack());
    assert_eq!(bytes.len(), 14 + 20 + 20 + 4 + 2 * 8);
    assert_eq!(bytes[46], 0xA0, "20 + 20 bytes are ten words");
    let options = [
        1, 1, 5, 18, 0, 0, 0x0F, 0xA0, 0, 0, 0x13, 0x88, 0, 0, 0x1B, 0x58, 0, 0, 0x1F, 0x40,
    ];
    assert_eq!(bytes[54..], options, "4000 to 5000, 7000 to 8000");
}

#[test]
fn a_short_segment_is_padded_and_its_packet_is_not() {
    let header = TcpHeader {
        options: TcpOptions::None,
        ..syn().tcp_header()
    };
    for payload in [0, 6] {
        let frame = segment(header, payload);
        assert_eq!(frame.size, 64);
        let bytes = encode(&frame);
        assert_eq!(bytes[17], 40 + payload as u8, "the packet's length");
        assert_eq!(decode(&bytes, 64), Ok(frame));
        for size in [63, 65] {
            assert_eq!(decode(&bytes, size), Err(DecodeError::WireSize { size }));
        }
    }
}

/// What decoding says after a change to the TCP header from byte `at` on, with both checksums right.
fn broken(frame: &Frame, at: usize, values: &[u8]) -> DecodeError {
    let mut bytes = encode(frame);
    bytes[34 + at..34 + at + values.len()].copy_from_slice(values);
    bytes[50..52].fill(0);
    let ip = etherparse::Ipv4HeaderSlice::from_slice(&bytes[14..34]).expect("untouched");
    // Written out here: etherparse would not read what is broken.
    let length = (frame.size - 38) as u32;
    let words = bytes[26..].chunks_exact(2);
    let mut sum = words
        .map(|word| u16::from_be_bytes([word[0], word[1]]) as u32)
        .sum::<u32>();
    sum += 6 + length;
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    assert_eq!(ip.total_len(), frame.size - 18);
    bytes[50..52].copy_from_slice(&(!sum as u16).to_be_bytes());
    decode(&bytes, frame.size as usize).expect_err("not a segment of ours")
}

fn field(field: &'static str, value: u32) -> DecodeError {
    DecodeError::Field { field, value }
}

#[test]
fn what_is_not_ours_is_named() {
    let syn = syn();
    assert_eq!(broken(&syn, 12, &[0x40]), field("TCP data offset", 4));
    assert_eq!(broken(&syn, 12, &[0x81]), field("TCP reserved bits", 1));
    assert_eq!(broken(&syn, 18, &[0, 9]), field("TCP urgent pointer", 9));
    // The header would end behind the packet.
    let bytes = encode(&syn);
    let mut long = bytes.clone();
    long[46] = 0x90;
    assert_eq!(
        decode(&long, 70),
        Err(DecodeError::TooShort {
            bytes: 66,
            needed: 70
        })
    );
    long.resize(70, 0);
    assert_eq!(decode(&long, 70), Err(field("IPv4 total length", 52)));
    let mut other = bytes.clone();
    other[50] ^= 1;
    assert_eq!(decode(&other, 70), Err(DecodeError::TcpChecksum));
    assert_eq!(decode(&bytes, 71), Err(DecodeError::WireSize { size: 71 }));
    assert_eq!(
        decode(&bytes[..53], 70),
        Err(DecodeError::TooShort {
            bytes: 53,
            needed: 54
        })
    );
}

#[test]
fn options_that_are_not_ours_are_named() {
    let (syn, sack) = (syn(), sack());
    // MSS in the first word, SACK permitted in the second, the scale in the third.
    assert_eq!(broken(&syn, 21, &[3]), field("TCP option length", 3));
    assert_eq!(broken(&syn, 21, &[0]), field("TCP option length", 0));
    assert_eq!(broken(&syn, 27, &[1]), field("TCP option length", 1));
    assert_eq!(broken(&syn, 30, &[5]), field("TCP option length", 5));
    assert_eq!(broken(&syn, 31, &[255]), field("TCP window scale", 255));
    assert_eq!(broken(&syn, 20, &[8]), field("TCP option", 8));
    assert_eq!(
        broken(&syn, 24, &[2, 4, 0, 1]),
        field("TCP option, given twice,", 2)
    );
    // The length of an option has no place any more.
    assert_eq!(broken(&syn, 28, &[1, 1, 1, 4]), field("TCP option length", 0));
    // A scale or a permission without an MSS.
    assert_eq!(
        broken(&syn, 20, &[1, 1, 1, 1, 1, 1, 1, 1]),
        field("TCP option among the others", 3)
    );
    assert_eq!(
        broken(&syn, 20, &[1, 1, 4, 2, 1, 1, 1, 1, 1, 1, 1, 1]),
        field("TCP option among the others", 4)
    );
    // SACK of one block and 4 bytes more, of none, and beside an MSS.
    assert_eq!(broken(&sack, 23, &[14]), field("TCP option length", 14));
    assert_eq!(broken(&sack, 23, &[2]), field("TCP option length", 2));
    assert_eq!(
        broken(&sack, 20, &[1, 1, 5, 10, 0, 0, 0, 0, 0, 0, 0, 0, 2, 4, 5, 180]),
        field("TCP option among the others", 5)
    );
    // Fewer options than there is room for.
    assert_eq!(broken(&syn, 24, &[0, 0]), field("TCP data offset", 8));
    // A block that the acknowledgement, 1,000, does not reach: 1,000 + 2^23 = 0x008003E8.
    assert_eq!(
        broken(&sack, 28, &[0x00, 0x80, 0x03, 0xE8]),
        field("acknowledgement, far from its SACK blocks,", 1_000)
    );
}

#[test]
fn options_in_another_order_are_read_too() {
    let mut bytes = encode(&syn());
    bytes[54..66].copy_from_slice(&[4, 2, 3, 3, 6, 2, 4, 0x05, 0xB4, 0, 7, 7]);
    bytes[50..52].fill(0);
    let header = etherparse::TcpHeader::from_slice(&bytes[34..])
        .expect("a header")
        .0;
    let ip = etherparse::Ipv4Header::from_slice(&bytes[14..])
        .expect("a header")
        .0;
    let checksum = header.calc_checksum_ipv4(&ip, &[]).expect("short");
    bytes[50..52].copy_from_slice(&checksum.to_be_bytes());
    assert_eq!(decode(&bytes, 70), Ok(syn()));
}

/// Any segment.
fn segments() -> impl Strategy<Value = Frame> {
    (
        0u32..1 << 20,
        0u32..1 << 20,
        headers(),
        0u32..=1_460,
        0u8..8,
        0usize..3,
    )
        .prop_map(|(source, destination, header, payload, class, ecn)| {
            let (source, destination) = (HostId(source), HostId(destination));
            let flow = tcp_flow_crc(source, destination, header.source_port, header.destination_port);
            Frame {
                class,
                ecn: [Ecn::NotEct, Ecn::Ect0, Ecn::Ce][ecn],
                ..Frame::tcp(source, destination, flow, header, payload)
            }
        })
}

proptest! {
    #[test]
    fn a_segment_survives_the_wire(frame in segments()) {
        let bytes = encode(&frame);
        prop_assert_eq!(bytes.len(), headers_of(&frame));
        prop_assert_eq!(decode(&bytes, frame.size as usize), Ok(frame));
    }

    #[test]
    fn another_parser_reads_the_same(frame in segments()) {
        // The parser wants the whole packet, so the payload and the padding are filled in.
        let mut bytes = encode(&frame);
        bytes.resize(frame.size as usize - FRAME_CHECK as usize, 0);
        let parsed = etherparse::PacketHeaders::from_ethernet_slice(&bytes).expect("valid headers");
        let Some(etherparse::NetHeaders::Ipv4(ip, _)) = &parsed.net else { panic!("no IPv4 header") };
        prop_assert_eq!(ip.header_checksum, ip.calc_header_checksum());
        prop_assert_eq!((ip.source, ip.destination),
            (frame.source.address().to_be_bytes(), frame.destination.address().to_be_bytes()));
        prop_assert_eq!(ip.dscp.value(), frame.class * 8);

        let Some(etherparse::TransportHeader::Tcp(tcp)) = &parsed.transport else { panic!("no TCP header") };
        let header = frame.tcp_header();
        prop_assert_eq!((tcp.source_port, tcp.destination_port), (header.source_port, header.destination_port));
        prop_assert_eq!((tcp.sequence_number, tcp.acknowledgment_number), (header.sequence, header.acknowledgement));
        prop_assert_eq!((tcp.window_size, tcp.urgent_pointer), (header.window, 0));
        let bits = [tcp.fin, tcp.syn, tcp.rst, tcp.psh, tcp.ack, tcp.urg, tcp.ece, tcp.cwr];
        let flags = bits.iter().enumerate().fold(0, |flags, (bit, &set)| flags | (set as u8) << bit);
        prop_assert_eq!(flags, header.flags);
        let payload = parsed.payload.slice();
        prop_assert_eq!(payload.len(), frame.payload as usize, "the padding is not part of it");
        prop_assert_eq!(tcp.calc_checksum_ipv4(ip, payload), Ok(tcp.checksum));
        let elements: Vec<_> = tcp.options_iterator().map(|option| option.expect("valid options"))
            .filter(|option| *option != TcpOptionElement::Noop).collect();
        prop_assert_eq!(elements, expected(&header.options));
    }

    #[test]
    fn a_damaged_segment_is_refused_or_read(
        frame in segments(),
        damage in prop::collection::vec((14usize..94, any::<u8>()), 1..4),
        length in 0usize..=90,
        size in 50usize..1_600,
    ) {
        let mut bytes = encode(&frame);
        for (at, value) in damage {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = value;
            }
        }
        bytes.truncate(length);
        let _ = decode(&bytes, frame.size as usize);
        if let Ok(read) = decode(&bytes, size) {
            prop_assert_eq!(decode(&encode(&read), size), Ok(read));
        }
    }
}

/// The options as the other parser names them.
fn expected(options: &TcpOptions) -> Vec<TcpOptionElement> {
    match options {
        TcpOptions::None => vec![],
        TcpOptions::Syn {
            mss,
            sack_permitted,
            window_scale,
        } => [TcpOptionElement::MaximumSegmentSize(*mss)]
            .into_iter()
            .chain(sack_permitted.then_some(TcpOptionElement::SelectiveAcknowledgementPermitted))
            .chain(window_scale.map(TcpOptionElement::WindowScale))
            .collect(),
        TcpOptions::Sack { .. } => {
            let blocks = options.sack();
            let others = std::array::from_fn(|number| blocks.get(number + 1).copied());
            vec![TcpOptionElement::SelectiveAcknowledgement(blocks[0], others)]
        }
    }
}

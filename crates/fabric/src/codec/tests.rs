use super::*;
use crate::frame::{ACK_SIZE, CNP_SIZE, CONTROL_PAYLOAD, DATA_OVERHEAD, PFC_SIZE};
use proptest::prelude::*;
use proptest::sample::select;

/// Every kind of RDMA.
const KINDS: [Kind; 10] = [
    Kind::WriteFirst,
    Kind::WriteMiddle,
    Kind::WriteLast,
    Kind::WriteOnly,
    Kind::Ack,
    Kind::Nak,
    Kind::Cnp,
    Kind::ConnectRequest,
    Kind::ConnectResponse,
    Kind::ConnectAcknowledge,
];

/// A frame from host 3 to host 260 with the size that goes with its payload.
fn packet(kind: Kind, payload: u32) -> Frame {
    let (source, destination, source_port) = (HostId(3), HostId(260), 50_000);
    Frame {
        source,
        destination,
        flow: flow_crc(source, destination, source_port),
        queue_pair: 0x00AB_CDEF,
        psn: 0x0012_3456,
        payload: payload as u16,
        size: (header_length(kind) + payload as usize + FRAME_CHECK as usize) as u16,
        source_port,
        kind,
        class: 3,
        ecn: Ecn::Ect0,
        solicited: true,
        ..Frame::pfc(0, 0)
    }
}

#[test]
fn headers_add_up_to_the_documented_sizes() {
    let control = CONTROL_PAYLOAD as usize;
    let check = FRAME_CHECK as usize;
    assert_eq!(header_length(Kind::WriteOnly) + check, DATA_OVERHEAD as usize);
    assert_eq!(header_length(Kind::Ack) + control + check, ACK_SIZE as usize);
    assert_eq!(header_length(Kind::Nak) + control + check, ACK_SIZE as usize);
    assert_eq!(header_length(Kind::Cnp) + control + check, CNP_SIZE as usize);
    assert_eq!(
        header_length(Kind::ConnectRequest) + control + check,
        CNP_SIZE as usize
    );
    assert_eq!(header_length(Kind::Pfc), 34);
    assert_eq!(header_length(Kind::Pfc) + 46 + check, PFC_SIZE as usize);
    for kind in KINDS {
        assert_eq!(encode(&packet(kind, 64)).len(), header_length(kind));
    }
    assert_eq!(encode(&Frame::pfc(1, 2)).len(), 34);
}

#[test]
fn a_data_packet_byte_by_byte() {
    let bytes = encode(&packet(Kind::WriteLast, 144));
    // Checksum: 4562 + 00B8 + 4000 + 4011 + 2000 + 0004 + 2000 + 0105 = 1 0734; 0734 + 1 = 0735; its complement F8CA.
    let expected = [
        0x02, 0x00, 32, 0, 1, 5, 0x02, 0x00, 32, 0, 0, 4, 0x08, 0x00, // to host 260, from host 3, IPv4
        0x45, 0x62, 0, 184, 0, 0, 0x40, 0, 64, 17, 0xF8, 0xCA, // DSCP 24, ECT(0); 202 - 18 = 184 bytes
        32, 0, 0, 4, 32, 0, 1, 5, //
        0xC3, 0x50, 0x12, 0xB7, 0, 164, 0, 0, // ports 50000 and 4791, 184 - 20 = 164 bytes, no checksum
        0x08, 0x80, 0xFF, 0xFF, 0, 0xAB, 0xCD, 0xEF, 0x80, 0x12, 0x34, 0x56, // write last, solicited
    ];
    assert_eq!(bytes, expected);
}

#[test]
fn a_pause_byte_by_byte() {
    let bytes = encode(&Frame::pfc(0b0000_0101, 0xABCD));
    let expected = [
        0x01, 0x80, 0xC2, 0, 0, 1, 0x02, 0x00, 32, 0, 0, 1, 0x88, 0x08, // MAC control
        0x01, 0x01, 0, 0b101, // priority-based flow control of classes 0 and 2
        0xAB, 0xCD, 0, 0, 0xAB, 0xCD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    assert_eq!(bytes, expected);
}

#[test]
fn what_is_not_ours_is_named() {
    let good = encode(&packet(Kind::WriteOnly, 100));
    let size = 100 + 58;
    let broken = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        decode(&bytes, size).expect_err("not a frame of ours")
    };
    assert_eq!(
        broken(12, 0x86),
        DecodeError::Field {
            field: "Ethernet type",
            value: 0x8600
        }
    );
    assert_eq!(
        broken(14, 0x46),
        DecodeError::Field {
            field: "IPv4 version and header length",
            value: 0x46
        }
    );
    assert_eq!(
        broken(22, 63),
        DecodeError::Checksum,
        "a time to live the checksum does not go with"
    );
    assert_eq!(
        broken(23, 1),
        DecodeError::Field {
            field: "IPv4 protocol",
            value: 1
        }
    );
    assert_eq!(
        broken(36, 0),
        DecodeError::Field {
            field: "UDP destination port",
            value: 0xB7
        }
    );
    assert_eq!(
        broken(42, 0x20),
        DecodeError::Field {
            field: "transport opcode",
            value: 0x20
        }
    );
    assert_eq!(
        decode(&good[..53], size),
        Err(DecodeError::TooShort {
            bytes: 53,
            needed: 54
        })
    );
    assert_eq!(decode(&good, 57), Err(DecodeError::WireSize { size: 57 }));
    assert_eq!(
        decode(&good, 1 << 16),
        Err(DecodeError::WireSize { size: 1 << 16 })
    );
    assert_eq!(
        decode(&good, 159),
        Err(DecodeError::Field {
            field: "IPv4 total length",
            value: 140
        })
    );

    let mut pause = encode(&Frame::pfc(3, 7));
    assert_eq!(decode(&pause, 83), Err(DecodeError::WireSize { size: 83 }));
    pause[19] = 8;
    assert_eq!(decode(&pause, 84), Err(DecodeError::PauseTimes));
    assert_eq!(
        decode(&pause[..33], 84),
        Err(DecodeError::TooShort {
            bytes: 33,
            needed: 34
        })
    );
}

fn packets() -> impl Strategy<Value = Frame> {
    let hosts = (0u32..1 << 20, 0u32..1 << 20, any::<u16>());
    let transport = (0u32..1 << 24, 0u32..1 << 24, 0u32..=9_216, any::<bool>());
    let marks = (0u8..8, select(vec![Ecn::NotEct, Ecn::Ect0, Ecn::Ce]));
    (select(KINDS.to_vec()), hosts, transport, marks).prop_map(|(kind, hosts, transport, marks)| {
        let (source, destination, source_port) = (HostId(hosts.0), HostId(hosts.1), hosts.2);
        let (queue_pair, psn, payload, solicited) = transport;
        let (class, ecn) = marks;
        let flow = flow_crc(source, destination, source_port);
        let base = packet(kind, payload);
        Frame {
            source,
            destination,
            flow,
            source_port,
            queue_pair,
            psn,
            solicited,
            class,
            ecn,
            ..base
        }
    })
}

proptest! {
    #[test]
    fn a_packet_survives_the_wire(frame in packets()) {
        prop_assert_eq!(decode(&encode(&frame), frame.size as usize), Ok(frame));
    }

    #[test]
    fn a_pause_survives_the_wire(classes in 1u8.., quanta: u16) {
        let frame = Frame::pfc(classes, quanta);
        prop_assert_eq!(decode(&encode(&frame), PFC_SIZE as usize), Ok(frame));
    }

    #[test]
    fn another_parser_reads_the_same(frame in packets()) {
        // The parser wants the whole packet, so the payload is filled in; the check sequence is not part of it.
        let mut bytes = encode(&frame);
        bytes.resize(frame.size as usize - FRAME_CHECK as usize, 0);
        let parsed = etherparse::PacketHeaders::from_ethernet_slice(&bytes).expect("valid headers");

        let Some(etherparse::LinkHeader::Ethernet2(ethernet)) = parsed.link else { panic!("no Ethernet header") };
        prop_assert_eq!(ethernet.ether_type, etherparse::EtherType::IPV4);
        prop_assert_eq!(&ethernet.source[2..], &frame.source.address().to_be_bytes()[..]);
        prop_assert_eq!(&ethernet.destination[2..], &frame.destination.address().to_be_bytes()[..]);

        let Some(etherparse::NetHeaders::Ipv4(ip, _)) = parsed.net else { panic!("no IPv4 header") };
        prop_assert_eq!(ip.source, frame.source.address().to_be_bytes());
        prop_assert_eq!(ip.destination, frame.destination.address().to_be_bytes());
        prop_assert_eq!(ip.header_checksum, ip.calc_header_checksum());
        prop_assert_eq!(ip.total_len, frame.size - 18);
        prop_assert_eq!(ip.dscp.value(), frame.class * 8);
        let ecn = match frame.ecn { Ecn::NotEct => 0, Ecn::Ect0 => 2, Ecn::Ce => 3 };
        prop_assert_eq!(ip.ecn.value(), ecn);
        prop_assert_eq!((ip.dont_fragment, ip.more_fragments, ip.time_to_live), (true, false, 64));

        let Some(etherparse::TransportHeader::Udp(udp)) = parsed.transport else { panic!("no UDP header") };
        prop_assert_eq!((udp.source_port, udp.destination_port), (frame.source_port, ROCE_PORT));
        prop_assert_eq!(udp.length, frame.size - 38);
        let rest = parsed.payload.slice().len();
        prop_assert_eq!(rest, header_length(frame.kind) - 42 + frame.payload as usize);
    }

    #[test]
    fn any_bytes_are_refused_or_read(bytes in proptest::collection::vec(any::<u8>(), 0..100), size in 0usize..70_000) {
        let _ = decode(&bytes, size);
    }

    #[test]
    fn a_damaged_frame_is_refused_or_read(
        frame in packets(),
        damage in proptest::collection::vec((0usize..58, any::<u8>()), 1..4),
        length in 0usize..=58,
        size in 0usize..10_000,
    ) {
        let mut bytes = encode(&frame);
        for (at, value) in damage {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = value;
            }
        }
        bytes.truncate(length);
        let _ = decode(&bytes, frame.size as usize);
        // What is read with another size than it was written with can be written again.
        if let Ok(read) = decode(&bytes, size) {
            prop_assert_eq!(decode(&encode(&read), size), Ok(read));
        }
    }
}

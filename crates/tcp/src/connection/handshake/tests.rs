use super::*;
use crate::congestion::CongestionControl;
use crate::{Settings, Timer};

const SYN: Options = Options::Syn {
    mss: 1_460,
    sack_permitted: true,
    window_scale: Some(6),
};

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn client() -> Connection {
    let mut client = Connection::client(&Settings::default(), 100);
    client.open(Time::ZERO);
    client
}

fn syn_ack(acknowledgement: u32) -> Segment {
    Segment {
        sequence: 7_000,
        acknowledgement,
        window: 65_535,
        flags: Flags::SYN | Flags::ACK,
        payload: 0,
        options: SYN,
    }
}

fn syn() -> Segment {
    Segment {
        flags: Flags::SYN,
        acknowledgement: 0,
        ..syn_ack(0)
    }
}

fn ack(sequence: u32, acknowledgement: u32) -> Segment {
    Segment {
        sequence,
        acknowledgement,
        window: 62_500,
        flags: Flags::ACK,
        ..Segment::default()
    }
}

#[test]
fn three_segments_establish_both_ends() {
    let mut client = client();
    let mut server = Connection::server(&Settings::default(), 7_000);
    assert!(!server.wants_transmit(at(0)), "it listens");
    let first = client.transmit(at(0)).expect("the SYN");
    assert_eq!(
        first,
        Segment {
            sequence: 100,
            ..syn()
        },
        "4,000,000 B do not fit 16 bits: the SYN's window is 65,535, unscaled"
    );
    assert_eq!(client.state(), State::SynSent);
    assert!(!server.handle(at(1), &first).established);
    assert_eq!(server.state(), State::SynReceived);
    let second = server.transmit(at(1)).expect("the SYN-ACK");
    assert_eq!(second, syn_ack(101));
    assert!(client.handle(at(2), &second).established);
    let third = client.transmit(at(2)).expect("the ACK");
    assert_eq!(third, ack(101, 7_001), "62,500 x 64 = 4,000,000");
    assert!(server.handle(at(3), &third).established);
    assert_eq!(
        (client.state(), server.state()),
        (State::Established, State::Established)
    );
    assert_eq!((client.transmit(at(3)), server.transmit(at(3))), (None, None));
    for end in [&client, &server] {
        // The handshake's round trip of 2 ms is a sample.
        assert_eq!(end.report().smoothed_round_trip, Some(Span::from_ms(2)));
        assert_eq!(end.deadline(Timer::Retransmit), Time::NEVER);
    }
}

#[test]
fn data_written_before_goes_when_the_connection_stands_and_brings_the_acknowledgement() {
    let mut client = client();
    assert_eq!(client.write(5_000_000), 4_000_000, "the send buffer");
    client.transmit(at(0)).expect("the SYN");
    assert_eq!(client.transmit(at(0)), None, "no data in or behind the SYN");
    client.handle(at(1), &syn_ack(101));
    let data: Vec<Segment> = std::iter::from_fn(|| client.transmit(at(1))).collect();
    assert_eq!(data.len(), 10, "the initial window, and no bare acknowledgement");
    assert!(
        data.iter()
            .all(|segment| segment.payload == 1_460 && segment.acknowledgement == 7_001)
    );
    assert_eq!(data[1].sequence, 101 + 1_460);
    // At the server the first of them does what the bare acknowledgement would do.
    let mut server = Connection::server(&Settings::default(), 7_000);
    server.handle(
        at(0),
        &Segment {
            sequence: 100,
            ..syn()
        },
    );
    server.transmit(at(0)).expect("the SYN-ACK");
    let received = server.handle(at(2), &data[0]);
    assert!(received.established);
    assert_eq!(received.delivered, 1_460);
}

#[test]
fn a_syn_is_sent_again_after_1_2_4_seconds() {
    let mut client = client();
    client.transmit(at(0)).expect("the SYN");
    let mut sent = Vec::new();
    for _ in 0..8 {
        let deadline = client.deadline(Timer::Retransmit);
        client.expired(deadline - Span::from_ps(1), Timer::Retransmit);
        assert!(!client.wants_transmit(deadline), "too early a call does nothing");
        client.expired(deadline, Timer::Retransmit);
        let again = client.transmit(deadline).expect("the SYN");
        assert_eq!(
            again,
            Segment {
                sequence: 100,
                ..syn()
            }
        );
        sent.push(deadline.ps() / 1_000_000_000_000);
    }
    // 1, then 2, 4, 8, 16, 32 later, then 60 each time.
    assert_eq!(sent, [1, 3, 7, 15, 31, 63, 123, 183]);
    assert_eq!(
        (client.report().timeouts, client.report().segments_resent),
        (8, 8)
    );
}

#[test]
fn after_a_lost_syn_the_window_is_one_segment_and_the_timeout_three_seconds() {
    for congestion in [CongestionControl::Cubic, CongestionControl::NewReno] {
        let settings = Settings {
            congestion,
            ..Settings::default()
        };
        let mut client = Connection::client(&settings, 100);
        client.open(at(0));
        client.transmit(at(0)).expect("the SYN");
        client.expired(at(1_000), Timer::Retransmit);
        client.transmit(at(1_000)).expect("the SYN");
        client.handle(at(1_001), &syn_ack(101));
        let report = client.report();
        // RFC 5681, section 3.1; RFC 6298, rule 5.7; and Karn's rule: no sample.
        assert_eq!(report.congestion_window, 1_460);
        assert_eq!(report.retransmission_timeout, Span::from_ms(3_000));
        assert_eq!(report.smoothed_round_trip, None);
    }
}

#[test]
fn a_syn_ack_is_sent_again_when_it_is_lost() {
    let mut server = Connection::server(&Settings::default(), 7_000);
    let first = Segment {
        sequence: 100,
        ..syn()
    };
    server.handle(at(0), &first);
    server.transmit(at(0)).expect("the SYN-ACK");
    // By its own timer,
    assert_eq!(server.deadline(Timer::Retransmit), at(1_000));
    server.expired(at(1_000), Timer::Retransmit);
    assert_eq!(server.transmit(at(1_000)), Some(syn_ack(101)));
    // and when the SYN comes again.
    server.handle(at(1_500), &first);
    assert_eq!(server.transmit(at(1_500)), Some(syn_ack(101)));
    assert!(server.handle(at(1_501), &ack(101, 7_001)).established);
    assert_eq!(server.report().congestion_window, 1_460, "a SYN-ACK was lost");
    // One of the two was no timeout.
    assert_eq!(
        (server.report().segments_resent, server.report().timeouts),
        (2, 1)
    );
}

#[test]
fn a_repeated_syn_does_not_upset_an_established_peer() {
    let mut client = client();
    client.transmit(at(0)).expect("the SYN");
    client.handle(at(1), &syn_ack(101));
    client.transmit(at(1)).expect("the ACK");
    // Its acknowledgement was lost, and the SYN-ACK comes again (RFC 9293, section 3.10.7.4).
    let received = client.handle(at(2), &syn_ack(101));
    assert_eq!(received, Default::default());
    assert_eq!(client.transmit(at(2)), Some(ack(101, 7_001)));
    assert_eq!(client.state(), State::Established);
}

#[test]
fn what_does_not_belong_to_a_handshake_is_ignored() {
    let mut client = client();
    client.transmit(at(0)).expect("the SYN");
    client.handle(at(1), &syn_ack(102));
    client.handle(at(1), &syn());
    client.handle(at(1), &ack(7_001, 101));
    let reset = Segment {
        flags: Flags::RST | Flags::ACK,
        ..syn_ack(101)
    };
    client.handle(at(1), &reset);
    assert_eq!((client.state(), client.transmit(at(1))), (State::SynSent, None));
    let mut server = Connection::server(&Settings::default(), 7_000);
    server.handle(at(1), &ack(101, 7_001));
    assert_eq!(server.state(), State::Listen);
    server.handle(at(1), &syn());
    server.transmit(at(1)).expect("the SYN-ACK");
    server.handle(at(2), &ack(7_001, 7_002));
    assert_eq!(
        server.state(),
        State::SynReceived,
        "it acknowledges what was not sent"
    );
}

#[test]
fn what_one_end_does_not_offer_is_not_used() {
    let mut server = Connection::server(&Settings::default(), 7_000);
    let plain = Segment {
        options: Options::Syn {
            mss: 1_000,
            sack_permitted: false,
            window_scale: None,
        },
        sequence: 100,
        ..syn()
    };
    server.handle(at(0), &plain);
    let answer = server.transmit(at(0)).expect("the SYN-ACK");
    let none = Options::Syn {
        mss: 1_460,
        sack_permitted: false,
        window_scale: None,
    };
    assert_eq!(answer.options, none);
    server.write(10_000);
    server.handle(
        at(1),
        &Segment {
            window: 3_000,
            ..ack(101, 7_001)
        },
    );
    let data: Vec<u32> = std::iter::from_fn(|| server.transmit(at(1)))
        .map(|segment| segment.payload)
        .collect();
    // Its MSS; and 3,000 is 3,000 when windows are not scaled.
    assert_eq!(data, [1_000, 1_000, 1_000]);
    assert_eq!(server.report().advertised_window, 65_535);
}

use super::*;
use crate::segment::{Options, SackBlock};
use crate::tests::pair::{CLIENT, Pair, SERVER};
use packetloom_des::Span;

/// Two connected ends, and the time.
fn connected(isns: [u32; 2]) -> (Connection, Connection, Time) {
    connected_with(&Settings::default(), isns)
}

fn connected_with(settings: &Settings, isns: [u32; 2]) -> (Connection, Connection, Time) {
    let mut client = Connection::client(settings, isns[0]);
    let mut server = Connection::server(settings, isns[1]);
    let now = Time::ZERO + Span::from_ms(10);
    client.open(now);
    for _ in 0..2 {
        exchange(&mut client, &mut server, now);
    }
    assert_eq!(
        (client.state(), server.state()),
        (State::Established, State::Established)
    );
    (client, server, now)
}

/// Hands over all segments at once. Returns how many went to the server and to the client.
fn exchange(client: &mut Connection, server: &mut Connection, now: Time) -> [usize; 2] {
    let mut counts = [0; 2];
    while let Some(segment) = client.transmit(now) {
        counts[0] += 1;
        let received = server.handle(now, &segment);
        server.read(now, received.delivered);
    }
    while let Some(segment) = server.transmit(now) {
        counts[1] += 1;
        let received = client.handle(now, &segment);
        client.read(now, received.delivered);
    }
    counts
}

#[test]
fn a_reply_carries_the_acknowledgement_of_its_request() {
    let (mut client, mut server, now) = connected([1, 1]);
    client.write(1_000);
    let request = client.transmit(now).expect("the request");
    let received = server.handle(now, &request);
    assert_eq!(received.delivered, 1_000);
    server.read(now, 1_000);
    assert_eq!(server.deadline(Timer::DelayedAck), now + Span::from_ms(4));
    assert!(!server.wants_transmit(now));
    server.write(500);
    let reply = server.transmit(now).expect("the reply");
    assert_eq!((reply.payload, reply.acknowledgement), (500, 2 + 1_000));
    assert_eq!(server.deadline(Timer::DelayedAck), Time::NEVER);
    assert_eq!(server.transmit(now), None, "no acknowledgement of its own");
    assert_eq!(client.handle(now, &reply).freed, 1_000);
}

#[test]
fn data_carries_what_has_arrived_beyond_a_gap_and_stays_full() {
    let (mut client, mut server, now) = connected([1, 1]);
    client.write(3 * 1_460);
    let segments: Vec<Segment> = std::iter::from_fn(|| client.transmit(now)).collect();
    server.handle(now, &segments[1]);
    server.write(1_460);
    let data = server.transmit(now).expect("data");
    assert_eq!((data.payload, data.acknowledgement), (1_460, 2));
    let reported = [SackBlock {
        start: 2 + 1_460,
        end: 2 + 2 * 1_460,
    }];
    assert_eq!(data.options.sack(), reported);
    // 1,518 + 2 + 8, padded to 12.
    assert_eq!(data.wire_size(), 1_530);
    client.handle(now, &data);
    assert_eq!(client.report().acks_with_sack, 1);
}

#[test]
fn an_old_segment_is_answered_and_not_taken_again() {
    let (mut client, mut server, now) = connected([1, 1]);
    client.write(1_000);
    let segment = client.transmit(now).expect("data");
    server.handle(now, &segment);
    server.expired(now + Span::from_ms(4), Timer::DelayedAck);
    server.transmit(now).expect("the acknowledgement");
    // RFC 9293, section 3.10.7.4: the acknowledgement was lost, perhaps.
    assert_eq!(server.handle(now, &segment), Received::default());
    let answer = server.transmit(now).expect("another one");
    assert_eq!((answer.payload, answer.acknowledgement), (0, 2 + 1_000));
    assert_eq!(server.readable(), 1_000);
    assert_eq!(server.report().received_bytes, 2_000, "duplicates included");
}

#[test]
fn a_segment_beyond_the_window_is_answered_and_not_taken() {
    let (mut client, mut server, now) = connected([1, 1]);
    client.write(1_000);
    let mut segment = client.transmit(now).expect("data");
    segment.sequence = segment.sequence.wrapping_add(4_000_001);
    assert_eq!(server.handle(now, &segment), Received::default());
    assert_eq!(server.transmit(now).map(|answer| answer.acknowledgement), Some(2));
}

#[test]
fn what_has_no_acknowledgement_is_dropped() {
    let (mut client, mut server, now) = connected([1, 1]);
    client.write(1_000);
    let data = client.transmit(now).expect("data");
    for flags in [Flags(0), Flags::PSH, Flags::RST | Flags::ACK] {
        assert_eq!(
            server.handle(now, &Segment { flags, ..data }),
            Received::default()
        );
        assert_eq!(server.transmit(now), None);
    }
}

#[test]
fn the_acknowledgement_behind_a_probe_is_within_the_window() {
    // The probe's byte lies beyond the window; an acknowledgement that began after it would not be looked at.
    let (mut client, mut server, now) = connected([1, 1]);
    let shut = Segment {
        sequence: 2,
        acknowledgement: 2,
        window: 0,
        flags: Flags::ACK,
        ..Segment::default()
    };
    client.handle(now, &shut);
    client.write(10);
    let later = client.deadline(Timer::Retransmit);
    client.expired(later, Timer::Retransmit);
    assert_eq!(
        client
            .transmit(later)
            .map(|probe| (probe.sequence, probe.payload)),
        Some((2, 1))
    );
    server.write(2 * 1_460);
    while let Some(segment) = server.transmit(later) {
        client.handle(later, &Segment { window: 0, ..segment });
    }
    let answer = client.transmit(later).expect("every second segment");
    assert_eq!((answer.sequence, answer.acknowledgement), (2, 2 + 2 * 1_460));
}

#[test]
fn more_than_2_to_the_32_bytes() {
    // Every number on the wire comes round; offsets go on. Large segments, so that they are few.
    let settings = Settings {
        mss: 65_535,
        ..Settings::default()
    };
    let (mut client, mut server, mut now) = connected_with(&settings, [u32::MAX - 70_000, u32::MAX]);
    let total = (1u64 << 32) + 100_000;
    let mut left = total;
    let mut delivered = 0;
    while delivered < total {
        left -= client.write(left);
        now += Span::from_us(10);
        while let Some(segment) = client.transmit(now) {
            let received = server.handle(now, &segment);
            server.read(now, received.delivered);
            delivered += received.delivered;
            while let Some(answer) = server.transmit(now) {
                client.handle(now, &answer);
            }
        }
        if server.deadline(Timer::DelayedAck) != Time::NEVER {
            now = server.deadline(Timer::DelayedAck);
            server.expired(now, Timer::DelayedAck);
            exchange(&mut client, &mut server, now);
        }
    }
    assert_eq!(delivered, total);
    let report = client.report();
    assert_eq!(
        (report.sent_bytes, report.timeouts, report.in_flight),
        (total, 0, 0)
    );
}

#[test]
fn two_ends_with_shut_windows_come_free_again() {
    let mut pair = Pair::usual();
    pair.reads = [false; 2];
    pair.open();
    pair.write(CLIENT, 5_000_000);
    pair.write(SERVER, 5_000_000);
    // Both buffers are full, both ends probe.
    pair.run_until(Time::ZERO + Span::from_ms(2_000));
    for end in [CLIENT, SERVER] {
        // A window of less than 64 B is none in units of 64 B.
        assert!(pair.ends[end].readable() > 4_000_000 - 64);
    }
    assert_eq!(pair.ends[CLIENT].report().timeouts, 0);
    pair.reads = [true; 2];
    pair.read_all(CLIENT);
    pair.read_all(SERVER);
    pair.run(100_000);
    pair.assert_done();
}

#[test]
fn any_number_of_segments_may_come_before_an_acknowledgement_goes() {
    let (mut client, mut server, now) = connected([1, 1]);
    for number in 0..1_000u64 {
        client.write(1);
        let segment = client.transmit(now).expect("the window holds them");
        server.handle(now, &segment);
        assert_eq!(server.wants_transmit(now), number > 0);
    }
    assert_eq!(
        server.transmit(now).map(|answer| answer.acknowledgement),
        Some(2 + 1_000)
    );
}

#[test]
fn nothing_is_allocated_once_the_rings_have_grown() {
    let (mut client, mut server, mut now) = connected([1, 1]);
    let mut round = |rounds: u32| {
        for _ in 0..rounds {
            now += Span::from_us(10);
            client.write(4_000_000);
            let counts = exchange(&mut client, &mut server, now);
            assert!(counts[0] > 0);
        }
    };
    // Until the window is all of the send buffer.
    round(1_000);
    let allocations = allocation_counter::measure(|| round(20));
    assert_eq!(allocations.count_total, 0);
}

#[test]
fn options_fit_beside_a_full_payload() {
    let blocks = Options::Sack {
        blocks: Default::default(),
        count: 4,
    };
    // 40 B are what a TCP header has for options.
    assert!(blocks.length() <= 40);
}

#[test]
fn names_of_states() {
    let states = [
        State::Closed,
        State::Listen,
        State::SynSent,
        State::SynReceived,
        State::Established,
    ];
    let names = ["CLOSED", "LISTEN", "SYN_SENT", "SYN_RCVD", "ESTABLISHED"];
    assert_eq!(states.map(State::name), names);
}

#[test]
fn a_connection_is_twelve_cache_lines_at_most() {
    let size = size_of::<Connection>();
    assert!(size <= 12 * 64, "{size} B");
}

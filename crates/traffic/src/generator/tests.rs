use super::*;
use crate::timeline::ConnectionName;
use packetloom_des::random::Stream;
use packetloom_des::{Bytes, Span, Time};
use proptest::prelude::*;

const SEED: u64 = 18_760;

fn stream(purpose: &str) -> Stream {
    Stream::new(SEED, "test", purpose)
}

fn ms(n: u64) -> Time {
    Time::from_ps(n * 1_000_000_000)
}

/// A connection from 2 ms on with 500 requests a second and the default sizes, recorded from 5 ms to `end`.
fn plan(end: Time) -> ClientPlan {
    ClientPlan {
        instance: 3,
        start: ms(2),
        end,
        rate: 500.0,
        on: Span::from_ms(100),
        off: Span::ZERO,
        request: Sizes::normal(Bytes(400), Bytes(3_000), Bytes(1_500)).unwrap(),
        reply: Sizes::normal(Bytes(1_000), Bytes(10_000), Bytes(6_000)).unwrap(),
    }
}

fn client(end: Time) -> Client {
    Client::new(plan(end), stream(SIZES), stream(GAPS))
}

fn server(end: Time) -> Server {
    let ClientPlan { request, reply, .. } = plan(end);
    Server::new(request, reply, stream(SIZES), (ms(5), end))
}

#[test]
fn a_connections_streams_are_its_own_and_pinned() {
    let name = ConnectionName {
        application: "web",
        client: 3,
        server: 5,
        connection: 0,
    };
    let stream = |purpose| name.stream(SEED, purpose);
    let mut client = Client::new(
        ClientPlan {
            start: Time::ZERO,
            ..plan(ms(505))
        },
        stream(SIZES),
        stream(GAPS),
    );
    let times: Vec<u64> = generate(&mut client, 5).into_iter().map(Time::ps).collect();
    let message = "a connection's draws changed: every documented run would change with them";
    assert_eq!(times, PINNED_TIMES, "{message}");
    let ClientPlan { request, reply, .. } = plan(ms(505));
    let mut sizes = stream(SIZES);
    let drawn = [0; 5].map(|_| (request.draw(&mut sizes), reply.draw(&mut sizes)));
    assert_eq!(drawn, PINNED_SIZES, "{message}");
}

// Both are also what an independent program gives that was written from the documentation alone.
const PINNED_TIMES: [u64; 5] = [0, 91_849_489, 3_840_108_853, 5_145_245_963, 5_644_196_571];
const PINNED_SIZES: [(u64, u64); 5] = [
    (948, 9_003),
    (1_996, 5_164),
    (1_410, 1_123),
    (1_662, 7_887),
    (2_173, 2_249),
];

/// The first `count` sizes of requests and replies.
fn sizes(count: usize) -> Vec<(u64, u64)> {
    let ClientPlan { request, reply, .. } = plan(ms(505));
    let mut stream = stream(SIZES);
    (0..count)
        .map(|_| (request.draw(&mut stream), reply.draw(&mut stream)))
        .collect()
}

/// Generates `count` requests and returns when.
fn generate(client: &mut Client, count: usize) -> Vec<Time> {
    let mut times = Vec::new();
    for _ in 0..count {
        let now = client.next();
        client.generate(now);
        times.push(now);
    }
    times
}

#[test]
fn the_first_request_is_generated_as_the_connection_starts() {
    let mut client = client(ms(505));
    assert_eq!(client.next(), ms(2));
    client.generate(ms(2));
    assert!(client.next() > ms(2));
    assert_eq!(client.generated(), 1);
}

#[test]
fn a_request_counts_as_handed_with_its_first_byte() {
    let sizes = sizes(3);
    let mut client = client(ms(505));
    assert!(!client.waits());
    assert_eq!((client.feed(1_000_000), client.handed()), (0, 0));
    generate(&mut client, 3);
    assert!(client.waits());
    assert_eq!((client.feed(1), client.handed()), (1, 1));
    let rest = sizes[0].0 - 1;
    assert_eq!((client.feed(rest), client.handed()), (rest, 1));
    let more = sizes[1].0 + 1;
    assert_eq!((client.feed(more), client.handed()), (more, 3));
    let last = sizes[2].0 - 1;
    assert_eq!((client.feed(u64::MAX), client.handed()), (last, 3));
    assert!(!client.waits());
}

#[test]
fn transactions_complete_in_order_with_the_last_byte() {
    let sizes = sizes(3);
    let mut client = client(ms(505));
    let times = generate(&mut client, 3);
    client.feed(u64::MAX);
    assert_eq!(client.replied(ms(50), sizes[0].1 - 1), None);
    let first = client.replied(ms(60), 1).unwrap();
    let expected = Transaction {
        instance: 3,
        number: 0,
        generated_at: times[0],
        completed_at: ms(60),
    };
    assert_eq!(first, expected);
    assert_eq!(first.latency(), Span::from_ms(58), "from 2 ms to 60 ms");
    assert_eq!(client.replied(ms(60), 0), None);
    // Two at once.
    let second = client.replied(ms(70), sizes[1].1 + sizes[2].1).unwrap();
    let third = client.replied(ms(70), 0).unwrap();
    assert_eq!((second.number, second.generated_at), (1, times[1]));
    assert_eq!((third.number, third.generated_at), (2, times[2]));
    assert_eq!((client.replied(ms(70), 0), client.completed()), (None, 3));
}

#[test]
fn no_request_comes_after_the_recording_window_and_one_at_its_end_does() {
    let mut all = client(ms(505));
    let times = generate(&mut all, 5);
    let mut through = client(times[4]);
    assert_eq!(generate(&mut through, 5), times);
    assert_eq!(through.next(), Time::NEVER);
    let just_before = Time::from_ps(times[4].ps() - 1);
    let mut before = client(just_before);
    generate(&mut before, 4);
    assert_eq!(before.next(), Time::NEVER);
}

#[test]
fn a_reply_is_made_when_the_whole_request_has_arrived() {
    let sizes = sizes(2);
    let mut server = server(ms(505));
    server.received(ms(10), sizes[0].0 - 1);
    assert_eq!((server.received_requests(), server.waits()), (0, false));
    server.received(ms(11), 1 + sizes[1].0);
    assert_eq!((server.received_requests(), server.sent()), (2, 0));
    assert_eq!((server.feed(ms(11), 1), server.sent()), (1, 1));
    let rest = sizes[0].1 + sizes[1].1 - 1;
    assert_eq!((server.feed(ms(12), u64::MAX), server.sent()), (rest, 2));
}

#[test]
fn bytes_count_that_complete_a_request_within_the_recording_window() {
    let sizes = sizes(4);
    let mut server = server(ms(505));
    server.received(Time::from_ps(ms(5).ps() - 1), sizes[0].0 + sizes[1].0 - 1);
    assert_eq!(server.recorded_bytes(), 0);
    // The second request has its last byte at the window's first instant and counts whole.
    server.received(ms(5), 1);
    assert_eq!(server.recorded_bytes(), sizes[1].0);
    server.received(ms(505), sizes[2].0);
    assert_eq!(server.recorded_bytes(), sizes[1].0 + sizes[2].0);
    server.received(Time::from_ps(ms(505).ps() + 1), sizes[3].0);
    assert_eq!(server.recorded_bytes(), sizes[1].0 + sizes[2].0);
    assert_eq!(server.received_requests(), 4);
}

#[test]
fn after_the_recording_window_only_the_reply_that_has_begun_goes_on() {
    let sizes = sizes(4);
    let mut server = server(ms(505));
    server.received(ms(505), sizes[0].0 + sizes[1].0 + sizes[2].0);
    let first = sizes[0].1 + 1;
    assert_eq!((server.feed(ms(505), first), server.sent()), (first, 2));
    let after = Time::from_ps(ms(505).ps() + 1);
    server.received(after, sizes[3].0);
    let rest = sizes[1].1 - 1;
    assert_eq!((server.feed(after, u64::MAX), server.sent()), (rest, 2));
    assert!(!server.waits());
}

#[test]
fn eight_connections_generate_4000_requests_a_second() {
    let mut total = 0;
    for connection in 0..8 {
        let gaps = Stream::new(SEED, &format!("connection {connection}"), GAPS);
        let mut plan = plan(ms(100_002));
        plan.request = Sizes::constant(Bytes(1)).unwrap();
        plan.reply = plan.request.clone();
        let mut client = Client::new(plan, stream(SIZES), gaps);
        while client.next() != Time::NEVER {
            let now = client.next();
            client.generate(now);
            client.feed(1);
            assert!(client.replied(now, 1).is_some());
        }
        total += client.generated();
    }
    // 8 x (1 + Poisson(500 x 100 s)) = 400,008 +- 4 standard deviations of sqrt(400,000) = 632.
    assert!(total.abs_diff(400_008) < 4 * 632, "{total}");
}

proptest! {
    /// However the bytes are cut on their way, the same transactions complete, and both ends count the same.
    #[test]
    fn any_chunking_gives_the_same_transactions(
        chunks in proptest::collection::vec((0u64..6_000, 0u64..6_000, 0u64..9_000, 0u64..9_000), 1..200),
    ) {
        let (mut client, mut server) = (client(ms(505)), server(ms(505)));
        let mut now = ms(2);
        // In order on its way: to the server, and back.
        let (mut there, mut back) = (0u64, 0u64);
        let (mut sent_bytes, mut replied_bytes) = (0, 0);
        let mut done = Vec::new();
        let mut times = Vec::new();
        for (room, arrive, reply_room, reply_arrive) in chunks {
            // Some 0.4 requests a step.
            now += Span::from_us(800);
            while client.next() <= now {
                times.push(client.next());
                client.generate(client.next());
            }
            let fed = client.feed(room);
            prop_assert!(fed <= room && (fed == room || !client.waits()));
            there += fed;
            sent_bytes += fed;
            let arrives = arrive.min(there);
            there -= arrives;
            server.received(now, arrives);
            let fed = server.feed(now, reply_room);
            prop_assert!(fed <= reply_room && (fed == reply_room || !server.waits()));
            back += fed;
            let mut arrives = reply_arrive.min(back);
            back -= arrives;
            replied_bytes += arrives;
            while let Some(transaction) = client.replied(now, std::mem::take(&mut arrives)) {
                done.push(transaction);
            }
        }
        let sizes = sizes(times.len());
        prop_assert_eq!(client.generated(), times.len() as u64);
        // From the sizes alone: which messages have begun or ended after so many bytes.
        let begun = |bytes: u64, size: fn(&(u64, u64)) -> u64| {
            let mut start = 0;
            sizes.iter().take_while(|pair| { let begins = start < bytes; start += size(pair); begins }).count() as u64
        };
        let ended = |bytes: u64, size: fn(&(u64, u64)) -> u64| {
            let mut end = 0;
            sizes.iter().take_while(|pair| { end += size(pair); end <= bytes }).count() as u64
        };
        let request = |pair: &(u64, u64)| pair.0;
        let reply = |pair: &(u64, u64)| pair.1;
        prop_assert_eq!(client.handed(), begun(sent_bytes, request));
        prop_assert_eq!(server.received_requests(), ended(sent_bytes - there, request));
        prop_assert_eq!(server.sent(), begun(replied_bytes + back, reply));
        prop_assert_eq!(client.completed(), ended(replied_bytes, reply));
        prop_assert_eq!(client.completed(), done.len() as u64);
        for (number, transaction) in done.iter().enumerate() {
            prop_assert_eq!(transaction.number, number as u64);
            prop_assert_eq!(transaction.generated_at, times[number]);
        }
        prop_assert!(client.completed() <= server.sent() && server.sent() <= server.received_requests());
        prop_assert!(server.received_requests() <= client.handed() && client.handed() <= client.generated());
    }
}

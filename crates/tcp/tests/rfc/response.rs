//! The average window of a whole endpoint of which every (1/p)-th data segment is lost, against the models of RFC 9438.
//!
//! The way is fast, so that nothing but losses limits the window: 10 Gbps, which no round trip here fills, and buffers of 400 MB.

use packetloom_des::{Bytes, Rate, Span, Time};
use packetloom_tcp::congestion::CongestionControl;
use packetloom_tcp::segment::{MSS, Segment};
use packetloom_tcp::{Connection, Report, Settings, Timer};
use std::collections::VecDeque;

const RATE: Rate = Rate::from_gbps(10);

/// A client that always has something to send, a server that reads at once, and a link that loses.
struct Lossy {
    now: Time,
    ends: [Connection; 2],
    delay: Span,
    /// When the link to the server is free.
    free_at: Time,
    /// What is on its way to each end.
    ways: [VecDeque<(Time, Segment)>; 2],
    /// Of so many data segments the last is lost.
    every: u64,
    sent: u64,
    /// The window over time, in byte seconds, since `since`.
    area: f64,
    since: Time,
}

const TIMERS: [(usize, Timer); 4] = [
    (0, Timer::Retransmit),
    (1, Timer::Retransmit),
    (0, Timer::DelayedAck),
    (1, Timer::DelayedAck),
];

impl Lossy {
    fn new(congestion: CongestionControl, fast_convergence: bool, round_trip: Span, every: u64) -> Self {
        let settings = Settings {
            congestion,
            fast_convergence,
            send_buffer: 400_000_000,
            receive_buffer: 400_000_000,
            ..Settings::default()
        };
        let mut lossy = Lossy {
            now: Time::ZERO,
            ends: [Connection::client(&settings, 0), Connection::server(&settings, 0)],
            delay: round_trip / 2,
            free_at: Time::ZERO,
            ways: [VecDeque::new(), VecDeque::new()],
            every,
            sent: 0,
            area: 0.0,
            since: Time::ZERO,
        };
        lossy.ends[0].open(Time::ZERO);
        lossy.send();
        lossy
    }

    fn send(&mut self) {
        self.ends[0].write(u64::MAX);
        while let Some(segment) = self.ends[0].transmit(self.now) {
            self.free_at = self.free_at.max(self.now) + RATE.time_for(Bytes(segment.wire_size() as u64));
            self.sent += u64::from(segment.payload > 0);
            if segment.payload == 0 || !self.sent.is_multiple_of(self.every) {
                self.ways[1].push_back((self.free_at + self.delay, segment));
            }
        }
        while let Some(segment) = self.ends[1].transmit(self.now) {
            self.ways[0].push_back((self.now + self.delay, segment));
        }
    }

    fn step(&mut self) {
        let arrivals = self
            .ways
            .each_ref()
            .map(|way| way.front().map_or(Time::NEVER, |(at, _)| *at));
        let timers = TIMERS.map(|(end, timer)| self.ends[end].deadline(timer));
        let arrival = arrivals[0].min(arrivals[1]);
        let timer = timers.into_iter().fold(Time::NEVER, Time::min);
        let at = arrival.min(timer);
        let window = self.ends[0].report().congestion_window as f64;
        self.area += window * at.since(self.now).as_seconds();
        self.now = at;
        if arrival <= timer {
            let end = usize::from(arrivals[0] != arrival);
            let (_, segment) = self.ways[end].pop_front().expect("due");
            let received = self.ends[end].handle(at, &segment);
            self.ends[end].read(at, received.delivered);
        } else {
            let which = timers.iter().position(|deadline| *deadline == at).expect("due");
            let (end, timer) = TIMERS[which];
            self.ends[end].expired(at, timer);
        }
        self.send();
    }

    fn after_losses(&mut self, losses: u64) -> Report {
        while self.sent < losses * self.every {
            self.step();
        }
        self.ends[0].report()
    }
}

/// The average window in segments, over time, from the loss of number `from` to that of number `losses`. The first comes at the end of
/// slow start, and its window is forgotten by and by.
fn average(
    (congestion, fast_convergence): (CongestionControl, bool),
    round_trip: Span,
    every: u64,
    (from, losses): (u64, u64),
) -> f64 {
    let mut lossy = Lossy::new(congestion, fast_convergence, round_trip, every);
    let before = lossy.after_losses(from);
    (lossy.area, lossy.since) = (0.0, lossy.now);
    let after = lossy.after_losses(losses);
    assert_eq!(after.timeouts, before.timeouts, "fast retransmits repair all");
    let repairs = after.fast_retransmits - before.fast_retransmits;
    assert!(
        (losses - from - 1..=losses - from + 1).contains(&repairs),
        "each loss cuts once: {repairs}"
    );
    lossy.area / lossy.now.since(lossy.since).as_seconds() / MSS as f64
}

/// AVG_W_cubic of RFC 9438, section 5.1, in segments: ((C (3 + b)) / (4 (1 - b)))^(1/4) RTT^(3/4) / p^(3/4), with C 0.4, b 0.7.
fn cubic_model(round_trip: f64, p: f64) -> f64 {
    (0.4 * 3.7 / (4.0 * 0.3_f64)).powf(0.25) * (round_trip / p).powf(0.75)
}

#[track_caller]
fn assert_near(found: f64, expected: f64, share: f64) {
    println!("{found:.1} segments on average, {expected:.1} expected");
    assert!(
        (found - expected).abs() <= share * expected,
        "{found}, not {expected}"
    );
}

/// The same with the round trip that a repair takes, which the model leaves out, in which the window is b W_max. With K =
/// cbrt((1 - b) W_max / C) the curve from b W_max to W_max has the mean (1 - (1 - b) / 4) W_max = 0.925 W_max, so
///
/// ```text
/// 1/p = 0.925 W_max K / RTT + 0.7 W_max          average = (0.925 W_max K + 0.7 W_max RTT) / (K + RTT)
/// ```
fn cubic_model_with_repair(round_trip: f64, p: f64) -> f64 {
    let k = |w_max: f64| (0.3 * w_max / 0.4).cbrt();
    let (mut low, mut high) = (1.0, 1e6);
    while high - low > 1e-6 {
        let w_max = (low + high) / 2.0;
        if 0.925 * w_max * k(w_max) / round_trip + 0.7 * w_max < 1.0 / p {
            low = w_max;
        } else {
            high = w_max;
        }
    }
    let k = k(low);
    (0.925 * low * k + 0.7 * low * round_trip) / (k + round_trip)
}

/// CUBIC as a flow that is alone should run it, and as the model takes it to be: without fast convergence (section 4.7).
const ALONE: (CongestionControl, bool) = (CongestionControl::Cubic, false);
const CUBIC: (CongestionControl, bool) = (CongestionControl::Cubic, true);

#[test]
fn cubic_at_200_ms_and_one_loss_in_10_000() {
    // (0.2 / 0.0001)^0.75 = 299.1; times (1.48 / 1.2)^0.25 = 1.0538.
    let expected = cubic_model(0.2, 1e-4);
    assert!((expected - 315.2).abs() < 0.1, "by hand");
    // W_max 334.7, K 6.309 s.
    let with_repair = cubic_model_with_repair(0.2, 1e-4);
    assert!((with_repair - 307.3).abs() < 0.2, "by hand: {with_repair}");
    for kind in [ALONE, CUBIC] {
        let found = average(kind, Span::from_ms(200), 10_000, (200, 300));
        assert_near(found, expected, 0.1);
        assert_near(found, with_repair, 0.1);
    }
}

/// Here an epoch is nine or ten round trips, so that the repair's counts: 102 segments instead of 111.
#[test]
fn cubic_at_500_ms_and_one_loss_in_1_000() {
    // (0.5 / 0.001)^0.75 = 105.7; times 1.0538.
    let model = cubic_model(0.5, 1e-3);
    assert!((model - 111.4).abs() < 0.1, "by hand");
    assert_near(average(ALONE, Span::from_ms(500), 1_000, (10, 300)), model, 0.1);
    // W_max 113.3, K 4.396 s.
    let expected = cubic_model_with_repair(0.5, 1e-3);
    assert!((expected - 102.2).abs() < 0.2, "by hand: {expected}");
    // A whole round trip more or less in an epoch lets fast convergence act, which gives room to others; it costs some more.
    let found = average(CUBIC, Span::from_ms(500), 1_000, (10, 300));
    assert_near(found, expected, 0.1);
    assert!(found < model, "never more than the model's");
}

/// AVG_AIMD(alpha, beta) of RFC 9438, section 4.3, is sqrt(1.5 / p) with alpha 9/17 and beta 0.7, as with Reno's 1 and 0.5. At 1 ms
/// the curve alone would come to 5.9 and 1.05.
#[test]
fn reno_at_1_ms() {
    for kind in [CUBIC, (CongestionControl::NewReno, true)] {
        for (every, expected) in [(10_000, 122.5), (1_000, 38.7)] {
            assert!(((1.5 * every as f64).sqrt() - expected).abs() < 0.05, "by hand");
            let found = average(kind, Span::from_ms(1), every, (10, 200));
            assert_near(found, expected, 0.1);
        }
    }
}

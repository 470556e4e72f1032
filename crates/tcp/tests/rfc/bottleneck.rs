//! A transfer over a link of 1 Gbps with a queue in front of it: what HyStart++ is for, and whether the link is used.

use packetloom_des::{Bytes, Rate, Span, Time};
use packetloom_tcp::congestion::CongestionControl;
use packetloom_tcp::segment::Segment;
use packetloom_tcp::{Connection, Report, Settings, Timer};
use std::collections::VecDeque;

const RATE: Rate = Rate::from_gbps(1);

/// A client that always has something to send, and a server that reads at once.
struct Transfer {
    now: Time,
    client: Connection,
    server: Connection,
    /// Of the way in one direction.
    delay: Span,
    /// Bytes that the queue in front of the link holds.
    room: u64,
    /// When the link has sent all that is queued.
    free_at: Time,
    to_server: VecDeque<(Time, Segment)>,
    to_client: VecDeque<(Time, Segment)>,
    dropped: u64,
    delivered: u64,
}

impl Transfer {
    fn new(settings: &Settings, room: u64) -> Self {
        let mut transfer = Transfer {
            now: Time::ZERO,
            client: Connection::client(settings, 0),
            server: Connection::server(settings, 0),
            // A round trip is 20 ms, and 2.5 MB fill the link.
            delay: Span::from_ms(10),
            room,
            free_at: Time::ZERO,
            to_server: VecDeque::new(),
            to_client: VecDeque::new(),
            dropped: 0,
            delivered: 0,
        };
        transfer.client.open(Time::ZERO);
        transfer
    }

    /// Takes what the ends have to send. The way to the server goes through the queue; the other one has no limit.
    fn send(&mut self) {
        self.client.write(u64::MAX);
        while let Some(segment) = self.client.transmit(self.now) {
            let waiting = self.free_at.max(self.now).since(self.now);
            let queued = waiting.ps() as u128 * RATE.bps() as u128 / 8_000_000_000_000;
            let size = segment.wire_size() as u64;
            if queued as u64 + size > self.room {
                self.dropped += 1;
                continue;
            }
            self.free_at = self.free_at.max(self.now) + RATE.time_for(Bytes(size));
            self.to_server.push_back((self.free_at + self.delay, segment));
        }
        while let Some(segment) = self.server.transmit(self.now) {
            self.to_client.push_back((self.now + self.delay, segment));
        }
    }

    fn run_until(&mut self, end: Time) {
        self.send();
        loop {
            let first = |queue: &VecDeque<(Time, Segment)>| queue.front().map_or(Time::NEVER, |(at, _)| *at);
            let due = [
                first(&self.to_server),
                first(&self.to_client),
                self.client.deadline(Timer::Retransmit),
                self.server.deadline(Timer::Retransmit),
                self.server.deadline(Timer::DelayedAck),
                self.client.deadline(Timer::DelayedAck),
            ];
            let (what, &at) = due.iter().enumerate().min_by_key(|(_, at)| **at).expect("six");
            if at > end {
                break;
            }
            self.now = at;
            match what {
                0 => {
                    let (_, segment) = self.to_server.pop_front().expect("due");
                    let received = self.server.handle(at, &segment);
                    self.server.read(at, received.delivered);
                    self.delivered += received.delivered;
                }
                1 => {
                    let (_, segment) = self.to_client.pop_front().expect("due");
                    self.client.handle(at, &segment);
                }
                2 => self.client.expired(at, Timer::Retransmit),
                3 => self.server.expired(at, Timer::Retransmit),
                4 => self.server.expired(at, Timer::DelayedAck),
                _ => self.client.expired(at, Timer::DelayedAck),
            }
            self.send();
        }
        self.now = end;
    }

    fn run_ms(&mut self, ms: u64) -> Report {
        self.run_until(Time::ZERO + Span::from_ms(ms));
        self.client.report()
    }
}

fn settings(congestion: CongestionControl, hystart: bool) -> Settings {
    Settings {
        congestion,
        hystart,
        // Buffers do not limit it.
        send_buffer: 40_000_000,
        receive_buffer: 40_000_000,
        ..Settings::default()
    }
}

/// Bytes of payload that the link takes in a second: 1,460 of 1,518 B on the wire.
const PAYLOAD_PER_SECOND: f64 = 125e6 * 1_460.0 / 1_518.0;

#[test]
fn the_link_is_used_whole_after_the_start() {
    for congestion in [CongestionControl::Cubic, CongestionControl::NewReno] {
        // A queue of as much as fills the link: even half of the window keeps it busy.
        let mut transfer = Transfer::new(&settings(congestion, true), 2_500_000);
        transfer.run_ms(1_000);
        let before = transfer.delivered;
        let report = transfer.run_ms(3_000);
        let share = (transfer.delivered - before) as f64 / (2.0 * PAYLOAD_PER_SECOND);
        assert!((0.99..=1.001).contains(&share), "{congestion:?}: {share}");
        assert_eq!(
            report.timeouts, 0,
            "all that the start lost was repaired without the timer"
        );
        assert!(
            report.fast_retransmits > 0 && transfer.dropped > 0,
            "there was a loss"
        );
    }
}

#[test]
fn hystart_ends_slow_start_before_the_queue_is_full() {
    for congestion in [CongestionControl::Cubic, CongestionControl::NewReno] {
        let run = |hystart| {
            let mut transfer = Transfer::new(&settings(congestion, hystart), 20_000_000);
            let report = transfer.run_ms(2_000);
            (transfer.dropped, report.slow_start_threshold)
        };
        let (dropped, threshold) = run(true);
        assert_eq!(dropped, 0, "{congestion:?}");
        // It is found when 4 ms are queued, 0.5 MB above the 2.5 MB that fill the link, and up to a doubling later. Five rounds
        // of a quarter each make that 3.05 times as much.
        assert!(
            (3_000_000..18_300_000).contains(&threshold),
            "{congestion:?}: {threshold}"
        );
        let (dropped, _) = run(false);
        assert!(dropped > 1_000, "{congestion:?}: {dropped}");
    }
}

#[test]
fn at_round_trips_of_a_datacenter_slow_start_ends_with_a_loss_with_hystart_or_without() {
    // A queue of 200 kB is 1.6 ms of delay, below the least threshold of 4 ms.
    let run = |hystart| {
        let mut transfer = Transfer::new(&settings(CongestionControl::Cubic, hystart), 200_000);
        transfer.delay = Span::from_us(10);
        let mut ms = 0;
        while transfer.dropped == 0 {
            ms += 1;
            let report = transfer.run_ms(ms);
            assert!(transfer.dropped > 0 || report.slow_start_threshold == u64::MAX);
        }
        // The queue's 1.6 ms later the loss is known.
        transfer.run_ms(ms + 5).fast_retransmits
    };
    assert!(
        run(true) > 0 && run(false) > 0,
        "slow start ends with a loss either way"
    );
}

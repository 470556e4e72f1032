use super::*;
use crate::segment::{Flags, Options, Segment};
use crate::{Connection, Timer};

mod loss;
mod window;

const MSS: u64 = 1_460;

/// A client with an established connection, and its peer, which is the test. Sequence numbers of data begin at 1 at both ends.
struct Script {
    connection: Connection,
    now: Time,
}

impl Script {
    /// The handshake takes `round_trip`.
    fn new(settings: Settings, round_trip: Span) -> Script {
        let mut connection = Connection::client(&settings, 0);
        connection.open(Time::ZERO);
        connection.transmit(Time::ZERO).expect("the SYN");
        let now = Time::ZERO + round_trip;
        let syn_ack = Segment {
            sequence: 0,
            acknowledgement: 1,
            window: 65_535,
            flags: Flags::SYN | Flags::ACK,
            payload: 0,
            options: Options::Syn {
                mss: MSS as u16,
                sack_permitted: true,
                window_scale: Some(6),
            },
        };
        assert!(connection.handle(now, &syn_ack).established);
        connection.transmit(now).expect("the ACK");
        let mut script = Script { connection, now };
        // A window of 4,000,000 B.
        script.ack(0, &[]);
        script
    }

    /// With a round trip of 10 ms, so that the timeout is 10 + 4 x 5 = 30 ms.
    fn usual() -> Script {
        Script::new(Settings::default(), Span::from_ms(10))
    }

    fn wait(&mut self, span: Span) {
        self.now += span;
    }

    /// The application writes, and what may go is sent: the offsets and lengths.
    fn write(&mut self, bytes: u64) -> Vec<(u64, u64)> {
        assert_eq!(self.connection.write(bytes), bytes);
        self.sent()
    }

    /// What is sent now, by offset and length.
    fn sent(&mut self) -> Vec<(u64, u64)> {
        let mut sent = Vec::new();
        while let Some(segment) = self.connection.transmit(self.now) {
            self.connection.check();
            sent.push((segment.sequence as u64 - 1, segment.payload as u64));
        }
        sent
    }

    /// An acknowledgement with a window of 4,000,000 B; then what is sent.
    fn ack(&mut self, offset: u64, blocks: &[(u64, u64)]) -> Vec<(u64, u64)> {
        self.ack_window(offset, blocks, 62_500)
    }

    fn ack_window(&mut self, offset: u64, blocks: &[(u64, u64)], window: u16) -> Vec<(u64, u64)> {
        let mut sack = [SackBlock::default(); 4];
        for (place, &(start, end)) in sack.iter_mut().zip(blocks) {
            *place = SackBlock {
                start: start as u32 + 1,
                end: end as u32 + 1,
            };
        }
        let segment = Segment {
            sequence: 1,
            acknowledgement: offset as u32 + 1,
            window,
            flags: Flags::ACK,
            payload: 0,
            options: if blocks.is_empty() {
                Options::None
            } else {
                Options::Sack {
                    blocks: sack,
                    count: blocks.len() as u8,
                }
            },
        };
        self.connection.handle(self.now, &segment);
        self.connection.check();
        self.sent()
    }

    /// Waits for the retransmission timer; then what is sent.
    fn time_out(&mut self) -> Vec<(u64, u64)> {
        self.now = self.deadline();
        self.connection.expired(self.now, Timer::Retransmit);
        self.sent()
    }

    fn deadline(&self) -> Time {
        self.connection.deadline(Timer::Retransmit)
    }

    fn report(&self) -> crate::Report {
        self.connection.report()
    }
}

/// Full segments by number: what `sent` gives for them.
fn full(numbers: impl IntoIterator<Item = u64>) -> Vec<(u64, u64)> {
    numbers.into_iter().map(|number| (number * MSS, MSS)).collect()
}

/// SACK block of full segments.
fn block(first: u64, end: u64) -> (u64, u64) {
    (first * MSS, end * MSS)
}

#[test]
fn full_segments_and_then_what_there_is() {
    let mut script = Script::usual();
    assert_eq!(script.write(3_000), [(0, 1_460), (1_460, 1_460), (2_920, 80)]);
    assert_eq!(script.write(1), [(3_000, 1)], "Nagle's algorithm is off");
}

#[test]
fn the_initial_window_is_ten_segments_and_slow_start_doubles_it() {
    let mut script = Script::usual();
    assert_eq!(script.write(100 * MSS), full(0..10));
    script.wait(Span::from_ms(10));
    // RFC 5681, section 3.1: each acknowledgement of two segments lets two more go for those, and two for the growth.
    assert_eq!(script.ack(2 * MSS, &[]), full(10..14));
    assert_eq!(script.ack(4 * MSS, &[]), full(14..18));
    assert_eq!(script.ack(10 * MSS, &[]), full(18..30));
    assert_eq!(script.report().congestion_window, 20 * MSS);
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut script = Script::usual();
    for number in 0..20 {
        assert_eq!(script.write(MSS), full([number]));
        script.wait(Span::from_ms(10));
        script.ack((number + 1) * MSS, &[]);
    }
    assert_eq!(script.report().congestion_window, 10 * MSS);
}

#[test]
fn after_a_silence_of_more_than_the_timeout_the_window_is_that_of_a_start() {
    // The last segment was sent 10 ms before, and the timeout is 21.25 ms: 10 + 4 x 5 x (3/4)^2.
    for (silence, window) in [(11, 20), (12, 10)] {
        let mut script = Script::usual();
        script.write(10 * MSS);
        script.wait(Span::from_ms(10));
        // Two acknowledgements: slow start takes at most eight segments of one (RFC 9406, section 4.2).
        script.ack(5 * MSS, &[]);
        script.ack(10 * MSS, &[]);
        assert_eq!(script.report().congestion_window, 20 * MSS);
        script.wait(Span::from_ms(silence));
        // RFC 5681, section 4.1.
        assert_eq!(script.write(100 * MSS).len(), window, "after {silence} ms");
    }
}

#[test]
fn an_acknowledgement_of_what_was_not_sent_is_answered_and_dropped() {
    let mut script = Script::usual();
    script.write(MSS);
    // RFC 9293, section 3.10.7.4.
    assert_eq!(script.ack(MSS + 1, &[]), [(MSS, 0)]);
    assert_eq!(script.report().in_flight, MSS);
    assert_eq!(
        script.ack(0, &[(5 * MSS, 6 * MSS)]),
        [],
        "a block beyond it says nothing"
    );
    assert_eq!(script.report().in_flight, MSS);
}

#[test]
fn duplicates_are_counted_and_counters_tell() {
    let mut script = Script::usual();
    script.write(4 * MSS);
    script.ack(0, &[]);
    script.ack(0, &[block(1, 2)]);
    script.ack(0, &[block(1, 2)]);
    let report = script.report();
    assert_eq!(
        (report.duplicates, report.acks_with_sack),
        (2, 2),
        "one of the three brings no news"
    );
    // SYN, ACK, and four with data.
    assert_eq!((report.segments_sent, report.sent_bytes), (6, 4 * MSS));
    assert_eq!(report.receive_window, 4_000_000);
    assert_eq!(report.entered.times(CongestionState::Open), 1);
    assert_eq!(report.entered.times(CongestionState::Disorder), 1);
}

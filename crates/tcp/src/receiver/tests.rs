use super::*;

fn at(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// A receiver of 1,000 B segments whose peer's first byte has the number 1, and which has told its window.
fn receiver(buffer: u64) -> Receiver {
    let settings = Settings {
        mss: 1_000,
        receive_buffer: buffer,
        ..Settings::default()
    };
    let mut receiver = Receiver::new(&settings);
    receiver.begin(0, settings.window_scale(), true, 1_000);
    receiver.acknowledge();
    receiver
}

/// SACK blocks by offset.
fn blocks(receiver: &Receiver) -> Vec<(u32, u32)> {
    let blocks = receiver.options();
    blocks
        .sack()
        .iter()
        .map(|block| (block.start - 1, block.end - 1))
        .collect()
}

#[test]
fn every_second_segment_is_acknowledged_and_one_alone_after_4_ms() {
    let mut receiver = receiver(4_000_000);
    assert_eq!(receiver.take(at(0), 0, 1_000), 1_000);
    receiver.read(1_000);
    assert!(!receiver.owes());
    assert_eq!(receiver.deadline(), at(4_000));
    receiver.expired(at(3_999));
    assert!(!receiver.owes(), "too early");
    receiver.take(at(100), 1_000, 10);
    assert!(receiver.owes(), "the second, though it is not full");
    receiver.acknowledge();
    assert!(!receiver.owes());
    assert_eq!(
        (receiver.deadline(), receiver.acknowledgement()),
        (Time::NEVER, 1_011)
    );
    receiver.take(at(200), 1_010, 10);
    receiver.expired(at(4_200));
    assert!(receiver.owes());
}

#[test]
fn data_beyond_a_gap_and_for_a_gap_is_acknowledged_at_once() {
    let mut receiver = receiver(4_000_000);
    assert_eq!(receiver.take(at(0), 1_000, 1_000), 0);
    assert!(receiver.owes());
    receiver.acknowledge();
    assert_eq!(receiver.take(at(1), 0, 500), 500, "a part of the gap");
    assert!(receiver.owes());
    receiver.acknowledge();
    assert_eq!(
        receiver.take(at(2), 500, 500),
        1_500,
        "the rest, with what was there"
    );
    assert!(receiver.owes());
    assert_eq!((receiver.acknowledgement(), blocks(&receiver)), (2_001, vec![]));
}

#[test]
fn the_latest_run_is_reported_first() {
    // The second example of RFC 2018, section 7, with segments of 500 B: each second one is lost.
    let mut receiver = receiver(4_000_000);
    for (start, expected) in [
        (500, vec![(500, 1_000)]),
        (1_500, vec![(1_500, 2_000), (500, 1_000)]),
        (2_500, vec![(2_500, 3_000), (1_500, 2_000), (500, 1_000)]),
        (
            3_500,
            vec![(3_500, 4_000), (2_500, 3_000), (1_500, 2_000), (500, 1_000)],
        ),
        // Four fit: the one reported longest ago is left out.
        (
            4_500,
            vec![(4_500, 5_000), (3_500, 4_000), (2_500, 3_000), (1_500, 2_000)],
        ),
        // It joins two, which is a run of its own; the place is filled by one that had been left out.
        (
            3_000,
            vec![(2_500, 4_000), (4_500, 5_000), (1_500, 2_000), (500, 1_000)],
        ),
    ] {
        receiver.take(at(0), start, 500);
        assert_eq!(blocks(&receiver), expected, "{start}");
    }
    assert_eq!(receiver.take(at(0), 0, 500), 1_000);
    assert_eq!(
        blocks(&receiver),
        [(2_500, 4_000), (4_500, 5_000), (1_500, 2_000)]
    );
}

#[test]
fn what_was_there_is_not_taken_twice() {
    let mut receiver = receiver(4_000_000);
    receiver.take(at(0), 0, 1_000);
    receiver.take(at(0), 2_000, 1_000);
    assert_eq!(receiver.take(at(0), 500, 3_000), 2_500, "up to 3,500 in all");
    assert_eq!(receiver.readable(), 3_500);
    assert!(!receiver.acceptable(2_500, 1_000), "old");
    assert!(!receiver.acceptable(3_400, 0), "old, without data");
    assert!(receiver.acceptable(2_500, 1_001), "partly new");
}

#[test]
fn the_window_ends_where_the_buffer_does() {
    let mut receiver = receiver(3_000);
    assert_eq!(receiver.take(at(0), 2_000, 1_500), 0);
    assert_eq!(blocks(&receiver), [(2_000, 3_000)], "the last 500 B are cut off");
    assert_eq!(receiver.take(at(0), 0, 2_000), 3_000);
    assert_eq!(receiver.acknowledge(), 0);
    assert!(
        receiver.acceptable(3_000, 1) && receiver.acceptable(3_000, 0),
        "a probe's acknowledgement is good"
    );
    assert_eq!(receiver.take(at(0), 3_000, 1), 0, "and its byte is not taken");
    assert!(receiver.owes(), "it is answered");
    assert!(!receiver.acceptable(3_001, 1));
}

#[test]
fn a_window_update_waits_for_two_segments_or_half_the_buffer() {
    // 10,000 B: two segments are less than half.
    let mut large = receiver(10_000);
    large.take(at(0), 0, 10_000);
    assert_eq!(large.acknowledge(), 0);
    large.read(1_999);
    assert!(!large.owes());
    large.read(1);
    assert!(large.owes());
    assert_eq!(large.acknowledge(), 2_000);
    // 3,000 B: half is less than two segments.
    let mut small = receiver(3_000);
    small.take(at(0), 0, 3_000);
    small.acknowledge();
    small.read(1_499);
    assert!(!small.owes());
    small.read(1);
    assert!(small.owes());
}

#[test]
fn the_edge_does_not_move_by_little_steps() {
    // RFC 9293, section 3.8.6.2.2: not by less than a segment or half the buffer.
    let mut receiver = receiver(10_000);
    receiver.take(at(0), 0, 10_000);
    receiver.acknowledge();
    receiver.read(999);
    assert_eq!(receiver.acknowledge(), 0);
    receiver.read(1);
    assert_eq!(receiver.acknowledge(), 1_000);
}

#[test]
fn the_window_is_scaled_and_rounding_takes_nothing_back() {
    let mut receiver = receiver(4_000_000);
    assert_eq!(receiver.scale, 6);
    receiver.take(at(0), 0, 1_000);
    // 3,999,000 / 64 = 62,484.4: offered up to 1,000 + 62,484 x 64 = 3,999,976.
    assert_eq!(receiver.acknowledge(), 62_484);
    assert!(receiver.acceptable(3_999_999, 1), "was offered before");
    assert_eq!(receiver.window(), 3_999_000);
    receiver.read(1_000);
    assert_eq!(receiver.acknowledge(), 62_500);
}

use super::*;

#[test]
fn no_more_than_the_peer_takes() {
    let mut script = Script::usual();
    // 46 x 64 = 2,944.
    script.ack_window(0, &[], 46);
    assert_eq!(
        script.write(10_000),
        [(0, 1_460), (1_460, 1_460)],
        "24 B would be silly"
    );
    assert_eq!(script.ack_window(1_460, &[], 46), [(2_920, 1_460)]);
}

#[test]
fn a_shut_window_is_probed_with_a_byte_less_and_less_often() {
    let mut script = Script::usual();
    script.ack_window(0, &[], 0);
    assert_eq!(script.write(5_000), []);
    // RFC 9293, section 3.8.6.1: the first after a timeout of 30 ms, then doubled.
    let mut gaps = Vec::new();
    for _ in 0..5 {
        let before = script.now;
        assert_eq!(script.time_out(), [(0, 1)]);
        gaps.push(script.now.since(before).ps() / 1_000_000_000);
        script.wait(Span::from_ms(1));
        assert_eq!(script.ack_window(0, &[], 0), [], "no room for it");
    }
    assert_eq!(gaps[0], 30);
    // The answer comes 1 ms after each probe.
    assert_eq!(gaps[1..], [29, 59, 119, 239]);
    let report = script.report();
    assert_eq!(
        (report.timeouts, report.congestion_state),
        (0, CongestionState::Open),
        "no loss"
    );
    assert_eq!(report.congestion_window, 10 * MSS);
    // It opens: the probe's byte goes again at once, and the rest.
    script.wait(Span::from_ms(1));
    let sent = script.ack(0, &[]);
    assert_eq!(
        sent,
        [(0, 1), (1, 1_460), (1_461, 1_460), (2_921, 1_460), (4_381, 619)]
    );
    assert_eq!(script.ack(5_000, &[]), []);
    assert_eq!(script.deadline(), Time::NEVER);
}

#[test]
fn a_probe_that_is_taken() {
    let mut script = Script::usual();
    script.ack_window(0, &[], 0);
    script.write(3_000);
    assert_eq!(script.time_out(), [(0, 1)]);
    assert_eq!(script.ack(1, &[]), [(1, 1_460), (1_461, 1_460), (2_921, 79)]);
}

#[test]
fn a_window_update_ends_the_waiting() {
    let mut script = Script::usual();
    script.ack_window(0, &[], 0);
    assert_ne!(script.deadline(), Time::NEVER, "it waits for a probe");
    assert_eq!(script.ack(0, &[]), []);
    assert_eq!(script.deadline(), Time::NEVER);
    assert_eq!(script.write(100), [(0, 100)]);
}

#[test]
fn a_probe_is_ready_when_data_comes_late() {
    let mut script = Script::usual();
    script.ack_window(0, &[], 0);
    assert_eq!(script.time_out(), [], "nothing to probe with");
    assert_eq!(script.deadline(), Time::NEVER, "and no need to wait any more");
    script.wait(Span::from_ms(500));
    assert_eq!(script.write(100), [(0, 1)]);
}

#[test]
fn a_silly_window_is_used_after_a_timeout() {
    // RFC 9293, section 3.8.6.2.1: the override. 10 x 64 = 640 B are less than a segment and than half of 4,000,000.
    let mut script = Script::usual();
    script.ack_window(0, &[], 10);
    assert_eq!(script.write(5_000), []);
    assert_eq!(script.time_out(), [(0, 640)]);
    // No answer: that is a loss, as the peer had room.
    assert_eq!(script.time_out(), [(0, 640)]);
    assert_eq!(script.report().timeouts, 1);
}

#[test]
fn data_that_fits_a_silly_window_gets_its_full_time() {
    let mut script = Script::usual();
    script.ack_window(0, &[], 10);
    script.wait(Span::from_ms(29));
    assert_eq!(script.write(500), [(0, 500)]);
    assert_eq!(
        script.deadline(),
        script.now + Span::from_ms(30),
        "not what the shut window's timer had left"
    );
}

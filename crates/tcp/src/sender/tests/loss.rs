use super::*;

/// Twenty segments in flight, 10 to 29, all sent 10 ms ago.
fn twenty() -> Script {
    let mut script = Script::usual();
    script.write(10 * MSS);
    script.wait(Span::from_ms(10));
    // Slow start takes at most eight segments of an acknowledgement (RFC 9406, section 4.2).
    script.ack(5 * MSS, &[]);
    script.ack(10 * MSS, &[]);
    assert_eq!(script.write(20 * MSS), full(10..30));
    script.wait(Span::from_ms(10));
    script
}

#[test]
fn two_segments_out_of_order_repeat_nothing_and_let_two_more_go() {
    let mut script = twenty();
    script.write(10 * MSS);
    // RFC 3042, by way of the pipe (RFC 6675, section 5, step 3).
    assert_eq!(script.ack(10 * MSS, &[block(11, 12)]), full([30]));
    assert_eq!(script.report().congestion_state, CongestionState::Disorder);
    assert_eq!(script.ack(10 * MSS, &[block(11, 13)]), full([31]));
    // The late one comes: all is well, and the window is as it was or larger.
    script.ack(13 * MSS, &[]);
    let report = script.report();
    assert_eq!(
        (report.congestion_state, report.fast_retransmits),
        (CongestionState::Open, 0)
    );
    assert!(report.congestion_window >= 20 * MSS);
    assert_eq!(report.sent_bytes, script.connection.sender.nxt(), "nothing again");
}

#[test]
fn the_third_one_repeats_the_first() {
    let mut script = twenty();
    assert_eq!(script.ack(10 * MSS, &[block(11, 12)]), []);
    assert_eq!(script.ack(10 * MSS, &[block(11, 13)]), []);
    assert_eq!(script.ack(10 * MSS, &[block(11, 14)]), full([10]));
    let report = script.report();
    assert_eq!(
        (report.congestion_state, report.fast_retransmits),
        (CongestionState::Recovery, 1)
    );
    // CUBIC: 0.7 of the 20 segments in flight.
    assert_eq!(
        (report.slow_start_threshold, report.congestion_window),
        (14 * MSS, 14 * MSS)
    );
    // In flight: 20 - 3 reported - 1 lost + 1 sent again.
    assert_eq!(report.in_flight, 17 * MSS);
    // It arrives with all the others: the end.
    script.wait(Span::from_ms(10));
    script.ack(30 * MSS, &[]);
    let report = script.report();
    assert_eq!(
        (report.congestion_state, report.congestion_window),
        (CongestionState::Open, 14 * MSS)
    );
    assert_eq!(report.in_flight, 0);
}

#[test]
fn small_segments_are_repeated_after_three_duplicates() {
    // 100 B each: three of them are fewer bytes than two full segments (RFC 6675, section 5, step 2).
    let mut script = Script::usual();
    for number in 0..6 {
        assert_eq!(script.write(100), [(number * 100, 100)]);
    }
    script.wait(Span::from_ms(10));
    assert_eq!(script.ack(0, &[(100, 200)]), []);
    assert_eq!(script.ack(0, &[(100, 300)]), []);
    assert_eq!(script.ack(0, &[(100, 400)]), [(0, 100)]);
    // There is nothing new, so the last one goes as well, in case it is lost too (NextSeg rule 4).
    assert_eq!(script.ack(400, &[]), [(500, 100)]);
}

#[test]
fn what_is_lost_goes_before_what_is_new() {
    let mut script = twenty();
    script.write(10 * MSS);
    // Segments 10 and 12 are lost.
    script.ack(10 * MSS, &[block(11, 12)]);
    script.ack(10 * MSS, &[block(13, 14), block(11, 12)]);
    let sent = script.ack(10 * MSS, &[block(13, 15), block(11, 12)]);
    assert_eq!(
        sent,
        full([10]),
        "the fast retransmit; 12 has two segments above it"
    );
    let mut sent = Vec::new();
    for end in 16..24 {
        sent.extend(script.ack(10 * MSS, &[block(13, end), block(11, 12)]));
    }
    assert_eq!(sent[0], (12 * MSS, MSS), "then 12");
    assert!(
        sent.len() > 3 && sent[1..].iter().all(|&(start, _)| start >= 32 * MSS),
        "{sent:?}"
    );
}

#[test]
fn the_window_comes_down_while_acknowledgements_come_in() {
    // RFC 6937: 20 in flight, 14 after; of 19 that arrive about 0.7 each are sent.
    let mut script = twenty();
    script.write(100 * MSS);
    let mut sent = Vec::new();
    for end in 12..=30 {
        sent.extend(script.ack(10 * MSS, &[block(11, end)]));
    }
    let report = script.report();
    assert_eq!(report.congestion_state, CongestionState::Recovery);
    assert!(
        report.in_flight <= 14 * MSS && report.in_flight > 12 * MSS,
        "{report:?}"
    );
    // Two by limited transmit, before the loss was found; then what PRR lets go.
    assert_eq!(sent[..3], full([30, 31, 10]));
    assert_eq!(
        sent.iter().filter(|&&(start, _)| start < 30 * MSS).count(),
        1,
        "nothing else again"
    );
    assert_eq!(
        report.slow_start_threshold,
        14 * MSS,
        "limited transmit's two do not count"
    );
}

#[test]
fn a_tail_that_nothing_is_known_of_is_rescued_once() {
    // RFC 6675, NextSeg rule 4: segments 10 and 29 are lost, and there is nothing new.
    let mut script = twenty();
    let mut sent = Vec::new();
    for end in 12..=29 {
        sent.extend(script.ack(10 * MSS, &[block(11, end)]));
    }
    assert_eq!(sent, full([10]), "29 may be on its way (section 5, step 4.3)");
    script.wait(Span::from_ms(10));
    assert_eq!(script.ack(29 * MSS, &[]), full([29]));
    assert_eq!(script.ack(30 * MSS, &[]), []);
    assert_eq!(script.report().congestion_state, CongestionState::Open);
}

#[test]
fn what_may_be_lost_goes_when_there_is_nothing_new() {
    // NextSeg rule 3: 10 is lost; 13 and 15 are not yet, with two segments and two runs above.
    let mut script = twenty();
    script.ack(10 * MSS, &[block(11, 12)]);
    script.ack(10 * MSS, &[block(11, 13)]);
    let sent = script.ack(10 * MSS, &[block(14, 15), block(11, 13)]);
    assert_eq!(sent, full([10]));
    // Two have arrived since the loss was found: 2 x 14 / 20 - 1 sent are less than one.
    let sent = script.ack(10 * MSS, &[block(16, 17), block(14, 15), block(11, 13)]);
    assert_eq!(sent, []);
    // Now three: 3 x 14 / 20 - 1 = 1.1.
    assert_eq!(script.ack(13 * MSS, &[block(16, 17), block(14, 15)]), full([13]));
}

#[test]
fn a_timeout_repeats_all_from_the_first_in_slow_start() {
    let mut script = twenty();
    script.ack(10 * MSS, &[block(12, 14)]);
    assert_eq!(script.report().in_flight, 18 * MSS);
    let timeout = script.report().retransmission_timeout;
    assert_eq!(script.time_out(), full([10]));
    let report = script.report();
    assert_eq!(
        (report.congestion_state, report.timeouts),
        (CongestionState::Loss, 1)
    );
    assert_eq!((report.congestion_window, report.in_flight), (MSS, MSS));
    assert_eq!(report.retransmission_timeout, timeout * 2, "RFC 6298, rule 5.5");
    assert_eq!(script.deadline(), script.now + timeout * 2, "5.6");
    script.wait(Span::from_ms(10));
    // Slow start: one more for each acknowledged. What was reported is forgotten until it is reported again.
    assert_eq!(script.ack(11 * MSS, &[block(12, 14)]), full([11, 14]));
    assert_eq!(
        script.ack(14 * MSS, &[]),
        full([15, 16]),
        "14 is under way; a window of three or four"
    );
    script.ack(30 * MSS, &[]);
    assert_eq!(script.report().congestion_state, CongestionState::Open);
}

#[test]
fn a_repetition_that_is_lost_waits_for_the_timer() {
    let mut script = twenty();
    for end in [12, 13, 14] {
        script.ack(10 * MSS, &[block(11, end)]);
    }
    let sent: Vec<_> = (15..=30)
        .flat_map(|end| script.ack(10 * MSS, &[block(11, end)]))
        .collect();
    assert_eq!(sent, [], "10 is under way again");
    assert_eq!(script.time_out(), full([10]));
    let report = script.report();
    assert_eq!(
        (report.congestion_state, report.timeouts),
        (CongestionState::Loss, 1)
    );
    // RFC 6675, section 5.1: no recovery before what was sent by now is acknowledged.
    for end in [12, 13, 14, 15] {
        script.ack(10 * MSS, &[block(11, end)]);
    }
    assert_eq!(script.report().fast_retransmits, 1);
}

#[test]
fn the_timer_starts_with_data_moves_with_acknowledgements_and_stops_when_all_are_there() {
    // RFC 6298, rules 5.1 to 5.3. The handshake's 10 ms make it 30 ms.
    let mut script = Script::usual();
    assert_eq!(script.deadline(), Time::NEVER);
    script.write(2 * MSS);
    let first = script.now;
    assert_eq!(script.deadline(), first + Span::from_ms(30));
    script.wait(Span::from_ms(5));
    script.write(MSS);
    assert_eq!(script.deadline(), first + Span::from_ms(30), "it runs");
    script.wait(Span::from_ms(5));
    script.ack(MSS, &[]);
    // RTTVAR = 3/4 x 5 = 3.75 ms; RTO = 10 + 15 = 25 ms.
    assert_eq!(script.deadline(), script.now + Span::from_ms(25));
    script.ack(3 * MSS, &[]);
    assert_eq!(script.deadline(), Time::NEVER);
}

#[test]
fn timeouts_double_and_only_a_fresh_segment_ends_that() {
    let mut script = Script::usual();
    script.write(MSS);
    let mut gaps = Vec::new();
    for _ in 0..4 {
        let before = script.now;
        assert_eq!(script.time_out(), full([0]));
        gaps.push(script.now.since(before).ps() / 1_000_000_000);
    }
    assert_eq!(gaps, [30, 60, 120, 240]);
    let threshold = script.report().slow_start_threshold;
    assert_eq!(
        threshold,
        2 * MSS,
        "set by the first timeout; at least two segments"
    );
    script.wait(Span::from_ms(10));
    script.ack(MSS, &[]);
    // Karn's rule: no sample, so the doublings stay.
    assert_eq!(script.report().retransmission_timeout, Span::from_ms(480));
    script.write(MSS);
    script.wait(Span::from_ms(10));
    script.ack(2 * MSS, &[]);
    assert_eq!(
        script.report().retransmission_timeout,
        Span::from_ms(25),
        "as if nothing had been: 10 + 4 x 3.75"
    );
}

#[test]
fn an_acknowledgement_of_several_gives_one_sample_of_the_oldest() {
    let mut script = Script::usual();
    script.write(MSS);
    script.wait(Span::from_ms(4));
    script.write(MSS);
    script.wait(Span::from_ms(6));
    script.ack(2 * MSS, &[]);
    // 10 ms for the first, 6 for the second: SRTT stays 10.
    assert_eq!(script.report().smoothed_round_trip, Some(Span::from_ms(10)));
}

use super::*;
use proptest::prelude::*;

const MSS: u64 = 100;

/// Ten segments of 100 B, sent one microsecond apart.
fn board() -> Scoreboard {
    let mut board = Scoreboard::default();
    for index in 0..10 {
        board.push(at(index), MSS);
    }
    board
}

fn at(us: u64) -> Time {
    Time::from_ps(us * 1_000_000)
}

fn report(board: &mut Scoreboard, start: u64, end: u64) -> Reported {
    let mut reported = Reported::default();
    board.report(Run { start, end }, &mut reported);
    board.check();
    reported
}

#[test]
fn an_acknowledgement_takes_segments_out_and_gives_a_sample() {
    let mut board = board();
    let retired = board.retire(300);
    assert_eq!((retired.bytes, retired.delivered), (300, 300));
    assert_eq!(retired.sent, Some((at(0), at(2))));
    assert_eq!((board.una(), board.pipe(), board.flight()), (300, 700, 700));
    let part = board.retire(350);
    assert_eq!((part.bytes, board.pipe()), (50, 650));
    board.check();
}

#[test]
fn what_is_reported_leaves_the_pipe_once() {
    let mut board = board();
    let reported = report(&mut board, 200, 400);
    assert_eq!((reported.bytes, reported.sent), (200, Some(at(3))));
    assert_eq!(report(&mut board, 200, 400).bytes, 0, "known");
    assert_eq!(report(&mut board, 100, 500).bytes, 200, "what is new of it");
    assert_eq!(board.pipe(), 600);
    let retired = board.retire(500);
    assert_eq!((retired.bytes, retired.delivered), (500, 100));
    board.check();
}

#[test]
fn a_segment_reported_in_part_is_not_reported() {
    let mut board = board();
    assert_eq!(report(&mut board, 250, 400).bytes, 100);
    assert_eq!(report(&mut board, 200, 250).bytes, 100, "now it is");
    assert_eq!(report(&mut board, 900, 1_001).bytes, 0, "beyond what was sent");
}

#[test]
fn lost_is_what_has_three_runs_or_more_than_two_segments_above() {
    // RFC 6675, section 4, IsLost.
    let mut runs = board();
    for start in [200, 400] {
        report(&mut runs, start, start + 50);
    }
    assert_eq!(runs.lost_below(MSS), 0, "two runs of 50 B");
    report(&mut runs, 600, 650);
    assert_eq!(runs.lost_below(MSS), 200, "three");
    let mut bytes = board();
    report(&mut bytes, 500, 700);
    assert_eq!(bytes.lost_below(MSS), 0, "200 B are two segments");
    report(&mut bytes, 700, 701);
    assert_eq!(bytes.lost_below(MSS), 500, "201 B");
    report(&mut bytes, 800, 900);
    report(&mut bytes, 900, 1_000);
    // The run from 800 has 200 B, with that from 500 it is 401: below 500 all the same.
    assert_eq!(bytes.lost_below(MSS), 500);
}

#[test]
fn the_pipe_counts_what_is_not_lost_and_what_was_sent_again() {
    let mut board = board();
    report(&mut board, 300, 600);
    board.mark_lost(300);
    board.check();
    assert_eq!(board.pipe(), 400, "four segments above");
    assert_eq!(board.repeat_next(at(20)), Run { start: 0, end: 100 });
    assert_eq!(board.pipe(), 500);
    assert_eq!(board.repeat_next(at(21)), Run { start: 100, end: 200 });
    assert_eq!(board.repeat_next(at(22)), Run { start: 200, end: 300 });
    assert!(!board.has_lost() && !board.has_gap());
    assert_eq!(
        board.next_run(),
        Some(Run { start: 600, end: 700 }),
        "those reported are left out"
    );
    let retired = board.retire(600);
    assert_eq!((retired.delivered, retired.sent), (300, None), "Karn's rule");
    assert_eq!(board.pipe(), 400);
    board.check();
}

#[test]
fn what_was_sent_again_stays_in_flight_when_an_episode_ends() {
    let mut board = board();
    report(&mut board, 400, 700);
    board.mark_lost(400);
    board.repeat_next(at(20));
    board.repeat_next(at(21));
    assert_eq!(board.pipe(), 500, "two again, three above");
    board.retire(100);
    board.end_episode();
    board.check();
    // The second segment counts once, as sent again, the third and fourth as they did before they were lost.
    assert_eq!((board.pipe(), board.has_lost()), (100 + 200 + 300, false));
    assert!(board.first_repeated());
    board.mark_lost(400);
    board.check();
    assert_eq!(board.pipe(), 400);
    assert_eq!(board.repeat_next(at(22)), Run { start: 200, end: 300 });
    board.begin_anew();
    board.check();
    assert_eq!((board.pipe(), board.first_repeated()), (600, false));
}

#[test]
fn what_may_be_lost_counts_twice_when_it_is_sent_again() {
    // NextSeg rule 3 and SetPipe: neither lost nor reported, and below HighRxt.
    let mut board = board();
    report(&mut board, 100, 200);
    assert!(board.has_gap());
    board.repeat_next(at(20));
    assert_eq!(board.pipe(), 900 + 100);
    board.mark_lost(100);
    assert_eq!(board.pipe(), 900, "the first transmission is lost");
    board.check();
}

#[test]
fn the_rescue_leaves_the_pipe_alone() {
    let mut board = board();
    assert!(board.has_tail());
    assert_eq!(
        board.repeat_last(at(20)),
        Run {
            start: 900,
            end: 1_000
        }
    );
    assert_eq!(board.pipe(), 1_000);
    board.check();
    report(&mut board, 900, 1_000);
    assert!(!board.has_tail());
}

#[test]
fn a_timeout_loses_all_and_forgets_what_was_reported() {
    let mut board = board();
    report(&mut board, 200, 400);
    board.lose_all();
    board.check();
    assert_eq!((board.pipe(), board.in_order()), (0, true));
    for start in [0, 100, 200] {
        assert_eq!(
            board.repeat_next(at(30)).start,
            start,
            "also what had been reported"
        );
    }
    report(&mut board, 400, 500);
    board.repeat_next(at(31));
    assert_eq!(
        board.next_run().map(|run| run.start),
        Some(500),
        "what is reported since is left out"
    );
    board.check();
}

proptest! {
    /// Whatever comes, the counts are those of a recount, and each byte leaves once.
    #[test]
    fn counts_hold(steps in prop::collection::vec((0u8..9, 0u64..2_000, 1u64..400), 1..120)) {
        let mut board = Scoreboard::default();
        let (mut left, mut now) = (0, 0);
        for (step, place, length) in steps {
            now += 1;
            match step {
                0..3 => {
                    board.push(at(now), length);
                }
                3 if !board.is_empty() => {
                    let ack = board.una() + 1 + place % board.flight();
                    let retired = board.retire(ack);
                    left += retired.delivered;
                }
                4 | 5 if !board.is_empty() => {
                    let start = board.una() + place % board.flight();
                    let mut reported = Reported::default();
                    board.report(Run { start, end: (start + length).min(board.nxt()) }, &mut reported);
                    left += reported.bytes;
                }
                6 => {
                    let below = board.lost_below(MSS);
                    board.mark_lost(below);
                }
                7 if board.has_lost() || board.has_gap() => {
                    board.repeat_next(at(now));
                }
                8 if place < 200 => {
                    // What was reported comes back into flight.
                    left -= board.sacked;
                    board.lose_all();
                }
                8 if place < 600 => board.begin_anew(),
                8 if place < 1_200 => board.end_episode(),
                _ => {}
            }
            board.check();
            prop_assert_eq!(left, board.una() + board.sacked);
        }
    }
}

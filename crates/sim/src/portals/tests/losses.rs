//! Links that fail: messages are sent again, arrive once and in order, or are given up with a failure.

use super::programs::*;
use super::script::{Run, Step, deployment, run, step};
use crate::portals::Options;
use packetloom_portals::constants::*;
use packetloom_portals::{Ack, Call, Counter, NiFail, Operation, Return};

/// Options with a time-out in seconds and so many retries.
fn retrying(time_out: f64, retries: u32) -> Options {
    let mut options = Options::default();
    options.nic.retry_timeout = time_out;
    options.nic.max_retries = retries;
    options
}

const PAIR: [u32; 2] = [1, 2];

/// Node 1 runs `steps` behind its set-up, at 100 us; node 2 only waits. Node 2's wire has this profile.
fn one_sided(profile: &str, options: &Options, e2e: bool, pci: bool, steps: Vec<Step>) -> Run {
    let set_up = SetUp {
        md_options: PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY,
        ..SetUp::default()
    };
    let mut sender = set_up.steps();
    // The set-up is over by now.
    sender.push(step(|seen| {
        Call::Sleep(100e-6 - seen.returns.last().map_or(0.0, |last| last.0))
    }));
    sender.extend(steps);
    run(
        &failing(&PAIR, &[(2, profile.to_owned())]),
        &deployment(&PAIR, e2e, pci),
        options,
        &[sender, set_up.steps()],
    )
}

fn kinds(run: &Run) -> Vec<(u32, NiFail)> {
    run.seen[0]
        .events
        .iter()
        .map(|(_, event)| (event.kind, event.fail))
        .collect()
}

fn counter_of(run: &Run) -> Counter {
    let found = run.seen[0]
        .returns
        .iter()
        .rev()
        .find_map(|(_, value)| match value {
            Return::Counter { value, .. } => Some(*value),
            _ => None,
        });
    found.expect("the counter was read")
}

fn read_counter() -> Step {
    step(|seen| Call::CtGet(seen.handles[MD_COUNTER]))
}

/// Each moment of an operation's life is hit by an outage once: request, answer, end-to-end acknowledgement, for each kind.
#[test]
fn whatever_message_is_lost_the_operation_happens_once() {
    let operations = [
        (Operation::Put, Ack::Full, 2),
        (Operation::Put, Ack::None, 1),
        (SUM, Ack::Full, 2),
        (SUM, Ack::None, 1),
        (Operation::Get, Ack::None, 1),
        (FETCH, Ack::None, 2),
    ];
    for pci in [true, false] {
        for (operation, ack, events) in operations {
            for bytes in [8, 1024] {
                let mut lost = 0;
                // From the first to behind the last message of an operation: 5 us at most.
                for at in 0..25 {
                    let down = 100e-6 + f64::from(at) * 200e-9;
                    let profile = format!("0 1\n{down:e} 0\n{:e} 1\n", down + 150e-9);
                    let mut steps = vec![Ask::new(operation, bytes, ack, 2).step()];
                    steps.extend((0..events).map(|_| wait(MD_QUEUE)));
                    // So that a second time would be seen.
                    steps.push(sleep(200e-6));
                    let mut sender_and_more = steps;
                    sender_and_more.push(read_counter());
                    let run = one_sided(&profile, &retrying(10e-6, 5), true, pci, sender_and_more);
                    let what = format!("{operation:?} {ack:?} {bytes} B, PCI {pci}, down at {down}");
                    assert!(run.finished, "{what}: {:?}", run.waits);
                    assert!(kinds(&run).iter().all(|kind| kind.1 == NiFail::Ok), "{what}");
                    assert_eq!(kinds(&run).len(), events, "{what}");
                    let counted = u64::from(
                        ack == Ack::Full || !matches!(operation, Operation::Put | Operation::Atomic { .. }),
                    );
                    let expected = Counter {
                        success: counted,
                        failure: 0,
                    };
                    assert_eq!(counter_of(&run), expected, "{what}");
                    let sent: usize = (0..=7)
                        .map(|kind| run.rows(kind, 1).len() + run.rows(kind, 2).len())
                        .sum();
                    let least = if ack == Ack::None
                        && !matches!(operation, Operation::Get | Operation::FetchAtomic { .. })
                    {
                        2
                    } else {
                        3
                    };
                    assert!(sent >= least, "{what}: {sent} messages came through");
                    // A request or an answer that was lost costs a time-out; an acknowledgement, another answer.
                    if sent > least || run.seen[0].events[events - 1].0 > 110e-6 {
                        lost += 1;
                    }
                }
                assert!(
                    lost >= 2,
                    "{operation:?} {ack:?} {bytes} B: outages hit {lost} messages"
                );
            }
        }
    }
}

/// 5 us without the link while 40 puts of various sizes are sent: all arrive once, in order, with their payloads.
#[test]
fn puts_arrive_once_and_in_order() {
    for (pci, matching) in [(true, false), (false, false), (true, true)] {
        let set_up = SetUp {
            matching,
            ..SetUp::default()
        };
        let sizes = [8_u64, 64, 65, 400, 4096, 100_000];
        let mut sender = set_up.steps();
        for n in 0..40_u64 {
            let mut ask = Ask::new(Operation::Put, sizes[n as usize % sizes.len()], Ack::Full, 2);
            ask.at = n * 8;
            ask.tag = n;
            sender.push(ask.step());
        }
        sender.extend((0..80).map(|_| wait(MD_QUEUE)));
        let mut receiver = set_up.steps();
        receiver.extend((0..40).map(|_| wait(TABLE_QUEUE)));
        let memories = vec![super::script::Bytes::new(), super::script::Bytes::new()];
        for word in 0..20_000 {
            memories[0].set(word * 8, word + 1);
        }
        let profile = "0 1\n6e-6 0\n11e-6 1\n20e-6 0\n21e-6 1\n".to_owned();
        let run = super::script::run_in(
            &failing(&PAIR, &[(2, profile)]),
            &deployment(&PAIR, true, pci),
            &retrying(30e-6, 5),
            &[sender, receiver],
            memories,
        );
        assert!(run.finished, "{:?}", run.waits);
        let tags: Vec<u64> = run.seen[1]
            .events
            .iter()
            .map(|(_, event)| event.hdr_data)
            .collect();
        assert_eq!(tags, (0..40).collect::<Vec<_>>());
        assert!(kinds(&run).iter().all(|kind| kind.1 == NiFail::Ok));
        // The last large put, the 36th, reaches 35 * 8 + 100,000 B.
        for word in 0..(35 * 8 + 100_000) / 8 {
            assert_eq!(run.memories[1].number(ENTRY + word * 8), word + 1);
        }
        // 40 puts are 40 rows; those of small puts that came to a closed window came again.
        assert!(run.rows(3, 1).len() >= 40);
    }
}

#[test]
fn giving_up_fails_with_every_event_that_is_due() {
    use NiFail::{Ok, Undeliverable};
    let down_for_good = "0 1\n90e-6 0\n";
    for (operation, bytes, ack, expected) in [
        // SEND of a buffered operation comes before anything is known.
        (
            Operation::Put,
            8,
            Ack::Full,
            vec![(PTL_EVENT_SEND, Ok), (PTL_EVENT_ACK, Undeliverable)],
        ),
        (Operation::Put, 8, Ack::None, vec![(PTL_EVENT_SEND, Ok)]),
        (
            Operation::Put,
            1024,
            Ack::Full,
            vec![(PTL_EVENT_SEND, Undeliverable), (PTL_EVENT_ACK, Undeliverable)],
        ),
        (
            Operation::Put,
            1024,
            Ack::None,
            vec![(PTL_EVENT_SEND, Undeliverable)],
        ),
        (
            SUM,
            1024,
            Ack::Full,
            vec![(PTL_EVENT_SEND, Undeliverable), (PTL_EVENT_ACK, Undeliverable)],
        ),
        (
            Operation::Get,
            1024,
            Ack::None,
            vec![(PTL_EVENT_REPLY, Undeliverable)],
        ),
        (
            FETCH,
            1024,
            Ack::None,
            vec![(PTL_EVENT_SEND, Undeliverable), (PTL_EVENT_REPLY, Undeliverable)],
        ),
    ] {
        for pci in [true, false] {
            let mut steps = vec![Ask::new(operation, bytes, ack, 2).step()];
            steps.extend(expected.iter().map(|_| wait(MD_QUEUE)));
            steps.push(sleep(100e-6));
            steps.push(read_counter());
            let run = one_sided(down_for_good, &retrying(1e-6, 5), true, pci, steps);
            let what = format!("{operation:?} {bytes} B {ack:?}, PCI {pci}");
            assert!(run.finished, "{what}: {:?}", run.waits);
            assert_eq!(kinds(&run), expected, "{what}");
            let failed = expected.iter().any(|kind| kind.0 != PTL_EVENT_SEND);
            assert_eq!(
                counter_of(&run),
                Counter {
                    success: 0,
                    failure: u64::from(failed)
                },
                "{what}"
            );
            // Sent six times, each time-out from the sending before: 6 us and what sending takes.
            let end = run.seen[0].events.last().expect("an event").0;
            if expected.len() == 1 && bytes > 64 || expected.len() == 2 {
                assert!(end > 106e-6 && end < 112e-6, "{what}: given up at {end}");
            }
        }
    }
}

#[test]
fn without_end_to_end_protection_an_operation_fails_at_once() {
    use NiFail::{Ok, Undeliverable};
    let profile = "0 1\n90e-6 0\n150e-6 1\n";
    let steps = vec![
        put(1024, Ack::Full, 2),
        wait(MD_QUEUE),
        wait(MD_QUEUE),
        Ask::new(Operation::Get, 8, Ack::None, 2).step(),
        wait(MD_QUEUE),
        sleep(100e-6),
        // Nothing waits for what was lost.
        put(1024, Ack::Full, 2),
        wait(MD_QUEUE),
        wait(MD_QUEUE),
    ];
    let run = one_sided(profile, &Options::default(), false, true, steps);
    assert!(run.finished, "{:?}", run.waits);
    assert_eq!(
        kinds(&run),
        [
            (PTL_EVENT_SEND, Undeliverable),
            (PTL_EVENT_ACK, Undeliverable),
            (PTL_EVENT_REPLY, Undeliverable),
            (PTL_EVENT_SEND, Ok),
            (PTL_EVENT_ACK, Ok),
        ]
    );
    assert!(run.seen[0].events[2].0 < 105e-6);
}

/// The first put meets a link that is down whenever it is sent; the second, 5 us later, is sent while it is up.
#[test]
fn what_is_behind_a_given_up_message_arrives() {
    let mut profile = String::from("0 1\n");
    for n in 0..3 {
        let at = 99e-6 + 20e-6 * f64::from(n);
        profile.push_str(&format!("{at:e} 0\n{:e} 1\n", at + 5e-6));
    }
    for pci in [true, false] {
        let steps = vec![
            put(8, Ack::Full, 2),
            sleep(8e-6),
            Ask {
                tag: 7,
                at: 8,
                ..Ask::new(Operation::Put, 8, Ack::Full, 2)
            }
            .step(),
            wait(MD_QUEUE),
            wait(MD_QUEUE),
            wait(MD_QUEUE),
            wait(MD_QUEUE),
        ];
        let run = one_sided(&profile, &retrying(20e-6, 2), true, pci, steps);
        assert!(run.finished, "{:?}", run.waits);
        let mut acks = run.seen[0]
            .events
            .iter()
            .filter(|(_, event)| event.kind == PTL_EVENT_ACK);
        let (first, second) = (acks.next().expect("an ACK").1, acks.next().expect("two").1);
        assert_eq!(
            (first.user_ptr, first.fail),
            (0, NiFail::Undeliverable),
            "PCI {pci}"
        );
        assert_eq!((second.user_ptr, second.fail), (7, NiFail::Ok), "PCI {pci}");
    }
}

/// Time-outs far below a round trip: everything is sent up to hundreds of times, and still happens once.
#[test]
fn time_outs_without_loss_change_no_result() {
    for time_out in [0.1e-6, 0.5e-6, 1e-6, 2e-6] {
        for pci in [true, false] {
            let mut sender = SetUp::default().steps();
            for n in 0..25 {
                let mut ask = Ask::new(SUM, 8, Ack::Full, 2);
                ask.tag = n;
                sender.push(ask.step());
                sender.extend([wait(MD_QUEUE), wait(MD_QUEUE)]);
            }
            let mut receiver = SetUp::default().steps();
            receiver.extend((0..25).map(|_| wait(TABLE_QUEUE)));
            let memories = vec![super::script::Bytes::new(), super::script::Bytes::new()];
            memories[0].set(0, 1);
            let run = super::script::run_in(
                &super::script::star(&PAIR),
                &deployment(&PAIR, true, pci),
                &retrying(time_out, 1000),
                &[sender, receiver],
                memories,
            );
            assert!(run.finished);
            let what = format!("{time_out} s, PCI {pci}");
            assert_eq!(run.memories[1].number(ENTRY), 25, "{what}");
            let tags: Vec<u64> = run.seen[1]
                .events
                .iter()
                .map(|(_, event)| event.hdr_data)
                .collect();
            assert_eq!(tags, (0..25).collect::<Vec<_>>(), "{what}");
            // An answer takes 2.5 us at least, so each was sent again.
            let sent = run.rows(5, 1).len();
            assert!(sent > 25, "{what}: {sent}");
        }
    }
}

//! Transfers over clean and bad links.

use super::pair::{CLIENT, Fate, Pair, SERVER};
use crate::congestion::CongestionControl;
use crate::{Flags, Settings};
use packetloom_des::{Span, Time};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use std::cell::Cell;

#[test]
fn a_transfer_over_a_clean_link() {
    let mut pair = Pair::usual();
    pair.open();
    pair.write(CLIENT, 10_000_000);
    pair.write(SERVER, 3_000);
    pair.run(100_000);
    pair.assert_done();
    assert_eq!(
        (pair.delivered(CLIENT), pair.delivered(SERVER)),
        (10_000_000, 3_000)
    );
    let report = pair.ends[CLIENT].report();
    assert_eq!((report.timeouts, report.fast_retransmits), (0, 0));
    assert_eq!(report.sent_bytes, 10_000_000, "nothing twice");
    assert!(report.smoothed_round_trip.expect("samples") > Span::from_us(100));
}

/// Everything a run is made of.
#[derive(Clone, Debug)]
struct Case {
    settings: [Settings; 2],
    isns: [u32; 2],
    delay: Span,
    per_byte: Span,
    fates: [Vec<Fate>; 2],
    /// Who writes how much, and how long after the write before.
    writes: Vec<(usize, u64, Span)>,
    /// How long after an arrival the applications read; at once if zero.
    pause: Span,
}

fn fate(loss: u32) -> impl Strategy<Value = Fate> {
    let late = || (0u64..2_000).prop_map(Span::from_us);
    prop_oneof![
        60 - loss => Just(Fate::Passes),
        1 + loss => Just(Fate::IsLost),
        4 => late().prop_map(Fate::ComesTwice),
        4 => late().prop_map(Fate::ComesLate),
    ]
}

fn isn() -> impl Strategy<Value = u32> {
    // Close to the wrap, so that it lies within the handshake or within the data, or anywhere.
    prop_oneof![2 => (0u32..100_000).prop_map(|before| u32::MAX - before), 1 => Just(u32::MAX), 1 => any::<u32>()]
}

prop_compose! {
    fn settings()(
        mss in prop_oneof![3 => Just(1_460u32), 1 => 1u32..2_000],
        buffers in [prop_oneof![Just(4_000_000u64), 1u64..200_000, 1u64..5_000], prop_oneof![Just(4_000_000u64), 1u64..200_000, 1u64..5_000]],
        initial_window in 1u32..12,
        newreno in any::<bool>(),
        hystart in any::<bool>(),
        ack_every in 1u8..4,
    ) -> Settings {
        Settings {
            mss,
            // Many segments take long to simulate.
            send_buffer: buffers[0].min(mss as u64 * 500),
            receive_buffer: buffers[1].min(mss as u64 * 500),
            initial_window,
            congestion: if newreno { CongestionControl::NewReno } else { CongestionControl::Cubic },
            hystart,
            ack_every,
            ..Settings::default()
        }
    }
}

fn case() -> impl Strategy<Value = Case> {
    // Up to 30 in 100 segments are lost.
    let fates = || (0u32..20).prop_flat_map(|loss| prop::collection::vec(fate(loss), 0..400));
    let size = prop_oneof![1u64..3_000, 1u64..150_000];
    let write = (0usize..2, size, (0u64..30_000).prop_map(Span::from_us));
    (
        [settings(), settings()],
        [isn(), isn()],
        (1u64..3_000).prop_map(Span::from_us),
        prop_oneof![
            Just(Span::from_ps(80)),
            Just(Span::from_ps(8_000)),
            Just(Span::from_ps(800_000))
        ],
        [fates(), fates()],
        prop::collection::vec(write, 1..6),
        prop_oneof![2 => Just(Span::ZERO), 1 => (1u64..100_000).prop_map(Span::from_us)],
    )
        .prop_map(|(settings, isns, delay, per_byte, fates, writes, pause)| {
            let least = settings[0].mss.min(settings[1].mss) as u64;
            let buffers = settings.map(|one| one.send_buffer.min(one.receive_buffer));
            let room = buffers[0].min(buffers[1]);
            // A stream of many tiny segments, or through a tiny buffer, says no more than a short one.
            let writes = writes
                .into_iter()
                .map(|(end, bytes, wait)| (end, bytes.min(least * 300).min(room * 3_000), wait))
                .collect();
            Case {
                settings,
                isns,
                delay,
                per_byte,
                fates,
                writes,
                pause,
            }
        })
}

/// Runs a case until all is delivered.
fn run(case: &Case) -> Pair {
    let mut pair = Pair::new(case.settings, case.isns, case.delay, case.per_byte);
    pair.fates = case.fates.clone().map(Vec::into_iter);
    pair.reads = [case.pause == Span::ZERO; 2];
    pair.open();
    let mut at = Time::ZERO;
    for &(end, bytes, wait) in &case.writes {
        at += wait;
        pair.run_until(at.max(pair.now));
        pair.write(end, bytes);
    }
    let total: u64 = case.writes.iter().map(|&(_, bytes, _)| bytes).sum();
    for _ in 0..200_000 {
        if pair.reads[0] {
            if !pair.step() {
                return pair;
            }
            continue;
        }
        // Applications that read now and then: windows shut meanwhile.
        if pair.delivered(CLIENT) + pair.delivered(SERVER) == total {
            pair.reads = [true; 2];
        } else {
            let next = pair.next();
            if next == Time::NEVER {
                // All that is left to do is to read.
                pair.now += case.pause;
            } else {
                pair.run_until(next.max(pair.now + case.pause));
            }
            pair.read_all(CLIENT);
            pair.read_all(SERVER);
        }
    }
    panic!("it does not come to rest: {:?}", pair.ends);
}

#[test]
fn every_byte_is_delivered_once_whatever_the_link_does() {
    let told = std::env::var_os("PROPTEST_CASES").is_some();
    let default = ProptestConfig::default();
    let config = ProptestConfig {
        cases: if told { default.cases } else { 300 },
        rng_seed: if told {
            RngSeed::Random
        } else {
            RngSeed::Fixed(18_760)
        },
        failure_persistence: None,
        ..default
    };
    // Cases with timeouts, with fast retransmits, with lost SYNs, and with sequence numbers that wrap.
    let tally = [const { Cell::new(0) }; 4];
    let mut runner = TestRunner::new(config);
    let result = runner.run(&case(), |case| {
        let pair = run(&case);
        pair.assert_done();
        let [a, b] = [CLIENT, SERVER].map(|end| pair.ends[end].report());
        let syns = pair
            .log
            .iter()
            .filter(|(_, _, segment)| segment.flags.contains(Flags::SYN));
        let wraps = [CLIENT, SERVER].into_iter().any(|end| {
            let first = case.isns[end].wrapping_add(1);
            (first as u64 + pair.delivered(end)) >> 32 > 0
        });
        let hits = [
            a.timeouts + b.timeouts > 0,
            a.fast_retransmits + b.fast_retransmits > 0,
            syns.count() > 2,
            wraps,
        ];
        for (count, hit) in tally.iter().zip(hits) {
            count.set(count.get() + u32::from(hit));
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let counts = tally.map(|count| count.get());
    if !told {
        assert!(counts.iter().all(|&count| count > 30), "too tame: {counts:?}");
    }
}

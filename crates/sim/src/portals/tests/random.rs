//! Random operations between three nodes whose links fail at random.

use super::programs::*;
use super::script::{Bytes, Run, deployment, run_in, step};
use crate::portals::Options;
use packetloom_portals::constants::*;
use packetloom_portals::{Ack, Call, Counter, Event, NiFail, Operation, Return};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const NIDS: [u32; 3] = [1, 2, 3];
/// Where puts have their bytes, and where gets fetch theirs.
const PUTS: u64 = 64 << 10;
const GETS: u64 = 1 << 20;

#[derive(Clone, Debug)]
struct Act {
    /// Put, atomic, get, fetching
    kind: usize,
    bytes: u64,
    ack: bool,
    /// 1 or 2 nodes on
    far: u32,
    /// Nanoseconds before it
    pause: u32,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let bytes = prop_oneof![Just(0_u64), Just(8), 1_u64..100, 1_u64..2000, Just(16_384)];
    let act = (0_usize..4, bytes, any::<bool>(), 1_u32..3, 0_u32..5000);
    let act = act.prop_map(|(kind, bytes, ack, far, pause)| Act {
        kind,
        bytes,
        ack,
        far,
        pause,
    });
    proptest::collection::vec(act, 1..12)
}

/// Up and down in turn: how long each, in nanoseconds, from the end of the set-up on.
fn outages() -> impl Strategy<Value = String> {
    proptest::collection::vec((100_u32..20_000, 100_u32..60_000), 0..5).prop_map(|spans| {
        let mut at = 10e-6;
        let mut profile = String::from("0 1\n");
        for (up, down) in spans {
            at += f64::from(up) * 1e-9;
            profile.push_str(&format!("{at:e} 0\n"));
            at += f64::from(down) * 1e-9;
            profile.push_str(&format!("{at:e} 1\n"));
        }
        profile
    })
}

fn ask(rank: usize, tag: usize, act: &Act) -> Ask {
    let (operation, bytes, at) = match act.kind {
        0 => (Operation::Put, act.bytes, PUTS + 20_000 * tag as u64),
        1 => (SUM, 8, 0),
        2 => (Operation::Get, act.bytes, GETS + 20_000 * tag as u64),
        _ => (FETCH, 8, 1024 + 8 * (16 * rank + tag) as u64),
    };
    Ask {
        at,
        tag: tag as u64,
        ..Ask::new(
            operation,
            bytes,
            if act.ack { Ack::Full } else { Ack::None },
            NIDS[(rank + act.far as usize) % 3],
        )
    }
}

/// Events at the initiator.
fn owed(act: &Act) -> usize {
    match act.kind {
        0 | 1 => 1 + usize::from(act.ack),
        2 => 1,
        _ => 2,
    }
}

fn byte(address: u64) -> u8 {
    (address % 251) as u8
}

fn once(programs: &[Vec<Act>; 3], profiles: &[String; 3], e2e: bool, pci: bool, retries: u32) -> Run {
    once_limited(programs, profiles, e2e, pci, retries, 0)
}

/// With so many messages under way to each node at most, 0: any number.
fn once_limited(
    programs: &[Vec<Act>; 3],
    profiles: &[String; 3],
    e2e: bool,
    pci: bool,
    retries: u32,
    in_flight: u32,
) -> Run {
    let mut options = Options::default();
    options.nic.max_in_flight_to_target = in_flight;
    options.nic.retry_timeout = 15e-6;
    options.nic.max_retries = retries;
    let memories: Vec<Bytes> = (0..3).map(|_| Bytes::new()).collect();
    let mut steps = Vec::new();
    for (rank, acts) in programs.iter().enumerate() {
        {
            let mut bytes = memories[rank].0.borrow_mut();
            for at in PUTS..GETS {
                bytes[at as usize] = byte(at);
            }
            for at in GETS..(2 << 20) {
                bytes[(ENTRY + at) as usize] = byte(at);
            }
        }
        memories[rank].set(0, 1);
        for at in 0..48 {
            memories[rank].set(1024 + 8 * at, 1);
        }
        let set_up = SetUp {
            md_options: PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY,
            ..SetUp::default()
        };
        let mut program = set_up.steps();
        for (tag, act) in acts.iter().enumerate() {
            program.push(sleep(f64::from(act.pause) * 1e-9));
            program.push(ask(rank, tag, act).step());
        }
        let owed: usize = acts.iter().map(owed).sum();
        program.extend((0..owed).map(|_| wait(MD_QUEUE)));
        program.push(sleep(3e-3));
        program.push(step(|seen| Call::EqGet(seen.handles[MD_QUEUE])));
        program.push(step(|seen| Call::CtGet(seen.handles[MD_COUNTER])));
        program.extend((0..40).map(|_| step(|seen| Call::EqGet(seen.handles[TABLE_QUEUE]))));
        steps.push(program);
    }
    let failing: Vec<(u32, String)> = NIDS.into_iter().zip(profiles.iter().cloned()).collect();
    run_in(
        &super::programs::failing(&NIDS, &failing),
        &deployment(&NIDS, e2e, pci),
        &options,
        &steps,
        memories,
    )
}

/// What the initiator was told of an operation: its events of one kind.
fn told(events: &[Event], kind: u32, tag: usize) -> Vec<NiFail> {
    let of = |event: &&Event| event.kind == kind && event.user_ptr == tag as u64;
    events.iter().filter(of).map(|event| event.fail).collect()
}

fn check(programs: &[Vec<Act>; 3], run: &Run, lossless: bool) {
    assert!(run.finished, "{:?}", run.waits);
    let mut sums = [0; 3];
    let is_target = |event: &Event| event.kind <= PTL_EVENT_FETCH_ATOMIC_OVERFLOW;
    for (rank, acts) in programs.iter().enumerate() {
        let seen = &run.seen[rank];
        let events: Vec<Event> = seen
            .events
            .iter()
            .map(|event| event.1)
            .filter(|event| !is_target(event))
            .collect();
        assert_eq!(
            events.len(),
            acts.iter().map(owed).sum::<usize>(),
            "rank {rank}: no event twice"
        );
        let mut counted = Counter::default();
        for (tag, act) in acts.iter().enumerate() {
            let ask = ask(rank, tag, act);
            let target = (rank + act.far as usize) % 3;
            let handled: Vec<Event> = run.seen[target]
                .events
                .iter()
                .map(|event| event.1)
                .filter(|event| {
                    is_target(event)
                        && event.initiator.nid_or_rank == NIDS[rank]
                        && event.hdr_data == tag as u64
                })
                .collect();
            let what = format!("rank {rank}, operation {tag}: {act:?}");
            assert!(handled.len() <= 1, "{what}: once at most");
            let (sends, ends) = (
                told(&events, PTL_EVENT_SEND, tag),
                match act.kind {
                    0 | 1 => told(&events, PTL_EVENT_ACK, tag),
                    _ => told(&events, PTL_EVENT_REPLY, tag),
                },
            );
            assert_eq!(sends.len(), usize::from(act.kind != 2), "{what}: SEND");
            assert_eq!(
                ends.len(),
                usize::from(act.kind > 1 || act.ack),
                "{what}: ACK or REPLY"
            );
            for end in &ends {
                match end {
                    NiFail::Ok => counted.success += 1,
                    NiFail::Undeliverable => counted.failure += 1,
                    other => panic!("{what}: {other:?}"),
                }
            }
            let all_well = sends.iter().chain(&ends).all(|fail| *fail == NiFail::Ok);
            if lossless {
                assert!(all_well, "{what}");
            }
            if lossless || ends.first() == Some(&NiFail::Ok) {
                assert_eq!(handled.len(), 1, "{what}: success is success");
            }
            let (from, memory) = match act.kind {
                0 if handled.len() == 1 => (ENTRY + ask.at, &run.memories[target]),
                2 if ends[0] == NiFail::Ok => (ask.at, &run.memories[rank]),
                _ => (0, &run.memories[rank]),
            };
            if from > 0 {
                let bytes = memory.0.borrow();
                let right = (0..ask.bytes).all(|at| bytes[(from + at) as usize] == byte(ask.at + at));
                assert!(right, "{what}: payload");
            }
            if act.kind == 3 {
                assert_eq!(
                    run.memories[target].number(ENTRY + ask.at),
                    handled.len() as u64,
                    "{what}"
                );
            }
            sums[target] += u64::from(act.kind == 1) * handled.len() as u64;
        }
        let last = seen.returns.iter().find_map(|(_, value)| match value {
            Return::Counter { value, .. } => Some(*value),
            _ => None,
        });
        assert_eq!(last, Some(counted), "rank {rank}");
        // In order, from each initiator: events of puts and atomic operations come when these are handled.
        for from in NIDS {
            let tags: Vec<u64> = seen
                .events
                .iter()
                .map(|event| event.1)
                .filter(|event| {
                    matches!(event.kind, PTL_EVENT_PUT | PTL_EVENT_ATOMIC)
                        && event.initiator.nid_or_rank == from
                })
                .map(|event| event.hdr_data)
                .collect();
            assert!(tags.is_sorted(), "rank {rank} from node {from}: {tags:?}");
        }
    }
    for (rank, sum) in sums.into_iter().enumerate() {
        assert_eq!(run.memories[rank].number(ENTRY), sum, "sum at rank {rank}");
    }
}

fn cases(number: u32) -> ProptestConfig {
    let told = std::env::var_os("PROPTEST_CASES").is_some();
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: if told { default.cases } else { number },
        rng_seed: if told { default.rng_seed } else { RngSeed::Fixed(1) },
        failure_persistence: None,
        ..default
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn every_operation_ends_once_whatever_is_lost(
        programs in [acts(), acts(), acts()],
        profiles in [outages(), outages(), outages()],
        pci in any::<bool>(),
        retries in 0_u32..4,
    ) {
        let run = once(&programs, &profiles, true, pci, retries);
        check(&programs, &run, false);
        let again = once(&programs, &profiles, true, pci, retries);
        prop_assert!(run.log == again.log, "two runs differ");
        prop_assert_eq!(run.end, again.end);
    }

    #[test]
    fn retries_enough_lose_nothing(
        programs in [acts(), acts(), acts()],
        profiles in [outages(), outages(), outages()],
        pci in any::<bool>(),
        in_flight in 0_u32..4,
    ) {
        let run = once_limited(&programs, &profiles, true, pci, 60, in_flight);
        check(&programs, &run, true);
    }

    #[test]
    fn unprotected_operations_end_once_too(
        programs in [acts(), acts(), acts()],
        profiles in [outages(), outages(), outages()],
        pci in any::<bool>(),
    ) {
        check(&programs, &once(&programs, &profiles, false, pci, 0), false);
    }
}

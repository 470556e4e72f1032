//! Operations that fetch, and atomic ones.

use super::world::{MATCHING, NO_CT, Peer, carry, entry, failed, movement};
use crate::constants::*;
use crate::{EntrySpec, Event, MatchList, Move, NiFail, Operation, Region};

/// Two peers with an entry at the second: 16 B at 100 in two runs that cut an element.
fn pair() -> (Peer, Peer) {
    let (from, mut to) = (Peer::new(1, MATCHING), Peer::new(2, MATCHING));
    let index = to.table(0);
    let options = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE;
    let spec = EntrySpec {
        region: Region::Vector(Box::new([(100, 6), (200, 10)])),
        ..entry(0, 0, options)
    };
    to.append(index, spec, MatchList::Priority, 33);
    (from, to)
}

fn put_words(peer: &mut Peer, at: usize, words: [u32; 2]) {
    for (place, word) in words.iter().enumerate() {
        let at = at + place * 4;
        peer.memory.0[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect()
}

/// The first 8 B of the entry.
fn target(to: &Peer) -> Vec<u32> {
    words(&[&to.memory.0[100..106], &to.memory.0[200..202]].concat())
}

fn set_target(to: &mut Peer, values: [u32; 2]) {
    put_words(to, 300, values);
    let bytes = to.memory.0[300..308].to_vec();
    to.memory.0[100..106].copy_from_slice(&bytes[..6]);
    to.memory.0[200..202].copy_from_slice(&bytes[6..]);
}

#[test]
fn a_get_reads_and_both_sides_hear_of_it() {
    let (mut from, mut to) = pair();
    set_target(&mut to, [7, 8]);
    let ct = from.ct();
    let options = PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_BYTES;
    let md = from.md(50, 20, options, ct);
    let get = Move {
        local_offset: 2,
        remote_offset: 4,
        ..movement(Operation::Get, md, 13, to.process(), 0)
    };
    carry(&mut from, &mut to, &get);
    assert_eq!(from.memory.0[52..56], 8_u32.to_le_bytes());
    // 12 of 13 B fit behind offset 4 of 16.
    assert_eq!(from.counts(ct), (12, 0));
    let events = from.events(from.eq);
    assert_eq!(
        events,
        [Event {
            kind: PTL_EVENT_REPLY,
            user_ptr: 11,
            mlength: 12,
            remote_offset: 4,
            ..Event::default()
        }]
    );
    let events = to.events(to.table_eq);
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].kind, events[0].start), (PTL_EVENT_GET, 104));
    assert_eq!((events[0].rlength, events[0].mlength), (13, 12));
}

#[test]
fn a_get_that_fails_writes_nothing_and_counts_a_failure() {
    let mut from = Peer::new(1, MATCHING);
    let ct = from.ct();
    let options = PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_BYTES | PTL_MD_EVENT_SUCCESS_DISABLE;
    let md = from.md(0, 8, options, ct);
    let nobody = crate::Process { nid: 9, pid: 9 };
    let header = from
        .library
        .prepare(&movement(Operation::Get, md, 8, nobody, 0))
        .unwrap();
    from.memory.0[0] = 1;
    let outcome = failed(NiFail::Dropped);
    let notices = from.library.replied(&header, &outcome, &[9; 8], &mut from.memory);
    assert_eq!(from.memory.0[0], 1);
    assert_eq!(from.counts(ct), (0, 1));
    let events: Vec<_> = notices
        .events
        .iter()
        .map(|(_, event)| (event.kind, event.fail))
        .collect();
    assert_eq!(events, [(PTL_EVENT_REPLY, NiFail::Dropped)]);
    assert!(
        from.library.sent(&header, &failed(NiFail::Ok)).is_empty(),
        "a get sends nothing"
    );
}

#[test]
fn atomics_go_through_the_elements() {
    let (mut from, mut to) = pair();
    set_target(&mut to, [100, u32::MAX]);
    put_words(&mut from, 0, [5, 2]);
    let md = from.md(0, 8, 0, NO_CT);
    let atomic = Operation::Atomic {
        operator: PTL_SUM,
        datatype: PTL_UINT32_T,
    };
    let asked = movement(atomic, md, 8, to.process(), 0);
    carry(&mut from, &mut to, &asked);
    assert_eq!(target(&to), [105, 1], "2^32 - 1 + 2 wraps to 1");
    let events = to.events(to.table_eq);
    assert_eq!(events[0].kind, PTL_EVENT_ATOMIC);
    assert_eq!(
        (events[0].atomic_operation, events[0].atomic_type),
        (PTL_SUM, PTL_UINT32_T)
    );
    assert_eq!(from.kinds(), [PTL_EVENT_SEND]);
}

#[test]
fn a_fetching_atomic_brings_back_what_was_before() {
    let (mut from, mut to) = pair();
    set_target(&mut to, [100, 200]);
    put_words(&mut from, 0, [150, 150]);
    let (md, get_md) = (from.md(0, 8, 0, NO_CT), from.md(40, 12, 0, NO_CT));
    let operation = Operation::FetchAtomic {
        operator: PTL_MAX,
        datatype: PTL_UINT32_T,
    };
    let fetch = Move {
        get_md,
        get_local_offset: 4,
        ..movement(operation, md, 8, to.process(), 0)
    };
    carry(&mut from, &mut to, &fetch);
    assert_eq!(target(&to), [150, 200]);
    assert_eq!(words(&from.memory.0[44..52]), [100, 200]);
    assert_eq!(from.kinds(), [PTL_EVENT_SEND, PTL_EVENT_REPLY]);
    assert_eq!(to.table_kinds(), [PTL_EVENT_FETCH_ATOMIC]);
}

#[test]
fn a_conditional_swap_keeps_its_operand() {
    for (before, expected, after) in [(100, 100, 77), (101, 100, 101)] {
        let (mut from, mut to) = pair();
        set_target(&mut to, [before, 9]);
        put_words(&mut from, 0, [77, 0]);
        let mut operand = [0; 32];
        operand[..4].copy_from_slice(&u32::to_le_bytes(expected));
        let (md, get_md) = (from.md(0, 8, 0, NO_CT), from.md(40, 8, 0, NO_CT));
        let operation = Operation::Swap {
            operator: PTL_CSWAP,
            datatype: PTL_UINT32_T,
            operand,
        };
        let swap = Move {
            get_md,
            ..movement(operation, md, 4, to.process(), 0)
        };
        carry(&mut from, &mut to, &swap);
        assert_eq!(target(&to), [after, 9]);
        assert_eq!(words(&from.memory.0[40..44]), [before]);
    }
}

#[test]
fn an_atomic_that_is_cut_leaves_the_cut_element_alone() {
    let (mut from, mut to) = pair();
    to.memory.0[200..210].fill(1);
    put_words(&mut from, 0, [u32::MAX, u32::MAX]);
    let md = from.md(0, 8, 0, NO_CT);
    let operation = Operation::Atomic {
        operator: PTL_BOR,
        datatype: PTL_UINT32_T,
    };
    // 16 B less offset 10 leave 6: one element, and 2 B.
    let atomic = Move {
        remote_offset: 10,
        ..movement(operation, md, 8, to.process(), 0)
    };
    let seen = carry(&mut from, &mut to, &atomic);
    assert_eq!(seen.receipt.outcome.mlength, 6);
    assert_eq!(to.memory.0[200..210], [1, 1, 1, 1, 255, 255, 255, 255, 1, 1]);
    assert_eq!(seen.header.length, 8);
}

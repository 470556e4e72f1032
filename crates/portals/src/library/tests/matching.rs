//! Which entry a request finds, how much of it fits, and when an entry ends.

use super::world::{MATCHING, NO_CT, PLAIN, Peer, carry, entry, movement};
use crate::constants::*;
use crate::{Code, Command, EntrySpec, MatchList, Move, NiFail, Operation, Outcome, RawProcess};

pub const QUIET: u32 = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE;

/// Two peers, and the index of a portal table entry at the second.
pub fn pair(options: u32) -> (Peer, Peer, u32) {
    let (from, mut to) = (Peer::new(1, options), Peer::new(2, options));
    let index = to.table(0);
    (from, to, index)
}

/// Puts so many bytes with those bits to that offset, and tells what came of it.
fn put(from: &mut Peer, to: &mut Peer, bits: u64, length: u64, offset: u64) -> Outcome {
    let md = from.md(0, 64, 0, NO_CT);
    let put = Move {
        match_bits: bits,
        remote_offset: offset,
        ..movement(Operation::Put, md, length, to.process(), 0)
    };
    carry(from, to, &put).receipt.outcome
}

/// Whose entry the last event at the target is of.
fn user(to: &mut Peer) -> Option<u64> {
    let events = to.events(to.table_eq);
    events.last().map(|event| event.user_ptr)
}

fn bits(match_bits: u64, ignore_bits: u64) -> EntrySpec {
    EntrySpec {
        match_bits,
        ignore_bits,
        ..entry(0, 64, QUIET)
    }
}

#[test]
fn match_bits_decide_but_for_the_ignored_ones() {
    let (mut from, mut to, index) = pair(MATCHING);
    to.append(index, bits(0xf0, 0x0f), MatchList::Priority, 1);
    to.append(index, bits(0xff, 0), MatchList::Priority, 2);
    to.append(index, bits(0, !0), MatchList::Overflow, 3);
    // ((incoming ^ match) & ~ignore) == 0
    for (incoming, expected) in [(0xf0, 1), (0xff, 1), (0xfa, 1), (0xef, 3), (0, 3)] {
        assert_eq!(put(&mut from, &mut to, incoming, 8, 0).fail, NiFail::Ok);
        assert_eq!(user(&mut to), Some(expected), "{incoming:#x}");
    }
}

#[test]
fn the_first_entry_that_matches_is_taken_priority_before_overflow() {
    let (mut from, mut to, index) = pair(MATCHING);
    let over = to.append(index, bits(5, 0), MatchList::Overflow, 0);
    let first = to.append(index, bits(5, 0), MatchList::Priority, 1);
    to.append(index, bits(5, 0), MatchList::Priority, 2);
    put(&mut from, &mut to, 5, 8, 0);
    assert_eq!(user(&mut to), Some(1));
    to.done(&Command::Unlink(first));
    assert_eq!(to.code(&Command::Unlink(first)), Code::ArgInvalid);
    put(&mut from, &mut to, 5, 8, 0);
    assert_eq!(user(&mut to), Some(2));
    to.done(&Command::Unlink(over));
}

#[test]
fn without_matching_the_first_entry_is_taken_whatever_the_bits() {
    let (mut from, mut to, index) = pair(PLAIN);
    to.append(index, bits(5, 0), MatchList::Priority, 1);
    put(&mut from, &mut to, 77, 8, 0);
    let events = to.events(to.table_eq);
    assert_eq!((events[0].user_ptr, events[0].match_bits), (1, 0));
}

#[test]
fn initiators_match_by_identifier_or_wildcard() {
    let (mut from, mut to, index) = pair(MATCHING);
    let own = from.process();
    let wanted = |nid_or_rank, pid| EntrySpec {
        match_id: RawProcess { nid_or_rank, pid },
        ..entry(0, 64, QUIET)
    };
    for (nid, pid, finds) in [
        (own.nid, own.pid, true),
        (PTL_NID_ANY, own.pid, true),
        (own.nid, PTL_PID_ANY, true),
        (PTL_NID_ANY, PTL_PID_ANY, true),
        (own.nid + 1, own.pid, false),
        (own.nid, own.pid + 1, false),
        (PTL_NID_ANY, own.pid + 1, false),
    ] {
        let handle = to.append(index, wanted(nid, pid), MatchList::Priority, 1);
        let fail = put(&mut from, &mut to, 0, 8, 0).fail;
        assert_eq!(fail == NiFail::Ok, finds, "{nid} {pid}");
        to.done(&Command::Unlink(handle));
    }
}

#[test]
fn ranks_match_on_logical_interfaces() {
    let options = PTL_NI_MATCHING | PTL_NI_LOGICAL;
    let (mut from, mut to, index) = pair(options);
    let map = [to.process(), from.process()];
    for peer in [&mut from, &mut to] {
        peer.library.set_map(peer.ni, &map).unwrap();
    }
    let md = from.md(0, 8, 0, NO_CT);
    for (rank, finds) in [(1, true), (PTL_RANK_ANY, true), (0, false)] {
        let wanted = EntrySpec {
            match_id: RawProcess {
                nid_or_rank: rank,
                pid: 12345,
            },
            ..entry(0, 64, QUIET)
        };
        let handle = to.append(index, wanted, MatchList::Priority, 1);
        let mut asked = movement(Operation::Put, md, 8, map[0], index);
        asked.target.nid_or_rank = 0;
        let outcome = carry(&mut from, &mut to, &asked).receipt.outcome;
        assert_eq!(outcome.fail == NiFail::Ok, finds, "{rank}");
        to.done(&Command::Unlink(handle));
    }
    let events = to.events(to.table_eq);
    assert_eq!(
        events[0].initiator,
        RawProcess {
            nid_or_rank: 1,
            pid: 0
        }
    );
}

#[test]
fn what_does_not_fit_is_cut() {
    let (mut from, mut to, index) = pair(MATCHING);
    to.append(index, entry(100, 10, QUIET), MatchList::Priority, 1);
    from.memory.0[..64].fill(9);
    // Length asked for, offset, bytes moved: the offset counts.
    for (length, offset, moved) in [
        (10, 0, 10),
        (11, 0, 10),
        (4, 8, 2),
        (4, 10, 0),
        (4, u64::MAX, 0),
        (0, 3, 0),
    ] {
        to.memory.0.fill(0);
        let outcome = put(&mut from, &mut to, 0, length, offset);
        assert_eq!((outcome.mlength, outcome.remote_offset), (moved, offset));
        assert_eq!(
            to.memory.0.iter().filter(|byte| **byte == 9).count() as u64,
            moved
        );
        let events = to.events(to.table_eq);
        assert_eq!((events[0].rlength, events[0].mlength), (length, moved));
        assert_eq!(events[0].start, 100_u64.wrapping_add(offset));
    }
}

#[test]
fn no_truncate_lets_a_request_pass_that_does_not_fit() {
    let (mut from, mut to, index) = pair(MATCHING);
    to.append(
        index,
        entry(0, 10, QUIET | PTL_ME_NO_TRUNCATE),
        MatchList::Priority,
        1,
    );
    to.append(index, entry(0, 64, QUIET), MatchList::Priority, 2);
    for (length, offset, expected) in [(10, 0, 1), (11, 0, 2), (4, 6, 1), (4, 7, 2), (1, u64::MAX, 2)] {
        put(&mut from, &mut to, 0, length, offset);
        assert_eq!(user(&mut to), Some(expected), "{length} at {offset}");
    }
}

#[test]
fn locally_managed_entries_fill_up_with_one_offset() {
    let (mut from, mut to, index) = pair(MATCHING);
    to.append(
        index,
        entry(100, 10, QUIET | PTL_ME_MANAGE_LOCAL),
        MatchList::Priority,
        1,
    );
    let md = from.md(0, 64, 0, NO_CT);
    for (operation, length, offset, moved) in [
        (Operation::Put, 4, 0, 4),
        // "That single variable is updated each time", and the remote offset is not looked at.
        (Operation::Get, 3, 4, 3),
        (Operation::Put, 6, 7, 3),
        (Operation::Put, 6, 10, 0),
    ] {
        let asked = Move {
            remote_offset: 55,
            ..movement(operation, md, length, to.process(), index)
        };
        let outcome = carry(&mut from, &mut to, &asked).receipt.outcome;
        assert_eq!((outcome.remote_offset, outcome.mlength), (offset, moved));
        let events = to.events(to.table_eq);
        assert_eq!((events[0].start, events[0].remote_offset), (100 + offset, 55));
    }
}

#[test]
fn min_free_unlinks_what_is_nearly_full() {
    let (mut from, mut to, index) = pair(MATCHING);
    let wanted = EntrySpec {
        min_free: 4,
        ..entry(0, 10, QUIET | PTL_ME_MANAGE_LOCAL)
    };
    let handle = to.append(index, wanted.clone(), MatchList::Priority, 1);
    put(&mut from, &mut to, 0, 6, 0);
    assert_eq!(to.table_kinds(), [PTL_EVENT_PUT], "4 B are left: not below");
    put(&mut from, &mut to, 0, 1, 0);
    assert_eq!(to.table_kinds(), [PTL_EVENT_AUTO_UNLINK, PTL_EVENT_PUT]);
    assert_eq!(to.code(&Command::Unlink(handle)), Code::ArgInvalid);
    // "This value is only used if PTL_ME_MANAGE_LOCAL is set."
    let remote = EntrySpec {
        options: QUIET,
        ..wanted
    };
    to.append(index, remote, MatchList::Priority, 2);
    put(&mut from, &mut to, 0, 10, 0);
    assert_eq!(to.table_kinds(), [PTL_EVENT_PUT]);
}

#[test]
fn use_once_entries_are_used_once() {
    for (silent, kinds) in [
        (0, vec![PTL_EVENT_LINK, PTL_EVENT_AUTO_UNLINK, PTL_EVENT_PUT]),
        (PTL_ME_EVENT_UNLINK_DISABLE, vec![PTL_EVENT_LINK, PTL_EVENT_PUT]),
    ] {
        let (mut from, mut to, index) = pair(MATCHING);
        let options = PTL_ME_OP_PUT | PTL_ME_USE_ONCE | silent;
        let handle = to.append(index, entry(0, 8, options), MatchList::Priority, 1);
        assert_eq!(put(&mut from, &mut to, 0, 8, 0).fail, NiFail::Ok);
        assert_eq!(put(&mut from, &mut to, 0, 8, 0).fail, NiFail::Dropped);
        assert_eq!(to.table_kinds(), kinds);
        assert_eq!(to.code(&Command::Unlink(handle)), Code::ArgInvalid);
        to.done(&Command::PtFree(to.ni, index));
    }
}

#[test]
fn options_choose_what_the_target_hears_and_counts() {
    let base = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE;
    for (options, counted, heard) in [
        (0, 0, true),
        (PTL_ME_EVENT_CT_COMM, 1, true),
        (PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_BYTES, 8, true),
        (PTL_ME_EVENT_CT_OVERFLOW, 0, true),
        (PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM, 1, false),
        (PTL_ME_EVENT_SUCCESS_DISABLE | PTL_ME_EVENT_CT_COMM, 1, false),
        (PTL_ME_MAY_ALIGN | PTL_ME_IS_ACCESSIBLE, 0, true),
    ] {
        let (mut from, mut to, index) = pair(MATCHING);
        let ct = to.ct();
        let wanted = EntrySpec {
            ct,
            ..entry(0, 8, base | options)
        };
        to.append(index, wanted, MatchList::Priority, 1);
        put(&mut from, &mut to, 0, 30, 0);
        assert_eq!(to.counts(ct), (counted, 0), "{options:#x}");
        assert_eq!(to.table_kinds().len(), usize::from(heard), "{options:#x}");
    }
}

//! The portal table, and flow control.

use super::world::{MATCHING, NO_CT, NO_EQ, PLAIN, Peer, carry, entry, movement};
use crate::constants::*;
use crate::library::limits;
use crate::{Ack, Code, Command, Limits, MatchList, Move, NiFail, Operation, Respond, Return};

fn allocate(peer: &Peer, options: u32, requested: u32) -> Command {
    Command::PtAlloc {
        ni: peer.ni,
        options,
        eq: peer.table_eq,
        requested,
    }
}

#[test]
fn indices_are_given_and_refused() {
    let desired = Limits {
        max_pt_index: 4,
        ..limits::most(true)
    };
    let mut peer = Peer::with_limits(1, MATCHING, Some(desired));
    let any = allocate(&peer, 0, PTL_PT_ANY);
    assert_eq!(peer.run(&allocate(&peer, 0, 1)).0, Return::Index(1));
    assert_eq!(peer.code(&allocate(&peer, 0, 1)), Code::PtInUse);
    assert_eq!(peer.code(&allocate(&peer, 0, 5)), Code::ArgInvalid);
    for index in [0, 2, 3, 4] {
        assert_eq!(peer.run(&any).0, Return::Index(index), "the lowest free one");
    }
    assert_eq!(peer.code(&any), Code::PtFull, "0 to max_pt_index, inclusive");
    peer.done(&Command::PtFree(peer.ni, 2));
    assert_eq!(peer.code(&Command::PtFree(peer.ni, 2)), Code::ArgInvalid);
    assert_eq!(peer.code(&Command::PtEnable(peer.ni, 2)), Code::ArgInvalid);
    assert_eq!(peer.code(&Command::PtDisable(peer.ni, 9999)), Code::ArgInvalid);
    assert_eq!(peer.run(&any).0, Return::Index(2));
}

#[test]
fn options_and_queues_are_checked() {
    let mut peer = Peer::new(1, MATCHING);
    let unknown = allocate(&peer, PTL_PT_ALLOC_OPTIONS_MASK + 1, PTL_PT_ANY);
    assert_eq!(peer.code(&unknown), Code::ArgInvalid);
    let without = |eq, options| Command::PtAlloc {
        ni: peer.ni,
        options,
        eq,
        requested: PTL_PT_ANY,
    };
    let (needed, wrong, none) = (
        without(NO_EQ, PTL_PT_FLOWCTRL),
        without(NO_CT, 0),
        without(NO_EQ, 0),
    );
    assert_eq!(peer.code(&needed), Code::PtEqNeeded);
    assert_eq!(peer.code(&wrong), Code::ArgInvalid);
    assert_eq!(peer.run(&none).0, Return::Index(0));
}

#[test]
fn an_index_with_entries_is_in_use() {
    for list in [MatchList::Priority, MatchList::Overflow] {
        let mut peer = Peer::new(1, MATCHING);
        let index = peer.table(0);
        let handle = peer.append(index, entry(0, 8, 0), list, 0);
        assert_eq!(peer.code(&Command::PtFree(peer.ni, index)), Code::PtInUse);
        peer.done(&Command::Unlink(handle));
        peer.done(&Command::PtFree(peer.ni, index));
    }
}

/// What an initiator hears of a put with ACK, and whether the drop register moved.
fn put(from: &mut Peer, to: &mut Peer, index: u32) -> (NiFail, i32) {
    let dropped = to.status()[0];
    let md = from.md(0, 8, 0, NO_CT);
    let put = Move {
        ack: Ack::Full,
        ..movement(Operation::Put, md, 8, to.process(), index)
    };
    let seen = carry(from, to, &put);
    assert_eq!(seen.receipt.respond, Respond::Ack);
    let events = from.events(from.eq);
    assert_eq!((events[0].kind, events[0].fail), (PTL_EVENT_SEND, NiFail::Ok));
    assert_eq!(events[1].kind, PTL_EVENT_ACK);
    (events[1].fail, to.status()[0] - dropped)
}

#[test]
fn what_finds_no_open_index_fails() {
    let (mut from, mut to) = (Peer::new(1, MATCHING), Peer::new(2, MATCHING));
    assert_eq!(put(&mut from, &mut to, 0), (NiFail::Dropped, 1), "not allocated");
    assert_eq!(put(&mut from, &mut to, u32::MAX), (NiFail::Dropped, 1));
    let index = to.table(PTL_PT_ALLOC_DISABLED);
    to.append(index, entry(0, 8, PTL_ME_OP_PUT), MatchList::Priority, 0);
    assert_eq!(put(&mut from, &mut to, index), (NiFail::PtDisabled, 1));
    to.done(&Command::PtEnable(to.ni, index));
    assert_eq!(put(&mut from, &mut to, index), (NiFail::Ok, 0));
    to.done(&Command::PtDisable(to.ni, index));
    assert_eq!(put(&mut from, &mut to, index), (NiFail::PtDisabled, 1));
    // "It does not generate a PTL_EVENT_PT_DISABLED".
    assert_eq!(to.table_kinds(), [PTL_EVENT_LINK, PTL_EVENT_PUT]);
    let mut plain = Peer::new(3, PLAIN);
    let before = plain.status();
    let md = from.md(0, 8, 0, NO_CT);
    let seen = carry(
        &mut from,
        &mut plain,
        &movement(Operation::Put, md, 8, to.process(), 0),
    );
    assert_eq!(
        seen.receipt.outcome.fail,
        NiFail::TargetInvalid,
        "no matching interface there"
    );
    assert_eq!(plain.status(), before);
}

#[test]
fn flow_control_disables_an_index_that_nothing_matches() {
    let (mut from, mut to) = (Peer::new(1, PLAIN), Peer::new(2, PLAIN));
    let index = to.table(PTL_PT_FLOWCTRL);
    assert_eq!(put(&mut from, &mut to, index), (NiFail::PtDisabled, 1));
    let events = to.events(to.table_eq);
    assert_eq!(events.len(), 1);
    assert_eq!(
        (events[0].kind, events[0].fail),
        (PTL_EVENT_PT_DISABLED, NiFail::PtDisabled)
    );
    assert_eq!(events[0].pt_index, index);
    to.append(index, entry(0, 8, PTL_ME_OP_PUT), MatchList::Priority, 0);
    assert_eq!(
        put(&mut from, &mut to, index),
        (NiFail::PtDisabled, 1),
        "until it is enabled"
    );
    assert_eq!(to.table_kinds(), [PTL_EVENT_LINK], "told once");
    to.done(&Command::PtEnable(to.ni, index));
    assert_eq!(put(&mut from, &mut to, index), (NiFail::Ok, 0));
}

#[test]
fn flow_control_keeps_events_from_being_lost() {
    let (mut from, mut to) = (Peer::new(1, PLAIN), Peer::new(2, PLAIN));
    to.table_eq = to.handle(&Command::EqAlloc(to.ni, 2));
    let index = to.table(PTL_PT_FLOWCTRL);
    let options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE;
    to.append(index, entry(0, 8, options), MatchList::Priority, 0);
    assert_eq!(put(&mut from, &mut to, index), (NiFail::Ok, 0));
    assert_eq!(put(&mut from, &mut to, index), (NiFail::Ok, 0));
    assert_eq!(
        put(&mut from, &mut to, index),
        (NiFail::PtDisabled, 1),
        "no place for its event"
    );
    let eq = to.table_eq;
    for kind in [PTL_EVENT_PUT, PTL_EVENT_PUT, PTL_EVENT_PT_DISABLED] {
        let (event, dropped) = to.library.take_event(eq).unwrap().unwrap();
        assert_eq!((event.kind, dropped), (kind, false));
    }
}

#[test]
fn unexpected_headers_run_out() {
    for (options, fail, kinds) in [
        (0, NiFail::Dropped, vec![PTL_EVENT_PUT]),
        (
            PTL_PT_FLOWCTRL,
            NiFail::PtDisabled,
            vec![PTL_EVENT_PUT, PTL_EVENT_PT_DISABLED],
        ),
    ] {
        let desired = Limits {
            max_unexpected_headers: 1,
            ..limits::most(true)
        };
        let mut from = Peer::new(1, MATCHING);
        let mut to = Peer::with_limits(2, MATCHING, Some(desired));
        let index = to.table(options);
        let wide = entry(0, 64, PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE);
        to.append(index, wide.clone(), MatchList::Overflow, 0);
        assert_eq!(put(&mut from, &mut to, index), (NiFail::Ok, 0));
        assert_eq!(put(&mut from, &mut to, index), (fail, 1));
        assert_eq!(to.table_kinds(), kinds);
    }
}

#[test]
fn flowctrl_disable_on_an_entry_silences_pt_disabled() {
    let desired = Limits {
        max_unexpected_headers: 1,
        ..limits::most(true)
    };
    let mut from = Peer::new(1, MATCHING);
    let mut to = Peer::with_limits(2, MATCHING, Some(desired));
    let index = to.table(PTL_PT_FLOWCTRL);
    let options = PTL_ME_OP_PUT | PTL_ME_EVENT_FLOWCTRL_DISABLE | PTL_ME_EVENT_LINK_DISABLE;
    to.append(index, entry(0, 64, options), MatchList::Overflow, 0);
    assert_eq!(put(&mut from, &mut to, index), (NiFail::Ok, 0));
    assert_eq!(put(&mut from, &mut to, index), (NiFail::PtDisabled, 1));
    assert_eq!(to.table_kinds(), [PTL_EVENT_PUT]);
}

#[test]
fn headers_without_an_entry_in_a_list_go_with_their_index() {
    let desired = Limits {
        max_entries: 1,
        max_unexpected_headers: 1,
        ..limits::most(true)
    };
    let mut from = Peer::new(1, MATCHING);
    let mut to = Peer::with_limits(2, MATCHING, Some(desired));
    for _ in 0..2 {
        let index = to.table(0);
        let options = PTL_ME_OP_PUT | PTL_ME_USE_ONCE;
        to.append(index, entry(0, 64, options), MatchList::Overflow, 0);
        assert_eq!(put(&mut from, &mut to, index), (NiFail::Ok, 0));
        // The header still holds the one entry there can be.
        let overflow = to.append_command(index, entry(0, 64, options), MatchList::Overflow, 0);
        assert_eq!(to.code(&overflow), Code::NoSpace);
        to.done(&Command::PtFree(to.ni, index));
    }
}

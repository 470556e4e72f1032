//! The overflow list, unexpected headers, and searches for them.

use super::world::{MATCHING, NO_CT, PLAIN, Peer, carry, entry, movement};
use crate::constants::*;
use crate::{
    Code, Command, EntrySpec, Event, Handle, MatchList, Move, NiFail, Operation, Outcome, Respond, SearchMode,
};

pub const LOUD: u32 = PTL_ME_OP_PUT | PTL_ME_OP_GET;
pub const QUIET: u32 = LOUD | PTL_ME_EVENT_LINK_DISABLE;

/// An initiator, a target, its index, and an overflow entry of 32 B at 500 there that takes all.
pub struct Scene {
    pub from: Peer,
    pub to: Peer,
    pub index: u32,
    pub overflow: Handle,
}

impl Scene {
    pub fn new(interface: u32, options: u32) -> Self {
        let (from, mut to) = (Peer::new(1, interface), Peer::new(2, interface));
        let index = to.table(0);
        let overflow = to.append(index, any(QUIET | options, 500, 32), MatchList::Overflow, 5);
        Self {
            from,
            to,
            index,
            overflow,
        }
    }

    fn send(&mut self, operation: Operation, bits: u64, length: u64) -> Outcome {
        let md = self.from.md(0, 64, 0, NO_CT);
        let asked = Move {
            match_bits: bits,
            ..movement(operation, md, length, self.to.process(), self.index)
        };
        carry(&mut self.from, &mut self.to, &asked).receipt.outcome
    }

    pub fn put(&mut self, bits: u64) {
        assert_eq!(self.send(Operation::Put, bits, 8).fail, NiFail::Ok);
    }

    pub fn append(&mut self, spec: EntrySpec, user_ptr: u64) -> Handle {
        self.to.append(self.index, spec, MatchList::Priority, user_ptr)
    }

    pub fn events(&mut self) -> Vec<Event> {
        self.to.events(self.to.table_eq)
    }

    pub fn kinds(&mut self) -> Vec<u32> {
        self.to.table_kinds()
    }
}

fn any(options: u32, start: u64, length: u64) -> EntrySpec {
    EntrySpec {
        ignore_bits: !0,
        ..entry(start, length, options)
    }
}

pub fn exact(bits: u64, options: u32) -> EntrySpec {
    EntrySpec {
        match_bits: bits,
        ..entry(700, 8, options)
    }
}

#[test]
fn an_appended_entry_hears_of_what_came_before_it() {
    let mut scene = Scene::new(MATCHING, PTL_ME_MANAGE_LOCAL);
    scene.from.memory.0[0] = 42;
    scene.put(1);
    scene.put(2);
    let events = scene.events();
    assert_eq!((events[1].kind, events[1].user_ptr), (PTL_EVENT_PUT, 5));
    assert_eq!((events[1].start, events[1].list), (508, MatchList::Overflow));
    scene.append(exact(2, LOUD), 6);
    let after = scene.events();
    // "The start address points to the address in the overflow list where the matching message resides."
    let expected = Event {
        kind: PTL_EVENT_PUT_OVERFLOW,
        user_ptr: 6,
        ..events[1]
    };
    assert_eq!(after[0], expected);
    assert_eq!((after[1].kind, after[1].user_ptr), (PTL_EVENT_LINK, 6));
    assert_eq!(after.len(), 2);
    assert_eq!(scene.to.memory.0[508], 42);
}

#[test]
fn a_use_once_entry_that_finds_a_header_is_not_linked() {
    for interface in [MATCHING, PLAIN] {
        let mut scene = Scene::new(interface, 0);
        scene.put(1);
        scene.put(1);
        scene.events();
        let handle = scene.append(exact(1, LOUD | PTL_ME_USE_ONCE), 6);
        assert_eq!(scene.kinds(), [PTL_EVENT_PUT_OVERFLOW, PTL_EVENT_AUTO_UNLINK]);
        assert_eq!(scene.to.code(&Command::Unlink(handle)), Code::ArgInvalid);
        scene.append(exact(1, QUIET | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE), 7);
        assert_eq!(scene.kinds(), [PTL_EVENT_PUT_OVERFLOW]);
        scene.append(exact(1, LOUD | PTL_ME_USE_ONCE), 8);
        assert_eq!(scene.kinds(), [PTL_EVENT_LINK], "no header is left");
    }
}

#[test]
fn a_persistent_entry_consumes_all_it_wants_in_the_order_of_arrival() {
    let mut scene = Scene::new(MATCHING, PTL_ME_MANAGE_LOCAL);
    for bits in [1, 2, 1, 3] {
        scene.put(bits);
    }
    scene.events();
    scene.append(exact(1, QUIET), 6);
    let starts: Vec<u64> = scene.events().iter().map(|event| event.start).collect();
    assert_eq!(starts, [500, 516]);
    scene.append(any(QUIET, 0, 0), 7);
    let starts: Vec<u64> = scene.events().iter().map(|event| event.start).collect();
    assert_eq!(starts, [508, 524]);
}

#[test]
fn each_operation_has_its_overflow_event() {
    let (operator, datatype) = (PTL_SUM, PTL_UINT8_T);
    let swap = Operation::Swap {
        operator: PTL_SWAP,
        datatype,
        operand: [0; 32],
    };
    for (operation, kind, overflow) in [
        (Operation::Put, PTL_EVENT_PUT, PTL_EVENT_PUT_OVERFLOW),
        (Operation::Get, PTL_EVENT_GET, PTL_EVENT_GET_OVERFLOW),
        (
            Operation::Atomic { operator, datatype },
            PTL_EVENT_ATOMIC,
            PTL_EVENT_ATOMIC_OVERFLOW,
        ),
        (
            Operation::FetchAtomic { operator, datatype },
            PTL_EVENT_FETCH_ATOMIC,
            PTL_EVENT_FETCH_ATOMIC_OVERFLOW,
        ),
        (swap, PTL_EVENT_FETCH_ATOMIC, PTL_EVENT_FETCH_ATOMIC_OVERFLOW),
    ] {
        let mut scene = Scene::new(MATCHING, 0);
        assert_eq!(scene.send(operation, 1, 8).fail, NiFail::Ok);
        assert_eq!(scene.kinds(), [kind]);
        // "No permissions check is performed on a matching message in the unexpected list."
        let mut stranger = exact(1, PTL_ME_EVENT_LINK_DISABLE);
        stranger.uid = 1;
        scene.append(stranger, 6);
        assert_eq!(scene.kinds(), [overflow]);
        assert_eq!(scene.to.status(), [0; 3]);
    }
}

#[test]
fn no_truncate_looks_at_unexpected_headers_too() {
    let mut scene = Scene::new(MATCHING, 0);
    scene.send(Operation::Put, 1, 9);
    scene.events();
    scene.append(exact(1, QUIET | PTL_ME_NO_TRUNCATE), 6);
    assert_eq!(scene.kinds(), [], "8 B do not hold 9");
    scene.append(exact(1, QUIET), 7);
    assert_eq!(scene.kinds(), [PTL_EVENT_PUT_OVERFLOW]);
}

#[test]
fn the_overflow_list_searches_nothing_and_headers_can_be_left_out() {
    let mut scene = Scene::new(MATCHING, PTL_ME_UNEXPECTED_HDR_DISABLE);
    scene.put(1);
    assert_eq!(scene.kinds(), [PTL_EVENT_PUT]);
    scene.append(exact(1, QUIET), 6);
    assert_eq!(scene.kinds(), [], "no header was kept");

    let mut scene = Scene::new(MATCHING, 0);
    scene.put(1);
    scene.events();
    scene
        .to
        .append(scene.index, exact(1, LOUD), MatchList::Overflow, 6);
    assert_eq!(scene.kinds(), [PTL_EVENT_LINK]);
}

#[test]
fn overflow_events_are_counted_and_silenced() {
    // Match list entries count by bytes in any case, list entries when asked to.
    for (interface, options, counted, heard) in [
        (MATCHING, 0, 0, true),
        (MATCHING, PTL_ME_EVENT_CT_OVERFLOW, 8, true),
        (
            MATCHING,
            PTL_ME_EVENT_CT_OVERFLOW | PTL_ME_EVENT_CT_BYTES,
            8,
            true,
        ),
        (
            MATCHING,
            PTL_ME_EVENT_CT_OVERFLOW | PTL_ME_EVENT_OVER_DISABLE,
            8,
            false,
        ),
        (MATCHING, PTL_ME_EVENT_CT_COMM, 0, true),
        (PLAIN, PTL_ME_EVENT_CT_OVERFLOW, 1, true),
        (PLAIN, PTL_ME_EVENT_CT_OVERFLOW | PTL_ME_EVENT_CT_BYTES, 8, true),
    ] {
        let mut scene = Scene::new(interface, 0);
        scene.put(1);
        scene.events();
        let ct = scene.to.ct();
        let mut spec = exact(1, QUIET | options);
        spec.ct = ct;
        scene.append(spec, 6);
        assert_eq!(scene.to.counts(ct), (counted, 0), "{options:#x}");
        assert_eq!(scene.kinds().len(), usize::from(heard), "{options:#x}");
    }
}

#[test]
fn an_overflow_entry_is_free_when_its_last_header_is_consumed() {
    let mut scene = Scene::new(MATCHING, PTL_ME_USE_ONCE);
    scene.put(1);
    assert_eq!(scene.kinds(), [PTL_EVENT_AUTO_UNLINK, PTL_EVENT_PUT]);
    assert_eq!(scene.to.code(&Command::Unlink(scene.overflow)), Code::ArgInvalid);
    scene.append(exact(1, LOUD | PTL_ME_USE_ONCE), 6);
    let events = scene.events();
    let seen: Vec<_> = events.iter().map(|event| (event.kind, event.user_ptr)).collect();
    assert_eq!(
        seen,
        [
            (PTL_EVENT_PUT_OVERFLOW, 6),
            (PTL_EVENT_AUTO_FREE, 5),
            (PTL_EVENT_AUTO_UNLINK, 6)
        ]
    );
}

#[test]
fn min_free_frees_after_all_headers() {
    let mut from = Peer::new(1, MATCHING);
    let mut to = Peer::new(2, MATCHING);
    let index = to.table(0);
    let mut spec = any(QUIET | PTL_ME_MANAGE_LOCAL, 500, 16);
    spec.min_free = 8;
    to.append(index, spec, MatchList::Overflow, 5);
    let md = from.md(0, 8, 0, NO_CT);
    for bits in [1, 2] {
        let asked = Move {
            match_bits: bits,
            ..movement(Operation::Put, md, 8, to.process(), index)
        };
        carry(&mut from, &mut to, &asked);
    }
    assert_eq!(
        to.table_kinds(),
        [PTL_EVENT_PUT, PTL_EVENT_AUTO_UNLINK, PTL_EVENT_PUT]
    );
    to.search(index, exact(2, PTL_ME_USE_ONCE), SearchMode::Delete, 6);
    assert_eq!(to.table_kinds(), [PTL_EVENT_PUT_OVERFLOW]);
    to.search(index, exact(1, PTL_ME_USE_ONCE), SearchMode::Delete, 7);
    assert_eq!(to.table_kinds(), [PTL_EVENT_PUT_OVERFLOW, PTL_EVENT_AUTO_FREE]);
}

#[test]
fn without_headers_a_used_overflow_entry_is_free_at_once() {
    let mut scene = Scene::new(MATCHING, PTL_ME_USE_ONCE | PTL_ME_UNEXPECTED_HDR_DISABLE);
    scene.put(1);
    assert_eq!(
        scene.kinds(),
        [PTL_EVENT_AUTO_UNLINK, PTL_EVENT_PUT, PTL_EVENT_AUTO_FREE]
    );
    let silent = PTL_ME_USE_ONCE | PTL_ME_UNEXPECTED_HDR_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE;
    let mut scene = Scene::new(MATCHING, silent);
    scene.put(1);
    assert_eq!(scene.kinds(), [PTL_EVENT_PUT]);
}

#[test]
fn an_overflow_entry_is_in_use_while_a_header_refers_to_it() {
    let mut scene = Scene::new(MATCHING, 0);
    scene.put(1);
    assert_eq!(scene.to.code(&Command::Unlink(scene.overflow)), Code::InUse);
    scene.append(exact(1, QUIET), 6);
    scene.to.done(&Command::Unlink(scene.overflow));
}

#[test]
fn an_entry_is_in_use_until_the_reply_has_left() {
    let (mut from, mut to) = (Peer::new(1, MATCHING), Peer::new(2, MATCHING));
    let index = to.table(0);
    let handle = to.append(index, any(QUIET, 0, 8), MatchList::Priority, 5);
    let md = from.md(0, 8, 0, NO_CT);
    let get = movement(Operation::Get, md, 8, to.process(), index);
    let header = from.library.prepare(&get).unwrap();
    let receipt = to
        .library
        .receive(&header, &mut Default::default(), &mut to.memory);
    assert!(receipt.now.events.is_empty());
    assert_eq!(receipt.respond, Respond::Reply(smallvec::smallvec![0; 8]));
    assert_eq!(to.code(&Command::Unlink(handle)), Code::InUse);
    let notices = to.library.fetched(receipt.later.unwrap());
    assert_eq!(notices.events[0].1.kind, PTL_EVENT_GET);
    to.issue(&notices);
    to.done(&Command::Unlink(handle));
}

#[test]
fn the_overflow_event_of_a_get_waits_for_its_event() {
    let mut scene = Scene::new(MATCHING, PTL_ME_USE_ONCE);
    let md = scene.from.md(0, 8, 0, NO_CT);
    let get = movement(Operation::Get, md, 8, scene.to.process(), scene.index);
    let header = scene.from.library.prepare(&get).unwrap();
    let to = &mut scene.to;
    let receipt = to
        .library
        .receive(&header, &mut Default::default(), &mut to.memory);
    to.issue(&receipt.now);
    scene.append(exact(0, LOUD | PTL_ME_USE_ONCE), 6);
    assert_eq!(scene.kinds(), [PTL_EVENT_AUTO_UNLINK, PTL_EVENT_AUTO_UNLINK]);
    let notices = scene.to.library.fetched(receipt.later.unwrap());
    scene.to.issue(&notices);
    assert_eq!(
        scene.kinds(),
        [PTL_EVENT_GET, PTL_EVENT_GET_OVERFLOW, PTL_EVENT_AUTO_FREE]
    );
}

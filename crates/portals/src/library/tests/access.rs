//! Who may do what with an entry, and which entries are refused.

use super::matching::{QUIET, pair};
use super::world::{MATCHING, NO_CT, PLAIN, Peer, carry, entry, movement};
use crate::constants::*;
use crate::library::limits;
use crate::{Ack, Code, Command, EntrySpec, Handle, Limits, MatchList, Move, NiFail, Operation, Respond};

#[test]
fn ack_disable_keeps_the_acknowledgement_back() {
    let (mut from, mut to, index) = pair(MATCHING);
    to.append(
        index,
        entry(0, 8, QUIET | PTL_ME_ACK_DISABLE),
        MatchList::Priority,
        1,
    );
    let md = from.md(0, 8, 0, NO_CT);
    let asked = Move {
        ack: Ack::Full,
        ..movement(Operation::Put, md, 8, to.process(), index)
    };
    let seen = carry(&mut from, &mut to, &asked);
    assert_eq!(seen.receipt.respond, Respond::Nothing);
    assert_eq!(from.kinds(), [PTL_EVENT_SEND]);
}

/// What a request of that kind to an entry with these options and that user fails with, and the registers then.
fn refused(operation: Operation, options: u32, uid: u32) -> (NiFail, [i32; 3]) {
    let (mut from, mut to, index) = pair(MATCHING);
    let wanted = EntrySpec {
        uid,
        ..entry(0, 8, options | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_USE_ONCE)
    };
    let handle = to.append(index, wanted, MatchList::Priority, 1);
    let md = from.md(0, 8, 0, NO_CT);
    let asked = movement(operation, md, 8, to.process(), index);
    let outcome = carry(&mut from, &mut to, &asked).receipt.outcome;
    if outcome.fail != NiFail::Ok {
        assert_eq!(
            to.table_kinds(),
            [],
            "the message is dropped without modifying state"
        );
        to.done(&Command::Unlink(handle));
    }
    (outcome.fail, to.status())
}

#[test]
fn permissions_and_operations_are_checked() {
    let (put, get) = (PTL_ME_OP_PUT, PTL_ME_OP_GET);
    let (operator, datatype) = (PTL_SUM, PTL_INT8_T);
    let atomic = Operation::Atomic { operator, datatype };
    let fetch = Operation::FetchAtomic { operator, datatype };
    let swap = Operation::Swap {
        operator: PTL_SWAP,
        datatype,
        operand: [0; 32],
    };
    let (good, wrong) = ((NiFail::Ok, [0; 3]), (NiFail::OpViolation, [0, 0, 1]));
    for (operation, options, expected) in [
        (Operation::Put, put, good),
        (Operation::Put, get, wrong),
        (Operation::Get, get, good),
        (Operation::Get, put, wrong),
        (atomic, put, good),
        (atomic, get, wrong),
        (fetch, put | get, good),
        (fetch, put, wrong),
        (fetch, get, wrong),
        (swap, put | get, good),
        (swap, put, wrong),
        (swap, 0, wrong),
    ] {
        assert_eq!(
            refused(operation, options, PTL_UID_ANY),
            expected,
            "{operation:?} {options}"
        );
    }
    assert_eq!(refused(Operation::Put, put, 1000), good);
    let stranger = (NiFail::PermViolation, [0, 1, 0]);
    assert_eq!(refused(Operation::Put, put, 1001), stranger);
    assert_eq!(
        refused(Operation::Put, get, 1001),
        stranger,
        "the user comes first"
    );
    assert_eq!(refused(Operation::Put, put | PTL_ME_AUTH_USE_JID, 7), good);
    assert_eq!(refused(Operation::Put, put | PTL_ME_AUTH_USE_JID, 1000), stranger);
}

#[test]
fn append_checks_its_arguments() {
    let desired = Limits {
        max_entries: 3,
        max_list_size: 2,
        max_iovecs: 2,
        ..limits::most(true)
    };
    let mut peer = Peer::with_limits(1, MATCHING, Some(desired));
    let index = peer.table(0);
    let good = entry(0, 8, 0);
    let append =
        |peer: &Peer, index, spec: &EntrySpec, list| peer.append_command(index, spec.clone(), list, 0);
    let mut vector = good.clone();
    vector.region = crate::Region::Vector(Box::new([(0, 1); 3]));
    let unknown = entry(0, 8, 1 << 21);
    let mut counted = good.clone();
    counted.ct = Handle(PTL_INVALID_HANDLE);
    for (index, spec) in [
        (index + 1, &good),
        (u32::MAX, &good),
        (index, &vector),
        (index, &unknown),
        (index, &counted),
    ] {
        let command = append(&peer, index, spec, MatchList::Priority);
        assert_eq!(peer.code(&command), Code::ArgInvalid);
    }
    let Command::Append {
        ni,
        entry: spec,
        list,
        ..
    } = append(&peer, index, &good, MatchList::Priority)
    else {
        unreachable!("it is an append")
    };
    let as_le = Command::Append {
        ni,
        pt_index: index,
        entry: spec,
        list,
        user_ptr: 0,
        non_matching: true,
    };
    assert_eq!(
        peer.code(&as_le),
        Code::ArgInvalid,
        "PtlLEAppend on a matching interface"
    );
    let (first, second) = (MatchList::Priority, MatchList::Overflow);
    peer.append(index, good.clone(), first, 0);
    peer.append(index, good.clone(), first, 0);
    let long = append(&peer, index, &good, first);
    assert_eq!(peer.code(&long), Code::ListTooLong);
    peer.append(index, good.clone(), second, 0);
    let many = append(&peer, index, &good, second);
    assert_eq!(peer.code(&many), Code::NoSpace);

    let mut plain = Peer::new(1, PLAIN);
    let index = plain.table(0);
    let local = plain.append_command(index, entry(0, 8, PTL_ME_MANAGE_LOCAL), first, 0);
    assert_eq!(
        plain.code(&local),
        Code::ArgInvalid,
        "an option of match list entries only"
    );
}

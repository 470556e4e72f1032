//! Memory descriptors, and what the initiator hears.

use super::world::{MATCHING, NO_CT, NO_EQ, Peer, carry, entry, failed, movement};
use crate::constants::*;
use crate::library::limits;
use crate::{
    Ack, Code, Command, Handle, Limits, MatchList, MdSpec, Move, NiFail, Operation, Outcome, Process, Region,
};

const SOMEBODY: Process = Process { nid: 9, pid: 9 };

fn spec(peer: &Peer) -> MdSpec {
    MdSpec {
        region: Region::Run { start: 0, length: 8 },
        options: 0,
        eq: peer.eq,
        ct: NO_CT,
    }
}

#[test]
fn ptlmdbind_checks_its_arguments() {
    let desired = Limits {
        max_mds: 1,
        max_iovecs: 2,
        ..limits::most(true)
    };
    let mut peer = Peer::with_limits(1, MATCHING, Some(desired));
    let (ni, good) = (peer.ni, spec(&peer));
    let with = |change: fn(&mut MdSpec)| {
        let mut spec = good.clone();
        change(&mut spec);
        Command::MdBind(ni, spec)
    };
    for wrong in [
        with(|spec| spec.options = PTL_MD_OPTIONS_MASK + 1),
        with(|spec| spec.eq = Handle(PTL_INVALID_HANDLE)),
        with(|spec| spec.ct = Handle(PTL_INVALID_HANDLE)),
        with(|spec| spec.eq = NO_CT),
        with(|spec| spec.region = Region::Vector(Box::new([(0, 1); 3]))),
    ] {
        assert_eq!(peer.code(&wrong), Code::ArgInvalid, "{wrong:?}");
    }
    let md = peer.handle(&Command::MdBind(ni, good.clone()));
    assert_eq!(peer.code(&Command::MdBind(ni, good)), Code::NoSpace);
    peer.done(&Command::MdRelease(md));
    assert_eq!(peer.code(&Command::MdRelease(md)), Code::ArgInvalid);
}

#[test]
fn queues_and_counters_must_be_of_the_same_interface() {
    let mut peer = Peer::new(1, MATCHING);
    let ct = peer.ct();
    let (eq, matching) = (peer.eq, peer.ni);
    let plain = super::world::PLAIN;
    let init = Command::NiInit {
        iface: PTL_IFACE_DEFAULT,
        options: plain,
        pid: PTL_PID_ANY,
        desired: None,
    };
    let (crate::Return::Interface(ni, _), _) = peer.run(&init) else {
        panic!("no interface")
    };
    assert_ne!(ni, matching);
    let foreign = |eq, ct| {
        let region = Region::Run { start: 0, length: 8 };
        Command::MdBind(
            ni,
            MdSpec {
                region,
                options: 0,
                eq,
                ct,
            },
        )
    };
    assert_eq!(peer.code(&foreign(eq, NO_CT)), Code::ArgInvalid);
    assert_eq!(peer.code(&foreign(NO_EQ, ct)), Code::ArgInvalid);
    peer.handle(&foreign(NO_EQ, NO_CT));
}

#[test]
fn a_movement_stays_inside_its_descriptor_and_the_limits() {
    let desired = Limits {
        max_msg_size: 6,
        max_atomic_size: 4,
        max_fetch_atomic_size: 2,
        ..limits::most(true)
    };
    let mut peer = Peer::with_limits(1, MATCHING, Some(desired));
    let md = peer.md(0, 8, 0, NO_CT);
    let atomic = Operation::Atomic {
        operator: PTL_SUM,
        datatype: PTL_INT8_T,
    };
    let fetch = Operation::FetchAtomic {
        operator: PTL_SUM,
        datatype: PTL_INT8_T,
    };
    let swap = |operator| Operation::Swap {
        operator,
        datatype: PTL_INT8_T,
        operand: [0; 32],
    };
    for (operation, offset, length, good) in [
        (Operation::Put, 2, 6, true),
        (Operation::Put, 3, 6, false),
        (Operation::Put, u64::MAX, 6, false),
        (Operation::Put, 0, 7, false),
        (Operation::Get, 0, 6, true),
        (Operation::Get, 0, 7, false),
        (atomic, 0, 4, true),
        (atomic, 0, 5, false),
        (fetch, 0, 2, true),
        (fetch, 0, 3, false),
        (swap(PTL_SWAP), 0, 2, true),
        (swap(PTL_CSWAP), 0, 1, true),
        (swap(PTL_CSWAP), 0, 2, false),
        (swap(PTL_MSWAP), 0, 2, false),
    ] {
        let asked = Move {
            local_offset: offset,
            ..movement(operation, md, length, SOMEBODY, 0)
        };
        let result = peer.library.prepare(&asked);
        assert_eq!(result.is_ok(), good, "{operation:?} {offset} {length}");
        if let Ok(header) = result {
            peer.library.closed(&header);
        } else {
            assert_eq!(result, Err(Code::ArgInvalid));
        }
    }
    let outside = Move {
        get_local_offset: 7,
        ..movement(fetch, md, 2, SOMEBODY, 0)
    };
    assert_eq!(peer.library.prepare(&outside), Err(Code::ArgInvalid));
    let nowhere = Move {
        get_md: NO_CT,
        ..movement(fetch, md, 2, SOMEBODY, 0)
    };
    assert_eq!(peer.library.prepare(&nowhere), Err(Code::ArgInvalid));
}

#[test]
fn operators_belong_to_their_functions() {
    let mut peer = Peer::new(1, MATCHING);
    let md = peer.md(0, 8, 0, NO_CT);
    let mut good = |operation| {
        let result = peer.library.prepare(&movement(operation, md, 1, SOMEBODY, 0));
        assert!(matches!(result, Ok(_) | Err(Code::ArgInvalid)));
        result.is_ok()
    };
    let datatype = PTL_UINT8_T;
    for operator in PTL_MIN..=PTL_OP_LAST {
        let swaps = (PTL_SWAP..=PTL_MSWAP).contains(&operator);
        let computes = operator < PTL_SWAP;
        assert_eq!(
            good(Operation::Atomic { operator, datatype }),
            computes,
            "{operator}"
        );
        assert_eq!(
            good(Operation::FetchAtomic { operator, datatype }),
            computes,
            "{operator}"
        );
        let operand = [0; 32];
        let swap = Operation::Swap {
            operator,
            datatype,
            operand,
        };
        assert_eq!(good(swap), swaps, "{operator}");
    }
    let datatype = PTL_DATATYPE_LAST;
    assert!(!good(Operation::Atomic {
        operator: PTL_SUM,
        datatype
    }));
}

#[test]
fn acknowledgements_need_where_to_go() {
    let mut peer = Peer::new(1, MATCHING);
    let with_queue = peer.md(0, 8, 0, NO_CT);
    let without = MdSpec {
        eq: NO_EQ,
        ..spec(&peer)
    };
    let nothing = peer.handle(&Command::MdBind(peer.ni, without));
    for (md, ack, good) in [
        (with_queue, Ack::Full, true),
        (with_queue, Ack::Counting, false),
        (nothing, Ack::Full, false),
        (nothing, Ack::Counting, false),
        (nothing, Ack::OperationCompleted, true),
        (nothing, Ack::None, true),
    ] {
        let put = Move {
            ack,
            ..movement(Operation::Put, md, 8, SOMEBODY, 0)
        };
        assert_eq!(peer.library.prepare(&put).is_ok(), good, "{ack:?}");
    }
}

#[test]
fn a_descriptor_is_in_use_until_its_operations_are_closed() {
    let mut peer = Peer::new(1, MATCHING);
    let (md, get_md) = (peer.md(0, 8, 0, NO_CT), peer.md(8, 8, 0, NO_CT));
    let fetch = Operation::FetchAtomic {
        operator: PTL_SUM,
        datatype: PTL_INT8_T,
    };
    let both = Move {
        get_md,
        ..movement(fetch, md, 8, SOMEBODY, 0)
    };
    let header = peer.library.prepare(&both).unwrap();
    let put = movement(Operation::Put, md, 8, SOMEBODY, 0);
    let other = peer.library.prepare(&put).unwrap();
    assert_eq!(peer.code(&Command::MdRelease(md)), Code::InUse);
    assert_eq!(peer.code(&Command::MdRelease(get_md)), Code::InUse);
    peer.library.closed(&header);
    peer.done(&Command::MdRelease(get_md));
    assert_eq!(peer.code(&Command::MdRelease(md)), Code::InUse);
    peer.library.closed(&other);
    peer.done(&Command::MdRelease(md));
}

#[test]
fn iovec_regions_are_one_region() {
    let (mut from, mut to) = (Peer::new(1, MATCHING), Peer::new(2, MATCHING));
    let index = to.table(0);
    let mut wanted = entry(0, 0, PTL_ME_OP_PUT | PTL_IOVEC);
    wanted.region = Region::Vector(Box::new([(100, 3), (200, 0), (300, 5)]));
    to.append(index, wanted, MatchList::Priority, 0);
    from.memory.0[..16].copy_from_slice(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    let gathered = MdSpec {
        region: Region::Vector(Box::new([(10, 2), (0, 4)])),
        options: PTL_IOVEC,
        ..spec(&from)
    };
    let md = from.handle(&Command::MdBind(from.ni, gathered));
    // Bytes 1 to 5 of 10 11 0 1 2 3 go to offset 2 of the 8 bytes.
    let put = Move {
        local_offset: 1,
        remote_offset: 2,
        ..movement(Operation::Put, md, 5, to.process(), index)
    };
    let seen = carry(&mut from, &mut to, &put);
    assert_eq!(seen.receipt.outcome.mlength, 5);
    assert_eq!(
        (to.memory.0[102], &to.memory.0[300..305]),
        (11, &[0, 1, 2, 3, 0][..])
    );
    let events = to.events(to.table_eq);
    assert_eq!(events[1].start, 102);
}

/// What an initiator with these options counts and hears of a put that came to this.
fn ends(options: u32, ack: Ack, sent: NiFail, came_to: Outcome) -> ((u64, u64), Vec<(u32, NiFail)>) {
    let mut peer = Peer::new(1, MATCHING);
    let ct = peer.ct();
    let md = peer.md(0, 8, options, ct);
    let put = Move {
        ack,
        ..movement(Operation::Put, md, 8, SOMEBODY, 0)
    };
    let header = peer.library.prepare(&put).unwrap();
    let notices = peer.library.sent(&header, &failed(sent));
    peer.issue(&notices);
    if ack != Ack::None {
        let notices = peer.library.acknowledged(&header, &came_to);
        peer.issue(&notices);
    }
    let events = peer.events(peer.eq);
    let kinds = events.iter().map(|event| (event.kind, event.fail)).collect();
    (peer.counts(ct), kinds)
}

#[test]
fn options_choose_what_is_counted_and_told() {
    let came = Outcome {
        mlength: 5,
        ..Outcome::default()
    };
    let (sends, acks) = ((PTL_EVENT_SEND, NiFail::Ok), (PTL_EVENT_ACK, NiFail::Ok));
    let all = PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_ACK;
    let bytes = PTL_MD_EVENT_CT_BYTES;
    let (mute, unsent) = (PTL_MD_EVENT_SUCCESS_DISABLE, PTL_MD_EVENT_SEND_DISABLE);
    for (options, ack, counts, kinds) in [
        (0, Ack::Full, 0, vec![sends, acks]),
        (0, Ack::None, 0, vec![sends]),
        (PTL_MD_EVENT_CT_SEND, Ack::Full, 1, vec![sends, acks]),
        (PTL_MD_EVENT_CT_ACK, Ack::Full, 1, vec![sends, acks]),
        (all, Ack::Full, 2, vec![sends, acks]),
        // "rlength is counted for a PTL_EVENT_SEND event and mlength from the target".
        (PTL_MD_EVENT_CT_SEND | bytes, Ack::Full, 8, vec![sends, acks]),
        (PTL_MD_EVENT_CT_ACK | bytes, Ack::Full, 5, vec![sends, acks]),
        (all | bytes, Ack::Counting, 13, vec![sends]),
        // "It can only count operations."
        (
            PTL_MD_EVENT_CT_ACK | bytes,
            Ack::OperationCompleted,
            1,
            vec![sends],
        ),
        (all | mute, Ack::Full, 2, vec![]),
        (all | unsent, Ack::Full, 2, vec![acks]),
        (PTL_MD_EVENT_CT_REPLY, Ack::Full, 0, vec![sends, acks]),
    ] {
        let seen = ends(options, ack, NiFail::Ok, came);
        assert_eq!(seen, ((counts, 0), kinds), "{options:#x} {ack:?}");
    }
}

#[test]
fn failures_are_told_whatever_is_disabled_and_count_one() {
    let options = PTL_MD_EVENT_CT_SEND
        | PTL_MD_EVENT_CT_ACK
        | PTL_MD_EVENT_CT_BYTES
        | PTL_MD_EVENT_SUCCESS_DISABLE
        | PTL_MD_EVENT_SEND_DISABLE;
    for fail in [
        NiFail::Dropped,
        NiFail::PtDisabled,
        NiFail::PermViolation,
        NiFail::OpViolation,
        NiFail::TargetInvalid,
    ] {
        let seen = ends(options, Ack::Full, fail, failed(fail));
        // It was sent: 8 bytes.
        assert_eq!(seen, ((8, 1), vec![(PTL_EVENT_ACK, fail)]));
        // "The operation completed acknowledgment would still be sent."
        let completed = ends(
            PTL_MD_EVENT_CT_ACK,
            Ack::OperationCompleted,
            NiFail::Ok,
            failed(fail),
        );
        assert_eq!(completed.0, (1, 0));
    }
    let lost = NiFail::Undeliverable;
    let both = vec![(PTL_EVENT_SEND, lost), (PTL_EVENT_ACK, lost)];
    assert_eq!(ends(options, Ack::Full, lost, failed(lost)), ((0, 2), both));
    let completed = ends(PTL_MD_EVENT_CT_ACK, Ack::OperationCompleted, lost, failed(lost));
    assert_eq!(completed, ((0, 1), vec![(PTL_EVENT_SEND, lost)]));
}

#[test]
fn volatile_is_known_to_the_nic() {
    let mut peer = Peer::new(1, MATCHING);
    for (options, volatile) in [(0, false), (PTL_MD_VOLATILE, true), (PTL_MD_UNORDERED, false)] {
        let md = peer.md(0, 8, options, NO_CT);
        let header = peer
            .library
            .prepare(&movement(Operation::Put, md, 8, SOMEBODY, 0))
            .unwrap();
        assert_eq!(peer.library.is_volatile(&header), volatile);
    }
}

//! `PtlInit`, `PtlNIInit` and what concerns an interface as a whole.

use super::world::{MATCHING, NO_CT, NO_EQ, PLAIN, Peer, entry, movement};
use crate::constants::*;
use crate::{
    Code, Command, Counter, Handle, Limits, MatchList, MdSpec, Operation, Process, RawProcess, Region,
    Return, SearchMode, Trigger,
};

fn init(options: u32, pid: u32, desired: Option<Limits>) -> Command {
    Command::NiInit {
        iface: PTL_IFACE_DEFAULT,
        options,
        pid,
        desired,
    }
}

/// One of each command, on objects of nobody.
fn commands() -> Vec<Command> {
    let handle = Handle(PTL_INVALID_HANDLE);
    let region = Region::Run { start: 0, length: 0 };
    let spec = MdSpec {
        region,
        options: 0,
        eq: NO_EQ,
        ct: NO_CT,
    };
    let append = Command::Append {
        ni: handle,
        pt_index: 0,
        entry: entry(0, 0, 0),
        list: MatchList::Priority,
        user_ptr: 0,
        non_matching: false,
    };
    let search = Command::Search {
        ni: handle,
        pt_index: 0,
        entry: entry(0, 0, 0),
        mode: SearchMode::Only,
        user_ptr: 0,
        non_matching: false,
    };
    let table = Command::PtAlloc {
        ni: handle,
        options: 0,
        eq: NO_EQ,
        requested: PTL_PT_ANY,
    };
    vec![
        Command::NiFini(handle),
        table,
        Command::PtFree(handle, 0),
        Command::PtEnable(handle, 0),
        Command::PtDisable(handle, 0),
        Command::EqAlloc(handle, 1),
        Command::EqFree(handle),
        Command::CtAlloc(handle),
        Command::CtFree(handle),
        Command::CtCancelTriggered(handle),
        Command::MdBind(handle, spec),
        Command::MdRelease(handle),
        append,
        Command::Unlink(handle),
        search,
    ]
}

#[test]
fn before_ptlinit_all_is_no_init() {
    let mut peer = Peer::before_init(1);
    let handle = Handle(PTL_INVALID_HANDLE);
    for command in commands() {
        assert_eq!(peer.code(&command), Code::NoInit, "{command:?}");
    }
    assert_eq!(peer.code(&init(MATCHING, PTL_PID_ANY, None)), Code::NoInit);
    let library = &mut peer.library;
    let none = Counter::default();
    assert_eq!(library.status(handle, 0), Err(Code::NoInit));
    assert_eq!(library.interface_of(handle), Err(Code::NoInit));
    assert_eq!(library.set_map(handle, &[]), Err(Code::NoInit));
    assert_eq!(library.map(handle), Err(Code::NoInit));
    assert_eq!(library.uid(handle), Err(Code::NoInit));
    assert_eq!(library.id(handle), Err(Code::NoInit));
    assert_eq!(library.physical_id(handle), Err(Code::NoInit));
    assert_eq!(library.bundle(handle, true), Err(Code::NoInit));
    assert_eq!(library.atomic_sync(), Err(Code::NoInit));
    assert_eq!(library.counter(handle), Err(Code::NoInit));
    assert_eq!(library.take_event(handle), Err(Code::NoInit));
    assert_eq!(library.ct_set(handle, none).unwrap_err(), Code::NoInit);
    assert_eq!(library.ct_increment(handle, none).unwrap_err(), Code::NoInit);
    let put = movement(Operation::Put, handle, 0, Process { nid: 1, pid: 1 }, 0);
    assert_eq!(library.prepare(&put), Err(Code::NoInit));
    let trigger = Trigger::CtInc(handle, none);
    assert_eq!(library.trigger(&trigger, handle, 0).unwrap_err(), Code::NoInit);
    assert_eq!(library.is_matching(handle), None);
}

#[test]
fn wrong_handles_are_arg_invalid() {
    let mut peer = Peer::new(1, MATCHING);
    for command in commands() {
        assert_eq!(peer.code(&command), Code::ArgInvalid, "{command:?}");
    }
    let (ni, eq) = (peer.ni, peer.eq);
    let ct = peer.ct();
    let md = peer.md(0, 8, 0, NO_CT);
    // Each is of the wrong kind.
    for command in [
        Command::NiFini(eq),
        Command::EqFree(ct),
        Command::CtFree(md),
        Command::MdRelease(ni),
        Command::Unlink(md),
        Command::EqAlloc(md, 1),
    ] {
        assert_eq!(peer.code(&command), Code::ArgInvalid, "{command:?}");
    }
    assert_eq!(peer.library.counter(eq), Err(Code::ArgInvalid));
    assert_eq!(peer.library.counter(NO_CT), Err(Code::ArgInvalid));
    assert_eq!(peer.library.take_event(NO_EQ), Err(Code::ArgInvalid));
    assert_eq!(peer.library.status(ni, PTL_SR_LAST), Err(Code::ArgInvalid));
}

#[test]
fn ptlniinit_wants_one_of_each_pair_of_options() {
    let mut peer = Peer::before_init(1);
    peer.library.init();
    for options in [
        0,
        PTL_NI_MATCHING,
        PTL_NI_PHYSICAL,
        PTL_NI_MATCHING | PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL,
        PTL_NI_MATCHING | PTL_NI_LOGICAL | PTL_NI_PHYSICAL,
        MATCHING | 1 << 4,
    ] {
        assert_eq!(peer.code(&init(options, PTL_PID_ANY, None)), Code::ArgInvalid);
    }
    let other = Command::NiInit {
        iface: 1,
        options: MATCHING,
        pid: PTL_PID_ANY,
        desired: None,
    };
    assert_eq!(
        peer.code(&other),
        Code::ArgInvalid,
        "not a valid network interface"
    );
}

#[test]
fn ptlniinit_twice_gives_the_same_interface_counted() {
    let mut peer = Peer::new(1, MATCHING);
    let mut desired = Limits {
        max_entries: 4,
        ..super::super::limits::most(true)
    };
    desired.max_mds = 4;
    let (again, _) = peer.run(&init(MATCHING, 5, Some(desired)));
    let Return::Interface(ni, limits) = again else {
        panic!("{again:?}")
    };
    assert_eq!(ni, peer.ni);
    assert_ne!(limits.max_entries, 4, "the desired limits will be ignored");
    peer.done(&Command::NiFini(ni));
    peer.ct();
    peer.done(&Command::NiFini(ni));
    assert_eq!(peer.code(&Command::NiFini(ni)), Code::ArgInvalid);
    assert_eq!(peer.code(&Command::CtAlloc(ni)), Code::ArgInvalid);
    assert_eq!(peer.library.pid(), None, "the process identifier is free");
}

#[test]
fn four_interfaces_share_one_process_identifier() {
    let mut peer = Peer::new(1, MATCHING);
    let pid = peer.process().pid;
    let mut handles = vec![peer.ni];
    for options in [
        PLAIN,
        PTL_NI_MATCHING | PTL_NI_LOGICAL,
        PTL_NI_NO_MATCHING | PTL_NI_LOGICAL,
    ] {
        let (Return::Interface(ni, _), _) = peer.run(&init(options, PTL_PID_ANY, None)) else {
            panic!("no interface")
        };
        assert!(!handles.contains(&ni));
        assert_eq!(peer.library.physical_id(ni).unwrap().pid, pid);
        handles.push(ni);
    }
    for handle in handles {
        assert_eq!(peer.library.interface_of(handle), Ok(handle));
    }
    assert_eq!(peer.library.interface_of(peer.eq), Ok(peer.ni));
}

#[test]
fn process_identifiers() {
    let mut peer = Peer::before_init(1);
    peer.library.init();
    peer.pids.take(Some(17)).unwrap();
    assert_eq!(peer.code(&init(MATCHING, 17, None)), Code::PidInUse);
    assert_eq!(
        peer.code(&init(MATCHING, PTL_PID_ANY + 1, None)),
        Code::ArgInvalid
    );
    assert!(matches!(
        peer.run(&init(MATCHING, 18, None)).0,
        Return::Interface(..)
    ));
    assert_eq!(peer.library.pid(), Some(18));
    assert_eq!(
        peer.code(&init(PLAIN, 19, None)),
        Code::ArgInvalid,
        "they share 18"
    );
    assert!(matches!(
        peer.run(&init(PLAIN, 18, None)).0,
        Return::Interface(..)
    ));
}

#[test]
fn the_last_ptlfini_frees_everything() {
    let mut peer = Peer::new(1, MATCHING);
    let (ni, pid) = (peer.ni, peer.process().pid);
    peer.library.init();
    peer.library.fini(&mut peer.pids);
    assert_eq!(peer.library.uid(ni), Ok(1000));
    peer.library.fini(&mut peer.pids);
    peer.library.fini(&mut peer.pids);
    assert_eq!(peer.library.uid(ni), Err(Code::NoInit));
    assert_eq!(peer.pids.take(None), Ok(pid), "the process identifier is free");
    peer.library.init();
    assert_eq!(peer.library.uid(ni), Err(Code::ArgInvalid));
}

#[test]
fn handles_of_an_interface_that_was_closed_name_nothing_in_the_next() {
    let mut peer = Peer::new(1, MATCHING);
    let ct = peer.ct();
    peer.done(&Command::NiFini(peer.ni));
    let again = peer.run(&init(MATCHING, PTL_PID_ANY, None)).0;
    assert!(matches!(again, Return::Interface(..)));
    assert_ne!(peer.ct(), ct);
    assert_eq!(peer.library.counter(ct), Err(Code::ArgInvalid));
}

#[test]
fn the_same_calls_give_the_same_handles_everywhere() {
    let (mut one, mut other) = (Peer::new(1, MATCHING), Peer::new(2, MATCHING));
    for _ in 0..3 {
        assert_eq!(one.ct(), other.ct());
        assert_eq!(one.md(0, 8, 0, NO_CT), other.md(16, 32, 0, NO_CT));
    }
    assert_eq!(
        (one.ni, one.eq, one.table_eq),
        (other.ni, other.eq, other.table_eq)
    );
}

#[test]
fn logical_interfaces_go_by_the_map() {
    let mut peer = Peer::new(3, PTL_NI_MATCHING | PTL_NI_LOGICAL);
    let (ni, own) = (peer.ni, peer.process());
    let md = peer.md(0, 8, 0, NO_CT);
    let to = |rank| movement(Operation::Put, md, 8, Process { nid: rank, pid: 9 }, 0);
    assert_eq!(peer.library.id(ni), Err(Code::ArgInvalid), "no map yet");
    assert_eq!(peer.library.map(ni), Err(Code::ArgInvalid));
    assert_eq!(peer.library.prepare(&to(0)), Err(Code::ArgInvalid), "no map yet");
    let other = Process { nid: 1, pid: 2 };
    assert_eq!(peer.library.set_map(ni, &[]), Err(Code::ArgInvalid));
    peer.library.set_map(ni, &[other, own]).unwrap();
    assert_eq!(peer.library.map(ni), Ok(&[other, own][..]));
    assert_eq!(
        peer.library.id(ni),
        Ok(RawProcess {
            nid_or_rank: 1,
            pid: 0
        })
    );
    assert_eq!(peer.library.physical_id(ni), Ok(own));
    let header = peer.library.prepare(&to(0)).unwrap();
    assert_eq!((header.initiator, header.target), (own, other));
    assert_eq!(header.initiator_id.nid_or_rank, 1);
    assert_eq!(
        peer.library.prepare(&to(2)),
        Err(Code::ArgInvalid),
        "no such rank"
    );
    // "Subsequent calls to PtlSetMap() will overwrite any mapping".
    peer.library.set_map(ni, &[own]).unwrap();
    assert_eq!(peer.library.id(ni).unwrap().nid_or_rank, 0);

    let index = peer.table(0);
    let mut wanted = entry(0, 8, PTL_ME_OP_PUT);
    wanted.match_id.nid_or_rank = 1;
    let append = peer.append_command(index, wanted.clone(), MatchList::Priority, 0);
    assert_eq!(
        peer.code(&append),
        Code::ArgInvalid,
        "match_id is not a valid process"
    );
    wanted.match_id.nid_or_rank = PTL_RANK_ANY;
    peer.append(index, wanted, MatchList::Priority, 0);
}

#[test]
fn physical_interfaces_have_no_map_and_no_wildcard_target() {
    let mut peer = Peer::new(1, MATCHING);
    let ni = peer.ni;
    let own = peer.process();
    assert_eq!(peer.library.set_map(ni, &[own]), Err(Code::ArgInvalid));
    assert_eq!(
        peer.library.id(ni),
        Ok(RawProcess {
            nid_or_rank: 1,
            pid: own.pid
        })
    );
    let md = peer.md(0, 8, 0, NO_CT);
    for (nid, pid) in [(PTL_NID_ANY, 1), (1, PTL_PID_ANY)] {
        let put = movement(Operation::Put, md, 8, Process { nid, pid }, 0);
        assert_eq!(peer.library.prepare(&put), Err(Code::ArgInvalid));
    }
}

#[test]
fn bundles_begin_and_end_in_pairs() {
    let mut peer = Peer::new(1, MATCHING);
    let ni = peer.ni;
    assert_eq!(peer.library.bundle(ni, false), Err(Code::ArgInvalid));
    peer.library.bundle(ni, true).unwrap();
    peer.library.bundle(ni, true).unwrap();
    peer.library.bundle(ni, false).unwrap();
    peer.library.bundle(ni, false).unwrap();
    assert_eq!(peer.library.bundle(ni, false), Err(Code::ArgInvalid));
    assert_eq!(peer.library.atomic_sync(), Ok(()));
}

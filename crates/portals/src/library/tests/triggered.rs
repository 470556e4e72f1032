//! Counting events and triggered operations.

use super::world::{MATCHING, NO_CT, Peer, carry_header, cases, entry, movement};
use crate::constants::*;
use crate::library::limits;
use crate::{Code, Command, Counter, Handle, Limits, MatchList, Operation, Process, Return, Trigger};
use proptest::prelude::*;

const SOMEBODY: Process = Process { nid: 9, pid: 9 };

fn successes(success: u64) -> Counter {
    Counter { success, failure: 0 }
}

#[test]
fn counting_events_count() {
    let desired = Limits {
        max_cts: 1,
        ..limits::most(true)
    };
    let mut peer = Peer::with_limits(1, MATCHING, Some(desired));
    let ct = peer.ct();
    assert_eq!(peer.code(&Command::CtAlloc(peer.ni)), Code::NoSpace);
    assert_eq!(peer.counts(ct), (0, 0), "initialized to zero");
    let both = Counter {
        success: 7,
        failure: 3,
    };
    let notices = peer.library.ct_set(ct, both).unwrap();
    assert_eq!(notices.counters[..], [ct]);
    peer.library.ct_increment(ct, successes(1)).unwrap();
    let failures = Counter {
        success: 0,
        failure: 3,
    };
    peer.library.ct_increment(ct, failures).unwrap();
    assert_eq!(peer.counts(ct), (8, 6));
    // "Can only be non-zero for either the success or failure field."
    assert_eq!(peer.library.ct_increment(ct, both).unwrap_err(), Code::ArgInvalid);
    assert_eq!(peer.counts(ct), (8, 6));
    peer.done(&Command::CtFree(ct));
    assert_eq!(peer.library.counter(ct), Err(Code::ArgInvalid));
}

#[test]
fn a_triggered_put_leaves_when_the_threshold_is_reached_or_passed() {
    let (mut from, mut to) = (Peer::new(1, MATCHING), Peer::new(2, MATCHING));
    let index = to.table(0);
    to.append(index, entry(0, 8, PTL_ME_OP_PUT), MatchList::Priority, 0);
    let (ct, md) = (from.ct(), from.md(0, 8, 0, NO_CT));
    let put = Trigger::Move(movement(Operation::Put, md, 8, to.process(), index));
    assert!(from.library.trigger(&put, ct, 3).unwrap().is_empty());
    assert_eq!(from.code(&Command::MdRelease(md)), Code::InUse);
    let notices = from.library.ct_increment(ct, successes(2)).unwrap();
    assert!(notices.launched.is_empty());
    // "It uses the state of the buffer after the threshold condition is met."
    from.memory.0[0] = 77;
    let mut notices = from.library.ct_increment(ct, successes(5)).unwrap();
    assert_eq!(notices.launched.len(), 1);
    let header = notices.launched.remove(0);
    carry_header(&mut from, &mut to, header);
    assert_eq!(to.memory.0[0], 77);
    from.done(&Command::MdRelease(md));
}

#[test]
fn a_threshold_that_is_reached_already_is_due_at_once_and_failures_count_too() {
    let mut peer = Peer::new(1, MATCHING);
    let (ct, md) = (peer.ct(), peer.md(0, 8, 0, NO_CT));
    let put = Trigger::Move(movement(Operation::Put, md, 8, SOMEBODY, 0));
    let value = Counter {
        success: 1,
        failure: 1,
    };
    peer.library.ct_set(ct, value).unwrap();
    assert_eq!(peer.library.trigger(&put, ct, 2).unwrap().launched.len(), 1);
    assert_eq!(peer.library.trigger(&put, ct, 3).unwrap().launched.len(), 0);
}

#[test]
fn what_is_cancelled_or_freed_never_happens() {
    for free in [false, true] {
        let mut peer = Peer::new(1, MATCHING);
        let (ct, md) = (peer.ct(), peer.md(0, 8, 0, NO_CT));
        let put = Trigger::Move(movement(Operation::Put, md, 8, SOMEBODY, 0));
        peer.library.trigger(&put, ct, 1).unwrap();
        if free {
            peer.done(&Command::CtFree(ct));
        } else {
            peer.done(&Command::CtCancelTriggered(ct));
            let notices = peer.library.ct_increment(ct, successes(1)).unwrap();
            assert!(notices.launched.is_empty());
        }
        peer.done(&Command::MdRelease(md));
    }
}

#[test]
fn what_waited_on_an_interface_that_closes_never_happens() {
    let mut peer = Peer::new(1, MATCHING);
    let md = peer.md(0, 8, 0, NO_CT);
    let other = Command::NiInit {
        iface: PTL_IFACE_DEFAULT,
        options: super::world::PLAIN,
        pid: PTL_PID_ANY,
        desired: None,
    };
    let (Return::Interface(ni, _), _) = peer.run(&other) else {
        panic!("no interface")
    };
    let ct = peer.handle(&Command::CtAlloc(ni));
    let put = Trigger::Move(movement(Operation::Put, md, 8, SOMEBODY, 0));
    peer.library.trigger(&put, ct, 1).unwrap();
    assert_eq!(peer.code(&Command::MdRelease(md)), Code::InUse);
    peer.done(&Command::NiFini(ni));
    peer.done(&Command::MdRelease(md));
}

#[test]
fn arguments_of_triggered_operations_are_checked_when_they_are_registered() {
    let desired = Limits {
        max_triggered_ops: 2,
        ..limits::most(true)
    };
    let mut peer = Peer::with_limits(1, MATCHING, Some(desired));
    let (ct, md) = (peer.ct(), peer.md(0, 8, 0, NO_CT));
    let both = Counter {
        success: 1,
        failure: 1,
    };
    let none = Handle(PTL_INVALID_HANDLE);
    let good = Trigger::CtInc(ct, successes(1));
    for (wrong, on) in [
        (Trigger::Move(movement(Operation::Put, md, 9, SOMEBODY, 0)), ct),
        (Trigger::Move(movement(Operation::Put, none, 8, SOMEBODY, 0)), ct),
        (Trigger::CtInc(none, successes(1)), ct),
        (Trigger::CtSet(none, successes(1)), ct),
        (Trigger::CtInc(ct, both), ct),
        (good.clone(), none),
        (good.clone(), NO_CT),
    ] {
        let code = peer.library.trigger(&wrong, on, 9).unwrap_err();
        assert_eq!(code, Code::ArgInvalid, "{wrong:?}");
    }
    peer.library.trigger(&good, ct, 9).unwrap();
    peer.library.trigger(&good, ct, 9).unwrap();
    assert_eq!(peer.library.trigger(&good, ct, 9).unwrap_err(), Code::NoSpace);
    peer.done(&Command::CtCancelTriggered(ct));
    peer.library.trigger(&good, ct, 9).unwrap();
}

#[test]
fn counting_events_set_off_others() {
    let mut peer = Peer::new(1, MATCHING);
    let md = peer.md(0, 8, 0, NO_CT);
    let chain: Vec<Handle> = (0..4).map(|_| peer.ct()).collect();
    let put = |number| {
        let mut put = movement(Operation::Put, md, 8, SOMEBODY, 0);
        put.user_ptr = number;
        Trigger::Move(put)
    };
    for (number, pair) in (0..).zip(chain.windows(2)) {
        peer.library.trigger(&put(number), pair[0], 1).unwrap();
        let next = Trigger::CtInc(pair[1], successes(1));
        peer.library.trigger(&next, pair[0], 1).unwrap();
    }
    // The last one starts the first anew, "a convenient mechanism to provide reinitialization".
    let reset = Trigger::CtSet(chain[0], successes(0));
    peer.library.trigger(&reset, chain[3], 1).unwrap();
    let notices = peer.library.ct_increment(chain[0], successes(1)).unwrap();
    let launched: Vec<u64> = notices.launched.iter().map(|header| header.user_ptr).collect();
    assert_eq!(launched, [0, 1, 2]);
    assert_eq!(
        chain.iter().map(|ct| peer.counts(*ct).0).collect::<Vec<_>>(),
        [0, 1, 1, 1]
    );
    assert_eq!(notices.counters[..], chain[..]);
}

/// What is done to one of three counting events.
#[derive(Clone, Copy, Debug)]
enum Step {
    Add(usize, u64),
    Fail(usize),
    Set(usize, u64),
    Put(usize, u64),
    AddLater(usize, u64, usize, u64),
    SetLater(usize, u64, usize, u64),
    Cancel(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let (ct, small) = (0_usize..3, 0_u64..6);
    prop_oneof![
        (ct.clone(), small.clone()).prop_map(|(ct, by)| Step::Add(ct, by)),
        ct.clone().prop_map(Step::Fail),
        (ct.clone(), small.clone()).prop_map(|(ct, to)| Step::Set(ct, to)),
        (ct.clone(), 0_u64..20).prop_map(|(ct, at)| Step::Put(ct, at)),
        (ct.clone(), 0_u64..20, ct.clone(), small.clone())
            .prop_map(|(ct, at, other, by)| Step::AddLater(ct, at, other, by)),
        (ct.clone(), 0_u64..20, ct.clone(), small)
            .prop_map(|(ct, at, other, to)| Step::SetLater(ct, at, other, to)),
        ct.prop_map(Step::Cancel),
    ]
}

/// What waits in the model.
#[derive(Clone, Copy)]
enum Waits {
    Put(u64),
    Add(usize, u64),
    Set(usize, u64),
}

#[derive(Default)]
struct Model {
    values: [(u64, u64); 3],
    /// Counting event, threshold, what: in the order of registration.
    waiting: Vec<(usize, u64, Waits)>,
    launched: Vec<u64>,
}

impl Model {
    fn settle(&mut self, ct: usize) {
        let mut moved = vec![ct];
        while !moved.is_empty() {
            let ct = moved.remove(0);
            let reached = self.values[ct].0 + self.values[ct].1;
            let is_due = |waits: &(usize, u64, Waits)| waits.0 == ct && waits.1 <= reached;
            let mut due: Vec<_> = self.waiting.iter().copied().filter(is_due).collect();
            self.waiting.retain(|waits| !is_due(waits));
            due.sort_by_key(|waits| waits.1);
            for (_, _, waits) in due {
                match waits {
                    Waits::Put(number) => self.launched.push(number),
                    Waits::Add(other, by) => {
                        self.values[other].0 += by;
                        moved.push(other);
                    }
                    Waits::Set(other, to) => {
                        self.values[other] = (to, 0);
                        moved.push(other);
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn counting_events_do_what_their_model_does(steps in proptest::collection::vec(step(), 1..60)) {
        let mut peer = Peer::new(1, MATCHING);
        let cts = [peer.ct(), peer.ct(), peer.ct()];
        let md = peer.md(0, 8, 0, NO_CT);
        let mut model = Model::default();
        let mut launched = Vec::new();
        for (number, step) in (0_u64..).zip(steps) {
            let (touched, notices) = match step {
                Step::Add(ct, by) => {
                    model.values[ct].0 += by;
                    (ct, peer.library.ct_increment(cts[ct], successes(by)))
                }
                Step::Fail(ct) => {
                    model.values[ct].1 += 1;
                    let by = Counter { success: 0, failure: 1 };
                    (ct, peer.library.ct_increment(cts[ct], by))
                }
                Step::Set(ct, to) => {
                    model.values[ct] = (to, 0);
                    (ct, peer.library.ct_set(cts[ct], successes(to)))
                }
                Step::Put(ct, at) => {
                    model.waiting.push((ct, at, Waits::Put(number)));
                    let mut put = movement(Operation::Put, md, 8, SOMEBODY, 0);
                    put.user_ptr = number;
                    (ct, peer.library.trigger(&Trigger::Move(put), cts[ct], at))
                }
                Step::AddLater(ct, at, other, by) => {
                    model.waiting.push((ct, at, Waits::Add(other, by)));
                    let action = Trigger::CtInc(cts[other], successes(by));
                    (ct, peer.library.trigger(&action, cts[ct], at))
                }
                Step::SetLater(ct, at, other, to) => {
                    model.waiting.push((ct, at, Waits::Set(other, to)));
                    let action = Trigger::CtSet(cts[other], successes(to));
                    (ct, peer.library.trigger(&action, cts[ct], at))
                }
                Step::Cancel(ct) => {
                    model.waiting.retain(|waits| waits.0 != ct);
                    peer.done(&Command::CtCancelTriggered(cts[ct]));
                    continue;
                }
            };
            model.settle(touched);
            let notices = notices.unwrap();
            launched.extend(notices.launched.iter().map(|header| header.user_ptr));
            prop_assert_eq!(&launched, &model.launched);
            prop_assert_eq!(cts.map(|ct| peer.counts(ct)), model.values);
        }
    }
}

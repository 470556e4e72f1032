//! Event queues.

use super::world::{MATCHING, NO_CT, Peer, cases, movement};
use crate::constants::*;
use crate::library::limits;
use crate::{Code, Command, Handle, Limits, NiFail, Operation, Outcome, Process};
use proptest::prelude::*;
use std::collections::VecDeque;

#[test]
fn queues_are_counted_and_go_with_their_events() {
    let desired = Limits {
        max_eqs: 3,
        ..limits::most(true)
    };
    let mut peer = Peer::with_limits(1, MATCHING, Some(desired));
    let ni = peer.ni;
    let eq = peer.handle(&Command::EqAlloc(ni, 1));
    assert_eq!(peer.code(&Command::EqAlloc(ni, 1)), Code::NoSpace);
    peer.done(&Command::EqFree(eq));
    assert_eq!(peer.code(&Command::EqFree(eq)), Code::ArgInvalid);
    assert!(!peer.library.deliver(eq, Default::default()), "the queue is gone");
    assert_eq!(peer.code(&Command::EqAlloc(ni, u64::MAX)), Code::NoSpace);
    assert_ne!(peer.handle(&Command::EqAlloc(ni, 0)), eq);
}

/// What happens to a queue.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// An event comes into being.
    Make,
    /// The NIC brings the oldest event that is on its way.
    Deliver,
    Take,
}

/// A queue as one would draw it: boxes for events, and a mark for lost ones.
struct Model {
    places: usize,
    underway: VecDeque<u64>,
    here: VecDeque<u64>,
    lost: bool,
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn a_queue_does_what_its_model_does(
        places in 1_usize..5,
        steps in proptest::collection::vec(
            prop_oneof![Just(Step::Make), Just(Step::Deliver), Just(Step::Take)], 1..80),
    ) {
        let mut peer = Peer::new(1, MATCHING);
        peer.eq = peer.handle(&Command::EqAlloc(peer.ni, places as u64));
        let eq = peer.eq;
        let md = peer.md(0, 8, 0, NO_CT);
        let mut model = Model {
            places,
            underway: VecDeque::new(),
            here: VecDeque::new(),
            lost: false,
        };
        let mut underway = VecDeque::new();
        for (number, step) in (0_u64..).zip(steps) {
            match step {
                Step::Make => {
                    let mut put = movement(Operation::Put, md, 8, Process { nid: 2, pid: 2 }, 0);
                    put.user_ptr = number;
                    let header = peer.library.prepare(&put).unwrap();
                    let notices = peer.library.sent(&header, &Outcome::default());
                    let fits = model.underway.len() + model.here.len() < model.places;
                    prop_assert_eq!(notices.events.len(), usize::from(fits));
                    if fits {
                        model.underway.push_back(number);
                    } else {
                        model.lost = true;
                    }
                    underway.extend(notices.events);
                }
                Step::Deliver => {
                    if let Some((queue, event)) = underway.pop_front() {
                        prop_assert_eq!(queue, eq);
                        prop_assert!(peer.library.deliver(queue, event));
                    }
                    model.here.extend(model.underway.pop_front());
                }
                Step::Take => {
                    let taken = peer.library.take_event(eq).unwrap();
                    let seen = taken.map(|(event, lost)| (event.user_ptr, lost));
                    let expected = model.here.pop_front();
                    let expected = expected.map(|number| (number, std::mem::take(&mut model.lost)));
                    prop_assert_eq!(seen, expected);
                }
            }
        }
    }
}

#[test]
fn an_event_that_was_lost_is_told_once() {
    let mut peer = Peer::new(1, MATCHING);
    peer.eq = peer.handle(&Command::EqAlloc(peer.ni, 2));
    let md = peer.md(0, 8, 0, NO_CT);
    let put = movement(Operation::Put, md, 8, Process { nid: 2, pid: 2 }, 0);
    for _ in 0..3 {
        let header = peer.library.prepare(&put).unwrap();
        let notices = peer.library.sent(&header, &Outcome::default());
        peer.issue(&notices);
    }
    let eq: Handle = peer.eq;
    let dropped = [0, 1].map(|_| {
        let (event, dropped) = peer.library.take_event(eq).unwrap().unwrap();
        assert_eq!((event.kind, event.fail), (PTL_EVENT_SEND, NiFail::Ok));
        dropped
    });
    assert_eq!(dropped, [true, false], "PTL_EQ_DROPPED, then PTL_OK");
    assert_eq!(peer.library.take_event(eq), Ok(None), "PTL_EQ_EMPTY");
}

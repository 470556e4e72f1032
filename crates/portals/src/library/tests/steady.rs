//! What messages cost once everything has its room.

use super::world::{MATCHING, NO_CT, Peer, entry, movement};
use crate::constants::*;
use crate::{Ack, EntrySpec, MatchList, Move, Operation, Outcome, Payload};

/// Puts of 8 B with ACK into an entry that others stand in front of, every event taken.
fn puts(from: &mut Peer, to: &mut Peer, put: &Move, number: u32) {
    for _ in 0..number {
        let header = from.library.prepare(put).expect("good arguments");
        let mut payload: Payload = from.library.outgoing(&header, &from.memory);
        let notices = from.library.sent(&header, &Outcome::default());
        from.issue(&notices);
        let receipt = to.library.receive(&header, &mut payload, &mut to.memory);
        to.issue(&receipt.now);
        let notices = from.library.acknowledged(&header, &receipt.outcome);
        from.issue(&notices);
        from.library.closed(&header);
        for (peer, eq, events) in [(&mut *from, None, 2), (&mut *to, Some(()), 1)] {
            let eq = eq.map_or(peer.eq, |()| peer.table_eq);
            for _ in 0..events {
                assert!(peer.library.take_event(eq).expect("the queue is there").is_some());
            }
        }
    }
}

#[test]
fn a_put_with_ack_allocates_nothing_in_steady_state() {
    let (mut from, mut to) = (Peer::new(1, MATCHING), Peer::new(2, MATCHING));
    let index = to.table(0);
    let options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_CT_COMM;
    for match_bits in 0..4 {
        let spec = EntrySpec {
            match_bits,
            ct: to.ct(),
            ..entry(0, 64, options)
        };
        to.append(index, spec, MatchList::Priority, 0);
    }
    let ct = from.ct();
    let md = from.md(0, 8, PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_ACK, ct);
    let put = Move {
        ack: Ack::Full,
        match_bits: 3,
        ..movement(Operation::Put, md, 8, to.process(), index)
    };
    assert_ne!(NO_CT, ct);
    puts(&mut from, &mut to, &put, 100);
    let allocations = allocation_counter::measure(|| puts(&mut from, &mut to, &put, 100));
    assert_eq!(allocations.count_total, 0);
    assert_eq!(from.counts(ct), (400, 0));
}

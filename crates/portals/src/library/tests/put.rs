//! `PtlPut` from end to end.

use super::world::{MATCHING, NO_CT, PLAIN, Peer, carry, entry, movement};
use crate::constants::*;
use crate::{Ack, Event, MatchList, Move, NiFail, Operation, RawProcess};

#[test]
fn a_put_with_ack_moves_the_bytes_and_both_sides_hear_of_it() {
    for options in [MATCHING, PLAIN] {
        let (mut from, mut to) = (Peer::new(1, options), Peer::new(2, options));
        let index = to.table(0);
        to.append(index, entry(100, 50, PTL_ME_OP_PUT), MatchList::Priority, 33);
        from.memory.0[..4].copy_from_slice(&[1, 2, 3, 4]);
        let md = from.md(0, 8, 0, NO_CT);
        let put = Move {
            ack: Ack::Full,
            local_offset: 1,
            remote_offset: 10,
            ..movement(Operation::Put, md, 3, to.process(), index)
        };
        carry(&mut from, &mut to, &put);
        assert_eq!(to.memory.0[108..115], [0, 0, 2, 3, 4, 0, 0]);

        let events = to.events(to.table_eq);
        assert_eq!(events[0].kind, PTL_EVENT_LINK);
        assert_eq!(
            events[1],
            Event {
                kind: PTL_EVENT_PUT,
                start: 110,
                user_ptr: 33,
                hdr_data: 22,
                rlength: 3,
                mlength: 3,
                remote_offset: 10,
                uid: 1000,
                initiator: RawProcess {
                    nid_or_rank: 1,
                    pid: from.process().pid
                },
                list: MatchList::Priority,
                pt_index: index,
                fail: NiFail::Ok,
                ..Event::default()
            }
        );
        assert_eq!(events.len(), 2);

        let events = from.events(from.eq);
        assert_eq!(events.len(), 2);
        assert_eq!((events[0].kind, events[0].user_ptr), (PTL_EVENT_SEND, 11));
        assert_eq!(
            events[1],
            Event {
                kind: PTL_EVENT_ACK,
                user_ptr: 11,
                mlength: 3,
                remote_offset: 10,
                ..Event::default()
            }
        );
    }
}

//! The order of messages between two nodes: each direction of each virtual network counts its messages, and its far end
//! takes each of them once, in that order, whatever is lost or sent twice.

use super::message::{Message, Sequence};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The sending end of one direction.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    next: u64,
    /// All below are done with
    floor: u64,
    /// Whether the messages from the floor on are done with
    done: VecDeque<bool>,
}

impl Outgoing {
    /// The place of a new message.
    pub(super) fn assign(&mut self) -> Sequence {
        let number = self.next;
        self.next += 1;
        self.done.push_back(false);
        Sequence {
            number,
            floor: self.floor,
        }
    }

    /// The place of a new message that nobody acknowledges: nothing is known to be done with.
    pub(super) fn assign_untracked(&mut self) -> Sequence {
        let number = self.next;
        self.next += 1;
        Sequence { number, floor: 0 }
    }

    /// All messages below this are done with.
    pub(super) fn floor(&self) -> u64 {
        self.floor
    }

    /// The message with this number is done with: acknowledged, given up, or not waited for.
    pub(super) fn close(&mut self, number: u64) {
        if let Some(at) = number.checked_sub(self.floor)
            && let Some(done) = self.done.get_mut(at as usize)
        {
            *done = true;
        }
        while self.done.front() == Some(&true) {
            self.done.pop_front();
            self.floor += 1;
        }
    }
}

/// What the receiving end makes of a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// It is next, and was taken
    Next,
    /// An earlier one is missing: it is kept
    Kept,
    /// It was here before
    Duplicate,
}

/// The receiving end of one direction.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    /// The next message's number
    expected: u64,
    /// Messages that came before their turn
    kept: BTreeMap<u64, Message>,
    /// Numbers without a message: lost for good
    lost: BTreeSet<u64>,
    /// Requests, not below the sender's floor, that were answered by an end-to-end acknowledgement alone
    plain: BTreeSet<u64>,
}

impl Incoming {
    /// Sorts `message` in; what can be handled now is appended to `ready` in order.
    pub(super) fn arrive(&mut self, message: Message, ready: &mut Vec<Message>) -> Arrival {
        let Sequence { number, floor } = message.sequence;
        self.advance(floor, ready);
        if !self.plain.is_empty() {
            self.plain = self.plain.split_off(&floor);
        }
        if number < self.expected || self.kept.contains_key(&number) || self.lost.contains(&number) {
            return Arrival::Duplicate;
        }
        if number > self.expected {
            self.kept.insert(number, message);
            return Arrival::Kept;
        }
        self.expected += 1;
        ready.push(message);
        self.release(ready);
        Arrival::Next
    }

    /// The message with this number never comes, or must not be handled any more.
    pub(super) fn skip(&mut self, number: u64, ready: &mut Vec<Message>) {
        if number >= self.expected {
            self.kept.remove(&number);
            self.lost.insert(number);
            self.release(ready);
        }
    }

    /// The request with this number was answered by an end-to-end acknowledgement alone: if that is lost the request comes
    /// again and must be answered so again.
    pub(super) fn answered_plainly(&mut self, number: u64) {
        self.plain.insert(number);
    }

    /// Whether it was.
    pub(super) fn was_answered_plainly(&self, number: u64) -> bool {
        self.plain.contains(&number)
    }

    /// The sender has given up what is missing below `floor`.
    fn advance(&mut self, floor: u64, ready: &mut Vec<Message>) {
        while self.expected < floor {
            // What came is still handled: the sender may know that it arrived.
            if let Some(message) = self.kept.remove(&self.expected) {
                ready.push(message);
            }
            self.lost.remove(&self.expected);
            self.expected += 1;
        }
        self.release(ready);
    }

    fn release(&mut self, ready: &mut Vec<Message>) {
        loop {
            if let Some(message) = self.kept.remove(&self.expected) {
                ready.push(message);
            } else if !self.lost.remove(&self.expected) {
                return;
            }
            self.expected += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::{Body, OperationId, Vn};
    use super::*;
    use crate::Outcome;

    fn message(number: u64, floor: u64) -> Message {
        Message {
            body: Body::Ack(Outcome::default()),
            from: 1,
            to: 2,
            vn: Vn::request(false),
            sequence: Sequence { number, floor },
            operation: OperationId::default(),
            fetches: false,
            e2e: true,
            retries: 0,
            pids: (0, 0),
            carried: true,
            commanded: false,
            credited: false,
            completion: None,
        }
    }

    /// Sorts a message in: what became of it, and the numbers that could be handled.
    fn arrive(incoming: &mut Incoming, number: u64, floor: u64) -> (Arrival, Vec<u64>) {
        let mut ready = Vec::new();
        let arrival = incoming.arrive(message(number, floor), &mut ready);
        (
            arrival,
            ready.iter().map(|message| message.sequence.number).collect(),
        )
    }

    fn skip(incoming: &mut Incoming, number: u64) -> Vec<u64> {
        let mut ready = Vec::new();
        incoming.skip(number, &mut ready);
        ready.iter().map(|message| message.sequence.number).collect()
    }

    #[test]
    fn the_floor_is_the_first_number_that_is_open() {
        let mut outgoing = Outgoing::default();
        let numbers: Vec<u64> = (0..4).map(|_| outgoing.assign().number).collect();
        assert_eq!(numbers, [0, 1, 2, 3]);
        outgoing.close(1);
        assert_eq!(outgoing.floor(), 0);
        outgoing.close(0);
        assert_eq!(outgoing.floor(), 2);
        outgoing.close(0);
        outgoing.close(3);
        outgoing.close(2);
        assert_eq!(outgoing.assign(), Sequence { number: 4, floor: 4 });
    }

    #[test]
    fn messages_are_handled_once_and_in_order() {
        let mut incoming = Incoming::default();
        assert_eq!(arrive(&mut incoming, 2, 0), (Arrival::Kept, vec![]));
        assert_eq!(arrive(&mut incoming, 2, 0), (Arrival::Duplicate, vec![]));
        assert_eq!(arrive(&mut incoming, 0, 0), (Arrival::Next, vec![0]));
        assert_eq!(arrive(&mut incoming, 1, 0), (Arrival::Next, vec![1, 2]));
        assert_eq!(arrive(&mut incoming, 1, 0), (Arrival::Duplicate, vec![]));
    }

    #[test]
    fn what_is_skipped_holds_nobody_up_and_is_not_handled_later() {
        let mut incoming = Incoming::default();
        assert_eq!(arrive(&mut incoming, 1, 0).0, Arrival::Kept);
        assert_eq!(arrive(&mut incoming, 3, 0).0, Arrival::Kept);
        // 3 is here, but given up.
        assert_eq!(skip(&mut incoming, 3), [0; 0]);
        assert_eq!(arrive(&mut incoming, 3, 0), (Arrival::Duplicate, vec![]));
        assert_eq!(skip(&mut incoming, 0), [1]);
        assert_eq!(arrive(&mut incoming, 0, 0), (Arrival::Duplicate, vec![]));
        assert_eq!(arrive(&mut incoming, 2, 0), (Arrival::Next, vec![2]));
        assert_eq!(arrive(&mut incoming, 4, 0), (Arrival::Next, vec![4]));
    }

    #[test]
    fn a_floor_releases_what_waits_below_and_behind_it() {
        let mut incoming = Incoming::default();
        assert_eq!(arrive(&mut incoming, 1, 0).0, Arrival::Kept);
        assert_eq!(arrive(&mut incoming, 3, 0).0, Arrival::Kept);
        assert_eq!(arrive(&mut incoming, 4, 3), (Arrival::Next, vec![1, 3, 4]));
    }

    #[test]
    fn plain_answers_are_remembered_until_the_sender_knows() {
        let mut incoming = Incoming::default();
        arrive(&mut incoming, 0, 0);
        incoming.answered_plainly(0);
        assert!(incoming.was_answered_plainly(0) && !incoming.was_answered_plainly(1));
        arrive(&mut incoming, 1, 1);
        assert!(!incoming.was_answered_plainly(0));
    }
}

//! What answers set off at an operation's initiator, and the end-to-end acknowledgements that answer them in turn.

use super::events::Batch;
use super::message::{Body, Message, Sequence, Vn};
use super::surroundings::Surroundings;
use super::{Node, OperationId};
use crate::Outcome;

impl<S: Surroundings> Node<S> {
    /// A Portals acknowledgement or a reply is here: the request need not be sent again.
    pub(super) fn request_answered(&mut self, message: &Message, world: &mut S) {
        let Some(operation) = self.operations.get(message.operation) else {
            return;
        };
        if let Some((way, number)) = operation.place {
            self.acknowledge(way, number, world);
        }
    }

    /// Acknowledges a response end to end, if its sender waits for that.
    pub(super) fn confirm(&mut self, message: &Message, world: &mut S) {
        if message.e2e {
            let confirmation = self.confirmation(message);
            self.submit(confirmation, world);
        }
    }

    pub(super) fn confirmation(&self, message: &Message) -> Message {
        self.e2e_ack(
            message.from,
            message.vn,
            message.sequence.number,
            message.operation,
            message.pids,
            Outcome::default(),
        )
    }

    /// SEND, if that is still due, and ACK.
    pub(super) fn ack_events(&mut self, message: &Message, outcome: &Outcome, world: &mut S) -> Batch {
        let Some(mut operation) = self.operations.remove(message.operation) else {
            return Batch::default();
        };
        let process = operation.process;
        let at = &mut self.processes[process as usize];
        let mut notices = Default::default();
        if !std::mem::replace(&mut operation.sent, true) {
            notices = at.library.sent(&operation.header, outcome);
        }
        notices.append(at.library.acknowledged(&operation.header, outcome));
        at.library.closed(&operation.header);
        self.follow(process, &mut notices, world);
        Batch::new(process, notices.events)
    }

    /// REPLY; the SEND of a large fetching operation goes with it.
    pub(super) fn reply_events(&mut self, message: Message, world: &mut S) -> Batch {
        let Body::Reply(outcome, payload) = message.body else {
            return Batch::default();
        };
        let Some(mut operation) = self.operations.remove(message.operation) else {
            return Batch::default();
        };
        let process = operation.process;
        let at = &mut self.processes[process as usize];
        let mut notices: crate::Notices = Default::default();
        if message.fetches && !std::mem::replace(&mut operation.sent, true) {
            notices = at.library.sent(&operation.header, &outcome);
        }
        let together = notices.events.len();
        let memory = world.memory(at.rank);
        notices.append(at.library.replied(&operation.header, &outcome, &payload, memory));
        at.library.closed(&operation.header);
        self.follow(process, &mut notices, world);
        Batch::new(process, notices.events).together(together)
    }

    /// What an end-to-end acknowledgement sets off: SEND of a request, or the target's event of a reply.
    pub(super) fn e2e_events(
        &mut self,
        message: &Message,
        vn: Vn,
        number: u64,
        outcome: Outcome,
        world: &mut S,
    ) -> Batch {
        let kept = self.acknowledge((message.from, vn.number()), number, world);
        let is_request = vn.number() < 2;
        if is_request {
            if kept.is_none() && self.features.e2e {
                return Batch::default();
            }
            let batch = self.send_event(message.operation, &outcome, world);
            self.close_operation(message.operation);
            return batch;
        }
        match kept.and_then(|kept| kept.completion) {
            Some((process, completion)) => self.fetched_events(process, completion, world),
            None => Batch::default(),
        }
    }

    pub(super) fn e2e_ack(
        &self,
        to: u32,
        vn: Vn,
        number: u64,
        operation: OperationId,
        pids: (u32, u32),
        outcome: Outcome,
    ) -> Message {
        Message {
            body: Body::E2eAck { vn, number, outcome },
            from: self.nid,
            to,
            vn: vn.response(),
            sequence: Sequence::default(),
            operation,
            fetches: false,
            e2e: false,
            retries: 0,
            pids: (pids.1, pids.0),
            carried: true,
            commanded: false,
            credited: false,
            completion: None,
        }
    }
}

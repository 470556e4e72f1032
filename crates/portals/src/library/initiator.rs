//! The initiator's side: making a request, and what becomes known of it.

use super::atomics;
use super::counters::{FAILURE, success};
use super::interface::Interface;
use super::target::fetches;
use super::transfer::write;
use crate::call::Move;
use crate::constants::*;
use crate::memory::Memory;
use crate::message::{Ack, Header, Operation, Outcome};
use crate::notices::Notices;
use crate::types::{Code, Event, Handle, NiFail, Process, RawProcess};

impl Interface {
    /// Checks the arguments of a data movement and makes the request of it.
    pub(super) fn request(&self, operation: &Move, uid: u32) -> Result<Header, Code> {
        self.check_length(operation)?;
        let md = self.descriptor(operation.md).ok_or(Code::ArgInvalid)?;
        if !md.holds(operation.local_offset, operation.length) {
            return Err(Code::ArgInvalid);
        }
        if matches!(
            operation.operation,
            Operation::FetchAtomic { .. } | Operation::Swap { .. }
        ) {
            let get = self.descriptor(operation.get_md).ok_or(Code::ArgInvalid)?;
            if !get.holds(operation.get_local_offset, operation.length) {
                return Err(Code::ArgInvalid);
            }
        }
        let ack = if fetches(&operation.operation) {
            Ack::None
        } else {
            operation.ack
        };
        match ack {
            Ack::Full if md.queue.is_none() => return Err(Code::ArgInvalid),
            Ack::Counting if md.counter.is_none() => return Err(Code::ArgInvalid),
            _ => {}
        }
        Ok(Header {
            operation: operation.operation,
            initiator: self.process,
            initiator_id: self.initiator_id(),
            uid,
            target: self.resolve(operation.target)?,
            interface: self.number,
            pt_index: operation.pt_index,
            match_bits: operation.match_bits,
            length: operation.length,
            remote_offset: operation.remote_offset,
            hdr_data: operation.hdr_data,
            ack,
            md: operation.md,
            local_offset: operation.local_offset,
            get_md: operation.get_md,
            get_local_offset: operation.get_local_offset,
            user_ptr: operation.user_ptr,
        })
    }

    /// Operator and type belong together and to the function; the length is within the limits; conditional and masked
    /// swaps take one item.
    fn check_length(&self, operation: &Move) -> Result<(), Code> {
        let limits = &self.limits;
        let (most, valid) = match operation.operation {
            Operation::Put | Operation::Get => (limits.max_msg_size, true),
            Operation::Atomic { operator, datatype } => (
                limits.max_atomic_size,
                atomics::is_valid(operator, datatype, false, false),
            ),
            Operation::FetchAtomic { operator, datatype } => (
                limits.max_atomic_size.min(limits.max_fetch_atomic_size),
                atomics::is_valid(operator, datatype, true, false),
            ),
            Operation::Swap {
                operator, datatype, ..
            } => {
                let most = limits.max_atomic_size.min(limits.max_fetch_atomic_size);
                let item = atomics::size_of(datatype).unwrap_or(0) as u64;
                let most = if operator == PTL_SWAP {
                    most
                } else {
                    most.min(item)
                };
                (most, atomics::is_valid(operator, datatype, true, true))
            }
        };
        if valid && operation.length <= most {
            Ok(())
        } else {
            Err(Code::ArgInvalid)
        }
    }

    /// The process that a target names: on a logical interface a rank of the map, on a physical one no wildcard.
    fn resolve(&self, target: RawProcess) -> Result<Process, Code> {
        if self.is_logical() {
            let map = self.map()?;
            return map
                .get(target.nid_or_rank as usize)
                .copied()
                .ok_or(Code::ArgInvalid);
        }
        if target.nid_or_rank == PTL_NID_ANY || target.pid == PTL_PID_ANY {
            return Err(Code::ArgInvalid);
        }
        Ok(Process {
            nid: target.nid_or_rank,
            pid: target.pid,
        })
    }

    /// `PTL_EVENT_SEND`. What the target made of the message is not its concern, only whether it could be sent.
    pub(super) fn sent(&mut self, header: &Header, outcome: &Outcome) -> Notices {
        let mut notices = Notices::default();
        if header.operation == Operation::Get {
            return notices;
        }
        let fail = match outcome.fail {
            NiFail::Undeliverable => NiFail::Undeliverable,
            _ => NiFail::Ok,
        };
        let Some(md) = self.descriptor(header.md) else {
            return notices;
        };
        let (queue, counter) = (md.queue, md.counter);
        let silent = md.has(PTL_MD_EVENT_SUCCESS_DISABLE) || md.has(PTL_MD_EVENT_SEND_DISABLE);
        let bytes = md.has(PTL_MD_EVENT_CT_BYTES).then_some(header.length);
        if md.has(PTL_MD_EVENT_CT_SEND) {
            self.count_end(counter, fail, bytes, &mut notices);
        }
        let event = Event {
            kind: PTL_EVENT_SEND,
            user_ptr: header.user_ptr,
            fail,
            ..Event::default()
        };
        self.tell_end(queue, silent, event, &mut notices);
        notices
    }

    /// `PTL_EVENT_ACK`, for a full acknowledgement; all kinds count. That of a completed operation says only that it
    /// completed: it counts one success, whatever became of it.
    pub(super) fn acknowledged(&mut self, header: &Header, outcome: &Outcome) -> Notices {
        let mut notices = Notices::default();
        let Some(md) = self.descriptor(header.md) else {
            return notices;
        };
        let (queue, counter) = (md.queue, md.counter);
        let silent = md.has(PTL_MD_EVENT_SUCCESS_DISABLE);
        let counts = md.has(PTL_MD_EVENT_CT_ACK);
        let bytes = md.has(PTL_MD_EVENT_CT_BYTES).then_some(outcome.mlength);
        match header.ack {
            Ack::None => return notices,
            Ack::OperationCompleted if outcome.fail != NiFail::Undeliverable => {
                if counts {
                    self.count_end(counter, NiFail::Ok, None, &mut notices);
                }
            }
            Ack::Full | Ack::Counting | Ack::OperationCompleted => {
                if counts {
                    self.count_end(counter, outcome.fail, bytes, &mut notices);
                }
            }
        }
        if header.ack == Ack::Full {
            let event = end_event(PTL_EVENT_ACK, header, outcome);
            self.tell_end(queue, silent, event, &mut notices);
        }
        notices
    }

    /// The bytes of a reply, and `PTL_EVENT_REPLY`.
    pub(super) fn replied(
        &mut self,
        header: &Header,
        outcome: &Outcome,
        bytes: &[u8],
        memory: &mut impl Memory,
    ) -> Notices {
        let mut notices = Notices::default();
        let (handle, offset) = match header.operation {
            Operation::Get => (header.md, header.local_offset),
            _ => (header.get_md, header.get_local_offset),
        };
        let Some(md) = self.descriptor(handle) else {
            return notices;
        };
        if outcome.fail == NiFail::Ok {
            write(&md.region.slice(offset, outcome.mlength), bytes, memory);
        }
        let (queue, counter) = (md.queue, md.counter);
        let silent = md.has(PTL_MD_EVENT_SUCCESS_DISABLE);
        let counted = md.has(PTL_MD_EVENT_CT_BYTES).then_some(outcome.mlength);
        if md.has(PTL_MD_EVENT_CT_REPLY) {
            self.count_end(counter, outcome.fail, counted, &mut notices);
        }
        let event = end_event(PTL_EVENT_REPLY, header, outcome);
        self.tell_end(queue, silent, event, &mut notices);
        notices
    }

    fn count_end(
        &mut self,
        counter: Option<Handle>,
        fail: NiFail,
        bytes: Option<u64>,
        notices: &mut Notices,
    ) {
        let by = if fail == NiFail::Ok {
            success(bytes)
        } else {
            FAILURE
        };
        self.count(counter, by, notices);
    }

    /// Failures are told even where successes are not.
    fn tell_end(&mut self, queue: Option<Handle>, silent: bool, event: Event, notices: &mut Notices) {
        if silent && event.fail == NiFail::Ok {
            return;
        }
        if let Some(queue) = queue {
            self.raise(queue, event, notices);
        }
    }
}

/// The event of an end that the target told of.
fn end_event(kind: u32, header: &Header, outcome: &Outcome) -> Event {
    Event {
        kind,
        user_ptr: header.user_ptr,
        mlength: outcome.mlength,
        remote_offset: outcome.remote_offset,
        list: outcome.list,
        fail: outcome.fail,
        ..Event::default()
    }
}

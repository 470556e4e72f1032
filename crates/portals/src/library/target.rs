//! The target's side: what becomes of a request.

use super::counters::success;
use super::handles::{Key, Kind};
use super::interface::Interface;
use super::matching::{UnexpectedHeader, Wanted};
use super::transfer::{read, transfer};
use crate::constants::*;
use crate::memory::Memory;
use crate::message::{Ack, Header, Operation, Outcome, Payload};
use crate::notices::{Completion, Notices, Receipt, Respond};
use crate::types::{Event, Handle, MatchList, NiFail};
use smallvec::SmallVec;

/// A fetching operation whose reply has not left.
#[derive(Debug)]
pub(super) struct Fetch {
    entry: Key,
    /// Its event, and whether that has its place in the queue.
    event: Option<(Handle, Event, bool)>,
    /// Overflow events of it, which come behind.
    pub(super) then: SmallVec<[(Handle, Event); 1]>,
}

/// Where a request goes.
struct Found {
    key: Key,
    /// Place in the list.
    place: usize,
    list: MatchList,
    offset: u64,
    mlength: u64,
    /// The entry ends with this request.
    used_up: bool,
    /// Who hears of the request, if anyone.
    queue: Option<Handle>,
}

/// Kinds of events of an operation: at once, and when an appended entry consumes its header.
fn kinds(operation: &Operation) -> (u32, u32) {
    match operation {
        Operation::Put => (PTL_EVENT_PUT, PTL_EVENT_PUT_OVERFLOW),
        Operation::Get => (PTL_EVENT_GET, PTL_EVENT_GET_OVERFLOW),
        Operation::Atomic { .. } => (PTL_EVENT_ATOMIC, PTL_EVENT_ATOMIC_OVERFLOW),
        Operation::FetchAtomic { .. } | Operation::Swap { .. } => {
            (PTL_EVENT_FETCH_ATOMIC, PTL_EVENT_FETCH_ATOMIC_OVERFLOW)
        }
    }
}

/// Operator and type of an operation, 0 where there are none.
fn atomic_of(operation: &Operation) -> (u32, u32) {
    match *operation {
        Operation::Put | Operation::Get => (0, 0),
        Operation::Atomic { operator, datatype }
        | Operation::FetchAtomic { operator, datatype }
        | Operation::Swap {
            operator, datatype, ..
        } => (operator, datatype),
    }
}

/// What an entry must allow for an operation: "treated as an operations failure" otherwise.
fn needed(operation: &Operation) -> u32 {
    match operation {
        Operation::Put | Operation::Atomic { .. } => PTL_ME_OP_PUT,
        Operation::Get => PTL_ME_OP_GET,
        Operation::FetchAtomic { .. } | Operation::Swap { .. } => PTL_ME_OP_PUT | PTL_ME_OP_GET,
    }
}

/// Whether an operation brings bytes back.
pub(super) fn fetches(operation: &Operation) -> bool {
    !matches!(operation, Operation::Put | Operation::Atomic { .. })
}

/// A request that failed, with what the initiator is told.
pub(super) fn refused(header: &Header, fail: NiFail, notices: Notices) -> Receipt {
    let respond = if fetches(&header.operation) {
        Respond::Reply(Payload::new())
    } else if header.ack == Ack::None {
        Respond::Nothing
    } else {
        Respond::Ack
    };
    Receipt {
        outcome: Outcome {
            fail,
            ..Outcome::default()
        },
        respond,
        now: notices,
        later: None,
    }
}

impl Interface {
    /// Carries a request out.
    pub(super) fn receive(
        &mut self,
        header: &Header,
        payload: &mut Payload,
        memory: &mut impl Memory,
    ) -> Receipt {
        let mut notices = Notices::default();
        let found = match self.admit(header, &mut notices) {
            Ok(found) => found,
            Err(fail) => {
                let register = match fail {
                    NiFail::PermViolation => PTL_SR_PERMISSION_VIOLATIONS,
                    NiFail::OpViolation => PTL_SR_OPERATION_VIOLATIONS,
                    _ => PTL_SR_DROP_COUNT,
                };
                let register = &mut self.registers[register as usize];
                *register = register.wrapping_add(1);
                return refused(header, fail, notices);
            }
        };
        let outcome = Outcome {
            fail: NiFail::Ok,
            mlength: found.mlength,
            remote_offset: found.offset,
            list: found.list,
        };
        if let Some(entry) = self.entries.get_mut(found.key) {
            entry.advance(found.mlength);
        }
        if found.used_up {
            self.unlink_used(found.key, found.place, &mut notices);
        }
        let mut reply = Payload::new();
        let mut event = Event::default();
        let mut overflow = 0;
        let mut respond = Respond::Nothing;
        if let Some(entry) = self.entries.get(found.key) {
            let runs = entry.region.slice(found.offset, found.mlength);
            reply = transfer(&header.operation, &runs, found.mlength, payload, memory);
            event = self.event_of(header, &found, entry.address(found.offset), entry.user_ptr);
            overflow = kinds(&header.operation).1;
            let (counter, counts) = (entry.counter, entry.has(PTL_ME_EVENT_CT_COMM));
            let bytes = entry.has(PTL_ME_EVENT_CT_BYTES).then_some(found.mlength);
            if header.ack != Ack::None && !entry.has(PTL_ME_ACK_DISABLE) {
                respond = Respond::Ack;
            }
            if counts {
                self.count(counter, success(bytes), &mut notices);
            }
        }
        let mut later = None;
        if fetches(&header.operation) {
            respond = Respond::Reply(reply);
            later = Some(self.begin_fetch(&found, event, header.pt_index));
        } else if let Some(queue) = found.queue {
            self.raise(queue, event, &mut notices);
        }
        self.keep_if_unexpected(header, &found, event, overflow, later);
        self.free_if_unused(found.key, &mut notices);
        Receipt {
            outcome,
            respond,
            now: notices,
            later: later.map(|key| Completion(key.handle(Kind::Interface, self.number).0)),
        }
    }

    /// Finds where a request goes, and checks that it may.
    fn admit(&mut self, header: &Header, notices: &mut Notices) -> Result<Found, NiFail> {
        let index = header.pt_index;
        let table = self.index(index).map_err(|_| NiFail::Dropped)?;
        if !table.enabled {
            return Err(NiFail::PtDisabled);
        }
        let (flow_control, queue) = (table.flow_control, table.queue);
        let wanted = Wanted {
            initiator: header.initiator_id,
            match_bits: header.match_bits,
            length: header.length,
            remote_offset: header.remote_offset,
        };
        let mut list = MatchList::Priority;
        let mut place = self.find(index, list, &wanted);
        if place.is_none() {
            list = MatchList::Overflow;
            place = self.find(index, list, &wanted);
        }
        let Some((place, key)) = place else {
            return Err(self.exhausted(index, true, notices));
        };
        let Some(entry) = self.entries.get(key) else {
            return Err(NiFail::Dropped);
        };
        // All processes of a run are one job.
        let whose = if entry.has(PTL_ME_AUTH_USE_JID) {
            self.jid
        } else {
            header.uid
        };
        if entry.uid != PTL_UID_ANY && entry.uid != whose {
            return Err(NiFail::PermViolation);
        }
        let needed = needed(&header.operation);
        if entry.options & needed != needed {
            return Err(NiFail::OpViolation);
        }
        let tell = !entry.has(PTL_ME_EVENT_FLOWCTRL_DISABLE);
        let keeps = list == MatchList::Overflow && !entry.has(PTL_ME_UNEXPECTED_HDR_DISABLE);
        let offset = entry.offset_for(header.remote_offset);
        let mlength = entry.room_for(header.length, offset);
        let used_up = entry.has(PTL_ME_USE_ONCE) || entry.is_used_up_by(mlength);
        let tells = !entry.has(PTL_ME_EVENT_COMM_DISABLE) && !entry.has(PTL_ME_EVENT_SUCCESS_DISABLE);
        let unlinks = used_up && !entry.has(PTL_ME_EVENT_UNLINK_DISABLE);
        let frees = unlinks && list == MatchList::Overflow && !keeps;
        if keeps && self.unexpected >= self.limits.max_unexpected_headers as usize {
            return Err(self.exhausted(index, tell, notices));
        }
        if let (true, Some(queue)) = (flow_control, queue) {
            let events = u64::from(tells) + u64::from(unlinks) + u64::from(frees);
            if self.room_for_events(queue) < events {
                return Err(self.exhausted(index, tell, notices));
            }
        }
        Ok(Found {
            key,
            place,
            list,
            offset,
            mlength,
            used_up,
            queue: queue.filter(|_| tells),
        })
    }

    /// Nothing can take the request: under flow control the portal table entry is disabled, else the request is dropped.
    fn exhausted(&mut self, index: u32, tell: bool, notices: &mut Notices) -> NiFail {
        if !self.index(index).is_ok_and(|table| table.flow_control) {
            return NiFail::Dropped;
        }
        self.disable_for_flow_control(index, tell, notices);
        NiFail::PtDisabled
    }

    /// The event of a request at its target. Without matching, match bits mean nothing.
    fn event_of(&self, header: &Header, found: &Found, start: u64, user_ptr: u64) -> Event {
        let (atomic_operation, atomic_type) = atomic_of(&header.operation);
        Event {
            kind: kinds(&header.operation).0,
            start,
            user_ptr,
            hdr_data: header.hdr_data,
            match_bits: if self.is_matching() { header.match_bits } else { 0 },
            rlength: header.length,
            mlength: found.mlength,
            remote_offset: header.remote_offset,
            uid: header.uid,
            initiator: header.initiator_id,
            list: found.list,
            pt_index: header.pt_index,
            fail: NiFail::Ok,
            atomic_operation,
            atomic_type,
        }
    }

    /// Keeps what is due once the reply has left. Under flow control the event has its place from now on.
    fn begin_fetch(&mut self, found: &Found, event: Event, index: u32) -> Key {
        let flow_control = self.index(index).is_ok_and(|table| table.flow_control);
        let event = found.queue.and_then(|queue| {
            let reserved = flow_control && self.reserve_event(queue);
            (reserved || !flow_control).then_some((queue, event, reserved))
        });
        if let Some(entry) = self.entries.get_mut(found.key) {
            entry.pending += 1;
        }
        self.fetches.insert(Fetch {
            entry: found.key,
            event,
            then: SmallVec::new(),
        })
    }

    fn keep_if_unexpected(
        &mut self,
        header: &Header,
        found: &Found,
        event: Event,
        kind: u32,
        fetch: Option<Key>,
    ) {
        let keeps = found.list == MatchList::Overflow
            && self
                .entries
                .get(found.key)
                .is_some_and(|entry| !entry.has(PTL_ME_UNEXPECTED_HDR_DISABLE));
        if keeps {
            let unexpected = UnexpectedHeader {
                event: Event { kind, ..event },
                match_bits: header.match_bits,
                entry: found.key,
                fetch,
            };
            self.keep_unexpected(header.pt_index, unexpected);
        }
    }

    /// The reply of a fetching operation has left.
    pub(super) fn fetched(&mut self, key: Key) -> Notices {
        let mut notices = Notices::default();
        let Some(fetch) = self.fetches.remove(key) else {
            return notices;
        };
        match fetch.event {
            Some((queue, event, true)) => notices.events.push((queue, event)),
            Some((queue, event, false)) => self.raise(queue, event, &mut notices),
            None => {}
        }
        for (queue, event) in fetch.then {
            self.raise(queue, event, &mut notices);
        }
        if let Some(entry) = self.entries.get_mut(fetch.entry) {
            entry.pending = entry.pending.saturating_sub(1);
        }
        self.free_if_unused(fetch.entry, &mut notices);
        notices
    }

    /// The bytes that an initiator sends.
    pub(super) fn outgoing(&self, header: &Header, memory: &impl Memory) -> Payload {
        if header.operation == Operation::Get {
            return Payload::new();
        }
        self.descriptor(header.md)
            .map_or_else(Payload::new, |descriptor| {
                let runs = descriptor.region.slice(header.local_offset, header.length);
                read(&runs, memory)
            })
    }
}

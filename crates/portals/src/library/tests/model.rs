//! Matching as one would write it down: plain lists, walked from the front. Random sequences of calls and messages have to
//! come out the same in the library: events, outcomes, counts, registers and memory.

use crate::constants::*;
use crate::{EntrySpec, Event, MatchList, NiFail, Operation, Outcome, RawProcess, Region, SearchMode};

/// Unexpected headers that are kept at most.
pub const MOST_HEADERS: usize = 3;

/// A request, as far as a target looks at it.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub operation: Operation,
    pub initiator: RawProcess,
    pub uid: u32,
    pub bits: u64,
    pub length: u64,
    pub offset: u64,
}

#[derive(Clone, Debug)]
struct Item {
    /// Also its user pointer.
    id: u64,
    spec: EntrySpec,
    list: MatchList,
    local: u64,
    owes_free: bool,
}

#[derive(Clone, Debug)]
struct Kept {
    item: u64,
    bits: u64,
    event: Event,
}

/// A fetching operation whose reply has not left.
struct Underway {
    item: u64,
    event: Option<Event>,
    header: Event,
    then: Vec<Event>,
}

pub struct Model {
    matching: bool,
    flow_control: bool,
    pub enabled: bool,
    lists: [Vec<Item>; 2],
    /// Unlinked, but still referred to.
    gone: Vec<Item>,
    kept: Vec<Kept>,
    underway: Vec<Underway>,
    pub events: Vec<Event>,
    pub count: (u64, u64),
    pub registers: [i32; 3],
    pub memory: Vec<u8>,
}

fn run_of(spec: &EntrySpec) -> (u64, u64) {
    match spec.region {
        Region::Run { start, length } => (start, length),
        Region::Vector(_) => unreachable!("the model's entries are single runs"),
    }
}

fn has(spec: &EntrySpec, option: u32) -> bool {
    spec.options & option != 0
}

impl Item {
    fn alone(&self, kind: u32) -> Event {
        Event {
            kind,
            user_ptr: self.id,
            list: self.list,
            ..Event::default()
        }
    }

    fn offset(&self, asked: u64) -> u64 {
        if has(&self.spec, PTL_ME_MANAGE_LOCAL) {
            self.local
        } else {
            asked
        }
    }

    fn wants(&self, matching: bool, by: RawProcess, bits: u64, length: u64, offset: u64) -> bool {
        if !matching {
            return true;
        }
        let nid = self.spec.match_id.nid_or_rank;
        let pid = self.spec.match_id.pid;
        let bits_agree = bits & !self.spec.ignore_bits == self.spec.match_bits & !self.spec.ignore_bits;
        let nid_agrees = nid == PTL_NID_ANY || nid == by.nid_or_rank;
        let pid_agrees = pid == PTL_PID_ANY || pid == by.pid;
        let fits =
            !has(&self.spec, PTL_ME_NO_TRUNCATE) || self.offset(offset) + length <= run_of(&self.spec).1;
        bits_agree && nid_agrees && pid_agrees && fits
    }
}

impl Model {
    pub fn new(matching: bool, flow_control: bool, memory: Vec<u8>) -> Self {
        Self {
            matching,
            flow_control,
            enabled: true,
            lists: [Vec::new(), Vec::new()],
            gone: Vec::new(),
            kept: Vec::new(),
            underway: Vec::new(),
            events: Vec::new(),
            count: (0, 0),
            registers: [0; 3],
            memory,
        }
    }

    fn count(&mut self, spec: &EntrySpec, mlength: u64) {
        self.count.0 += if has(spec, PTL_ME_EVENT_CT_BYTES) {
            mlength
        } else {
            1
        };
    }

    /// Entries that nothing refers to any more.
    fn sweep(&mut self) {
        let mut place = 0;
        while place < self.gone.len() {
            let id = self.gone[place].id;
            let used = self.kept.iter().any(|kept| kept.item == id)
                || self.underway.iter().any(|underway| underway.item == id);
            if used {
                place += 1;
                continue;
            }
            let item = self.gone.remove(place);
            if item.owes_free {
                self.events.push(item.alone(PTL_EVENT_AUTO_FREE));
            }
        }
    }

    fn wanted_from(&self, item: &Item, from: usize) -> Option<usize> {
        (from..self.kept.len()).find(|place| {
            let kept = &self.kept[*place];
            let event = &kept.event;
            item.wants(
                self.matching,
                event.initiator,
                kept.bits,
                event.rlength,
                event.remote_offset,
            )
        })
    }

    fn consume(&mut self, place: usize, item: &Item, appended: bool) {
        let kept = self.kept.remove(place);
        if has(&item.spec, PTL_ME_EVENT_CT_OVERFLOW) {
            if appended && self.matching {
                self.count.0 += kept.event.mlength;
            } else {
                self.count(&item.spec, kept.event.mlength);
            }
        }
        if !has(&item.spec, PTL_ME_EVENT_OVER_DISABLE) {
            let event = Event {
                user_ptr: item.id,
                ..kept.event
            };
            // Told apart by the header's `hdr_data`, which is different for each.
            let waits = |underway: &&mut Underway| underway.header.hdr_data == kept.event.hdr_data;
            match self.underway.iter_mut().find(waits) {
                Some(underway) => underway.then.push(event),
                None => self.events.push(event),
            }
        }
        self.sweep();
    }

    /// True: it was linked.
    pub fn append(&mut self, id: u64, spec: EntrySpec, list: MatchList) -> bool {
        let item = Item {
            id,
            spec,
            list,
            local: 0,
            owes_free: false,
        };
        if list == MatchList::Priority {
            while let Some(place) = self.wanted_from(&item, 0) {
                self.consume(place, &item, true);
                if has(&item.spec, PTL_ME_USE_ONCE) {
                    if !has(&item.spec, PTL_ME_EVENT_UNLINK_DISABLE) {
                        self.events.push(item.alone(PTL_EVENT_AUTO_UNLINK));
                    }
                    return false;
                }
            }
        }
        if !has(&item.spec, PTL_ME_EVENT_LINK_DISABLE) {
            self.events.push(item.alone(PTL_EVENT_LINK));
        }
        self.lists[list.number() as usize].push(item);
        true
    }

    /// `None`: no such entry is linked; else whether it could be unlinked.
    pub fn unlink(&mut self, id: u64) -> Option<bool> {
        let used = self.kept.iter().any(|kept| kept.item == id)
            || self.underway.iter().any(|underway| underway.item == id);
        for list in &mut self.lists {
            if let Some(place) = list.iter().position(|item| item.id == id) {
                if !used {
                    list.remove(place);
                }
                return Some(!used);
            }
        }
        None
    }

    pub fn search(&mut self, id: u64, spec: EntrySpec, mode: SearchMode) {
        let item = Item {
            id,
            spec,
            list: MatchList::Priority,
            local: 0,
            owes_free: false,
        };
        let (mut from, mut found) = (0, false);
        while let Some(place) = self.wanted_from(&item, from) {
            found = true;
            if mode == SearchMode::Delete {
                self.consume(place, &item, false);
            } else {
                let event = Event {
                    kind: PTL_EVENT_SEARCH,
                    user_ptr: id,
                    ..self.kept[place].event
                };
                if has(&item.spec, PTL_ME_EVENT_CT_OVERFLOW) {
                    self.count(&item.spec, event.mlength);
                }
                if !has(&item.spec, PTL_ME_EVENT_COMM_DISABLE) {
                    self.events.push(event);
                }
                from = place + 1;
            }
            if has(&item.spec, PTL_ME_USE_ONCE) {
                break;
            }
        }
        let complete = !found || !has(&item.spec, PTL_ME_USE_ONCE);
        if complete && has(&item.spec, PTL_ME_EVENT_CT_OVERFLOW) {
            self.count.1 += 1;
        }
        if !found && !has(&item.spec, PTL_ME_EVENT_COMM_DISABLE) {
            let event = Event {
                fail: NiFail::NoMatch,
                ..item.alone(PTL_EVENT_SEARCH)
            };
            self.events.push(event);
        }
    }

    fn fail(&mut self, fail: NiFail) -> Outcome {
        let register = match fail {
            NiFail::PermViolation => 1,
            NiFail::OpViolation => 2,
            _ => 0,
        };
        self.registers[register] += 1;
        Outcome {
            fail,
            ..Outcome::default()
        }
    }

    fn exhausted(&mut self, tell: bool) -> Outcome {
        if !self.flow_control {
            return self.fail(NiFail::Dropped);
        }
        self.enabled = false;
        if tell {
            self.events.push(Event {
                kind: PTL_EVENT_PT_DISABLED,
                fail: NiFail::PtDisabled,
                ..Event::default()
            });
        }
        self.fail(NiFail::PtDisabled)
    }

    /// What a request comes to, and what it fetches.
    pub fn receive(&mut self, asked: &Asked, payload: &[u8], hdr_data: u64) -> (Outcome, Vec<u8>) {
        if !self.enabled {
            return (self.fail(NiFail::PtDisabled), Vec::new());
        }
        let find = |list: &Vec<Item>| {
            list.iter().position(|item| {
                item.wants(
                    self.matching,
                    asked.initiator,
                    asked.bits,
                    asked.length,
                    asked.offset,
                )
            })
        };
        let (list, place) = match (find(&self.lists[0]), find(&self.lists[1])) {
            (Some(place), _) => (MatchList::Priority, place),
            (None, Some(place)) => (MatchList::Overflow, place),
            (None, None) => return (self.exhausted(true), Vec::new()),
        };
        let overflow = list == MatchList::Overflow;
        let mut item = self.lists[list.number() as usize][place].clone();
        if item.spec.uid != PTL_UID_ANY && item.spec.uid != asked.uid {
            return (self.fail(NiFail::PermViolation), Vec::new());
        }
        let (kind, needs) = match asked.operation {
            Operation::Put => (PTL_EVENT_PUT, PTL_ME_OP_PUT),
            Operation::Get => (PTL_EVENT_GET, PTL_ME_OP_GET),
            _ => (PTL_EVENT_ATOMIC, PTL_ME_OP_PUT),
        };
        if !has(&item.spec, needs) {
            return (self.fail(NiFail::OpViolation), Vec::new());
        }
        let keeps = overflow && !has(&item.spec, PTL_ME_UNEXPECTED_HDR_DISABLE);
        if keeps && self.kept.len() == MOST_HEADERS {
            let tell = !has(&item.spec, PTL_ME_EVENT_FLOWCTRL_DISABLE);
            return (self.exhausted(tell), Vec::new());
        }
        let (start, room) = run_of(&item.spec);
        let offset = item.offset(asked.offset);
        let mlength = if offset >= room {
            0
        } else {
            asked.length.min(room - offset)
        };
        let mut used_up = has(&item.spec, PTL_ME_USE_ONCE);
        if has(&item.spec, PTL_ME_MANAGE_LOCAL) {
            item.local += mlength;
            used_up |= item.spec.min_free > 0 && room - item.local < item.spec.min_free;
        }
        let silent = has(&item.spec, PTL_ME_EVENT_UNLINK_DISABLE);
        if used_up {
            self.lists[list.number() as usize].remove(place);
            item.owes_free = overflow && !silent;
            if !silent {
                self.events.push(item.alone(PTL_EVENT_AUTO_UNLINK));
            }
            self.gone.push(item.clone());
        } else {
            self.lists[list.number() as usize][place] = item.clone();
        }
        let fetched = self.touch(
            asked.operation,
            (start + offset) as usize,
            mlength as usize,
            payload,
        );
        if has(&item.spec, PTL_ME_EVENT_CT_COMM) {
            self.count(&item.spec, mlength);
        }
        let (atomic_operation, atomic_type) = match asked.operation {
            Operation::Atomic { operator, datatype } => (operator, datatype),
            _ => (0, 0),
        };
        let event = Event {
            kind,
            start: start + offset,
            user_ptr: item.id,
            hdr_data,
            match_bits: if self.matching { asked.bits } else { 0 },
            rlength: asked.length,
            mlength,
            remote_offset: asked.offset,
            uid: asked.uid,
            initiator: asked.initiator,
            list,
            atomic_operation,
            atomic_type,
            ..Event::default()
        };
        let silent = has(
            &item.spec,
            PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_SUCCESS_DISABLE,
        );
        let told = (!silent).then_some(event);
        if keeps {
            self.kept.push(Kept {
                item: item.id,
                bits: asked.bits,
                event: Event {
                    kind: kind + 1,
                    ..event
                },
            });
        }
        if asked.operation == Operation::Get {
            self.underway.push(Underway {
                item: item.id,
                event: told,
                header: event,
                then: Vec::new(),
            });
        } else {
            self.events.extend(told);
        }
        self.sweep();
        let outcome = Outcome {
            fail: NiFail::Ok,
            mlength,
            remote_offset: offset,
            list,
        };
        (outcome, fetched)
    }

    fn touch(&mut self, operation: Operation, start: usize, length: usize, payload: &[u8]) -> Vec<u8> {
        if length == 0 {
            return Vec::new();
        }
        let bytes = &mut self.memory[start..start + length];
        match operation {
            Operation::Put => bytes.copy_from_slice(&payload[..length]),
            Operation::Get => return bytes.to_vec(),
            _ => {
                for (byte, by) in bytes.iter_mut().zip(payload) {
                    *byte = byte.wrapping_add(*by);
                }
            }
        }
        Vec::new()
    }

    /// The oldest reply has left.
    pub fn finish(&mut self) {
        if self.underway.is_empty() {
            return;
        }
        let underway = self.underway.remove(0);
        self.events.extend(underway.event);
        self.events.extend(underway.then);
        self.sweep();
    }
}

//! List entries, and which request finds which.

mod append;
mod search;
mod unexpected;

use super::handles::{Key, Kind};
use super::interface::Interface;
use crate::constants::{
    PTL_EVENT_AUTO_FREE, PTL_EVENT_AUTO_UNLINK, PTL_ME_EVENT_UNLINK_DISABLE, PTL_ME_MANAGE_LOCAL,
    PTL_ME_NO_TRUNCATE, PTL_NID_ANY, PTL_PID_ANY, PTL_RANK_ANY,
};
use crate::notices::Notices;
use crate::types::{EntrySpec, Event, Handle, MatchList, RawProcess, Region};

pub(super) use unexpected::UnexpectedHeader;

/// What a list holds of an entry: what a request is compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    match_bits: u64,
    ignore_bits: u64,
    match_id: RawProcess,
    pub(super) key: Key,
    /// The entry's room has to be looked at.
    no_truncate: bool,
}

/// A list entry, for as long as anything may still come of it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) region: Region,
    /// Bytes of the region.
    pub(super) length: u64,
    pub(super) options: u32,
    pub(super) counter: Option<Handle>,
    pub(super) uid: u32,
    min_free: u64,
    /// Where the next request goes, with `PTL_ME_MANAGE_LOCAL`.
    offset: u64,
    pub(super) user_ptr: u64,
    pub(super) pt_index: u32,
    pub(super) list: MatchList,
    /// Its list holds it, and its handle names it.
    linked: bool,
    /// Fetching operations whose reply has not left.
    pub(super) pending: u32,
    /// Unexpected headers whose data is here.
    headers: u32,
    /// `PTL_EVENT_AUTO_FREE` is owed once nothing uses it.
    free_event: bool,
}

/// The part of a request that decides whether an entry matches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) initiator: RawProcess,
    pub(super) match_bits: u64,
    pub(super) length: u64,
    pub(super) remote_offset: u64,
}

impl Candidate {
    fn new(key: Key, spec: &EntrySpec) -> Self {
        Self {
            match_bits: spec.match_bits,
            ignore_bits: spec.ignore_bits,
            match_id: spec.match_id,
            key,
            no_truncate: spec.options & PTL_ME_NO_TRUNCATE != 0,
        }
    }

    /// Bits and initiator are as the entry wants them.
    fn agrees(&self, wanted: &Wanted, logical: bool) -> bool {
        if (wanted.match_bits ^ self.match_bits) & !self.ignore_bits != 0 {
            return false;
        }
        let (own, asking) = (self.match_id, wanted.initiator);
        if logical {
            own.nid_or_rank == PTL_RANK_ANY || own.nid_or_rank == asking.nid_or_rank
        } else {
            (own.nid_or_rank == PTL_NID_ANY || own.nid_or_rank == asking.nid_or_rank)
                && (own.pid == PTL_PID_ANY || own.pid == asking.pid)
        }
    }
}

impl Entry {
    fn new(spec: &EntrySpec, counter: Option<Handle>, pt_index: u32, list: MatchList, user_ptr: u64) -> Self {
        Self {
            region: spec.region.clone(),
            length: spec.region.length(),
            options: spec.options,
            counter,
            uid: spec.uid,
            min_free: spec.min_free,
            offset: 0,
            user_ptr,
            pt_index,
            list,
            linked: false,
            pending: 0,
            headers: 0,
            free_event: false,
        }
    }

    pub(super) fn has(&self, option: u32) -> bool {
        self.options & option != 0
    }

    /// Where a request with that offset goes.
    pub(super) fn offset_for(&self, remote_offset: u64) -> u64 {
        if self.has(PTL_ME_MANAGE_LOCAL) {
            self.offset
        } else {
            remote_offset
        }
    }

    /// Bytes of a request that fit, from an offset on: none when it lies outside.
    pub(super) fn room_for(&self, length: u64, offset: u64) -> u64 {
        length.min(self.length.saturating_sub(offset))
    }

    /// The request fits whole, or may be cut.
    fn takes(&self, wanted: &Wanted) -> bool {
        if !self.has(PTL_ME_NO_TRUNCATE) {
            return true;
        }
        let offset = self.offset_for(wanted.remote_offset);
        offset
            .checked_add(wanted.length)
            .is_some_and(|end| end <= self.length)
    }

    /// Moves the local offset past what was used.
    pub(super) fn advance(&mut self, bytes: u64) {
        if self.has(PTL_ME_MANAGE_LOCAL) {
            self.offset = self.offset.saturating_add(bytes).min(self.length);
        }
    }

    /// Too little will be left after so many bytes.
    pub(super) fn is_used_up_by(&self, bytes: u64) -> bool {
        let free = self.length - self.offset;
        self.has(PTL_ME_MANAGE_LOCAL) && self.min_free != 0 && free.saturating_sub(bytes) < self.min_free
    }

    /// Too little is left: "length - local offset falls below this value".
    fn is_used_up(&self) -> bool {
        self.is_used_up_by(0)
    }

    /// Address of the byte at an offset.
    pub(super) fn address(&self, offset: u64) -> u64 {
        match &self.region {
            Region::Run { start, .. } => start.wrapping_add(offset),
            region @ Region::Vector(_) => region.slice(offset, 1).first().map_or(0, |run| run.0),
        }
    }

    /// The kinds of events that tell of the entry alone.
    fn event(&self, kind: u32) -> Event {
        Event {
            kind,
            pt_index: self.pt_index,
            user_ptr: self.user_ptr,
            list: self.list,
            ..Event::default()
        }
    }
}

impl Interface {
    /// The first entry of a list that a request finds, with its place there. Without matching that is the first entry.
    pub(super) fn find(&self, index: u32, list: MatchList, wanted: &Wanted) -> Option<(usize, Key)> {
        let entry = self.table.get(index as usize)?.as_ref()?;
        let list = match list {
            MatchList::Priority => &entry.priority,
            MatchList::Overflow => &entry.overflow,
        };
        if !self.is_matching() {
            return list.front().map(|candidate| (0, candidate.key));
        }
        let logical = self.is_logical();
        let finds = |candidate: &Candidate| {
            candidate.agrees(wanted, logical)
                && (!candidate.no_truncate
                    || self
                        .entries
                        .get(candidate.key)
                        .is_some_and(|entry| entry.takes(wanted)))
        };
        let place = list.iter().position(finds)?;
        Some((place, list[place].key))
    }

    /// Takes an entry out of its list because its use ended there: `PTL_EVENT_AUTO_UNLINK`, and one of the overflow list
    /// will owe `PTL_EVENT_AUTO_FREE`.
    pub(super) fn unlink_used(&mut self, key: Key, place: usize, notices: &mut Notices) {
        let Some(entry) = self.entries.get_mut(key) else {
            return;
        };
        entry.linked = false;
        let (index, list) = (entry.pt_index, entry.list);
        let silent = entry.has(PTL_ME_EVENT_UNLINK_DISABLE);
        entry.free_event = list == MatchList::Overflow && !silent;
        let event = entry.event(PTL_EVENT_AUTO_UNLINK);
        let Ok(table) = self.index(index) else { return };
        table.list(list).remove(place);
        if let (false, Some(queue)) = (silent, table.queue) {
            self.raise(queue, event, notices);
        }
    }

    /// Frees an entry that no list holds and nothing uses.
    pub(super) fn free_if_unused(&mut self, key: Key, notices: &mut Notices) {
        let Some(entry) = self.entries.get(key) else {
            return;
        };
        if entry.linked || entry.pending > 0 || entry.headers > 0 {
            return;
        }
        let event = entry.free_event.then(|| entry.event(PTL_EVENT_AUTO_FREE));
        let index = entry.pt_index;
        self.entries.remove(key);
        if let Some(event) = event
            && let Some(queue) = self.index(index).ok().and_then(|table| table.queue)
        {
            self.raise(queue, event, notices);
        }
    }

    /// The entry that a handle names: one that a list holds.
    pub(super) fn linked_entry(&self, handle: Handle) -> Option<(Key, &Entry)> {
        let key = self.key(handle, Kind::Entry).ok()?;
        let entry = self.entries.get(key)?;
        entry.linked.then_some((key, entry))
    }
}

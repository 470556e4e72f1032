//! Headers of messages that came before an entry of the priority list wanted them.

use super::super::counters::success;
use super::super::handles::Key;
use super::super::interface::Interface;
use super::{Candidate, Entry, Wanted};
use crate::constants::{PTL_ME_EVENT_CT_OVERFLOW, PTL_ME_EVENT_OVER_DISABLE};
use crate::notices::Notices;
use crate::types::{Event, Handle, MatchList};

/// A message's header, kept until an entry consumes it.
#[derive(Clone, Debug)]
pub(in super::super) struct UnexpectedHeader {
    /// The overflow event that it will make, but for the user pointer. Its kind is that of the overflow event.
    pub(in super::super) event: Event,
    /// The match bits, which the event lacks without matching.
    pub(in super::super) match_bits: u64,
    /// The entry of the overflow list that has the data.
    pub(in super::super) entry: Key,
    /// The fetching operation whose reply has not left when it came, see `fetches`.
    pub(in super::super) fetch: Option<Key>,
}

impl UnexpectedHeader {
    fn wanted(&self) -> Wanted {
        Wanted {
            initiator: self.event.initiator,
            match_bits: self.match_bits,
            length: self.event.rlength,
            remote_offset: self.event.remote_offset,
        }
    }
}

impl Interface {
    /// The first unexpected header from a place on that an entry wants.
    pub(super) fn find_unexpected(
        &self,
        index: u32,
        from: usize,
        candidate: &Candidate,
        entry: &Entry,
    ) -> Option<usize> {
        let headers = &self.table.get(index as usize)?.as_ref()?.unexpected;
        if !self.is_matching() {
            return (from < headers.len()).then_some(from);
        }
        let logical = self.is_logical();
        headers
            .iter()
            .skip(from)
            .position(|header| {
                let wanted = header.wanted();
                candidate.agrees(&wanted, logical) && entry.takes(&wanted)
            })
            .map(|place| place + from)
    }

    /// Takes an unexpected header out.
    pub(super) fn remove_unexpected(&mut self, index: u32, place: usize) -> Option<UnexpectedHeader> {
        let header = self.index(index).ok()?.unexpected.remove(place)?;
        self.unexpected -= 1;
        Some(header)
    }

    /// An entry consumes an unexpected header: its overflow event, its count (of bytes, or of headers), and the end of the
    /// overflow entry if that was the last one there. The event of an operation whose reply has not left waits for it.
    pub(super) fn consume(
        &mut self,
        header: &UnexpectedHeader,
        by: &Entry,
        in_bytes: bool,
        notices: &mut Notices,
    ) {
        if by.has(PTL_ME_EVENT_CT_OVERFLOW) {
            let bytes = in_bytes.then_some(header.event.mlength);
            self.count(by.counter, success(bytes), notices);
        }
        if !by.has(PTL_ME_EVENT_OVER_DISABLE)
            && let Some(queue) = self.queue_of(by.pt_index)
        {
            let event = Event {
                user_ptr: by.user_ptr,
                list: MatchList::Overflow,
                ..header.event
            };
            match header.fetch.and_then(|fetch| self.fetches.get_mut(fetch)) {
                Some(fetch) => fetch.then.push((queue, event)),
                None => self.raise(queue, event, notices),
            }
        }
        self.forget_header(header.entry);
        self.free_if_unused(header.entry, notices);
    }

    /// An unexpected header no longer refers to its entry.
    pub(in super::super) fn forget_header(&mut self, entry: Key) {
        if let Some(entry) = self.entries.get_mut(entry) {
            entry.headers = entry.headers.saturating_sub(1);
        }
    }

    /// Keeps a header; its entry's data is in use until it is consumed.
    pub(in super::super) fn keep_unexpected(&mut self, index: u32, header: UnexpectedHeader) {
        if let Some(entry) = self.entries.get_mut(header.entry) {
            entry.headers += 1;
        }
        if let Ok(table) = self.index(index) {
            table.unexpected.push_back(header);
            self.unexpected += 1;
        }
    }

    /// The queue of a portal table entry.
    pub(in super::super) fn queue_of(&self, index: u32) -> Option<Handle> {
        self.table.get(index as usize)?.as_ref()?.queue
    }
}

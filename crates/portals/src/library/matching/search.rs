//! `PtlMESearch` and `PtlLESearch`.

use super::super::counters::{FAILURE, success};
use super::super::handles::Key;
use super::super::interface::Interface;
use super::{Candidate, Entry};
use crate::constants::{
    PTL_EVENT_SEARCH, PTL_ME_EVENT_COMM_DISABLE, PTL_ME_EVENT_CT_BYTES, PTL_ME_EVENT_CT_OVERFLOW,
    PTL_ME_USE_ONCE,
};
use crate::notices::Notices;
use crate::types::{Code, EntrySpec, Event, MatchList, NiFail, SearchMode};

impl Interface {
    /// Searches the unexpected list: the first header wanted with `PTL_ME_USE_ONCE`, else all.
    ///
    /// [`SearchMode::Only`] tells each by `PTL_EVENT_SEARCH`, [`SearchMode::Delete`] takes them out and tells each by its
    /// overflow event. That there was none is told by `PTL_EVENT_SEARCH`.
    ///
    /// With `PTL_ME_EVENT_CT_OVERFLOW` each header found counts. A failure counts when there was none, and at the end of every
    /// search that is not `PTL_ME_USE_ONCE`, which so says that it is complete (Portals 4.3). Searches leave the status
    /// registers alone.
    pub(in super::super) fn search(
        &mut self,
        index: u32,
        spec: &EntrySpec,
        mode: SearchMode,
        user_ptr: u64,
        non_matching: bool,
        notices: &mut Notices,
    ) -> Result<(), Code> {
        let counter = self.check_entry(index, spec, non_matching)?;
        let entry = Entry::new(spec, counter, index, MatchList::Priority, user_ptr);
        let candidate = Candidate::new(Key::ONLY, spec);
        let (mut from, mut found) = (0, false);
        while let Some(place) = self.find_unexpected(index, from, &candidate, &entry) {
            found = true;
            match mode {
                SearchMode::Only => {
                    self.tell_found(index, place, &entry, notices);
                    from = place + 1;
                }
                SearchMode::Delete => {
                    if let Some(header) = self.remove_unexpected(index, place) {
                        let in_bytes = entry.has(PTL_ME_EVENT_CT_BYTES);
                        self.consume(&header, &entry, in_bytes, notices);
                    }
                    from = place;
                }
            }
            if entry.has(PTL_ME_USE_ONCE) {
                break;
            }
        }
        if !found {
            let event = Event {
                fail: NiFail::NoMatch,
                list: MatchList::default(),
                ..entry.event(PTL_EVENT_SEARCH)
            };
            self.tell_search(&entry, event, notices);
        }
        if entry.has(PTL_ME_EVENT_CT_OVERFLOW) && !(found && entry.has(PTL_ME_USE_ONCE)) {
            self.count(entry.counter, FAILURE, notices);
        }
        Ok(())
    }

    fn tell_found(&mut self, index: u32, place: usize, entry: &Entry, notices: &mut Notices) {
        let Ok(table) = self.index(index) else { return };
        let event = Event {
            kind: PTL_EVENT_SEARCH,
            user_ptr: entry.user_ptr,
            list: MatchList::Overflow,
            ..table.unexpected[place].event
        };
        if entry.has(PTL_ME_EVENT_CT_OVERFLOW) {
            let bytes = entry.has(PTL_ME_EVENT_CT_BYTES).then_some(event.mlength);
            self.count(entry.counter, success(bytes), notices);
        }
        self.tell_search(entry, event, notices);
    }

    fn tell_search(&mut self, entry: &Entry, event: Event, notices: &mut Notices) {
        if !entry.has(PTL_ME_EVENT_COMM_DISABLE)
            && let Some(queue) = self.queue_of(entry.pt_index)
        {
            self.raise(queue, event, notices);
        }
    }
}

//! `PtlMEAppend`, `PtlLEAppend` and their unlinking.

use super::super::handles::{Key, Kind};
use super::super::interface::Interface;
use super::{Candidate, Entry};
use crate::constants::{
    PTL_EVENT_AUTO_UNLINK, PTL_EVENT_LINK, PTL_LE_APPEND_OPTIONS_MASK, PTL_ME_APPEND_OPTIONS_MASK,
    PTL_ME_AUTH_USE_JID, PTL_ME_EVENT_CT_BYTES, PTL_ME_EVENT_LINK_DISABLE, PTL_ME_EVENT_UNLINK_DISABLE,
    PTL_ME_LOCAL_INC_UH_RLENGTH, PTL_ME_USE_ONCE, PTL_RANK_ANY,
};
use crate::notices::Notices;
use crate::types::{Code, EntrySpec, Handle, MatchList};

impl Interface {
    /// Checks what append and search have in common, and gives the entry's counting event.
    pub(super) fn check_entry(
        &mut self,
        index: u32,
        spec: &EntrySpec,
        non_matching: bool,
    ) -> Result<Option<Handle>, Code> {
        self.index(index)?;
        let options = if non_matching {
            PTL_LE_APPEND_OPTIONS_MASK
        } else {
            PTL_ME_APPEND_OPTIONS_MASK
        };
        if non_matching == self.is_matching() || spec.options & !(options | PTL_ME_AUTH_USE_JID) != 0 {
            return Err(Code::ArgInvalid);
        }
        self.check_region(&spec.region)?;
        if self.is_matching() && self.is_logical() && spec.match_id.nid_or_rank != PTL_RANK_ANY {
            let known = self.map().map_or(usize::MAX, <[_]>::len);
            if spec.match_id.nid_or_rank as usize >= known {
                return Err(Code::ArgInvalid);
            }
        }
        self.counter_argument(spec.ct)
    }

    /// Appends an entry. One for the priority list first consumes the unexpected headers that it wants; with
    /// `PTL_ME_USE_ONCE` the first of them uses it up, and the handle that is returned names nothing any more.
    pub(in super::super) fn append(
        &mut self,
        index: u32,
        spec: &EntrySpec,
        list: MatchList,
        user_ptr: u64,
        non_matching: bool,
        notices: &mut Notices,
    ) -> Result<Handle, Code> {
        let counter = self.check_entry(index, spec, non_matching)?;
        if self.entries.len() >= self.limits.max_entries as usize {
            return Err(Code::NoSpace);
        }
        let longest = self.limits.max_list_size as usize;
        if self.index(index)?.list(list).len() >= longest {
            return Err(Code::ListTooLong);
        }
        let mut entry = Entry::new(spec, counter, index, list, user_ptr);
        let used = list == MatchList::Priority && self.consume_all(index, spec, &mut entry, notices);
        let event = if used {
            (!entry.has(PTL_ME_EVENT_UNLINK_DISABLE)).then(|| entry.event(PTL_EVENT_AUTO_UNLINK))
        } else {
            (!entry.has(PTL_ME_EVENT_LINK_DISABLE)).then(|| entry.event(PTL_EVENT_LINK))
        };
        entry.linked = !used;
        let key = self.entries.insert(entry);
        if used {
            self.entries.remove(key);
        } else {
            self.index(index)?.list(list).push_back(Candidate::new(key, spec));
        }
        if let (Some(event), Some(queue)) = (event, self.queue_of(index)) {
            self.raise(queue, event, notices);
        }
        Ok(key.handle(Kind::Entry, self.number))
    }

    /// Consumes unexpected headers. True: that used the entry up.
    ///
    /// With `PTL_ME_EVENT_CT_OVERFLOW` a match list entry counts them by `mlength`, whether bytes are to be counted or not:
    /// "the count is incremented by the mlength". Of list entries the header does not say so.
    fn consume_all(
        &mut self,
        index: u32,
        spec: &EntrySpec,
        entry: &mut Entry,
        notices: &mut Notices,
    ) -> bool {
        let candidate = Candidate::new(Key::ONLY, spec);
        let mut from = 0;
        while let Some(place) = self.find_unexpected(index, from, &candidate, entry) {
            let Some(header) = self.remove_unexpected(index, place) else {
                return false;
            };
            let in_bytes = self.is_matching() || entry.has(PTL_ME_EVENT_CT_BYTES);
            self.consume(&header, entry, in_bytes, notices);
            if entry.has(PTL_ME_USE_ONCE) {
                return true;
            }
            if entry.has(PTL_ME_LOCAL_INC_UH_RLENGTH) {
                entry.advance(header.event.rlength);
                if entry.is_used_up() {
                    return true;
                }
            }
            from = place;
        }
        false
    }

    /// `PtlMEUnlink` and `PtlLEUnlink`: not while a reply is being read from the entry, nor while an unexpected header
    /// refers to it.
    pub(in super::super) fn unlink(&mut self, handle: Handle) -> Result<(), Code> {
        let (key, entry) = self.linked_entry(handle).ok_or(Code::ArgInvalid)?;
        if entry.pending > 0 || entry.headers > 0 {
            return Err(Code::InUse);
        }
        let (index, list) = (entry.pt_index, entry.list);
        let list = self.index(index)?.list(list);
        if let Some(place) = list.iter().position(|candidate| candidate.key == key) {
            list.remove(place);
        }
        self.entries.remove(key);
        Ok(())
    }
}

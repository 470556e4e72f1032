//! The portal table.

use super::interface::Interface;
use super::matching::{Candidate, UnexpectedHeader};
use crate::constants::{
    PTL_EVENT_PT_DISABLED, PTL_PT_ALLOC_DISABLED, PTL_PT_ALLOC_OPTIONS_MASK, PTL_PT_ANY, PTL_PT_FLOWCTRL,
};
use crate::notices::Notices;
use crate::types::{Code, Event, Handle, MatchList, NiFail};
use std::collections::VecDeque;

/// An entry of the portal table.
///
/// `PTL_PT_ONLY_USE_ONCE`, `PTL_PT_ONLY_TRUNCATE` and `PTL_PT_MATCH_UNORDERED` are hints; nothing follows from them.
#[derive(Debug)]
pub(super) struct PortalEntry {
    pub(super) queue: Option<Handle>,
    pub(super) flow_control: bool,
    pub(super) enabled: bool,
    pub(super) priority: VecDeque<Candidate>,
    pub(super) overflow: VecDeque<Candidate>,
    /// Headers of messages that went into the overflow list, as they came.
    pub(super) unexpected: VecDeque<UnexpectedHeader>,
}

impl PortalEntry {
    pub(super) fn list(&mut self, list: MatchList) -> &mut VecDeque<Candidate> {
        match list {
            MatchList::Priority => &mut self.priority,
            MatchList::Overflow => &mut self.overflow,
        }
    }
}

impl Interface {
    /// `PtlPTAlloc`; `PTL_PT_ANY` gives the lowest free index.
    pub(super) fn allocate_index(
        &mut self,
        options: u32,
        queue: Handle,
        requested: u32,
    ) -> Result<u32, Code> {
        if options & !PTL_PT_ALLOC_OPTIONS_MASK != 0 {
            return Err(Code::ArgInvalid);
        }
        let queue = self.queue_argument(queue)?;
        let flow_control = options & PTL_PT_FLOWCTRL != 0;
        if flow_control && queue.is_none() {
            return Err(Code::PtEqNeeded);
        }
        let index = if requested == PTL_PT_ANY {
            let free = self.table.iter().position(Option::is_none);
            free.ok_or(Code::PtFull)?
        } else {
            match self.table.get(requested as usize) {
                None => return Err(Code::ArgInvalid),
                Some(Some(_)) => return Err(Code::PtInUse),
                Some(None) => requested as usize,
            }
        };
        self.table[index] = Some(PortalEntry {
            queue,
            flow_control,
            enabled: options & PTL_PT_ALLOC_DISABLED == 0,
            priority: VecDeque::new(),
            overflow: VecDeque::new(),
            unexpected: VecDeque::new(),
        });
        if let (true, Some(queue)) = (flow_control, queue) {
            self.watch_queue(queue, true);
        }
        Ok(index as u32)
    }

    /// `PtlPTFree`: not while list entries are attached. Unexpected headers whose entries are gone go with it.
    pub(super) fn free_index(&mut self, index: u32) -> Result<(), Code> {
        let entry = self.index(index)?;
        if !entry.priority.is_empty() || !entry.overflow.is_empty() {
            return Err(Code::PtInUse);
        }
        let entry = self.table[index as usize].take();
        // It was there a moment ago.
        let Some(entry) = entry else {
            return Err(Code::ArgInvalid);
        };
        self.unexpected -= entry.unexpected.len();
        for header in entry.unexpected {
            self.forget_header(header.entry);
            // Nobody hears of it: the index is gone.
            self.free_if_unused(header.entry, &mut Notices::default());
        }
        if let (true, Some(queue)) = (entry.flow_control, entry.queue) {
            self.watch_queue(queue, false);
        }
        Ok(())
    }

    /// `PtlPTEnable` and `PtlPTDisable`.
    pub(super) fn enable_index(&mut self, index: u32, enabled: bool) -> Result<(), Code> {
        self.index(index)?.enabled = enabled;
        Ok(())
    }

    /// The portal table entry that an argument names.
    pub(super) fn index(&mut self, index: u32) -> Result<&mut PortalEntry, Code> {
        self.table
            .get_mut(index as usize)
            .and_then(Option::as_mut)
            .ok_or(Code::ArgInvalid)
    }

    /// Flow control sets in: the portal table entry takes nothing more until it is enabled again. With `tell` its queue
    /// hears of it.
    pub(super) fn disable_for_flow_control(&mut self, index: u32, tell: bool, notices: &mut Notices) {
        let Ok(entry) = self.index(index) else { return };
        entry.enabled = false;
        if let (true, Some(queue)) = (tell, entry.queue) {
            let event = Event {
                kind: PTL_EVENT_PT_DISABLED,
                pt_index: index,
                fail: NiFail::PtDisabled,
                ..Event::default()
            };
            self.raise_disabled(queue, event, notices);
        }
    }
}

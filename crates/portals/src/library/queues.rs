//! Event queues.
//!
//! An event takes a place when it comes into being, and the NIC brings it later. Without a place it is lost, and the next
//! one taken says so.

use super::handles::{Key, Kind};
use super::interface::Interface;
use crate::constants::PTL_EQ_NONE;
use crate::notices::Notices;
use crate::types::{Code, Event, Handle};
use std::collections::VecDeque;

/// Most events that a queue can be asked to hold.
const LONGEST: u64 = 1 << 31;

#[derive(Debug)]
pub(super) struct Queue {
    /// Places for events.
    capacity: u64,
    /// Places that are taken: by events that are here, and by those on their way.
    taken: u64,
    /// Portal table entries with flow control that use it: each has a place more, for its `PTL_EVENT_PT_DISABLED`.
    flow_controlled: u64,
    events: VecDeque<Event>,
    dropped: bool,
}

impl Queue {
    fn new(capacity: u64) -> Self {
        Self {
            capacity,
            taken: 0,
            flow_controlled: 0,
            events: VecDeque::new(),
            dropped: false,
        }
    }

    /// Takes a place, or remembers that an event was lost.
    fn reserve(&mut self, capacity: u64) -> bool {
        if self.taken < capacity {
            self.taken += 1;
        } else {
            self.dropped = true;
            return false;
        }
        true
    }

    /// The next event that is here, and whether one was lost since the last was taken.
    pub(super) fn take(&mut self) -> Option<(Event, bool)> {
        let event = self.events.pop_front()?;
        self.taken -= 1;
        Some((event, std::mem::take(&mut self.dropped)))
    }

    /// An event that has a place is here.
    pub(super) fn deliver(&mut self, event: Event) {
        self.events.push_back(event);
        debug_assert!(self.events.len() as u64 <= self.taken);
    }
}

impl Interface {
    /// `PtlEQAlloc`. "A hint": a queue for no events holds one.
    pub(super) fn allocate_queue(&mut self, count: u64) -> Result<Handle, Code> {
        if self.queues.len() >= self.limits.max_eqs as usize || count > LONGEST {
            return Err(Code::NoSpace);
        }
        let key = self.queues.insert(Queue::new(count.max(1)));
        Ok(key.handle(Kind::Queue, self.number))
    }

    /// `PtlEQFree`.
    pub(super) fn free_queue(&mut self, key: Key) -> Result<(), Code> {
        self.queues.remove(key).map(|_| ()).ok_or(Code::ArgInvalid)
    }

    /// The queue that an argument names, none for `PTL_EQ_NONE`.
    pub(super) fn queue_argument(&self, handle: Handle) -> Result<Option<Handle>, Code> {
        if handle.0 == PTL_EQ_NONE {
            return Ok(None);
        }
        let key = self.key(handle, Kind::Queue)?;
        self.queues.get(key).ok_or(Code::ArgInvalid)?;
        Ok(Some(handle))
    }

    /// Takes a place for an event.
    pub(super) fn reserve_event(&mut self, queue: Handle) -> bool {
        self.key(queue, Kind::Queue)
            .ok()
            .and_then(|key| self.queues.get_mut(key))
            .is_some_and(|queue| {
                let capacity = queue.capacity;
                queue.reserve(capacity)
            })
    }

    /// Adds an event to what follows, if its queue has a place.
    pub(super) fn raise(&mut self, queue: Handle, event: Event, notices: &mut Notices) {
        if self.reserve_event(queue) {
            notices.events.push((queue, event));
        }
    }

    /// Adds `PTL_EVENT_PT_DISABLED`, for which a place is kept.
    pub(super) fn raise_disabled(&mut self, queue: Handle, event: Event, notices: &mut Notices) {
        let Ok(key) = self.key(queue, Kind::Queue) else {
            return;
        };
        if let Some(object) = self.queues.get_mut(key) {
            let capacity = object.capacity + object.flow_controlled;
            if object.reserve(capacity) {
                notices.events.push((queue, event));
            }
        }
    }

    /// Places that are free for ordinary events; a queue that is gone has room for all, since nothing comes of them.
    pub(super) fn room_for_events(&self, queue: Handle) -> u64 {
        self.key(queue, Kind::Queue)
            .ok()
            .and_then(|key| self.queues.get(key))
            .map_or(u64::MAX, |queue| queue.capacity.saturating_sub(queue.taken))
    }

    /// A portal table entry with flow control begins or ceases to use the queue.
    pub(super) fn watch_queue(&mut self, queue: Handle, begins: bool) {
        let Ok(key) = self.key(queue, Kind::Queue) else {
            return;
        };
        if let Some(queue) = self.queues.get_mut(key) {
            queue.flow_controlled = if begins {
                queue.flow_controlled + 1
            } else {
                queue.flow_controlled.saturating_sub(1)
            };
        }
    }
}

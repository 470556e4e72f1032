//! Counting events, and the triggered operations that wait for them.

use super::handles::{Key, Kind};
use super::interface::Interface;
use crate::constants::PTL_CT_NONE;
use crate::message::Header;
use crate::notices::Notices;
use crate::types::{Code, Counter, Handle};
use std::collections::VecDeque;

#[derive(Debug, Default)]
pub(super) struct CountingEvent {
    pub(super) value: Counter,
    /// In the order of their thresholds, among equal ones in that of their registration.
    triggered: VecDeque<Triggered>,
}

/// What is done when a counting event reaches a threshold.
#[derive(Debug)]
pub(super) enum Action {
    Move(Box<Header>),
    Set(Handle, Counter),
    Increment(Handle, Counter),
}

#[derive(Debug)]
struct Triggered {
    threshold: u64,
    action: Action,
}

impl CountingEvent {
    /// What thresholds are compared with: "the sum of the success and failure fields".
    fn reached(&self) -> u64 {
        self.value.success.saturating_add(self.value.failure)
    }

    /// Adds an operation behind those that are due no later.
    pub(super) fn register(&mut self, threshold: u64, action: Action) {
        let place = self
            .triggered
            .partition_point(|other| other.threshold <= threshold);
        self.triggered.insert(place, Triggered { threshold, action });
    }

    /// Takes out what is due, in order.
    pub(super) fn take_due(&mut self) -> Vec<Action> {
        let reached = self.reached();
        let due = self
            .triggered
            .partition_point(|triggered| triggered.threshold <= reached);
        self.triggered
            .drain(..due)
            .map(|triggered| triggered.action)
            .collect()
    }

    /// Takes out what waits.
    pub(super) fn cancel(&mut self) -> Vec<Action> {
        self.triggered
            .drain(..)
            .map(|triggered| triggered.action)
            .collect()
    }

    pub(super) fn increment(&mut self, by: Counter) {
        self.value.success = self.value.success.wrapping_add(by.success);
        self.value.failure = self.value.failure.wrapping_add(by.failure);
    }
}

/// "The increment field can only be non-zero for either the success or failure field" (`PtlCTInc`).
pub(super) fn check_increment(by: Counter) -> Result<(), Code> {
    if by.success != 0 && by.failure != 0 {
        return Err(Code::ArgInvalid);
    }
    Ok(())
}

/// Adds a counting event to those that changed.
pub(super) fn changed(counter: Handle, notices: &mut Notices) {
    if !notices.counters.contains(&counter) {
        notices.counters.push(counter);
    }
}

impl Interface {
    /// `PtlCTAlloc`.
    pub(super) fn allocate_counter(&mut self) -> Result<Handle, Code> {
        if self.counters.len() >= self.limits.max_cts as usize {
            return Err(Code::NoSpace);
        }
        let key = self.counters.insert(CountingEvent::default());
        Ok(key.handle(Kind::Counter, self.number))
    }

    /// `PtlCTFree`: what waited for it never happens.
    pub(super) fn free_counter(&mut self, key: Key) -> Result<Vec<Action>, Code> {
        let actions = self.cancel_triggered(key)?;
        self.counters.remove(key);
        Ok(actions)
    }

    /// `PtlCTCancelTriggered`: what waited.
    pub(super) fn cancel_triggered(&mut self, key: Key) -> Result<Vec<Action>, Code> {
        let actions = self.counters.get_mut(key).ok_or(Code::ArgInvalid)?.cancel();
        self.triggered -= actions.len();
        Ok(actions)
    }

    /// What waits for any counting event.
    pub(super) fn cancel_all(&mut self) -> Vec<Action> {
        self.triggered = 0;
        let counters = self.counters.objects_mut();
        counters.flat_map(CountingEvent::cancel).collect()
    }

    /// The counting event that an argument names, none for `PTL_CT_NONE`.
    pub(super) fn counter_argument(&self, handle: Handle) -> Result<Option<Handle>, Code> {
        if handle.0 == PTL_CT_NONE {
            return Ok(None);
        }
        let key = self.key(handle, Kind::Counter)?;
        self.counters.get(key).ok_or(Code::ArgInvalid)?;
        Ok(Some(handle))
    }

    /// Counts, where there is something to count with.
    pub(super) fn count(&mut self, counter: Option<Handle>, by: Counter, notices: &mut Notices) {
        let Some(handle) = counter else { return };
        let Ok(key) = self.key(handle, Kind::Counter) else {
            return;
        };
        if let Some(object) = self.counters.get_mut(key) {
            object.increment(by);
            changed(handle, notices);
        }
    }
}

/// One success: an event, or with `bytes` that many.
pub(super) fn success(bytes: Option<u64>) -> Counter {
    Counter {
        success: bytes.unwrap_or(1),
        failure: 0,
    }
}

/// One failure: "failure events always increment the count by one".
pub(super) const FAILURE: Counter = Counter {
    success: 0,
    failure: 1,
};

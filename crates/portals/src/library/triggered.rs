//! Triggered operations, and the calls that move counting events.

use super::Library;
use super::counters::{Action, changed, check_increment};
use super::handles::Kind;
use crate::call::{Move, Trigger};
use crate::message::Header;
use crate::notices::Notices;
use crate::types::{Code, Counter, Handle};
use smallvec::SmallVec;

impl Library {
    /// Checks a data movement's arguments and makes the request of it; its memory descriptors are in use until `closed`.
    ///
    /// # Errors
    ///
    /// [`Code::NoInit`], or [`Code::ArgInvalid`] for a wrong descriptor, one that does not hold offset and length, a length
    /// above the limits, an operator or type that does not belong there, a full acknowledgement without an event queue, a
    /// counting one without a counting event, descriptors of two interfaces, or a target that is none.
    pub fn prepare(&mut self, operation: &Move) -> Result<Header, Code> {
        let uid = self.place.uid;
        let (interface, _) = self.find_mut(operation.md, Kind::Descriptor)?;
        let header = interface.request(operation, uid)?;
        interface.hold_descriptors(&header);
        Ok(header)
    }

    /// Registers a triggered operation; it is due at once if the threshold is reached already.
    ///
    /// # Errors
    ///
    /// Those of the operation itself, [`Code::ArgInvalid`] when `ct` is no counting event, [`Code::NoSpace`] when
    /// `max_triggered_ops` wait already.
    pub fn trigger(&mut self, operation: &Trigger, ct: Handle, threshold: u64) -> Result<Notices, Code> {
        let uid = self.place.uid;
        self.counter(ct)?;
        let action = match operation {
            Trigger::Move(operation) => {
                let (interface, _) = self.find(operation.md, Kind::Descriptor)?;
                Action::Move(Box::new(interface.request(operation, uid)?))
            }
            Trigger::CtSet(counter, value) => {
                self.counter(*counter)?;
                Action::Set(*counter, *value)
            }
            Trigger::CtInc(counter, by) => {
                self.counter(*counter)?;
                check_increment(*by)?;
                Action::Increment(*counter, *by)
            }
        };
        let (interface, _) = self.find_mut(ct, Kind::Counter)?;
        if interface.triggered >= interface.limits.max_triggered_ops as usize {
            return Err(Code::NoSpace);
        }
        interface.triggered += 1;
        if let Action::Move(header) = &action {
            self.of_header(header).hold_descriptors(header);
        }
        self.with_counter(ct, |counter| counter.register(threshold, action));
        let mut notices = Notices::default();
        self.set_off(ct, &mut notices);
        Ok(notices)
    }

    /// `PtlCTSet`.
    ///
    /// # Errors
    ///
    /// [`Code::NoInit`], or [`Code::ArgInvalid`] when there is no such counting event.
    pub fn ct_set(&mut self, ct: Handle, value: Counter) -> Result<Notices, Code> {
        let (interface, key) = self.find_mut(ct, Kind::Counter)?;
        interface.counters.get_mut(key).ok_or(Code::ArgInvalid)?.value = value;
        Ok(self.moved(ct))
    }

    /// `PtlCTInc`.
    ///
    /// # Errors
    ///
    /// [`Code::NoInit`], or [`Code::ArgInvalid`] when there is no such counting event or both fields are to grow.
    pub fn ct_increment(&mut self, ct: Handle, by: Counter) -> Result<Notices, Code> {
        let (interface, key) = self.find_mut(ct, Kind::Counter)?;
        let counter = interface.counters.get_mut(key).ok_or(Code::ArgInvalid)?;
        check_increment(by)?;
        counter.increment(by);
        Ok(self.moved(ct))
    }

    /// What was waiting is not done: its memory descriptors, which may be of another interface, are free of it.
    pub(super) fn forget(&mut self, actions: Vec<Action>) {
        for action in actions {
            if let Action::Move(header) = action {
                self.of_header(&header).release_descriptors(&header);
            }
        }
    }

    fn moved(&mut self, ct: Handle) -> Notices {
        let mut notices = Notices::default();
        changed(ct, &mut notices);
        self.set_off(ct, &mut notices);
        notices
    }

    /// Sets off what the counting events that changed have made due.
    pub(super) fn settle(&mut self, notices: &mut Notices) {
        let changed: SmallVec<[Handle; 2]> = notices.counters.clone();
        for counter in changed {
            self.set_off(counter, notices);
        }
    }

    pub(super) fn settled(&mut self, mut notices: Notices) -> Notices {
        self.settle(&mut notices);
        notices
    }

    /// Sets off what is due at a counting event, and what follows from that: operations in the order in which their
    /// thresholds are reached.
    fn set_off(&mut self, counter: Handle, notices: &mut Notices) {
        let mut moved: SmallVec<[Handle; 4]> = SmallVec::new();
        moved.push(counter);
        let mut next = 0;
        while let Some(&counter) = moved.get(next) {
            next += 1;
            for action in self.take_due(counter) {
                let target = match action {
                    Action::Move(header) => {
                        notices.launched.push(*header);
                        continue;
                    }
                    Action::Set(target, value) => {
                        self.with_counter(target, |counter| counter.value = value);
                        target
                    }
                    Action::Increment(target, by) => {
                        self.with_counter(target, |counter| counter.increment(by));
                        target
                    }
                };
                if self.counter(target).is_ok() {
                    changed(target, notices);
                    moved.push(target);
                }
            }
        }
    }

    fn take_due(&mut self, counter: Handle) -> Vec<Action> {
        let Ok((interface, key)) = self.find_mut(counter, Kind::Counter) else {
            return Vec::new();
        };
        let Some(object) = interface.counters.get_mut(key) else {
            return Vec::new();
        };
        let due = object.take_due();
        interface.triggered -= due.len();
        due
    }

    fn with_counter(&mut self, handle: Handle, act: impl FnOnce(&mut super::counters::CountingEvent)) {
        if let Ok((interface, key)) = self.find_mut(handle, Kind::Counter)
            && let Some(counter) = interface.counters.get_mut(key)
        {
            act(counter);
        }
    }
}

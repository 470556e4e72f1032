//! Events on their way from the NIC into a program's queue: 96 B over PCI that hold the unit that issues them up, then a
//! message of no bytes, which takes the route's latency.

use super::surroundings::{Direction, Kind, Logged, Step, Surroundings};
use super::{Node, settings};
use crate::{Event, Handle, Notices};
use smallvec::SmallVec;

/// An event on its way.
#[derive(Debug)]
pub(super) struct Delivery {
    process: u32,
    eq: Handle,
    event: Event,
}

/// Events that one unit issues one after the other.
#[derive(Debug, Default)]
pub(super) struct Batch {
    process: u32,
    events: SmallVec<[(Handle, Event); 2]>,
    next: usize,
    /// The first events go with the one behind them, in one transfer
    together: usize,
}

impl Batch {
    pub(super) fn new(process: u32, events: SmallVec<[(Handle, Event); 2]>) -> Self {
        Self {
            process,
            events,
            next: 0,
            together: 0,
        }
    }

    /// The first so many events take no transfer of their own.
    pub(super) fn together(mut self, events: usize) -> Self {
        self.together = events;
        self
    }
}

impl<S: Surroundings> Node<S> {
    /// Issues events until one takes time (`step` comes back, then call [`Node::batch_left`]) or all are out (`true`).
    pub(super) fn issue(&mut self, batch: &mut Batch, step: Step, world: &mut S) -> bool {
        while let Some(&(eq, event)) = batch.events.get(batch.next) {
            if self.features.pci_commands && batch.next >= batch.together.min(batch.events.len() - 1) {
                let logged = self.event_log(world);
                world.pci(Direction::ToCpu, settings::EVENT, step, Some(logged));
                return false;
            }
            if self.features.pci_commands {
                // Goes along with the next one: leaves when that does.
                batch.next += 1;
                continue;
            }
            batch.next += 1;
            self.leave(batch.process, eq, event, world);
        }
        true
    }

    /// The event that took time is out: goes on as [`Node::issue`].
    pub(super) fn batch_left(&mut self, batch: &mut Batch, step: Step, world: &mut S) -> bool {
        let first = if batch.next <= batch.together {
            0
        } else {
            batch.next
        };
        for at in first..=batch.next {
            let (eq, event) = batch.events[at];
            self.leave(batch.process, eq, event, world);
        }
        batch.next += 1;
        self.issue(batch, step, world)
    }

    /// Issues what follows from an operation in no unit's time.
    pub(super) fn issue_detached(&mut self, process: u32, mut notices: Notices, world: &mut S) {
        self.follow(process, &mut notices, world);
        for (eq, event) in notices.events {
            if self.features.pci_commands {
                let slot = self.deliveries.insert(Delivery { process, eq, event }) as u32;
                let logged = self.event_log(world);
                world.pci(
                    Direction::ToCpu,
                    settings::EVENT,
                    Step::EventLeft(slot),
                    Some(logged),
                );
            } else {
                self.leave(process, eq, event, world);
            }
        }
    }

    /// Issues a batch in no unit's time.
    pub(super) fn issue_batch_detached(&mut self, batch: Batch, world: &mut S) {
        let notices = Notices {
            events: batch.events,
            ..Notices::default()
        };
        self.issue_detached(batch.process, notices, world);
    }

    /// The event has crossed PCI.
    pub(super) fn event_left(&mut self, slot: u32, world: &mut S) {
        world.pci(Direction::ToCpu, 0, Step::Event(slot), None);
    }

    /// The event is there.
    pub(super) fn event_arrived(&mut self, slot: u32, world: &mut S) {
        let Delivery { process, eq, event } = self.deliveries.remove(slot as usize);
        let at = &mut self.processes[process as usize];
        if at.library.deliver(eq, event) {
            self.queue_filled(process, eq, world);
        }
    }

    fn leave(&mut self, process: u32, eq: Handle, event: Event, world: &mut S) {
        let slot = self.deliveries.insert(Delivery { process, eq, event }) as u32;
        self.event_left(slot, world);
    }

    fn event_log(&self, world: &S) -> Logged {
        Logged {
            kind: Kind::Event,
            initiator: self.nid,
            target: self.nid,
            start: world.now(),
        }
    }
}

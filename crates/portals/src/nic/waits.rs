//! Waiting for events and counters: `PtlEQWait`, `PtlEQPoll`, `PtlCTWait`, `PtlCTPoll`.

use super::Node;
use super::main_actor::Doing;
use super::surroundings::{Step, Surroundings};
use crate::{Code, Handle, Library, Return};
use smallvec::SmallVec;

/// What a thread waits for.
#[derive(Clone, Debug)]
pub(super) enum Wait {
    /// An event in one of these queues
    Queues(SmallVec<[Handle; 2]>),
    /// One of these counters to reach its value, or to have a failure
    Counters(SmallVec<[(Handle, u64); 2]>),
}

impl Wait {
    /// The result, if it is there; a code if something waited for is not an object.
    fn look(&self, library: &mut Library) -> Option<Return> {
        match self {
            Self::Queues(queues) => {
                for (which, &queue) in (0..).zip(queues) {
                    match library.take_event(queue) {
                        Ok(None) => {}
                        Ok(Some((event, dropped))) => {
                            return Some(Return::Event {
                                event: Box::new(event),
                                which,
                                dropped,
                            });
                        }
                        Err(code) => return Some(Return::Failed(code)),
                    }
                }
            }
            Self::Counters(counters) => {
                for (which, &(counter, test)) in (0..).zip(counters) {
                    match library.counter(counter) {
                        Ok(value) if value.success >= test || value.failure > 0 => {
                            return Some(Return::Counter { value, which });
                        }
                        Ok(_) => {}
                        Err(code) => return Some(Return::Failed(code)),
                    }
                }
            }
        }
        None
    }

    /// What a wait that finds nothing in time returns.
    fn empty(&self) -> Return {
        Return::Failed(match self {
            Self::Queues(_) => Code::EqEmpty,
            Self::Counters(_) => Code::CtNoneReached,
        })
    }

    fn has_queue(&self, queue: Handle) -> bool {
        matches!(self, Self::Queues(queues) if queues.contains(&queue))
    }
}

impl<S: Surroundings> Node<S> {
    /// Begins to wait, for so many milliseconds at most.
    pub(super) fn wait(
        &mut self,
        process: u32,
        thread: u32,
        wait: Wait,
        milliseconds: Option<u32>,
        world: &mut S,
    ) -> Option<Return> {
        let found = wait.look(&mut self.processes[process as usize].library);
        let at_once = found.or_else(|| (milliseconds == Some(0)).then(|| wait.empty()));
        if let Some(found) = at_once {
            return self.polled(process, thread, found, world);
        }
        let time_out = milliseconds.map(|milliseconds| {
            world.time_out(f64::from(milliseconds) * 1e-3, Step::TimeOut { process, thread })
        });
        let thread = self.thread(process, thread);
        thread.polls = 0;
        thread.time_out = time_out;
        thread.doing = Doing::Wait(wait);
        None
    }

    /// A wait's time is over.
    pub(super) fn timed_out(&mut self, process: u32, thread: u32, world: &mut S) {
        let at = self.thread(process, thread);
        at.time_out = None;
        let value = match &at.doing {
            Doing::Wait(wait) => wait.empty(),
            Doing::Park => Return::TimedOut,
            _ => return,
        };
        self.finish(process, thread, value, world);
    }

    /// An event has come into a queue: a thread that waits for it goes on.
    pub(super) fn queue_filled(&mut self, process: u32, queue: Handle, world: &mut S) {
        for thread in 0..self.processes[process as usize].threads.len() as u32 {
            if matches!(&self.thread(process, thread).doing, Doing::Wait(wait) if wait.has_queue(queue)) {
                self.look_again(process, thread, world);
            }
        }
    }

    /// Counters have changed: threads that wait for them go on.
    pub(super) fn counters_changed(&mut self, process: u32, world: &mut S) {
        for thread in 0..self.processes[process as usize].threads.len() as u32 {
            if matches!(
                &self.thread(process, thread).doing,
                Doing::Wait(Wait::Counters(_))
            ) {
                self.look_again(process, thread, world);
            }
        }
    }

    /// Objects may be gone: threads that wait for them are interrupted.
    pub(super) fn interrupt_orphans(&mut self, process: u32, world: &mut S) {
        for thread in 0..self.processes[process as usize].threads.len() as u32 {
            if matches!(self.thread(process, thread).doing, Doing::Wait(_)) {
                self.look_again(process, thread, world);
            }
        }
    }

    /// All waits of the process's threads for events and counters end.
    pub(super) fn abort(&mut self, process: u32, world: &mut S) {
        for thread in 0..self.processes[process as usize].threads.len() as u32 {
            if matches!(self.thread(process, thread).doing, Doing::Wait(_)) {
                self.finish(process, thread, Return::Failed(Code::Aborted), world);
            }
        }
    }

    fn look_again(&mut self, process: u32, thread: u32, world: &mut S) {
        let at = &mut self.processes[process as usize];
        let Doing::Wait(wait) = &at.threads[thread as usize].doing else {
            return;
        };
        let found = match wait.look(&mut at.library) {
            // It was an object when the wait began.
            Some(Return::Failed(_)) => Return::Failed(Code::Interrupted),
            Some(found) => found,
            None => return,
        };
        self.finish(process, thread, found, world);
    }
}

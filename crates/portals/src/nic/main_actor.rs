//! The main actor: what a program's calls do, step by step.

use super::events::Batch;
use super::message::Message;
use super::names;
use super::surroundings::{Direction, Step, Surroundings, Work};
use super::waits::Wait;
use super::{Node, settings};
use crate::{Call, Code, Command, Handle, Notices, Return, ThreadId, Trigger};

/// A thread of a process, as its node sees it.
#[derive(Debug)]
pub(super) struct Thread<T> {
    pub(super) doing: Doing,
    /// The call it is in, for people
    name: &'static str,
    /// How many polls it has made in a row
    pub(super) polls: u32,
    pub(super) time_out: Option<T>,
}

impl<T> Default for Thread<T> {
    fn default() -> Self {
        Self {
            doing: Doing::Nothing,
            name: "",
            polls: 0,
            time_out: None,
        }
    }
}

impl<T: Copy + std::fmt::Debug> Thread<T> {
    /// It never goes on.
    pub(super) fn abandon<S: Surroundings<TimeOut = T>>(&mut self, world: &mut S) {
        self.doing = Doing::Ended;
        if let Some(time_out) = self.time_out.take() {
            world.cancel(time_out);
        }
    }
}

/// Where a thread is in its call.
#[derive(Debug, Default)]
pub(super) enum Doing {
    /// In the program
    #[default]
    Nothing,
    /// A command crosses PCI
    Command(Ordered),
    /// `PtlNIFini` waits until the command queues are empty
    Drain(Ordered),
    /// Events of a command leave, then the call returns this
    Issuing(Box<Batch>, Return),
    /// The payload of an operation is written to the NIC
    Pio(Box<Message>),
    /// An operation waits for a place in the command queue since this time
    Place(Box<Message>, f64),
    /// An operation's command crosses PCI
    Posting(Box<Message>),
    /// Time passes, then the call returns this
    Time(Return),
    /// `PtlEQGet` before it looks
    Look(Handle),
    /// For events or counters
    Wait(Wait),
    /// For all processes
    Barrier,
    /// For another thread of its process
    Park,
    /// For nothing
    Ended,
}

/// What a command tells the NIC.
#[derive(Debug)]
pub(super) enum Ordered {
    Command(Box<Command>),
    Trigger(Box<Trigger>, Handle, u64),
}

impl<S: Surroundings> Node<S> {
    /// Begins a call of a thread. `None`: it takes time, and [`Surroundings::resume`] tells what it returns.
    pub fn call(&mut self, process: u32, thread: u32, call: Call, world: &mut S) -> Option<Return> {
        self.thread(process, thread).name = names::of(&call);
        match call {
            Call::Init => {
                self.library(process).init();
                world.sleep(settings::INIT, Step::Main { process, thread });
                self.pause(process, thread, Doing::Time(Return::Done))
            }
            Call::Fini => {
                let at = &mut self.processes[process as usize];
                at.library.fini(&mut self.pids);
                self.interrupt_orphans(process, world);
                Some(Return::Done)
            }
            Call::Command(command) => self.order(process, thread, Ordered::Command(command), world),
            Call::Triggered {
                operation,
                ct,
                threshold,
            } => self.order(process, thread, Ordered::Trigger(operation, ct, threshold), world),
            Call::Move { operation, try_only } => self.post(process, thread, &operation, try_only, world),
            Call::EqGet(queue) => {
                self.thread(process, thread).polls += 1;
                let delay = self.settings.polling_delay;
                if delay == 0.0 {
                    return Some(self.look(process, queue));
                }
                world.sleep(delay, Step::Main { process, thread });
                self.thread(process, thread).doing = Doing::Look(queue);
                None
            }
            Call::EqWait(queue) => {
                let wait = Wait::Queues([queue].into_iter().collect());
                self.wait(process, thread, wait, None, world)
            }
            Call::EqPoll(queues, milliseconds) => {
                let wait = Wait::Queues(queues.into_iter().collect());
                self.wait(process, thread, wait, milliseconds, world)
            }
            Call::CtGet(counter) => {
                let found = match self.library(process).counter(counter) {
                    Ok(value) => Return::Counter { value, which: 0 },
                    Err(code) => Return::Failed(code),
                };
                self.polled(process, thread, found, world)
            }
            Call::CtWait(counter, test) => {
                let wait = Wait::Counters([(counter, test)].into_iter().collect());
                self.wait(process, thread, wait, None, world)
            }
            Call::CtPoll(counters, milliseconds) => {
                let wait = Wait::Counters(counters.into_iter().collect());
                self.wait(process, thread, wait, milliseconds, world)
            }
            Call::CtSet(counter, value) => {
                let notices = self.library(process).ct_set(counter, value);
                Some(self.follow_call(process, notices, world))
            }
            Call::CtInc(counter, by) => {
                let notices = self.library(process).ct_increment(counter, by);
                Some(self.follow_call(process, notices, world))
            }
            Call::Sleep(span) if span > 0.0 => {
                world.sleep(span, Step::Main { process, thread });
                self.pause(process, thread, Doing::Time(Return::Done))
            }
            Call::Sleep(_) | Call::Poll => self.polled(process, thread, Return::Done, world),
            Call::Compute(flops) => self.compute(process, thread, Work::Flops(flops), world),
            Call::ComputeSeconds(span) => self.compute(process, thread, Work::Seconds(span), world),
            Call::Abort => {
                self.abort(process, world);
                Some(Return::Done)
            }
            Call::Barrier => {
                let id = self.id(process, thread);
                self.pause(process, thread, Doing::Barrier);
                world.barrier(id);
                None
            }
            Call::Park(span) => {
                let time_out = span.map(|span| world.time_out(span, Step::TimeOut { process, thread }));
                self.thread(process, thread).time_out = time_out;
                self.pause(process, thread, Doing::Park)
            }
        }
    }

    /// A further thread of a process, which is not in a call.
    pub fn add_thread(&mut self, process: u32, thread: u32) {
        let threads = &mut self.processes[process as usize].threads;
        while threads.len() <= thread as usize {
            threads.push(Thread::default());
        }
        threads[thread as usize] = Thread::default();
    }

    /// A thread is over.
    pub fn end_thread(&mut self, process: u32, thread: u32, world: &mut S) {
        self.thread(process, thread).abandon(world);
    }

    /// Ends the wait of a parked thread; false: it is not parked.
    pub fn wake(&mut self, process: u32, thread: u32, world: &mut S) -> bool {
        let parked = matches!(self.thread(process, thread).doing, Doing::Park);
        if parked {
            self.finish(process, thread, Return::Woken, world);
        }
        parked
    }

    /// All processes have come to the barrier that a thread waits at.
    pub fn pass_barrier(&mut self, process: u32, thread: u32, world: &mut S) {
        if matches!(self.thread(process, thread).doing, Doing::Barrier) {
            self.finish(process, thread, Return::Done, world);
        }
    }

    /// The call that a thread is in, as its name in the interface; none when it runs or has ended.
    pub fn waits_for(&self, process: u32, thread: u32) -> Option<&'static str> {
        let thread = self
            .processes
            .get(process as usize)?
            .threads
            .get(thread as usize)?;
        (!matches!(thread.doing, Doing::Nothing | Doing::Ended)).then_some(thread.name)
    }

    /// A step of a thread's call is over.
    pub(super) fn main_step(&mut self, process: u32, thread: u32, world: &mut S) {
        let value = match std::mem::take(&mut self.thread(process, thread).doing) {
            Doing::Command(ordered) => self.carry_out(process, thread, ordered, world),
            Doing::Issuing(mut batch, value) => {
                if self.batch_left(&mut batch, Step::Main { process, thread }, world) {
                    Some(value)
                } else {
                    self.thread(process, thread).doing = Doing::Issuing(batch, value);
                    None
                }
            }
            Doing::Pio(message) => self.place(process, thread, message, world),
            Doing::Posting(message) => {
                self.submit(*message, world);
                Some(Return::Done)
            }
            Doing::Time(value) => Some(value),
            Doing::Look(queue) => Some(self.look(process, queue)),
            // The process has ended in the meantime.
            other => {
                self.thread(process, thread).doing = other;
                return;
            }
        };
        if let Some(value) = value {
            self.finish(process, thread, value, world);
        }
    }

    /// The call of a thread returns.
    pub(super) fn finish(&mut self, process: u32, thread: u32, value: Return, world: &mut S) {
        let at = self.thread(process, thread);
        at.doing = Doing::Nothing;
        if let Some(time_out) = at.time_out.take() {
            world.cancel(time_out);
        }
        world.resume(self.id(process, thread), value);
    }

    pub(super) fn thread(&mut self, process: u32, thread: u32) -> &mut Thread<S::TimeOut> {
        &mut self.processes[process as usize].threads[thread as usize]
    }

    /// A poll has found this: the first of a series costs nothing, each further one a delay.
    pub(super) fn polled(
        &mut self,
        process: u32,
        thread: u32,
        found: Return,
        world: &mut S,
    ) -> Option<Return> {
        let delay = self.settings.polling_delay;
        let at = self.thread(process, thread);
        at.polls += 1;
        if at.polls == 1 || delay == 0.0 {
            return Some(found);
        }
        world.sleep(delay, Step::Main { process, thread });
        at.doing = Doing::Time(found);
        None
    }

    fn id(&self, process: u32, thread: u32) -> ThreadId {
        ThreadId {
            process: self.processes[process as usize].rank,
            thread,
        }
    }

    /// The call takes time that no poll takes.
    pub(super) fn pause(&mut self, process: u32, thread: u32, doing: Doing) -> Option<Return> {
        let at = self.thread(process, thread);
        at.polls = 0;
        at.doing = doing;
        None
    }

    fn compute(&mut self, process: u32, thread: u32, work: Work, world: &mut S) -> Option<Return> {
        let rank = self.processes[process as usize].rank;
        world.compute(rank, work, Step::Main { process, thread });
        self.pause(process, thread, Doing::Time(Return::Done))
    }

    fn look(&mut self, process: u32, queue: Handle) -> Return {
        match self.library(process).take_event(queue) {
            Ok(Some((event, dropped))) => Return::Event {
                event: Box::new(event),
                which: 0,
                dropped,
            },
            Ok(None) => Return::Failed(Code::EqEmpty),
            Err(code) => Return::Failed(code),
        }
    }

    fn follow_call(&mut self, process: u32, notices: Result<Notices, Code>, world: &mut S) -> Return {
        match notices {
            Ok(notices) => {
                self.issue_detached(process, notices, world);
                Return::Done
            }
            Err(code) => Return::Failed(code),
        }
    }

    fn order(&mut self, process: u32, thread: u32, ordered: Ordered, world: &mut S) -> Option<Return> {
        self.thread(process, thread).polls = 0;
        if !self.features.pci_commands {
            return self.carry_out(process, thread, ordered, world);
        }
        let logged = self.command_log(world.now());
        let step = Step::Main { process, thread };
        world.pci(Direction::ToNic, settings::COMMAND, step, Some(logged));
        self.thread(process, thread).doing = Doing::Command(ordered);
        None
    }

    pub(super) fn carry_out(
        &mut self,
        process: u32,
        thread: u32,
        ordered: Ordered,
        world: &mut S,
    ) -> Option<Return> {
        let at = &mut self.processes[process as usize];
        let (value, mut notices) = match &ordered {
            Ordered::Command(command) => {
                if matches!(**command, Command::NiFini(_)) && at.commands != [0; 4] {
                    self.thread(process, thread).doing = Doing::Drain(ordered);
                    return None;
                }
                at.library.command(command, &mut self.pids, world.memory(at.rank))
            }
            Ordered::Trigger(trigger, counter, threshold) => {
                match at.library.trigger(trigger, *counter, *threshold) {
                    Ok(notices) => (Return::Done, notices),
                    Err(code) => (Return::Failed(code), Notices::default()),
                }
            }
        };
        if let Ordered::Command(command) = &ordered
            && matches!(
                **command,
                Command::NiFini(_) | Command::EqFree(_) | Command::CtFree(_)
            )
        {
            self.interrupt_orphans(process, world);
        }
        self.follow(process, &mut notices, world);
        let mut batch = Batch::new(process, notices.events);
        if self.issue(&mut batch, Step::Main { process, thread }, world) {
            return Some(value);
        }
        self.thread(process, thread).doing = Doing::Issuing(Box::new(batch), value);
        None
    }
}

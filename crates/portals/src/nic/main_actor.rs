//! The main actor: what a program's calls do, step by step.

use super::events::Batch;
use super::message::{Body, Message};
use super::surroundings::{Direction, Kind, Logged, Step, Surroundings, Work};
use super::waits::Wait;
use super::{Node, settings};
use crate::{Call, Code, Command, Handle, Header, Move, Notices, Operation, Return, ThreadId, Trigger};

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
        self.thread(process, thread).name = name(&call);
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

    /// A transmitter has taken a command: its place is free.
    pub(super) fn free_place(&mut self, message: &Message, world: &mut S) {
        let Body::Request(header, _) = &message.body else {
            return;
        };
        let Some(operation) = self.operations.get(message.operation) else {
            return;
        };
        let (process, interface) = (operation.process, usize::from(header.interface));
        let at = &mut self.processes[process as usize];
        at.commands[interface] -= 1;
        while let Some(thread) = at.waiting[interface].pop_front() {
            if let Doing::Place(message, since) = std::mem::take(&mut at.threads[thread as usize].doing) {
                if let Some(value) = self.send_command(process, thread, message, since, world) {
                    self.finish(process, thread, value, world);
                }
                return;
            }
        }
        if at.commands == [0; 4] {
            for thread in 0..at.threads.len() as u32 {
                let doing = &mut self.thread(process, thread).doing;
                match std::mem::take(doing) {
                    Doing::Drain(ordered) => {
                        if let Some(value) = self.carry_out(process, thread, ordered, world) {
                            self.finish(process, thread, value, world);
                        }
                    }
                    other => *doing = other,
                }
            }
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
    fn pause(&mut self, process: u32, thread: u32, doing: Doing) -> Option<Return> {
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

    fn carry_out(&mut self, process: u32, thread: u32, ordered: Ordered, world: &mut S) -> Option<Return> {
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

    /// A data movement operation: its payload if it goes with the command, a place in the command queue, the command.
    fn post(
        &mut self,
        process: u32,
        thread: u32,
        operation: &Move,
        try_only: bool,
        world: &mut S,
    ) -> Option<Return> {
        let header = match self.library(process).prepare(operation) {
            Ok(header) => header,
            Err(code) => return Some(Return::Failed(code)),
        };
        let interface = usize::from(header.interface);
        if try_only && self.processes[process as usize].commands[interface] >= settings::COMMAND_QUEUE {
            self.library(process).closed(&header);
            return self.polled(process, thread, Return::Failed(Code::TryAgain), world);
        }
        self.thread(process, thread).polls = 0;
        let way = self.way(process, &header);
        let mut message = Box::new(self.request(process, header));
        message.commanded = true;
        if let (Way::Inline | Way::Pio(_), Body::Request(header, payload)) = (&way, &mut message.body) {
            let at = &self.processes[process as usize];
            *payload = at.library.outgoing(header, world.memory(at.rank));
            message.carried = true;
        }
        let Way::Pio(bytes) = way else {
            return self.place(process, thread, message, world);
        };
        let logged = Logged {
            kind: Kind::PioPayload,
            ..self.command_log(world.now())
        };
        let step = Step::Main { process, thread };
        if message.kind() == Kind::Put {
            world.pci(Direction::ToNic, bytes, Step::Nothing, Some(logged));
            world.sleep(settings::PIO_BUSY, step);
        } else {
            world.pci(Direction::ToNic, bytes, step, Some(logged));
        }
        self.thread(process, thread).doing = Doing::Pio(message);
        None
    }

    fn way(&self, process: u32, header: &Header) -> Way {
        if header.operation == Operation::Get {
            return Way::Dma;
        }
        let matching = header.is_matching();
        let inline = settings::inline_size(matching);
        if header.length <= inline {
            Way::Inline
        } else if self.features.pci
            && header.length <= settings::pio_size(matching)
            && self.processes[process as usize].library.is_volatile(header)
        {
            Way::Pio(header.length - inline)
        } else {
            Way::Dma
        }
    }

    fn place(&mut self, process: u32, thread: u32, message: Box<Message>, world: &mut S) -> Option<Return> {
        let Body::Request(header, _) = &message.body else {
            unreachable!("a process asks for operations alone");
        };
        let interface = usize::from(header.interface);
        let at = &mut self.processes[process as usize];
        let since = world.now();
        if at.commands[interface] < settings::COMMAND_QUEUE {
            return self.send_command(process, thread, message, since, world);
        }
        at.waiting[interface].push_back(thread);
        self.thread(process, thread).doing = Doing::Place(message, since);
        None
    }

    fn send_command(
        &mut self,
        process: u32,
        thread: u32,
        message: Box<Message>,
        since: f64,
        world: &mut S,
    ) -> Option<Return> {
        let Body::Request(header, _) = &message.body else {
            unreachable!("a process asks for operations alone");
        };
        let interface = usize::from(header.interface);
        self.processes[process as usize].commands[interface] += 1;
        let logged = self.command_log(since);
        if !self.features.pci_commands {
            world.log(logged);
            self.submit(*message, world);
            return Some(Return::Done);
        }
        let step = Step::Main { process, thread };
        world.pci(Direction::ToNic, settings::COMMAND, step, Some(logged));
        self.thread(process, thread).doing = Doing::Posting(message);
        None
    }

    fn command_log(&self, start: f64) -> Logged {
        Logged {
            kind: Kind::Command,
            initiator: self.nid,
            target: self.nid,
            start,
        }
    }
}

/// How a payload comes to the NIC.
enum Way {
    /// In the command
    Inline,
    /// Written by the process, so many bytes beside the command
    Pio(u64),
    /// Fetched by the NIC, or none
    Dma,
}

/// The function a program called.
fn name(call: &Call) -> &'static str {
    match call {
        Call::Init => "PtlInit",
        Call::Fini => "PtlFini",
        Call::Command(command) => match **command {
            Command::NiInit { .. } => "PtlNIInit",
            Command::NiFini(_) => "PtlNIFini",
            Command::PtAlloc { .. } => "PtlPTAlloc",
            Command::PtFree(..) => "PtlPTFree",
            Command::PtEnable(..) => "PtlPTEnable",
            Command::PtDisable(..) => "PtlPTDisable",
            Command::EqAlloc(..) => "PtlEQAlloc",
            Command::EqFree(_) => "PtlEQFree",
            Command::CtAlloc(_) => "PtlCTAlloc",
            Command::CtFree(_) => "PtlCTFree",
            Command::CtCancelTriggered(_) => "PtlCTCancelTriggered",
            Command::MdBind(..) => "PtlMDBind",
            Command::MdRelease(_) => "PtlMDRelease",
            Command::Append {
                non_matching: true, ..
            } => "PtlLEAppend",
            Command::Append { .. } => "PtlMEAppend",
            Command::Unlink(_) => "PtlMEUnlink",
            Command::Search {
                non_matching: true, ..
            } => "PtlLESearch",
            Command::Search { .. } => "PtlMESearch",
        },
        Call::Move { operation, .. } => match operation.operation {
            Operation::Put => "PtlPut",
            Operation::Get => "PtlGet",
            Operation::Atomic { .. } => "PtlAtomic",
            Operation::FetchAtomic { .. } => "PtlFetchAtomic",
            Operation::Swap { .. } => "PtlSwap",
        },
        Call::Triggered { operation, .. } => match &**operation {
            Trigger::Move(operation) => match operation.operation {
                Operation::Put => "PtlTriggeredPut",
                Operation::Get => "PtlTriggeredGet",
                Operation::Atomic { .. } => "PtlTriggeredAtomic",
                Operation::FetchAtomic { .. } => "PtlTriggeredFetchAtomic",
                Operation::Swap { .. } => "PtlTriggeredSwap",
            },
            Trigger::CtSet(..) => "PtlTriggeredCTSet",
            Trigger::CtInc(..) => "PtlTriggeredCTInc",
        },
        Call::EqGet(_) => "PtlEQGet",
        Call::EqWait(_) => "PtlEQWait",
        Call::EqPoll(..) => "PtlEQPoll",
        Call::CtGet(_) => "PtlCTGet",
        Call::CtWait(..) => "PtlCTWait",
        Call::CtPoll(..) => "PtlCTPoll",
        Call::CtSet(..) => "PtlCTSet",
        Call::CtInc(..) => "PtlCTInc",
        Call::Sleep(_) => "sleep",
        Call::Poll => "a poll",
        Call::Compute(_) => "s4bxi_compute",
        Call::ComputeSeconds(_) => "s4bxi_compute_s",
        Call::Abort => "PtlAbort",
        Call::Barrier => "a barrier",
        Call::Park(_) => "another thread",
    }
}

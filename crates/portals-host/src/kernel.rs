//! Who answers what hosted programs ask, and says which of them runs next: the simulated machine, seen by the host.

use packetloom_portals::{Call, Return, ThreadId};

/// Which thread runs next.
#[derive(Debug)]
pub enum Next {
    /// This one: its call returns so
    Resume(ThreadId, Return),
    /// None ever again: all processes have ended that the run waits for
    Finished,
    /// None ever again: processes still wait, and nothing is under way that could wake them
    Deadlock,
    /// None ever again: the machine cannot go on, for this reason
    Broken(String),
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code
    pub code: i32,
}

/// The simulated machine.
///
/// The first [`Next::Resume`] of a thread starts it; for the thread with number 0 of each process the kernel gives it by
/// itself (at the process's start time), for others after [`Kernel::spawn`].
pub trait Kernel {
    /// Simulated time, seconds from the start of the run.
    fn now(&self) -> f64;

    /// Asks for `call` in the name of `thread`. `None`: the thread waits, [`Kernel::next`] will name it.
    fn call(&mut self, thread: ThreadId, call: Call) -> Option<Return>;

    /// Lets time pass until a thread can run. Never names a thread that neither waits nor was spawned.
    fn next(&mut self) -> Next;

    /// A further thread of a process is there and can run.
    fn spawn(&mut self, thread: ThreadId);

    /// Ends the wait of a parked thread ([`Call::Park`]) with [`Return::Woken`]; a thread that does not wait there is left
    /// alone, and the answer is false.
    fn wake(&mut self, thread: ThreadId) -> bool;

    /// A thread other than the first has ended.
    fn thread_ended(&mut self, thread: ThreadId);

    /// A process has ended, with all its threads.
    fn process_ended(&mut self, process: u32, ended: Ended);

    /// The Portals library of a process, for what takes no time.
    fn library(&mut self, process: u32) -> &mut packetloom_portals::Library;

    /// How many processes there are; ranks are 0 to this less 1.
    fn processes(&self) -> u32;

    /// The name of the simulated host of a process.
    fn host_name(&self, process: u32) -> &str;

    /// The node identifier of a process's host.
    fn nid(&self, process: u32) -> u32;

    /// What a thread waits for, for people: `PtlEQWait`, `s4bxi_barrier`, …; none when it does not wait.
    fn waits_for(&self, thread: ThreadId) -> Option<String>;
}

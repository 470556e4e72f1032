//! The kernel of real runs: the simulated machine of `packetloom-sim`.

use crate::kernel::{Ended, Kernel, Next};
use crate::memory::ProcessMemory;
use packetloom_portals::{Call, Library, Return, ThreadId};
use packetloom_sim::portals::{self, World};

/// How many threads go on between two looks at the time.
const STRIDE: u32 = 4096;

/// The simulated machine, and who wants to know how far it is.
pub struct SimulatedMachine {
    world: World<ProcessMemory>,
    watch: Box<dyn FnMut(f64)>,
    resumed: u32,
}

impl SimulatedMachine {
    /// A machine; `watch` is told simulated seconds now and then.
    pub fn new(world: World<ProcessMemory>, watch: impl FnMut(f64) + 'static) -> Self {
        Self {
            world,
            watch: Box::new(watch),
            resumed: 0,
        }
    }

    /// The machine itself.
    pub fn into_world(self) -> World<ProcessMemory> {
        self.world
    }
}

impl Kernel for SimulatedMachine {
    fn now(&self) -> f64 {
        self.world.now()
    }

    fn call(&mut self, thread: ThreadId, call: Call) -> Option<Return> {
        self.world.call(thread, call)
    }

    fn next(&mut self) -> Next {
        self.resumed = self.resumed.wrapping_add(1);
        if self.resumed.is_multiple_of(STRIDE) {
            (self.watch)(self.world.now());
        }
        match self.world.advance() {
            portals::Next::Resume(thread, value) => Next::Resume(thread, value),
            portals::Next::Finished => Next::Finished,
            portals::Next::Deadlock => Next::Deadlock,
            portals::Next::Broken(reason) => Next::Broken(reason),
        }
    }

    fn spawn(&mut self, thread: ThreadId) {
        self.world.spawn(thread);
    }

    fn wake(&mut self, thread: ThreadId) -> bool {
        self.world.wake(thread)
    }

    fn thread_ended(&mut self, thread: ThreadId) {
        self.world.thread_ended(thread);
    }

    fn process_ended(&mut self, process: u32, _: Ended) {
        self.world.process_ended(process);
    }

    fn library(&mut self, process: u32) -> &mut Library {
        self.world.library(process)
    }

    fn processes(&self) -> u32 {
        self.world.processes()
    }

    fn host_name(&self, process: u32) -> &str {
        &self.world.launch(process).host_name
    }

    fn nid(&self, process: u32) -> u32 {
        self.world.launch(process).nid
    }

    fn waits_for(&self, thread: ThreadId) -> Option<String> {
        self.world.waits_for(thread).map(str::to_owned)
    }
}

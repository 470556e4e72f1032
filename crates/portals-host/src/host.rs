//! What the host keeps of the processes and threads that it runs, for the functions that programs call.
//!
//! All of it belongs to the thread of the system that simulates: programs never run on another one.

use crate::image::Image;
use crate::intercept::Random;
use crate::output::Collector;
use crate::signals::Signals;
use crate::stdio::Streams;
use crate::switch::{GetoptState, ThreadState};
use crate::threads::Keys;
use packetloom_portals::ThreadId;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::{CString, c_char, c_void};

thread_local! {
    static HOST: RefCell<Host> = const { RefCell::new(Host::new()) };
    static CURRENT: Cell<Option<ThreadId>> = const { Cell::new(None) };
}

/// All processes.
pub struct Host {
    pub processes: Vec<Process>,
    pub output: Collector,
}

/// A process.
pub struct Process {
    pub image: Image,
    pub arguments: Arguments,
    pub host_name: CString,
    pub streams: Streams,
    pub threads: Vec<Thread>,
    /// The thread whose values of thread-local variables are in place
    pub in_place: u32,
    pub getopt: GetoptState,
    pub at_exit: Vec<AtExit>,
    pub at_quick_exit: Vec<AtExit>,
    pub signals: Signals,
    pub keys: Keys,
    /// Threads that wait at an object, by its address, in the order in which they came
    pub waiting: BTreeMap<usize, VecDeque<u32>>,
    pub random: Option<Box<Random>>,
    /// What `strtok` goes on with
    pub token: *mut c_char,
}

/// A thread of a process.
pub struct Thread {
    pub state: ThreadState,
    pub start: Start,
    /// What it waits for, where the host knows better than the kernel
    pub waits_for: Option<&'static str>,
    /// Nothing more comes of it
    pub ended: bool,
    pub detached: bool,
    /// Its result has been given to another thread
    pub joined: bool,
    /// The host's own: programs do not see it
    pub hidden: bool,
    pub result: *mut c_void,
    pub values: Vec<*mut c_void>,
    /// Clean-up handlers of `pthread_cleanup_push`, the innermost last
    pub clean_up: Vec<*mut c_void>,
    /// Destructors of C++ variables of the thread
    pub at_exit: Vec<(extern "C" fn(*mut c_void), *mut c_void)>,
}

/// What a thread runs.
#[derive(Clone, Copy)]
pub enum Start {
    Main,
    Routine(extern "C" fn(*mut c_void) -> *mut c_void, *mut c_void),
    /// The thread that waits for the process's timer, see `signals`
    Timer,
}

/// A function that runs at the end of a process.
#[derive(Clone, Copy)]
pub enum AtExit {
    /// With its argument
    Plain(extern "C" fn(*mut c_void), *mut c_void),
    /// With the exit code
    WithCode(extern "C" fn(i32, *mut c_void), *mut c_void),
}

/// A program's arguments in the shape in which `main` takes them.
pub struct Arguments {
    pointers: Vec<*const c_char>,
    _texts: Vec<CString>,
}

impl Arguments {
    /// Of these texts, the name first.
    pub fn new(texts: Vec<CString>) -> Self {
        let pointers = texts
            .iter()
            .map(|text| text.as_ptr())
            .chain([std::ptr::null()])
            .collect();
        Self {
            pointers,
            _texts: texts,
        }
    }

    /// `argc` and `argv`.
    pub fn as_main_takes_them(&self) -> (i32, *const *const c_char) {
        let count = i32::try_from(self.pointers.len() - 1).expect("fewer arguments than fit a command line");
        (count, self.pointers.as_ptr())
    }
}

impl Host {
    const fn new() -> Self {
        Self {
            processes: Vec::new(),
            output: Collector::new(),
        }
    }

    /// The process of a rank.
    pub fn process(&mut self, rank: u32) -> &mut Process {
        &mut self.processes[rank as usize]
    }

    /// A thread.
    pub fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        &mut self.processes[thread.process as usize].threads[thread.thread as usize]
    }
}

impl Process {
    /// One that has not started.
    pub fn new(image: Image, arguments: Arguments, streams: Streams) -> Self {
        let first = Thread::new(Start::Main, image.first_thread_local());
        Self {
            image,
            arguments,
            host_name: CString::default(),
            streams,
            threads: vec![first],
            in_place: 0,
            getopt: GetoptState::new(),
            at_exit: Vec::new(),
            at_quick_exit: Vec::new(),
            signals: Default::default(),
            keys: Default::default(),
            waiting: BTreeMap::new(),
            random: None,
            token: std::ptr::null_mut(),
        }
    }
}

impl Thread {
    /// One that has not started.
    pub fn new(start: Start, thread_local: Vec<u8>) -> Self {
        Self {
            state: ThreadState::new(thread_local),
            start,
            waits_for: None,
            ended: false,
            detached: false,
            joined: false,
            hidden: false,
            result: std::ptr::null_mut(),
            values: Vec::new(),
            clean_up: Vec::new(),
            at_exit: Vec::new(),
        }
    }
}

/// Does something with all that is kept. Nothing that a program could see runs meanwhile.
pub fn with<R>(ask: impl FnOnce(&mut Host) -> R) -> R {
    HOST.with_borrow_mut(ask)
}

/// Does something with the current process.
pub fn with_process<R>(ask: impl FnOnce(&mut Process) -> R) -> R {
    let rank = crate::current::thread().process;
    with(|host| ask(host.process(rank)))
}

/// Does something with the current thread.
pub fn with_thread<R>(ask: impl FnOnce(&mut Thread) -> R) -> R {
    let thread = crate::current::thread();
    with(|host| ask(host.thread(thread)))
}

/// The thread that runs now; none: the host itself runs.
pub fn current() -> Option<ThreadId> {
    CURRENT.get()
}

/// Says which thread runs from now on.
pub fn set_current(thread: Option<ThreadId>) {
    CURRENT.set(thread);
}

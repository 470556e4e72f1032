//! Simulated threads as coroutines.

use crate::crash::{Guarded, Trap};
use crate::host::{self, Start};
use crate::stack::GuardedStack;
use crate::{current, signals, threads};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use packetloom_portals::{Call, Return, ThreadId};
use std::cell::Cell;
use std::io;

/// Why a thread stops.
#[derive(Debug)]
pub enum Request {
    /// For a call
    Call(Call),
    /// For good: only the thread has ended
    ThreadEnd,
    /// Its process has ended with this exit code
    Exit(i32),
    /// Its process has been ended by a signal, with what there is to say about it
    Killed {
        /// The signal's number
        signal: i32,
        /// What led to it
        message: Option<String>,
    },
}

/// How a thread came to its end.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// Its function returned
    Returned,
    /// It was stopped
    Trapped(Trap),
}

/// What a thread did when it went on.
pub enum Step {
    /// It asks for something
    Asks(Request),
    /// It has come to its end
    Ended(End),
}

thread_local! {
    /// The way back to the run loop of the coroutine that runs; null: none runs
    static YIELDER: Cell<*const Yielder<Return, Request>> = const { Cell::new(std::ptr::null()) };
}

/// A thread.
pub struct Thread {
    coroutine: Coroutine<Return, Request, End, GuardedStack>,
    guarded: Guarded,
    yielder: *const Yielder<Return, Request>,
}

impl Thread {
    /// The thread of this number, which runs what [`host::Thread::start`] says.
    ///
    /// # Errors
    ///
    /// When there is no memory for its stack.
    pub fn new(thread: ThreadId, stack_size: usize) -> io::Result<Self> {
        let stack = GuardedStack::new(stack_size)?;
        let guard = stack.guard();
        let coroutine = Coroutine::with_stack(stack, move |yielder: &Yielder<Return, Request>, _: Return| {
            YIELDER.set(yielder);
            body(thread);
            End::Returned
        });
        let guarded = Guarded {
            handler: coroutine.trap_handler(),
            guard_start: guard.start,
            guard_end: guard.end,
        };
        Ok(Self {
            coroutine,
            guarded,
            yielder: std::ptr::null(),
        })
    }

    /// Lets it go on, its call having returned `with`, until it asks for something or ends.
    pub fn resume(&mut self, with: Return) -> Step {
        YIELDER.set(self.yielder);
        let step = {
            let _watched = self.guarded.watch();
            self.coroutine.resume(with)
        };
        self.yielder = YIELDER.replace(std::ptr::null());
        match step {
            CoroutineResult::Yield(request) => Step::Asks(request),
            CoroutineResult::Return(end) => Step::Ended(end),
        }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        if !self.coroutine.done() {
            // SAFETY: the frames on the stack are those of the program, which C has nothing to clean up for, and of functions
            // of this crate that stop for good or hold nothing while they wait. The stack is given back after this.
            unsafe { self.coroutine.force_reset() };
        }
    }
}

/// Stops the thread that runs until it is resumed.
///
/// # Panics
///
/// When no simulated thread runs.
pub fn suspend(request: Request) -> Return {
    let yielder = YIELDER.get();
    assert!(!yielder.is_null(), "no simulated thread runs");
    // SAFETY: set when the coroutine that runs was started or resumed; it lives on the coroutine's stack until its end.
    unsafe { &*yielder }.suspend(request)
}

/// What runs on a thread's stack.
fn body(thread: ThreadId) {
    match host::with(|host| host.thread(thread).start) {
        Start::Main => main(),
        Start::Routine(function, argument) => threads::finish(function(argument)),
        Start::Timer => signals::run_timer(),
    }
}

/// Runs the process's initialisers and `main`.
fn main() {
    let (initialisers, main, (count, arguments)) = host::with_process(|process| {
        (
            process.image.initialisers(),
            process.image.main(),
            process.arguments.as_main_takes_them(),
        )
    });
    unsafe extern "C" {
        static environ: *const *const std::ffi::c_char;
    }
    // SAFETY: the variable of the C library; the loader's functions and `main` take what any program's take, and the
    // arguments live as long as the process.
    let code = unsafe {
        for initialiser in initialisers {
            initialiser(count, arguments, environ);
        }
        main(count, arguments, environ)
    };
    current::exit(code);
}

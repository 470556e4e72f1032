//! Signals that a process sends itself, and its timer: `alarm` and `setitimer`, in simulated time.
//!
//! The timer is a thread of the process that programs do not see. When it is due, the handler runs in a thread that sleeps,
//! which its sleep then tells of; if none does, in the timer's own thread, while the others wait on.

use crate::coroutine::{Request, suspend};
use crate::host::{self, Process, Start, Thread};
use crate::{current, switch};
use packetloom_portals::{Call, Return, ThreadId};
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};

/// Seconds by which a timer may be early: less than any clock shows.
const EARLY: f64 = 1e-10;

/// A process's handlers and timer.
#[derive(Default)]
pub struct Signals {
    actions: BTreeMap<c_int, libc::sigaction>,
    pub mask: u64,
    due: Option<f64>,
    interval: f64,
    timer: Option<u32>,
    /// Threads whose sleep a signal ends, and the signal once it is there
    sleeping: BTreeMap<u32, Option<c_int>>,
}

/// What happens on a signal.
enum Reaction {
    Ends,
    Nothing,
    Calls(libc::sigaction),
}

impl Signals {
    /// What the program said of a signal last; none: nothing.
    pub fn action(&self, signal: c_int) -> Option<libc::sigaction> {
        self.actions.get(&signal).copied()
    }

    /// Says what happens on a signal.
    pub fn set_action(&mut self, signal: c_int, action: libc::sigaction) {
        self.actions.insert(signal, action);
    }

    fn reaction(&mut self, signal: c_int) -> Reaction {
        let Some(action) = self.action(signal) else {
            return default_reaction(signal);
        };
        match action.sa_sigaction {
            libc::SIG_DFL => default_reaction(signal),
            libc::SIG_IGN => Reaction::Nothing,
            _ => {
                if action.sa_flags & libc::SA_RESETHAND != 0 {
                    self.actions.remove(&signal);
                }
                Reaction::Calls(action)
            }
        }
    }

    /// Seconds until the timer is due and between further times; 0: it is not set.
    pub fn timer(&self, now: f64) -> (f64, f64) {
        (self.due.map_or(0.0, |due| (due - now).max(0.0)), self.interval)
    }

    /// Whether a sleep must let itself be ended.
    fn may_interrupt(&self) -> bool {
        self.due.is_some()
    }
}

fn default_reaction(signal: c_int) -> Reaction {
    match signal {
        libc::SIGCHLD | libc::SIGURG | libc::SIGWINCH | libc::SIGCONT => Reaction::Nothing,
        _ => Reaction::Ends,
    }
}

/// Carries a signal out in the current thread.
pub fn raise(signal: c_int, message: Option<String>) {
    match host::with_process(|process| process.signals.reaction(signal)) {
        Reaction::Nothing => (),
        Reaction::Ends => current::die(signal, message),
        Reaction::Calls(action) => call_handler(signal, &action),
    }
}

/// Calls a handler of the program.
fn call_handler(signal: c_int, action: &libc::sigaction) {
    let errno = switch::errno();
    // SAFETY: the program gave the address as that of a handler, of the shape that its flags tell.
    unsafe {
        if action.sa_flags & libc::SA_SIGINFO != 0 {
            type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
            let handler = std::mem::transmute::<usize, Handler>(action.sa_sigaction);
            let mut information: libc::siginfo_t = std::mem::zeroed();
            information.si_signo = signal;
            handler(signal, &raw mut information, std::ptr::null_mut());
        } else {
            let handler = std::mem::transmute::<usize, extern "C" fn(c_int)>(action.sa_sigaction);
            handler(signal);
        }
    }
    switch::set_errno(errno);
}

/// Sleeps for so many seconds; `None`: until a signal comes. The error is the time that was left when one came.
///
/// # Errors
///
/// When a signal ended the sleep.
pub fn sleep(seconds: Option<f64>, what: &'static str) -> Result<(), f64> {
    let interruptible = host::with_process(|process| process.signals.may_interrupt());
    if let Some(seconds) = seconds.filter(|_| !interruptible) {
        current::call(Call::Sleep(seconds));
        return Ok(());
    }
    let me = current::thread().thread;
    let start = now();
    host::with_process(|process| {
        process.signals.sleeping.insert(me, None);
        process.threads[me as usize].waits_for = Some(what);
    });
    current::call(Call::Park(seconds));
    let signal = host::with_process(|process| {
        process.threads[me as usize].waits_for = None;
        process.signals.sleeping.remove(&me).flatten()
    });
    let Some(signal) = signal else { return Ok(()) };
    raise(signal, None);
    Err(seconds.map_or(0.0, |seconds| (seconds - (now() - start)).max(0.0)))
}

/// Sets the timer to `due` seconds from now, and again each `interval` seconds; 0 stops it.
pub fn set_timer(due: f64, interval: f64) {
    let now = now();
    let rank = current::thread().process;
    let (timer, new) = host::with_process(|process| {
        process.signals.due = (due > 0.0).then_some(now + due);
        process.signals.interval = interval;
        let new = process.signals.timer.is_none() && due > 0.0;
        if new {
            process.signals.timer = Some(add_timer(process));
        }
        (process.signals.timer, new)
    });
    if let Some(thread) = timer {
        let timer = ThreadId {
            process: rank,
            thread,
        };
        current::with_kernel(|kernel| {
            if new {
                kernel.spawn(timer);
            } else {
                kernel.wake(timer);
            }
        });
    }
}

fn add_timer(process: &mut Process) -> u32 {
    let mut thread = Thread::new(Start::Timer, process.image.first_thread_local());
    thread.hidden = true;
    process.threads.push(thread);
    process.threads.len() as u32 - 1
}

/// What the timer's thread does.
pub fn run_timer() {
    loop {
        let now = now();
        let due = host::with_process(|process| process.signals.due);
        match due {
            None => drop(suspend(Request::Call(Call::Park(None)))),
            Some(due) if due > now + EARLY => drop(suspend(Request::Call(Call::Park(Some(due - now))))),
            Some(due) => {
                host::with_process(|process| {
                    let signals = &mut process.signals;
                    signals.due = (signals.interval > 0.0).then_some(due + signals.interval);
                });
                deliver(libc::SIGALRM);
            }
        }
    }
}

/// Carries a signal out in a thread that sleeps, or here.
fn deliver(signal: c_int) {
    let rank = current::thread().process;
    let caught = host::with_process(|process| match process.signals.reaction(signal) {
        Reaction::Calls(action) => {
            // Looked at again by the thread that carries it out.
            process.signals.actions.insert(signal, action);
            true
        }
        _ => false,
    });
    let sleeper = host::with_process(|process| {
        process
            .signals
            .sleeping
            .iter()
            .find(|(_, signal)| signal.is_none())
            .map(|(thread, _)| *thread)
    });
    if let Some(thread) = sleeper.filter(|_| caught) {
        let woken = current::with_kernel(|kernel| {
            kernel.wake(ThreadId {
                process: rank,
                thread,
            })
        });
        if woken {
            host::with_process(|process| process.signals.sleeping.insert(thread, Some(signal)));
            return;
        }
    }
    raise(signal, None);
}

/// Simulated time, seconds.
pub fn now() -> f64 {
    current::with_kernel(|kernel| kernel.now())
}

/// Whether a wait was ended by another thread.
pub fn woken(returned: &Return) -> bool {
    matches!(returned, Return::Woken)
}

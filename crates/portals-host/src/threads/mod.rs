//! POSIX threads of programs: each is a coroutine, and only one runs at a time.
//!
//! Objects keep their state where the program put them, laid out so that the static initialisers of the C library are
//! those of a free object. Who waits is kept by the host, by the object's address, in the order in which they came.
//!
//! - `lifetime`: create, join, detach, exit
//! - `mutex`, `condition`, `lock` (read-write and spinning), `semaphore` (and barriers)
//! - `keys`: values of threads, and what is done once
//! - `c11`: the same by the names of `<threads.h>`

pub mod c11;
pub mod condition;
pub mod keys;
pub mod lifetime;
pub mod lock;
pub mod mutex;
pub mod semaphore;

pub use keys::Keys;
pub use lifetime::finish;

use crate::signals::now;
use crate::{current, host, signals};
use packetloom_portals::{Call, ThreadId};
use std::ffi::c_int;

/// Waits at an object until [`wake_one`] calls for this thread, or until a time in seconds has come; false: it has.
fn wait(at: usize, until: Option<f64>, what: &'static str) -> bool {
    let me = current::thread().thread;
    host::with_process(|process| {
        process.waiting.entry(at).or_default().push_back(me);
        process.threads[me as usize].waits_for = Some(what);
    });
    let returned = current::call(Call::Park(until.map(|until| (until - now()).max(0.0))));
    let woken = signals::woken(&returned);
    host::with_process(|process| {
        process.threads[me as usize].waits_for = None;
        if !woken && let Some(queue) = process.waiting.get_mut(&at) {
            queue.retain(|waiting| *waiting != me);
            if queue.is_empty() {
                process.waiting.remove(&at);
            }
        }
    });
    woken
}

/// Lets the first thread that waits at an object go on, and says which it is.
fn wake_one(at: usize) -> Option<u32> {
    let rank = current::thread().process;
    loop {
        let thread = host::with_process(|process| {
            let queue = process.waiting.get_mut(&at)?;
            let first = queue.pop_front();
            if queue.is_empty() {
                process.waiting.remove(&at);
            }
            first
        })?;
        // A thread whose time to wait is over at this very moment goes on by itself: the next one is called for.
        if current::with_kernel(|kernel| {
            kernel.wake(ThreadId {
                process: rank,
                thread,
            })
        }) {
            return Some(thread);
        }
    }
}

/// A try that found its object taken: counts as a poll, so that a loop of them lets time pass.
fn taken(error: c_int) -> c_int {
    current::call(Call::Poll);
    error
}

/// The number under which objects keep the current thread: 1 and its number, as 0 is nobody.
fn me() -> u32 {
    current::thread().thread + 1
}

/// An absolute time; none: it is no time.
///
/// # Safety
///
/// The program gave it as a `timespec` that can be read.
unsafe fn until(time: *const libc::timespec) -> Option<f64> {
    // SAFETY: the caller's promise.
    let time = unsafe { *time };
    let valid = (0..1_000_000_000).contains(&time.tv_nsec);
    valid.then_some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

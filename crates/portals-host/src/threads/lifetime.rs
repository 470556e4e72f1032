//! The life of threads: create, join, detach, exit.

use super::{keys, wait, wake_one};
use crate::coroutine::{Request, suspend};
use crate::current;
use crate::host::{self, Process, Start, Thread};
use packetloom_portals::{Call, ThreadId};
use std::ffi::{c_int, c_ulong, c_void};

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attributes: *const c_void, into: *mut c_int) -> c_int;
    fn longjmp(place: *mut c_void, value: c_int) -> !;
}

/// What a thread runs.
pub type Routine = extern "C" fn(*mut c_void) -> *mut c_void;

/// The most threads of one process.
const MOST: usize = 10_000;

/// Where threads wait for the end of one: no program's object is at such an address.
fn end_of(thread: u32) -> usize {
    usize::MAX - thread as usize
}

/// A program's thread by the identifier that the program has of it, when there is one that may still be asked for.
fn known(process: &mut Process, identifier: c_ulong) -> Option<(u32, &mut Thread)> {
    let number = u32::try_from(identifier).ok()?.checked_sub(1)?;
    let thread = process.threads.get_mut(number as usize)?;
    (!thread.hidden && !thread.joined).then_some((number, thread))
}

pub unsafe extern "C" fn create(
    into: *mut c_ulong,
    attributes: *const c_void,
    routine: Routine,
    argument: *mut c_void,
) -> c_int {
    let mut detached = libc::PTHREAD_CREATE_JOINABLE;
    if !attributes.is_null() {
        // SAFETY: the program's attributes, read by the library that made them.
        unsafe { pthread_attr_getdetachstate(attributes, &raw mut detached) };
    }
    let made = host::with_process(|process| {
        if process.threads.len() >= MOST {
            return None;
        }
        let mut thread = Thread::new(
            Start::Routine(routine, argument),
            process.image.first_thread_local(),
        );
        thread.detached = detached == libc::PTHREAD_CREATE_DETACHED;
        process.threads.push(thread);
        Some(process.threads.len() as u32 - 1)
    });
    let Some(thread) = made else { return libc::EAGAIN };
    // SAFETY: the program gave room for an identifier.
    unsafe { *into = c_ulong::from(thread) + 1 };
    let process = current::thread().process;
    current::with_kernel(|kernel| kernel.spawn(ThreadId { process, thread }));
    0
}

pub unsafe extern "C" fn this() -> c_ulong {
    match host::current() {
        Some(thread) => c_ulong::from(thread.thread) + 1,
        None => 0,
    }
}

pub unsafe extern "C" fn equal(one: c_ulong, other: c_ulong) -> c_int {
    c_int::from(one == other)
}

fn join_as(identifier: c_ulong, into: *mut *mut c_void, wait_for_it: bool) -> c_int {
    let me = current::thread().thread;
    let found = host::with_process(|process| match known(process, identifier) {
        None => Err(libc::ESRCH),
        Some((number, _)) if number == me => Err(libc::EDEADLK),
        Some((_, thread)) if thread.detached => Err(libc::EINVAL),
        Some((number, thread)) => Ok((number, thread.ended)),
    });
    let (number, ended) = match found {
        Ok(found) => found,
        Err(error) => return error,
    };
    if !ended {
        if !wait_for_it {
            return super::taken(libc::EBUSY);
        }
        wait(end_of(number), None, "pthread_join");
    }
    let result = host::with_process(|process| {
        let thread = &mut process.threads[number as usize];
        thread.joined = true;
        thread.result
    });
    if !into.is_null() {
        // SAFETY: the program gave room for a pointer.
        unsafe { *into = result };
    }
    0
}

pub unsafe extern "C" fn join(identifier: c_ulong, into: *mut *mut c_void) -> c_int {
    join_as(identifier, into, true)
}

pub unsafe extern "C" fn try_join(identifier: c_ulong, into: *mut *mut c_void) -> c_int {
    join_as(identifier, into, false)
}

pub unsafe extern "C" fn detach(identifier: c_ulong) -> c_int {
    host::with_process(|process| match known(process, identifier) {
        None => libc::ESRCH,
        Some((_, thread)) if thread.detached => libc::EINVAL,
        Some((_, thread)) => {
            thread.detached = true;
            0
        }
    })
}

pub unsafe extern "C" fn exit(result: *mut c_void) -> ! {
    host::with_thread(|thread| thread.result = result);
    leave()
}

/// Runs the clean-up handlers that are left, then ends the thread with the result that is there.
fn leave() -> ! {
    if let Some(buffer) = host::with_thread(|thread| thread.clean_up.pop()) {
        // SAFETY: the buffer was registered by a function that has not returned yet, after it saved its place in it.
        unsafe { longjmp(buffer, 1) };
    }
    finish(host::with_thread(|thread| thread.result));
    if current::thread().thread == 0 {
        // The process lives on until its other threads end.
        host::with_thread(|thread| thread.waits_for = Some("pthread_exit"));
        loop {
            current::call(Call::Park(None));
        }
    }
    suspend(Request::ThreadEnd);
    unreachable!("a thread that has ended is never resumed")
}

/// The current thread has ended with a result. Ends the process when it was the last one.
pub fn finish(result: *mut c_void) {
    keys::destroy_values();
    let me = current::thread().thread;
    let last = host::with_process(|process| {
        let thread = &mut process.threads[me as usize];
        thread.ended = true;
        thread.result = result;
        process.threads.iter().all(|thread| thread.ended || thread.hidden)
    });
    while wake_one(end_of(me)).is_some() {}
    if last {
        current::exit(0);
    }
}

/// `pthread_cleanup_push`, of which the C library's header makes a saved place and this.
pub unsafe extern "C" fn register_clean_up(buffer: *mut c_void) {
    host::with_thread(|thread| thread.clean_up.push(buffer));
}

pub unsafe extern "C" fn unregister_clean_up(_: *mut c_void) {
    host::with_thread(|thread| thread.clean_up.pop());
}

/// A clean-up handler has run on the way out.
pub unsafe extern "C" fn unwind_next(_: *mut c_void) -> ! {
    leave()
}

pub unsafe extern "C" fn cancel(_: c_ulong) -> c_int {
    crate::intercept::refuse("pthread_cancel", "threads end by themselves here");
    libc::ENOSYS
}

/// `pthread_setcancelstate`, `pthread_setcanceltype`: nothing cancels threads, so that any state is as good.
pub unsafe extern "C" fn set_cancel(_: c_int, before: *mut c_int) -> c_int {
    if !before.is_null() {
        // SAFETY: the program gave room for a number.
        unsafe { *before = 0 };
    }
    0
}

pub unsafe extern "C" fn test_cancel() {}

pub unsafe extern "C" fn kill(identifier: c_ulong, signal: c_int) -> c_int {
    let me = current::thread().thread;
    let found = host::with_process(|process| known(process, identifier).map(|(number, _)| number));
    match found {
        None => libc::ESRCH,
        Some(_) if signal == 0 => 0,
        Some(number) if number == me => {
            crate::signals::raise(signal, None);
            0
        }
        Some(_) => {
            crate::intercept::refuse("pthread_kill", "a thread can send signals only to itself here");
            libc::ENOSYS
        }
    }
}

/// Names and processors of threads mean nothing here: accepted, and without effect on the machine.
pub unsafe extern "C" fn accept(_: c_ulong, _: usize, _: *const c_void) -> c_int {
    0
}

/// `__cxa_thread_atexit`: a destructor of a C++ variable of the thread.
pub unsafe extern "C" fn at_thread_exit(
    function: extern "C" fn(*mut c_void),
    object: *mut c_void,
    _: *mut c_void,
) -> c_int {
    host::with_thread(|thread| thread.at_exit.push((function, object)));
    0
}

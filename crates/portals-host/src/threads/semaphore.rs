//! Semaphores without names, and barriers.

use super::{taken, until, wait, wake_one};
use crate::switch::set_errno;
use std::ffi::{c_int, c_uint, c_void};

/// Answers as functions do that tell their error in `errno`.
fn answer(error: c_int) -> c_int {
    if error == 0 {
        return 0;
    }
    set_errno(error);
    -1
}

pub unsafe extern "C" fn init(semaphore: *mut u32, _: c_int, value: c_uint) -> c_int {
    if value > c_int::MAX as c_uint {
        return answer(libc::EINVAL);
    }
    // SAFETY: the program gave room for one: its value is the first number there.
    unsafe { *semaphore = value };
    0
}

pub unsafe extern "C" fn destroy(_: *mut u32) -> c_int {
    0
}

fn wait_until(semaphore: *mut u32, limit: Option<f64>, what: &'static str) -> c_int {
    // SAFETY: the program's semaphore, see `init`.
    unsafe {
        if *semaphore > 0 {
            *semaphore -= 1;
            return 0;
        }
    }
    // Whoever posts gives what it posts to this thread.
    if wait(semaphore as usize, limit, what) {
        0
    } else {
        answer(libc::ETIMEDOUT)
    }
}

pub unsafe extern "C" fn wait_for_ever(semaphore: *mut u32) -> c_int {
    wait_until(semaphore, None, "sem_wait")
}

pub unsafe extern "C" fn timed_wait(semaphore: *mut u32, time: *const libc::timespec) -> c_int {
    // SAFETY: the program gave a time.
    match unsafe { until(time) } {
        Some(time) => wait_until(semaphore, Some(time), "sem_timedwait"),
        None => answer(libc::EINVAL),
    }
}

pub unsafe extern "C" fn clock_wait(semaphore: *mut u32, _: c_int, time: *const libc::timespec) -> c_int {
    // SAFETY: the same promise; all clocks are one.
    unsafe { timed_wait(semaphore, time) }
}

pub unsafe extern "C" fn try_wait(semaphore: *mut u32) -> c_int {
    // SAFETY: the program's semaphore, see `init`.
    if unsafe { *semaphore } > 0 {
        wait_until(semaphore, None, "")
    } else {
        answer(taken(libc::EAGAIN))
    }
}

pub unsafe extern "C" fn post(semaphore: *mut u32) -> c_int {
    if wake_one(semaphore as usize).is_some() {
        return 0;
    }
    // SAFETY: the program's semaphore, see `init`.
    unsafe {
        if *semaphore == c_int::MAX as u32 {
            return answer(libc::EOVERFLOW);
        }
        *semaphore += 1;
    }
    0
}

pub unsafe extern "C" fn value(semaphore: *mut u32, into: *mut c_int) -> c_int {
    // SAFETY: the program's semaphore, see `init`, and room for a number.
    unsafe { *into = *semaphore as c_int };
    0
}

/// The start of a `pthread_barrier_t`.
#[repr(C)]
pub struct Barrier {
    threads: u32,
    arrived: u32,
}

pub unsafe extern "C" fn barrier_init(barrier: *mut Barrier, _: *const c_void, threads: c_uint) -> c_int {
    if threads == 0 {
        return libc::EINVAL;
    }
    // SAFETY: the program gave room for one.
    unsafe { *barrier = Barrier { threads, arrived: 0 } };
    0
}

pub unsafe extern "C" fn barrier_wait(barrier: *mut Barrier) -> c_int {
    // SAFETY: the program's barrier; nothing else refers to it until this reference is gone.
    let of = unsafe { &mut *barrier };
    if of.arrived + 1 == of.threads {
        of.arrived = 0;
        while wake_one(barrier as usize).is_some() {}
        return libc::PTHREAD_BARRIER_SERIAL_THREAD;
    }
    of.arrived += 1;
    wait(barrier as usize, None, "pthread_barrier_wait");
    0
}

pub unsafe extern "C" fn barrier_destroy(barrier: *mut Barrier) -> c_int {
    // SAFETY: as in `barrier_wait`.
    if unsafe { &*barrier }.arrived > 0 {
        libc::EBUSY
    } else {
        0
    }
}

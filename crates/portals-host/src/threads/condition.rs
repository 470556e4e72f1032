//! Condition variables. Their own bytes are not used: who waits is kept by the host.

use super::mutex::{self, Mutex};
use super::{until, wait, wake_one};
use std::ffi::{c_int, c_void};

fn wait_until(condition: *mut c_void, mutex: *mut Mutex, limit: Option<f64>, what: &'static str) -> c_int {
    // SAFETY: the program's mutex, as in any call of these.
    let refused = unsafe { mutex::unlock(mutex) };
    if refused != 0 {
        return refused;
    }
    let woken = wait(condition as usize, limit, what);
    // SAFETY: as above.
    unsafe { mutex::lock(mutex) };
    if woken { 0 } else { libc::ETIMEDOUT }
}

pub unsafe extern "C" fn init(condition: *mut c_void, _: *const c_void) -> c_int {
    // SAFETY: the program gave room for one.
    unsafe { condition.cast::<libc::pthread_cond_t>().write_bytes(0, 1) };
    0
}

pub unsafe extern "C" fn destroy(_: *mut c_void) -> c_int {
    0
}

pub unsafe extern "C" fn wait_for_ever(condition: *mut c_void, mutex: *mut Mutex) -> c_int {
    wait_until(condition, mutex, None, "pthread_cond_wait")
}

pub unsafe extern "C" fn timed_wait(
    condition: *mut c_void,
    mutex: *mut Mutex,
    time: *const libc::timespec,
) -> c_int {
    // SAFETY: the program gave a time.
    match unsafe { until(time) } {
        Some(time) => wait_until(condition, mutex, Some(time), "pthread_cond_timedwait"),
        None => libc::EINVAL,
    }
}

pub unsafe extern "C" fn clock_wait(
    condition: *mut c_void,
    mutex: *mut Mutex,
    _: c_int,
    time: *const libc::timespec,
) -> c_int {
    // SAFETY: the same promise; all clocks are one.
    unsafe { timed_wait(condition, mutex, time) }
}

pub unsafe extern "C" fn signal(condition: *mut c_void) -> c_int {
    if crate::host::current().is_some() {
        wake_one(condition as usize);
    }
    0
}

pub unsafe extern "C" fn broadcast(condition: *mut c_void) -> c_int {
    if crate::host::current().is_some() {
        while wake_one(condition as usize).is_some() {}
    }
    0
}

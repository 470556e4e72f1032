//! Threads of the C language, `<threads.h>`: the same as POSIX threads by other names and codes.

use super::lifetime::{self, Routine};
use super::mutex::{self, Mutex};
use super::{condition, keys};
use crate::switch;
use std::ffi::{c_int, c_uint, c_ulong, c_void};

const BUSY: c_int = 1;
const ERROR: c_int = 2;
const NO_MEMORY: c_int = 3;
const TIMED_OUT: c_int = 4;

/// The code of `<threads.h>` for one of POSIX.
fn code(error: c_int) -> c_int {
    match error {
        0 => 0,
        libc::EBUSY => BUSY,
        libc::ETIMEDOUT => TIMED_OUT,
        libc::EAGAIN | libc::ENOMEM => NO_MEMORY,
        _ => ERROR,
    }
}

pub unsafe extern "C" fn create(into: *mut c_ulong, routine: Routine, argument: *mut c_void) -> c_int {
    // SAFETY: the routine gives a number, of which only the low half of the register is read, see `join`.
    code(unsafe { lifetime::create(into, std::ptr::null(), routine, argument) })
}

pub unsafe extern "C" fn join(thread: c_ulong, into: *mut c_int) -> c_int {
    let mut result = std::ptr::null_mut();
    // SAFETY: room for the result is ours.
    let error = unsafe { lifetime::join(thread, &raw mut result) };
    if error == 0 && !into.is_null() {
        // SAFETY: the program gave room for a number.
        unsafe { *into = result as usize as c_int };
    }
    code(error)
}

pub unsafe extern "C" fn detach(thread: c_ulong) -> c_int {
    // SAFETY: the same promises.
    code(unsafe { lifetime::detach(thread) })
}

pub unsafe extern "C" fn exit(result: c_int) -> ! {
    // SAFETY: the same promises.
    unsafe { lifetime::exit(result as usize as *mut c_void) }
}

/// `mtx_init`: of the kinds, only that of recursive ones makes a difference, and it has the number that POSIX uses.
pub unsafe extern "C" fn mutex_init(mutex: *mut Mutex, kind: c_int) -> c_int {
    // SAFETY: the program gave room for one.
    unsafe { Mutex::init(mutex, kind & 1) };
    0
}

pub unsafe extern "C" fn mutex_lock(mutex: *mut Mutex) -> c_int {
    // SAFETY: the same promises.
    code(unsafe { mutex::lock(mutex) })
}

pub unsafe extern "C" fn mutex_timed_lock(mutex: *mut Mutex, time: *const libc::timespec) -> c_int {
    // SAFETY: the same promises.
    code(unsafe { mutex::timed_lock(mutex, time) })
}

pub unsafe extern "C" fn mutex_try_lock(mutex: *mut Mutex) -> c_int {
    // SAFETY: the same promises.
    code(unsafe { mutex::try_lock(mutex) })
}

pub unsafe extern "C" fn mutex_unlock(mutex: *mut Mutex) -> c_int {
    // SAFETY: the same promises.
    code(unsafe { mutex::unlock(mutex) })
}

/// `mtx_destroy`, `cnd_destroy`: there is nothing to give back.
pub unsafe extern "C" fn destroy(_: *mut c_void) {}

pub unsafe extern "C" fn condition_init(of: *mut c_void) -> c_int {
    // SAFETY: the same promises.
    code(unsafe { condition::init(of, std::ptr::null()) })
}

pub unsafe extern "C" fn condition_wait(of: *mut c_void, mutex: *mut Mutex) -> c_int {
    // SAFETY: the same promises.
    code(unsafe { condition::wait_for_ever(of, mutex) })
}

pub unsafe extern "C" fn condition_timed_wait(
    of: *mut c_void,
    mutex: *mut Mutex,
    time: *const libc::timespec,
) -> c_int {
    // SAFETY: the same promises.
    code(unsafe { condition::timed_wait(of, mutex, time) })
}

pub unsafe extern "C" fn call_once(control: *mut c_int, routine: extern "C" fn()) {
    // SAFETY: the same promises.
    unsafe { keys::once(control, routine) };
}

pub unsafe extern "C" fn set_value(key: c_uint, value: *mut c_void) -> c_int {
    // SAFETY: the same promises.
    code(unsafe { keys::set(key, value) })
}

/// `thrd_sleep`: 0, or -1 when a signal ended it.
pub unsafe extern "C" fn sleep(time: *const libc::timespec, left: *mut libc::timespec) -> c_int {
    let errno = switch::errno();
    // SAFETY: the same promises.
    let answer = unsafe { crate::intercept::nanosleep(time, left) };
    switch::set_errno(errno);
    answer
}

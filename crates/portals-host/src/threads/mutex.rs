//! Mutexes: normal, recursive and error-checking.

use super::{me, taken, until, wait, wake_one};
use crate::host;
use std::ffi::{c_int, c_uint};

/// The start of glibc's `pthread_mutex_t`: all zeroes is a free normal one, and its own `pthread_mutex_init` sets the kind.
#[repr(C)]
pub struct Mutex {
    locked: c_int,
    count: c_uint,
    owner: u32,
    users: c_uint,
    kind: c_int,
}

/// The bits of the kind that tell how locking again is answered; the others are of sharing and priorities.
const KIND: c_int = 3;
const RECURSIVE: c_int = 1;
const ERROR_CHECKING: c_int = 2;

impl Mutex {
    /// Makes a free one of a kind.
    ///
    /// # Safety
    ///
    /// There is room for one.
    pub unsafe fn init(mutex: *mut Self, kind: c_int) {
        // SAFETY: the caller's promise; `mtx_t` is as large as `pthread_mutex_t`.
        unsafe {
            mutex.cast::<libc::pthread_mutex_t>().write_bytes(0, 1);
            (*mutex).kind = kind;
        }
    }

    fn take(&mut self, owner: u32) {
        (self.locked, self.count, self.owner, self.users) = (1, 1, owner, 1);
    }

    /// Takes it for the current thread if that is possible or refused at once; none: it must be waited for.
    fn try_take(&mut self) -> Option<c_int> {
        if self.locked == 0 {
            self.take(me());
            return Some(0);
        }
        match self.kind & KIND {
            RECURSIVE if self.owner == me() => match self.count.checked_add(1) {
                Some(count) => {
                    self.count = count;
                    Some(0)
                }
                None => Some(libc::EAGAIN),
            },
            ERROR_CHECKING if self.owner == me() => Some(libc::EDEADLK),
            _ => None,
        }
    }
}

fn lock_until(mutex: *mut Mutex, limit: Option<f64>, what: &'static str) -> c_int {
    if host::current().is_none() {
        return 0;
    }
    // SAFETY: the program gave its mutex; nothing else refers to it until this reference is gone.
    if let Some(answer) = unsafe { &mut *mutex }.try_take() {
        return answer;
    }
    // Whoever unlocks it makes this thread the owner.
    if wait(mutex as usize, limit, what) {
        0
    } else {
        libc::ETIMEDOUT
    }
}

pub unsafe extern "C" fn lock(mutex: *mut Mutex) -> c_int {
    lock_until(mutex, None, "pthread_mutex_lock")
}

pub unsafe extern "C" fn timed_lock(mutex: *mut Mutex, time: *const libc::timespec) -> c_int {
    // SAFETY: the program gave a time.
    match unsafe { until(time) } {
        Some(time) => lock_until(mutex, Some(time), "pthread_mutex_timedlock"),
        None => libc::EINVAL,
    }
}

pub unsafe extern "C" fn clock_lock(mutex: *mut Mutex, _: c_int, time: *const libc::timespec) -> c_int {
    // SAFETY: the same promise; all clocks are one.
    unsafe { timed_lock(mutex, time) }
}

pub unsafe extern "C" fn try_lock(mutex: *mut Mutex) -> c_int {
    if host::current().is_none() {
        return 0;
    }
    // SAFETY: as in `lock_until`.
    match unsafe { &mut *mutex }.try_take() {
        Some(0) => 0,
        _ => taken(libc::EBUSY),
    }
}

pub unsafe extern "C" fn unlock(mutex: *mut Mutex) -> c_int {
    if host::current().is_none() {
        return 0;
    }
    // SAFETY: as in `lock_until`.
    let of = unsafe { &mut *mutex };
    let checks = matches!(of.kind & KIND, RECURSIVE | ERROR_CHECKING);
    if checks && (of.locked == 0 || of.owner != me()) {
        return libc::EPERM;
    }
    if of.kind & KIND == RECURSIVE && of.count > 1 {
        of.count -= 1;
        return 0;
    }
    (of.locked, of.count, of.owner, of.users) = (0, 0, 0, 0);
    if let Some(next) = wake_one(mutex as usize) {
        // SAFETY: as in `lock_until`.
        unsafe { &mut *mutex }.take(next + 1);
    }
    0
}

pub unsafe extern "C" fn destroy(mutex: *mut Mutex) -> c_int {
    // SAFETY: as in `lock_until`.
    let of = unsafe { &mut *mutex };
    if of.locked != 0 {
        return libc::EBUSY;
    }
    of.kind = -1;
    0
}

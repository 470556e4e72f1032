//! Read-write locks and spinning locks.

use super::{me, taken, until, wait, wake_one};
use std::ffi::{c_int, c_void};

/// The start of a `pthread_rwlock_t`: all zeroes is a free one.
#[repr(C)]
pub struct ReadWrite {
    readers: u32,
    writer: u32,
}

/// Readers and writers wait apart: readers at the next address.
fn readers_at(lock: *mut ReadWrite) -> usize {
    lock as usize + 1
}

fn read_until(lock: *mut ReadWrite, limit: Option<f64>, what: &'static str) -> c_int {
    // SAFETY: the program gave its lock; nothing else refers to it until this reference is gone.
    let of = unsafe { &mut *lock };
    if of.writer == 0 {
        of.readers += 1;
        return 0;
    }
    if of.writer == me() {
        return libc::EDEADLK;
    }
    if wait(readers_at(lock), limit, what) {
        0
    } else {
        libc::ETIMEDOUT
    }
}

fn write_until(lock: *mut ReadWrite, limit: Option<f64>, what: &'static str) -> c_int {
    // SAFETY: as in `read_until`.
    let of = unsafe { &mut *lock };
    if of.writer == 0 && of.readers == 0 {
        of.writer = me();
        return 0;
    }
    if of.writer == me() {
        return libc::EDEADLK;
    }
    if wait(lock as usize, limit, what) {
        0
    } else {
        libc::ETIMEDOUT
    }
}

pub unsafe extern "C" fn read(lock: *mut ReadWrite) -> c_int {
    read_until(lock, None, "pthread_rwlock_rdlock")
}

pub unsafe extern "C" fn write(lock: *mut ReadWrite) -> c_int {
    write_until(lock, None, "pthread_rwlock_wrlock")
}

pub unsafe extern "C" fn timed_read(lock: *mut ReadWrite, time: *const libc::timespec) -> c_int {
    // SAFETY: the program gave a time.
    match unsafe { until(time) } {
        Some(time) => read_until(lock, Some(time), "pthread_rwlock_timedrdlock"),
        None => libc::EINVAL,
    }
}

pub unsafe extern "C" fn timed_write(lock: *mut ReadWrite, time: *const libc::timespec) -> c_int {
    // SAFETY: the program gave a time.
    match unsafe { until(time) } {
        Some(time) => write_until(lock, Some(time), "pthread_rwlock_timedwrlock"),
        None => libc::EINVAL,
    }
}

pub unsafe extern "C" fn try_read(lock: *mut ReadWrite) -> c_int {
    // SAFETY: as in `read_until`.
    if unsafe { &*lock }.writer == 0 {
        read_until(lock, None, "")
    } else {
        taken(libc::EBUSY)
    }
}

pub unsafe extern "C" fn try_write(lock: *mut ReadWrite) -> c_int {
    // SAFETY: as in `read_until`.
    let of = unsafe { &*lock };
    let free = of.writer == 0 && of.readers == 0;
    if free {
        write_until(lock, None, "")
    } else {
        taken(libc::EBUSY)
    }
}

pub unsafe extern "C" fn unlock(lock: *mut ReadWrite) -> c_int {
    // SAFETY: as in `read_until`.
    let of = unsafe { &mut *lock };
    let wrote = of.writer != 0;
    if wrote {
        of.writer = 0;
    } else if of.readers > 0 {
        of.readers -= 1;
    }
    if of.readers > 0 {
        return 0;
    }
    // After a writer all readers that wait; after the last reader, or when none waits, the next writer.
    let mut readers = 0;
    while wrote && wake_one(readers_at(lock)).is_some() {
        readers += 1;
    }
    let writer = if readers == 0 {
        wake_one(lock as usize).map_or(0, |thread| thread + 1)
    } else {
        0
    };
    // SAFETY: as in `read_until`.
    unsafe { *lock = ReadWrite { readers, writer } };
    0
}

pub unsafe extern "C" fn init(lock: *mut ReadWrite, _: *const c_void) -> c_int {
    // SAFETY: the program gave room for one.
    unsafe { lock.cast::<libc::pthread_rwlock_t>().write_bytes(0, 1) };
    0
}

pub unsafe extern "C" fn destroy(lock: *mut ReadWrite) -> c_int {
    // SAFETY: as in `read_until`.
    let of = unsafe { &*lock };
    if of.readers > 0 || of.writer > 0 {
        libc::EBUSY
    } else {
        0
    }
}

pub unsafe extern "C" fn spin_init(lock: *mut u32, _: c_int) -> c_int {
    // SAFETY: the program gave room for one: a number, 0 when free, else who has it.
    unsafe { *lock = 0 };
    0
}

pub unsafe extern "C" fn spin_lock(lock: *mut u32) -> c_int {
    // SAFETY: the program's lock, see `spin_init`.
    unsafe {
        if *lock == 0 {
            *lock = me();
            return 0;
        }
    }
    wait(lock as usize, None, "pthread_spin_lock");
    0
}

pub unsafe extern "C" fn spin_try_lock(lock: *mut u32) -> c_int {
    // SAFETY: the program's lock, see `spin_init`.
    unsafe {
        if *lock == 0 {
            *lock = me();
            return 0;
        }
    }
    taken(libc::EBUSY)
}

pub unsafe extern "C" fn spin_unlock(lock: *mut u32) -> c_int {
    let next = wake_one(lock as usize).map_or(0, |thread| thread + 1);
    // SAFETY: the program's lock, see `spin_init`.
    unsafe { *lock = next };
    0
}

pub unsafe extern "C" fn spin_destroy(_: *mut u32) -> c_int {
    0
}

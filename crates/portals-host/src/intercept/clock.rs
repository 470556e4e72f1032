//! Clocks and sleeps: all clocks show the simulated time since the start of the run.

use crate::signals::{self, now};
use crate::switch::set_errno;
use crate::{current, host};
use packetloom_portals::Call;
use std::ffi::{c_int, c_long, c_uint, c_void};

/// Nanoseconds of a second.
const BILLION: u64 = 1_000_000_000;

/// Simulated time in nanoseconds, for a program that asks: counts as a poll.
fn ask() -> u64 {
    current::call(Call::Poll);
    nanoseconds(now())
}

/// Seconds as whole nanoseconds, the nearest.
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * BILLION as f64).round() as u64
}

fn timespec(nanoseconds: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (nanoseconds / BILLION) as libc::time_t,
        tv_nsec: (nanoseconds % BILLION) as c_long,
    }
}

/// A duration as seconds; none: it is none.
///
/// # Safety
///
/// The program gave it as a `timespec` that can be read.
unsafe fn seconds(time: *const libc::timespec) -> Option<f64> {
    // SAFETY: the caller's promise.
    let time = unsafe { *time };
    let valid = time.tv_sec >= 0 && (0..BILLION as c_long).contains(&time.tv_nsec);
    valid.then_some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

pub unsafe extern "C" fn gettimeofday(into: *mut libc::timeval, _: *mut c_void) -> c_int {
    let time = ask();
    // SAFETY: the program gave room for a time, or null.
    if let Some(into) = unsafe { into.as_mut() } {
        into.tv_sec = (time / BILLION) as libc::time_t;
        into.tv_usec = (time % BILLION / 1_000) as libc::suseconds_t;
    }
    0
}

pub unsafe extern "C" fn clock_gettime(clock: c_int, into: *mut libc::timespec) -> c_int {
    if host::current().is_none() {
        // SAFETY: the caller's own call, outside a run.
        return unsafe { libc::clock_gettime(clock, into) };
    }
    if !(0..=11).contains(&clock) {
        set_errno(libc::EINVAL);
        return -1;
    }
    let time = ask();
    // SAFETY: the program gave room for a time.
    unsafe { *into = timespec(time) };
    0
}

pub unsafe extern "C" fn clock_getres(clock: c_int, into: *mut libc::timespec) -> c_int {
    if !(0..=11).contains(&clock) {
        set_errno(libc::EINVAL);
        return -1;
    }
    // SAFETY: the program gave room for a time, or null.
    if let Some(into) = unsafe { into.as_mut() } {
        *into = timespec(1);
    }
    0
}

pub unsafe extern "C" fn timespec_get(into: *mut libc::timespec, base: c_int) -> c_int {
    let time = ask();
    // SAFETY: the program gave room for a time.
    unsafe { *into = timespec(time) };
    base
}

pub unsafe extern "C" fn time(into: *mut libc::time_t) -> libc::time_t {
    let seconds = (ask() / BILLION) as libc::time_t;
    // SAFETY: the program gave room for a time, or null.
    if let Some(into) = unsafe { into.as_mut() } {
        *into = seconds;
    }
    seconds
}

/// `clock`: microseconds, as if the process's processor did nothing else.
pub unsafe extern "C" fn clock() -> libc::clock_t {
    (ask() / 1_000) as libc::clock_t
}

pub unsafe extern "C" fn times(into: *mut libc::tms) -> libc::clock_t {
    // Ticks of a hundredth of a second, as sysconf tells.
    let ticks = (ask() / 10_000_000) as libc::clock_t;
    // SAFETY: the program gave room for the structure, or null.
    if let Some(into) = unsafe { into.as_mut() } {
        *into = libc::tms {
            tms_utime: ticks,
            tms_stime: 0,
            tms_cutime: 0,
            tms_cstime: 0,
        };
    }
    ticks
}

pub unsafe extern "C" fn getrusage(_: c_int, into: *mut libc::rusage) -> c_int {
    let time = ask();
    // SAFETY: the program gave room for the structure, of which zeroes are a value.
    unsafe {
        into.write_bytes(0, 1);
        (*into).ru_utime.tv_sec = (time / BILLION) as libc::time_t;
        (*into).ru_utime.tv_usec = (time % BILLION / 1_000) as libc::suseconds_t;
    }
    0
}

pub unsafe extern "C" fn sched_yield() -> c_int {
    current::call(Call::Poll);
    0
}

/// `thrd_yield`.
pub unsafe extern "C" fn thread_yield() {
    current::call(Call::Poll);
}

pub unsafe extern "C" fn sleep(seconds: c_uint) -> c_uint {
    match signals::sleep(Some(f64::from(seconds)), "sleep") {
        Ok(()) => 0,
        Err(left) => left.ceil() as c_uint,
    }
}

pub unsafe extern "C" fn usleep(microseconds: c_uint) -> c_int {
    answer(signals::sleep(Some(f64::from(microseconds) * 1e-6), "usleep"))
}

pub unsafe extern "C" fn nanosleep(time: *const libc::timespec, left: *mut libc::timespec) -> c_int {
    // SAFETY: the program gave a time.
    let Some(seconds) = (unsafe { seconds(time) }) else {
        set_errno(libc::EINVAL);
        return -1;
    };
    let slept = signals::sleep(Some(seconds), "nanosleep");
    tell_left(slept, left);
    answer(slept)
}

pub unsafe extern "C" fn clock_nanosleep(
    clock: c_int,
    flags: c_int,
    time: *const libc::timespec,
    left: *mut libc::timespec,
) -> c_int {
    if !(0..=11).contains(&clock) {
        return libc::EINVAL;
    }
    // SAFETY: the program gave a time.
    let Some(seconds) = (unsafe { seconds(time) }) else {
        return libc::EINVAL;
    };
    let absolute = flags & libc::TIMER_ABSTIME != 0;
    let seconds = if absolute {
        (seconds - now()).max(0.0)
    } else {
        seconds
    };
    let slept = signals::sleep(Some(seconds), "clock_nanosleep");
    if !absolute {
        tell_left(slept, left);
    }
    if slept.is_err() { libc::EINTR } else { 0 }
}

pub unsafe extern "C" fn pause() -> c_int {
    // Without a signal it returns only if something else ends the wait, which nothing does.
    while signals::sleep(None, "pause").is_ok() {}
    set_errno(libc::EINTR);
    -1
}

/// Writes what a sleep had left when a signal ended it.
fn tell_left(slept: Result<(), f64>, into: *mut libc::timespec) {
    // SAFETY: the program gave room for a time, or null.
    if let (Err(left), Some(into)) = (slept, unsafe { into.as_mut() }) {
        *into = timespec(nanoseconds(left));
    }
}

fn answer(slept: Result<(), f64>) -> c_int {
    if slept.is_ok() {
        return 0;
    }
    set_errno(libc::EINTR);
    -1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_the_nearest_nanosecond() {
        // 1.25 us and 0.4 ns are 1250 ns; 0.1 s has no exact value in binary
        assert_eq!(nanoseconds(1.2504e-6), 1250);
        assert_eq!(nanoseconds(0.1), 100_000_000);
        let time = timespec(3_000_000_007);
        assert_eq!((time.tv_sec, time.tv_nsec), (3, 7));
    }

    #[test]
    fn durations_are_checked() {
        let of = |tv_sec, tv_nsec| {
            let time = libc::timespec { tv_sec, tv_nsec };
            // SAFETY: a reference can be read.
            unsafe { seconds(&raw const time) }
        };
        assert_eq!(of(1, 500_000_000), Some(1.5));
        assert_eq!(of(0, 1_000_000_000), None);
        assert_eq!(of(-1, 0), None);
    }
}

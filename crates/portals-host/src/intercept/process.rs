//! Who a process is, and how it ends.

use super::refuse;
use crate::host::{self, AtExit};
use crate::switch::set_errno;
use crate::{current, signals};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// Process identifiers are these and the rank.
const FIRST_PID: i32 = 1000;

/// The identifier of the process that started all.
const PARENT: i32 = 1;

pub unsafe extern "C" fn getpid() -> c_int {
    FIRST_PID + current::thread().process as c_int
}

pub unsafe extern "C" fn getppid() -> c_int {
    PARENT
}

pub unsafe extern "C" fn gettid() -> c_int {
    // The first thread has the process's identifier, as on Linux; the others are above those of all processes.
    let thread = current::thread();
    match thread.thread {
        0 => FIRST_PID + thread.process as c_int,
        other => FIRST_PID + (other << 20 | thread.process) as c_int,
    }
}

pub unsafe extern "C" fn gethostname(into: *mut c_char, size: usize) -> c_int {
    let name = host::with_process(|process| process.host_name.clone());
    let bytes = name.as_bytes_with_nul();
    let fits = bytes.len().min(size);
    // SAFETY: the program gave room for `size` bytes.
    unsafe { into.copy_from_nonoverlapping(bytes.as_ptr().cast(), fits) };
    if fits < bytes.len() {
        set_errno(libc::ENAMETOOLONG);
        return -1;
    }
    0
}

pub unsafe extern "C" fn uname(into: *mut libc::utsname) -> c_int {
    // SAFETY: the program gave room for the structure.
    let answer = unsafe { libc::uname(into) };
    if answer == 0 {
        // SAFETY: as above.
        let place = unsafe { &mut (*into).nodename };
        let name = host::with_process(|process| process.host_name.clone());
        place.fill(0);
        let most = place.len() - 1;
        for (to, from) in place[..most].iter_mut().zip(name.as_bytes()) {
            *to = *from as c_char;
        }
    }
    answer
}

pub unsafe extern "C" fn exit(code: c_int) -> ! {
    current::exit(code)
}

pub unsafe extern "C" fn exit_at_once(code: c_int) -> ! {
    current::exit_at_once(code)
}

pub unsafe extern "C" fn quick_exit(code: c_int) -> ! {
    while let Some(handler) = host::with_process(|process| process.at_quick_exit.pop()) {
        match handler {
            AtExit::Plain(function, argument) => function(argument),
            AtExit::WithCode(function, argument) => function(code, argument),
        }
    }
    current::exit_at_once(code)
}

pub unsafe extern "C" fn abort() -> ! {
    signals::raise(libc::SIGABRT, None);
    current::die(libc::SIGABRT, None)
}

pub unsafe extern "C" fn assert_fail(
    expression: *const c_char,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
) -> ! {
    // SAFETY: the macro gives texts, or null.
    let (expression, file, function) = unsafe { (text(expression), text(file), text(function)) };
    let message = format!("{file}:{line}: {function}: Assertion `{expression}' failed.");
    fail(message)
}

pub unsafe extern "C" fn assert_perror_fail(
    error: c_int,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
) -> ! {
    // SAFETY: the macro gives texts, or null; the C library has one for each error.
    let (file, function, error) = unsafe { (text(file), text(function), text(libc::strerror(error))) };
    fail(format!("{file}:{line}: {function}: Unexpected error: {error}."))
}

/// Says what failed on the process's `stderr`, and aborts.
fn fail(message: String) -> ! {
    let rank = current::thread().process;
    crate::stdio::flush();
    let line = format!("{message}\n");
    host::with(|host| host.output.add(rank, crate::output::Stream::Err, line.as_bytes()));
    signals::raise(libc::SIGABRT, Some(message));
    current::die(libc::SIGABRT, None)
}

/// A text of the program.
///
/// # Safety
///
/// It can be read up to its zero byte, or is null.
unsafe fn text(of: *const c_char) -> String {
    if of.is_null() {
        return "?".to_owned();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(of) }.to_string_lossy().into_owned()
}

/// `__cxa_atexit`, and `atexit`, which calls it.
pub unsafe extern "C" fn at_exit(
    function: extern "C" fn(*mut c_void),
    argument: *mut c_void,
    _: *mut c_void,
) -> c_int {
    host::with_process(|process| process.at_exit.push(AtExit::Plain(function, argument)));
    0
}

pub unsafe extern "C" fn on_exit(
    function: extern "C" fn(c_int, *mut c_void),
    argument: *mut c_void,
) -> c_int {
    host::with_process(|process| process.at_exit.push(AtExit::WithCode(function, argument)));
    0
}

pub unsafe extern "C" fn at_quick_exit(function: extern "C" fn(*mut c_void), _: *mut c_void) -> c_int {
    let handler = AtExit::Plain(function, std::ptr::null_mut());
    host::with_process(|process| process.at_quick_exit.push(handler));
    0
}

/// `__cxa_finalize`, which finalisers of libraries call: all handlers have run by then.
pub unsafe extern "C" fn finalize(_: *mut c_void) {}

pub unsafe extern "C" fn raise(signal: c_int) -> c_int {
    if signal != 0 {
        signals::raise(signal, None);
    }
    0
}

pub unsafe extern "C" fn kill(pid: c_int, signal: c_int) -> c_int {
    let own = FIRST_PID + current::thread().process as c_int;
    if pid == own || pid == 0 {
        // SAFETY: no more is asked for.
        return unsafe { raise(signal) };
    }
    let processes = current::with_kernel(|kernel| kernel.processes()) as c_int;
    if !(FIRST_PID..FIRST_PID + processes).contains(&pid) {
        set_errno(libc::ESRCH);
        return -1;
    }
    if signal == 0 {
        return 0;
    }
    refuse("kill", "a process can send signals only to itself here");
    -1
}

pub unsafe extern "C" fn signal(signal: c_int, handler: usize) -> usize {
    // SAFETY: plain data, for which zeroes are a value.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler;
    action.sa_flags = libc::SA_RESTART;
    let mut before = action;
    // SAFETY: both are ours.
    let answer = unsafe { sigaction(signal, &raw const action, &raw mut before) };
    if answer == 0 {
        before.sa_sigaction
    } else {
        libc::SIG_ERR
    }
}

pub unsafe extern "C" fn sigaction(
    signal: c_int,
    action: *const libc::sigaction,
    before: *mut libc::sigaction,
) -> c_int {
    let refused = signal == libc::SIGKILL || signal == libc::SIGSTOP;
    if !(1..=64).contains(&signal) || (refused && !action.is_null()) {
        set_errno(libc::EINVAL);
        return -1;
    }
    // SAFETY: the program gave each as readable, writable or null; zeroes are a value.
    unsafe {
        if let Some(before) = before.as_mut() {
            let known = host::with_process(|process| process.signals.action(signal));
            *before = known.unwrap_or_else(|| std::mem::zeroed());
        }
        if let Some(action) = action.as_ref() {
            host::with_process(|process| process.signals.set_action(signal, *action));
        }
    }
    0
}

/// `sigprocmask` and `pthread_sigmask`: remembered; the signals of the machine stay as the host needs them.
pub unsafe extern "C" fn signal_mask(
    how: c_int,
    set: *const libc::sigset_t,
    before: *mut libc::sigset_t,
) -> c_int {
    host::with_process(|process| {
        let mask = &mut process.signals.mask;
        // SAFETY: the program gave both as readable, writable or null; the first word of a set holds the signals 1 to 64.
        unsafe {
            if let Some(before) = before.as_mut() {
                std::ptr::from_mut(before).write_bytes(0, 1);
                *std::ptr::from_mut(before).cast::<u64>() = *mask;
            }
            if let Some(set) = set.as_ref() {
                let set = *std::ptr::from_ref(set).cast::<u64>();
                match how {
                    libc::SIG_BLOCK => *mask |= set,
                    libc::SIG_UNBLOCK => *mask &= !set,
                    _ => *mask = set,
                }
            }
        }
    });
    0
}

pub unsafe extern "C" fn sigsuspend(_: *const libc::sigset_t) -> c_int {
    // SAFETY: no more is asked for.
    unsafe { super::clock::pause() }
}

pub unsafe extern "C" fn alarm(seconds: c_uint) -> c_uint {
    let now = signals::now();
    let (left, _) = host::with_process(|process| process.signals.timer(now));
    signals::set_timer(f64::from(seconds), 0.0);
    whole_seconds(left)
}

/// What `alarm` tells of the time left: to the nearest second, and 1 rather than 0 while there is any. Counted in whole
/// microseconds, for the difference of two times may be a little more than the seconds asked for.
fn whole_seconds(left: f64) -> c_uint {
    let microseconds = (left * 1e6).round() as u64;
    match (microseconds + 500_000) / 1_000_000 {
        0 if microseconds > 0 => 1,
        seconds => seconds as c_uint,
    }
}

pub unsafe extern "C" fn setitimer(
    which: c_int,
    new: *const libc::itimerval,
    before: *mut libc::itimerval,
) -> c_int {
    if which != libc::ITIMER_REAL {
        refuse(
            "setitimer",
            "only ITIMER_REAL is there, as processors are not shared here",
        );
        return -1;
    }
    if !before.is_null() {
        // SAFETY: the program gave room for the structure.
        unsafe { getitimer(which, before) };
    }
    // SAFETY: the program gave the structure.
    let (due, interval) = unsafe { (from_timeval((*new).it_value), from_timeval((*new).it_interval)) };
    match (due, interval) {
        (Some(due), Some(interval)) => {
            signals::set_timer(due, interval);
            0
        }
        _ => {
            set_errno(libc::EINVAL);
            -1
        }
    }
}

pub unsafe extern "C" fn getitimer(_: c_int, into: *mut libc::itimerval) -> c_int {
    let now = signals::now();
    let (due, interval) = host::with_process(|process| process.signals.timer(now));
    // SAFETY: the program gave room for the structure.
    unsafe {
        *into = libc::itimerval {
            it_interval: to_timeval(interval),
            it_value: to_timeval(due),
        }
    };
    0
}

fn from_timeval(time: libc::timeval) -> Option<f64> {
    let valid = time.tv_sec >= 0 && (0..1_000_000).contains(&time.tv_usec);
    valid.then_some(time.tv_sec as f64 + time.tv_usec as f64 * 1e-6)
}

fn to_timeval(seconds: f64) -> libc::timeval {
    let microseconds = (seconds * 1e6).ceil() as i64;
    libc::timeval {
        tv_sec: microseconds / 1_000_000,
        tv_usec: microseconds % 1_000_000,
    }
}

/// Functions that would make processes, or wait for them.
pub unsafe extern "C" fn no_processes() -> c_int {
    refuse(
        "making or awaiting a process (fork, exec, system, wait)",
        "the processes of a simulation are those of its deployment",
    );
    -1
}

/// `popen`: as [`no_processes`].
pub unsafe extern "C" fn no_pipe(_: *const c_char, _: *const c_char) -> *mut c_void {
    // SAFETY: no more is asked for.
    unsafe { no_processes() };
    std::ptr::null_mut()
}

/// `posix_spawn`: as [`no_processes`], with the error as answer.
pub unsafe extern "C" fn no_spawn() -> c_int {
    // SAFETY: no more is asked for.
    unsafe { no_processes() };
    libc::ENOSYS
}

/// Timers of the system, whose time is not the simulated one.
pub unsafe extern "C" fn no_timers() -> c_int {
    refuse(
        "a timer of the system (timer_create, timerfd_create)",
        "use alarm, setitimer or a thread that sleeps",
    );
    -1
}

/// `sem_open`.
pub unsafe extern "C" fn no_named_semaphores() -> *mut c_void {
    refuse(
        "sem_open",
        "semaphores with names reach beyond a process; use sem_init",
    );
    std::ptr::null_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 s from 7.03 s on is 1.0000000000000009 s.
    #[test]
    fn alarm_tells_the_nearest_second() {
        let told = [0.0, 1e-6, 0.4, 1.0, 7.03 + 1.0 - 7.03, 1.4, 1.5, 10.0].map(whole_seconds);
        assert_eq!(told, [0, 1, 1, 1, 1, 1, 2, 10]);
    }
}

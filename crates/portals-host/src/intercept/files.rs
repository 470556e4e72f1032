//! Streams and descriptors 0, 1 and 2, and waiting for descriptors.

use crate::output::Stream;
use crate::signals;
use crate::{current, host, stdio, switch};
use packetloom_portals::Call;
use std::ffi::{c_char, c_int, c_void};

/// How often descriptors are looked at while a process waits for them, seconds of simulated time.
const LOOK: f64 = 1e-3;

pub unsafe extern "C" fn fclose(stream: *mut libc::FILE) -> c_int {
    if stdio::is_standard(stream) {
        // Closed when the process's end has come.
        // SAFETY: the process's own stream.
        return unsafe { libc::fflush(stream) };
    }
    // SAFETY: the program's own call.
    unsafe { libc::fclose(stream) }
}

pub unsafe extern "C" fn fileno(stream: *mut libc::FILE) -> c_int {
    let of = switch::stdio();
    if stream == of.input {
        return 0;
    }
    if stream == of.output {
        return 1;
    }
    if stream == of.errors {
        return 2;
    }
    // SAFETY: the program's own call.
    unsafe { libc::fileno(stream) }
}

pub unsafe extern "C" fn write(descriptor: c_int, bytes: *const c_void, count: usize) -> isize {
    let stream = match descriptor {
        1 => Stream::Out,
        2 => Stream::Err,
        // SAFETY: the program's own call.
        _ => return unsafe { libc::write(descriptor, bytes, count) },
    };
    let rank = current::thread().process;
    // SAFETY: the program gave `count` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), count) };
    host::with(|host| host.output.add(rank, stream, bytes));
    count as isize
}

pub unsafe extern "C" fn read(descriptor: c_int, into: *mut c_void, count: usize) -> isize {
    if descriptor == 0 {
        return 0;
    }
    // SAFETY: the program's own call.
    unsafe { libc::read(descriptor, into, count) }
}

/// Asks `look` until it finds something or the time is over; nothing is looked at when there is nothing to find.
fn wait_for(look: impl Fn() -> c_int, nothing: bool, limit: Option<f64>, what: &'static str) -> c_int {
    let start = signals::now();
    loop {
        let found = if nothing { 0 } else { look() };
        if found != 0 {
            return found;
        }
        let left = limit.map(|limit| limit - (signals::now() - start));
        match left {
            Some(left) if left <= 0.0 => {
                current::call(Call::Poll);
                return 0;
            }
            _ => (),
        }
        let sleep = if nothing {
            left
        } else {
            Some(left.unwrap_or(LOOK).min(LOOK))
        };
        if signals::sleep(sleep, what).is_err() {
            switch::set_errno(libc::EINTR);
            return -1;
        }
    }
}

pub unsafe extern "C" fn poll(
    descriptors: *mut libc::pollfd,
    count: libc::nfds_t,
    milliseconds: c_int,
) -> c_int {
    // SAFETY: the program's own call, without waiting.
    let look = || unsafe { libc::poll(descriptors, count, 0) };
    let limit = (milliseconds >= 0).then(|| f64::from(milliseconds) * 1e-3);
    wait_for(look, count == 0, limit, "poll")
}

pub unsafe extern "C" fn select(
    count: c_int,
    read: *mut libc::fd_set,
    write: *mut libc::fd_set,
    except: *mut libc::fd_set,
    time: *mut libc::timeval,
) -> c_int {
    let look = || {
        // SAFETY: the program's own sets, each readable and writable or null; they are written only when something is found,
        // so that each look starts with what the program asked for.
        unsafe {
            let keep = |set: *mut libc::fd_set| set.as_ref().copied();
            let before = (keep(read), keep(write), keep(except));
            let mut none = libc::timeval {
                tv_sec: 0,
                tv_usec: 0,
            };
            let found = libc::select(count, read, write, except, &raw mut none);
            if found == 0 {
                for (set, value) in [(read, before.0), (write, before.1), (except, before.2)] {
                    if let Some(value) = value {
                        *set = value;
                    }
                }
            }
            found
        }
    };
    // SAFETY: the program gave a time, or null.
    let limit = unsafe { time.as_ref() }.map(|time| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6);
    let found = wait_for(look, count == 0, limit, "select");
    if found == 0 {
        for set in [read, write, except] {
            // SAFETY: as above: nothing was found, and the sets say so.
            unsafe {
                if !set.is_null() {
                    libc::FD_ZERO(set);
                }
            }
        }
    }
    found
}

unsafe extern "C" {
    fn getopt(count: c_int, arguments: *const *mut c_char, options: *const c_char) -> c_int;
    fn getopt_long(
        count: c_int,
        arguments: *const *mut c_char,
        options: *const c_char,
        long: *const c_void,
        index: *mut c_int,
    ) -> c_int;
    fn getopt_long_only(
        count: c_int,
        arguments: *const *mut c_char,
        options: *const c_char,
        long: *const c_void,
        index: *mut c_int,
    ) -> c_int;
}

pub unsafe extern "C" fn get_option(
    count: c_int,
    arguments: *const *mut c_char,
    options: *const c_char,
) -> c_int {
    switch::prepare_getopt();
    // SAFETY: the program's own call.
    unsafe { getopt(count, arguments, options) }
}

pub unsafe extern "C" fn get_option_long(
    count: c_int,
    arguments: *const *mut c_char,
    options: *const c_char,
    long: *const c_void,
    index: *mut c_int,
) -> c_int {
    switch::prepare_getopt();
    // SAFETY: the program's own call.
    unsafe { getopt_long(count, arguments, options, long, index) }
}

pub unsafe extern "C" fn get_option_long_only(
    count: c_int,
    arguments: *const *mut c_char,
    options: *const c_char,
    long: *const c_void,
    index: *mut c_int,
) -> c_int {
    switch::prepare_getopt();
    // SAFETY: the program's own call.
    unsafe { getopt_long_only(count, arguments, options, long, index) }
}

unsafe extern "C" {
    fn strtok_r(text: *mut c_char, between: *const c_char, rest: *mut *mut c_char) -> *mut c_char;
}

pub unsafe extern "C" fn strtok(text: *mut c_char, between: *const c_char) -> *mut c_char {
    let mut rest = host::with_process(|process| process.token);
    if text.is_null() && rest.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the program's own call, with the place where it was last time.
    let token = unsafe { strtok_r(text, between, &raw mut rest) };
    host::with_process(|process| process.token = rest);
    token
}

/// `std::ios_base::sync_with_stdio`: the streams of C++ stay those of C.
pub unsafe extern "C" fn sync_with_stdio(_: bool) -> bool {
    true
}

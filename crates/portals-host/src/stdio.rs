//! The standard streams of processes.

use crate::host;
use crate::output::Stream;
use crate::switch::Stdio;
use std::ffi::{c_char, c_int, c_void};
use std::io;

/// `cookie_io_functions_t`: what a stream of the C library calls.
#[repr(C)]
struct CookieFunctions {
    read: Option<unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> isize>,
    write: Option<unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> isize>,
    seek: Option<unsafe extern "C" fn(*mut c_void, *mut i64, c_int) -> c_int>,
    close: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
}

unsafe extern "C" {
    fn fopencookie(cookie: *mut c_void, mode: *const c_char, functions: CookieFunctions) -> *mut libc::FILE;
}

/// Bytes that a process's `stdout` holds until the line is whole.
const LINE: usize = 1024;

/// The standard streams of one process: closed when dropped.
pub struct Streams {
    /// Those in place for the process, which it may have exchanged
    pub stdio: Stdio,
    opened: Stdio,
    _line: Box<[c_char; LINE]>,
}

impl Streams {
    /// Of the process of a rank: what it prints goes to the host, `stdout` line by line and `stderr` at once; `stdin` is
    /// empty.
    ///
    /// # Errors
    ///
    /// When the C library makes no more streams.
    pub fn new(rank: u32) -> io::Result<Self> {
        let opened = Stdio {
            input: open(0, false)?,
            output: open(cookie(rank, Stream::Out), true)?,
            errors: open(cookie(rank, Stream::Err), true)?,
        };
        let mut line = Box::new([0; LINE]);
        // SAFETY: the streams were just opened; the buffer lives as long as the stream, see the order of drop.
        unsafe {
            libc::setvbuf(opened.output, line.as_mut_ptr(), libc::_IOLBF, LINE);
            libc::setvbuf(opened.errors, std::ptr::null_mut(), libc::_IONBF, 0);
        }
        Ok(Self {
            stdio: opened,
            opened,
            _line: line,
        })
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        for stream in [self.opened.input, self.opened.output, self.opened.errors] {
            // SAFETY: opened by `new`; no code of the process runs any more that could use them. A program that closed
            // one itself has `fclose` intercepted for them.
            unsafe { libc::fclose(stream) };
        }
    }
}

/// Whether `stream` is one of the current process's own standard streams.
pub fn is_standard(stream: *mut libc::FILE) -> bool {
    host::with_process(|process| {
        let of = &process.streams.opened;
        [of.input, of.output, of.errors].contains(&stream)
    })
}

/// Gives what the current process's `stdout` holds to the host.
pub fn flush() {
    flush_stream(crate::switch::stdio().output);
}

/// Gives what a process's `stdout` holds to the host.
pub fn flush_stream(stream: *mut libc::FILE) {
    if !stream.is_null() {
        // SAFETY: a stream that is in place for a process, which keeps it open.
        unsafe { libc::fflush(stream) };
    }
}

/// Streams for libraries that all processes share and that keep the standard streams they found when they were loaded, as
/// the C++ library does: what comes there goes on to the streams of the process that runs.
pub fn routers() -> io::Result<Stdio> {
    let functions = |write| CookieFunctions {
        read: Some(read_nothing),
        write: Some(write),
        seek: None,
        close: None,
    };
    let make = |write: unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> isize| {
        // SAFETY: the functions are for any cookie.
        let stream = unsafe { fopencookie(std::ptr::null_mut(), c"w".as_ptr(), functions(write)) };
        if stream.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: just opened.
        unsafe { libc::setvbuf(stream, std::ptr::null_mut(), libc::_IONBF, 0) };
        Ok(stream)
    };
    Ok(Stdio {
        input: open(0, false)?,
        output: make(route_output)?,
        errors: make(route_errors)?,
    })
}

fn cookie(rank: u32, stream: Stream) -> usize {
    (rank as usize) << 1 | usize::from(stream == Stream::Err)
}

fn open(cookie: usize, write: bool) -> io::Result<*mut libc::FILE> {
    let functions = CookieFunctions {
        read: Some(read_nothing),
        write: Some(write_cookie),
        seek: None,
        close: None,
    };
    let mode = if write { c"w" } else { c"r" };
    // SAFETY: the cookie is a number, which the functions take as such.
    let stream = unsafe { fopencookie(cookie as *mut c_void, mode.as_ptr(), functions) };
    if stream.is_null() {
        Err(io::Error::last_os_error())
    } else {
        Ok(stream)
    }
}

unsafe extern "C" fn read_nothing(_: *mut c_void, _: *mut c_char, _: usize) -> isize {
    0
}

unsafe extern "C" fn write_cookie(cookie: *mut c_void, bytes: *const c_char, count: usize) -> isize {
    let number = cookie as usize;
    let stream = if number & 1 == 0 { Stream::Out } else { Stream::Err };
    // SAFETY: the C library gives `count` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), count) };
    host::with(|host| host.output.add((number >> 1) as u32, stream, bytes));
    count as isize
}

unsafe extern "C" fn route_output(_: *mut c_void, bytes: *const c_char, count: usize) -> isize {
    route(crate::switch::stdio().output, bytes, count)
}

unsafe extern "C" fn route_errors(_: *mut c_void, bytes: *const c_char, count: usize) -> isize {
    route(crate::switch::stdio().errors, bytes, count)
}

/// Writes into the stream in place, when a process runs.
fn route(stream: *mut libc::FILE, bytes: *const c_char, count: usize) -> isize {
    if host::current().is_some() && !stream.is_null() {
        // SAFETY: the C library gave the bytes; the stream in place is the current process's, never a router.
        unsafe { libc::fwrite(bytes.cast(), 1, count, stream) };
    }
    count as isize
}

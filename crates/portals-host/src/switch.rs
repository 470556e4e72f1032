//! What is exchanged when another thread goes on: state that libraries of the system keep once for all.

use crate::host::{self, Host};
use packetloom_portals::ThreadId;
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};

unsafe extern "C" {
    static mut stdout: *mut libc::FILE;
    static mut stderr: *mut libc::FILE;
    static mut stdin: *mut libc::FILE;
    static mut optind: c_int;
    static mut opterr: c_int;
    static mut optopt: c_int;
    static mut optarg: *mut c_char;
}

/// `__cxa_get_globals`: where the C++ library keeps a thread's exceptions.
type Exceptions = unsafe extern "C" fn() -> *mut [usize; 2];

thread_local! {
    /// The thread whose state is in place; none: the host's own
    static IN_PLACE: Cell<Option<ThreadId>> = const { Cell::new(None) };
    static EXCEPTIONS: Cell<Option<Exceptions>> = const { Cell::new(None) };
    /// The host's own streams and exceptions while a thread's are in place
    static OWN: Cell<Option<(Stdio, [usize; 2])>> = const { Cell::new(None) };
}

/// The standard streams of a process.
#[derive(Clone, Copy)]
pub struct Stdio {
    pub input: *mut libc::FILE,
    pub output: *mut libc::FILE,
    pub errors: *mut libc::FILE,
}

/// `optind` and the others.
#[derive(Clone, Copy)]
pub struct GetoptState {
    /// The process has called none of them yet
    new: bool,
    index: c_int,
    errors: c_int,
    option: c_int,
    argument: *mut c_char,
}

impl GetoptState {
    /// As a program finds them.
    pub const fn new() -> Self {
        Self {
            new: true,
            index: 1,
            errors: 1,
            option: b'?' as c_int,
            argument: std::ptr::null_mut(),
        }
    }
}

/// What a thread has of its own in libraries of the system.
pub struct ThreadState {
    pub errno: c_int,
    exceptions: [usize; 2],
    /// The values of its thread-local variables while another thread's are in place
    thread_local: Vec<u8>,
}

impl ThreadState {
    /// Of a thread that has not started.
    pub const fn new(thread_local: Vec<u8>) -> Self {
        Self {
            errno: 0,
            exceptions: [0; 2],
            thread_local,
        }
    }
}

/// Looks for the C++ library: called once all images are loaded.
pub fn find_exceptions() {
    // SAFETY: only looked for; nothing is loaded by it. The handle is kept, as the function is used until the run ends.
    let found = unsafe {
        let library = libc::dlopen(c"libstdc++.so.6".as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY);
        let name = c"__cxa_get_globals".as_ptr();
        if library.is_null() {
            std::ptr::null_mut()
        } else {
            libc::dlsym(library, name)
        }
    };
    // SAFETY: that is the shape of the function in the C++ ABI: two words a thread.
    let exceptions = unsafe { std::mem::transmute::<*mut c_void, Option<Exceptions>>(found) };
    EXCEPTIONS.set(exceptions);
}

/// The standard streams in place.
pub fn stdio() -> Stdio {
    // SAFETY: variables of the C library, read on the one thread that uses them while programs run.
    unsafe {
        Stdio {
            input: stdin,
            output: stdout,
            errors: stderr,
        }
    }
}

/// Puts standard streams in place.
pub fn set_stdio(streams: Stdio) {
    // SAFETY: as in `stdio`.
    unsafe {
        stdin = streams.input;
        stdout = streams.output;
        stderr = streams.errors;
    }
}

/// Exchanges the current thread's exceptions.
fn swap_exceptions(with: &mut [usize; 2]) {
    if let Some(place) = EXCEPTIONS.get() {
        // SAFETY: the C++ library gives the place of this thread's two words, which nothing else refers to now.
        unsafe { std::ptr::swap(place(), with) };
    }
}

/// Puts the state of `thread` in place.
pub fn enter(host: &mut Host, thread: ThreadId) {
    let before = IN_PLACE.get();
    if before != Some(thread) {
        let same_process = before.is_some_and(|before| before.process == thread.process);
        match before {
            Some(before) => swap_exceptions(&mut host.thread(before).state.exceptions),
            None => {
                let mut exceptions = [0; 2];
                swap_exceptions(&mut exceptions);
                OWN.set(Some((stdio(), exceptions)));
            }
        }
        if !same_process {
            if let Some(before) = before {
                save_process(host, before.process);
            }
            load_process(host, thread.process);
        }
        swap_exceptions(&mut host.thread(thread).state.exceptions);
        IN_PLACE.set(Some(thread));
    }
    let process = host.process(thread.process);
    if process.in_place != thread.thread {
        let before = process.in_place as usize;
        process
            .image
            .swap_thread_local(&mut process.threads[before].state.thread_local);
        process
            .image
            .swap_thread_local(&mut process.threads[thread.thread as usize].state.thread_local);
        process.in_place = thread.thread;
    }
    set_errno(host.thread(thread).state.errno);
}

/// Keeps what the thread that just stopped must find again; the rest stays in place until another one enters.
pub fn leave(host: &mut Host, thread: ThreadId) {
    host.thread(thread).state.errno = errno();
}

/// Puts the host's own state in place: no thread of a program goes on.
pub fn restore_own() {
    if let Some((streams, mut exceptions)) = OWN.take() {
        host::with(|host| {
            if let Some(before) = IN_PLACE.take() {
                swap_exceptions(&mut host.thread(before).state.exceptions);
                save_process(host, before.process);
            }
        });
        swap_exceptions(&mut exceptions);
        set_stdio(streams);
    }
    EXCEPTIONS.set(None);
}

/// Keeps what a process has of its own.
fn save_process(host: &mut Host, rank: u32) {
    let process = host.process(rank);
    process.streams.stdio = stdio();
    let new = process.getopt.new;
    // SAFETY: variables of the C library, used on this thread alone.
    process.getopt = unsafe {
        GetoptState {
            new,
            index: optind,
            errors: opterr,
            option: optopt,
            argument: optarg,
        }
    };
}

/// Lets the C library start anew with the options of a process that asks for the first time: what it keeps beside its
/// variables is another process's.
pub fn prepare_getopt() {
    if host::with_process(|process| std::mem::replace(&mut process.getopt.new, false)) {
        // SAFETY: a variable of the C library, used on this thread alone; 0 makes it start anew, at argument 1.
        unsafe {
            if optind == 1 {
                optind = 0;
            }
        }
    }
}

/// Puts what a process has of its own in place.
fn load_process(host: &mut Host, rank: u32) {
    let process = host.process(rank);
    set_stdio(process.streams.stdio);
    let of = process.getopt;
    // SAFETY: variables of the C library, used on this thread alone.
    unsafe {
        optind = of.index;
        opterr = of.errors;
        optopt = of.option;
        optarg = of.argument;
    }
}

/// `errno`.
pub fn errno() -> c_int {
    // SAFETY: the C library gives the place of this thread's errno.
    unsafe { *libc::__errno_location() }
}

/// Sets `errno`.
pub fn set_errno(value: c_int) {
    // SAFETY: as in `errno`.
    unsafe { *libc::__errno_location() = value }
}

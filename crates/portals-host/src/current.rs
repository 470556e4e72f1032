//! The simulated thread that runs now: what the functions that programs call may do in its name.

use crate::coroutine::{Request, suspend};
use crate::host::{self, AtExit};
use crate::{Kernel, stdio};
use packetloom_portals::{Call, Library, Return, ThreadId};
use std::cell::Cell;
use std::ptr::NonNull;

thread_local! {
    /// The kernel of the run, while a thread runs
    static KERNEL: Cell<Option<NonNull<dyn Kernel>>> = const { Cell::new(None) };
}

/// The thread.
///
/// # Panics
///
/// Outside a simulated thread, like all functions here: only programs call what calls these.
pub fn thread() -> ThreadId {
    host::current().expect("only programs call what asks for the simulated thread")
}

/// Carries `call` out in the thread's name; the thread waits for as long as the call does.
pub fn call(call: Call) -> Return {
    suspend(Request::Call(call))
}

/// Waits for all processes, by the function of this name.
pub fn barrier(name: &'static str) {
    host::with_thread(|thread| thread.waits_for = Some(name));
    call(Call::Barrier);
    host::with_thread(|thread| thread.waits_for = None);
}

/// Does something with the Portals library of the thread's process; no time passes.
pub fn with_library<R>(ask: impl FnOnce(&mut Library) -> R) -> R {
    let process = thread().process;
    with_kernel(|kernel| ask(kernel.library(process)))
}

/// Asks the kernel something; no time passes.
pub fn with_kernel<R>(ask: impl FnOnce(&mut dyn Kernel) -> R) -> R {
    let mut kernel = KERNEL
        .take()
        .expect("a simulated thread runs, and asks for one thing at a time");
    // SAFETY: the run loop lent the kernel when it let this thread go on, and does not touch it until the thread stops; it
    // is taken out of its place here, so that nothing asks for it meanwhile.
    let answer = ask(unsafe { kernel.as_mut() });
    KERNEL.set(Some(kernel));
    answer
}

/// Ends the thread's process with an exit code, as `exit` does: handlers of `atexit` run, then finalisers, and `stdout` is
/// shown.
pub fn exit(code: i32) -> ! {
    crate::threads::keys::destroy_variables();
    while let Some(handler) = host::with_process(|process| process.at_exit.pop()) {
        match handler {
            AtExit::Plain(function, argument) => function(argument),
            AtExit::WithCode(function, argument) => function(code, argument),
        }
    }
    for function in host::with_process(|process| process.image.finalisers()) {
        // SAFETY: a finaliser of the process's own image, run in its name as at the end of any program.
        unsafe { function() };
    }
    stdio::flush();
    exit_at_once(code)
}

/// Ends the thread's process as `_exit` does: nothing more of it runs.
pub fn exit_at_once(code: i32) -> ! {
    suspend(Request::Exit(code));
    unreachable!("a process that has ended is never resumed")
}

/// Ends the thread's process by a signal.
pub fn die(signal: i32, message: Option<String>) -> ! {
    suspend(Request::Killed { signal, message });
    unreachable!("a process that has ended is never resumed")
}

/// Lends the kernel to the thread that goes on, until the returned value is dropped.
pub(crate) fn lend<K: Kernel>(kernel: &mut K) -> Lent<'_> {
    let kernel: NonNull<dyn Kernel + '_> = NonNull::from(kernel);
    // SAFETY: only the lifetime changes; what is returned holds the borrow, and takes the pointer away when dropped.
    let kernel =
        unsafe { std::mem::transmute::<NonNull<dyn Kernel + '_>, NonNull<dyn Kernel + 'static>>(kernel) };
    KERNEL.set(Some(kernel));
    Lent(std::marker::PhantomData)
}

/// The kernel is lent.
pub(crate) struct Lent<'a>(std::marker::PhantomData<&'a mut ()>);

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        KERNEL.set(None);
    }
}

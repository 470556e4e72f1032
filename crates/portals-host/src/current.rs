//! The simulated thread that runs now: what the functions that programs call may do in its name.

use packetloom_portals::{Call, Library, Return, ThreadId};

/// The thread.
///
/// # Panics
///
/// Outside a simulated thread, like all functions here: only programs call what calls these.
pub fn thread() -> ThreadId {
    unreachable!("no simulated thread runs")
}

/// Carries `call` out in the thread's name; the thread waits for as long as the call does.
pub fn call(call: Call) -> Return {
    drop(call);
    unreachable!("no simulated thread runs")
}

/// Does something with the Portals library of the thread's process; no time passes.
pub fn with_library<R>(ask: impl FnOnce(&mut Library) -> R) -> R {
    drop(ask);
    unreachable!("no simulated thread runs")
}

/// Asks the kernel something; no time passes.
pub fn with_kernel<R>(ask: impl FnOnce(&mut dyn crate::Kernel) -> R) -> R {
    drop(ask);
    unreachable!("no simulated thread runs")
}

/// Ends the thread's process with an exit code, as `exit` does.
pub fn exit(code: i32) -> ! {
    unreachable!("no simulated thread runs, exit code {code}")
}

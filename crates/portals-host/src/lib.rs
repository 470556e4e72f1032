//! Programs in C as simulated processes.
//!
//! A program is a shared library with a `main`. Each process has its own private copy of the library's image and runs as
//! coroutines, one a thread, on one thread of the operating system. What the program asks of its machine (time, sleep,
//! threads, output, Portals) comes here instead, and is answered by a [`Kernel`].
//!
//! - `headers`: what programs include
//! - `kernel`: who answers, and who runs next
//! - `c_interface`: the functions that programs call; `keyval`: what they keep together in a run
//! - `current`: the simulated thread that runs now, for the functions that programs call

pub mod c_interface;
pub mod current;
pub mod headers;
mod kernel;
pub mod keyval;

pub use kernel::{Ended, Kernel, Next};

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
//! - `run`, with `report`: a run from the first process's start to the last one's end, and what came of it
//! - `image`: private copies of a program, with the addresses in them that lead elsewhere
//! - `coroutine`, with `stack` and `switch`: threads, and what is exchanged when another one goes on
//! - `host`: what is kept of processes and threads
//! - `intercept`, with `threads`, `signals` and `cpu`: what stands for functions of the C library
//! - `stdio`, with `output`: the standard streams of processes, and where they lead
//! - `memory`: the memory of processes, as Portals reads and writes it
//! - `crash`: crashes, and loops that call nothing

pub mod c_interface;
mod coroutine;
mod cpu;
mod crash;
pub mod current;
pub mod headers;
mod host;
mod image;
mod intercept;
mod kernel;
pub mod keyval;
mod memory;
mod output;
mod report;
mod run;
mod signals;
mod stack;
mod stdio;
mod switch;
mod threads;

pub use image::LoadError;
pub use kernel::{Ended, Kernel, Next};
pub use memory::ProcessMemory;
pub use output::{Output, Stream, Terminal};
pub use report::{Failure, Fault, ProcessEnd, Report, Waiting};
pub use run::{Launch, Options, Run, RunError};

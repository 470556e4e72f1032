//! Programs in C as simulated processes.
//!
//! A program is a shared library with a `main`. Each process has its own private copy of the library's image and runs as
//! coroutines, one a thread, on one thread of the operating system. What the program asks of its machine (time, sleep,
//! threads, output, Portals) comes here instead, and is answered by a [`Kernel`].
//!
//! - `headers`: what programs include
//! - `kernel`: who answers, and who runs next
//! - `machine`: the kernel of real runs
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
//!
//! # Unsafe code
//!
//! Only this crate of Packetloom has any, for what C and the loader are: foreign code at addresses that it gives. What holds:
//!
//! - Programs are trusted as any library that is linked in: they can write anywhere. A crash is caught, told of, and ends the
//!   run, since it may have left the memory of all in disorder.
//! - All programs of a run, and all that they call, run on one thread of the system, one at a time, and only one run is under
//!   way. References into what programs own are made and given up between two switches.
//! - Coroutines that will not go on are reset, never unwound: frames of C have no destructors to run, and functions here
//!   hold nothing while they wait.
//! - Images are unloaded after the last coroutine is gone, and their initialisers and finalisers run only in their process.

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
mod machine;
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
pub use machine::SimulatedMachine;
pub use memory::ProcessMemory;
pub use output::{Output, Stream, Terminal};
pub use report::{Failure, Fault, ProcessEnd, Report, Waiting};
pub use run::{Launch, Options, Run, RunError};

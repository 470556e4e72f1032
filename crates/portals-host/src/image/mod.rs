//! Private images of a program: one for each process.
//!
//! - `file`: what is in a program's file, checked and prepared before anything is loaded
//! - `program`: the program with the libraries of its own folder
//! - `loaded`: one private copy in memory
//! - `limits`: how many copies the machine can hold
//! - `patch`: entries of an image's tables of addresses that lead elsewhere

mod file;
mod limits;
mod loaded;
mod patch;
mod program;

pub use loaded::Image;
pub(crate) use patch::patch_shared;
pub use program::{LoadError, Program};

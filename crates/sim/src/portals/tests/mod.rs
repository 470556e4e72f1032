//! The machine under programs written as lists of calls.

mod losses;
mod programs;
mod random;
mod script;
mod timing;
mod traces;

//! The machine under programs written as lists of calls.

mod losses;
mod machine;
mod programs;
mod script;
mod timing;
mod traces;

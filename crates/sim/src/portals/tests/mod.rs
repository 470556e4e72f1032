//! The machine under programs written as lists of calls.

mod script;
mod timing;
mod traces;

//! The machine under programs written as lists of calls.

mod machine;
mod script;
mod timing;
mod traces;

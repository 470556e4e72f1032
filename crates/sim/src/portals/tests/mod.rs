//! The machine under programs written as lists of calls.

mod closed_forms;
mod deployments;
mod losses;
mod machine;
mod programs;
mod queues;
mod random;
mod script;
mod timing;
mod traces;

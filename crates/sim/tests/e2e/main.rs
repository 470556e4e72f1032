//! System tests: whole runs, checked against values derived from the specification and not from the code.

mod capacity;
mod closed_form;
mod common;
mod determinism;
mod incast;
mod loss;
mod records;
mod right_values;

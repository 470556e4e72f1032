//! System tests: whole runs, checked against values derived from the specification and not from the code.

mod balancing;
mod buffers;
mod capacity;
mod closed_form;
mod common;
mod determinism;
mod doubtful;
mod ecmp;
mod incast;
mod inside_hosts;
mod loss;
mod lossless;
mod lossy;
mod pauses;
mod published_figures;
mod records;
mod tcp;
mod three_tiers;

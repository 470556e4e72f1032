//! Puts a document's nodes and links together, runs them, and turns what they observe into records and a summary.
//!
//! - [`assemble`]: from a validated document to topology, placement, nodes and links
//! - [`host`]: a host as one node, and the node of any kind
//! - [`observe`]: what nodes observe within a window
//! - [`report`]: rows of the records
//! - [`run()`]: the run itself
//! - `schedule`: when reports are due
//! - `summarize`: the [`summary`] of a run
//! - `warn`: what the summary warns of
//! - [`system`]: totals and conservation laws

pub mod assemble;
pub mod host;
pub mod observe;
pub mod portals;
pub mod progress;
pub mod report;
mod run;
mod schedule;
mod summarize;
pub mod summary;
pub mod system;
mod warn;

pub use run::{RunError, RunOptions, Simulation, run};

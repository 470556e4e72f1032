//! Puts a document's nodes and links together, runs them, and turns what they observe into records and a summary.

pub mod progress;
pub mod summary;

//! From the records of a run to answers.
//!
//! [`summarize()`] reads a run's record files, one after another and none of them into memory as a whole, and gives what a
//! user asks first as a [`RunSummary`]. It knows records by their schemas and nothing of models: what it says is what
//! stands in the files, whoever wrote them.
//!
//! - `inputs`: which files there are
//! - `window`: which part of the run the figures are of, and totals at its ends
//! - `applications`, `network`, `pauses`, `transport`, `tcp`, `queues`, `machine`: a kind of record each
//! - [`summary`]: what comes out
//! - [`finished`]: runs in folders, for whoever looks at them after their end
//! - [`data`]: figures and series of one record, for whoever draws them

mod applications;
pub mod data;
mod error;
pub mod finished;
mod inputs;
mod machine;
mod network;
mod pauses;
mod queues;
mod scan;
mod summarize;
pub mod summary;
mod tcp;
mod transport;
mod window;

pub use error::AnalysisError;
pub use scan::Progress;
pub use summarize::{Options, summarize};
pub use summary::RunSummary;

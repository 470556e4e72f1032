//! The commands, one a file.

pub mod completions;
mod finished_runs;
pub mod models;
pub mod portals;
pub mod report;
pub mod run;
pub mod summary;
pub mod template;
pub mod validate;

#[cfg(not(feature = "platform"))]
pub mod no_platform;
#[cfg(feature = "platform")]
pub mod platform;

//! The commands, one a file.

pub mod completions;
pub mod models;
pub mod portals;
pub mod run;
pub mod summary;
pub mod template;
pub mod validate;

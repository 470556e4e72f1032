//! What users do with `packetloom`, from the command line to the files.

mod bad_input;
mod docs;
mod help;
mod interrupt;
mod lab;
mod machine_failure;
mod parquet;
mod portals_cc;
mod portals_ends;
mod portals_examples;
mod portals_lab;
mod portals_machine;
mod portals_many;
mod portals_options;
mod portals_refusals;
mod portals_suite;
mod portals_suite2;
mod portals_timing;
mod report;
mod run;
#[cfg(feature = "platform")]
mod server_access;
#[cfg(feature = "platform")]
mod server_ends;
#[cfg(feature = "platform")]
mod server_follow;
#[cfg(feature = "platform")]
mod server_jobs;
#[cfg(feature = "platform")]
mod server_lab;
#[cfg(feature = "platform")]
mod server_manners;
#[cfg(feature = "platform")]
mod server_open;
#[cfg(feature = "platform")]
mod server_remote;
#[cfg(feature = "platform")]
mod server_walkthrough;
mod summary;
mod templates;
mod validate;

//! What users do with `packetloom`, from the command line to the files.

mod bad_input;
mod docs;
mod help;
mod interrupt;
mod lab;
mod machine_failure;
mod parquet;
mod portals_cc;
mod portals_suite;
mod run;
mod summary;
mod templates;
mod validate;

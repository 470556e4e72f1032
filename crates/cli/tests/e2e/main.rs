//! What users do with `packetloom`, from the command line to the files.

mod bad_input;
mod docs;
mod help;
mod interrupt;
mod lab;
mod machine_failure;
mod run;
mod templates;
mod validate;

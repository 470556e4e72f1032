//! Portals programs on a simulated machine: nodes with the NIC of `packetloom-portals` over the flow-level network of
//! `packetloom-flow`.
//!
//! - `options`: the run's options, by S4BXI's names
//! - `machine`: which nodes and processes a platform and a deployment make
//! - `world`: the machine in time
//! - `around`: what each node has of it
//! - `log`: the log of operations

mod around;
mod log;
mod machine;
mod options;
mod world;

pub use log::{HEADER, OperationLog};
pub use machine::{Launch, Machine, MachineError, NodePlan};
pub use options::{BadVariable, Options, is_true};
pub use world::{Next, World};

#[cfg(test)]
mod tests;

//! Traffic: placement and pairing, the run's timeline, and the applications.

pub mod generator;
pub mod generator_attributes;
pub mod instances;
pub mod placement;
pub mod rdma;
pub mod rdma_attributes;
pub mod timeline;

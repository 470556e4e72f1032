//! The host's link to its NIC and the NIC models.

pub mod ethernet;
pub mod pcie;
pub mod pools;
pub mod roce;

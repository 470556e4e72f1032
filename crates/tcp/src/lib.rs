//! A TCP endpoint without I/O or clock: segments in, segments and deadlines out.
//!
//! - `segment`: what crosses the network
//! - `congestion`: congestion control behind one trait

pub mod congestion;
pub mod segment;

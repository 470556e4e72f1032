//! The traffic generator: clients that send requests over TCP in an open loop, and servers that answer each with a reply.
//!
//! A [`Client`] and a [`Server`] are the two ends of one connection. No clock and no network here: the host says what
//! time it is and how much its connection takes and has brought, and asks what goes into the send buffer. No marks travel
//! with the bytes. Both ends know where one request ends and the next begins because both draw the sizes from the
//! connection's stream `sizes`, each from a copy of its own: for each transaction the request's, then the reply's.

mod backlog;
pub mod cdf;
pub mod client;
pub mod cycle;
pub mod server;
pub mod sizes;
#[cfg(test)]
mod tests;

pub use cdf::{Cdf, CdfError};
pub use client::{Client, ClientPlan, Transaction};
pub use cycle::Cycle;
pub use server::Server;
pub use sizes::{Sizes, SizesError};

/// Purpose of the stream from which a connection's request and reply sizes are drawn.
pub const SIZES: &str = "sizes";
/// Purpose of the stream from which the gaps between a connection's requests are drawn.
pub const GAPS: &str = "gaps";

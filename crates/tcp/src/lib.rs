//! A TCP endpoint without I/O or clock: segments in, segments and deadlines out.
//!
//! A [`Connection`] is one end. Bytes are counted, never held: what is written is a number of bytes, and so is what arrives.
//!
//! - `segment`: what crosses the network
//! - `connection`: both halves of an end, and the handshake
//! - `sender`, with `scoreboard`, `prr`, `rtt` and `window`: what is sent, lost and sent again
//! - `receiver`, with `ranges`: what has arrived, and what is acknowledged when
//! - `congestion`: congestion control behind one trait
//! - `report`: what a connection tells of itself

pub mod congestion;
mod connection;
mod prr;
mod ranges;
mod receiver;
mod report;
mod rtt;
mod scoreboard;
pub mod segment;
mod sender;
mod sequence;
mod settings;
mod window;

pub use connection::{Connection, Received, State, Timer};
pub use report::Report;
pub use segment::{Flags, Options, SackBlock, Segment};
pub use sender::{CongestionState, Entered};
pub use settings::Settings;

#[cfg(test)]
mod tests;

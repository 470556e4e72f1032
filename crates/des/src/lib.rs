//! The discrete-event engine of Packetloom. It knows time, events, nodes and the links between them, and nothing of
//! networking.

pub mod random;
pub mod time;

pub use time::{Bytes, Rate, Span, Time};

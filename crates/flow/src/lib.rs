//! Platforms of hosts and links as SimGrid writes them, and a network over them in which messages are flows.
//!
//! A flow has a rate, not packets: all flows share the links they cross max-min fairly, and a flow ends when its bytes are
//! through. Time is in seconds, as `f64`, because rates and shares are: see [`network`](Network).
//!
//! - `link`: what platform files and the network both speak of
//! - `network`: the flow-level network in time

mod link;
mod network;

pub use link::{HostId, Link, LinkId, NetworkSettings, Profile, Sharing};
pub use network::{Ended, Network, Outcome, PathId, SleepId};

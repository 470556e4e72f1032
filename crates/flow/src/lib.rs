//! Platforms of hosts and links as SimGrid writes them, and a network over them in which messages are flows.
//!
//! A flow has a rate, not packets: all flows share the links they cross max-min fairly, and a flow ends when its bytes are
//! through. Time is in seconds, as `f64`, because rates and shares are: see [`network`](Network).
//!
//! - `link`: what platform files and the network both speak of
//! - `platform`: platform files, with `settings` (their `<config>`), `profile` and `units`
//! - `routing`: which links lead from one host to another
//! - `deployment`: which program runs on which host
//! - `xml`: elements that know where they stand
//! - `error`: what is wrong, where, and what would be right
//! - `network`: the flow-level network in time

mod deployment;
mod error;
mod link;
mod network;
mod platform;
mod profile;
mod routing;
mod settings;
pub mod units;
mod xml;

pub use deployment::{Actor, Deployment};
pub use error::{Error, Place};
pub use link::{HostId, Link, LinkId, NetworkSettings, Profile, Sharing};
pub use network::{Ended, Network, Outcome, PathId, SleepId};
pub use platform::{Host, Platform, Route};

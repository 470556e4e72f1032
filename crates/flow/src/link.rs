//! What platform files and the network both speak of: links, how they are shared, and how they change with time.

use std::sync::Arc;

/// A host of a platform: its place among the hosts in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u32);

/// A link of a platform: its place among the links in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

/// How the flows that cross a link share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// The sum of all rates stays within the bandwidth.
    Shared,
    /// Each rate stays within the bandwidth, whatever the others take.
    FatPipe,
}

/// A link.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name, unique in the platform
    pub name: String,
    /// Bandwidth, bytes per second
    pub bandwidth: f64,
    /// Latency, seconds
    pub latency: f64,
    /// How it is shared
    pub sharing: Sharing,
    /// How the bandwidth (bytes per second) changes with time
    pub bandwidth_profile: Option<Arc<Profile>>,
    /// How the latency (seconds) changes with time
    pub latency_profile: Option<Arc<Profile>>,
    /// When the link is up (a value above 0) and when it is down (0)
    pub state_profile: Option<Arc<Profile>>,
}

/// Values that hold from given times on.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Times in seconds, not descending, each with the value that holds from then on
    pub points: Vec<(f64, f64)>,
    /// After how many seconds behind the last point the points begin again, if they do
    pub repeats_after: Option<f64>,
}

/// How the network behaves where it is not a link's own business.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkSettings {
    /// Whether a flow also takes 5 % of its rate on the reverse route
    pub cross_traffic: bool,
    /// The largest window in bytes: a flow's rate is at most this over twice its latency
    pub tcp_gamma: f64,
    /// By what latencies are multiplied
    pub latency_factor: f64,
    /// By what bandwidths are multiplied
    pub bandwidth_factor: f64,
    /// What a link adds to a flow's weight in bytes over its bandwidth (SimGrid: weight-S)
    pub weight_s: f64,
    /// Dates closer than this many seconds are one date
    pub precision: f64,
    /// Latency of a host's way to itself, seconds
    pub loopback_latency: f64,
    /// Bandwidth of a host's way to itself, bytes per second
    pub loopback_bandwidth: f64,
}

impl Default for NetworkSettings {
    /// SimGrid's model CM02 with the settings S4BXI forces.
    fn default() -> Self {
        Self {
            cross_traffic: true,
            tcp_gamma: 4_194_304.0,
            latency_factor: 1.0,
            bandwidth_factor: 1.0,
            weight_s: 0.0,
            precision: 1e-9,
            loopback_latency: 0.0,
            loopback_bandwidth: 999e9,
        }
    }
}

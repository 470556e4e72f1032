//! What a run came to: the figures the command line prints and `--json` gives.

use serde::Serialize;

/// Latency of work requests or transactions in microseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Latency {
    /// Least.
    pub min: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// Greatest.
    pub max: f64,
}

/// Which application it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApplicationModel {
    /// The RDMA application, a closed loop of work requests.
    #[default]
    Rdma,
    /// The traffic generator, an open loop of transactions over TCP.
    TrafficGenerator,
}

/// One application of the document.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ApplicationSummary {
    /// The application's name in the document.
    pub name: String,
    /// Which application it is.
    pub model: ApplicationModel,
    /// Pairs of a client's host and a server's, of an initiator's and a responder's.
    pub pairs: u64,
    /// Work requests posted, or requests generated, in the whole run.
    pub posted: u64,
    /// Work requests or transactions completed in the whole run.
    pub completed: u64,
    /// Work requests or transactions completed in the recording window; the latency is theirs.
    pub recorded: u64,
    /// Payload received in order in the recording window, in Gbps of all pairs together: by responders, or by both clients and
    /// servers of the traffic generator.
    pub goodput_gbps: f64,
    /// The least, mean and greatest goodput of a pair, in Gbps.
    pub goodput_per_pair_gbps: GoodputPerPair,
    /// Latency of the recording window; absent when nothing completed in it.
    pub latency_us: Option<Latency>,
}

/// How goodput spreads over the pairs of an application, in Gbps.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GoodputPerPair {
    /// The slowest pair.
    pub min: f64,
    /// Mean over pairs.
    pub mean: f64,
    /// The fastest pair.
    pub max: f64,
}

/// Link utilization of the ports of one tier over the recording window, in percent of the link rate.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TierUtilization {
    /// Name of the tier: `spine`, `fabric`, `rack` or `nic`.
    pub tier: String,
    /// `up` or `down`: the direction the ports send in.
    pub direction: String,
    /// Number of ports.
    pub ports: u64,
    /// Mean over ports.
    pub mean_percent: f64,
    /// The busiest port.
    pub max_percent: f64,
    /// Which port that is: component name and port number.
    pub busiest: String,
}

/// The whole run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// The simulation's name.
    pub simulation: String,
    /// Folder of the records.
    pub out: String,
    /// Whether the run was interrupted before its stop time.
    pub interrupted: bool,
    /// Simulated time reached, in seconds.
    pub simulated_seconds: f64,
    /// Wall-clock time of the run, in seconds.
    pub wall_seconds: f64,
    /// CPU time of the process during the run, in seconds.
    pub cpu_seconds: f64,
    /// Events handled.
    pub events: u64,
    /// Frames that finished their serialization on a port, NIC ports included.
    pub packet_hops: u64,
    /// `packet_hops / wall_seconds`.
    pub packet_hops_per_second: f64,
    /// Greatest resident memory of the process, in bytes.
    pub peak_rss_bytes: u64,
    /// Frames dropped by switches and NIC receive pools.
    pub drops: u64,
    /// Retransmission episodes: NAKs acted on and transport timer expiries.
    pub retransmissions: u64,
    /// Data packets sent again in them.
    pub packets_resent: u64,
    /// PFC pause frames sent by NICs and switches, refreshes included.
    pub pfc_pauses: u64,
    /// Packets marked congestion experienced.
    pub ecn_marks: u64,
    /// Per application.
    pub applications: Vec<ApplicationSummary>,
    /// Per tier and direction.
    pub utilization: Vec<TierUtilization>,
    /// Files written, names relative to `out`.
    pub files: Vec<String>,
    /// Warnings the user should see.
    pub warnings: Vec<String>,
}

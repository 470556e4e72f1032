//! What comes out: the figures of a run, as its records tell them.
//!
//! As JSON this is what `packetloom summary --json` prints. Names carry their units; what the records at hand do not tell
//! is null or an empty list.

use crate::inputs::Input;
use crate::window::Window;
use packetloom_sim::summary::{GoodputPerPair, Latency, TierUtilization};
use serde::Serialize;

/// A run.
#[derive(Clone, Debug, Serialize)]
pub struct RunSummary {
    /// The simulation's name.
    pub simulation: String,
    /// How it ended.
    pub state: State,
    /// Simulated time reached, in seconds: where the run says so, else that of the last row.
    pub simulated_seconds: f64,
    /// Stop time of the document in seconds, where it is known.
    pub stop_seconds: Option<f64>,
    /// Hosts, switches and seed, where they are known.
    pub document: Option<DocumentSummary>,
    /// Shards that the records are of.
    pub shards: u64,
    /// The part of the run that figures are of, where nothing else is said.
    pub window: WindowSummary,
    /// The part that figures of ports, NICs and queues are of: from the last report up to the window's start to the first
    /// one from its end on. Null without such a report.
    pub report_window: Option<Seconds>,
    /// Requests posted and completed in the whole run, up to the last report.
    pub requests: Option<RequestSummary>,
    /// Per application.
    pub applications: Vec<ApplicationSummary>,
    /// The connections with the greatest mean latency, slowest first.
    pub slowest: Vec<ConnectionSummary>,
    /// Per tier and direction.
    pub utilization: Vec<TierUtilization>,
    /// Per tier.
    pub tiers: Vec<TierSummary>,
    /// Queues and pools that were fullest, fullest first.
    pub fullest_buffers: Vec<BufferSummary>,
    /// Totals of the network and of transports.
    pub counters: Counters,
    /// What the simulator took of the machine.
    pub machine: Option<MachineSummary>,
    /// The files.
    pub records: Vec<RecordSummary>,
    /// Tables in the folder that are no records.
    pub ignored: Vec<String>,
    /// What whoever reads this should know.
    pub notes: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// At its stop time.
    Finished,
    /// Before it, because somebody asked for it.
    Interrupted,
    /// Not yet, or it was killed.
    Unfinished,
    /// The records do not tell.
    Unknown,
}

/// What the document described.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DocumentSummary {
    /// Number of hosts.
    pub hosts: u64,
    /// Number of switches.
    pub switches: u64,
    /// The seed of everything drawn at random.
    pub random_seed: u64,
}

/// A part of a run in seconds of simulated time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Seconds {
    /// Its start.
    pub from_seconds: f64,
    /// Its end.
    pub to_seconds: f64,
}

impl From<Window> for Seconds {
    fn from(window: Window) -> Self {
        Seconds {
            from_seconds: seconds(window.from),
            to_seconds: seconds(window.to),
        }
    }
}

/// Picoseconds in seconds.
pub(crate) fn seconds(ps: u64) -> f64 {
    ps as f64 / 1e12
}

/// The part of the run that figures are of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WindowSummary {
    /// Where it is.
    #[serde(flatten)]
    pub seconds: Seconds,
    /// Where it comes from.
    pub source: WindowSource,
}

/// Where a window comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowSource {
    /// It is the run's recording window.
    RecordingWindow,
    /// Somebody asked for it.
    Given,
    /// It is all there is: from the first request to the last row.
    WholeRun,
}

/// Requests of the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RequestSummary {
    /// Posted.
    pub posted: u64,
    /// Completed.
    pub completed: u64,
    /// The last report, in seconds of simulated time.
    pub at_seconds: f64,
}

/// One application.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApplicationSummary {
    /// Its name in the document, or what names of its instances begin with.
    pub name: String,
    /// Pairs of a client and a server.
    pub pairs: u64,
    /// Pairs that completed nothing in the window.
    pub silent_pairs: u64,
    /// Requests completed in the whole run; of the traffic generator in the recording window, of which alone `perf` tells.
    pub completed: u64,
    /// Requests completed in the window; the figures below are theirs.
    pub recorded: u64,
    /// Their payload over the window, all pairs together, in Gbps. Null where the record does not tell how much was carried, as
    /// `perf` does not.
    pub goodput_gbps: Option<f64>,
    /// The same of the least, mean and greatest pair, in Gbps.
    pub goodput_per_pair_gbps: Option<GoodputPerPair>,
    /// Jain's index over the goodput of pairs: 1 if all are equal, 1/n if one of n has everything. Null without goodput.
    pub fairness: Option<f64>,
    /// Their latency, percentiles to 0.1 %. Null if there are none.
    pub latency_us: Option<Latency>,
}

/// One connection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConnectionSummary {
    /// Name of its client instance.
    pub instance: String,
    /// Name of its host.
    pub host: Option<String>,
    /// Name of the peer's host.
    pub peer_host: Option<String>,
    /// Requests completed in the window.
    pub recorded: u64,
    /// Their payload over the window, in Gbps; null where the record does not tell it.
    pub goodput_gbps: Option<f64>,
    /// Mean of their latency, in microseconds.
    pub latency_mean_us: f64,
    /// The greatest.
    pub latency_max_us: f64,
}

/// What the ports of a tier did in the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TierSummary {
    /// `spine`, `fabric`, `rack` or `nic`.
    pub tier: String,
    /// Packets sent, PFC frames included; without `nd-stats` those that switches sent, PFC frames left out. Null where no
    /// record tells.
    pub packets_sent: Option<u64>,
    /// Packets received.
    pub packets_received: Option<u64>,
    /// Packets dropped by switches and by receive pools of NICs.
    pub packets_dropped: Option<u64>,
    /// PFC pause frames sent, repeated ones included.
    pub pauses_sent: Option<u64>,
    /// PFC pause frames received.
    pub pauses_received: Option<u64>,
    /// Time for which classes were paused, of all ports and classes together, in microseconds.
    pub paused_us: Option<f64>,
    /// The port and class that was paused longest.
    pub most_paused: Option<MostPaused>,
}

/// A port and class that was paused.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MostPaused {
    /// Component name and port number.
    pub port: String,
    /// The traffic class.
    pub class: u64,
    /// For how long, in microseconds.
    pub paused_us: f64,
    /// As a share of the time between the reports around the window, in percent; null if that is none.
    pub percent: Option<f64>,
}

/// A queue or pool of a switch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BufferSummary {
    /// Name of the switch.
    pub component: String,
    /// `egressQueue`, `ingressUsage` or `sharedBuffer`.
    pub buffer: String,
    /// `ul`, `dl`, or `-` for what is shared.
    pub direction: String,
    /// The pool.
    pub pool: u64,
    /// Greatest use in an interval that lies in the window, in bytes.
    pub max_bytes: u64,
    /// What it may hold, in bytes.
    pub limit_bytes: u64,
    /// The one as a share of the other, in percent.
    pub max_percent: f64,
}

/// A running total.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counter {
    /// In the window; null if no report tells.
    pub window: Option<u64>,
    /// In the whole run, up to the last report.
    pub run: u64,
    /// Where most of it was counted; null if nothing was.
    pub most_at: Option<String>,
}

/// Running totals; null where no record tells.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Counters {
    /// Packets dropped by switches.
    pub packets_dropped_by_switches: Option<Counter>,
    /// Packets that receive pools of NICs could not hold.
    pub packets_dropped_by_nics: Option<Counter>,
    /// PFC pause frames sent, repeated ones included.
    pub pauses_sent: Option<Counter>,
    /// Packets marked by ECN.
    pub packets_ecn_marked: Option<Counter>,
    /// Data packets sent by transports, again or not.
    pub data_packets_sent: Option<Counter>,
    /// Retransmission episodes: NAKs acted on and timeouts.
    pub retransmissions: Option<Counter>,
    /// Of these, timeouts.
    pub timeouts: Option<Counter>,
    /// NAKs sent.
    pub naks_sent: Option<Counter>,
    /// NAKs received.
    pub naks_received: Option<Counter>,
    /// Gaps in the sequence numbers of arriving packets.
    pub out_of_order: Option<Counter>,
    /// Packets that arrived again.
    pub duplicates: Option<Counter>,
    /// Received packets that transports discarded.
    pub packets_discarded: Option<Counter>,
    /// TCP segments that clients sent, of every kind.
    pub tcp_segments_sent: Option<Counter>,
    /// TCP retransmission timeouts of clients.
    pub tcp_timeouts: Option<Counter>,
    /// TCP fast retransmissions of clients.
    pub tcp_fast_retransmits: Option<Counter>,
    /// Duplicate acknowledgements, those with SACK blocks included, that clients received.
    pub tcp_duplicate_acks: Option<Counter>,
}

/// What the simulator took of the machine, up to the last report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MachineSummary {
    /// Number of processes.
    pub processes: u64,
    /// Wall-clock time of the longest of them, in seconds.
    pub wall_seconds: f64,
    /// CPU time of all, in seconds.
    pub cpu_seconds: f64,
    /// Greatest resident memory at a report, of all together, in bytes.
    pub peak_rss_bytes: u64,
    /// Memory of the machine, in bytes.
    pub machine_memory_bytes: u64,
}

/// One record file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordSummary {
    /// Its name.
    pub file: String,
    /// Its record.
    pub record: &'static str,
    /// Its shard.
    pub shard: u32,
    /// Its size, in bytes.
    pub bytes: u64,
    /// Its rows; null if the summary has no use for them.
    pub rows: Option<u64>,
    /// Whether it ended in the middle of a row, which was left out.
    pub torn: bool,
}

impl RecordSummary {
    pub(crate) fn new(input: &Input, rows: Option<u64>, torn: bool) -> Self {
        let file = input.path.file_name().unwrap_or_default();
        RecordSummary {
            file: file.to_string_lossy().into_owned(),
            record: input.name.record.name(),
            shard: input.name.shard,
            bytes: input.bytes,
            rows,
            torn,
        }
    }
}

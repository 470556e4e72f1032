//! Figures and series of one record, for whoever draws them.
//!
//! [`compute`] reads the files of one record in a folder, row by row. What comes out is one JSON object:
//!
//! - `summary`: of each column of interest its distribution over the reports of the recording window, or how much it rose in
//!   that window, over all and by tier and direction, with the fifty ports, NICs or connections that have most; of requests
//!   their latency by application, with points of its distribution function
//! - `timeSeries`: a value for each point in time, aggregated by tier and direction or by application
//! - `ports`: the figures of every port, NIC or connection
//! - `heatMap`: a matrix of ports and times, of what one looks for hot spots in
//!
//! Percentiles come from histograms with three significant digits (two in series).

mod fields;
mod heat;
mod order;
mod periodic;
mod place;
mod ports;
mod requests;
mod series;
mod statistics;

use crate::error::AnalysisError;
use crate::inputs::Inputs;
use crate::scan::{Progress, Scan};
use packetloom_records::{ReadError, Record};
use serde::Serialize;
use std::path::Path;

pub use heat::{HeatMap, HeatRow, MOST_COLUMNS, MOST_ROWS};
pub use periodic::{FieldSummary, GroupSummary, Worst};
pub use place::Place;
pub use ports::{Kind, PortColumn, PortFigures, Ports};
pub use requests::{LatencyPoint, RequestsSummary};
pub use series::{MOST_POINTS, Series, TimeSeries};
pub use statistics::{Rise, Statistics};

/// What data is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Ports: record `nd-stats`.
    NdStats,
    /// Transactions over TCP: record `perf`.
    Perf,
    /// Pauses: record `ecn-pfc-stats`.
    Pfc,
    /// RDMA work requests: record `rdma-perf`.
    RdmaPerf,
    /// Transports of RoCE NICs: record `roce-transport-stats`.
    RoceTransportStats,
    /// TCP connections: record `tcp-stats`.
    TcpStats,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 6] = [
        Metric::NdStats,
        Metric::Perf,
        Metric::Pfc,
        Metric::RdmaPerf,
        Metric::RoceTransportStats,
        Metric::TcpStats,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Metric::NdStats => "nd-stats",
            Metric::Perf => "perf",
            Metric::Pfc => "pfc",
            Metric::RdmaPerf => "rdma-perf",
            Metric::RoceTransportStats => "roce-transport-stats",
            Metric::TcpStats => "tcp-stats",
        }
    }

    /// The one called `text`.
    pub fn from_text(text: &str) -> Option<Self> {
        Metric::ALL.into_iter().find(|metric| metric.as_str() == text)
    }

    /// The record it is computed from.
    pub fn record(self) -> Record {
        match self {
            Metric::NdStats => Record::NdStats,
            Metric::Perf => Record::Perf,
            Metric::Pfc => Record::EcnPfcStats,
            Metric::RdmaPerf => Record::RdmaPerf,
            Metric::RoceTransportStats => Record::RoceTransportStats,
            Metric::TcpStats => Record::TcpStats,
        }
    }

    /// Whether it is divided into tiers.
    pub fn has_tiers(self) -> bool {
        matches!(self, Metric::NdStats | Metric::Pfc)
    }

    /// Whether there are series of one component alone.
    pub fn has_components(self) -> bool {
        !matches!(self, Metric::RdmaPerf | Metric::Perf)
    }
}

/// In which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Figures of the recording window.
    Summary,
    /// Values over time.
    TimeSeries,
    /// Figures of the recording window, of each port.
    Ports,
    /// Ports over time.
    HeatMap,
}

impl Mode {
    /// All of them.
    pub const ALL: [Mode; 4] = [Mode::Summary, Mode::TimeSeries, Mode::Ports, Mode::HeatMap];

    /// Whether there is this of `metric`.
    pub fn is_of(self, metric: Metric) -> bool {
        match self {
            Mode::Summary | Mode::TimeSeries => true,
            Mode::Ports => metric.has_components(),
            Mode::HeatMap => metric.has_tiers(),
        }
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Summary => "summary",
            Mode::TimeSeries => "timeSeries",
            Mode::Ports => "ports",
            Mode::HeatMap => "heatMap",
        }
    }

    /// The one called `text`.
    pub fn from_text(text: &str) -> Option<Self> {
        Mode::ALL.into_iter().find(|mode| mode.as_str() == text)
    }
}

/// Of which tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Of every one.
    All,
    /// Spine switches.
    Spine,
    /// Fabric switches.
    Fabric,
    /// Rack switches.
    Rack,
    /// NICs.
    Nic,
}

impl Tier {
    /// All of them.
    pub const ALL: [Tier; 5] = [Tier::All, Tier::Spine, Tier::Fabric, Tier::Rack, Tier::Nic];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Tier::All => "all",
            Tier::Spine => "spine",
            Tier::Fabric => "fabric",
            Tier::Rack => "rack",
            Tier::Nic => "nic",
        }
    }

    /// The one called `text`.
    pub fn from_text(text: &str) -> Option<Self> {
        Tier::ALL.into_iter().find(|tier| tier.as_str() == text)
    }

    /// Its number in records; none for all.
    pub(crate) fn number(self) -> Option<u64> {
        match self {
            Tier::All => None,
            Tier::Spine => Some(0),
            Tier::Fabric => Some(1),
            Tier::Rack => Some(2),
            Tier::Nic => Some(3),
        }
    }
}

/// What was computed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Data {
    /// Of what.
    pub metric: Metric,
    /// In which form.
    pub mode: Mode,
    /// Of which tier.
    pub tier: Tier,
    /// From how many rows.
    pub rows_processed: u64,
    /// The figures or series.
    #[serde(flatten)]
    pub content: Content,
}

impl Data {
    /// The same with no more than `most` points a series: neighbours are merged.
    pub fn thinned(self, most: usize) -> Self {
        let content = match self.content {
            Content::Series(series) => Content::Series(series.thinned(most)),
            other => other,
        };
        Data { content, ..self }
    }
}

/// The figures or series.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Content {
    /// Of a record with a row for each report.
    Fields {
        /// The part of the run they are of, in seconds of simulated time.
        window: WindowSeconds,
        /// A column each.
        columns: Vec<FieldSummary>,
    },
    /// Of a record with a row for each request.
    Requests {
        /// The part of the run they are of, in seconds of simulated time.
        window: WindowSeconds,
        /// An application each.
        applications: Vec<RequestsSummary>,
    },
    /// Values over time.
    Series(TimeSeries),
    /// Figures of each port.
    Ports(Ports),
    /// Ports over time.
    HeatMap(HeatMap),
}

/// A part of a run, in seconds of simulated time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowSeconds {
    /// Its start.
    pub from_seconds: f64,
    /// Its end; none if it is open.
    pub to_seconds: Option<f64>,
}

/// The part of a run that figures are of: the recording window, or everything where nobody knows that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub from_ps: u64,
    pub to_ps: u64,
}

impl Span {
    fn of(inputs: &Inputs) -> Span {
        let window = inputs.run.as_ref().map(|run| run.recording_window_ps);
        let (from_ps, to_ps) = window.unwrap_or((0, u64::MAX));
        Span { from_ps, to_ps }
    }

    fn seconds(self) -> WindowSeconds {
        WindowSeconds {
            from_seconds: self.from_ps as f64 / 1e12,
            to_seconds: (self.to_ps < u64::MAX).then_some(self.to_ps as f64 / 1e12),
        }
    }
}

/// Why there is no data.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// There is no such record.
    #[error("there is no such record")]
    None,
    /// There is no such form of it.
    #[error("there is no {} of {}", .0.as_str(), .1.as_str())]
    Mode(Mode, Metric),
    /// It cannot be read.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
}

impl From<ReadError> for DataError {
    fn from(error: ReadError) -> Self {
        DataError::Analysis(error.into())
    }
}

/// How many bytes there are to read for data of `metric`; 0 if there is no such record.
pub fn size(folder: &Path, metric: Metric) -> u64 {
    Inputs::find(&[folder.to_owned()]).map_or(0, |inputs| {
        inputs.of(metric.record()).map(|file| file.bytes).sum()
    })
}

/// Computes figures or series of one record of the run in `folder`; series of `component` only if one is named.
///
/// # Errors
/// When there is no such record or no such form of it, or it cannot be read.
pub fn compute(
    folder: &Path,
    metric: Metric,
    mode: Mode,
    tier: Tier,
    component: Option<&str>,
) -> Result<Data, DataError> {
    compute_watched(folder, metric, mode, tier, component, &Progress::default())
}

/// The same; `progress` tells meanwhile how much of it was read.
///
/// # Errors
/// As for [`compute`].
pub fn compute_watched(
    folder: &Path,
    metric: Metric,
    mode: Mode,
    tier: Tier,
    component: Option<&str>,
    progress: &Progress,
) -> Result<Data, DataError> {
    if !mode.is_of(metric) {
        return Err(DataError::Mode(mode, metric));
    }
    let inputs = match Inputs::find(&[folder.to_owned()]) {
        Err(AnalysisError::NoRecords(_) | AnalysisError::Missing(_)) => return Err(DataError::None),
        inputs => inputs?,
    };
    if inputs.of(metric.record()).next().is_none() {
        return Err(DataError::None);
    }
    let mut scan = Scan::new(&inputs, progress);
    let span = Span::of(&inputs);
    let (content, rows_processed) = match (metric, mode) {
        (Metric::RdmaPerf | Metric::Perf, Mode::Summary) => {
            let (applications, rows) = requests::summary(&mut scan, &inputs, metric, span)?;
            let window = span.seconds();
            (Content::Requests { window, applications }, rows)
        }
        (Metric::RdmaPerf | Metric::Perf, _) => {
            let (series, rows) = requests::series(&mut scan, &inputs, metric)?;
            (Content::Series(series), rows)
        }
        (_, Mode::Summary) => {
            let (columns, rows) = periodic::summary(&mut scan, metric, tier, span)?;
            let window = span.seconds();
            (Content::Fields { window, columns }, rows)
        }
        (_, Mode::Ports) => {
            let (ports, rows) = ports::ports(&mut scan, metric, tier, span)?;
            (Content::Ports(ports), rows)
        }
        (_, Mode::HeatMap) => {
            let (map, rows) = heat::heat_map(&mut scan, metric, tier)?;
            (Content::HeatMap(map), rows)
        }
        (_, Mode::TimeSeries) => {
            let (series, rows) = periodic::series(&mut scan, metric, tier, component)?;
            (Content::Series(series), rows)
        }
    };
    Ok(Data {
        metric,
        mode,
        tier,
        rows_processed,
        content,
    })
}

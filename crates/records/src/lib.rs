//! Every record's schema in one place, and the files that rows are written to.
//!
//! A [`Record`] has a [`Schema`], from which its header, its types and its documentation come, and a row struct whose
//! fields are its columns. [`RecordFiles`] writes rows to `{simulation}-{record}-{shard}.csv`:
//!
//! ```
//! use packetloom_des::time::Time;
//! use packetloom_records::{BeaconRow, Record, RecordFiles};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let mut files = RecordFiles::create(&folder.join("out"), "demo", 0, &[Record::Beacon])?;
//! files.write(&BeaconRow {
//!     sim_time_sec: Time::from_ps(3_000_000_000).into(),
//!     interval_duration_sec: Time::from_ps(1_000_000_000).into(),
//!     tx_client: 80,
//!     rx_client: 0,
//!     tx_server: 0,
//!     rx_server: 0,
//!     rx_bytes_reader: 0,
//!     rx_bytes_writer: 0,
//!     goodput_reader_MB_per_sec: 0.0,
//!     goodput_writer_MB_per_sec: 0.0,
//! })?;
//! files.flush_and_sync()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cell;
pub mod clock;
mod error;
mod file_name;
mod files;
mod format;
mod name;
#[cfg(feature = "parquet")]
mod parquet;
pub mod parse;
pub mod read;
mod run_file;
pub mod schema;
mod table;

pub use cell::{Cell, ColumnType, Gbps, Gigabytes, Megabytes, Microseconds, Nanoseconds, Seconds};
pub use error::{NO_PARQUET, ReadError, RecordsError};
pub use file_name::{FileName, Format};
pub use files::RecordFiles;
pub use format::Formats;
pub use name::check_simulation_name;
#[cfg(feature = "parquet")]
pub use parquet::write_parquet;
pub use run_file::{RunApplication, RunEnd, RunFile};
pub use schema::{
    AggBuffStatsRow, ApplicationReportRow, BeaconRow, BuffStatsRow, Column, CpuMemStatsRow, EcnPfcStatsRow,
    LoadBalancingStatsRow, NdStatsRow, NetBuffStatsRow, PcieStatsRow, PerfRow, RdmaPerfRow, Record,
    RoceTransportStatsRow, Row, Schema, TcpStatsRow, TierHopRow, TopologyReportRow, markdown_table,
};

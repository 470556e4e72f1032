//! Every record's schema, declared once.
//!
//! **Invariant: a record is declared once**, in a file of this module; its header, its types, its documentation and
//! the struct of its rows come from that declaration.

mod declare;
mod network;
mod nic;
mod rdma;
mod report;
mod switch;
mod tcp;

pub use network::{EcnPfcStatsRow, NdStatsRow, TierHopRow};
pub use nic::{NetBuffStatsRow, PcieStatsRow};
pub use rdma::{RdmaPerfRow, RoceTransportStatsRow};
pub use report::{ApplicationReportRow, BeaconRow, CpuMemStatsRow, TopologyReportRow};
pub use switch::{AggBuffStatsRow, BuffStatsRow, LoadBalancingStatsRow};
pub use tcp::{PerfRow, TcpStatsRow};

pub(crate) use declare::{record, stamp_column};

use crate::cell::{Cell, ColumnType};
use serde::Serialize;

/// One column of a record.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Column {
    /// Name in the header.
    pub name: &'static str,
    /// Kind of its values.
    #[serde(rename = "type")]
    pub column_type: ColumnType,
    /// Unit of its values; empty where there is none.
    pub unit: &'static str,
    /// What it holds.
    pub description: &'static str,
}

/// A record: its name and its columns in order.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Schema {
    /// Name, as it stands in file names.
    pub name: &'static str,
    /// What one row is about and when it is written.
    pub about: &'static str,
    /// Columns in the order of the header.
    pub columns: &'static [Column],
}

impl Schema {
    /// The header line, without its line end.
    pub fn header(&self) -> String {
        self.columns.iter().map(|c| c.name).collect::<Vec<_>>().join(",")
    }

    /// Place of the column `name`, if there is one.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Place of the column `name`. Meant for constants, so that a name that is none does not compile.
    ///
    /// # Panics
    /// When there is no such column.
    pub const fn at(&self, name: &str) -> usize {
        let mut at = 0;
        while at < self.columns.len() {
            if equal(self.columns[at].name, name) {
                return at;
            }
            at += 1;
        }
        panic!("the record has no such column")
    }
}

/// `a == b`, which cannot be said in a constant yet.
const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// What a row carries besides its own columns, as the text that goes into the file.
#[derive(Clone, Debug)]
pub struct Stamps {
    /// The simulation's name, quoted where CSV wants it.
    pub(crate) job_id: String,
    /// The wall-clock time in ISO 8601.
    pub(crate) time_utc: String,
}

impl Stamps {
    /// The stamps of simulation `simulation`; the time is filled in by the clock.
    pub(crate) fn new(simulation: &str) -> Self {
        let mut quoted = Vec::new();
        simulation.put(&mut quoted);
        Stamps {
            // Quoting text leaves it text, so nothing is replaced here.
            job_id: String::from_utf8_lossy(&quoted).into_owned(),
            time_utc: String::new(),
        }
    }
}

/// A typed row of one record.
pub trait Row {
    /// The record it belongs to.
    const RECORD: Record;
    /// That record's schema.
    const SCHEMA: &'static Schema;

    /// Appends the row with its line end to `out`.
    fn put(&self, stamps: &Stamps, out: &mut Vec<u8>);
}

/// Lists the records.
macro_rules! records {
    ($($variant:ident => $row:ident,)+) => {
        /// The records a run can write.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Record {
            $(#[doc = concat!("The record of [`", stringify!($row), "`].")] $variant,)+
        }

        impl Record {
            /// All of them, in the order of the documentation.
            pub const ALL: &'static [Record] = &[$(Record::$variant,)+];

            /// Its schema.
            pub const fn schema(self) -> &'static Schema {
                match self {
                    $(Record::$variant => $row::SCHEMA,)+
                }
            }
        }

        #[cfg(test)]
        fn rows_name_their_records() {
            $(assert_eq!(<$row as Row>::RECORD, Record::$variant);)+
        }
    };
}

records! {
    RdmaPerf => RdmaPerfRow,
    Perf => PerfRow,
    Beacon => BeaconRow,
    NdStats => NdStatsRow,
    EcnPfcStats => EcnPfcStatsRow,
    RoceTransportStats => RoceTransportStatsRow,
    TcpStats => TcpStatsRow,
    TierHop => TierHopRow,
    AggBuffStats => AggBuffStatsRow,
    BuffStats => BuffStatsRow,
    LoadBalancingStats => LoadBalancingStatsRow,
    NetBuffStats => NetBuffStatsRow,
    PcieStats => PcieStatsRow,
    ApplicationReport => ApplicationReportRow,
    TopologyReport => TopologyReportRow,
    CpuMemStats => CpuMemStatsRow,
}

impl Record {
    /// Name, as it stands in file names.
    pub const fn name(self) -> &'static str {
        self.schema().name
    }

    /// The record of that name.
    pub fn by_name(name: &str) -> Option<Record> {
        Record::ALL.iter().copied().find(|record| record.name() == name)
    }
}

/// The columns of `record` as a Markdown table.
pub fn markdown_table(record: Record) -> String {
    let mut table = String::from("| Column | Type | Unit | Holds |\n| --- | --- | --- | --- |\n");
    for column in record.schema().columns {
        table += &format!(
            "| `{}` | {} | {} | {} |\n",
            column.name,
            column.column_type.label(),
            column.unit,
            column.description
        );
    }
    table
}

#[cfg(test)]
mod tests;

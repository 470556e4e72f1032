//! What TCP connections did at their clients' ends: `tcp-stats`.

use crate::applications::text;
use crate::network::Most;
use crate::scan::{Scan, columns};
use crate::summary::Counters;
use crate::window::{Reports, Totals, Window};
use packetloom_records::{ReadError, Record};
use std::collections::BTreeMap;

/// Counters that are summed up.
const COUNTERS: usize = 4;

/// Connections by the name of their client's instance.
#[derive(Default)]
pub(crate) struct TcpConnections {
    by_name: BTreeMap<Box<[u8]>, Totals<COUNTERS>>,
    /// Its reports, which come at other times than those of ports and NICs.
    reports: Reports,
    /// Whether there is a file.
    pub read: bool,
    /// Whether its reports tell of the window.
    pub known: bool,
}

impl TcpConnections {
    pub fn read(&mut self, scan: &mut Scan<'_>, window: Window) -> Result<(), ReadError> {
        columns! { TcpStats:
            TIME = "sim_time_sec",
            NAME = "AppId",
            SEGMENTS = "TotalSegmentsTX",
            TIMEOUTS = "NumRTO",
            FAST = "NumFastRetrans",
            DUPLICATES = "DupAcksOrSacks",
        }
        /// In the order of [`TcpConnections::add_to`].
        const COLUMNS: [usize; COUNTERS] = [SEGMENTS, TIMEOUTS, FAST, DUPLICATES];
        let TcpConnections { by_name, reports, .. } = self;
        self.read = scan.rows(Record::TcpStats, WANTED, |_, row| {
            let at = row.scaled(TIME, 12)?;
            reports.take(window, at);
            let mut values = [0; COUNTERS];
            for (value, column) in values.iter_mut().zip(COLUMNS) {
                *value = row.count(column)?;
            }
            let name = row.text(NAME);
            let totals = match by_name.get_mut(name) {
                Some(totals) => totals,
                None => by_name.entry(name.into()).or_default(),
            };
            totals.take(window, at, values, row)
        })?;
        self.known = self.read && self.reports.known(window).is_some();
        Ok(())
    }

    /// Adds the counters to the others.
    pub fn add_to(&self, counters: &mut Counters) {
        if self.by_name.is_empty() {
            return;
        }
        let mut sums = [(); COUNTERS].map(|()| Most::new(self.known));
        for (name, totals) in &self.by_name {
            let (window, run) = (totals.in_window(), totals.last);
            for (n, sum) in sums.iter_mut().enumerate() {
                sum.add(window[n], run[n], &text(name));
            }
        }
        let [segments, timeouts, fast, duplicates] = sums.map(|sum| Some(sum.counter()));
        counters.tcp_segments_sent = segments;
        counters.tcp_timeouts = timeouts;
        counters.tcp_fast_retransmits = fast;
        counters.tcp_duplicate_acks = duplicates;
    }
}

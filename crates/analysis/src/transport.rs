//! What transports did: `roce-transport-stats`.

use crate::applications::text;
use crate::network::Most;
use crate::scan::{Scan, columns};
use crate::summary::Counters;
use crate::window::{Reports, Totals, Window};
use packetloom_records::{ReadError, Record};
use std::collections::BTreeMap;

/// Counters that are summed up.
const COUNTERS: usize = 8;

/// NICs by node id.
#[derive(Default)]
pub(crate) struct Transports {
    nics: BTreeMap<u64, (Box<str>, Totals<COUNTERS>)>,
    /// Whether there is a file.
    pub read: bool,
    /// Whether its reports tell of the window.
    pub known: bool,
}

impl Transports {
    pub fn read(
        &mut self,
        scan: &mut Scan<'_>,
        window: Window,
        reports: &mut Reports,
    ) -> Result<(), ReadError> {
        columns! { RoceTransportStats:
            TIME = "sim_time_sec",
            NAME = "component_name",
            NODE = "node_id",
            DATA = "num_verb_pkts_sent",
            RETRANSMISSIONS = "num_rtx",
            TIMEOUTS = "num_rto",
            NAKS_SENT = "num_nacks_sent",
            NAKS_RECEIVED = "num_nacks_recvd",
            GAPS = "num_seq_out_of_order",
            DUPLICATES = "num_duplicate",
            DISCARDED = "num_rx_drops",
        }
        /// In the order of [`Transports::add_to`].
        const COLUMNS: [usize; COUNTERS] = [
            DATA,
            RETRANSMISSIONS,
            TIMEOUTS,
            NAKS_SENT,
            NAKS_RECEIVED,
            GAPS,
            DUPLICATES,
            DISCARDED,
        ];
        let nics = &mut self.nics;
        self.read = scan.rows(Record::RoceTransportStats, WANTED, |_, row| {
            let at = row.scaled(TIME, 12)?;
            reports.take(window, at);
            let (_, totals) = nics
                .entry(row.count(NODE)?)
                .or_insert_with(|| (text(row.text(NAME)).into(), Totals::default()));
            let mut values = [0; COUNTERS];
            for (value, column) in values.iter_mut().zip(COLUMNS) {
                *value = row.count(column)?;
            }
            totals.take(window, at, values, row)
        })?;
        self.known = self.read && reports.known(window).is_some();
        Ok(())
    }

    /// Adds the counters to the others.
    pub fn add_to(&self, counters: &mut Counters) {
        if self.nics.is_empty() {
            return;
        }
        let mut sums = [(); COUNTERS].map(|()| Most::new(self.known));
        for (name, totals) in self.nics.values() {
            let (window, run) = (totals.in_window(), totals.last);
            for (n, sum) in sums.iter_mut().enumerate() {
                sum.add(window[n], run[n], name);
            }
        }
        let [
            data,
            retransmissions,
            timeouts,
            sent,
            received,
            gaps,
            duplicates,
            discarded,
        ] = sums.map(|sum| Some(sum.counter()));
        counters.data_packets_sent = data;
        counters.retransmissions = retransmissions;
        counters.timeouts = timeouts;
        counters.naks_sent = sent;
        counters.naks_received = received;
        counters.out_of_order = gaps;
        counters.duplicates = duplicates;
        counters.packets_discarded = discarded;
    }
}

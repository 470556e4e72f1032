//! Which columns of which record are of interest, and what they are.

use super::Metric;
use packetloom_records::Schema;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// A level or rate: what counts is its mean and its peak.
    Level,
    /// An amount of the interval: what counts is the sum over all.
    Amount,
    /// A total since the start: what counts is how much it rises.
    Total,
}

/// A column of interest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub column: &'static str,
    pub nature: Nature,
}

const fn level(column: &'static str) -> Field {
    Field {
        column,
        nature: Nature::Level,
    }
}

const fn amount(column: &'static str) -> Field {
    Field {
        column,
        nature: Nature::Amount,
    }
}

const fn total(column: &'static str) -> Field {
    Field {
        column,
        nature: Nature::Total,
    }
}

/// What a periodic record is divided by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub fields: &'static [Field],
    /// The column with the name of whatever a row is of.
    pub name: &'static str,
    /// The column with the number of its port, or none.
    pub port: Option<&'static str>,
    /// The column with the class, or none.
    pub class: Option<&'static str>,
    /// Whether there are the columns `tier` and `uldl`.
    pub tiers: bool,
}

const PORTS: &[Field] = &[
    level("tx_link_percent_util"),
    level("rx_link_percent_util"),
    amount("tx_rate_Gbps"),
    amount("rx_rate_Gbps"),
    amount("interval_bytes_tx_MB"),
    amount("interval_bytes_rx_MB"),
    total("total_packets_tx"),
    total("total_packets_rx"),
    total("tx_drops"),
    total("rx_drops"),
];

const PAUSES: &[Field] = &[
    amount("interval_total_time_xoff_usec"),
    level("interval_max_time_xoff_usec"),
    amount("interval_total_time_xoff_egr_occ_usec"),
    level("percent_xon"),
    total("pfc_time_paused_usec"),
    total("pfcxoff_tx"),
    total("pfcxoff_rx"),
    total("pfcxon_tx"),
    total("pfcxon_rx"),
    total("pkts_ecn_marked"),
];

const CONNECTIONS: &[Field] = &[
    level("CongestionWindow"),
    level("BytesInFlight"),
    level("RTT"),
    level("RTO"),
    amount("tx_interval_throughput_rate_MBps"),
    amount("rx_interval_throughput_rate_MBps"),
    total("NumRTO"),
    total("NumFastRetrans"),
    total("DupAcksOrSacks"),
    total("TotalSegmentsTX"),
];

const TRANSPORTS: &[Field] = &[
    level("ivl_avg_calc_rtt_usec"),
    level("ivl_max_calc_rtt_usec"),
    amount("ivl_num_pkts_sent"),
    amount("ivl_num_verb_pkts_sent"),
    amount("ivl_num_wqe_completed"),
    total("num_pkts_sent"),
    total("num_verb_pkts_sent"),
    total("num_acks_sent"),
    total("num_nacks_sent"),
    total("num_cnp_sent"),
    total("num_wqe_completed"),
    total("num_rtx"),
    total("num_rto"),
    total("num_rx_drops"),
];

/// That of a metric with periodic reports.
pub(super) fn layout(metric: Metric) -> Layout {
    match metric {
        Metric::NdStats => Layout {
            fields: PORTS,
            name: "component_name",
            port: Some("ifid"),
            class: None,
            tiers: true,
        },
        Metric::Pfc => Layout {
            fields: PAUSES,
            name: "component_name",
            port: Some("ifid"),
            class: Some("priority"),
            tiers: true,
        },
        Metric::TcpStats => Layout {
            fields: CONNECTIONS,
            name: "AppId",
            port: None,
            class: None,
            tiers: false,
        },
        // Requests have rows of their own, and are not asked for here.
        Metric::RoceTransportStats | Metric::RdmaPerf | Metric::Perf => Layout {
            fields: TRANSPORTS,
            name: "component_name",
            port: None,
            class: None,
            tiers: false,
        },
    }
}

/// The unit of a column.
pub(super) fn unit(schema: &Schema, column: &str) -> &'static str {
    schema.find(column).map_or("", |at| schema.columns[at].unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_one_of_the_record() {
        for metric in [
            Metric::NdStats,
            Metric::Pfc,
            Metric::TcpStats,
            Metric::RoceTransportStats,
        ] {
            let (layout, schema) = (layout(metric), metric.record().schema());
            let others = [Some(layout.name), layout.port, layout.class]
                .into_iter()
                .flatten();
            for column in layout.fields.iter().map(|field| field.column).chain(others) {
                assert!(schema.find(column).is_some(), "{column} of {}", metric.as_str());
            }
            for column in ["tier", "uldl"].into_iter().filter(|_| layout.tiers) {
                assert!(schema.find(column).is_some(), "{column}");
            }
        }
    }
}

//! What links and ports record.

use super::record;
use crate::cell::{Gigabytes, Megabytes, Microseconds, Seconds};

record! {
    NdStats, NdStatsRow<'a>, "nd-stats",
    about "One row for each port of a switch or NIC and report interval.",
    stamps [time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the report";
    component_name: &'a str, "", "Name of the switch or host";
    nd_name: &'a str, "", "Class of the port";
    component_type: &'a str, "", "Kind of the component, such as `Switch`";
    ifid: u64, "", "Number of the port on its component";
    uldl: &'a str, "", "`ul` for an uplink, `dl` for a downlink";
    node_id: u64, "", "Node id of the component";
    tier: u64, "", "0 spine, 1 fabric, 2 rack, 3 NIC";
    subtier: u64, "", "4294967295: not divided further";
    total_packets_tx: u64, "packets", "Packets sent since the start";
    total_packets_rx: u64, "packets", "Packets received since the start";
    total_bytes_tx_GB: Gigabytes, "GB", "Data sent since the start";
    total_bytes_rx_GB: Gigabytes, "GB", "Data received since the start";
    interval_bytes_tx_MB: Megabytes, "MB", "Data sent in the interval";
    interval_bytes_rx_MB: Megabytes, "MB", "Data received in the interval";
    tx_rate_Gbps: f64, "Gbps", "Rate of sending in the interval";
    rx_rate_Gbps: f64, "Gbps", "Rate of receiving in the interval";
    tx_link_percent_util: f64, "%", "Rate of sending as a share of the link's";
    rx_link_percent_util: f64, "%", "Rate of receiving as a share of the link's";
    tx_drops: u64, "packets", "Packets dropped on the way out since the start";
    rx_drops: u64, "packets", "Packets dropped on the way in since the start";
}

record! {
    EcnPfcStats, EcnPfcStatsRow<'a>, "ecn-pfc-stats",
    about "One row for each port of a switch or NIC, traffic class and report interval, once PFC or ECN has acted on the \
           class there. Counters are totals since the start, columns named `interval_` those of the interval.",
    stamps [job_id, time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the report";
    node_id: u64, "", "Node id of the component";
    component_name: &'a str, "", "Name of the switch or host";
    component_type: &'a str, "", "Kind of the component, such as `Switch`";
    ifid: u64, "", "Number of the port on its component";
    uldl: &'a str, "", "`ul` for an uplink, `dl` for a downlink";
    tier: u64, "", "0 spine, 1 fabric, 2 rack, 3 NIC";
    subtier: u64, "", "4294967295: not divided further";
    priority: u64, "", "Traffic class";
    pfcxoff_tx: u64, "frames", "Pause frames sent, repeated ones included";
    pfcxoff_rx: u64, "frames", "Pause frames received";
    pfcxon_tx: u64, "frames", "Resume frames sent";
    pfcxon_rx: u64, "frames", "Resume frames received";
    pfc_time_paused_usec: Microseconds, "us", "Time for which the class was paused";
    interval_total_time_xoff_usec: Microseconds, "us", "The same in the interval";
    interval_max_time_xoff_usec: Microseconds, "us", "The longest pause, as far as it lies in the interval";
    interval_total_time_xoff_egr_occ_usec: Microseconds, "us", "Time of the interval for which the class was paused and \
                                                               had a frame waiting in the port's queue";
    interval_max_time_xoff_egr_occ_usec: Microseconds, "us", "The longest stretch of that, as far as it lies in the \
                                                             interval";
    total_xoff_time_egr_occ_usec: Microseconds, "us", "Time for which the class was paused and had a frame waiting in \
                                                      the port's queue";
    percent_xon: f64, "%", "Share of the interval for which the class was not paused";
    xoff_egr_occ_ratio: f64, "", "Share of the interval's paused time for which a frame was waiting; 0 without a pause";
    pkts_ecn_marked: u64, "packets", "Packets marked by ECN";
}

record! {
    TierHop, TierHopRow, "tier-hop",
    about "One row for each report interval: how many packets the switches of each tier have sent, PFC frames left out.",
    stamps [job_id, time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the report";
    spine: u64, "packets", "Packets through spine switches since the start";
    fabric: u64, "packets", "Packets through fabric switches since the start";
    rack: u64, "packets", "Packets through rack switches since the start";
    spineInt: u64, "packets", "Packets through spine switches in the interval";
    fabricInt: u64, "packets", "Packets through fabric switches in the interval";
    rackInt: u64, "packets", "Packets through rack switches in the interval";
}

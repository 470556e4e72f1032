//! What links and ports record.

use super::record;
use crate::cell::{Gigabytes, Megabytes, Seconds};

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

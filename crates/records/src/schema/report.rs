//! What a run reports about itself: its shape at the start, its totals as it goes.

use super::record;
use crate::cell::{Gbps, Nanoseconds, Seconds};

record! {
    Beacon, BeaconRow, "beacon",
    about "One row for each report interval, with running totals of all applications of the shard.",
    stamps [job_id, time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the report";
    interval_duration_sec: Seconds, "s", "Length of the interval";
    tx_client: u64, "", "Requests posted by clients and initiators";
    rx_client: u64, "", "Requests completed at clients and initiators";
    tx_server: u64, "", "Answers sent by servers";
    rx_server: u64, "", "Requests received by servers";
    rx_bytes_reader: u64, "B", "Data received by applications that read";
    rx_bytes_writer: u64, "B", "Data received by applications that write";
    goodput_reader_MB_per_sec: f64, "MB/s", "Goodput of reading since the recording window opened, per server host";
    goodput_writer_MB_per_sec: f64, "MB/s", "Goodput of writing since the recording window opened, per server host";
}

record! {
    ApplicationReport, ApplicationReportRow<'a>, "application-report",
    about "One row for each end of each connection, written before the first event.",
    stamps [job_id, time_utc],
    component_name: &'a str, "", "Name of the host";
    node_id: u64, "", "Node id of the host";
    socket_type: &'a str, "", "`CLIENT` or `SERVER`";
    app_typeid: &'a str, "", "Class of the application";
    app_name: &'a str, "", "Name of the application's instance";
    dscp: u64, "", "DSCP codepoint of its packets";
    ect: u64, "", "1 where its packets may be marked, else 0";
    peer_node_id: u64, "", "Node id of the peer's host";
}

record! {
    TopologyReport, TopologyReportRow<'a>, "topology-report",
    about "One row for each link, written before the first event.",
    stamps [],
    component_name: &'a str, "", "Name of the component at one end";
    component_type: &'a str, "", "Its kind, such as `Switch`";
    tier: u64, "", "Its tier: 0 spine, 1 fabric, 2 rack, 3 NIC";
    subtier: u64, "", "4294967295: not divided further";
    node_id: u64, "", "Its node id";
    net_device: &'a str, "", "Class of its port";
    dev_id: u64, "", "Number of the port";
    peer_component_name: &'a str, "", "Name of the component at the other end";
    peer_component_type: &'a str, "", "Its kind";
    peer_tier: u64, "", "Its tier";
    peer_subtier: u64, "", "4294967295: not divided further";
    peer_node_id: u64, "", "Its node id";
    peer_net_device: &'a str, "", "Class of its port";
    peer_dev_id: u64, "", "Number of the port";
    linkspeed_Gbps: Gbps, "Gbps", "Rate of the link";
    prop_delay_ns: Nanoseconds, "ns", "Propagation delay of the link";
}

//! What a run reports about itself: its shape at the start, its totals and what it takes of the machine as it goes.

use super::record;
use crate::cell::{Gbps, Megabytes, Nanoseconds, Seconds};

record! {
    Beacon, BeaconRow, "beacon",
    about "One row for each report interval, with running totals of all applications of the shard.",
    stamps [job_id, time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the report";
    interval_duration_sec: Seconds, "s", "Length of the interval";
    tx_client: u64, "", "Requests that clients have handed to TCP and work requests that initiators have posted";
    rx_client: u64, "", "Replies that clients have received in full and work requests that initiators have completed";
    tx_server: u64, "", "Replies that servers have handed to TCP";
    rx_server: u64, "", "Requests that servers have received in full";
    rx_bytes_reader: u64, "B", "0: no application reads";
    rx_bytes_writer: u64, "B", "Bytes of the requests that servers have received in full in the recording window";
    goodput_reader_MB_per_sec: f64, "MB/s", "0: no application reads";
    goodput_writer_MB_per_sec: f64, "MB/s", "`rx_bytes_writer` a second of the recording window so far and a host that runs a \
                                             server of the traffic generator";
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

record! {
    CpuMemStats, CpuMemStatsRow<'a>, "cpu-mem-stats",
    about "One row for each report interval: what the simulator takes of the machine it runs on. What the machine does not \
           tell is 0.",
    stamps [job_id, time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the report";
    host_name: &'a str, "", "Name of the machine";
    pid: u64, "", "Process id of the simulator";
    core_vm_usage_M: Megabytes, "MB", "Virtual memory of the process";
    core_rss_M: Megabytes, "MB", "Resident memory of the process";
    core_vm_usage_pct: f64, "%", "Virtual memory of the process as a share of the machine's memory";
    core_rss_usage_pct: f64, "%", "Resident memory of the process as a share of the machine's memory";
    sys_total_mem_M: Megabytes, "MB", "Memory of the machine";
    sys_free_mem_M: Megabytes, "MB", "Memory that is free or can be freed at once, caches included";
    sys_used_mem_M: Megabytes, "MB", "The rest of the machine's memory";
    sys_mem_usage_pct: f64, "%", "That rest as a share of the machine's memory";
    sys_swap_usage_pct: f64, "%", "Share of the machine's swap space in use; 0 if it has none";
    user_time_ticks: u64, "ticks", "CPU time of the process in user mode, in 1/100 s";
    kernel_time_ticks: u64, "ticks", "CPU time of the process in the kernel, in 1/100 s";
    total_time_ticks: u64, "ticks", "Both";
    elapse_time_ticks: u64, "ticks", "Wall-clock time since the process started, in 1/100 s";
    user_time_pct: f64, "%", "CPU time in user mode as a share of the elapsed time";
    system_time_pct: f64, "%", "CPU time in the kernel as a share of the elapsed time";
    total_time_pct: f64, "%", "CPU time as a share of the elapsed time";
}

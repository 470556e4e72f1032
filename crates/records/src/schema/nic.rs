//! What goes on inside a NIC and on its host's PCIe link.

use super::record;
use crate::cell::{Gbps, Microseconds, Seconds};

record! {
    NetBuffStats, NetBuffStatsRow<'a>, "net-buff-stats",
    about "One row for each receive and transmit pool of a NIC and report interval.",
    stamps [job_id, time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the report";
    component_name: &'a str, "", "Name of the host";
    node_id: u64, "", "Node id of the NIC";
    buffer_id: &'a str, "", "`RX_TCn_BUFFER` for the receive pool of class n, `TX_TCn_BUFFER` for its transmit pool";
    tc: u64, "", "Traffic class";
    occupancy_B: u64, "B", "Bytes held at the report";
    max_occupancy_B: u64, "B", "Most bytes held since the start";
    buffer_max_size_B: u64, "B", "Size of the pool";
    num_enq: u64, "packets", "Packets taken in since the start";
    num_deq: u64, "packets", "Packets given back since the start";
    interval_num_enq: u64, "packets", "Packets taken in during the interval";
    interval_num_deq: u64, "packets", "Packets given back during the interval";
    interval_enq_B: u64, "B", "Bytes taken in during the interval";
    interval_deq_B: u64, "B", "Bytes given back during the interval";
    interval_max_occupancy_B: u64, "B", "Most bytes held in the interval";
    enq_Gbps: f64, "Gbps", "Rate of taking in, over the interval";
    deq_Gbps: f64, "Gbps", "Rate of giving back, over the interval";
    overflow: u64, "packets", "Packets dropped since the start because the pool could not hold them";
    percent_occupancy: f64, "%", "Bytes held at the report as a share of the size";
}

record! {
    PcieStats, PcieStatsRow<'a>, "pcie-stats",
    about "One row for each direction of the PCIe link of a host and report interval.",
    stamps [job_id, time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the report";
    component_name: &'a str, "", "Name of the host";
    node_id: u64, "", "Node id of the NIC";
    direction: &'a str, "", "`nic-to-host` or `host-to-nic`";
    link_rate_Gbps: Gbps, "Gbps", "Rate of the direction, all lanes together";
    messages: u64, "messages", "Messages that have passed since the start: writes, read requests, answers, doorbells";
    ivl_messages: u64, "messages", "The same in the interval";
    transfers: u64, "transfers", "Transfers they moved in";
    ivl_transfers: u64, "transfers", "The same in the interval";
    payload_bytes: u64, "B", "Their payload";
    ivl_payload_bytes: u64, "B", "The same in the interval";
    link_bytes: u64, "B", "Their bytes on the link: payload and the overhead of each transfer";
    ivl_link_bytes: u64, "B", "The same in the interval";
    ivl_payload_Gbps: f64, "Gbps", "Rate of the payload in the interval";
    ivl_link_percent_util: f64, "%", "Share of the interval for which the link was busy";
    link_waits: u64, "messages", "Messages that found the link busy";
    ivl_link_waits: u64, "messages", "The same in the interval";
    ivl_mean_link_wait_usec: f64, "us", "Mean wait for the link, over all messages of the interval";
    ivl_max_link_wait_usec: Microseconds, "us", "The longest wait for the link in the interval";
    buffer_stalls: u64, "messages", "Messages that found no room in the transmit buffer";
    ivl_buffer_stalls: u64, "messages", "The same in the interval";
    ivl_total_buffer_stall_usec: Microseconds, "us", "How long the messages of the interval waited for room";
    ivl_max_buffer_stall_usec: Microseconds, "us", "The longest wait for room in the interval";
    ivl_max_buffer_bytes: u64, "B", "Most payload in the transmit buffer as a message of the interval was taken in";
    buffer_size_bytes: u64, "B", "Size of the transmit buffer for payload; 0 if it holds nothing back";
    pending_messages: u64, "messages", "Messages that had yet to pass at the report";
    pending_bytes: u64, "B", "Their payload";
}

//! What goes on inside a switch: how full its buffer is, and how it spreads traffic.

use super::record;
use crate::cell::{Nanoseconds, Seconds};

record! {
    AggBuffStats, AggBuffStatsRow<'a>, "scala-switch-agg-buff-stats",
    about "One row for each switch, pool and report interval of that switch: for the queues of its uplinks and of its \
           downlinks, for what came in on its uplinks and on its downlinks, and for the pool as a whole.",
    stamps [time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the report";
    component_name: &'a str, "", "Name of the switch";
    tier: u64, "", "0 spine, 1 fabric, 2 rack";
    node_id: u64, "", "Node id of the switch";
    buff_id: &'a str, "", "`egressQueue`, `ingressUsage` or `sharedBuffer`";
    uldl: &'a str, "", "`ul` for all uplinks, `dl` for all downlinks, `-` for the pool as a whole";
    pool_num: u64, "", "Number of the pool";
    total_bytes: u64, "B", "Bytes charged since the start";
    buffer_limit: u64, "B", "Size of the pool";
    ivl_count: u64, "packets", "Packets charged in the interval";
    ivl_min_bytes: u64, "B", "Least number of bytes held at any instant of the interval";
    ivl_max_bytes: u64, "B", "Greatest number of bytes held at any instant of the interval";
    ivl_mean_bytes: f64, "B", "Bytes held, as the mean over the time of the interval";
    ivl_max_pct_util: f64, "%", "The greatest as a share of the limit";
    ivl_mean_pct_util: f64, "%", "The mean as a share of the limit";
}

record! {
    BuffStats, BuffStatsRow<'a>, "scala-switch-buff-stats",
    about "One row for each port of a switch, pool and report interval of that switch: for the port's queue, for what came \
           in on it, and for its headroom.",
    stamps [time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the report";
    component_name: &'a str, "", "Name of the switch";
    tier: u64, "", "0 spine, 1 fabric, 2 rack";
    node_id: u64, "", "Node id of the switch";
    buff_id: &'a str, "", "`egressQueue`, `ingressUsage` or `hdrm`";
    ifid: u64, "", "Number of the port on its switch";
    uldl: &'a str, "", "`ul` for an uplink, `dl` for a downlink";
    pool_num: u64, "", "Number of the pool";
    buff_limit: u64, "B", "What the port may hold of it";
    ivl_count: u64, "packets", "Packets charged in the interval";
    ivl_min_bytes: u64, "B", "Least number of bytes held at any instant of the interval";
    ivl_max_bytes: u64, "B", "Greatest number of bytes held at any instant of the interval";
    ivl_mean_bytes: f64, "B", "Bytes held, as the mean over the time of the interval";
    ivl_max_pct_util: f64, "%", "The greatest as a share of the limit, at most 100";
    ivl_mean_pct_util: f64, "%", "The mean as a share of the limit, at most 100";
}

record! {
    LoadBalancingStats, LoadBalancingStatsRow<'a>, "scala-switch-load-balancing-stats",
    about "One row for each member of an equal-cost set of a switch and report interval of that switch, and a last one at \
           the end of the run.",
    stamps [time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the report";
    component_name: &'a str, "", "Name of the switch";
    component_type: &'a str, "", "Kind of the component, such as `Switch`";
    node_id: u64, "", "Node id of the switch";
    tier: u64, "", "0 spine, 1 fabric, 2 rack";
    subtier: u64, "", "4294967295: not divided further";
    ifid: u64, "", "The member: number of the port it starts on";
    ecmp_group_id: u64, "", "The set: its number in the order in which the switch first saw its sets, from 0";
    ecmp_group_ifids: &'a str, "", "Ports of all members of the set, joined by `;`";
    group_size: u64, "", "Number of members of the set";
    group_formed_ns: Nanoseconds, "ns", "Simulated time at which the first packet took the set";
    flow_table_slots: u64, "", "Flow slots of the set; 0 where the hash alone decides";
    bytes: u64, "B", "Bytes on the wire of the packets admitted to the member since the start";
    ivl_bytes: u64, "B", "The same in the interval";
    packets: u64, "packets", "Packets admitted to the member since the start";
    ivl_packets: u64, "packets", "The same in the interval";
    assignments: u64, "flows", "Flows assigned to the member when their slot was empty, since the start";
    ivl_assignments: u64, "flows", "The same in the interval";
    movements_in: u64, "flows", "Flows moved to the member since the start";
    ivl_movements_in: u64, "flows", "The same in the interval";
    movements_out: u64, "flows", "Flows moved away from the member since the start";
    ivl_movements_out: u64, "flows", "The same in the interval";
    ivl_share: f64, "", "The member's share of the set's bytes in the interval; 0 without any";
    paused_skips: u64, "", "Decisions that passed the member over because PFC had paused it, since the start";
    ivl_paused_skips: u64, "", "The same in the interval";
    paused_selections: u64, "", "Decisions for the member while PFC had paused it, since the start";
    ivl_paused_selections: u64, "", "The same in the interval";
}

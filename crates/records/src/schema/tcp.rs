//! What the traffic generator's transactions and the TCP connections that carry them record.

use super::record;
use crate::cell::{Gigabytes, Microseconds, Seconds};

record! {
    Perf, PerfRow<'a>, "perf",
    about "One row for each transaction whose reply completes in the recording window, written when the reply's last byte \
           reaches the client.",
    stamps [job_id, time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the completion";
    metric_name: &'a str, "", "The client's `ServerType`";
    perf_metric_usec: Microseconds, "us", "From the generation of the request to the arrival of the last byte of the reply";
    metric_path: f64, "", "`NAN`";
    metric_aggregation_id: f64, "", "`NAN`";
    node_id: u64, "", "Node id of the client's host";
    transaction_number: u64, "", "Number of the transaction on its connection, from 0";
    start_time_sec: Seconds, "s", "Simulated time at which the client generated the request";
    transfer_size_b: f64, "B", "`NAN`";
    application_name: &'a str, "", "Name of the connection's client instance";
}

record! {
    TcpStats, TcpStatsRow<'a>, "tcp-stats",
    about "One row for each client connection of the traffic generator and report interval, the first one interval after the \
           first connection starts. Windows and counters are those of the client's end.",
    stamps [job_id, time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the report";
    AppId: &'a str, "", "Name of the connection's client instance";
    Type: &'a str, "", "`CLIENT`";
    CongestionWindow: u64, "B", "Congestion window";
    CongestionWindowInflated: u64, "B", "What may be in flight now: in recovery what the proportional reduction lets go, else the \
                                         congestion window";
    RWND: u64, "B", "Receive window the peer offers";
    AdvWND: u64, "B", "Receive window offered to the peer";
    BytesInFlight: u64, "B", "Data sent and neither acknowledged, nor selectively acknowledged, nor held to be lost";
    SlowStartThreshold: u64, "B", "Slow start threshold; 4294967295 before the first loss";
    RTO: Microseconds, "us", "Retransmission timeout";
    RTT: Microseconds, "us", "Smoothed round-trip time; 0 before the first sample";
    State: &'a str, "", "State of the connection: `CLOSED`, `LISTEN`, `SYN_SENT`, `SYN_RCVD` or `ESTABLISHED`";
    CongState: &'a str, "", "State of congestion control: `OPEN`, `DISORDER`, `CWR`, `RECOVERY` or `LOSS`";
    NACKSRecvd: u64, "segments", "Segments received that selectively acknowledge data beyond a gap";
    TotalSegmentsTX: u64, "segments", "Segments sent, of every kind";
    OPEN: u64, "", "Times congestion control came to be in OPEN";
    DISORDER: u64, "", "Times in DISORDER: duplicate acknowledgements, too few to tell a loss";
    CWR: u64, "", "Times in CWR: 0, as no window is reduced without a loss";
    RECOVERY: u64, "", "Times in RECOVERY: a loss is repaired by fast retransmission";
    LOSS: u64, "", "Times in LOSS: repair after a retransmission timeout";
    NumRTO: u64, "", "Retransmission timeouts";
    NumFastRetrans: u64, "", "Fast retransmissions: losses found by duplicate or selective acknowledgements";
    DupAcksOrSacks: u64, "segments", "Duplicate acknowledgements received, those with SACK blocks included";
    total_bytes_tx_GB: Gigabytes, "GB", "Payload sent since the start of the connection, retransmissions included";
    tx_interval_throughput_rate_MBps: f64, "MB/s", "Payload sent in the interval";
    total_bytes_rx_GB: Gigabytes, "GB", "Payload received since the start of the connection, what came again included";
    rx_interval_throughput_rate_MBps: f64, "MB/s", "Payload received in the interval";
}

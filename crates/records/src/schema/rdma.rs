//! What RDMA work requests and the NICs that carry them record.

use super::record;
use crate::cell::{Microseconds, Seconds};

record! {
    RdmaPerf, RdmaPerfRow<'a>, "rdma-perf",
    about "One row for each work request that completes, written when its completion reaches the initiator.",
    stamps [job_id, time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the completion";
    metric_name: &'a str, "", "`RDMA-WRITE`";
    perf_metric_usec: Microseconds, "us", "From the posting of the doorbell to the completion";
    transfer_size: u64, "B", "Payload of the work request";
    start_time_sec: Seconds, "s", "Simulated time at which the doorbell was posted";
    application_name: &'a str, "", "Name of the connection's initiator instance";
    node_id: u64, "", "Node id of the initiator's host";
    rdma_verb: &'a str, "", "`RDMA_VERB_POST_WRITE`";
    wqe_id: u64, "", "Number of the work request on its connection, from 1";
    num_wqe_sent: u64, "", "Work requests the connection had posted before it replaced this one";
    num_wqe_complete: u64, "", "Work requests the connection has completed, this one included";
}

record! {
    RoceTransportStats, RoceTransportStatsRow<'a>, "roce-transport-stats",
    about "One row for each RoCE NIC and report interval. Columns named `ivl_` count the interval, the others the run.",
    stamps [time_utc],
    sim_time_sec: Seconds, "s", "Simulated time of the report";
    component_name: &'a str, "", "Name of the host";
    node_id: u64, "", "Node id of the NIC";
    num_pkts_sent: u64, "packets", "Packets sent, of every kind";
    ivl_num_pkts_sent: u64, "packets", "The same in the interval";
    num_verb_pkts_sent: u64, "packets", "Data packets sent";
    ivl_num_verb_pkts_sent: u64, "packets", "The same in the interval";
    num_non_verb_pkts_sent: u64, "packets", "Control packets sent: ACKs, NAKs, congestion notifications, connection setup";
    ivl_num_non_verb_pkts_sent: u64, "packets", "The same in the interval";
    num_conn_pkts_sent: u64, "packets", "Packets of connection setup sent";
    ivl_num_conn_pkts_sent: u64, "packets", "The same in the interval";
    num_conn_pkts_recvd: u64, "packets", "Packets of connection setup received";
    ivl_num_conn_pkts_recvd: u64, "packets", "The same in the interval";
    rdma_write_cnt: u64, "packets", "Data packets of RDMA WRITEs sent, again or not";
    ivl_rdma_write_cnt: u64, "packets", "The same in the interval";
    rdma_send_cnt: u64, "packets", "Data packets of RDMA SENDs sent, again or not";
    ivl_rdma_send_cnt: u64, "packets", "The same in the interval";
    rdma_atomic_cnt: u64, "packets", "Packets of RDMA atomics sent, again or not";
    ivl_rdma_atomic_cnt: u64, "packets", "The same in the interval";
    num_acks_sent: u64, "packets", "ACKs sent";
    ivl_num_acks_sent: u64, "packets", "The same in the interval";
    num_acks_recvd: u64, "packets", "ACKs received";
    ivl_num_acks_recvd: u64, "packets", "The same in the interval";
    num_sacks_sent: u64, "packets", "Selective ACKs sent";
    ivl_num_sacks_sent: u64, "packets", "The same in the interval";
    num_sacks_recvd: u64, "packets", "Selective ACKs received";
    ivl_num_sacks_recvd: u64, "packets", "The same in the interval";
    num_nacks_sent: u64, "packets", "NAKs sent";
    ivl_num_nacks_sent: u64, "packets", "The same in the interval";
    num_nacks_recvd: u64, "packets", "NAKs received";
    ivl_num_nacks_recvd: u64, "packets", "The same in the interval";
    num_writes_recvd: u64, "packets", "Data packets of RDMA WRITEs received";
    ivl_num_writes_recvd: u64, "packets", "The same in the interval";
    num_sends_recvd: u64, "packets", "Data packets of RDMA SENDs received";
    ivl_num_sends_recvd: u64, "packets", "The same in the interval";
    num_cnp_sent: u64, "packets", "Congestion notifications sent";
    ivl_num_cnp_sent: u64, "packets", "The same in the interval";
    num_cnp_recvd: u64, "packets", "Congestion notifications received";
    ivl_num_cnp_recvd: u64, "packets", "The same in the interval";
    num_seq_out_of_order: u64, "", "Gaps in the sequence numbers of arriving packets, each answered with a NAK";
    ivl_num_seq_out_of_order: u64, "", "The same in the interval";
    num_duplicate: u64, "packets", "Packets that arrived again";
    ivl_num_duplicate: u64, "packets", "The same in the interval";
    ivl_min_size_reorder_buf_psn: u64, "packets", "Least size of the reorder buffer in the interval";
    max_size_reorder_buf_psn: u64, "packets", "Greatest size of the reorder buffer";
    ivl_max_size_reorder_buf_psn: u64, "packets", "The same in the interval";
    avg_size_reorder_buf_psn: f64, "packets", "Mean size of the reorder buffer";
    ivl_avg_size_reorder_buf_psn: f64, "packets", "The same in the interval";
    num_wqe_created: u64, "", "Work requests created";
    ivl_num_wqe_created: u64, "", "The same in the interval";
    num_wqe_completed: u64, "", "Work requests completed";
    ivl_num_wqe_completed: u64, "", "The same in the interval";
    num_rtx: u64, "", "Retransmissions: one for each NAK received and each timeout";
    ivl_num_rtx: u64, "", "The same in the interval";
    num_rto: u64, "", "Retransmission timeouts";
    ivl_num_rto: u64, "", "The same in the interval";
    ivl_min_calc_rtt_usec: Microseconds, "us", "Least round-trip time in the interval; 0 without a sample";
    max_calc_rtt_usec: Microseconds, "us", "Greatest round-trip time";
    ivl_max_calc_rtt_usec: Microseconds, "us", "The same in the interval";
    avg_calc_rtt_usec: f64, "us", "Mean round-trip time";
    ivl_avg_calc_rtt_usec: f64, "us", "The same in the interval";
    num_rx_drops: u64, "packets", "Received packets the transport discarded: the sum of the next four reasons";
    ivl_num_rx_drops: u64, "packets", "The same in the interval";
    num_rx_drops_no_qp_data: u64, "packets", "Data packets for which there is no queue pair";
    ivl_num_rx_drops_no_qp_data: u64, "packets", "The same in the interval";
    num_rx_drops_no_qp_ctrl: u64, "packets", "Control packets for which there is no queue pair";
    ivl_num_rx_drops_no_qp_ctrl: u64, "packets", "The same in the interval";
    num_rx_drops_after_nak: u64, "packets", "Packets behind a gap, the one that caused the NAK included";
    ivl_num_rx_drops_after_nak: u64, "packets", "The same in the interval";
    num_rx_drops_ghost_ack: u64, "packets", "ACKs and NAKs of packets that were never sent";
    ivl_num_rx_drops_ghost_ack: u64, "packets", "The same in the interval";
    num_tx_payload_discards: u64, "", "Fetched payload segments that a rewind made useless before they got a number";
    ivl_num_tx_payload_discards: u64, "", "The same in the interval";
}

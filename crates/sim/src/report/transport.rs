//! Rows about the transport of the NICs.

use super::Reporter;
use crate::assemble::Layout;
use crate::host::System;
use crate::observe::Observer;
use packetloom_des::queue::Queue;
use packetloom_des::{Engine, Time};
use packetloom_fabric::topology::Endpoint;
use packetloom_nic::roce::TransportStats;
use packetloom_records::{Microseconds, Record, RecordsError, RoceTransportStatsRow, Seconds};

impl Reporter {
    /// Rows of `roce-transport-stats` for every RoCE NIC.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn transport_stats<Q: Queue>(
        &mut self,
        at: Time,
        layout: &Layout,
        engine: &mut Engine<System, Q, Observer>,
    ) -> Result<(), RecordsError> {
        if !self.files.writes(Record::RoceTransportStats) {
            return Ok(());
        }
        self.files.tick();
        for (index, host) in layout.topology.hosts.iter().enumerate() {
            let engine_node = layout.topology.engine_node(Endpoint::Host(index as u32));
            let Some(node) = engine.node_mut(engine_node).as_rdma_mut() else {
                continue;
            };
            let now = node.nic_mut().report_stats();
            let before = std::mem::replace(&mut self.transports[index], now);
            self.files.write(&transport_row(
                at,
                &host.name,
                host.nic_node as u64,
                &now,
                &before,
            ))?;
        }
        Ok(())
    }
}

/// A row of `roce-transport-stats`: totals, and what came since the last report.
fn transport_row<'a>(
    at: Time,
    name: &'a str,
    node_id: u64,
    now: &TransportStats,
    before: &TransportStats,
) -> RoceTransportStatsRow<'a> {
    let sent = now.data_sent + now.control_sent();
    let sent_before = before.data_sent + before.control_sent();
    RoceTransportStatsRow {
        sim_time_sec: Seconds::from_ps(at.ps()),
        component_name: name,
        node_id,
        num_pkts_sent: sent,
        ivl_num_pkts_sent: sent - sent_before,
        num_verb_pkts_sent: now.data_sent,
        ivl_num_verb_pkts_sent: now.data_sent - before.data_sent,
        num_non_verb_pkts_sent: now.control_sent(),
        ivl_num_non_verb_pkts_sent: now.control_sent() - before.control_sent(),
        num_conn_pkts_sent: now.connection_sent,
        ivl_num_conn_pkts_sent: now.connection_sent - before.connection_sent,
        num_conn_pkts_recvd: now.connection_received,
        ivl_num_conn_pkts_recvd: now.connection_received - before.connection_received,
        rdma_write_cnt: now.data_sent,
        ivl_rdma_write_cnt: now.data_sent - before.data_sent,
        rdma_send_cnt: 0,
        ivl_rdma_send_cnt: 0,
        rdma_atomic_cnt: 0,
        ivl_rdma_atomic_cnt: 0,
        num_acks_sent: now.acks_sent,
        ivl_num_acks_sent: now.acks_sent - before.acks_sent,
        num_acks_recvd: now.acks_received,
        ivl_num_acks_recvd: now.acks_received - before.acks_received,
        num_sacks_sent: 0,
        ivl_num_sacks_sent: 0,
        num_sacks_recvd: 0,
        ivl_num_sacks_recvd: 0,
        num_nacks_sent: now.naks_sent,
        ivl_num_nacks_sent: now.naks_sent - before.naks_sent,
        num_nacks_recvd: now.naks_received,
        ivl_num_nacks_recvd: now.naks_received - before.naks_received,
        num_writes_recvd: now.data_received,
        ivl_num_writes_recvd: now.data_received - before.data_received,
        num_sends_recvd: 0,
        ivl_num_sends_recvd: 0,
        num_cnp_sent: now.cnps_sent,
        ivl_num_cnp_sent: now.cnps_sent - before.cnps_sent,
        num_cnp_recvd: now.cnps_received,
        ivl_num_cnp_recvd: now.cnps_received - before.cnps_received,
        num_seq_out_of_order: now.out_of_order,
        ivl_num_seq_out_of_order: now.out_of_order - before.out_of_order,
        num_duplicate: now.duplicates,
        ivl_num_duplicate: now.duplicates - before.duplicates,
        ivl_min_size_reorder_buf_psn: 0,
        max_size_reorder_buf_psn: 0,
        ivl_max_size_reorder_buf_psn: 0,
        avg_size_reorder_buf_psn: 0.0,
        ivl_avg_size_reorder_buf_psn: 0.0,
        num_wqe_created: now.work_requests,
        ivl_num_wqe_created: now.work_requests - before.work_requests,
        num_wqe_completed: now.completed,
        ivl_num_wqe_completed: now.completed - before.completed,
        num_rtx: now.retransmissions,
        ivl_num_rtx: now.retransmissions - before.retransmissions,
        num_rto: now.timeouts,
        ivl_num_rto: now.timeouts - before.timeouts,
        ivl_min_calc_rtt_usec: Microseconds::from_ps(now.interval_round_trips.min().ps()),
        max_calc_rtt_usec: Microseconds::from_ps(now.round_trips.max().ps()),
        ivl_max_calc_rtt_usec: Microseconds::from_ps(now.interval_round_trips.max().ps()),
        avg_calc_rtt_usec: now.round_trips.mean_us(),
        ivl_avg_calc_rtt_usec: now.interval_round_trips.mean_us(),
        num_rx_drops: now.receive_drops(),
        ivl_num_rx_drops: now.receive_drops() - before.receive_drops(),
        num_rx_drops_no_qp_data: now.no_queue_pair_data,
        ivl_num_rx_drops_no_qp_data: now.no_queue_pair_data - before.no_queue_pair_data,
        num_rx_drops_no_qp_ctrl: now.no_queue_pair_control,
        ivl_num_rx_drops_no_qp_ctrl: now.no_queue_pair_control - before.no_queue_pair_control,
        num_rx_drops_after_nak: now.after_nak,
        ivl_num_rx_drops_after_nak: now.after_nak - before.after_nak,
        num_rx_drops_ghost_ack: now.ghost_acks,
        ivl_num_rx_drops_ghost_ack: now.ghost_acks - before.ghost_acks,
        num_tx_payload_discards: now.payload_discards,
        ivl_num_tx_payload_discards: now.payload_discards - before.payload_discards,
    }
}

use super::*;
use crate::cell::Microseconds;

/// The documented headers, letter by letter.
const HEADERS: &[(&str, &str)] = &[
    (
        "rdma-perf",
        "job_id,time_utc,sim_time_sec,metric_name,perf_metric_usec,transfer_size,start_time_sec,application_name,\
         node_id,rdma_verb,wqe_id,num_wqe_sent,num_wqe_complete",
    ),
    (
        "perf",
        "job_id,time_utc,sim_time_sec,metric_name,perf_metric_usec,metric_path,metric_aggregation_id,node_id,\
         transaction_number,start_time_sec,transfer_size_b,application_name",
    ),
    (
        "beacon",
        "job_id,time_utc,sim_time_sec,interval_duration_sec,tx_client,rx_client,tx_server,rx_server,rx_bytes_reader,\
         rx_bytes_writer,goodput_reader_MB_per_sec,goodput_writer_MB_per_sec",
    ),
    (
        "nd-stats",
        "time_utc,sim_time_sec,component_name,nd_name,component_type,ifid,uldl,node_id,tier,subtier,total_packets_tx,\
         total_packets_rx,total_bytes_tx_GB,total_bytes_rx_GB,interval_bytes_tx_MB,interval_bytes_rx_MB,tx_rate_Gbps,\
         rx_rate_Gbps,tx_link_percent_util,rx_link_percent_util,tx_drops,rx_drops",
    ),
    (
        "ecn-pfc-stats",
        "job_id,time_utc,sim_time_sec,node_id,component_name,component_type,ifid,uldl,tier,subtier,priority,\
         pfcxoff_tx,pfcxoff_rx,pfcxon_tx,pfcxon_rx,pfc_time_paused_usec,interval_total_time_xoff_usec,\
         interval_max_time_xoff_usec,interval_total_time_xoff_egr_occ_usec,interval_max_time_xoff_egr_occ_usec,\
         total_xoff_time_egr_occ_usec,percent_xon,xoff_egr_occ_ratio,pkts_ecn_marked",
    ),
    (
        "roce-transport-stats",
        "time_utc,sim_time_sec,component_name,node_id,num_pkts_sent,ivl_num_pkts_sent,num_verb_pkts_sent,\
         ivl_num_verb_pkts_sent,num_non_verb_pkts_sent,ivl_num_non_verb_pkts_sent,num_conn_pkts_sent,\
         ivl_num_conn_pkts_sent,num_conn_pkts_recvd,ivl_num_conn_pkts_recvd,rdma_write_cnt,ivl_rdma_write_cnt,\
         rdma_send_cnt,ivl_rdma_send_cnt,rdma_atomic_cnt,ivl_rdma_atomic_cnt,num_acks_sent,ivl_num_acks_sent,\
         num_acks_recvd,ivl_num_acks_recvd,num_sacks_sent,ivl_num_sacks_sent,num_sacks_recvd,ivl_num_sacks_recvd,\
         num_nacks_sent,ivl_num_nacks_sent,num_nacks_recvd,ivl_num_nacks_recvd,num_writes_recvd,\
         ivl_num_writes_recvd,num_sends_recvd,ivl_num_sends_recvd,num_cnp_sent,ivl_num_cnp_sent,num_cnp_recvd,\
         ivl_num_cnp_recvd,num_seq_out_of_order,ivl_num_seq_out_of_order,num_duplicate,ivl_num_duplicate,\
         ivl_min_size_reorder_buf_psn,max_size_reorder_buf_psn,ivl_max_size_reorder_buf_psn,\
         avg_size_reorder_buf_psn,ivl_avg_size_reorder_buf_psn,num_wqe_created,ivl_num_wqe_created,\
         num_wqe_completed,ivl_num_wqe_completed,num_rtx,ivl_num_rtx,num_rto,ivl_num_rto,ivl_min_calc_rtt_usec,\
         max_calc_rtt_usec,ivl_max_calc_rtt_usec,avg_calc_rtt_usec,ivl_avg_calc_rtt_usec,num_rx_drops,\
         ivl_num_rx_drops,num_rx_drops_no_qp_data,ivl_num_rx_drops_no_qp_data,num_rx_drops_no_qp_ctrl,\
         ivl_num_rx_drops_no_qp_ctrl,num_rx_drops_after_nak,ivl_num_rx_drops_after_nak,num_rx_drops_ghost_ack,\
         ivl_num_rx_drops_ghost_ack,num_tx_payload_discards,ivl_num_tx_payload_discards",
    ),
    (
        "tcp-stats",
        "job_id,time_utc,sim_time_sec,AppId,Type,CongestionWindow,CongestionWindowInflated,RWND,AdvWND,BytesInFlight,\
         SlowStartThreshold,RTO,RTT,State,CongState,NACKSRecvd,TotalSegmentsTX,OPEN,DISORDER,CWR,RECOVERY,LOSS,NumRTO,\
         NumFastRetrans,DupAcksOrSacks,total_bytes_tx_GB,tx_interval_throughput_rate_MBps,total_bytes_rx_GB,\
         rx_interval_throughput_rate_MBps",
    ),
    (
        "tier-hop",
        "job_id,time_utc,sim_time_sec,spine,fabric,rack,spineInt,fabricInt,rackInt",
    ),
    (
        "scala-switch-agg-buff-stats",
        "time_utc,sim_time_sec,component_name,tier,node_id,buff_id,uldl,pool_num,total_bytes,buffer_limit,ivl_count,\
         ivl_min_bytes,ivl_max_bytes,ivl_mean_bytes,ivl_max_pct_util,ivl_mean_pct_util",
    ),
    (
        "scala-switch-buff-stats",
        "time_utc,sim_time_sec,component_name,tier,node_id,buff_id,ifid,uldl,pool_num,buff_limit,ivl_count,\
         ivl_min_bytes,ivl_max_bytes,ivl_mean_bytes,ivl_max_pct_util,ivl_mean_pct_util",
    ),
    (
        "scala-switch-load-balancing-stats",
        "time_utc,sim_time_sec,component_name,component_type,node_id,tier,subtier,ifid,ecmp_group_id,\
         ecmp_group_ifids,group_size,group_formed_ns,flow_table_slots,bytes,ivl_bytes,packets,ivl_packets,\
         assignments,ivl_assignments,movements_in,ivl_movements_in,movements_out,ivl_movements_out,ivl_share,\
         paused_skips,ivl_paused_skips,paused_selections,ivl_paused_selections",
    ),
    (
        "net-buff-stats",
        "job_id,time_utc,sim_time_sec,component_name,node_id,buffer_id,tc,occupancy_B,max_occupancy_B,\
         buffer_max_size_B,num_enq,num_deq,interval_num_enq,interval_num_deq,interval_enq_B,interval_deq_B,\
         interval_max_occupancy_B,enq_Gbps,deq_Gbps,overflow,percent_occupancy",
    ),
    (
        "pcie-stats",
        "job_id,time_utc,sim_time_sec,component_name,node_id,direction,link_rate_Gbps,messages,ivl_messages,\
         transfers,ivl_transfers,payload_bytes,ivl_payload_bytes,link_bytes,ivl_link_bytes,ivl_payload_Gbps,\
         ivl_link_percent_util,link_waits,ivl_link_waits,ivl_mean_link_wait_usec,ivl_max_link_wait_usec,\
         buffer_stalls,ivl_buffer_stalls,ivl_total_buffer_stall_usec,ivl_max_buffer_stall_usec,\
         ivl_max_buffer_bytes,buffer_size_bytes,pending_messages,pending_bytes",
    ),
    (
        "application-report",
        "job_id,time_utc,component_name,node_id,socket_type,app_typeid,app_name,dscp,ect,peer_node_id",
    ),
    (
        "topology-report",
        "component_name,component_type,tier,subtier,node_id,net_device,dev_id,peer_component_name,\
         peer_component_type,peer_tier,peer_subtier,peer_node_id,peer_net_device,peer_dev_id,linkspeed_Gbps,\
         prop_delay_ns",
    ),
    (
        "cpu-mem-stats",
        "job_id,time_utc,sim_time_sec,host_name,pid,core_vm_usage_M,core_rss_M,core_vm_usage_pct,core_rss_usage_pct,\
         sys_total_mem_M,sys_free_mem_M,sys_used_mem_M,sys_mem_usage_pct,sys_swap_usage_pct,user_time_ticks,\
         kernel_time_ticks,total_time_ticks,elapse_time_ticks,user_time_pct,system_time_pct,total_time_pct",
    ),
];

#[test]
fn headers_are_the_documented_ones() {
    let declared: Vec<(&str, String)> = Record::ALL
        .iter()
        .map(|r| (r.name(), r.schema().header()))
        .collect();
    let documented: Vec<(&str, String)> = HEADERS
        .iter()
        .map(|&(name, header)| (name, header.to_owned()))
        .collect();
    assert_eq!(declared, documented);
}

#[test]
fn rows_and_records_agree() {
    rows_name_their_records();
    for &record in Record::ALL {
        assert_eq!(Record::by_name(record.name()), Some(record));
    }
    assert_eq!(Record::by_name("no-such-record"), None);
}

#[test]
fn every_column_is_described() {
    for &record in Record::ALL {
        for column in record.schema().columns {
            assert!(
                !column.description.is_empty(),
                "{}: {}",
                record.name(),
                column.name
            );
            assert!(!column.description.contains('|') && !column.description.contains('\n'));
        }
    }
}

#[test]
fn the_example_row_of_nd_stats_comes_out() {
    use packetloom_des::time::{Bytes, Time};
    let row = NdStatsRow {
        sim_time_sec: Time::from_ps(3_000_000_000).into(),
        component_name: "ScalaFabricSwitch-0-0-0-0-1-0",
        nd_name: "scala_switch::ScalaSwitchEthNetDevice",
        component_type: "Switch",
        ifid: 0,
        uldl: "dl",
        node_id: 0,
        tier: 1,
        subtier: 4_294_967_295,
        total_packets_tx: 115,
        total_packets_rx: 112,
        total_bytes_tx_GB: Bytes(73_062).into(),
        total_bytes_rx_GB: Bytes(74_146).into(),
        interval_bytes_tx_MB: Bytes(73_062).into(),
        interval_bytes_rx_MB: Bytes(74_146).into(),
        tx_rate_Gbps: 0.584496,
        rx_rate_Gbps: 0.593168,
        tx_link_percent_util: 0.073062,
        rx_link_percent_util: 0.074146,
        tx_drops: 0,
        rx_drops: 0,
    };
    let stamps = Stamps {
        time_utc: "2026-01-13T19:11:38Z".to_owned(),
        ..Stamps::new("example")
    };
    let mut out = Vec::new();
    row.put(&stamps, &mut out);
    // The same numbers as documented; the totals in GB are written out instead of as 7.3062e-05.
    assert_eq!(
        String::from_utf8(out).expect("text"),
        "2026-01-13T19:11:38Z,0.003,ScalaFabricSwitch-0-0-0-0-1-0,scala_switch::ScalaSwitchEthNetDevice,Switch,0,dl,0,\
         1,4294967295,115,112,0.000073062,0.000074146,0.073062,0.074146,0.584496,0.593168,0.073062,0.074146,0,0\n"
    );
}

#[test]
fn the_example_row_of_perf_comes_out() {
    let row = PerfRow {
        sim_time_sec: packetloom_des::time::Time::from_ps(5_000_190_000).into(),
        metric_name: "ScalaApp",
        perf_metric_usec: Microseconds::from_ps(2_831_170),
        metric_path: f64::NAN,
        metric_aggregation_id: f64::NAN,
        node_id: 478,
        transaction_number: 4,
        start_time_sec: packetloom_des::time::Time::from_ps(4_997_360_000).into(),
        transfer_size_b: f64::NAN,
        application_name: "TrafficGeneratorClient-P:0-R:3-S:24-R:0-C:0-1554",
    };
    let stamps = Stamps {
        time_utc: "2026-01-13T19:11:40Z".to_owned(),
        ..Stamps::new("example")
    };
    let mut out = Vec::new();
    row.put(&stamps, &mut out);
    assert_eq!(
        String::from_utf8(out).expect("text"),
        "example,2026-01-13T19:11:40Z,0.00500019,ScalaApp,2.83117,NAN,NAN,478,4,0.00499736,NAN,\
         TrafficGeneratorClient-P:0-R:3-S:24-R:0-C:0-1554\n"
    );
}

#[test]
fn the_example_row_of_tier_hop_comes_out() {
    let row = TierHopRow {
        sim_time_sec: packetloom_des::time::Time::from_ps(3_000_000_000).into(),
        spine: 0,
        fabric: 18_137,
        rack: 42_672,
        spineInt: 0,
        fabricInt: 18_137,
        rackInt: 42_672,
    };
    let stamps = Stamps {
        time_utc: "2026-01-13T19:11:39Z".to_owned(),
        ..Stamps::new("example")
    };
    let mut out = Vec::new();
    row.put(&stamps, &mut out);
    assert_eq!(
        String::from_utf8(out).expect("text"),
        "example,2026-01-13T19:11:39Z,0.003,0,18137,42672,0,18137,42672\n"
    );
}

#[test]
fn the_example_row_of_the_buffer_record_comes_out() {
    // Percentages as documented: of 213,308,112 B, to the six digits printed there.
    let row = AggBuffStatsRow {
        sim_time_sec: packetloom_des::time::Time::from_ps(3_000_000_000).into(),
        component_name: "ScalaFabricSwitch-0-0-0-0-1-0",
        tier: 1,
        node_id: 0,
        buff_id: "egressQueue",
        uldl: "dl",
        pool_num: 0,
        total_bytes: 8_856_181,
        buffer_limit: 213_308_112,
        ivl_count: 18_114,
        ivl_min_bytes: 0,
        ivl_max_bytes: 5_530,
        ivl_mean_bytes: 488.914,
        ivl_max_pct_util: 0.00259249,
        ivl_mean_pct_util: 0.000229205,
    };
    let stamps = Stamps {
        time_utc: "2026-01-13T19:11:39Z".to_owned(),
        ..Stamps::new("example")
    };
    let mut out = Vec::new();
    row.put(&stamps, &mut out);
    assert_eq!(
        String::from_utf8(out).expect("text"),
        "2026-01-13T19:11:39Z,0.003,ScalaFabricSwitch-0-0-0-0-1-0,1,0,egressQueue,dl,0,8856181,213308112,18114,0,5530,\
         488.914,0.00259249,0.000229205\n"
    );
    // They are percent, whatever the page calls them.
    assert!((5_530.0 / 213_308_112.0 * 100.0 - row.ivl_max_pct_util).abs() < 5e-9);
}

#[test]
fn the_table_for_the_documentation_has_a_line_a_column() {
    let table = markdown_table(Record::RdmaPerf);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 2 + Record::RdmaPerf.schema().columns.len());
    assert_eq!(lines[2], "| `job_id` | text |  | Name of the simulation |");
    assert_eq!(
        lines[6],
        "| `perf_metric_usec` | exact decimal | us | From the posting of the doorbell to the completion |"
    );
}

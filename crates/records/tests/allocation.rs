//! Writing rows allocates nothing once the files are open.

use packetloom_des::time::{Span, Time};
use packetloom_records::{NdStatsRow, RdmaPerfRow, Record, RecordFiles};
#[test]
fn rows_do_not_allocate() {
    let temp = tempfile::tempdir().expect("a folder");
    let mut files =
        RecordFiles::create(temp.path(), "demo", 0, &[Record::RdmaPerf, Record::NdStats]).expect("created");
    let allocated = allocation_counter::measure(|| write(&mut files));
    // A new second costs two short strings; nothing else may allocate in 40,000 rows.
    assert!(allocated.count_total <= 6 * 60, "{allocated:?}");
}

fn write(files: &mut RecordFiles) {
    for n in 0..20_000u64 {
        // Between two ticks; a tick allocates when the second has changed.
        if n % 50 == 0 {
            files.tick();
        }
        files
            .write(&RdmaPerfRow {
                sim_time_sec: Time::from_ps(5_000_190_000 + n).into(),
                metric_name: "RDMA-WRITE",
                perf_metric_usec: Span::from_ps(2_831_170 + n).into(),
                transfer_size: 250_000,
                start_time_sec: Time::from_ps(4_997_360_000).into(),
                application_name: "RdmaInitiator-P:0-R:3-S:24-R:0-C:0-1554",
                node_id: 478,
                rdma_verb: "RDMA_VERB_POST_WRITE",
                wqe_id: n,
                num_wqe_sent: n + 10,
                num_wqe_complete: n,
            })
            .expect("written");
        files
            .write(&NdStatsRow {
                sim_time_sec: Time::from_ps(3_000_000_000).into(),
                component_name: "ScalaFabricSwitch-0-0-0-0-1-0",
                nd_name: "scala_switch::ScalaSwitchEthNetDevice",
                component_type: "Switch",
                ifid: n,
                uldl: "dl",
                node_id: 0,
                tier: 1,
                subtier: 4_294_967_295,
                total_packets_tx: n,
                total_packets_rx: 112,
                total_bytes_tx_GB: packetloom_records::Gigabytes::from_bytes(73_062 * n),
                total_bytes_rx_GB: packetloom_records::Gigabytes::from_bytes(74_146 * n),
                interval_bytes_tx_MB: packetloom_records::Megabytes::from_bytes(73_062),
                interval_bytes_rx_MB: packetloom_records::Megabytes::from_bytes(74_146),
                tx_rate_Gbps: 0.584496 * n as f64,
                rx_rate_Gbps: 0.593168,
                tx_link_percent_util: 0.073062,
                rx_link_percent_util: 0.074146,
                tx_drops: 0,
                rx_drops: 0,
            })
            .expect("written");
    }
}

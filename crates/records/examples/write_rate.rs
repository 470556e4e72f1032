//! How long a row takes: `cargo run --release -p packetloom-records --example write_rate [FOLDER]`.

use packetloom_des::time::{Span, Time};
use packetloom_records::{RdmaPerfRow, Record, RecordFiles};
use std::time::Instant;

const ROWS: u64 = 5_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .map_or_else(std::env::temp_dir, Into::into);
    let folder = folder.join(format!("packetloom-write-rate-{}", std::process::id()));
    let mut files = RecordFiles::create(&folder, "demo", 0, &[Record::RdmaPerf])?;
    let start = Instant::now();
    for n in 0..ROWS {
        files.write(&RdmaPerfRow {
            sim_time_sec: Time::from_ps(5_000_190_000 + n * 7_919).into(),
            metric_name: "RDMA-WRITE",
            perf_metric_usec: Span::from_ps(2_831_170 + n).into(),
            transfer_size: 250_000,
            start_time_sec: Time::from_ps(4_997_360_000 + n * 7_919).into(),
            application_name: "RdmaInitiator-P:0-R:3-S:24-R:0-C:0-1554",
            node_id: 478,
            rdma_verb: "RDMA_VERB_POST_WRITE",
            wqe_id: n,
            num_wqe_sent: n + 10,
            num_wqe_complete: n,
        })?;
    }
    files.flush()?;
    let seconds = start.elapsed().as_secs_f64();
    files.abort();
    println!(
        "{ROWS} rows in {seconds:.2} s: {:.0} ns a row",
        seconds * 1e9 / ROWS as f64
    );
    Ok(())
}

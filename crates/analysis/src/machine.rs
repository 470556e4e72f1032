//! Totals of a shard: its requests (`beacon`) and what it took of the machine (`cpu-mem-stats`).

use crate::applications::text;
use crate::scan::{Scan, columns};
use crate::summary::{MachineSummary, RequestSummary, seconds};
use packetloom_records::{ReadError, Record};
use std::collections::BTreeMap;

/// Ticks of CPU time in a second, as the record counts them.
const TICKS: f64 = 100.0;

fn sum(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

/// Requests posted and completed up to each shard's last report.
pub(crate) fn requests(scan: &mut Scan<'_>) -> Result<Option<RequestSummary>, ReadError> {
    columns! { Beacon:
        TIME = "sim_time_sec",
        POSTED = "tx_client",
        COMPLETED = "rx_client",
    }
    let mut shards: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
    scan.rows(Record::Beacon, WANTED, |input, row| {
        let last = [row.scaled(TIME, 12)?, row.count(POSTED)?, row.count(COMPLETED)?];
        shards.insert(input.name.shard, last);
        Ok(())
    })?;
    let at = shards.values().map(|last| last[0]).max();
    Ok(at.map(|at| RequestSummary {
        posted: sum(shards.values().map(|last| last[1])),
        completed: sum(shards.values().map(|last| last[2])),
        at_seconds: seconds(at),
    }))
}

#[derive(Default)]
struct Process {
    peak_rss: u64,
    machine_memory: u64,
    cpu_ticks: u64,
    wall_ticks: u64,
}

/// What the simulator's processes took.
pub(crate) fn machine(scan: &mut Scan<'_>) -> Result<Option<MachineSummary>, ReadError> {
    columns! { CpuMemStats:
        HOST = "host_name",
        PROCESS = "pid",
        RSS = "core_rss_M",
        MEMORY = "sys_total_mem_M",
        CPU = "total_time_ticks",
        WALL = "elapse_time_ticks",
    }
    let mut processes: BTreeMap<(String, u64), Process> = BTreeMap::new();
    scan.rows(Record::CpuMemStats, WANTED, |_, row| {
        let process = processes
            .entry((text(row.text(HOST)), row.count(PROCESS)?))
            .or_default();
        process.peak_rss = process.peak_rss.max(row.scaled(RSS, 6)?);
        process.machine_memory = row.scaled(MEMORY, 6)?;
        process.cpu_ticks = process.cpu_ticks.max(row.count(CPU)?);
        process.wall_ticks = process.wall_ticks.max(row.count(WALL)?);
        Ok(())
    })?;
    let of_all = |figure: fn(&Process) -> u64| processes.values().map(figure);
    Ok((!processes.is_empty()).then(|| MachineSummary {
        processes: processes.len() as u64,
        wall_seconds: of_all(|p| p.wall_ticks).max().unwrap_or(0) as f64 / TICKS,
        cpu_seconds: sum(of_all(|p| p.cpu_ticks)) as f64 / TICKS,
        peak_rss_bytes: sum(of_all(|p| p.peak_rss)),
        machine_memory_bytes: of_all(|p| p.machine_memory).max().unwrap_or(0),
    }))
}

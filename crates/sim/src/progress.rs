//! How far a run has come, read by whoever shows it while the run goes on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counters the run publishes and a request to stop; shared between the run and its watchers.
#[derive(Debug, Default)]
pub struct Progress {
    simulated_ps: AtomicU64,
    stop_ps: AtomicU64,
    events: AtomicU64,
    packet_hops: AtomicU64,
    to_convert: AtomicU64,
    converted: AtomicU64,
    interrupt: AtomicBool,
}

impl Progress {
    /// Simulated time reached and the stop time, in picoseconds. The stop time is 0 before the run starts.
    pub fn simulated(&self) -> (u64, u64) {
        (
            self.simulated_ps.load(Ordering::Relaxed),
            self.stop_ps.load(Ordering::Relaxed),
        )
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }

    /// Packet-hops so far.
    pub fn packet_hops(&self) -> u64 {
        self.packet_hops.load(Ordering::Relaxed)
    }

    /// Bytes of CSV files made into Parquet ones so far, and of all that will be. Both are 0 before the run is over, and if
    /// nobody wants Parquet.
    pub fn conversion(&self) -> (u64, u64) {
        (
            self.converted.load(Ordering::Relaxed),
            self.to_convert.load(Ordering::Relaxed),
        )
    }

    /// Publishes that `bytes` of CSV files are now made into Parquet ones.
    pub fn begin_conversion(&self, bytes: u64) {
        self.to_convert.store(bytes, Ordering::Relaxed);
    }

    /// Counts the bytes of them that are done.
    pub fn converted(&self) -> &AtomicU64 {
        &self.converted
    }

    /// Asks the run to end at the next opportunity, with what it has.
    pub fn interrupt(&self) {
        self.interrupt.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked the run to end.
    pub fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Publishes where the run stands.
    pub fn publish(&self, simulated_ps: u64, stop_ps: u64, events: u64, packet_hops: u64) {
        self.simulated_ps.store(simulated_ps, Ordering::Relaxed);
        self.stop_ps.store(stop_ps, Ordering::Relaxed);
        self.events.store(events, Ordering::Relaxed);
        self.packet_hops.store(packet_hops, Ordering::Relaxed);
    }
}

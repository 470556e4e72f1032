//! A folder with the records of a run that never was.

use packetloom_analysis::{AnalysisError, Options, Progress, RunSummary, summarize};
use packetloom_des::Time;
use packetloom_records::{
    ApplicationReportRow, EcnPfcStatsRow, Gigabytes, Megabytes, Microseconds, NdStatsRow, PerfRow,
    RdmaPerfRow, RecordFiles, Row, RunApplication, RunEnd, RunFile, Seconds, TcpStatsRow,
};
use std::fs;
use std::path::{Path, PathBuf};

pub struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    pub fn new() -> Self {
        Lab {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).expect("a file")
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.file(name), text).expect("written");
    }

    /// Writes a file of one record.
    pub fn rows<R: Row>(&self, shard: u32, rows: &[R]) {
        // Each record in a folder of its own first: a folder with records is refused.
        let made = tempfile::tempdir().expect("a folder");
        let mut files = RecordFiles::create(made.path(), "t", shard, &[R::RECORD]).expect("created");
        for row in rows {
            files.write(row).expect("written");
        }
        let names = files.names();
        drop(files);
        for name in names {
            fs::copy(made.path().join(&name), self.file(&name)).expect("copied");
        }
    }

    /// Writes the file of the run.
    pub fn run(&self, run: &RunFile) {
        let made = tempfile::tempdir().expect("a folder");
        let mut files = RecordFiles::create(made.path(), "t", 0, &[]).expect("created");
        files.describe(run).expect("written");
        fs::copy(made.path().join("t-run.json"), self.file("t-run.json")).expect("copied");
    }

    pub fn try_summary(&self, options: &Options) -> Result<RunSummary, AnalysisError> {
        let progress = Progress::default();
        let summary = summarize(&[self.path().to_owned()], options, &progress);
        if summary.is_ok() {
            let (read, total) = progress.bytes();
            assert_eq!(read, total, "all of it was read");
        }
        summary
    }

    pub fn summary(&self) -> RunSummary {
        self.try_summary(&Options::default()).expect("a summary")
    }

    /// The error of a folder that cannot be summed up, without the folder's name.
    pub fn error(&self) -> String {
        let error = self.try_summary(&Options::default()).expect_err("refused");
        assert!(error.is_input(), "{error}");
        let text = error.to_string();
        text.replace(&format!("{}/", self.path().display()), "")
    }
}

pub fn ms(ms: u64) -> u64 {
    ms * 1_000_000_000
}

/// The window from one millisecond to another.
pub fn between(from: u64, to: u64) -> Options {
    Options {
        from: Some(Time::from_ps(ms(from))),
        to: Some(Time::from_ps(ms(to))),
    }
}

/// A run with a recording window from 5 to 7 ms that ended at its stop time, 8 ms; its one application has two
/// connections.
pub fn run() -> RunFile {
    RunFile {
        simulation: "t".to_owned(),
        random_seed: 7,
        hosts: 4,
        switches: 1,
        recording_window_ps: (ms(5), ms(7)),
        stop_ps: ms(8),
        applications: vec![RunApplication {
            name: "Rdma".to_owned(),
            model: Some("ScalaRdmaApplication".to_owned()),
            pairs: 2,
            first_connection: 1,
            connections: 2,
        }],
        ended: Some(RunEnd {
            simulated_ps: ms(8),
            interrupted: false,
        }),
    }
}

/// The name of connection `number`, of the client that is server `number`.
pub fn name(number: u64) -> String {
    format!("RdmaInitiator-P:0-R:0-S:{number}-R:0-C:0-{number}")
}

/// A write of 250,000 B that completes at `at` ps after `us` microseconds.
pub fn completion(name: &str, at: u64, us: u64) -> RdmaPerfRow<'_> {
    RdmaPerfRow {
        sim_time_sec: Seconds::from_ps(at),
        metric_name: "RDMA-WRITE",
        perf_metric_usec: Microseconds::from_ps(us * 1_000_000),
        transfer_size: 250_000,
        start_time_sec: Seconds::from_ps(at - us * 1_000_000),
        application_name: name,
        node_id: 10,
        rdma_verb: "RDMA_VERB_POST_WRITE",
        wqe_id: 1,
        num_wqe_sent: 10,
        num_wqe_complete: 1,
    }
}

/// A transaction that completes at `at` ps after `us` microseconds.
pub fn transaction(name: &str, at: u64, us: u64) -> PerfRow<'_> {
    PerfRow {
        sim_time_sec: Seconds::from_ps(at),
        metric_name: "ScalaApp",
        perf_metric_usec: Microseconds::from_ps(us * 1_000_000),
        metric_path: f64::NAN,
        metric_aggregation_id: f64::NAN,
        node_id: 10,
        transaction_number: us - 1,
        start_time_sec: Seconds::from_ps(at - us * 1_000_000),
        transfer_size_b: f64::NAN,
        application_name: name,
    }
}

/// A report of a connection's client that has sent so many segments and had so many timeouts.
pub fn tcp(name: &str, at_ms: u64, segments: u64, timeouts: u64) -> TcpStatsRow<'_> {
    TcpStatsRow {
        sim_time_sec: Seconds::from_ps(ms(at_ms)),
        AppId: name,
        Type: "CLIENT",
        CongestionWindow: 14_600,
        CongestionWindowInflated: 14_600,
        RWND: 4_000_000,
        AdvWND: 4_000_000,
        BytesInFlight: 0,
        SlowStartThreshold: 4_294_967_295,
        RTO: Microseconds::from_ps(20_000_000_000),
        RTT: Microseconds::from_ps(12_000_000),
        State: "ESTABLISHED",
        CongState: "OPEN",
        NACKSRecvd: 0,
        TotalSegmentsTX: segments,
        OPEN: 1,
        DISORDER: 0,
        CWR: 0,
        RECOVERY: 0,
        LOSS: 0,
        NumRTO: timeouts,
        NumFastRetrans: 2 * timeouts,
        DupAcksOrSacks: 5 * timeouts,
        total_bytes_tx_GB: Gigabytes::from_bytes(1_460 * segments),
        tx_interval_throughput_rate_MBps: 0.0,
        total_bytes_rx_GB: Gigabytes::from_bytes(0),
        rx_interval_throughput_rate_MBps: 0.0,
    }
}

/// Both ends of a connection.
pub fn ends<'a>(name: &'a str, client: u64, server: u64) -> [ApplicationReportRow<'a>; 2] {
    let end = |component_name, node_id, socket_type, peer_node_id| ApplicationReportRow {
        component_name,
        node_id,
        socket_type,
        app_typeid: "ScalaRdmaInitiator",
        app_name: name,
        dscp: 0,
        ect: 0,
        peer_node_id,
    };
    [
        end("the client", client, "CLIENT", server),
        end("the server", server, "SERVER", client),
    ]
}

/// A report of port 0 of a NIC at 400 Gbps, with so many bytes sent since the start and in an interval of 1 ms.
pub fn port(node_id: u64, at_ms: u64, bytes: u64, interval: u64) -> NdStatsRow<'static> {
    let gbps = interval as f64 * 8.0 / 1e6;
    NdStatsRow {
        sim_time_sec: Seconds::from_ps(ms(at_ms)),
        component_name: if node_id == 1 { "first" } else { "other" },
        nd_name: "nic",
        component_type: "Nic",
        ifid: 0,
        uldl: "ul",
        node_id,
        tier: 3,
        subtier: 0,
        total_packets_tx: bytes / 1_000,
        total_packets_rx: bytes / 2_000,
        total_bytes_tx_GB: Gigabytes::from_bytes(bytes),
        total_bytes_rx_GB: Gigabytes::from_bytes(0),
        interval_bytes_tx_MB: Megabytes::from_bytes(interval),
        interval_bytes_rx_MB: Megabytes::from_bytes(0),
        tx_rate_Gbps: gbps,
        rx_rate_Gbps: 0.0,
        tx_link_percent_util: gbps / 4.0,
        rx_link_percent_util: 0.0,
        tx_drops: 0,
        rx_drops: at_ms * node_id,
    }
}

/// A report of a class of port 0 of a switch that has been paused for so long and has sent so many pauses.
pub fn class(at_ms: u64, priority: u64, pauses: u64, paused_us: u64) -> EcnPfcStatsRow<'static> {
    let us = |us: u64| Microseconds::from_ps(us * 1_000_000);
    EcnPfcStatsRow {
        sim_time_sec: Seconds::from_ps(ms(at_ms)),
        node_id: 0,
        component_name: "switch",
        component_type: "Switch",
        ifid: 0,
        uldl: "dl",
        tier: 2,
        subtier: 0,
        priority,
        pfcxoff_tx: pauses,
        pfcxoff_rx: 2 * pauses,
        pfcxon_tx: 0,
        pfcxon_rx: 0,
        pfc_time_paused_usec: us(paused_us),
        interval_total_time_xoff_usec: us(0),
        interval_max_time_xoff_usec: us(0),
        interval_total_time_xoff_egr_occ_usec: us(0),
        interval_max_time_xoff_egr_occ_usec: us(0),
        total_xoff_time_egr_occ_usec: us(0),
        percent_xon: 0.0,
        xoff_egr_occ_ratio: 0.0,
        pkts_ecn_marked: pauses + 1,
    }
}

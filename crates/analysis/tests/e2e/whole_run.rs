//! A run of the simulator, whose summary at its end and summary by its records must agree.

use packetloom_analysis::{Options, Progress, RunSummary, summarize};
use packetloom_config::{check, template};
use packetloom_records::Formats;
use packetloom_sim::progress::Progress as RunProgress;
use packetloom_sim::summary::Summary;
use packetloom_sim::{RunOptions, run};
use std::path::Path;

fn run_and_read(template: &str, set: &[&str], out: &Path, formats: Formats) -> (Summary, RunSummary) {
    let set: Vec<String> = set.iter().map(|&setting| setting.to_owned()).collect();
    let scenario = check(template::find(template).expect("a template"), &set).expect("valid");
    let mut options = RunOptions::new("t", out);
    options.formats = formats;
    let told = run(&scenario, &options, &RunProgress::default()).expect("a run");
    let read = summarize(&[out.to_owned()], &Options::default(), &Progress::default()).expect("a summary");
    (told, read)
}

/// What both say is the same, but for goodput: that of the run counts packets as they arrive, that of records whole
/// requests as they complete.
fn agree(told: &Summary, read: &RunSummary) {
    assert_eq!(read.simulated_seconds, told.simulated_seconds);
    assert_eq!(read.applications.len(), told.applications.len());
    for (told, read) in told.applications.iter().zip(&read.applications) {
        assert_eq!(read.name, told.name);
        assert_eq!(
            (read.pairs, read.completed, read.recorded),
            (told.pairs, told.completed, told.recorded)
        );
        assert_eq!(read.latency_us, told.latency_us);
        // One request of 250,000 B a connection at each end of a window of 1 ms, 2 Gbps, of 24 connections at most.
        let goodput = read.goodput_gbps.expect("sizes are known");
        assert!(
            (goodput - told.goodput_gbps).abs() < 48.0,
            "{goodput} and {}",
            told.goodput_gbps
        );
    }
    assert_eq!(read.utilization, told.utilization);
    let run = |counter: &Option<packetloom_analysis::summary::Counter>| counter.as_ref().expect("told").run;
    let counters = &read.counters;
    assert_eq!(
        run(&counters.packets_dropped_by_switches) + run(&counters.packets_dropped_by_nics),
        told.drops
    );
    assert_eq!(run(&counters.pauses_sent), told.pfc_pauses);
    assert_eq!(run(&counters.retransmissions), told.retransmissions);
    assert_eq!(
        read.requests.expect("told").posted,
        told.applications.iter().map(|a| a.posted).sum::<u64>()
    );
    let mut files: Vec<_> = read.records.iter().map(|record| record.file.clone()).collect();
    files.push("t-run.json".to_owned());
    files.sort();
    let mut written = told.files.clone();
    written.sort();
    assert_eq!(files, written);
}

#[test]
fn a_quiet_network() {
    let out = tempfile::tempdir().expect("a folder");
    let set = ["SimulationParameters.RunTime=0.001"];
    let (told, read) = run_and_read("rdma-16-hosts", &set, out.path(), Formats::default());
    agree(&told, &read);
    assert_eq!((read.applications[0].pairs, read.utilization.len()), (8, 4));
}

#[test]
fn an_incast_with_pauses() {
    let out = tempfile::tempdir().expect("a folder");
    let set = ["Rdma.NumConnections=3", "SimulationParameters.RunTime=0.001"];
    let (told, read) = run_and_read("rdma-incast", &set, out.path(), Formats::default());
    agree(&told, &read);
    assert!(told.pfc_pauses > 0);
    // The switch pauses NICs, so that it is they who were paused.
    let nics = read.tiers.iter().find(|tier| tier.tier == "nic").expect("NICs");
    let longest = nics.most_paused.as_ref().expect("paused");
    assert!(
        longest.percent.is_some_and(|share| share > 0.0 && share <= 100.0),
        "{longest:?}"
    );
    assert!(nics.paused_us.is_some_and(|sum| sum >= longest.paused_us));
}

/// NICs whose host link carries less than the network and whose receive pools pause nobody.
#[test]
fn drops_and_retransmissions() {
    let out = tempfile::tempdir().expect("a folder");
    let set = [
        "Nic.HostInterface.NICSide.PCIeGen3.0.NicDeviceLayer.NicPCIeInterface.PhysicalLayer.LaneBps=7.88Gbps",
        "Nic.NetworkInterface.IngressBufferManager.PFCEnableVector=0,0,0,0,0,0,0,0",
        "SimulationParameters.RunTime=0.001",
    ];
    let (told, read) = run_and_read("rdma-one-rack", &set, out.path(), Formats::default());
    agree(&told, &read);
    assert!(told.drops > 0 && told.retransmissions > 0);
    let gaps = read.counters.out_of_order.expect("told");
    let naks = read.counters.naks_sent.expect("told");
    assert_eq!(gaps.run, naks.run, "each gap is answered with a NAK");
}

/// TCP, whose records tell no sizes; its connections report at the ends of the window, from 5 to 7 ms.
#[test]
fn transactions_over_tcp() {
    let out = tempfile::tempdir().expect("a folder");
    let set = [
        "Tcp.RequestRate=20000",
        "Tcp.StartType=simultaneous",
        "SimulationParameters.RunTime=0.002",
        "SimulationParameters.EnableTcpStackReporting=true",
        "SimulationParameters.TcpStackReportInterval=0.001",
    ];
    let (told, read) = run_and_read("tcp-16-hosts", &set, out.path(), Formats::default());
    let (ours, theirs) = (&told.applications[0], &read.applications[0]);
    assert_eq!(
        (theirs.name.as_str(), theirs.pairs, theirs.recorded),
        (ours.name.as_str(), ours.pairs, ours.recorded)
    );
    assert!(ours.recorded > 0 && ours.recorded < ours.completed);
    assert_eq!(theirs.completed, ours.recorded, "`perf` has no others");
    assert_eq!(theirs.latency_us, ours.latency_us);
    assert_eq!((theirs.goodput_gbps, theirs.fairness), (None, None));
    assert_eq!(read.utilization, told.utilization);
    let requests = read.requests.expect("told");
    assert_eq!(
        (requests.posted, requests.completed),
        (ours.posted, ours.completed)
    );
    let segments = read.counters.tcp_segments_sent.expect("told");
    let window = segments.window.expect("reports");
    // A transaction takes a segment of its client's at least, and an acknowledgement for every two segments of its reply's
    // at most 7; from 2 to 8 ms the window is a third.
    assert!(window >= ours.recorded && window < 10 * ours.recorded, "{window}");
    assert!(
        segments.run > 2 * window && segments.run < 4 * window,
        "{segments:?}"
    );
    assert_eq!(read.counters.tcp_timeouts.expect("told").run, 0);
    assert!(read.counters.retransmissions.is_none(), "no RoCE NIC");
    assert!(
        read.slowest
            .iter()
            .all(|slow| slow.goodput_gbps.is_none() && slow.host.is_some())
    );
}

/// What Parquet files alone tell is what the CSV files told, but for what the machine did.
#[cfg(feature = "parquet")]
#[test]
fn parquet_files_tell_the_same() {
    let set = ["Rdma.NumConnections=3", "SimulationParameters.RunTime=0.001"];
    let folder = tempfile::tempdir().expect("a folder");
    let summaries = [true, false].map(|csv| {
        let out = folder.path().join(csv.to_string());
        let formats = Formats { csv, parquet: !csv };
        let (told, mut read) = run_and_read("rdma-incast", &set, &out, formats);
        agree(&told, &read);
        read.machine = None;
        for record in &mut read.records {
            let csv_name = record.file.replace(".parquet", ".csv");
            assert_eq!(record.file == csv_name, csv);
            (record.file, record.bytes) = (csv_name, 0);
        }
        serde_json::to_value(read).expect("JSON")
    });
    assert_eq!(summaries[0], summaries[1]);
}

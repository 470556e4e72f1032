//! One transaction on an idle network, to the picosecond, and the frames it is made of.

use super::{ACK, DELAY, FULL, HEADERS, MSS, START, SYN, constant, recorded_from_the_start, star, wire};
use crate::common::{Outcome, play, settings};

const REQUEST: u64 = 1_000;
const REPLY: u64 = 2_000;

fn idle(seconds: f64, rate: &str) -> Outcome {
    let settings = [
        recorded_from_the_start(seconds),
        constant(REQUEST, REPLY),
        settings([
            "Tcp.NumConnections=1",
            "Tcp.StartType=simultaneous",
            rate,
            "SimulationParameters.EnableTcpStackReporting=true",
            "SimulationParameters.TcpStackReportInterval=0.001",
            "SimulationParameters.EnableNetworkBufferStatsReporting=true",
            "ClientNic.EnableBufferStats=true",
        ]),
    ]
    .concat();
    play(&star(1, 1), &settings)
}

/// From a NIC over the switch to the other NIC: two links and two delays.
fn way(bytes: u64) -> u64 {
    2 * wire(bytes) + 2 * DELAY
}

/// The request in one segment of 1,058 B, 84.64 ns a link, and the reply in two, 1,518 B (121.44 ns) and 598 B (47.84 ns),
/// the second of which waits at the switch for the first: 2 x 121.44 + 47.84 ns on links.
fn later() -> u64 {
    let request = way(REQUEST + HEADERS);
    let reply = 2 * wire(FULL) + wire(REPLY - MSS + HEADERS) + 2 * DELAY;
    assert_eq!((request, reply), (369_280, 490_720), "by hand, in ps");
    request + reply
}

#[test]
fn a_transaction_takes_what_its_segments_take() {
    let outcome = idle(0.1, "Tcp.RequestRate=200");
    let table = outcome.table("perf");
    assert!(table.len() > 10);
    let mut last = 0;
    for (number, row) in table.rows().enumerate() {
        assert_eq!(row.int("transaction_number"), number as u64);
        let generated = row.scaled("start_time_sec", 12);
        assert_eq!(
            row.latency(),
            row.time() - generated,
            "the latency is the difference"
        );
        if number == 0 {
            // SYN and SYN-ACK of 70 B, 5.6 ns a link, come before: 2 x 211.2 ns.
            assert_eq!(generated, START);
            assert_eq!(row.latency(), 2 * way(SYN) + later());
            assert_eq!(&row["perf_metric_usec"], "1.2824");
        } else {
            assert!(generated > last, "one after the other");
            assert_eq!(row.latency(), later());
            assert_eq!(&row["perf_metric_usec"], "0.86");
        }
        last = row.time();
        assert_eq!(&row["metric_name"], "ScalaApp");
        for column in ["metric_path", "metric_aggregation_id", "transfer_size_b"] {
            assert_eq!(row[column].to_ascii_uppercase(), "NAN");
        }
        // Node ids: the switch, two NICs, two hosts.
        assert_eq!(row.int("node_id"), 3);
        assert_eq!(
            &row["application_name"],
            "TrafficGeneratorClient-P:0-R:0-S:0-R:0-C:0-1"
        );
    }
}

/// One transaction alone: SYN, request and acknowledgement of the reply go there; SYN-ACK and the reply's two segments come back.
/// The request's acknowledgement rides on the reply.
#[test]
fn its_frames_are_counted() {
    let outcome = idle(0.01, "Tcp.RequestRate=0.001");
    assert_eq!(outcome.table("perf").len(), 1);
    let sent = SYN + REQUEST + HEADERS + ACK;
    let back = SYN + FULL + (REPLY - MSS + HEADERS);
    assert_eq!((sent, back), (1_192, 2_186), "by hand");
    let table = outcome.table("nd-stats");
    let rows: Vec<_> = table.rows().filter(|row| row.int("tier") == 3).collect();
    assert!(rows.len() > 2 && rows.len().is_multiple_of(2));
    for (row, (nic, tx, rx)) in rows.iter().zip([(1, sent, back), (2, back, sent)].iter().cycle()) {
        assert_eq!(row.int("node_id"), *nic);
        assert_eq!(&row["uldl"], "ul");
        assert_eq!((row.int("total_packets_tx"), row.int("total_packets_rx")), (3, 3));
        assert_eq!((row.total_bytes("tx"), row.total_bytes("rx")), (*tx, *rx));
        assert_eq!((row.int("tx_drops"), row.int("rx_drops")), (0, 0));
        // All of it happens in the first millisecond.
        let first = row.time() == rows[0].time();
        assert_eq!(row.interval_bytes("tx"), if first { *tx } else { 0 });
        let percent = if first {
            *tx as f64 * 8.0 / 1e-3 / 1e11 * 100.0
        } else {
            0.0
        };
        assert!((row.float("tx_link_percent_util") - percent).abs() < 1e-9);
    }
    // What TCP says of it: rows from 2 + 1 ms on, payload alone.
    let stats = outcome.table("tcp-stats");
    assert_eq!(stats.times(), outcome.table("nd-stats").times());
    for row in stats.rows() {
        assert_eq!((row.total_bytes("tx"), row.total_bytes("rx")), (REQUEST, REPLY));
        assert_eq!(row.int("TotalSegmentsTX"), 3);
        assert_eq!(
            (&row["State"], &row["CongState"], &row["Type"]),
            ("ESTABLISHED", "OPEN", "CLIENT")
        );
        assert_eq!(row.int("BytesInFlight"), 0);
        // 10 segments, and the request that was acknowledged.
        assert!((10 * MSS..=10 * MSS + REQUEST).contains(&row.int("CongestionWindow")));
        assert_eq!((row.int("RWND"), row.int("AdvWND")), (4_000_000, 4_000_000));
        let interval = row.time() == START + 1_000_000_000;
        // 1,000 B in 1 ms is 1 MB/s.
        let rates = if interval { (1.0, 2.0) } else { (0.0, 0.0) };
        assert_eq!(row.float("tx_interval_throughput_rate_MBps"), rates.0);
        assert_eq!(row.float("rx_interval_throughput_rate_MBps"), rates.1);
    }
    // The NIC's buffer held three frames, one at a time, each less the 18 B of Ethernet; the largest had 1,040 B.
    let buffers = outcome.table("net-buff-stats");
    assert!(buffers.len() > 1);
    for row in buffers.rows() {
        assert_eq!((&row["buffer_id"], row.int("tc")), ("TX_TC0_BUFFER", 0));
        assert_eq!((row.int("node_id"), row.int("buffer_max_size_B")), (1, 256_000));
        assert_eq!((row.int("num_enq"), row.int("num_deq")), (3, 3));
        assert_eq!(
            (row.int("max_occupancy_B"), row.int("occupancy_B")),
            (REQUEST + 40, 0)
        );
        assert_eq!(row.int("overflow"), 0);
        let first = row.time() == START + 1_000_000_000;
        // 52 B, 1,040 B and an acknowledgement of 46 B.
        assert_eq!(row.int("interval_enq_B"), if first { 52 + 1_040 + 46 } else { 0 });
    }
}

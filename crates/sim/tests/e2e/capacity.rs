//! What one pair can carry, from the period of its messages; and what the slowest part of the way lets through.

use crate::common::*;

/// The period of one message of `size` bytes, 10 outstanding, one switch, default rates. The next message starts when the
/// last ACK of the current one arrives; its doorbell came long ago, and the replacement's doorbell (1,999 ps on the
/// host-to-NIC lanes from that same instant) is over before the first payload, 81,555 ps later.
fn period(size: u64) -> u64 {
    let (n, last) = (packets(size), 20 * (last_payload(size) + HEADERS));
    assert!(n >= 2);
    let restart = 80_000;
    let request = 1_555;
    let first_fetch = 69_288;
    let serialization = (n - 1) * 83_080; // packets 1 to n - 1 at the NIC, back to back
    let path = 100_000 + 83_080 + last + 100_000; // link, packet n - 1 out of the switch, the last after it, link
    let ack = 2 * (2_520 + 100_000);
    restart + request + first_fetch + serialization + path + ack
}

#[test]
fn ten_outstanding_follow_each_other_at_the_period_of_one_message() {
    // 80,000 + 1,555 + 69,288 + 61 x 83,080 + (100,000 + 83,080 + 4,040 + 100,000) + 205,040 ps
    assert_eq!(period(250_000), 5_710_883);
    for size in [250_000, 1 << 20] {
        let period = period(size);
        let mut settings = stop_at(0.0235);
        settings[0] = "SimulationParameters.WarmUp=0.0005".into();
        settings[1] = "SimulationParameters.RunTime=0.02".into();
        settings.push(format!("Rdma.TransferSize={size}B"));
        let outcome = play(&pair(1), &settings);
        let perf = outcome.table("rdma-perf");
        let doorbell = 1_999;
        for (k, row) in (1u64..).zip(perf.rows()) {
            // The first doorbell reaches the NIC after 1,999 ps; from there on one message a period, without exception.
            assert_eq!(row.time(), DATA_START + doorbell + k * period, "work request {k}");
            // Ten are posted at data start, each further one when one completes: it waits ten periods.
            let latency = if k <= 10 {
                doorbell + k * period
            } else {
                10 * period
            };
            assert_eq!(row.latency(), latency, "work request {k}");
            assert_eq!((row.int("wqe_id"), row.int("num_wqe_complete")), (k, k));
            assert_eq!(
                row.int("num_wqe_sent"),
                9 + k,
                "counted before the replacement is posted"
            );
        }
        let span = 20_500 * US; // from data start to the stop time
        assert_eq!(perf.len() as u64, (span - doorbell) / period);

        let allowed = size as f64 * 8e3 / period as f64; // Gbps
        let application = &outcome.summary.applications[0];
        let error = application.goodput_gbps / allowed - 1.0;
        assert!(
            error.abs() < 1e-3,
            "{} Gbps for {allowed}",
            application.goodput_gbps
        );
        assert!(application.goodput_gbps < 400.0 * 4_096.0 / 4_154.0);
        // The window from 0.0035 to 0.0235 s, both ends included, holds these completions and no others.
        let before = |end: u64| (end - doorbell) / period;
        assert_eq!(application.recorded, before(20_500 * US) - before(500 * US));
        assert_eq!(application.completed, perf.len() as u64);
        assert_eq!(application.posted, perf.len() as u64 + 10);
        let exact = application.recorded as f64 * size as f64 * 8.0 / 0.02 / 1e9;
        // Goodput counts payload as it is received: at each edge of the window part of one message.
        let one_message = size as f64 * 8.0 / 0.02 / 1e9;
        assert!((application.goodput_gbps - exact).abs() < one_message);
        let latency = application.latency_us.as_ref().expect("completions");
        let ten = 10.0 * period as f64 / 1e6;
        // Those of the first ten that complete in the window were posted at data start.
        let last_of_the_first = doorbell as f64 / 1e6 + ten;
        let least = if size == 250_000 { ten } else { latency.min };
        assert_eq!((latency.min, latency.max <= last_of_the_first), (least, true));
    }
}

#[test]
fn many_connections_fill_the_port_but_no_more() {
    // With 16 connections a message is always under way: payload is 4,096 of 4,154 B, a little less for the short last
    // packet of each message: 250,000 of 253,596 B. The port is never idle but for the first connections' common restart.
    let mut settings = stop_at(0.013);
    settings[0] = "SimulationParameters.WarmUp=0.001".into();
    settings[1] = "SimulationParameters.RunTime=0.009".into();
    settings.push("Rdma.NumConnections=16".into());
    let outcome = play(&pair(1), &settings);
    let goodput = outcome.summary.applications[0].goodput_gbps;
    let allowed = 400.0 * 250_000.0 / 253_596.0;
    // Requests that straddle an end of the window: at most the 16 under way, of some 14,000... in bytes 16 x 250 kB.
    let edges = 16.0 * 250_000.0 * 8.0 / 0.009 / 1e9;
    assert!((goodput - allowed).abs() <= edges, "{goodput} Gbps for {allowed}");
    let nic = outcome
        .summary
        .utilization
        .iter()
        .find(|t| t.tier == "nic")
        .expect("NIC ports");
    assert!(nic.max_percent <= 100.0 + 1e-3, "{}", nic.max_percent);
    assert!(nic.max_percent >= 99.9, "{}", nic.max_percent);
}

#[test]
fn one_64_mib_write_over_pcie_3_runs_at_118_gbps() {
    // 16 lanes of 7.88 Gbps at both ends: 126.08 Gbps, of which 4,096 / 4,368 are payload: 118.2 Gbps.
    let mut settings = stop_at(0.008);
    settings.push("Rdma.MaxPendingWQEs=1".into());
    settings.push(format!("Rdma.TransferSize={}B", 64u64 << 20));
    settings.push(format!("{NIC_LANES}.LaneBps=7.88Gbps"));
    settings.push(format!("{HOST_LANES}.LaneBps=7.88Gbps"));
    let outcome = play(&pair(1), &settings);
    let perf = outcome.table("rdma-perf");
    assert_eq!(perf.len(), 1);
    let latency = perf.rows().next().expect("a row").latency();
    let gbps = (64u64 << 20) as f64 * 8e3 / latency as f64;
    assert!((gbps / 118.2 - 1.0).abs() < 0.005, "{gbps} Gbps");
    // And exactly: 16,384 fetches of 277,160 ps, then one packet's way and the ACK's.
    let pcie_3 = 126_080_000_000;
    let exact = pcie(DOORBELL, pcie_3)
        + RESTART
        + pcie(READ_REQUEST, pcie_3)
        + 16_384 * 277_160
        + 2 * (83_080 + 100_000)
        + 2 * (2_520 + 100_000);
    assert_eq!(latency, exact);
    // The receiver's lanes keep up with the sender's: nothing is paused or lost.
    assert_eq!(
        (
            outcome.summary.pfc_pauses,
            outcome.summary.drops,
            outcome.summary.retransmissions
        ),
        (0, 0, 0)
    );
}

#[test]
fn a_receiver_with_slow_lanes_pauses_the_sender_and_gets_what_its_lanes_carry() {
    // Only NIC to host is slow. The sender offers 350 Gbps; the receive pool fills at 2,880,000 B, the NIC pauses the
    // switch, the switch its port, and data moves at the rate of the receiver's lanes: 118.15 Gbps of full packets.
    // (The lanes of the sender's NIC to its host are as slow, but carry read requests only.)
    let mut settings = stop_at(0.036);
    settings[0] = "SimulationParameters.WarmUp=0.002".into();
    settings[1] = "SimulationParameters.RunTime=0.03".into();
    settings.push(format!("{NIC_LANES}.LaneBps=7.88Gbps"));
    let outcome = play(&pair(1), &settings);
    // A message of 250,000 B takes the lanes 61 x 277,160 ps + 178 B = 11,294 ps: 118.22 Gbps.
    let lanes = 250_000.0 * 8e3 / (61.0 * 277_160.0 + 11_294.0);
    let goodput = outcome.summary.applications[0].goodput_gbps;
    // An ACK does not wait for the lanes, so what is buffered (receive pool, PCIe buffer, the switch's port, the sender's
    // pool) may differ by up to its size between the two ends of the window.
    let buffered = 3_600_000.0 + 256_000.0 + 956_000.0 + 250_000.0;
    let slack = buffered * 8.0 / 0.03 / 1e9;
    assert!(
        (goodput - lanes).abs() <= slack,
        "{goodput} Gbps for {lanes} +- {slack}"
    );
    assert!(outcome.summary.pfc_pauses > 0);
    assert_eq!((outcome.summary.drops, outcome.summary.retransmissions), (0, 0));
}

//! The records of the NICs' pools and of the hosts' PCIe links.

use crate::common::*;

const POOLS: &str = "net-buff-stats";
const PCIE: &str = "pcie-stats";
const INGRESS: &str = "Nic.NetworkInterface.IngressBufferManager";

/// A run of one pair with both records on.
fn observed(stop: f64, set: &[&str]) -> Outcome {
    let mut all = stop_at(stop);
    all.extend(settings([
        "Nic.EnableBufferStats=true",
        "SimulationParameters.EnableNetworkBufferStatsReporting=true",
        "SimulationParameters.EnablePCIeStatsLogging=true",
    ]));
    all.extend(set.iter().map(|&setting| setting.to_owned()));
    play(&pair(1), &all)
}

const SENDER: &str = "ScalaHost-0-0-0-0";
const RECEIVER: &str = "ScalaHost-0-0-0-1";

#[test]
fn pools_of_a_pair_count_what_the_transport_counts() {
    let outcome = observed(
        0.0035,
        &[
            "SimulationParameters.NetworkBufferStatsReportingInterval=0.0001",
            "SimulationParameters.NDStatsReportInterval=0.0001",
        ],
    );
    let (pools, transports) = (outcome.table(POOLS), outcome.table("roce-transport-stats"));
    let columns = "job_id,time_utc,sim_time_sec,component_name,node_id,buffer_id,tc,occupancy_B,max_occupancy_B,\
                   buffer_max_size_B,num_enq,num_deq,interval_num_enq,interval_num_deq,interval_enq_B,\
                   interval_deq_B,interval_max_occupancy_B,enq_Gbps,deq_Gbps,overflow,percent_occupancy";
    assert_eq!(pools.header().join(","), columns);
    let times: Vec<u64> = (1..=15).map(|k| (2_000 + 100 * k) * US).collect();
    assert_eq!(pools.times(), times);
    // Four pools of two NICs, in this order.
    assert_eq!(pools.len(), 15 * 2 * 4);
    let sizes = [
        ("RX_TC0_BUFFER", 0, 3_600_000),
        ("RX_TC1_BUFFER", 1, 400_000),
        ("TX_TC0_BUFFER", 0, 230_400),
        ("TX_TC1_BUFFER", 1, 25_600),
    ];
    for (row, (name, class, size)) in pools.rows().zip(sizes.iter().cycle()) {
        assert_eq!(
            (&row["buffer_id"], row.int("tc"), row.int("buffer_max_size_B")),
            (*name, *class, *size)
        );
    }
    let mut sums = std::collections::BTreeMap::<(String, String), [u64; 3]>::new();
    for row in pools.rows() {
        let sum = sums
            .entry((row["component_name"].to_owned(), row["buffer_id"].to_owned()))
            .or_default();
        sum[0] += row.int("interval_num_enq");
        sum[1] += row.int("interval_num_deq");
        sum[2] += row.int("interval_enq_B");
        sum[2] -= row.int("interval_deq_B");
        assert_eq!(
            (row.int("num_enq"), row.int("num_deq"), row.int("occupancy_B")),
            (sum[0], sum[1], sum[2])
        );
        let rate = |bytes: &str| row.int(bytes) as f64 * 8.0 / 1e5;
        assert_eq!(row.float("enq_Gbps"), rate("interval_enq_B"));
        assert_eq!(row.float("deq_Gbps"), rate("interval_deq_B"));
        assert_eq!(row.int("overflow"), 0);
        assert!(row.int("interval_max_occupancy_B") <= row.int("max_occupancy_B"));
        assert!(row.int("occupancy_B") <= row.int("interval_max_occupancy_B"));
        let share = row.float("occupancy_B") * 100.0 / row.float("buffer_max_size_B");
        assert!((row.float("percent_occupancy") - share).abs() < 1e-9);
    }
    let pool = |time, host: &str, name: &str| {
        pools.one(|row| row.time() == time && &row["component_name"] == host && &row["buffer_id"] == name)
    };
    for &time in &times {
        let transport =
            |host: &str| transports.one(|row| row.time() == time && &row["component_name"] == host);
        let (sender, receiver) = (transport(SENDER), transport(RECEIVER));
        assert_eq!(
            pool(time, SENDER, "TX_TC0_BUFFER").int("node_id"),
            sender.int("node_id")
        );
        let data = pool(time, SENDER, "TX_TC0_BUFFER");
        assert_eq!(data.int("num_deq"), sender.int("num_verb_pkts_sent"));
        let control = pool(time, RECEIVER, "TX_TC1_BUFFER");
        assert_eq!(control.int("num_deq"), receiver.int("num_non_verb_pkts_sent"));
        let received = pool(time, RECEIVER, "RX_TC0_BUFFER");
        assert_eq!(received.int("num_enq"), receiver.int("num_writes_recvd"));
        let acknowledged = pool(time, SENDER, "RX_TC1_BUFFER");
        let packets = sender.int("num_acks_recvd") + sender.int("num_conn_pkts_recvd");
        assert_eq!(acknowledged.int("num_enq"), packets);
        if time > DATA_START {
            // A message of 62 packets: generation fetches until the 56th finds no room. A received packet is written to the
            // host at once, an ACK processed at once.
            assert_eq!(data.int("interval_max_occupancy_B"), 55 * FULL_PACKET);
            assert_eq!(received.int("interval_max_occupancy_B"), FULL_PACKET - 18);
            assert_eq!(
                (received.int("occupancy_B"), acknowledged.int("occupancy_B")),
                (0, 0)
            );
            assert_eq!(acknowledged.int("interval_max_occupancy_B"), ACK - 18);
            assert_eq!(control.int("max_occupancy_B"), ACK);
        }
    }
}

#[test]
fn what_a_receive_pool_refuses_is_its_overflow() {
    // The NIC writes 16 Gbps to its host and pauses nobody; its pools hold 45,000 and 5,000 B.
    let outcome = observed(
        0.0032,
        &[
            &format!("{NIC_LANES}.LaneBps=1Gbps"),
            &format!("{INGRESS}.TotalBufferSize=50 KB"),
            &format!("{INGRESS}.PFCEnableVector=[0,0,0,0,0,0,0,0]"),
            "SimulationParameters.NetworkBufferStatsReportingInterval=0.0001",
            "SimulationParameters.NDStatsReportInterval=0.0001",
            "Nic.TransportProcessingLayers.RoceTransportLayer.RetransmitTimeout=50us",
        ],
    );
    let (pools, devices) = (outcome.table(POOLS), outcome.table("nd-stats"));
    let mut dropped = 0;
    for row in pools.rows().filter(|row| &row["buffer_id"] == "RX_TC0_BUFFER") {
        let port =
            devices.one(|d| d.time() == row.time() && d["node_id"] == row["node_id"] && d.int("tier") == 3);
        assert_eq!(row.int("overflow"), port.int("rx_drops"));
        dropped = dropped.max(row.int("overflow"));
        assert!(row.int("max_occupancy_B") <= row.int("buffer_max_size_B"));
        if row.int("overflow") > 0 {
            // The next full packet would not have fitted.
            assert!(row.int("max_occupancy_B") + FULL_PACKET - 18 > 45_000);
        }
    }
    assert!(dropped > 0);
}

#[test]
fn pools_are_recorded_only_if_both_ask_for_it() {
    for (nic, run) in [(true, false), (false, true), (false, false)] {
        let mut set = stop_at(0.0031);
        set.push(format!("Nic.EnableBufferStats={nic}"));
        set.push(format!(
            "SimulationParameters.EnableNetworkBufferStatsReporting={run}"
        ));
        let outcome = play(&pair(1), &set);
        let written = |record: &str| outcome.summary.files.iter().any(|name| name.contains(record));
        assert!(!written(POOLS) && !written(PCIE), "{nic}, {run}");
    }
}

/// The row of one end at one time.
fn end<'a>(table: &'a Table, time: u64, host: &str, direction: &str) -> Row<'a> {
    table.one(|row| row.time() == time && &row["component_name"] == host && &row["direction"] == direction)
}

#[test]
fn one_write_over_pcie_to_the_picosecond() {
    // One report, 5.6 us after data start: the first write has been fetched, sent and written to the other host, and is not
    // complete yet.
    let outcome = observed(
        0.0030056,
        &[
            "Rdma.MaxPendingWQEs=1",
            "SimulationParameters.NDStatsReportInterval=0.0010056",
        ],
    );
    let pcie = outcome.table(PCIE);
    let columns = "job_id,time_utc,sim_time_sec,component_name,node_id,direction,link_rate_Gbps,messages,ivl_messages,\
                   transfers,ivl_transfers,payload_bytes,ivl_payload_bytes,link_bytes,ivl_link_bytes,\
                   ivl_payload_Gbps,ivl_link_percent_util,link_waits,ivl_link_waits,ivl_mean_link_wait_usec,\
                   ivl_max_link_wait_usec,buffer_stalls,ivl_buffer_stalls,ivl_total_buffer_stall_usec,\
                   ivl_max_buffer_stall_usec,ivl_max_buffer_bytes,buffer_size_bytes,pending_messages,pending_bytes";
    assert_eq!(pcie.header().join(","), columns);
    let time = 3_005_600 * NS;
    assert_eq!((pcie.times(), pcie.len()), (vec![time], 4));
    assert_eq!(outcome.table("rdma-perf").len(), 0);
    let interval = 1_005_600 * NS;
    let pcie_time = |bytes| crate::common::pcie(bytes, DEFAULT_PCIE);
    // Messages, transfers, payload, busy time. A full segment moves in 8 transfers, the last one, 144 B, in one.
    let data = (62, 61 * 8 + 1, 250_000, 61 * pcie_time(4_096) + pcie_time(144));
    let expected = [
        (
            SENDER,
            "nic-to-host",
            (62, 62, 62 * READ_REQUEST, 62 * pcie_time(READ_REQUEST)),
        ),
        (
            SENDER,
            "host-to-nic",
            (
                data.0 + 1,
                data.1 + 1,
                data.2 + DOORBELL,
                data.3 + pcie_time(DOORBELL),
            ),
        ),
        (RECEIVER, "nic-to-host", data),
        (RECEIVER, "host-to-nic", (0, 0, 0, 0)),
    ];
    for (row, (host, direction, (messages, transfers, payload, busy))) in pcie.rows().zip(expected) {
        assert_eq!((&row["component_name"], &row["direction"]), (host, direction));
        assert_eq!(
            (&row["link_rate_Gbps"], row.int("pending_messages")),
            ("504.32", 0)
        );
        assert_eq!(
            (row.int("messages"), row.int("transfers")),
            (messages, transfers),
            "{host} {direction}"
        );
        assert_eq!(
            (row.int("payload_bytes"), row.int("link_bytes")),
            (payload, payload + 34 * transfers)
        );
        for column in ["messages", "transfers", "payload_bytes", "link_bytes"] {
            assert_eq!(row[column], row[&*format!("ivl_{column}")]);
        }
        assert_eq!(
            row.float("ivl_link_percent_util"),
            busy as f64 * 100.0 / interval as f64
        );
        let gbps = row.float("ivl_payload_Gbps");
        assert!((gbps - payload as f64 * 8_000.0 / interval as f64).abs() < 1e-9);
        assert_eq!((row.int("buffer_stalls"), row.int("pending_bytes")), (0, 0));
    }
    // Packets come every 83.08 ns and are written in 69.288: none waits, and each is alone in the buffer. But the last one
    // comes 4.04 ns behind the one before it.
    let written = end(&pcie, time, RECEIVER, "nic-to-host");
    assert_eq!(written.int("link_waits"), 1);
    assert_eq!(written.scaled("ivl_max_link_wait_usec", 6), 69_288 - 4_040);
    let mean = (69_288.0 - 4_040.0) / 62.0 / 1e6;
    assert!((written.float("ivl_mean_link_wait_usec") - mean).abs() < 1e-12);
    assert_eq!(
        (
            written.int("ivl_max_buffer_bytes"),
            written.int("buffer_size_bytes")
        ),
        (4_096, 256_000)
    );
    // 55 read requests are made at once, one waits behind the other: the 55th for 54 x 1,555 ps.
    let asked = end(&pcie, time, SENDER, "nic-to-host");
    let longest = asked.scaled("ivl_max_link_wait_usec", 6);
    assert_eq!(longest, 54 * pcie_time(READ_REQUEST));
}

#[test]
fn a_slow_way_from_memory_is_seen_at_the_sender() {
    // 16 lanes of 7.88 Gbps from the host: 4,096 of 4,368 B are payload, 118.2 Gbps.
    let outcome = observed(
        0.005,
        &[
            &format!("{HOST_LANES}.LaneBps=7.88Gbps"),
            "Rdma.TransferSize=64 MiB",
            "Rdma.MaxPendingWQEs=1",
        ],
    );
    let pcie = outcome.table(PCIE);
    // Reports at 3, 4 and 5 ms; data flows in the last two, the fetch starting with the first 0.1 us.
    let row = end(&pcie, 5_000 * US, SENDER, "host-to-nic");
    assert_eq!(row.float("ivl_link_percent_util"), 100.0);
    let payload = 4_096.0 * 8.0 * 1e3 / crate::common::pcie(4_096, 16 * 7_880_000_000) as f64;
    assert!((payload - 118.2).abs() < 0.05);
    let found = row.float("ivl_payload_Gbps");
    assert!((found / payload - 1.0).abs() < 1e-3, "{found} for {payload}");
    // Requests wait at the host: those of a full transmit pool are under way at any time.
    assert!(row.int("ivl_link_waits") > 3_000);
    assert!(row.float("ivl_mean_link_wait_usec") <= row.float("ivl_max_link_wait_usec"));
    assert!(row.int("pending_messages") > 0 && row.int("pending_bytes") <= 55 * 4_096);
    // The receiver's link has nothing to complain of.
    let written = end(&pcie, 5_000 * US, RECEIVER, "nic-to-host");
    assert!(written.float("ivl_link_percent_util") < 30.0 && written.int("buffer_stalls") == 0);
}

#[test]
fn a_slow_way_to_memory_is_seen_at_the_receiver() {
    let outcome = observed(
        0.005,
        &[
            &format!("{NIC_LANES}.LaneBps=7.88Gbps"),
            "Rdma.TransferSize=64 MiB",
            "Rdma.MaxPendingWQEs=1",
        ],
    );
    assert_eq!(outcome.summary.drops, 0);
    let (pcie, transports) = (outcome.table(PCIE), outcome.table("roce-transport-stats"));
    let time = 5_000 * US;
    let row = end(&pcie, time, RECEIVER, "nic-to-host");
    assert_eq!(row.float("ivl_link_percent_util"), 100.0);
    assert!((row.float("ivl_payload_Gbps") - 118.2).abs() < 0.2);
    // 16,000 B of headers are 470 transfers of 34 B: they are full before the 256,000 B for payload are.
    assert_eq!(row.int("ivl_max_buffer_bytes"), 470 * 512);
    assert!(row.int("ivl_buffer_stalls") > 3_000);
    assert!(row.scaled("ivl_max_buffer_stall_usec", 6) > 0);
    let (total, most) = (
        row.scaled("ivl_total_buffer_stall_usec", 6),
        row.scaled("ivl_max_buffer_stall_usec", 6),
    );
    assert!(total <= most * row.int("ivl_buffer_stalls") && total > most);
    assert!(
        most <= row.scaled("ivl_max_link_wait_usec", 6),
        "part of the wait for the link"
    );
    // Every packet received in order was handed over: it has passed or is pending.
    let received = transports.one(|t| t.time() == time && &t["component_name"] == RECEIVER);
    assert_eq!(received.int("num_rx_drops") + received.int("num_duplicate"), 0);
    let handed_over = row.int("payload_bytes") + row.int("pending_bytes");
    assert_eq!(handed_over, received.int("num_writes_recvd") * 4_096);
    assert_eq!(
        row.int("messages") + row.int("pending_messages"),
        received.int("num_writes_recvd")
    );
    // What is pending and not in the buffer yet holds the receive pool, which has paused the sender.
    assert!(outcome.summary.pfc_pauses > 0);
    assert!(row.int("pending_bytes") > 1_000_000);
}

//! The latency of one uncontended work request equals a closed form, to the picosecond.
//!
//! One pair, one connection, one work request outstanding: nothing ever waits for anything but itself. The latency of
//! a message of n packets, the last of them smaller or full, is then the sum of
//!
//! 1. the doorbell: 64 + 28 B as one PCIe transfer of 126 B, host to NIC;
//! 2. 80 ns, since the ready queue was empty;
//! 3. the first read request: 64 B as one PCIe transfer of 98 B, NIC to host; the host answers at once;
//! 4. the first segment's payload over PCIe, host to NIC;
//! 5. the way of the packets to the receiver: below;
//! 6. the ACK that the last packet draws on arrival: 126 B over every link back, its serialization and delay each time.
//!
//! The way of the packets over links 1 to h (the NIC's, then each switch's) where a full packet takes F(i), the last
//! packet L(i) <= F(i) and the delay is d(i): switches store and forward, a frame goes on when all of it is there.
//!
//! - One packet: the sum of L(i) + d(i).
//! - More, all links at one rate, each fetch at most a serialization (`network bound`): the first packet passes all
//!   links, the n - 2 full packets after it follow back to back, F apart, and so does the last, which catches up with
//!   its predecessor at every switch and trails it by L on every link: sum of F(i) + d(i), + (n - 2) F, + L.
//! - More, all links at one rate, the host link slower (`PCIe bound`): packet n - 1 is fetched n - 2 fetches after the
//!   first and finds every link idle; the last packet is held up by its own fetch or by its predecessor:
//!   (n - 2) fetches + max(fetch of the last + sum of L(i), sum of F(i) + L(h)) + sum of d(i).
//!
//! The egress pool of 230,400 B holds 55 full packets, so generation stops at the 56th. It starts again 80 ns after the
//! pool has drained to 115,200 B, that is, to 27 packets; those last longer than restart, request and fetch, so the stop
//! costs nothing (asserted as a premise). With a pool of one or two packets it does, and the last tests pin that.

use crate::common::*;

/// Rates in bits per second and delays in picoseconds from sender to receiver; the way back is the same.
struct Way {
    host_to_nic: u64,
    nic_to_host: u64,
    links: Vec<(u64, u64)>,
}

impl Way {
    fn one_rack() -> Way {
        Way {
            host_to_nic: DEFAULT_PCIE,
            nic_to_host: DEFAULT_PCIE,
            links: vec![(400 * GBPS, 100 * NS); 2],
        }
    }

    /// A packet or ACK of `bytes` over link i.
    fn over(&self, link: usize, bytes: u64) -> u64 {
        serialization(bytes, self.links[link].0)
    }

    /// The sum over all links of a frame's serialization.
    fn over_all(&self, bytes: u64) -> u64 {
        (0..self.links.len()).map(|link| self.over(link, bytes)).sum()
    }

    /// The closed form.
    fn latency(&self, size: u64) -> u64 {
        let (n, last) = (packets(size), last_payload(size));
        let h = self.links.len() - 1;
        let doorbell = pcie(DOORBELL, self.host_to_nic);
        let request = pcie(READ_REQUEST, self.nic_to_host);
        let first_fetch = pcie(size.min(4_096), self.host_to_nic);
        let delays: u64 = self.links.iter().map(|link| link.1).sum();
        let way = if n == 1 {
            self.over_all(last + HEADERS)
        } else {
            assert!(
                self.links.iter().all(|link| link.0 == self.links[0].0),
                "links of one rate"
            );
            let (fetch, full) = (first_fetch, self.over(0, FULL_PACKET));
            // Requests are issued together and overtake the answers before them: none delays its own answer.
            assert!(request <= fetch);
            if fetch <= full {
                // Network bound. While the 27 packets of the half-empty pool are sent, the next is fetched.
                assert!(
                    RESTART + request + fetch <= 27 * full,
                    "premise: the pool's stop costs nothing"
                );
                self.over_all(FULL_PACKET) + (n - 2) * full + self.over(h, last + HEADERS)
            } else {
                // PCIe bound. While the other 27 payloads of the pool come in, the next is requested.
                assert!(
                    RESTART + request + full <= 27 * fetch,
                    "premise: the pool's stop costs nothing"
                );
                let behind_its_fetch = pcie(last, self.host_to_nic) + self.over_all(last + HEADERS);
                let behind_its_predecessor = self.over_all(FULL_PACKET) + self.over(h, last + HEADERS);
                (n - 2) * fetch + behind_its_fetch.max(behind_its_predecessor)
            }
        };
        let ack = self.over_all(ACK) + delays;
        doorbell + RESTART + request + first_fetch + way + delays + ack
    }
}

/// Runs one work request after the other for `microseconds` and gives the one latency they all have.
fn measured(racks: usize, size: u64, attributes: &[String], microseconds: u64) -> u64 {
    let mut settings = stop_at(0.003 + microseconds as f64 * 1e-6);
    settings.push("Rdma.MaxPendingWQEs=1".into());
    settings.push("Rdma.NumConnections=1".into());
    settings.push(format!("Rdma.TransferSize={size}B"));
    settings.extend_from_slice(attributes);
    let outcome = play(&pair(racks), &settings);
    let perf = outcome.table("rdma-perf");
    assert!(perf.len() >= 3, "{} work requests of {size} B", perf.len());
    let latency = perf.rows().next().expect("a row").latency();
    for (k, row) in perf.rows().enumerate() {
        assert_eq!(row.latency(), latency, "work request {} of {size} B", k + 1);
        // Each begins when the one before it completes, the first at data start.
        assert_eq!(row.scaled("start_time_sec", 12), DATA_START + k as u64 * latency);
        assert_eq!(row.time(), DATA_START + (k as u64 + 1) * latency);
        assert_eq!(
            (row.int("wqe_id"), row.int("transfer_size")),
            (k as u64 + 1, size)
        );
    }
    assert_eq!(
        perf.len() as u64,
        microseconds * US / latency,
        "as many as fit before the stop time"
    );
    latency
}

const SIZES: [u64; 6] = [0, 1, 4_096, 4_097, 250_000, 1 << 20];

#[test]
fn one_switch_at_defaults() {
    // The terms above at 400 Gbps (20 ps a byte), 100 ns a link and 504.32 Gbps of PCIe, in picoseconds:
    // doorbell 1,999; restart 80,000; request 1,555; fetch of 4,096 B 8 x 8,661 = 69,288; full packet 83,080; ACK 2,520.
    let literal = [
        // 0 B: fetch 539, packet of 58 B 1,160.
        1_999 + 80_000 + 1_555 + 539 + 2 * (1_160 + 100_000) + 2 * (2_520 + 100_000),
        // 1 B: fetch 555, packet of 59 B 1,180.
        1_999 + 80_000 + 1_555 + 555 + 2 * (1_180 + 100_000) + 2 * (2_520 + 100_000),
        1_999 + 80_000 + 1_555 + 69_288 + 2 * (83_080 + 100_000) + 2 * (2_520 + 100_000),
        // 4,097 B: the second packet of 59 B follows the first over the last link.
        1_999 + 80_000 + 1_555 + 69_288 + 2 * (83_080 + 100_000) + 1_180 + 2 * (2_520 + 100_000),
        // 250,000 B: 62 packets, the last of 202 B, 4,040.
        1_999
            + 80_000
            + 1_555
            + 69_288
            + 2 * (83_080 + 100_000)
            + 60 * 83_080
            + 4_040
            + 2 * (2_520 + 100_000),
        // 1 MiB: 256 full packets.
        1_999
            + 80_000
            + 1_555
            + 69_288
            + 2 * (83_080 + 100_000)
            + 254 * 83_080
            + 83_080
            + 2 * (2_520 + 100_000),
    ];
    assert_eq!(
        literal,
        [491_453, 491_509, 724_042, 725_222, 5_712_882, 21_909_442]
    );
    for (size, literal) in SIZES.into_iter().zip(literal) {
        assert_eq!(
            Way::one_rack().latency(size),
            literal,
            "the closed form for {size} B"
        );
        assert_eq!(measured(1, size, &[], 100), literal, "{size} B");
    }
}

#[test]
fn one_switch_with_a_slow_rack_port_and_pcie_3() {
    // NIC 200 Gbps and switch port 100 Gbps: the link runs at 100 Gbps both ways. Lanes 16 x 7.88 = 126.08 Gbps.
    let way = Way {
        host_to_nic: 126_080_000_000,
        nic_to_host: 126_080_000_000,
        links: vec![(100 * GBPS, 130 * NS); 2],
    };
    let attributes = [
        format!("{NIC_RATE}=200Gbps"),
        format!("{RACK_DOWN_RATE}=100Gbps"),
        format!("{NIC_DELAY}=130ns"),
        format!("{NIC_LANES}.LaneBps=7.88Gbps"),
        format!("{HOST_LANES}.LaneBps=7.88Gbps"),
    ];
    for size in SIZES {
        assert_eq!(measured(1, size, &attributes, 400), way.latency(size), "{size} B");
    }
}

#[test]
fn one_switch_where_the_host_link_is_the_bottleneck() {
    // PCIe 3 lanes under a 400 Gbps port: a fetch takes 8 x 34,645 ps, a full packet 83,080 ps.
    let way = Way {
        host_to_nic: 126_080_000_000,
        nic_to_host: 126_080_000_000,
        ..Way::one_rack()
    };
    assert_eq!(pcie(4_096, way.host_to_nic), 277_160);
    let attributes = [
        format!("{NIC_LANES}.LaneBps=7.88Gbps"),
        format!("{HOST_LANES}.LaneBps=7.88Gbps"),
    ];
    for size in SIZES {
        assert_eq!(measured(1, size, &attributes, 400), way.latency(size), "{size} B");
    }
}

#[test]
fn rates_that_divide_nothing_are_rounded_frame_by_frame() {
    // No serialization below is a whole number of picoseconds, so any rounding of sums in place of terms shows: a full
    // packet at 177.7 Gbps takes 187,011.8 ps, a transfer of 546 B over 13 lanes of 17.3 Gbps 19,422 (19,421.96) ps.
    // (The NIC's own lanes, which carry read requests here, must outrun the link: they also take in what is received.)
    let way = Way {
        host_to_nic: 13 * 17_300_000_000,
        nic_to_host: 11 * 27_310_000_000,
        links: vec![(177_700_000_000, 131_700); 2],
    };
    assert_eq!(
        (
            serialization(FULL_PACKET, 177_700_000_000),
            pcie(4_096, way.host_to_nic)
        ),
        (187_012, 155_376)
    );
    let attributes = [
        format!("{NIC_RATE}=177.7Gbps"),
        format!("{NIC_DELAY}=131.7ns"),
        format!("{NIC_LANES}.LaneBps=27.31Gbps"),
        format!("{NIC_LANES}.LaneCount=11"),
        format!("{HOST_LANES}.LaneBps=17.3Gbps"),
        format!("{HOST_LANES}.LaneCount=13"),
    ];
    for size in SIZES {
        assert_eq!(measured(1, size, &attributes, 400), way.latency(size), "{size} B");
    }
}

#[test]
fn two_racks_at_defaults_cross_three_switches() {
    // NIC links 100 ns, links between switches the rack switch's 500 ns; all at 400 Gbps.
    let links = vec![
        (400 * GBPS, 100 * NS),
        (400 * GBPS, 500 * NS),
        (400 * GBPS, 500 * NS),
        (400 * GBPS, 100 * NS),
    ];
    let way = Way {
        links,
        ..Way::one_rack()
    };
    let of_250_000 = 1_999
        + 80_000
        + 1_555
        + 69_288
        + (4 * 83_080 + 1_200_000)
        + 60 * 83_080
        + 4_040
        + (4 * 2_520 + 1_200_000);
    assert_eq!(of_250_000, 7_884_082);
    assert_eq!(way.latency(250_000), of_250_000);
    for size in SIZES {
        assert_eq!(measured(2, size, &[], 150), way.latency(size), "{size} B");
    }
}

#[test]
fn two_racks_with_a_slow_middle() {
    // Uplinks at 133.3 Gbps and 777.7 ns between 400 Gbps NIC links of 55 ns: packets pile up at the first rack switch.
    let slow = (133_300_000_000, 777_700);
    let fast = (400 * GBPS, 55 * NS);
    let way = Way {
        links: vec![fast, slow, slow, fast],
        ..Way::one_rack()
    };
    let attributes = [
        format!("{RACK_UP_RATE}=133.3Gbps"),
        format!("{RACK_DELAY}=777.7ns"),
        format!("{NIC_DELAY}=55ns"),
    ];
    let (f_fast, f_slow) = (
        serialization(FULL_PACKET, fast.0),
        serialization(FULL_PACKET, slow.0),
    );
    let to_first_packet = 1_999 + 80_000 + 1_555 + 69_288;
    let delays = 2 * (fast.1 + slow.1);
    let ack = 2 * (serialization(ACK, fast.0) + serialization(ACK, slow.0)) + delays;
    for size in SIZES {
        let (n, last) = (packets(size), last_payload(size) + HEADERS);
        let (l_fast, l_slow) = (serialization(last, fast.0), serialization(last, slow.0));
        let expected = match n {
            1 => way.latency(size),
            _ => {
                // Full packets leave the first rack switch F(slow) apart and meet idle links from there on. The last one
                // has long been waiting behind its predecessor there, leaves L(slow) after it, catches up with it at the
                // fabric switch and leaves L(slow) after it again. At the second rack switch it arrives L(slow) after
                // its predecessor, which needs F(fast): it trails it by L(fast) or, if it comes too late for that, by
                // L(slow) - F(fast) more.
                let trail = l_fast + l_slow.saturating_sub(f_fast);
                to_first_packet + 2 * (f_fast + f_slow) + (n - 2) * f_slow + trail + delays + ack
            }
        };
        assert_eq!(measured(2, size, &attributes, 400), expected, "{size} B");
    }
}

/// Attributes of an egress pool of `packets` full packets for the data class.
fn egress_pool(packets: u64) -> Vec<String> {
    vec![
        format!(
            "Nic.NetworkInterface.EgressBufferManager.TotalBufferSize={}B",
            2 * packets * FULL_PACKET
        ),
        "Nic.NetworkInterface.EgressBufferManager.PoolAllocationVector=[0.5,0.5,0,0,0,0,0,0]".into(),
    ]
}

/// Doorbell, restart, request, fetch; the last packet's way from the end of its serialization at the NIC; the ACK back.
fn before_and_after(way_of_the_last: u64) -> u64 {
    1_999 + 80_000 + 1_555 + 69_288 + 100_000 + way_of_the_last + 2 * (2_520 + 100_000)
}

#[test]
fn an_egress_pool_of_one_packet_serializes_everything() {
    // Every packet waits for the one before it to be sent, then 80 ns, its request and its fetch, and is sent at once:
    // 80,000 + 1,555 + 69,288 + 83,080 ps from end to end. The switch's port is idle again when each of the 16 arrives.
    let cycle = 80_000 + 1_555 + 69_288 + 83_080;
    let expected = before_and_after(83_080 + 100_000) + 83_080 + 15 * cycle;
    assert_eq!(measured(1, 16 * 4_096, &egress_pool(1), 100), expected);
}

#[test]
fn an_egress_pool_of_two_packets_sends_them_in_couples() {
    // The pool's half is one packet, so each end of a serialization restarts generation, which finds room for one.
    // Packets 1 and 2 leave back to back, ends e and e + F. Packet 3 is requested 80 ns after e and its payload is there
    // at e + 150,843, when packet 2 (gone at e + 83,080) no longer holds the port: it ends at e + 233,923. Packet 4,
    // restarted by the end of packet 2, is there 83,080 after packet 3: back to back again. Two packets every 233,923.
    let couple = 80_000 + 1_555 + 69_288 + 83_080;
    let expected = before_and_after(83_080 + 100_000) + 83_080 + 7 * couple + 83_080;
    assert_eq!(measured(1, 16 * 4_096, &egress_pool(2), 100), expected);
}

//! The buffer records of switches: their rows, and occupancies that follow from arithmetic.

use crate::common::*;
use std::collections::BTreeMap;

const AGG: &str = "scala-switch-agg-buff-stats";
const PORTS: &str = "scala-switch-buff-stats";

/// Charged for a frame: without Ethernet header and check sequence, 18 B.
const FULL_CHARGE: u64 = FULL_PACKET - 18;
const ACK_CHARGE: u64 = ACK - 18;
const CONNECTION_CHARGE: u64 = CONNECTION_PACKET - 18;

const INTERVAL: &str = "SharedBufferManager.BufferStatsReportInterval";

/// `ivl_mean_bytes` times the interval: byte picoseconds.
fn area(row: &Row<'_>, interval: u64) -> f64 {
    row.float("ivl_mean_bytes") * interval as f64
}

#[track_caller]
fn close(found: f64, right: f64) {
    assert!(
        (found - right).abs() <= 1e-9 * right.abs().max(1.0),
        "{found} for {right}"
    );
}

#[test]
fn single_packets_stay_as_long_as_their_serialization_takes() {
    // One write of one packet at a time through one switch: a packet is charged from its arrival in full to the end of its
    // serialization, 83.08 ns, an ACK for 2.52 ns, each of the three connection packets for 2.44 ns.
    let interval = 50 * US;
    let mut set = stop_at(0.0034);
    set.extend(settings(["Rdma.TransferSize=4096 B", "Rdma.MaxPendingWQEs=1"]));
    set.push(format!("RackSwitch.{INTERVAL}=50us"));
    set.push("SimulationParameters.NDStatsReportInterval=0.00005".into());
    let outcome = play(&pair(1), &set);
    let (buffers, devices) = (outcome.table(AGG), outcome.table("nd-stats"));
    let columns = "time_utc,sim_time_sec,component_name,tier,node_id,buff_id,uldl,pool_num,total_bytes,buffer_limit,\
                   ivl_count,ivl_min_bytes,ivl_max_bytes,ivl_mean_bytes,ivl_max_pct_util,ivl_mean_pct_util";
    assert_eq!(buffers.header().join(","), columns);
    // 28 reports from 2.05 to 3.4 ms: queues and what came in on downlinks (there is no uplink), and the pool as a whole, of
    // two pools.
    let times: Vec<u64> = (1..=28).map(|k| 2_000 * US + k * interval).collect();
    assert_eq!(buffers.times(), times);
    assert_eq!(buffers.len(), 28 * 3 * 2);

    // Two ports: (256,000,000 - 2 x 256,000) x 0.9 and x 0.1.
    let sizes = [229_939_200u64, 25_548_800];
    let (mut areas, mut counts, mut empty) = ([0.0; 2], [0u64; 2], 0);
    for &time in &times {
        for pool in 0..2 {
            let row = |buffer: &str| {
                buffers.one(|row| {
                    row.time() == time && row.int("pool_num") == pool as u64 && &row["buff_id"] == buffer
                })
            };
            let (egress, ingress, shared) = (row("egressQueue"), row("ingressUsage"), row("sharedBuffer"));
            assert_eq!(
                (&egress["uldl"], &ingress["uldl"], &shared["uldl"]),
                ("dl", "dl", "-")
            );
            assert_eq!((shared.int("tier"), shared.int("node_id")), (2, 0));
            assert_eq!(&shared["component_name"], "ScalaRackSwitch-0-0-0-0-2-0");
            // What comes in waits at once to go out, and nothing is in headroom: three times the same.
            for column in buffers
                .header()
                .iter()
                .filter(|name| name.contains("bytes") || *name == "ivl_count")
            {
                assert_eq!(
                    (&egress[column], &ingress[column]),
                    (&shared[column], &shared[column]),
                    "{column}"
                );
            }
            counts[pool] += shared.int("ivl_count");
            areas[pool] += area(&shared, interval);
            assert_eq!(shared.int("buffer_limit"), sizes[pool]);
            assert_eq!(shared.int("ivl_min_bytes"), 0);
            let percent = shared.float("ivl_max_bytes") * 100.0 / sizes[pool] as f64;
            close(shared.float("ivl_max_pct_util"), percent);
            close(
                shared.float("ivl_mean_pct_util") * sizes[pool] as f64 / 100.0 * interval as f64,
                area(&shared, interval),
            );
            if time > DATA_START {
                assert_eq!(shared.int("ivl_max_bytes"), [FULL_CHARGE, ACK_CHARGE][pool]);
            }
        }
        let frames = |direction: &str| {
            let ports = devices
                .rows()
                .filter(|row| row.time() == time && row.int("node_id") == 0);
            ports.map(|row| row.int(direction)).sum::<u64>()
        };
        if frames("total_packets_rx") == frames("total_packets_tx") {
            // Nothing is inside: every packet charged has been there for its whole time.
            empty += 1;
            let control = counts[1].saturating_sub(3);
            let connection = counts[1] - control;
            close(areas[0], (counts[0] * FULL_CHARGE * 83_080) as f64);
            let right = control * ACK_CHARGE * 2_520 + connection * CONNECTION_CHARGE * 2_440;
            close(areas[1], right as f64);
            assert_eq!(counts[0] + counts[1], frames("total_packets_rx"));
        }
    }
    assert!(empty > 20 && counts[0] > 100, "{empty} reports, {counts:?}");
    let last = |pool: u64| {
        buffers
            .rows()
            .filter(|row| row.int("pool_num") == pool)
            .last()
            .expect("a row")
    };
    assert_eq!(last(0).int("total_bytes"), counts[0] * FULL_CHARGE);
    assert_eq!(
        last(1).int("total_bytes"),
        3 * CONNECTION_CHARGE + (counts[1] - 3) * ACK_CHARGE
    );
}

/// The incast with every port's buffer and reports every 20 us.
fn incast(connections: u64, set: &[&str]) -> Outcome {
    let mut all = stop_at(0.0034);
    all.push(format!("Rdma.NumConnections={connections}"));
    all.push("RackSwitch.SharedBufferManager.ReportPerPortBufferStats=true".into());
    all.push(format!("RackSwitch.{INTERVAL}=20us"));
    all.extend(set.iter().map(|&setting| setting.to_owned()));
    play(&template("rdma-incast"), &all)
}

#[test]
fn the_first_burst_of_an_incast_fills_the_buffer_as_computed() {
    let outcome = incast(1, &[]);
    let buffers = outcome.table(AGG);
    let time = DATA_START + 20 * US;
    // Eight senders in step: 61 full packets and one of 184 B each, 83.08 ns apart. As the 61st of each arrives the port to
    // the receiver has sent 60: 8 x 61 - 60 = 428 full packets are in the buffer, and 4.04 ns later eight last ones too.
    let most = 428 * FULL_CHARGE + 8 * 184;
    assert_eq!(most, 1_771_680);
    for buffer in ["egressQueue", "ingressUsage", "sharedBuffer"] {
        let row =
            buffers.one(|row| row.time() == time && row.int("pool_num") == 0 && &row["buff_id"] == buffer);
        assert_eq!(row.int("ivl_max_bytes"), most, "{buffer}");
        assert_eq!(row.int("ivl_count"), 8 * 62);
        assert_eq!(row.int("total_bytes"), 8 * (61 * FULL_CHARGE + 184));
        assert_eq!(row.int("ivl_min_bytes"), 0);
    }
    // Port by port. The queue is that of one port; of the 60 packets sent, four senders had eight and four had seven.
    let ports = outcome.table(PORTS);
    let rows = |buffer: &str| -> Vec<u64> {
        let found = ports.rows().filter(|row| {
            row.time() == time
                && row.int("pool_num") == 0
                && &row["buff_id"] == buffer
                && row.int("ivl_count") > 0
        });
        let mut most: Vec<u64> = found.map(|row| row.int("ivl_max_bytes")).collect();
        most.sort_unstable();
        most
    };
    assert_eq!(rows("egressQueue"), [most]);
    let (eight, seven) = (53 * FULL_CHARGE + 184, 54 * FULL_CHARGE + 184);
    assert_eq!(
        rows("ingressUsage"),
        [eight, eight, eight, eight, seven, seven, seven, seven]
    );
    assert_eq!(rows("hdrm"), [0; 0], "no port has paused");
    // In the next 20 us the buffer only drains: 20 us at 20 ps a byte on the wire are 240.7 full packets.
    let next = buffers.one(|row| {
        row.time() == time + 20 * US && row.int("pool_num") == 0 && &row["buff_id"] == "sharedBuffer"
    });
    let drained = next.int("ivl_max_bytes") - next.int("ivl_min_bytes");
    assert!(
        (240 * FULL_CHARGE..=241 * FULL_CHARGE).contains(&drained),
        "{drained}"
    );
    let mean = next.float("ivl_mean_bytes");
    let middle = (next.int("ivl_max_bytes") + next.int("ivl_min_bytes")) as f64 / 2.0;
    assert!(
        (mean - middle).abs() < FULL_CHARGE as f64,
        "a straight line: {mean}, {middle}"
    );
    assert_eq!(next.int("ivl_count"), 0);
}

#[test]
fn ports_add_up_to_pools_and_what_came_in_to_what_waits() {
    // With pauses: headroom is used as well.
    let outcome = incast(4, &[]);
    assert!(outcome.summary.pfc_pauses > 0);
    let (buffers, ports) = (outcome.table(AGG), outcome.table(PORTS));
    let columns = "time_utc,sim_time_sec,component_name,tier,node_id,buff_id,ifid,uldl,pool_num,buff_limit,ivl_count,\
                   ivl_min_bytes,ivl_max_bytes,ivl_mean_bytes,ivl_max_pct_util,ivl_mean_pct_util";
    assert_eq!(ports.header().join(","), columns);
    // Nine ports, two pools, both with a lossless class.
    let times = buffers.times();
    assert_eq!(
        (ports.times(), ports.len()),
        (times.clone(), times.len() * 9 * 2 * 3)
    );
    let mut sums: BTreeMap<(u64, u64, String), (f64, u64, u64)> = BTreeMap::new();
    for row in ports.rows() {
        let key = (row.time(), row.int("pool_num"), row["buff_id"].to_owned());
        let sum = sums.entry(key).or_default();
        sum.0 += row.float("ivl_mean_bytes");
        sum.1 += row.int("ivl_count");
        sum.2 += row.int("ivl_max_bytes");
        assert!(row.int("ivl_min_bytes") <= row.int("ivl_max_bytes"));
        let mean = row.float("ivl_mean_bytes");
        assert!(mean >= row.float("ivl_min_bytes") && mean <= row.float("ivl_max_bytes"));
        // (256,000,000 - 9 x 256,000) x 0.9 and x 0.1; Xoff; the headroom of a port.
        let pool = [228_326_400, 25_369_600][row.int("pool_num") as usize];
        let limit = match &row["buff_id"] {
            "egressQueue" => pool,
            "ingressUsage" => 700_000,
            _ => 256_000,
        };
        assert_eq!(row.int("buff_limit"), limit);
        let percent = (row.float("ivl_max_bytes") * 100.0 / limit as f64).min(100.0);
        close(row.float("ivl_max_pct_util"), percent);
        assert_eq!(&row["uldl"], "dl");
        if &row["buff_id"] == "ingressUsage" {
            // The packet that crosses Xoff is charged as well, and no other.
            assert!(row.int("ivl_max_bytes") <= 700_000 + FULL_CHARGE);
        }
    }
    for &time in &times {
        for pool in 0..2 {
            let of = |buffer: &str| sums[&(time, pool, buffer.to_owned())];
            let row = |buffer: &str| {
                buffers
                    .one(|row| row.time() == time && row.int("pool_num") == pool && &row["buff_id"] == buffer)
            };
            for buffer in ["egressQueue", "ingressUsage"] {
                close(of(buffer).0, row(buffer).float("ivl_mean_bytes"));
                assert_eq!(of(buffer).1, row(buffer).int("ivl_count"));
                assert!(row(buffer).int("ivl_max_bytes") <= of(buffer).2);
            }
            assert_eq!(
                &row("ingressUsage")["ivl_mean_bytes"],
                &row("sharedBuffer")["ivl_mean_bytes"]
            );
            // Every byte that is queued is charged to its pool at ingress or to headroom, at every instant.
            close(of("ingressUsage").0 + of("hdrm").0, of("egressQueue").0);
            assert_eq!(of("ingressUsage").1 + of("hdrm").1, of("egressQueue").1);
        }
    }
    let headroom = ports.rows().filter(|row| &row["buff_id"] == "hdrm");
    let most = headroom.map(|row| row.int("ivl_max_bytes")).max().expect("rows");
    assert!(most > 0 && most <= 256_000, "{most}");
    // Ports that went over Xoff show 100 %, not more.
    let full: Vec<_> = ports
        .rows()
        .filter(|row| row.int("ivl_max_bytes") > row.int("buff_limit"))
        .collect();
    assert!(!full.is_empty());
    assert!(full.iter().all(|row| row.float("ivl_max_pct_util") == 100.0));
}

#[test]
fn a_lossy_queue_that_is_full_shows_its_limit() {
    // Class 0 lossy, each queue limited to its even share of the pool: pool 0 is (20,000,000 - 9 x 256,000) x 0.9 =
    // 15,926,400 B, a ninth of it 1,769,600 B, and the queue drops what would exceed it.
    let outcome = incast(
        4,
        &[
            "RackSwitch.SharedBufferManager.EnablePFC=[0,1,0,0,0,0,0,0]",
            "RackSwitch.SharedBufferManager.TotalSharedBufferSize=20 MB",
            "RackSwitch.SharedBufferManager.LossyAlpha=0",
        ],
    );
    assert!(outcome.summary.drops > 0);
    let ports = outcome.table(PORTS);
    let queues: Vec<_> = ports
        .rows()
        .filter(|row| &row["buff_id"] == "egressQueue" && row.int("pool_num") == 0)
        .collect();
    assert!(queues.iter().all(|row| row.int("buff_limit") == 1_769_600));
    let most = queues
        .iter()
        .map(|row| row.int("ivl_max_bytes"))
        .max()
        .expect("rows");
    assert!((1_769_600 - FULL_CHARGE..=1_769_600).contains(&most), "{most}");
    // No headroom where no class is lossless; what came in is compared with the pool.
    assert!(
        ports
            .rows()
            .all(|row| &row["buff_id"] != "hdrm" || row.int("pool_num") == 1)
    );
    let came_in = ports
        .rows()
        .filter(|row| &row["buff_id"] == "ingressUsage" && row.int("pool_num") == 0);
    assert!(came_in.into_iter().all(|row| row.int("buff_limit") == 15_926_400));
}

#[test]
fn each_kind_of_switch_reports_at_its_own_interval_and_by_direction() {
    let mut set = stop_at(0.0036);
    set.push(format!("RackSwitch.{INTERVAL}=300us"));
    set.push(format!("FabricSwitch.{INTERVAL}=700us"));
    set.push("FabricSwitch.SharedBufferManager.ReportPerPortBufferStats=true".into());
    set.push("SimulationParameters.NDStatsReportInterval=0.0001".into());
    let outcome = play(&template("rdma-16-hosts"), &set);
    let (buffers, devices) = (outcome.table(AGG), outcome.table("nd-stats"));
    let of = |tier: u64| buffers.rows().filter(move |row| row.int("tier") == tier);
    let times = |tier: u64| {
        let mut times: Vec<u64> = of(tier).map(|row| row.time()).collect();
        times.dedup();
        times
    };
    // From 2 ms on, up to the stop time 3.6 ms.
    assert_eq!(times(2), [2_300, 2_600, 2_900, 3_200, 3_500].map(|us| us * US));
    assert_eq!(times(1), [2_700, 3_400].map(|us| us * US));
    // Two rack switches with queues and ingress of two directions and the pool, two fabric switches with one direction.
    assert_eq!((of(2).count(), of(1).count()), (5 * 2 * 5 * 2, 2 * 2 * 3 * 2));
    // Ports only of the kind that asks for it: two switches of 16 ports, two pools, three rows each.
    let ports = outcome.table(PORTS);
    assert!(ports.rows().all(|row| row.int("tier") == 1));
    assert_eq!(ports.len(), 2 * 2 * 16 * 2 * 3);

    assert_eq!((outcome.summary.drops, outcome.summary.pfc_pauses), (0, 0));
    for (tier, time) in [(1, 3_400 * US), (2, 3_500 * US)] {
        for node in if tier == 1 { 0..2 } else { 2..4 } {
            for direction in ["ul", "dl"] {
                // Everything that arrived was charged, less 18 B a frame: no frame is shorter than 64 B.
                let arrived = devices
                    .rows()
                    .filter(|row| {
                        row.time() == time && row.int("node_id") == node && &row["uldl"] == direction
                    })
                    .map(|row| row.total_bytes("rx") - 18 * row.int("total_packets_rx"))
                    .sum::<u64>();
                let charged = buffers
                    .rows()
                    .filter(|row| row.time() == time && row.int("node_id") == node)
                    .filter(|row| &row["buff_id"] == "ingressUsage" && &row["uldl"] == direction)
                    .map(|row| row.int("total_bytes"))
                    .sum::<u64>();
                assert_eq!(charged, arrived, "node {node}, {direction}");
                assert!(charged > 0 || tier == 1 && direction == "ul");
            }
        }
    }
}

#[test]
fn the_record_of_ports_is_off_by_default() {
    let outcome = play(&pair(1), &stop_at(0.0031));
    let names: Vec<&String> = outcome
        .summary
        .files
        .iter()
        .filter(|name| name.contains("buff-stats"))
        .collect();
    assert_eq!(names, ["t-scala-switch-agg-buff-stats-0.csv"]);
    // The default interval is 1 ms: one report, at 3 ms.
    assert_eq!(outcome.table(AGG).times(), [3_000 * US]);
}

//! Frames lost on purpose: work requests complete exactly once and in order, at the times the recovery rules give.
//!
//! Two hosts on one switch, one work request of 1 MiB at a time, `RetransmitTimeout` 200 us. Losses are on the link into the
//! named node.

use crate::common::run_under_every_cut;
use packetloom_config::{Scenario, document, overrides, template, validate};
use packetloom_fabric::frame::Kind;
use packetloom_fabric::loss::{Loss, Target};
use packetloom_fabric::topology::Endpoint;
use packetloom_sim::RunOptions;
use packetloom_sim::assemble::Layout;
use packetloom_sim::summary::Summary;
use std::collections::HashMap;

/// `hosts` hosts on one switch.
fn one_rack(hosts: u64, set: &[&str]) -> Scenario {
    let text = template::text("rdma-one-rack").expect("the template exists");
    let mut value: serde_json::Value = serde_json::from_str(text).expect("templates are JSON");
    let rack = value["containers"]
        .as_array_mut()
        .expect("containers")
        .iter_mut()
        .find(|c| c["type"] == "rack");
    let servers = rack.expect("a rack")["components"]
        .as_array_mut()
        .expect("its components");
    servers
        .iter_mut()
        .find(|c| c["type"] == "server")
        .expect("servers")["count"] = hosts.into();
    let mut document = document::from_value(&value).unwrap_or_else(|e| panic!("{e}"));
    for setting in set {
        overrides::apply(&mut document, setting).unwrap_or_else(|e| panic!("{setting}: {e}"));
    }
    validate(&document).unwrap_or_else(|e| panic!("{e}"))
}

const MIB: [&str; 5] = [
    "Rdma.TransferSize=1048576 B",
    "Rdma.MaxPendingWQEs=1",
    "SimulationParameters.RunTime=0.001",
    "SimulationParameters.WarmUp=0",
    "Nic.TransportProcessingLayers.RoceTransportLayer.RetransmitTimeout=200us",
];

/// A run's rows: (connection's name, work request, posted [ps], latency [ps]), and the row sums of the transport record.
struct Outcome {
    requests: Vec<(String, u64, u64, u64)>,
    transport: HashMap<(String, String), u64>,
    summary: Summary,
}

impl Outcome {
    /// Last value of a column of `roce-transport-stats` for a host.
    fn counter(&self, host: u32, column: &str) -> u64 {
        self.transport[&(format!("ScalaHost-0-0-0-{host}"), column.to_owned())]
    }

    /// Latencies in ps, after checking that each connection's requests are there once and in order.
    fn latencies(&self) -> Vec<u64> {
        let mut next: HashMap<&str, u64> = HashMap::new();
        for (name, request, ..) in &self.requests {
            let expected = next.entry(name).or_insert(1);
            assert_eq!(request, expected, "{name}: every work request once and in order");
            *expected += 1;
        }
        self.requests.iter().map(|r| r.3).collect()
    }
}

/// Exact decimal text to units of 10^-digits.
fn exact(text: &str, digits: usize) -> u64 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    assert!(fraction.len() <= digits, "{text}");
    format!("{whole}{fraction:0<digits$}").parse().expect("a number")
}

fn rows(folder: &std::path::Path, record: &str) -> (csv::StringRecord, Vec<csv::StringRecord>) {
    let mut reader =
        csv::Reader::from_path(folder.join(format!("t-{record}-0.csv"))).expect("the record is there");
    let header = reader.headers().expect("a header").clone();
    let rows = reader.records().map(|row| row.expect("a whole row")).collect();
    (header, rows)
}

fn simulate(scenario: &Scenario, change: impl Fn(&mut RunOptions)) -> Outcome {
    let run = run_under_every_cut(scenario, change);
    let (out, summary) = (run.out.path(), run.summary);
    let (header, perf) = rows(out, "rdma-perf");
    let at = |name: &str| {
        header
            .iter()
            .position(|h| h == name)
            .expect("a documented column")
    };
    let (name, request, posted, latency) = (
        at("application_name"),
        at("wqe_id"),
        at("start_time_sec"),
        at("perf_metric_usec"),
    );
    let requests = perf
        .iter()
        .map(|row| {
            let number = row[request].parse().expect("a number");
            (
                row[name].to_owned(),
                number,
                exact(&row[posted], 12),
                exact(&row[latency], 6),
            )
        })
        .collect();
    let (header, stats) = rows(out, "roce-transport-stats");
    let mut transport = HashMap::new();
    for row in &stats {
        for (column, cell) in header.iter().zip(row) {
            if let Ok(value) = cell.parse() {
                transport.insert((row[2].to_owned(), column.to_owned()), value);
            }
        }
    }
    Outcome {
        requests,
        transport,
        summary,
    }
}

/// The initiator's and the responder's host.
fn pair(scenario: &Scenario) -> (u32, u32) {
    Layout::new(scenario).expect("lays out").placements[0].pairs[0]
}

fn lose(host: u32, target: Target, times: u32) -> (Endpoint, Vec<Loss>) {
    (
        Endpoint::Host(host),
        vec![Loss {
            target,
            skip: 0,
            times,
        }],
    )
}

// Times at the defaults, in ps: 400 Gbps is 20 ps a byte; links have 100 ns; PCIe as its unit tests show.
const FULL: u64 = 4_154 * 20;
const ACK: u64 = 126 * 20;
const DELAY: u64 = 100_000;
const FETCH: u64 = 1_555 + 69_288;
const RESTART: u64 = 80_000;
const TIMEOUT: u64 = 200_000_000;
/// A full packet's way from the start of its serialization to its arrival: the NIC, the link, the switch, the link.
const PACKET_WAY: u64 = FULL + DELAY + FULL + DELAY;
/// An ACK's or NAK's way back.
const ACK_WAY: u64 = ACK + DELAY + ACK + DELAY;
/// From the posting of a work request to the start of its first packet's serialization: doorbell, restart, fetch.
const FIRST_START: u64 = 1_999 + RESTART + FETCH;

/// When packet n (from 1) of an undisturbed message is received, from its posting: the port sends without a pause.
fn received(n: u64) -> u64 {
    FIRST_START + (n - 1) * FULL + PACKET_WAY
}

#[test]
fn undisturbed() {
    let scenario = one_rack(2, &MIB);
    let outcome = simulate(&scenario, |_| {});
    let latencies = outcome.latencies();
    assert!(latencies.len() > 30);
    assert!(
        latencies.iter().all(|&l| l == received(256) + ACK_WAY),
        "{latencies:?}"
    );
    assert_eq!(outcome.summary.retransmissions, 0);
}

/// The documented example: the ACK of packet 255 restarts the timer; packet 256 is fetched again when it expires.
#[test]
fn a_lost_last_packet_waits_for_the_timer() {
    let scenario = one_rack(2, &MIB);
    let (initiator, responder) = pair(&scenario);
    let outcome = simulate(&scenario, |o| {
        o.losses = vec![lose(responder, Target::Data(Some(255)), 1)]
    });
    let ack_of_255 = received(255) + ACK_WAY;
    let latencies = outcome.latencies();
    assert_eq!(
        latencies[0],
        ack_of_255 + TIMEOUT + RESTART + FETCH + PACKET_WAY + ACK_WAY
    );
    assert_eq!(latencies[1], received(256) + ACK_WAY, "the next is undisturbed");
    assert_eq!(outcome.counter(initiator, "num_rto"), 1);
    assert_eq!(outcome.counter(initiator, "num_rtx"), 1);
    assert_eq!(outcome.counter(responder, "num_nacks_sent"), 0);
    assert_eq!(outcome.counter(responder, "num_duplicate"), 0);
}

/// The sender cannot tell a lost last ACK from a lost last packet; the receiver sees a duplicate and acknowledges it at once.
#[test]
fn a_lost_last_ack_costs_the_same_and_a_duplicate() {
    let scenario = one_rack(2, &MIB);
    let (initiator, responder) = pair(&scenario);
    let outcome = simulate(&scenario, |o| {
        o.losses = vec![lose(initiator, Target::Ack(Some(255)), 1)]
    });
    let ack_of_255 = received(255) + ACK_WAY;
    assert_eq!(
        outcome.latencies()[0],
        ack_of_255 + TIMEOUT + RESTART + FETCH + PACKET_WAY + ACK_WAY
    );
    assert_eq!(outcome.counter(responder, "num_duplicate"), 1);
    assert_eq!(outcome.counter(initiator, "num_rto"), 1);
}

/// An ACK in the middle is covered by the next.
#[test]
fn a_lost_middle_ack_costs_nothing() {
    let scenario = one_rack(2, &MIB);
    let (initiator, _) = pair(&scenario);
    let outcome = simulate(&scenario, |o| {
        o.losses = vec![lose(initiator, Target::Ack(Some(16)), 1)]
    });
    assert!(outcome.latencies().iter().all(|&l| l == received(256) + ACK_WAY));
    assert_eq!(outcome.summary.retransmissions, 0);
}

/// Packet 101 (PSN 100) is lost: packet 102 reveals it, one NAK goes back, and everything from 101 on is fetched and sent
/// again. Packets that are already numbered are still sent.
#[test]
fn a_lost_middle_packet_costs_about_a_round_trip() {
    let scenario = one_rack(2, &MIB);
    let (initiator, responder) = pair(&scenario);
    let outcome = simulate(&scenario, |o| {
        o.losses = vec![lose(responder, Target::Data(Some(100)), 1)]
    });
    let nak_arrives = received(102) + ACK_WAY;
    let latency = outcome.latencies()[0];
    // Without a queue in front of it packet 101 would start again a restart and a fetch after the NAK. The NIC may hold up
    // to 55 packets before it: numbered ones are still sent, and generation waits for half the pool.
    let soonest = nak_arrives + RESTART + FETCH + (256 - 101) * FULL + PACKET_WAY + ACK_WAY;
    assert!(
        latency >= soonest && latency <= soonest + 55 * FULL,
        "{latency} is not near {soonest}"
    );
    assert_eq!(outcome.counter(responder, "num_nacks_sent"), 1, "one NAK a gap");
    assert_eq!(outcome.counter(initiator, "num_nacks_recvd"), 1);
    assert_eq!(outcome.counter(initiator, "num_rtx"), 1);
    assert_eq!(outcome.counter(initiator, "num_rto"), 0);
    assert_eq!(outcome.counter(responder, "num_seq_out_of_order"), 1);
    // Everything sent after packet 101 and before its repetition is discarded, and sent again.
    let discarded = outcome.counter(responder, "num_rx_drops_after_nak");
    assert!(discarded > 0);
    let completed: u64 = outcome.counter(initiator, "num_wqe_completed");
    let sent = outcome.counter(initiator, "rdma_write_cnt");
    assert!(
        sent > completed * 256 + discarded,
        "the lost packet and the discarded ones are sent twice"
    );
}

/// With the NAK lost too the receiver stays silent, and the sender's timer, last restarted by the ACK of packet 85, repairs it:
/// everything after packet 85 is sent again.
#[test]
fn a_lost_nak_waits_for_the_timer() {
    let scenario = one_rack(2, &MIB);
    let (initiator, responder) = pair(&scenario);
    let outcome = simulate(&scenario, |o| {
        o.losses = vec![
            lose(responder, Target::Data(Some(100)), 1),
            lose(initiator, Target::Nak, 1),
        ];
    });
    let ack_of_85 = received(85) + ACK_WAY;
    let again = ack_of_85 + TIMEOUT + RESTART + FETCH;
    assert_eq!(
        outcome.latencies()[0],
        again + (256 - 86) * FULL + PACKET_WAY + ACK_WAY
    );
    assert_eq!(outcome.counter(initiator, "num_rto"), 1);
    assert_eq!(
        outcome.counter(responder, "num_duplicate"),
        15,
        "packets 86 to 100 had arrived"
    );
}

/// The first packet resent after a NAK is lost as well: no second NAK, so the timer.
#[test]
fn a_lost_retransmission_waits_for_the_timer() {
    let scenario = one_rack(2, &MIB);
    let (initiator, responder) = pair(&scenario);
    let outcome = simulate(&scenario, |o| {
        o.losses = vec![lose(responder, Target::Data(Some(100)), 2)]
    });
    assert_eq!(outcome.counter(responder, "num_nacks_sent"), 1);
    assert_eq!(outcome.counter(initiator, "num_rto"), 1);
    assert_eq!(outcome.counter(initiator, "num_rtx"), 2);
    outcome.latencies();
}

#[test]
fn connection_packets_are_sent_again() {
    // Requests go out at 0.002 s; data may start at 0.003 s. Each loss costs a timeout of 200 us, well before that.
    let scenario = one_rack(2, &MIB);
    let (initiator, responder) = pair(&scenario);
    let counts = |o: &Outcome| {
        [initiator, responder].map(|h| {
            (
                o.counter(h, "num_conn_pkts_sent"),
                o.counter(h, "num_conn_pkts_recvd"),
            )
        })
    };
    let run = |host, kind, times| {
        simulate(&scenario, |o| {
            o.losses = vec![lose(host, Target::Connection(kind), times)]
        })
    };
    assert_eq!(counts(&simulate(&scenario, |_| {})), [(2, 1), (1, 2)]);
    // The request is repeated twice.
    assert_eq!(counts(&run(responder, Kind::ConnectRequest, 2)), [(4, 1), (1, 2)]);
    // Both sides repeat: the initiator's request is repeated at 200 us and answered at once, which restarts the responder's
    // own timer.
    assert_eq!(
        counts(&run(initiator, Kind::ConnectResponse, 1)),
        [(3, 1), (2, 3)]
    );
    // The responder repeats its response, and the initiator its acknowledgement.
    assert_eq!(
        counts(&run(responder, Kind::ConnectAcknowledge, 1)),
        [(3, 2), (2, 2)]
    );
    for (host, kind) in [
        (responder, Kind::ConnectRequest),
        (initiator, Kind::ConnectResponse),
        (responder, Kind::ConnectAcknowledge),
    ] {
        let outcome = run(host, kind, 1);
        assert!(
            outcome.latencies().iter().all(|&l| l == received(256) + ACK_WAY),
            "data does not suffer"
        );
        assert_eq!(outcome.requests[0].2, 3_000_000_000, "data starts at 0.003 s");
    }
}

#[test]
fn data_starts_late_on_a_connection_that_is_set_up_late() {
    // Four timeouts of 300 us from 0.002 s on: the fifth request, at 3.2 ms, succeeds.
    let scenario = one_rack(
        2,
        &[
            &MIB[..4],
            &["Nic.TransportProcessingLayers.RoceTransportLayer.RetransmitTimeout=300us"],
        ]
        .concat(),
    );
    let (_, responder) = pair(&scenario);
    let outcome = simulate(&scenario, |o| {
        o.losses = vec![lose(responder, Target::Connection(Kind::ConnectRequest), 4)];
    });
    // Request and response: 122 B at 20 ps, twice each, and four delays.
    let set_up = 4 * 122 * 20 + 4 * DELAY;
    assert_eq!(outcome.requests[0].2, 2_000_000_000 + 4 * 300_000_000 + set_up);
}

#[test]
fn a_lost_acknowledgement_of_the_response_is_made_up_for_by_data() {
    // Data starts at 0.003 s, long before the responder would repeat its response.
    let scenario = one_rack(
        2,
        &[
            &MIB[..4],
            &["Nic.TransportProcessingLayers.RoceTransportLayer.RetransmitTimeout=64ms"],
        ]
        .concat(),
    );
    let (initiator, responder) = pair(&scenario);
    let outcome = simulate(&scenario, |o| {
        o.losses = vec![lose(responder, Target::Connection(Kind::ConnectAcknowledge), 1)];
    });
    assert_eq!(outcome.counter(responder, "num_conn_pkts_sent"), 1);
    assert_eq!(outcome.counter(initiator, "num_conn_pkts_sent"), 2);
    assert!(outcome.latencies().iter().all(|&l| l == received(256) + ACK_WAY));
}

/// Eight senders to one receiver with four connections each pause; their pauses are lost now and then.
fn incast(losses: Vec<(Endpoint, Vec<Loss>)>) -> Outcome {
    let mut document = template::document("rdma-incast").unwrap_or_else(|e| panic!("{e}"));
    for setting in [
        "Rdma.NumConnections=4",
        "Rdma.TransferSize=1048576 B",
        "SimulationParameters.RunTime=0.002",
        "SimulationParameters.WarmUp=0",
        "SimulationParameters.CoolDown=0",
    ] {
        overrides::apply(&mut document, setting).unwrap_or_else(|e| panic!("{setting}: {e}"));
    }
    let scenario = validate(&document).unwrap_or_else(|e| panic!("{e}"));
    simulate(&scenario, |options| options.losses = losses.clone())
}

#[test]
fn a_lost_pause_overruns_the_headroom_and_go_back_n_repairs_it() {
    let calm = incast(vec![]);
    assert!(calm.summary.pfc_pauses > 0);
    assert_eq!((calm.summary.drops, calm.summary.retransmissions), (0, 0));
    // The sender goes on for 42.2 us, 2.1 MB at 400 Gbps, into 256 KB of headroom.
    let lost = incast((0..9).map(|host| lose(host, Target::Pause, 1)).collect());
    assert!(lost.summary.drops > 0);
    assert!(lost.summary.retransmissions > 0);
    lost.latencies();
}

#[test]
fn a_lost_resume_ends_with_the_pause_time() {
    let lost = incast((0..9).map(|host| lose(host, Target::Resume, 1)).collect());
    assert_eq!((lost.summary.drops, lost.summary.retransmissions), (0, 0));
    lost.latencies();
    assert!(lost.summary.applications[0].completed > 0);
}

/// The whole run with PSNs that wrap at 24 bits after 50 packets equals the one from 0, but for nothing.
#[test]
fn psns_wrap() {
    let scenario = one_rack(2, &MIB);
    let (_, responder) = pair(&scenario);
    let wrapped = simulate(&scenario, |o| o.first_psn = (1 << 24) - 50);
    assert_eq!(wrapped.requests, simulate(&scenario, |_| {}).requests);
    // And with a loss right at the wrap: PSN 0 is packet 51.
    let at_wrap = |first, psn| {
        simulate(&scenario, |o| {
            o.first_psn = first;
            o.losses = vec![lose(responder, Target::Data(Some(psn)), 1)];
        })
    };
    assert_eq!(at_wrap((1 << 24) - 50, 0).requests, at_wrap(0, 50).requests);
}

mod random {
    use super::*;
    use proptest::prelude::*;

    fn target() -> impl Strategy<Value = Target> {
        prop_oneof![
            4 => Just(Target::Data(None)),
            2 => Just(Target::Ack(None)),
            2 => Just(Target::Nak),
            1 => Just(Target::Connection(Kind::ConnectRequest)),
            1 => Just(Target::Connection(Kind::ConnectResponse)),
            1 => Just(Target::Connection(Kind::ConnectAcknowledge)),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever is lost, every work request completes once and in order (and the conservation laws hold, which each run
        /// checks at its end).
        #[test]
        fn any_losses_are_repaired(
            losses in prop::collection::vec((0u32..4, target(), 0u32..400, 1u32..4), 0..12),
            coalesce in any::<bool>(),
        ) {
            let coalescing = format!("Nic.TransportProcessingLayers.RoceTransportLayer.AckCoalescingEnabled={coalesce}");
            let scenario = one_rack(4, &[
                "Rdma.TransferSize=100000 B",
                "Rdma.NumConnections=2",
                "SimulationParameters.RunTime=0.003",
                "SimulationParameters.WarmUp=0",
                "Nic.TransportProcessingLayers.RoceTransportLayer.RetransmitTimeout=100us",
                &coalescing,
            ]);
            let outcome = simulate(&scenario, |o| {
                o.losses = losses.iter().map(|&(host, target, skip, times)| {
                    (Endpoint::Host(host), vec![Loss { target, skip, times }])
                }).collect();
            });
            outcome.latencies();
            let done: std::collections::HashSet<_> = outcome.requests.iter().map(|r| &r.0).collect();
            prop_assert_eq!(done.len(), 4, "every connection gets work done");
        }
    }
}

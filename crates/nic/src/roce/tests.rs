//! The NIC without an engine: frames go in by hand, timers go off in order, and what the port sends is looked at.

mod channel;
mod go_back_n;

use super::attributes::RoceNicAttributes;
use super::*;
use packetloom_des::Time;
use packetloom_fabric::frame::Ecn;
use packetloom_fabric::testing::Bench;

const NS: u64 = 1_000;

/// A NIC with one requester (number 0) and one responder (number 1), both to host 1.
struct Lab {
    nic: RoceNic,
    bench: Bench,
    upcalls: Vec<Upcall>,
}

fn peer(queue_pair: u32) -> Peer {
    Peer {
        host: HostId(1),
        queue_pair,
        source_port: 49_152,
        flow: 7,
        data_class: 0,
        control_class: 1,
    }
}

impl Lab {
    fn new(change: impl FnOnce(&mut RoceNicAttributes)) -> Self {
        let mut attributes = RoceNicAttributes::default();
        change(&mut attributes);
        let mut nic = RoceNic::new(HostId(0), &attributes, Rate::from_gbps(400), Span::from_ns(100));
        nic.add_requester(peer(1));
        nic.add_responder(peer(0));
        Lab {
            nic,
            bench: Bench::default(),
            upcalls: Vec::new(),
        }
    }

    /// With both connections set up.
    fn connected(change: impl FnOnce(&mut RoceNicAttributes)) -> Self {
        let mut lab = Lab::new(change);
        lab.nic.connect(0, &mut lab.bench);
        lab.arrive(control(Kind::ConnectResponse, 0, 0));
        lab.arrive(control(Kind::ConnectRequest, 1, 0));
        lab.arrive(control(Kind::ConnectAcknowledge, 1, 0));
        lab.settle(10_000 * NS);
        assert_eq!(lab.upcalls, [Upcall::Connected(0)]);
        lab.bench.sent.clear();
        lab
    }

    fn arrive(&mut self, frame: Frame) {
        let upcall = self.nic.handle(
            Event::Arrival {
                port: 0,
                message: frame,
            },
            &mut self.bench,
        );
        self.upcalls.extend(upcall);
        self.nic.check();
    }

    /// Lets every timer due before `until` go off, and catches up with what ended without one.
    fn settle(&mut self, until: u64) {
        while self.bench.timers.iter().any(|timer| timer.2.ps() < until) {
            let (slot, count) = self.bench.next_timer().expect("there is one");
            self.nic.handle(Event::Timer { slot, count }, &mut self.bench);
            self.nic.check();
        }
        self.bench.now = Time::from_ps(until);
        self.nic.settle_before(self.bench.now);
    }

    /// Kind and PSN of what was sent since the last call.
    fn sent(&mut self) -> Vec<(Kind, u32)> {
        self.bench
            .sent
            .drain(..)
            .map(|(_, _, frame)| (frame.kind, frame.psn))
            .collect()
    }

    /// One data packet after another for the responder, 83.08 ns apart.
    fn data(&mut self, psns: impl IntoIterator<Item = (u32, bool)>) {
        for (psn, solicited) in psns {
            let at = self.bench.now.ps() + 83_080;
            self.settle(at);
            self.arrive(data(1, psn, solicited));
        }
    }
}

fn control(kind: Kind, queue_pair: u32, psn: u32) -> Frame {
    let size = if matches!(kind, Kind::Ack | Kind::Nak) {
        126
    } else {
        122
    };
    Frame {
        psn,
        payload: 64,
        size,
        ..peer(queue_pair).frame(HostId(1), kind, 1)
    }
}

fn data(queue_pair: u32, psn: u32, solicited: bool) -> Frame {
    let kind = if solicited {
        Kind::WriteLast
    } else {
        Kind::WriteMiddle
    };
    Frame {
        psn,
        solicited,
        payload: 4_096,
        size: 4_154,
        ..peer(queue_pair).frame(HostId(1), kind, 0)
    }
}

#[test]
fn a_doorbell_a_restart_a_fetch_and_the_packet() {
    let mut lab = Lab::connected(|_| {});
    let posted = lab.bench.now.ps();
    lab.nic.post(0, 5_000, 92, &mut lab.bench);
    lab.settle(posted + 1_000 * NS);
    // Doorbell 1.999 ns, restart 80 ns, request 1.555 ns, 4,096 B 69.288 ns; then the port serializes 83.08 ns.
    let first = posted + 1_999 + 80_000 + 1_555 + 69_288;
    // 904 B follow on the PCIe link: a full transfer and one of 392 + 34 B, 8,661 + 6,758 ps: at the port before it is free.
    let ends: Vec<(Kind, u16, u64)> = lab
        .bench
        .sent
        .iter()
        .map(|s| (s.2.kind, s.2.size, s.1.ps()))
        .collect();
    let expected = [
        (Kind::WriteFirst, 4_154, first + 83_080),
        (Kind::WriteLast, 962, first + 83_080 + 962 * 20),
    ];
    assert_eq!(ends, expected);
    let frame = lab.bench.sent[1].2;
    assert_eq!((frame.payload, frame.psn, frame.solicited), (904, 1, true));
    assert_eq!(
        (frame.destination, frame.queue_pair, frame.class),
        (HostId(1), 1, 0)
    );
    assert_eq!(frame.ecn, Ecn::Ect0, "EnableECN is on by default");
    lab.arrive(control(Kind::Ack, 0, 1));
    assert_eq!(lab.upcalls[1..], [Upcall::Completed(0)]);
    let stats = lab.nic.stats();
    assert_eq!(
        (
            stats.work_requests,
            stats.completed,
            stats.data_sent,
            stats.acks_received
        ),
        (1, 1, 2, 1)
    );
    // The round trip is that of the newest packet: from its payload's arrival to now.
    assert_eq!(
        stats.round_trips.max(),
        Span::from_ps(lab.bench.now.ps() - first - 8_661 - 6_758)
    );
}

#[test]
fn ecn_off_sends_not_ect() {
    let mut lab = Lab::connected(|a| a.ecn_handler.enable_ecn = false);
    lab.nic.post(0, 1, 92, &mut lab.bench);
    lab.settle(lab.bench.now.ps() + 1_000 * NS);
    assert_eq!(lab.bench.sent[0].2.ecn, Ecn::NotEct);
    assert_eq!(lab.bench.sent[0].2.kind, Kind::WriteOnly);
}

#[test]
fn one_message_at_a_time_and_queue_pairs_in_turn() {
    let mut lab = Lab::new(|_| {});
    lab.nic.add_requester(peer(3));
    for requester in [0, 1] {
        lab.nic.connect(requester, &mut lab.bench);
        lab.arrive(control(Kind::ConnectResponse, requester * 2, 0));
    }
    lab.settle(1_000 * NS);
    lab.bench.sent.clear();
    for requester in [0, 0, 1] {
        lab.nic.post(requester, 3 * 4_096, 92, &mut lab.bench);
    }
    lab.settle(3_000 * NS);
    // Both have joined the ready queue when generation starts; the second message of queue pair 1 waits for an ACK.
    let order: Vec<(u32, u32)> = lab.bench.sent.iter().map(|s| (s.2.queue_pair, s.2.psn)).collect();
    assert_eq!(order, [(1, 0), (3, 0), (1, 1), (3, 1), (1, 2), (3, 2)]);
    lab.bench.sent.clear();
    lab.arrive(control(Kind::Ack, 0, 2));
    lab.settle(5_000 * NS);
    let order: Vec<(u32, u32)> = lab.bench.sent.iter().map(|s| (s.2.queue_pair, s.2.psn)).collect();
    assert_eq!(order, [(1, 3), (1, 4), (1, 5)], "PSNs go on over messages");
}

#[test]
fn at_most_55_full_packets_are_fetched_and_unsent() {
    let mut lab = Lab::connected(|_| {});
    // Class 0 is paused for 83.98 us: nothing leaves.
    lab.arrive(Frame::pfc(1, 65_535));
    let start = lab.bench.now.ps();
    lab.nic.post(0, 1_000_000, 92, &mut lab.bench);
    lab.settle(start + 50_000 * NS);
    assert_eq!(lab.nic.egress.used(0), 55 * 4_154);
    assert_eq!(lab.nic.port.contents().count(), 55);
    assert!(lab.bench.sent.is_empty());
    // On resume the pool drains to 27 packets, which is at most half, before more are fetched.
    lab.arrive(Frame::pfc(1, 0));
    let resumed = lab.bench.now.ps();
    lab.settle(resumed + 27 * 83_080 + 1);
    assert_eq!(lab.nic.egress.used(0), 28 * 4_154);
    assert_eq!(lab.nic.generation, Generation::NoRoom(0));
    lab.settle(resumed + 28 * 83_080 + 1);
    assert_eq!(lab.nic.generation, Generation::Starting);
    lab.settle(resumed + 28 * 83_080 + 80_000 + 1);
    assert_eq!(lab.nic.egress.used(0), 55 * 4_154, "filled again after 80 ns");
}

#[test]
fn a_mebibyte_draws_sixteen_acks() {
    let mut lab = Lab::connected(|_| {});
    lab.data((0..256).map(|psn| (psn, psn == 255)));
    lab.settle(lab.bench.now.ps() + 1_000 * NS);
    let acks: Vec<u32> = lab
        .sent()
        .into_iter()
        .map(|(kind, psn)| {
            assert_eq!(kind, Kind::Ack);
            psn
        })
        .collect();
    // Every 17th packet, and the last: PSNs 16, 33, ..., 254 and 255.
    let expected: Vec<u32> = (1..=15).map(|n| n * 17 - 1).chain([255]).collect();
    assert_eq!(acks, expected);
    assert_eq!(lab.nic.stats().acks_sent, 16);
}

#[test]
fn the_timer_acknowledges_what_is_held() {
    let mut lab = Lab::connected(|_| {});
    let first = lab.bench.now.ps() + 83_080;
    lab.data([(0, false), (1, false)]);
    lab.settle(first + 1_000_000 * NS);
    assert_eq!(lab.sent(), [], "AckDelay is 1 ms from the first held packet");
    lab.settle(first + 1_000_000 * NS + 1);
    assert_eq!(lab.sent(), [(Kind::Ack, 1)]);
    // Nothing is held: the timer does not run.
    lab.settle(first + 5_000_000 * NS);
    assert_eq!(lab.sent(), []);
    // An ACK by the solicited flag restarts it: a packet held 0.9 ms later is acknowledged when 1 ms has passed.
    lab.data([(2, true)]);
    let acknowledged = lab.bench.now.ps();
    lab.settle(acknowledged + 900_000 * NS);
    assert_eq!(lab.sent(), [(Kind::Ack, 2)]);
    lab.arrive(data(1, 3, false));
    lab.settle(acknowledged + 1_000_000 * NS + 1);
    assert_eq!(lab.sent(), [(Kind::Ack, 3)]);
}

#[test]
fn without_coalescing_every_packet_is_acknowledged() {
    let mut lab = Lab::connected(|a| {
        a.transport_processing_layers
            .roce_transport_layer
            .ack_coalescing_enabled = false;
    });
    lab.data([(0, false), (1, false), (1, false), (0, false)]);
    lab.settle(lab.bench.now.ps() + 100 * NS);
    assert_eq!(
        lab.sent(),
        [(Kind::Ack, 0), (Kind::Ack, 1), (Kind::Ack, 1), (Kind::Ack, 1)]
    );
    assert_eq!(lab.nic.stats().duplicates, 2);
}

#[test]
fn a_threshold_of_zero_acknowledges_every_packet_too() {
    let mut lab = Lab::connected(|a| a.transport_processing_layers.roce_transport_layer.ack_threshold = 0);
    lab.data([(0, false), (1, false)]);
    lab.settle(lab.bench.now.ps() + 100 * NS);
    assert_eq!(lab.sent(), [(Kind::Ack, 0), (Kind::Ack, 1)]);
}

#[test]
fn one_nak_a_gap_and_it_cancels_what_is_held() {
    let mut lab = Lab::connected(|_| {});
    lab.data([(0, false), (2, false), (3, true), (4, false)]);
    lab.settle(lab.bench.now.ps() + 100 * NS);
    assert_eq!(lab.sent(), [(Kind::Nak, 1)]);
    let stats = *lab.nic.stats();
    assert_eq!((stats.after_nak, stats.out_of_order, stats.naks_sent), (3, 1, 1));
    // The held acknowledgement of PSN 0 is cancelled: its timer finds nothing.
    lab.settle(lab.bench.now.ps() + 2_000_000 * NS);
    assert_eq!(lab.sent(), []);
    // The gap fills; the next gap draws another NAK.
    lab.data([(1, false), (3, false)]);
    lab.settle(lab.bench.now.ps() + 100 * NS);
    assert_eq!(lab.sent(), [(Kind::Nak, 2)]);
    assert_eq!(lab.nic.stats().receive_drops(), 4);
}

#[test]
fn a_nak_rewinds_and_discards_fetched_payload() {
    let mut lab = Lab::connected(|_| {});
    let posted = lab.bench.now.ps();
    lab.nic.post(0, 20 * 4_096, 92, &mut lab.bench);
    // The first five payloads have arrived, PSNs 0 to 4 are given, three are sent; the others are on the PCIe link.
    let fetched = posted + 1_999 + 80_000 + 1_555 + 5 * 69_288;
    lab.settle(fetched + 1);
    lab.arrive(control(Kind::Nak, 0, 2));
    lab.settle(fetched + 10_000 * NS);
    let stats = *lab.nic.stats();
    assert_eq!(stats.payload_discards, 15, "asked for and not yet numbered");
    assert_eq!(
        (stats.naks_received, stats.retransmissions, stats.timeouts),
        (1, 1, 0)
    );
    let psns: Vec<u32> = lab.sent().into_iter().map(|(_, psn)| psn).collect();
    // Numbered packets are still sent; then everything from PSN 2 on.
    let expected: Vec<u32> = (0..5).chain(2..20).collect();
    assert_eq!(psns, expected);
    assert_eq!(lab.nic.egress.used(0), 0, "every reservation is given back");
}

#[test]
fn the_transport_timer_resends_the_window_without_back_off() {
    let mut lab = Lab::connected(|_| {});
    let posted = lab.bench.now.ps();
    lab.nic.post(0, 2 * 4_096, 92, &mut lab.bench);
    let given = posted + 1_999 + 80_000 + 1_555 + 69_288;
    let expiry = |n: u64| given + n * 64_000_000 * NS + (n - 1) * (80_000 + 1_555 + 69_288);
    for n in 1..=3 {
        lab.settle(expiry(n));
        assert_eq!(lab.nic.stats().timeouts, n - 1);
        lab.settle(expiry(n) + 1);
        assert_eq!(lab.nic.stats().timeouts, n, "64 ms after the first PSN was given");
    }
    // An ACK that retires something restarts the timer while PSNs remain outstanding.
    lab.settle(expiry(3) + 1_000 * NS);
    lab.arrive(control(Kind::Ack, 0, 0));
    let acknowledged = lab.bench.now.ps();
    lab.settle(acknowledged + 64_000_000 * NS);
    assert_eq!(lab.nic.stats().timeouts, 3);
    lab.settle(acknowledged + 64_000_000 * NS + 1);
    assert_eq!(lab.nic.stats().timeouts, 4);
    lab.settle(acknowledged + 64_001_000 * NS);
    lab.arrive(control(Kind::Ack, 0, 1));
    lab.settle(acknowledged + 640_000_000 * NS);
    assert_eq!(lab.nic.stats().timeouts, 4, "the window is empty");
}

#[test]
fn packets_without_a_queue_pair_are_counted() {
    let mut lab = Lab::new(|_| {});
    // No connection yet: data and ACKs find no queue pair. So do numbers that do not exist, and the wrong end's.
    lab.arrive(data(1, 0, false));
    lab.arrive(control(Kind::Ack, 0, 0));
    assert_eq!(
        (
            lab.nic.stats().no_queue_pair_data,
            lab.nic.stats().no_queue_pair_control
        ),
        (1, 1)
    );
    let mut lab = Lab::connected(|_| {});
    for number in [0, 3, 0xFF_FFFF] {
        lab.arrive(data(number, 0, false));
    }
    for (kind, number) in [
        (Kind::Ack, 1),
        (Kind::Nak, 2),
        (Kind::Cnp, 4),
        (Kind::ConnectRequest, 5),
        (Kind::ConnectResponse, 6),
        (Kind::ConnectAcknowledge, 7),
    ] {
        lab.arrive(control(kind, number, 0));
    }
    let stats = lab.nic.stats();
    assert_eq!((stats.no_queue_pair_data, stats.no_queue_pair_control), (3, 6));
    assert_eq!(stats.receive_drops(), 9);
    assert_eq!((lab.nic.ingress.used(0), lab.nic.ingress.used(1)), (0, 0));
}

#[test]
fn ghost_acks_are_counted() {
    let mut lab = Lab::connected(|_| {});
    lab.arrive(control(Kind::Ack, 0, 0));
    lab.arrive(control(Kind::Nak, 0, 5));
    assert_eq!(lab.nic.stats().ghost_acks, 2);
    assert_eq!(lab.nic.stats().retransmissions, 0);
    // One from before the window is only late.
    lab.arrive(control(Kind::Ack, 0, 0xFF_FFFF));
    lab.arrive(control(Kind::Nak, 0, 0xFF_FFFF));
    assert_eq!(lab.nic.stats().ghost_acks, 2);
}

#[test]
fn a_full_receive_pool_drops_and_pauses() {
    // 10 transfers a second would be too fast still: PCIe lanes of 1 Mbps accept nothing more for a while.
    let mut lab = Lab::connected(|a| {
        a.network_interface.ingress_buffer_manager.total_buffer_size = Bytes(50_000);
        let nic = &mut a
            .host_interface
            .nic_side
            .pcie_gen3
            .nic_device_layer
            .nic_pcie_interface;
        nic.physical_layer.lane_bps = Rate::from_bps(1_000_000);
        nic.transaction_layer.tx_data_buffer_size = Bytes(8_192);
    });
    // Pool 0 is 45,000 B, Xoff 36,000 B. The PCIe buffer takes two packets; others stay in the pool, 4,136 B each.
    lab.data((0..14).map(|psn| (psn, false)));
    lab.settle(lab.bench.now.ps() + 100 * NS);
    // The 11th packet finds 8 x 4,136 = 33,088 B, and 33,088 + 4,136 >= 36,000: pause. The 13th finds 10 x 4,136 = 41,360 B and
    // does not fit in 45,000 B: it is dropped, and so is the 14th.
    let pauses: Vec<u16> = lab
        .bench
        .sent
        .iter()
        .filter(|s| s.2.kind == Kind::Pfc)
        .map(|s| s.2.quanta)
        .collect();
    assert_eq!(pauses, [65_535]);
    assert_eq!(lab.nic.port.counters.receive_drops, 2);
    assert_eq!(lab.nic.ingress.used(0), 10 * 4_136);
    assert_eq!(lab.nic.stats().receive_drops(), 0, "the transport never saw them");
}

#[test]
fn set_up_repeats_what_is_lost() {
    let mut lab = Lab::new(|_| {});
    lab.nic.connect(0, &mut lab.bench);
    lab.settle(64_000_000 * NS + 10 * NS);
    assert_eq!(
        lab.sent(),
        [(Kind::ConnectRequest, 0), (Kind::ConnectRequest, 0)],
        "again after 64 ms"
    );
    lab.arrive(control(Kind::ConnectResponse, 0, 0));
    lab.arrive(control(Kind::ConnectResponse, 0, 0));
    lab.settle(lab.bench.now.ps() + 200_000_000 * NS);
    assert_eq!(lab.upcalls, [Upcall::Connected(0)], "once");
    assert_eq!(
        lab.sent(),
        [(Kind::ConnectAcknowledge, 0), (Kind::ConnectAcknowledge, 0)]
    );
    lab.arrive(control(Kind::ConnectRequest, 1, 0));
    lab.settle(lab.bench.now.ps() + 64_000_000 * NS + 1_000);
    assert_eq!(
        lab.sent(),
        [(Kind::ConnectResponse, 0), (Kind::ConnectResponse, 0)]
    );
    lab.data([(0, true)]);
    lab.settle(lab.bench.now.ps() + 200_000_000 * NS);
    assert_eq!(lab.sent(), [(Kind::Ack, 0)], "data ends the repetition");
    let stats = lab.nic.stats();
    assert_eq!((stats.connection_sent, stats.connection_received), (6, 3));
}

#[test]
fn control_packets_may_exceed_their_pool() {
    let mut lab = Lab::connected(|a| {
        a.network_interface.egress_buffer_manager.total_buffer_size = Bytes(5_000);
        a.transport_processing_layers
            .roce_transport_layer
            .ack_coalescing_enabled = false;
    });
    assert_eq!(lab.nic.egress.size(1), Bytes(500));
    lab.arrive(Frame::pfc(0b10, 65_535));
    lab.data((0..10).map(|psn| (psn, false)));
    assert_eq!(
        lab.nic.egress.used(1),
        10 * 126,
        "queued and charged, none dropped"
    );
    lab.arrive(Frame::pfc(0b10, 0));
    lab.settle(lab.bench.now.ps() + 100 * NS);
    assert_eq!(lab.sent().len(), 10);
    assert_eq!(lab.nic.egress.used(1), 0);
}

#[test]
fn a_connection_packet_is_not_queued_twice() {
    let mut lab = Lab::new(|a| {
        a.transport_processing_layers
            .roce_transport_layer
            .retransmit_timeout = Span::from_ps(10);
    });
    // The control class is paused: the request waits, and its timer goes off again and again.
    lab.arrive(Frame::pfc(0b10, 65_535));
    lab.nic.connect(0, &mut lab.bench);
    lab.settle(1_000);
    for _ in 0..5 {
        lab.arrive(control(Kind::ConnectRequest, 1, 0));
    }
    let waiting: Vec<Kind> = lab.nic.port.contents().map(|frame| frame.kind).collect();
    assert_eq!(waiting, [Kind::ConnectRequest, Kind::ConnectResponse]);
}

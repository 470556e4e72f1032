//! The switch without an engine.

use super::attributes::SharedBufferManager;
use super::shared_buffer::Layout;
use super::*;
use crate::frame::HostId;
use crate::frame::tcp::TcpHeader;
use crate::testing::Bench;
use crate::topology::{Plan, PodPlan, RackPlan, ServerPlan, SwitchPlan, Topology};
use packetloom_des::{Bytes, Rate, Span, Time};

/// A rack switch with four hosts on ports 0 to 3 at 400 Gbps and 500 ns.
struct Lab {
    switch: Switch,
    bench: Bench,
}

impl Lab {
    fn new(change: impl FnOnce(&mut SharedBufferManager)) -> Self {
        let (rate, delay) = (Rate::from_gbps(400), Span::from_ns(500));
        let switch = SwitchPlan {
            component: 0,
            up_rate: rate,
            down_rate: rate,
            up_delay: delay,
            up_links_per_switch: 1,
        };
        let servers = vec![
            ServerPlan {
                component: 0,
                rate,
                delay
            };
            4
        ];
        let pod = PodPlan {
            fabric_switches: vec![],
            racks: vec![RackPlan {
                switches: vec![switch],
                servers,
            }],
        };
        let topology = Topology::build(Plan {
            pods: vec![pod],
            ..Plan::default()
        })
        .expect("builds");
        let mut attributes = SharedBufferManager::default();
        change(&mut attributes);
        let buffer = SharedBuffer::new(Layout::new(&attributes, 4).expect("fits"), 4);
        let ports = (0..4).map(|_| Port::new(rate, delay)).collect();
        Lab {
            switch: Switch::new(
                0,
                EcmpHashMethod::Crc32WithSalt,
                ports,
                buffer,
                topology.routes[0].clone(),
            ),
            bench: Bench::default(),
        }
    }

    fn arrive(&mut self, port: u16, frame: Frame) {
        self.switch
            .handle(Event::Arrival { port, message: frame }, &mut self.bench);
        self.switch.check();
    }

    /// Lets every timer due before `until` go off, and catches up with what ended without one.
    fn settle(&mut self, until: u64) {
        while self.bench.timers.iter().any(|timer| timer.2.ps() < until) {
            let (slot, count) = self.bench.next_timer().expect("there is one");
            self.switch.handle(Event::Timer { slot, count }, &mut self.bench);
            self.switch.check();
        }
        self.bench.now = Time::from_ps(until);
        self.switch.settle_before(self.bench.now);
    }

    /// Quanta of the PFC frames sent on a port, with the class each names and when its serialization ended.
    fn pauses(&self, port: u16) -> Vec<(u8, u16, u64)> {
        let sent = self
            .bench
            .sent
            .iter()
            .filter(|s| s.0 == port && s.2.kind == Kind::Pfc);
        sent.map(|s| (s.2.pfc_classes, s.2.quanta, s.1.ps())).collect()
    }
}

/// A packet to `host` that the buffer charges 4,000 B for.
fn packet(host: u32, class: u8) -> Frame {
    Frame {
        destination: HostId(host),
        class,
        size: 4_018,
        kind: Kind::WriteMiddle,
        ..Frame::pfc(0, 0)
    }
}

#[test]
fn a_packet_is_stored_and_forwarded() {
    let mut lab = Lab::new(|_| {});
    lab.arrive(0, packet(2, 0));
    assert_eq!(lab.switch.buffer().port_bytes(0, 0), (4_000, 0));
    // 4,018 B at 20 ps a byte.
    assert_eq!(lab.bench.sent.len(), 1);
    let (port, end, frame) = lab.bench.sent[0];
    assert_eq!((port, end, frame), (2, Time::from_ps(80_360), packet(2, 0)));
    // Released when its serialization ends.
    lab.settle(80_360);
    assert_eq!(lab.switch.buffer().bytes_held(), 4_000);
    lab.settle(80_361);
    assert_eq!(lab.switch.buffer().bytes_held(), 0);
}

/// The documented sequence on frames: the egress port is paused by its host, so nothing drains.
#[test]
fn pause_at_176_drop_at_241_resume_after_165_departures() {
    let mut lab = Lab::new(|_| {});
    lab.arrive(2, Frame::pfc(1, 65_535));
    for number in 1..=241 {
        lab.bench.now += Span::from_ps(1_000);
        lab.arrive(0, packet(2, 0));
        assert_eq!(lab.pauses(0).len(), usize::from(number >= 176), "packet {number}");
        assert_eq!(
            lab.switch.ports()[0].counters.receive_drops,
            u64::from(number == 241),
            "packet {number}"
        );
    }
    let pause = lab.pauses(0)[0];
    assert_eq!(
        pause,
        (1, 65_535, 176_000 + 84 * 20),
        "one frame for the one lossless class of pool 0"
    );
    // Sent again every 42.1924 us while the port is paused: 65,535 x 512 bits / 400 Gbps + 500 ns, halved.
    lab.settle(80_000_000);
    let again: Vec<u64> = lab.pauses(0).iter().map(|p| p.2).collect();
    assert_eq!(again, [177_680, 177_680 + 42_192_400]);
    // The host resumes the egress port: 165 departures later, at 80.36 ns each, port 0 resumes its sender.
    lab.arrive(2, Frame::pfc(1, 0));
    lab.settle(80_000_000 + 165 * 80_360);
    assert_eq!(lab.pauses(0).last().expect("pauses").1, 65_535);
    lab.settle(80_000_000 + 165 * 80_360 + 1);
    let resume = *lab.pauses(0).last().expect("pauses");
    assert_eq!(resume, (1, 0, 80_000_000 + 165 * 80_360 + 84 * 20));
    assert_eq!(lab.switch.buffer().port_bytes(0, 0), (300_000, 0));
    // No more pauses after that.
    let before = lab.pauses(0).len();
    lab.settle(300_000_000);
    assert_eq!(lab.pauses(0).len(), before);
    assert_eq!(lab.switch.buffer().bytes_held(), 0);
}

#[test]
fn a_pause_names_every_lossless_class_of_its_pool() {
    let mut lab = Lab::new(|a| {
        a.traffic_class_pool_mapping = [0, 0, 1, 0, 0, 0, 0, 0];
        a.enable_pfc = [1, 1, 1, 0, 0, 0, 0, 0];
        a.static_pool_xoff_threshold = Bytes(3_999);
    });
    lab.arrive(1, packet(3, 1));
    lab.settle(10_000);
    let named: Vec<u8> = lab.pauses(1).iter().map(|p| p.0).collect();
    assert_eq!(
        named,
        [0b001, 0b010],
        "classes 0 and 1 use pool 0; class 2 does not"
    );
    assert_eq!(lab.pauses(3).len(), 0, "only the port the packet came in on");
}

#[test]
fn pfc_goes_first_and_classes_by_priority() {
    let mut lab = Lab::new(|a| a.enable_pfc = [1; 8]);
    lab.arrive(0, packet(2, 0));
    for class in [0, 1, 5, 1] {
        lab.arrive(0, packet(2, class));
    }
    lab.settle(1_000_000);
    let classes: Vec<u8> = lab.bench.sent.iter().map(|s| s.2.class).collect();
    assert_eq!(
        classes,
        [0, 5, 1, 1, 0],
        "the first had begun before the others came"
    );
}

#[test]
fn a_paused_class_waits_for_its_time() {
    let mut lab = Lab::new(|_| {});
    // 1,000 quanta: 1.28 us and the delay of 0.5 us.
    lab.arrive(2, Frame::pfc(1, 1_000));
    lab.arrive(0, packet(2, 0));
    lab.arrive(0, packet(2, 1));
    lab.settle(10_000_000);
    let sent: Vec<(u8, u64)> = lab.bench.sent.iter().map(|s| (s.2.class, s.1.ps())).collect();
    assert_eq!(sent, [(1, 80_360), (0, 1_780_000 + 80_360)]);
}

#[test]
fn lost_frames_are_seen_by_nobody() {
    let mut lab = Lab::new(|_| {});
    lab.switch.set_losses(Losses::new(vec![crate::loss::Loss {
        target: crate::loss::Target::Data(None),
        skip: 0,
        times: 1,
    }]));
    lab.arrive(0, packet(2, 0));
    lab.settle(1);
    assert_eq!(
        (lab.switch.ports()[0].counters.received, lab.switch.lost()),
        (0, 1)
    );
    lab.arrive(0, packet(2, 0));
    lab.settle(2);
    assert_eq!(
        (lab.switch.ports()[0].counters.received, lab.switch.lost()),
        (1, 1)
    );
}

/// A full TCP segment, which the buffer charges 1,500 B for, or an acknowledgement, 46 B.
fn segment(host: u32, payload: u32) -> Frame {
    Frame::tcp(HostId(0), HostId(host), 7, TcpHeader::default(), payload)
}

#[test]
fn segments_of_a_lossy_class_are_dropped_at_the_egress_limit() {
    // The limit of a queue is 5 x 3,000 B = 15,000 B: ten full segments.
    let mut lab = Lab::new(|a| {
        a.enable_pfc = [0, 1, 0, 0, 0, 0, 0, 0];
        a.lossy_alpha = 0.0;
        a.queue_drop_threshold_enable = true;
        a.plane_bdp = Bytes(3_000);
        a.static_pool_xoff_threshold = Bytes(1_000);
        a.static_pool_xon_threshold = Bytes(1_000);
    });
    for _ in 0..12 {
        lab.arrive(0, segment(2, 1_460));
    }
    let drops = |lab: &Lab| {
        let ports = lab.switch.ports();
        (ports[2].counters.send_drops, ports[0].counters.receive_drops)
    };
    assert_eq!(drops(&lab), (2, 0), "dropped where they would have queued");
    assert_eq!(lab.switch.lossless_drops(), 0);
    assert_eq!(lab.switch.buffer().bytes_held(), 15_000);
    // Another port has a queue of its own, and class 1 of the full port is lossless.
    lab.arrive(0, segment(3, 1_460));
    lab.arrive(0, packet(2, 1));
    assert_eq!(drops(&lab), (2, 0));
    // The class of TCP is never paused, whatever its port holds: only class 1 of pool 1 was.
    assert_eq!(lab.pauses(0).iter().map(|p| p.0).collect::<Vec<_>>(), [0b10]);
    // One segment leaves, 1,518 B at 20 ps a byte: there is room for one, not for two.
    lab.settle(30_361);
    lab.arrive(0, segment(2, 1_460));
    lab.arrive(0, segment(2, 0));
    assert_eq!(drops(&lab), (3, 0));
    lab.settle(10_000_000);
    assert_eq!(lab.switch.buffer().bytes_held(), 0);
    let segments = lab.bench.sent.iter().filter(|s| s.2.kind == Kind::Tcp);
    assert_eq!(segments.count(), 12);
}

#[test]
fn segments_go_on_as_they_came() {
    let mut lab = Lab::new(|_| {});
    let acknowledgement = segment(1, 0);
    lab.arrive(0, acknowledgement);
    assert_eq!(lab.switch.buffer().port_bytes(0, 0), (46, 0));
    // 64 B at 20 ps a byte.
    assert_eq!(lab.bench.sent, [(1, Time::from_ps(1_280), acknowledgement)]);
}

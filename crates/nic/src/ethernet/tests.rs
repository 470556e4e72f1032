//! The NIC without an engine, under a host that has segments to send on some connections.

use super::*;
use packetloom_fabric::frame::tcp::{TcpHeader, TcpOptions};
use packetloom_fabric::loss::{Loss, Target};
use packetloom_fabric::testing::Bench;
use proptest::prelude::*;

/// A full segment on the default port of 100 Gbps: 1,518 B at 80 ps a byte.
const FULL: u64 = 121_440;

struct Lab {
    nic: EthernetNic,
    bench: Bench,
    /// By connection: payloads of the segments it has to send, the next one last.
    wanted: Vec<Vec<u32>>,
    /// By connection: whether it waits.
    waits: Vec<bool>,
    /// By connection: number of the next segment.
    next: Vec<u32>,
    arrived: Vec<Frame>,
}

impl Lab {
    fn new(connections: usize, buffer: u64) -> Self {
        let mut attributes = EthernetNicAttributes::default();
        attributes
            .network_interface
            .egress_buffer_manager
            .total_buffer_size = Bytes(buffer);
        Lab {
            nic: EthernetNic::new(HostId(0), &attributes, Rate::from_gbps(100), Span::from_ns(100)),
            bench: Bench::default(),
            wanted: vec![Vec::new(); connections],
            waits: vec![false; connections],
            next: vec![0; connections],
            arrived: Vec::new(),
        }
    }

    fn with_defaults(connections: usize) -> Self {
        let defaults = EthernetNicAttributes::default();
        Lab::new(
            connections,
            defaults
                .network_interface
                .egress_buffer_manager
                .total_buffer_size
                .0,
        )
    }

    /// The next segment of a connection, which its source port names.
    fn segment(&mut self, connection: usize) -> Option<Frame> {
        let payload = self.wanted[connection].pop()?;
        let header = TcpHeader {
            source_port: connection as u16,
            sequence: self.next[connection],
            ..TcpHeader::default()
        };
        self.next[connection] += 1;
        Some(Frame::tcp(HostId(0), HostId(1), 7, header, payload))
    }

    /// Gives a connection more to send, as an application does.
    fn write(&mut self, connection: usize, payloads: &[u32]) {
        self.wanted[connection].splice(0..0, payloads.iter().rev().copied());
        self.send(connection);
        self.serve();
    }

    /// Queues what a connection has while there is room; then it waits.
    fn send(&mut self, connection: usize) {
        while !self.waits[connection] && !self.wanted[connection].is_empty() {
            if self.nic.anyone_waits() || !self.nic.has_room(&self.bench) {
                self.wait(connection);
            } else {
                let frame = self.segment(connection).expect("there is one");
                self.nic.queue(frame, &mut self.bench);
            }
        }
    }

    fn wait(&mut self, connection: usize) {
        self.waits[connection] = true;
        self.nic.wait(connection as u32, &mut self.bench);
    }

    /// Gives turns, one segment each.
    fn serve(&mut self) {
        while let Some(connection) = self.nic.next_turn(&self.bench) {
            let connection = connection as usize;
            self.waits[connection] = false;
            let frame = self
                .segment(connection)
                .expect("it waited with a segment to send");
            self.nic.queue(frame, &mut self.bench);
            if !self.wanted[connection].is_empty() {
                self.wait(connection);
            }
        }
        self.nic.check();
    }

    fn handle(&mut self, event: Event<Frame>) {
        self.arrived.extend(self.nic.handle(event, &mut self.bench));
        self.nic.check();
        self.serve();
    }

    fn arrive(&mut self, message: Frame) {
        self.handle(Event::Arrival { port: 0, message });
    }

    /// Lets every timer due before `until` go off, and catches up with what ended without one.
    fn settle(&mut self, until: u64) {
        while self.bench.timers.iter().any(|timer| timer.2.ps() < until) {
            let (slot, count) = self.bench.next_timer().expect("there is one");
            self.handle(Event::Timer { slot, count });
        }
        self.bench.now = Time::from_ps(until);
        self.nic.settle_before(self.bench.now);
        self.nic.check();
    }

    /// Connection and number of what was sent, and when its serialization ended.
    fn sent(&self) -> Vec<(u16, u32, u64)> {
        let sent = self.bench.sent.iter();
        sent.map(|(_, end, frame)| (frame.source_port, frame.psn, end.ps()))
            .collect()
    }
}

#[test]
fn room_for_170_full_frames() {
    // A full frame of 1,518 B is charged 1,500 B: floor(256,000 / 1,500) = 170. With 169 in there 2,500 B are free, with
    // 170 it is 1,000 B, less than the 1,536 B of the largest.
    let mut lab = Lab::with_defaults(1);
    lab.write(0, &[1_460; 200]);
    assert_eq!(lab.next[0], 170);
    assert_eq!(lab.nic.held(), (Bytes(170 * 1_500), Bytes(0)));
    assert!(lab.nic.anyone_waits() && !lab.nic.has_room(&lab.bench));
    // Room is held to the end of the serialization.
    lab.settle(FULL);
    assert_eq!(lab.next[0], 170);
    lab.settle(FULL + 1);
    assert_eq!(lab.next[0], 171);
}

#[test]
fn the_largest_frame_fits_an_empty_buffer_of_its_size() {
    let blocks = [(2_000, 3_000); 4];
    let header = TcpHeader {
        options: TcpOptions::Sack { blocks, count: 4 },
        ..TcpHeader::default()
    };
    let largest = Frame::tcp(HostId(0), HostId(1), 7, header, 1_460);
    let mut lab = Lab::new(1, 1_536);
    assert!(lab.nic.has_room(&lab.bench));
    lab.nic.queue(largest, &mut lab.bench);
    assert!(!lab.nic.has_room(&lab.bench));
    assert_eq!(lab.nic.held(), (Bytes(1_536), Bytes(0)));
    // 1,554 B at 80 ps a byte; without an event, since nobody waits.
    lab.settle(124_320);
    assert!(!lab.nic.has_room(&lab.bench));
    lab.bench.now = Time::from_ps(124_321);
    assert!(lab.nic.has_room(&lab.bench));
    assert!(lab.bench.timers.is_empty());
}

#[test]
fn a_full_buffer_is_shared_in_turn_one_segment_each() {
    // Room for two full frames: 3,036 B are free, then 1,536 B, then 36 B.
    let mut lab = Lab::new(3, 3_036);
    lab.write(0, &[1_460; 5]);
    lab.write(1, &[1_460; 2]);
    lab.write(2, &[1_460; 3]);
    lab.settle(20 * FULL);
    let order: Vec<(u16, u32)> = lab.sent().iter().map(|s| (s.0, s.1)).collect();
    let expected = [
        (0, 0),
        (0, 1),
        // Connection 0 waits first, then 1, then 2.
        (0, 2),
        (1, 0),
        (2, 0),
        (0, 3),
        (1, 1),
        (2, 1),
        (0, 4),
        (2, 2),
    ];
    assert_eq!(order, expected);
    // The port never idles: each ends 121.44 ns after the one before.
    let ends: Vec<u64> = lab.sent().iter().map(|s| s.2).collect();
    assert_eq!(ends, (1..=10).map(|n| n * FULL).collect::<Vec<_>>());
    assert_eq!(lab.nic.held(), (Bytes(0), Bytes(0)));
}

#[test]
fn a_frame_alone_sets_no_event() {
    let mut lab = Lab::with_defaults(1);
    lab.write(0, &[1_460]);
    assert!(lab.bench.timers.is_empty());
    lab.settle(FULL + 1);
    assert_eq!(lab.nic.port().counters.sent, 1);
    assert_eq!(lab.nic.port().counters.sent_bytes, 1_518);
    assert_eq!(lab.nic.held().0, Bytes(0));
}

#[test]
fn a_pause_of_class_0_stops_it_until_it_runs_out_or_ends() {
    let mut lab = Lab::with_defaults(1);
    // 1,000 quanta at 100 Gbps: 5.12 us and the delay of 0.1 us.
    lab.arrive(Frame::pfc(1, 1_000));
    lab.write(0, &[1_460; 2]);
    lab.settle(10_000_000);
    let until = 5_220_000;
    assert_eq!(lab.sent(), [(0, 0, until + FULL), (0, 1, until + 2 * FULL)]);
    // A resume ends it sooner.
    lab.arrive(Frame::pfc(1, 65_535));
    lab.write(0, &[1_460]);
    lab.settle(11_000_000);
    assert_eq!(lab.bench.sent.len(), 2);
    lab.arrive(Frame::pfc(1, 0));
    assert_eq!(lab.sent()[2], (0, 2, 11_000_000 + FULL));
    let counters = &lab.nic.port().counters;
    assert_eq!(
        (counters.pauses_received[0], counters.resumes_received[0]),
        (2, 1)
    );
    assert_eq!(counters.sent_pfc, 0, "it never pauses its switch");
}

#[test]
fn a_paused_nic_lets_connections_wait() {
    let mut lab = Lab::new(2, 3_036);
    lab.arrive(Frame::pfc(1, 1_000));
    lab.write(0, &[1_460; 3]);
    lab.write(1, &[1_460; 1]);
    assert_eq!((lab.next[0], lab.next[1]), (2, 0));
    lab.settle(10_000_000);
    let order: Vec<(u16, u32)> = lab.sent().iter().map(|s| (s.0, s.1)).collect();
    assert_eq!(order, [(0, 0), (0, 1), (0, 2), (1, 0)]);
}

#[test]
fn a_pause_of_another_class_does_not_matter() {
    let mut lab = Lab::with_defaults(1);
    lab.arrive(Frame::pfc(0b1111_1110, 65_535));
    lab.write(0, &[1_460]);
    assert_eq!(lab.sent(), [(0, 0, FULL)]);
}

#[test]
fn what_arrives_goes_to_the_host_at_once() {
    let mut lab = Lab::with_defaults(1);
    let frames: Vec<Frame> = (0..1_000)
        .map(|sequence| {
            let header = TcpHeader {
                sequence,
                ..TcpHeader::default()
            };
            Frame::tcp(HostId(1), HostId(0), 7, header, 1_460)
        })
        .collect();
    for frame in &frames {
        lab.arrive(*frame);
    }
    assert_eq!(lab.arrived, frames);
    let counters = &lab.nic.port().counters;
    assert_eq!(
        (counters.received, counters.received_bytes, counters.receive_drops),
        (1_000, 1_518_000, 0)
    );
    assert!(lab.bench.sent.is_empty() && lab.bench.timers.is_empty());
}

#[test]
fn lost_frames_are_seen_by_nobody() {
    let mut lab = Lab::with_defaults(1);
    lab.nic.set_losses(Losses::new(vec![Loss {
        target: Target::Segment(None),
        skip: 1,
        times: 1,
    }]));
    let frame = Frame::tcp(HostId(1), HostId(0), 7, TcpHeader::default(), 1);
    for _ in 0..3 {
        lab.arrive(frame);
    }
    assert_eq!((lab.arrived.len(), lab.nic.lost()), (2, 1));
    assert_eq!(lab.nic.port().counters.received, 2);
}

#[test]
#[cfg_attr(debug_assertions, should_panic = "has no queue pairs")]
fn rdma_does_not_come_here() {
    let mut lab = Lab::with_defaults(1);
    lab.arrive(Frame {
        kind: Kind::WriteOnly,
        ..Frame::pfc(0, 0)
    });
    assert_eq!((lab.arrived.len(), lab.nic.port().counters.receive_drops), (0, 1));
}

#[test]
fn the_buffer_is_reported_as_the_pool_of_class_0() {
    let mut lab = Lab::new(1, 10_000);
    lab.nic.observe_pools();
    lab.write(0, &[1_460, 0]);
    lab.settle(FULL + 1);
    let [receive, transmit] = lab.nic.pools_mut();
    assert!(
        (0..8).all(|class| receive.size(class) == Bytes(0)),
        "no receive buffer"
    );
    assert_eq!(
        (transmit.size(0), transmit.size(1), transmit.used(0)),
        (Bytes(10_000), Bytes(0), 46)
    );
    let stats = transmit.report(0).expect("asked for");
    assert_eq!(
        (
            stats.taken,
            stats.taken_bytes,
            stats.released,
            stats.released_bytes
        ),
        (2, 1_546, 1, 1_500)
    );
    assert_eq!((stats.most, stats.refused), (1_546, 0));
}

/// What happens in a property test, after a wait in picoseconds.
#[derive(Clone, Debug)]
enum Step {
    Write(usize, Vec<u32>),
    Pause(u8, u16),
    Arrive,
}

const CONNECTIONS: usize = 4;

fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let payload = prop_oneof![Just(1_460u32), 0u32..1_460];
    let write = (0..CONNECTIONS, prop::collection::vec(payload, 1..12));
    let step = prop_oneof![
        5 => write.prop_map(|(connection, payloads)| Step::Write(connection, payloads)),
        1 => (any::<u8>(), 0u16..300).prop_map(|(classes, quanta)| Step::Pause(classes, quanta)),
        1 => Just(Step::Arrive),
    ];
    // Waits at which transmissions end to the picosecond are as likely as others.
    let wait = prop_oneof![Just(0), (0u64..5).prop_map(|n| n * FULL), 0u64..2_000_000];
    prop::collection::vec((wait, step), 1..60)
}

fn play(steps: &[(u64, Step)], buffer: u64, eager: bool) -> Lab {
    let mut lab = Lab::new(CONNECTIONS, buffer);
    lab.nic.set_eager(eager);
    for (wait, step) in steps {
        lab.settle(lab.bench.now.ps() + wait);
        match step {
            Step::Write(connection, payloads) => lab.write(*connection, payloads),
            Step::Pause(classes, quanta) => lab.arrive(Frame::pfc(*classes, *quanta)),
            Step::Arrive => lab.arrive(Frame::tcp(HostId(1), HostId(0), 7, TcpHeader::default(), 0)),
        }
    }
    lab.arrive(Frame::pfc(0xFF, 0));
    lab.settle(lab.bench.now.ps() + 1_000_000_000);
    lab
}

proptest! {
    #[test]
    fn everything_is_sent_once_and_in_order(steps in steps(), buffer in 1_536u64..20_000) {
        let lab = play(&steps, buffer, false);
        let mut expected = vec![Vec::new(); CONNECTIONS];
        for (_, step) in &steps {
            if let Step::Write(connection, payloads) = step {
                expected[*connection].extend_from_slice(payloads);
            }
        }
        let mut sent = vec![Vec::new(); CONNECTIONS];
        for (_, _, frame) in &lab.bench.sent {
            let connection = &mut sent[frame.source_port as usize];
            prop_assert_eq!(frame.psn as usize, connection.len(), "in order");
            connection.push(frame.payload as u32);
        }
        prop_assert_eq!(sent, expected);
        prop_assert_eq!(lab.nic.held().0, Bytes(0));
        prop_assert!(!lab.nic.anyone_waits());
        let counters = &lab.nic.port().counters;
        prop_assert_eq!((counters.send_drops, counters.receive_drops, counters.sent_pfc), (0, 0, 0));
    }

    #[test]
    fn events_that_are_left_out_change_nothing(steps in steps(), buffer in 1_536u64..20_000) {
        let (lazy, eager) = (play(&steps, buffer, false), play(&steps, buffer, true));
        prop_assert_eq!(lazy.sent(), eager.sent());
        prop_assert_eq!(lazy.nic.port().counters, eager.nic.port().counters);
    }
}

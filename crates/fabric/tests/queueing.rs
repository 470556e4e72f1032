//! Queueing theory at one port: fixed-size frames with Poisson gaps see M/D/1, whose mean wait is
//! rho / (2 (1 - rho)) service times.

use packetloom_des::queue::Wheel;
use packetloom_des::random::Stream;
use packetloom_des::{Alone, Bytes, Context, End, Engine, Event, Link, NoProbe, Node, Rate, Span, Time};
use packetloom_fabric::frame::{Frame, HostId, Kind};
use packetloom_fabric::port::Port;
use std::collections::VecDeque;
use std::ops::ControlFlow;

const PORT: u32 = 0;
const NEXT: u32 = 1;
/// 4,154 B at 400 Gbps.
const SERVICE: u64 = 83_080;

/// Puts frames straight into its port's queue, or swallows what arrives.
struct Source {
    port: Port<Frame>,
    stream: Stream,
    mean_gap: f64,
    left: u64,
    /// When each frame in the port came, the one being sent first.
    came: VecDeque<Time>,
    sent: u64,
    wait: u128,
}

impl Source {
    fn new(load: f64, frames: u64) -> Self {
        Source {
            port: Port::new(Rate::from_gbps(400), Span::from_ns(100)),
            stream: Stream::new(18_760, "source", "gap"),
            mean_gap: SERVICE as f64 / load,
            left: frames,
            came: VecDeque::new(),
            sent: 0,
            wait: 0,
        }
    }

    fn next<C: Context>(&mut self, context: &mut C) {
        if self.left > 0 {
            self.left -= 1;
            // Inverse transform of an exponential distribution.
            let gap = -(1.0 - self.stream.unit()).ln() * self.mean_gap;
            context.set_timer(
                NEXT,
                self.left as u16,
                context.now() + Span::from_ps(gap.round() as u64),
            );
        }
    }

    fn transmit<C: Context<Message = Frame>>(&mut self, context: &mut C) {
        let was_busy = self.port.busy();
        self.port.transmit(0, PORT, context, |_| true);
        if !was_busy && self.port.busy() {
            self.wait += context.now().since(self.came[0]).ps() as u128;
        }
    }
}

impl Node for Source {
    type Message = Frame;
    type Observation = ();

    fn start<C: Context<Message = Frame>>(&mut self, context: &mut C) {
        self.next(context);
    }

    fn handle<C: Context<Message = Frame>>(&mut self, event: Event<Frame>, context: &mut C) {
        match event {
            Event::Arrival { .. } => self.sent += 1,
            Event::Timer { slot: NEXT, .. } => {
                let frame = Frame {
                    size: 4_154,
                    kind: Kind::WriteMiddle,
                    destination: HostId(1),
                    ..Frame::pfc(0, 0)
                };
                self.came.push_back(context.now());
                self.port.queue(frame);
                self.transmit(context);
                self.next(context);
            }
            Event::Timer { .. } => {
                self.port.sent();
                self.came.pop_front();
                self.sent += 1;
                self.transmit(context);
            }
        }
    }
}

/// Mean wait in service times.
fn mean_wait(load: f64, frames: u64) -> f64 {
    assert_eq!(
        Rate::from_gbps(400).time_for(Bytes(4_154)),
        Span::from_ps(SERVICE)
    );
    let nodes = vec![Source::new(load, frames), Source::new(load, 0)];
    let link = Link {
        ends: [End { node: 0, port: 0 }, End { node: 1, port: 0 }],
        delay: Span::from_ns(100),
        least_serialization: Span::from_ps(1_160),
    };
    let mut engine: Engine<Source, Wheel, NoProbe> = Engine::new(nodes, &[link], &[0, 0], |_| NoProbe);
    let flow = engine.run_until(Time::NEVER, &mut Alone, |_, _| ControlFlow::Continue(()));
    assert!(flow.is_continue());
    assert_eq!(
        (engine.node(0).sent, engine.node(1).sent),
        (frames, frames),
        "every frame is sent and arrives"
    );
    engine.node(0).wait as f64 / frames as f64 / SERVICE as f64
}

#[track_caller]
fn agrees(load: f64, tolerance: f64) {
    let (found, theory) = (mean_wait(load, 10_000_000), load / (2.0 * (1.0 - load)));
    assert!(
        (found / theory - 1.0).abs() < tolerance,
        "load {load}: {found} against {theory} service times"
    );
}

#[test]
fn half_load() {
    agrees(0.5, 0.01);
}

#[test]
fn load_of_four_fifths() {
    agrees(0.8, 0.01);
}

#[test]
fn load_of_95_percent() {
    agrees(0.95, 0.03);
}

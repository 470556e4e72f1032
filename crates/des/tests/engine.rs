//! The engine's promises, on nodes that do nothing but send each other numbers:
//! results do not depend on the partitions, a stored engine goes on where it was, windows are half-open, and steady state
//! allocates nothing.

use packetloom_des::queue::{Heap, Queue, Wheel};
use packetloom_des::random::Stream;
use packetloom_des::{Alone, Context, End, Engine, Event, LazyTimer, Link, NoProbe, Node, Probe, Span, Time};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

const TIMER: u32 = 100;
const SERVICE: u32 = 200;

/// Takes numbers, mixes them into its history, and passes each on through a random port after a random service time. A lazy
/// timer is moved at every arrival.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Juggler {
    stream: Stream,
    ports: u16,
    balls: u32,
    busy_until: Vec<Time>,
    last: Time,
    timer: LazyTimer,
    history: u64,
    handled: u64,
}

impl Juggler {
    fn new(number: u32, ports: u16, balls: u32) -> Self {
        Juggler {
            stream: Stream::new(1, &format!("juggler {number}"), "throw"),
            ports,
            balls,
            busy_until: vec![Time::ZERO; ports as usize],
            last: Time::ZERO,
            timer: LazyTimer::default(),
            history: 0,
            handled: 0,
        }
    }

    fn note(&mut self, now: Time, what: u64) {
        assert!(now >= self.last, "time never goes back");
        self.last = now;
        self.handled += 1;
        self.history =
            self.history.rotate_left(5).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ now.ps() ^ what << 40;
    }

    fn throw<C: Context<Message = u64, Observation = u64>>(&mut self, ball: u64, context: &mut C) {
        let port = self.stream.below(self.ports as u64) as u16;
        let start = self.busy_until[port as usize].max(context.now());
        let end = start + Span::from_ps(1 + self.stream.below(5));
        self.busy_until[port as usize] = end;
        context.send(port, end, ball + 1);
    }
}

impl Node for Juggler {
    type Message = u64;
    type Observation = u64;

    fn start<C: Context<Message = u64, Observation = u64>>(&mut self, context: &mut C) {
        for ball in 0..self.balls {
            context.set_timer(SERVICE, ball as u16, Time::from_ps(self.stream.below(20)));
        }
    }

    fn handle<C: Context<Message = u64, Observation = u64>>(&mut self, event: Event<u64>, context: &mut C) {
        match event {
            Event::Arrival { port, message } => {
                self.note(context.now(), message << 8 | port as u64);
                context.observe(message);
                self.timer.set(
                    TIMER,
                    context.now() + Span::from_ps(self.stream.below(60)),
                    context,
                );
                self.throw(message, context);
            }
            Event::Timer { slot: TIMER, count } => {
                if self.timer.due(TIMER, count, context) {
                    self.note(context.now(), 1 << 20);
                }
            }
            Event::Timer { count, .. } => {
                self.note(context.now(), count as u64);
                self.throw(count as u64, context);
            }
        }
    }
}

/// Keeps (time, node, value) of everything observed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Log(Vec<(Time, u32, u64)>);

impl Probe<u64> for Log {
    fn observe(&mut self, now: Time, node: u32, value: u64) {
        self.0.push((now, node, value));
    }
}

/// A ring of `nodes` with a few chords; delays from 0 up.
fn links(nodes: u32, delays: &[u64]) -> Vec<Link> {
    let mut ports = vec![0u16; nodes as usize];
    let mut end = |node: u32| {
        ports[node as usize] += 1;
        End {
            node,
            port: ports[node as usize] - 1,
        }
    };
    let ring = (0..nodes).map(|n| (n, (n + 1) % nodes));
    let chords = (0..nodes / 2).map(|n| (n, n + nodes / 2));
    ring.chain(chords)
        .enumerate()
        .map(|(i, (a, b))| Link {
            ends: [end(a), end(b)],
            delay: Span::from_ps(delays[i % delays.len()]),
            least_serialization: Span::from_ps(1),
        })
        .collect()
}

/// Nodes joined without delay share a partition.
fn legal(mut cut: Vec<u32>, links: &[Link]) -> Vec<u32> {
    loop {
        let apart = links
            .iter()
            .find(|l| l.delay == Span::ZERO && cut[l.ends[0].node as usize] != cut[l.ends[1].node as usize]);
        let Some(link) = apart else { break };
        let (from, to) = (cut[link.ends[0].node as usize], cut[link.ends[1].node as usize]);
        cut.iter_mut().for_each(|p| {
            if *p == from {
                *p = to
            }
        });
    }
    // Numbered from 0 without a gap.
    let mut seen: Vec<u32> = Vec::new();
    cut.iter()
        .map(|p| match seen.iter().position(|s| s == p) {
            Some(place) => place as u32,
            None => {
                seen.push(*p);
                seen.len() as u32 - 1
            }
        })
        .collect()
}

fn jugglers(nodes: u32, links: &[Link]) -> Vec<Juggler> {
    (0..nodes)
        .map(|n| {
            let ports = links.iter().flat_map(|l| l.ends).filter(|e| e.node == n).count();
            Juggler::new(n, ports as u16, 3)
        })
        .collect()
}

type Outcome = (Vec<(u64, u64)>, Vec<(Time, u32, u64)>, u64);

/// Histories, everything observed in the order of (time, node), and the number of events.
fn run<Q: Queue>(nodes: u32, links: &[Link], cut: &[u32], until: Time) -> Outcome {
    let mut engine: Engine<Juggler, Q, Log> =
        Engine::new(jugglers(nodes, links), links, cut, |_| Log::default());
    let mut seen = Vec::new();
    let flow = engine.run_until(until, &mut Alone, |partitions, _| {
        let before = seen.len();
        for partition in partitions.iter_mut() {
            seen.append(&mut partition.probe_mut().0);
        }
        seen[before..].sort_by_key(|&(at, node, _)| (at, node));
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    (
        engine.nodes().map(|n| (n.history, n.handled)).collect(),
        seen,
        engine.events(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever the cut and the queue, every node sees the same.
    #[test]
    fn results_do_not_depend_on_the_partitions(
        nodes in 3u32..12,
        delays in prop::collection::vec(0u64..40, 1..6),
        cut in prop::collection::vec(0u32..5, 12),
    ) {
        let links = links(nodes, &delays);
        let until = Time::from_ps(2_000);
        let whole = run::<Heap>(nodes, &links, &vec![0; nodes as usize], until);
        prop_assert!(whole.2 > 100);
        let random = legal(cut[..nodes as usize].to_vec(), &links);
        let each = legal((0..nodes).collect(), &links);
        prop_assert_eq!(&run::<Heap>(nodes, &links, &random, until), &whole);
        prop_assert_eq!(&run::<Wheel>(nodes, &links, &random, until), &whole);
        prop_assert_eq!(&run::<Heap>(nodes, &links, &each, until), &whole);
    }

    /// An engine that was stored and read back between windows goes on as if nothing had happened.
    #[test]
    fn a_stored_engine_goes_on(stop in 1u64..1_500, cut in prop::collection::vec(0u32..4, 8)) {
        let links = links(8, &[7, 0, 13]);
        let cut = legal(cut, &links);
        let mut engine: Engine<Juggler, Wheel, Log> =
            Engine::new(jugglers(8, &links), &links, &cut, |_| Log::default());
        let go = |engine: &mut Engine<Juggler, Wheel, Log>, until| {
            let _ = engine.run_until(Time::from_ps(until), &mut Alone, |_, _| ControlFlow::Continue(()));
        };
        go(&mut engine, stop);
        let stored = postcard::to_stdvec(&engine).expect("stores");
        let mut back: Engine<Juggler, Wheel, Log> = postcard::from_bytes(&stored).expect("reads back");
        go(&mut engine, 2_000);
        go(&mut back, 2_000);
        let end = |e: &Engine<Juggler, Wheel, Log>| postcard::to_stdvec(e).expect("stores");
        prop_assert!(end(&engine) == end(&back), "the two engines differ");
    }
}

#[test]
fn events_at_the_end_of_a_run_stay_pending() {
    /// Notes when its timers go off.
    #[derive(Default)]
    struct Alarm(Vec<u64>);
    impl Node for Alarm {
        type Message = ();
        type Observation = ();
        fn start<C: Context>(&mut self, context: &mut C) {
            for (slot, at) in [10, 20, 20, 30].into_iter().enumerate() {
                context.set_timer(slot as u32, 0, Time::from_ps(at));
            }
        }
        fn handle<C: Context>(&mut self, _: Event<()>, context: &mut C) {
            self.0.push(context.now().ps());
        }
    }
    let mut engine: Engine<Alarm, Heap, NoProbe> =
        Engine::new(vec![Alarm::default()], &[], &[0], |_| NoProbe);
    for (until, seen) in [
        (20, vec![10]),
        (21, vec![10, 20, 20]),
        (30, vec![10, 20, 20]),
        (31, vec![10, 20, 20, 30]),
    ] {
        let _ = engine.run_until(Time::from_ps(until), &mut Alone, |_, _| ControlFlow::Continue(()));
        assert_eq!(engine.node(0).0, seen, "run until {until}");
        assert_eq!(engine.now(), Time::from_ps(until));
    }
}

#[test]
fn a_window_is_as_long_as_the_least_way_between_partitions() {
    let links = links(4, &[30, 20, 50]);
    let whole: Engine<Juggler, Heap, NoProbe> =
        Engine::new(jugglers(4, &links), &links, &[0; 4], |_| NoProbe);
    assert_eq!(whole.lookahead(), Span::MAX);
    let each: Engine<Juggler, Heap, NoProbe> =
        Engine::new(jugglers(4, &links), &links, &[0, 1, 2, 3], |_| NoProbe);
    assert_eq!(
        each.lookahead(),
        Span::from_ps(21),
        "delay 20 ps and 1 ps to serialize the smallest message"
    );
}

#[test]
#[should_panic(expected = "nodes joined without delay share a partition")]
fn a_link_without_delay_cannot_be_cut() {
    let links = links(4, &[0]);
    let _: Engine<Juggler, Heap, NoProbe> =
        Engine::new(jugglers(4, &links), &links, &[0, 1, 2, 3], |_| NoProbe);
}

#[test]
fn steady_state_allocates_nothing() {
    let links = links(12, &[7, 13, 30]);
    let cut: Vec<u32> = (0..12).map(|n| n / 3).collect();
    let mut engine: Engine<Juggler, Wheel, NoProbe> =
        Engine::new(jugglers(12, &links), &links, &cut, |_| NoProbe);
    let mut go = |until| {
        let allocated = allocation_counter::measure(|| {
            let _ = engine.run_until(Time::from_ps(until), &mut Alone, |_, _| ControlFlow::Continue(()));
        });
        (allocated.count_total, engine.events())
    };
    // Long enough for every ring and inbox to have seen its greatest length.
    let (warm_up, early) = go(3_000_000);
    let (steady, late) = go(4_000_000);
    assert!(warm_up > 0, "the allocator counts");
    assert!(late - early > 500_000, "{} events", late - early);
    assert_eq!(steady, 0, "allocations in {} events", late - early);
}

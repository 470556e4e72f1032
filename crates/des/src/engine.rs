//! Partitions, windows and the exchange between them.

use crate::node::{Node, Probe};
use crate::partition::{Partition, Remote, Wire};
use crate::queue::Queue;
use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// One end of a link: a node's number in the whole system and its port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// The node.
    pub node: u32,
    /// Its port.
    pub port: u16,
}

/// A link in both directions.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The two ends.
    pub ends: [End; 2],
    /// Propagation delay.
    pub delay: Span,
    /// How long the smallest message takes to serialize; part of the lookahead.
    pub least_serialization: Span,
}

/// How partitions of this process meet those of others. One process alone exchanges nothing.
pub trait Exchange<M> {
    /// The least of `time` over all processes.
    fn least(&mut self, time: Time) -> Time;
    /// Hands `outgoing` (partition, message) pairs to the processes that own the partitions, and gives what came back in
    /// `incoming`.
    fn swap(&mut self, outgoing: &mut Vec<(u32, Remote<M>)>, incoming: &mut Vec<(u32, Remote<M>)>);
}

/// A run in one process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl<M> Exchange<M> for Alone {
    fn least(&mut self, time: Time) -> Time {
        time
    }
    fn swap(&mut self, outgoing: &mut Vec<(u32, Remote<M>)>, _: &mut Vec<(u32, Remote<M>)>) {
        debug_assert!(outgoing.is_empty(), "every partition lives in this process");
    }
}

/// Longest window. One partition alone could run to the end in a single window; this keeps whoever watches in touch, and
/// changes no result.
const LONGEST_WINDOW: Span = Span::from_us(10);

/// The whole simulated system, cut into partitions that run window by window.
///
/// A window is half-open, `[t, t + lookahead)`: `t` is the least next-event time over all partitions, the lookahead the
/// least time between the start of a transmission and its arrival over the links that join partitions. Within a window no
/// partition can hear of another, so each runs alone to the window's end.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound(
    serialize = "N: Serialize, N::Message: Serialize, Q: Serialize, P: Serialize",
    deserialize = "N: Deserialize<'de>, N::Message: Deserialize<'de>, Q: Deserialize<'de>, P: Deserialize<'de>"
))]
pub struct Engine<N: Node, Q, P> {
    partitions: Vec<Partition<N, Q, P>>,
    /// Partition and place in it of each node.
    places: Vec<(u32, u32)>,
    lookahead: Span,
    now: Time,
}

impl<N: Node, Q: Queue, P: Probe<N::Observation>> Engine<N, Q, P> {
    /// Puts `nodes` into the partitions that `partition_of` names (numbered from 0 without a gap) and joins them by `links`.
    /// `probe` makes the watcher of each partition.
    ///
    /// # Panics
    /// When a port is wired twice or left open, or a link without any delay joins two partitions.
    pub fn new(nodes: Vec<N>, links: &[Link], partition_of: &[u32], mut probe: impl FnMut(u32) -> P) -> Self {
        assert_eq!(nodes.len(), partition_of.len(), "one partition for each node");
        let count = partition_of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut sizes = vec![0u32; count];
        let places: Vec<(u32, u32)> = partition_of
            .iter()
            .map(|&partition| {
                let size = &mut sizes[partition as usize];
                *size += 1;
                (partition, *size - 1)
            })
            .collect();
        let mut wires: Vec<Vec<Option<Wire>>> = nodes.iter().map(|_| Vec::new()).collect();
        let mut lookahead = Span::MAX;
        for link in links {
            for (from, to) in [(link.ends[0], link.ends[1]), (link.ends[1], link.ends[0])] {
                let (partition, node) = places[to.node as usize];
                let ports = &mut wires[from.node as usize];
                if ports.len() <= from.port as usize {
                    ports.resize(from.port as usize + 1, None);
                }
                let wire = Wire {
                    partition,
                    node,
                    port: to.port,
                    delay: link.delay,
                };
                assert!(
                    ports[from.port as usize].replace(wire).is_none(),
                    "{from:?} is wired twice"
                );
                if partition != places[from.node as usize].0 {
                    assert!(
                        link.delay > Span::ZERO,
                        "nodes joined without delay share a partition"
                    );
                    lookahead = lookahead.min(link.delay + link.least_serialization);
                }
            }
        }
        let mut members: Vec<Vec<(u32, N, Vec<Wire>)>> = sizes.iter().map(|_| Vec::new()).collect();
        for (number, (node, ports)) in nodes.into_iter().zip(wires).enumerate() {
            let ports = ports
                .into_iter()
                .map(|w| w.expect("every port has a link"))
                .collect();
            members[partition_of[number] as usize].push((number as u32, node, ports));
        }
        let partitions = members
            .into_iter()
            .enumerate()
            .map(|(index, nodes)| Partition::new(index as u32, nodes, probe(index as u32)))
            .collect();
        let mut engine = Engine {
            partitions,
            places,
            lookahead,
            now: Time::ZERO,
        };
        for partition in &mut engine.partitions {
            partition.start();
        }
        engine
    }

    /// Handles every event before `until`. After each window `watch` sees the partitions and the window's end, and may end
    /// the run early. Events at `until` itself stay pending, so that a report due then comes before them.
    pub fn run_until(
        &mut self,
        until: Time,
        exchange: &mut impl Exchange<N::Message>,
        mut watch: impl FnMut(&mut [Partition<N, Q, P>], Time) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (mut outgoing, mut incoming) = (Vec::new(), Vec::new());
        loop {
            let mut local = Time::NEVER;
            for partition in &mut self.partitions {
                local = local.min(partition.look_ahead());
            }
            let start = exchange.least(local);
            if start >= until {
                self.now = self.now.max(until);
                return ControlFlow::Continue(());
            }
            let end = start
                .saturating_add(self.lookahead.min(LONGEST_WINDOW))
                .min(until);
            for partition in &mut self.partitions {
                if partition.next_time() < end {
                    partition.run(end);
                }
            }
            self.now = end;
            self.route_outboxes(end);
            exchange.swap(&mut outgoing, &mut incoming);
            for (partition, remote) in incoming.drain(..) {
                self.partitions[partition as usize].deliver(remote);
            }
            watch(&mut self.partitions, end)?;
        }
    }

    /// Moves what each partition sent in the window before `end` into the inboxes of the others, in the order of the senders.
    #[inline]
    fn route_outboxes(&mut self, end: Time) {
        for from in 0..self.partitions.len() {
            if self.partitions[from].next_time() >= end {
                // It did not run.
                continue;
            }
            let mut outboxes = std::mem::take(self.partitions[from].outboxes());
            for outbox in &mut outboxes {
                if !outbox.messages.is_empty() {
                    self.partitions[outbox.partition as usize].deliver_all(&mut outbox.messages);
                }
            }
            *self.partitions[from].outboxes() = outboxes;
        }
    }

    /// The partitions.
    pub fn partitions(&self) -> &[Partition<N, Q, P>] {
        &self.partitions
    }

    /// The partitions, to be changed between windows.
    pub fn partitions_mut(&mut self) -> &mut [Partition<N, Q, P>] {
        &mut self.partitions
    }

    /// The node with this number in the whole system.
    pub fn node(&self, number: u32) -> &N {
        let (partition, place) = self.places[number as usize];
        &self.partitions[partition as usize].nodes()[place as usize]
    }

    /// The node with this number in the whole system, to be changed between windows.
    pub fn node_mut(&mut self, number: u32) -> &mut N {
        let (partition, place) = self.places[number as usize];
        &mut self.partitions[partition as usize].nodes_mut()[place as usize]
    }

    /// Messages sent and not yet arrived, those still being serialized included.
    pub fn in_flight(&self) -> u64 {
        self.partitions.iter().map(Partition::in_flight).sum()
    }

    /// All nodes in the order of their numbers.
    pub fn nodes(&self) -> impl Iterator<Item = &N> {
        (0..self.places.len() as u32).map(|number| self.node(number))
    }

    /// Time up to which every event has been handled.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.partitions.iter().map(Partition::events).sum()
    }

    /// Length of a window.
    pub fn lookahead(&self) -> Span {
        self.lookahead
    }
}

//! A group of nodes that runs on its own within a window.

use crate::key::Key;
use crate::node::{Context, Event, Node, Probe};
use crate::queue::{Entry, Queue, TIMER};
use crate::ring::Ring;
use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::marker::PhantomData;

/// A message under way to another partition.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Remote<M> {
    /// Key of its arrival.
    pub key: Key,
    /// The node it is for: its place in the destination partition.
    pub node: u32,
    /// That node's input port.
    pub port: u16,
    /// The message.
    pub message: M,
}

/// One direction of a link, as its sender sees it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Out {
    local: bool,
    node: u32,
    /// Place of the ring in the partition when the receiver is local, else that of the outbox.
    place: u32,
    port: u16,
    count: u16,
    delay: Span,
}

/// Where a node's ports begin in the partition's arrays.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Ports {
    /// Number of the node in the whole system.
    number: u32,
    /// First of its outgoing directions, and of its rings of arriving messages.
    first: u32,
}

/// The other side of a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wire {
    pub partition: u32,
    pub node: u32,
    pub port: u16,
    pub delay: Span,
}

/// What goes to another partition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outbox<M> {
    pub partition: u32,
    pub messages: Vec<Remote<M>>,
}

/// Everything of a partition but its nodes: what a node touches through its [`Context`].
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Fabric<M, Q> {
    queue: Q,
    ports: Vec<Ports>,
    out: Vec<Out>,
    /// Messages in flight to each local input port, first to arrive first. At most the front one has an event pending.
    rings: Vec<Ring<(Key, M)>>,
    /// What goes to each of the other partitions that are linked with this one.
    outboxes: Vec<Outbox<M>>,
}

/// A group of nodes with their queue, their links and their inbox.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound(
    serialize = "N: Serialize, N::Message: Serialize, Q: Serialize, P: Serialize",
    deserialize = "N: Deserialize<'de>, N::Message: Deserialize<'de>, Q: Deserialize<'de>, P: Deserialize<'de>"
))]
pub struct Partition<N: Node, Q, P> {
    nodes: Vec<N>,
    fabric: Fabric<N::Message, Q>,
    probe: P,
    /// Arrivals from other partitions, sorted by key up to `sorted`; those before `taken` are done with.
    inbox: Vec<Remote<N::Message>>,
    order: Vec<(Key, u32)>,
    taken: usize,
    merged: usize,
    events: u64,
    now: Time,
    /// When the next event was due at the last [`look_ahead`](Self::look_ahead).
    next: Time,
}

/// The engine as one node sees it. `O` is what it observes.
struct View<'a, M, O, Q, P> {
    fabric: &'a mut Fabric<M, Q>,
    probe: &'a mut P,
    /// Key of the event being handled.
    key: Key,
    node: u32,
    observation: PhantomData<fn(O)>,
}

impl<M: Copy, O, Q: Queue, P: Probe<O>> Context for View<'_, M, O, Q, P> {
    type Message = M;
    type Observation = O;

    #[inline]
    fn now(&self) -> Time {
        self.key.time()
    }

    #[inline]
    fn send(&mut self, port: u16, end: Time, message: M) {
        let Ports { number, first } = self.fabric.ports[self.node as usize];
        let out = &mut self.fabric.out[first as usize + port as usize];
        debug_assert!(end > self.key.time(), "a transmission takes time");
        out.count = out.count.wrapping_add(1);
        let key = Key::new(end + out.delay, number, port as u32, out.count);
        let out = *out;
        if out.local {
            let ring = &mut self.fabric.rings[out.place as usize];
            debug_assert!(
                ring.back().is_none_or(|(last, _)| *last < key),
                "a link is first in, first out"
            );
            if ring.is_empty() {
                self.fabric.queue.push(Entry {
                    key,
                    node: out.node,
                    what: out.port as u32,
                });
            }
            ring.push_back((key, message));
        } else {
            let letter = Remote {
                key,
                node: out.node,
                port: out.port,
                message,
            };
            self.fabric.outboxes[out.place as usize].messages.push(letter);
        }
    }

    #[inline]
    fn set_timer(&mut self, slot: u32, count: u16, at: Time) {
        debug_assert!(at >= self.now(), "time never goes back");
        let key = self.timer_key(slot, count, at);
        self.fabric.queue.push(Entry {
            key,
            node: self.node,
            what: slot | TIMER,
        });
    }

    #[inline]
    fn is_past(&self, slot: u32, count: u16, at: Time) -> bool {
        // The numbers of node and timer matter only at the very same instant.
        at < self.key.time() || at == self.key.time() && self.timer_key(slot, count, at) < self.key
    }

    #[inline]
    fn observe(&mut self, observation: O) {
        let number = self.fabric.ports[self.node as usize].number;
        self.probe.observe(self.key.time(), number, observation);
    }
}

impl<M, O, Q, P> View<'_, M, O, Q, P> {
    /// The key of a timer of this node.
    #[inline]
    fn timer_key(&self, slot: u32, count: u16, at: Time) -> Key {
        Key::new(at, self.fabric.ports[self.node as usize].number, slot, count)
    }
}

impl<N: Node, Q: Queue, P: Probe<N::Observation>> Partition<N, Q, P> {
    /// A partition of `nodes`, each with its number in the whole system and the other sides of its ports, numbered
    /// `index` of `partitions`.
    pub(crate) fn new(index: u32, nodes: Vec<(u32, N, Vec<Wire>)>, probe: P) -> Self {
        let mut ports = Vec::with_capacity(nodes.len());
        let mut total = 0u32;
        for (number, _, wires) in &nodes {
            ports.push(Ports {
                number: *number,
                first: total,
            });
            total += wires.len() as u32;
        }
        let mut out = Vec::with_capacity(total as usize);
        let mut members = Vec::with_capacity(nodes.len());
        let mut outboxes: Vec<Outbox<N::Message>> = Vec::new();
        let mut outbox_of: HashMap<u32, u32> = HashMap::new();
        for (_, node, wires) in nodes {
            for wire in wires {
                let local = wire.partition == index;
                let place = if local {
                    ports[wire.node as usize].first + wire.port as u32
                } else {
                    *outbox_of.entry(wire.partition).or_insert_with(|| {
                        outboxes.push(Outbox {
                            partition: wire.partition,
                            messages: Vec::new(),
                        });
                        outboxes.len() as u32 - 1
                    })
                };
                out.push(Out {
                    local,
                    node: wire.node,
                    place,
                    port: wire.port,
                    count: 0,
                    delay: wire.delay,
                });
            }
            members.push(node);
        }
        Partition {
            nodes: members,
            fabric: Fabric {
                queue: Q::default(),
                ports,
                out,
                rings: (0..total).map(|_| Ring::new()).collect(),
                outboxes,
            },
            probe,
            inbox: Vec::new(),
            order: Vec::new(),
            taken: 0,
            merged: 0,
            events: 0,
            now: Time::ZERO,
            next: Time::ZERO,
        }
    }

    /// The nodes, in order of their numbers in the whole system.
    pub fn nodes(&self) -> &[N] {
        &self.nodes
    }

    /// The nodes, to be changed between windows.
    pub fn nodes_mut(&mut self) -> &mut [N] {
        &mut self.nodes
    }

    /// What watches this partition.
    pub fn probe(&self) -> &P {
        &self.probe
    }

    /// What watches this partition, to be emptied between windows.
    pub fn probe_mut(&mut self) -> &mut P {
        &mut self.probe
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Messages on the way to this partition's nodes, or from them to another partition.
    pub(crate) fn in_flight(&self) -> u64 {
        let local: usize = self.fabric.rings.iter().map(Ring::len).sum();
        let leaving: usize = self.fabric.outboxes.iter().map(|o| o.messages.len()).sum();
        (local + leaving + self.inbox.len() - self.taken) as u64
    }

    /// Lets every node set its first timers.
    pub(crate) fn start(&mut self) {
        for node in 0..self.nodes.len() {
            let mut view = View {
                fabric: &mut self.fabric,
                probe: &mut self.probe,
                key: Key::FIRST,
                node: node as u32,
                observation: PhantomData,
            };
            self.nodes[node].start(&mut view);
        }
    }

    /// Begins a window: takes in what has arrived since the last one, and gives when the next event is due.
    #[inline]
    pub(crate) fn look_ahead(&mut self) -> Time {
        if self.merged != self.inbox.len() {
            self.merge_inbox();
        }
        let arrival = self
            .order
            .get(self.taken)
            .map_or(Time::NEVER, |(key, _)| key.time());
        self.next = arrival.min(self.fabric.queue.next_key().time());
        self.next
    }

    /// When the next event was due at the last [`look_ahead`](Self::look_ahead).
    #[inline]
    pub(crate) fn next_time(&self) -> Time {
        self.next
    }

    /// What this partition sends to others.
    pub(crate) fn outboxes(&mut self) -> &mut Vec<Outbox<N::Message>> {
        &mut self.fabric.outboxes
    }

    /// Takes arrivals from another partition, whose outbox is empty then and keeps its room.
    pub(crate) fn deliver_all(&mut self, arrivals: &mut Vec<Remote<N::Message>>) {
        self.inbox.append(arrivals);
    }

    /// Takes an arrival from another partition.
    pub(crate) fn deliver(&mut self, arrival: Remote<N::Message>) {
        self.inbox.push(arrival);
    }

    /// Sorts what came in since the last window among what is left of earlier ones.
    fn merge_inbox(&mut self) {
        if self.taken > 0 {
            // What was taken is dropped; the rest moves to the front in its order.
            if self.taken == self.order.len() {
                self.inbox.drain(..self.merged);
            } else {
                self.order.drain(..self.taken);
                self.order.sort_unstable_by_key(|&(_, place)| place);
                for (to, (_, place)) in self.order.iter().enumerate() {
                    self.inbox[to] = self.inbox[*place as usize];
                }
                let kept = self.order.len();
                self.inbox.drain(kept..self.merged);
            }
            self.taken = 0;
        }
        self.order.clear();
        self.order.extend(
            self.inbox
                .iter()
                .enumerate()
                .map(|(place, remote)| (remote.key, place as u32)),
        );
        self.order.sort_unstable_by_key(|&(key, _)| key);
        self.merged = self.inbox.len();
    }

    /// Handles every event before `end`, after [`look_ahead`](Self::look_ahead).
    pub(crate) fn run(&mut self, end: Time) {
        debug_assert_eq!(self.merged, self.inbox.len(), "arrivals are taken in first");
        loop {
            let local = self.fabric.queue.next_key();
            let remote = self.order.get(self.taken).map_or(Key::NEVER, |&(key, _)| key);
            let key = local.min(remote);
            if key.time() >= end {
                break;
            }
            debug_assert!(key.time() >= self.now, "time never goes back");
            self.now = key.time();
            self.events += 1;
            let (node, event) = if remote < local {
                let place = self.order[self.taken].1 as usize;
                self.taken += 1;
                let arrival = &self.inbox[place];
                (
                    arrival.node,
                    Event::Arrival {
                        port: arrival.port,
                        message: arrival.message,
                    },
                )
            } else {
                let entry = self.fabric.queue.pop().expect("its key was just read");
                (entry.node, self.open(entry))
            };
            let mut view = View {
                fabric: &mut self.fabric,
                probe: &mut self.probe,
                key,
                node,
                observation: PhantomData,
            };
            self.nodes[node as usize].handle(event, &mut view);
        }
    }

    /// Turns a queue entry into the event it stands for.
    #[inline]
    fn open(&mut self, entry: Entry) -> Event<N::Message> {
        if entry.what & TIMER != 0 {
            return Event::Timer {
                slot: entry.what & !TIMER,
                count: entry.key.count(),
            };
        }
        let port = entry.what as u16;
        let ring =
            &mut self.fabric.rings[(self.fabric.ports[entry.node as usize].first + port as u32) as usize];
        let (key, message) = ring
            .pop_front()
            .expect("an arrival is pending only for a message in the ring");
        debug_assert_eq!(key, entry.key);
        if let Some(&(next, _)) = ring.front() {
            self.fabric.queue.push(Entry { key: next, ..entry });
        }
        Event::Arrival { port, message }
    }
}

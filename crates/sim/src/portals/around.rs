//! What a node has of the machine around it: the network, time, memory, and threads to resume.

use super::log::OperationLog;
use super::machine::{Machine, NodePlan};
use super::options::Options;
use packetloom_flow::{HostId, Link, LinkId, Network, PathId, Platform, Sharing, SleepId};
use packetloom_portals::nic::{Direction, Kind, Logged, Message, Sequence, Step, Surroundings, Vn, Work};
use packetloom_portals::{Memory, Return, ThreadId};
use slab::Slab;
use std::collections::{BTreeMap, VecDeque};

/// What is under way in the network.
#[derive(Debug)]
pub(super) enum Activity {
    /// A transfer over PCI, a computation or a sleep
    Step {
        node: u32,
        step: Step,
        logged: Option<Logged>,
    },
    /// A message on the wire
    Wire {
        node: u32,
        step: Step,
        logged: Logged,
        message: Box<Message>,
        target: u32,
    },
    /// A process comes to its first barrier
    Start,
    /// A process has waited behind it
    Delayed(u32),
    /// A barrier is released for these threads
    Release(Vec<ThreadId>),
}

/// The ways of a node.
#[derive(Clone, Copy, Debug)]
struct Ways {
    to_nic: PathId,
    to_cpu: PathId,
}

/// Where a process computes.
#[derive(Clone, Copy, Debug)]
struct Processor {
    /// Over its host's cores
    path: PathId,
    /// Of one core, operations per second
    speed: f64,
    nid: u32,
}

/// A process's memory, of which at most so many bytes of a run are copied: reading gives zeroes for the others, writing leaves
/// them as they are.
pub(super) struct Copied<M> {
    memory: M,
    most: u64,
}

impl<M: Memory> Memory for Copied<M> {
    fn read(&self, address: u64, into: &mut [u8]) {
        let most = into.len().min(usize::try_from(self.most).unwrap_or(usize::MAX));
        let (copied, left) = into.split_at_mut(most);
        if !copied.is_empty() {
            self.memory.read(address, copied);
        }
        left.fill(0);
    }

    fn write(&mut self, address: u64, from: &[u8]) {
        let most = from.len().min(usize::try_from(self.most).unwrap_or(usize::MAX));
        if most > 0 {
            self.memory.write(address, &from[..most]);
        }
    }
}

/// The machine around the nodes.
pub(super) struct Around<M> {
    /// The node that is being asked
    pub(super) here: u32,
    pub(super) network: Network,
    pub(super) activities: Slab<Activity>,
    pub(super) ready: VecDeque<(ThreadId, Return)>,
    /// Messages that take effect at once, with their nodes
    pub(super) instant: VecDeque<(u32, Message)>,
    /// Messages that were given up: their targets, senders' identifiers, virtual networks and places
    pub(super) given_up: VecDeque<(u32, u32, Vn, Sequence)>,
    /// Threads at the barrier
    pub(super) barrier: Vec<ThreadId>,
    pub(super) log: Option<OperationLog>,
    /// What keeps the run from going on
    pub(super) failure: Option<packetloom_flow::Error>,
    memories: Vec<Copied<M>>,
    log_computation: bool,
    platform: Platform,
    nics: Vec<HostId>,
    ways: Vec<Ways>,
    /// Ways from NIC to NIC, found when they are first taken
    wires: BTreeMap<(u32, u32), PathId>,
    nids: BTreeMap<u32, u32>,
    /// Where each process computes
    processors: Vec<Processor>,
}

impl<M> Around<M> {
    pub(super) fn new(
        mut platform: Platform,
        machine: &Machine,
        options: &Options,
        memories: Vec<M>,
    ) -> Result<Self, packetloom_flow::Error> {
        let mut links = platform.links().to_vec();
        let mut cores: BTreeMap<HostId, [LinkId; 2]> = BTreeMap::new();
        for launch in &machine.launches {
            cores
                .entry(launch.host)
                .or_insert_with(|| processor(&platform, launch.host, &mut links));
        }
        let mut network = Network::new(&links, platform.settings());
        let ways = machine
            .nodes
            .iter()
            .map(|node| node_ways(node, &mut platform, &mut network))
            .collect::<Result<_, _>>()?;
        let processors = machine
            .launches
            .iter()
            .map(|launch| Processor {
                path: network.path(&cores[&launch.host], &[]),
                speed: platform.hosts()[launch.host.0 as usize].speed,
                nid: launch.nid,
            })
            .collect();
        Ok(Self {
            here: 0,
            network,
            activities: Slab::new(),
            ready: VecDeque::new(),
            instant: VecDeque::new(),
            given_up: VecDeque::new(),
            barrier: Vec::new(),
            log: None,
            failure: None,
            memories: memories
                .into_iter()
                .zip(&machine.launches)
                .map(|(memory, launch)| Copied {
                    memory,
                    most: if launch.real_memory {
                        options.most_copied.unwrap_or(u64::MAX)
                    } else {
                        0
                    },
                })
                .collect(),
            log_computation: options.log_computation,
            nics: machine.nodes.iter().map(|node| node.nic).collect(),
            ways,
            wires: BTreeMap::new(),
            nids: (0..)
                .zip(&machine.nodes)
                .map(|(at, node)| (node.nid, at))
                .collect(),
            processors,
            platform,
        })
    }

    /// Has `activity` come back after so many seconds.
    pub(super) fn after(&mut self, span: f64, activity: Activity) -> SleepId {
        let token = self.activities.insert(activity) as u64;
        self.network.sleep(span, token)
    }

    /// Notes the end of an operation for the log.
    pub(super) fn logged(&mut self, logged: Logged) {
        if let Some(log) = &mut self.log {
            log.ended(logged, self.network.now());
        }
    }

    /// The place of the node with this identifier.
    pub(super) fn node_of(&self, nid: u32) -> Option<u32> {
        self.nids.get(&nid).copied()
    }

    fn wire_path(&mut self, from: u32, to: u32) -> Option<PathId> {
        if let Some(path) = self.wires.get(&(from, to)) {
            return Some(*path);
        }
        let (source, target) = (self.nics[from as usize], self.nics[to as usize]);
        let routes = self
            .platform
            .route(source, target)
            .and_then(|there| Ok((there, self.platform.route(target, source)?)));
        match routes {
            Ok((there, back)) => {
                let path = self.network.path(&there.links, &back.links);
                self.wires.insert((from, to), path);
                Some(path)
            }
            Err(failure) => {
                self.failure.get_or_insert(failure);
                None
            }
        }
    }
}

/// A host's cores as links: computations share all of them, and none is faster than one.
fn processor(platform: &Platform, host: HostId, links: &mut Vec<Link>) -> [LinkId; 2] {
    let host = &platform.hosts()[host.0 as usize];
    let mut add = |what: &str, bandwidth: f64, sharing| {
        links.push(Link {
            name: format!("{what} of {}", host.name),
            bandwidth,
            latency: 0.0,
            sharing,
            bandwidth_profile: None,
            latency_profile: None,
            state_profile: None,
        });
        LinkId(links.len() as u32 - 1)
    };
    [
        add("core", host.speed, Sharing::FatPipe),
        add("cores", host.speed * f64::from(host.cores), Sharing::Shared),
    ]
}

fn node_ways(
    node: &NodePlan,
    platform: &mut Platform,
    network: &mut Network,
) -> Result<Ways, packetloom_flow::Error> {
    let there = platform.route(node.cpu, node.nic)?;
    let back = platform.route(node.nic, node.cpu)?;
    Ok(Ways {
        to_nic: network.path(&there.links, &back.links),
        to_cpu: network.path(&back.links, &there.links),
    })
}

impl<M: Memory> Surroundings for Around<M> {
    type Memory = Copied<M>;
    type TimeOut = (SleepId, u32);

    fn now(&self) -> f64 {
        self.network.now()
    }

    fn pci(&mut self, direction: Direction, bytes: u64, step: Step, logged: Option<Logged>) {
        let node = self.here;
        let ways = self.ways[node as usize];
        let token = self.activities.insert(Activity::Step { node, step, logged }) as u64;
        let path = match direction {
            Direction::ToNic => ways.to_nic,
            Direction::ToCpu => ways.to_cpu,
        };
        self.network.transfer(path, bytes, token);
    }

    fn wire(&mut self, message: Message, bytes: u64, step: Step, logged: Logged) {
        let node = self.here;
        let Some(target) = self.node_of(message.to) else {
            debug_assert!(false, "a message to a node that is not there");
            return;
        };
        let Some(path) = self.wire_path(node, target) else {
            return;
        };
        let token = self.activities.insert(Activity::Wire {
            node,
            step,
            logged,
            message: Box::new(message),
            target,
        }) as u64;
        self.network.transfer(path, bytes, token);
    }

    fn log(&mut self, logged: Logged) {
        self.logged(logged);
    }

    fn given_up(&mut self, message: &Message) {
        if let Some(node) = self.node_of(message.to) {
            self.given_up
                .push_back((node, message.from, message.vn, message.sequence));
        }
    }

    fn reaches(&self, nid: u32) -> bool {
        self.nids.contains_key(&nid)
    }

    fn instant(&mut self, message: Message) {
        if let Some(node) = self.node_of(message.to) {
            self.instant.push_back((node, message));
        }
    }

    fn sleep(&mut self, span: f64, step: Step) {
        let node = self.here;
        self.after(
            span,
            Activity::Step {
                node,
                step,
                logged: None,
            },
        );
    }

    fn time_out(&mut self, span: f64, step: Step) -> Self::TimeOut {
        let node = self.here;
        let token = self.activities.insert(Activity::Step {
            node,
            step,
            logged: None,
        });
        (self.network.sleep(span, token as u64), token as u32)
    }

    fn cancel(&mut self, (sleep, token): Self::TimeOut) {
        if self.network.cancel_sleep(sleep) {
            self.activities.remove(token as usize);
        }
    }

    fn compute(&mut self, process: u32, work: Work, step: Step) {
        let node = self.here;
        let Processor { path, speed, nid } = self.processors[process as usize];
        let flops = match work {
            Work::Flops(flops) => flops,
            Work::Seconds(span) => span * speed,
        };
        let logged = Logged {
            kind: Kind::Compute,
            initiator: nid,
            target: nid,
            start: self.now(),
        };
        let token = self.activities.insert(Activity::Step {
            node,
            step,
            logged: self.log_computation.then_some(logged),
        }) as u64;
        self.network.transfer(path, flops.max(0.0).round() as u64, token);
    }

    fn resume(&mut self, thread: ThreadId, value: Return) {
        self.ready.push_back((thread, value));
    }

    fn barrier(&mut self, thread: ThreadId) {
        self.barrier.push(thread);
    }

    fn memory(&mut self, process: u32) -> &mut Copied<M> {
        &mut self.memories[process as usize]
    }
}

//! The machine in time: what programs ask of it, and which of their threads runs next.

use super::around::{Activity, Around};
use super::log::OperationLog;
use super::machine::{Launch, Machine, MachineError};
use super::options::Options;
use packetloom_flow::{Ended, Outcome, Platform};
use packetloom_portals::nic::{Body, Message, Node};
use packetloom_portals::{Call, Library, Memory, Place, Return, ThreadId};

/// The job all processes belong to.
const JOB: u32 = 1;
/// The user all processes run as.
const USER: u32 = 1000;

/// Which thread runs next.
#[derive(Debug, PartialEq)]
pub enum Next {
    /// This one: its call returns so; a thread's first is its start
    Resume(ThreadId, Return),
    /// None ever again: all processes have ended but those that do not keep the run going
    Finished,
    /// None ever again, and processes still wait
    Deadlock,
    /// The machine cannot go on, for this reason
    Broken(String),
}

/// A simulated process, as the machine sees it.
#[derive(Debug)]
struct Process {
    launch: Launch,
    /// Its place on its node
    place: u32,
    ended: bool,
}

/// The machine.
pub struct World<M: Memory> {
    nodes: Vec<Node<Around<M>>>,
    around: Around<M>,
    processes: Vec<Process>,
    /// Processes that have come to the first barrier
    at_start: u32,
    /// Processes that keep the run going and have not ended
    left: u32,
    ended: Vec<Ended>,
    barrier_latency: f64,
}

impl<M: Memory> World<M> {
    /// The machine at time 0, with a memory for each process, by rank.
    ///
    /// # Errors
    ///
    /// A node whose processor has no route to its NIC.
    pub fn new(
        platform: Platform,
        machine: &Machine,
        options: &Options,
        memories: Vec<M>,
    ) -> Result<Self, MachineError> {
        let around = Around::new(platform, machine, options, memories)?;
        let mut nodes: Vec<Node<Around<M>>> = machine
            .nodes
            .iter()
            .map(|plan| {
                let mut node = Node::new(plan.nid, plan.features, options.nic);
                plan.transmitters.iter().for_each(|vn| node.add_transmitter(*vn));
                plan.receivers.iter().for_each(|vn| node.add_receiver(*vn));
                node
            })
            .collect();
        let processes: Vec<Process> = (0..)
            .zip(&machine.launches)
            .map(|(rank, launch)| {
                let place = Place {
                    nid: launch.nid,
                    uid: USER,
                    jid: JOB,
                };
                Process {
                    launch: launch.clone(),
                    place: nodes[launch.node as usize].add_process(rank, place, launch.service),
                    ended: false,
                }
            })
            .collect();
        let mut world = Self {
            nodes,
            around,
            left: processes.iter().filter(|process| !process.launch.daemon).count() as u32,
            processes,
            at_start: 0,
            ended: Vec::new(),
            barrier_latency: options.barrier_latency,
        };
        for rank in 0..world.processes.len() as u32 {
            let start = world.processes[rank as usize].launch.start_time;
            if start > 0.0 {
                world.around.after(start, Activity::Start);
            } else {
                world.arrive_at_start();
            }
        }
        Ok(world)
    }

    /// Has operations logged from now on.
    pub fn set_log(&mut self, log: OperationLog) {
        self.around.log = Some(log);
    }

    /// The log, to be finished.
    pub fn take_log(&mut self) -> Option<OperationLog> {
        self.around.log.take()
    }

    /// Simulated time, seconds.
    pub fn now(&self) -> f64 {
        self.around.network.now()
    }

    /// Asks for `call` in the name of `thread`. `None`: it waits, [`World::advance`] will name it.
    pub fn call(&mut self, thread: ThreadId, call: Call) -> Option<Return> {
        let (node, place) = self.at(thread.process);
        let value = self.nodes[node].call(place, thread.thread, call, &mut self.around);
        self.settle();
        value
    }

    /// Lets time pass until a thread can run.
    pub fn advance(&mut self) -> Next {
        loop {
            if let Some(failure) = &self.around.failure {
                return Next::Broken(failure.to_string());
            }
            if self.left == 0 {
                return Next::Finished;
            }
            if let Some((thread, value)) = self.around.ready.pop_front() {
                return Next::Resume(thread, value);
            }
            let mut ended = std::mem::take(&mut self.ended);
            let more = self.around.network.advance(&mut ended);
            for Ended { token, outcome } in ended.drain(..) {
                let activity = self.around.activities.remove(token as usize);
                self.go_on(activity, outcome);
                self.settle();
            }
            self.ended = ended;
            if !more && self.around.ready.is_empty() {
                return Next::Deadlock;
            }
        }
    }

    /// A further thread of a process is there and can run.
    pub fn spawn(&mut self, thread: ThreadId) {
        let (node, place) = self.at(thread.process);
        self.nodes[node].add_thread(place, thread.thread);
        self.around.ready.push_back((thread, Return::Done));
    }

    /// Ends the wait of a parked thread.
    pub fn wake(&mut self, thread: ThreadId) -> bool {
        let (node, place) = self.at(thread.process);
        self.nodes[node].wake(place, thread.thread, &mut self.around)
    }

    /// A thread other than the first has ended.
    pub fn thread_ended(&mut self, thread: ThreadId) {
        let (node, place) = self.at(thread.process);
        self.nodes[node].end_thread(place, thread.thread, &mut self.around);
    }

    /// A process has ended, with all its threads.
    pub fn process_ended(&mut self, rank: u32) {
        let (node, place) = self.at(rank);
        let process = &mut self.processes[rank as usize];
        if std::mem::replace(&mut process.ended, true) {
            return;
        }
        if !process.launch.daemon {
            self.left -= 1;
        }
        self.nodes[node].end_process(place, &mut self.around);
        self.around.ready.retain(|(thread, _)| thread.process != rank);
        self.around.barrier.retain(|thread| thread.process != rank);
        self.settle();
    }

    /// The library of a process.
    pub fn library(&mut self, rank: u32) -> &mut Library {
        let (node, place) = self.at(rank);
        self.nodes[node].library(place)
    }

    /// How many processes there are.
    pub fn processes(&self) -> u32 {
        self.processes.len() as u32
    }

    /// How a process was launched.
    pub fn launch(&self, rank: u32) -> &Launch {
        &self.processes[rank as usize].launch
    }

    /// The call that a thread is in.
    pub fn waits_for(&self, thread: ThreadId) -> Option<&'static str> {
        let process = self.processes.get(thread.process as usize)?;
        self.nodes[process.launch.node as usize].waits_for(process.place, thread.thread)
    }

    fn at(&mut self, rank: u32) -> (usize, u32) {
        let process = &self.processes[rank as usize];
        self.around.here = process.launch.node;
        (process.launch.node as usize, process.place)
    }

    fn go_on(&mut self, activity: Activity, outcome: Outcome) {
        match activity {
            Activity::Step { node, step, logged } => {
                if let Some(logged) = logged
                    && outcome == Outcome::Done
                {
                    self.around.logged(logged);
                }
                self.around.here = node;
                self.nodes[node as usize].step(step, &mut self.around);
            }
            Activity::Wire {
                node,
                step,
                logged,
                message,
                target,
            } => {
                if outcome == Outcome::Done {
                    self.around.logged(logged);
                    self.around.here = target;
                    self.nodes[target as usize].arrive(*message, &mut self.around);
                } else if !message.e2e {
                    self.lose(node, target, &message);
                }
                self.around.here = node;
                self.nodes[node as usize].step(step, &mut self.around);
            }
            Activity::Start => self.arrive_at_start(),
            Activity::Delayed(rank) => self.start(rank),
            Activity::Release(threads) => self.release(threads),
        }
    }

    /// A message that nobody sends again is lost: what comes behind it must not wait, and its operation fails.
    fn lose(&mut self, from: u32, to: u32, message: &Message) {
        if matches!(message.body, Body::E2eAck { .. }) {
            return;
        }
        let nid = self.nodes[from as usize].nid();
        self.around.here = to;
        self.nodes[to as usize].skip(nid, message.vn, message.sequence, &mut self.around);
        let initiator = match message.body {
            Body::Request(..) => from,
            _ => to,
        };
        self.around.here = initiator;
        self.nodes[initiator as usize].undeliverable(message, &mut self.around);
    }

    /// What takes effect at once does, until nothing is left of it.
    fn settle(&mut self) {
        while let Some((node, from, vn, sequence)) = self.around.given_up.pop_front() {
            self.around.here = node;
            self.nodes[node as usize].skip(from, vn, sequence, &mut self.around);
        }
        while let Some((node, message)) = self.around.instant.pop_front() {
            self.around.here = node;
            self.nodes[node as usize].answered(message, &mut self.around);
        }
        if self.around.barrier.is_empty() || self.around.barrier.len() < self.left as usize {
            return;
        }
        let mut waiting = self
            .around
            .barrier
            .iter()
            .map(|thread| thread.process)
            .collect::<Vec<_>>();
        waiting.sort_unstable();
        waiting.dedup();
        let members = waiting
            .iter()
            .filter(|rank| !self.processes[**rank as usize].launch.daemon);
        if (members.count() as u32) < self.left {
            return;
        }
        let mut threads = std::mem::take(&mut self.around.barrier);
        threads.sort_unstable();
        if self.barrier_latency > 0.0 {
            self.around
                .after(self.barrier_latency, Activity::Release(threads));
        } else {
            self.release(threads);
        }
    }

    fn release(&mut self, threads: Vec<ThreadId>) {
        for thread in threads {
            let (node, place) = self.at(thread.process);
            self.nodes[node].pass_barrier(place, thread.thread, &mut self.around);
        }
    }

    /// Another process has come to the barrier before all programs.
    fn arrive_at_start(&mut self) {
        self.at_start += 1;
        if (self.at_start as usize) < self.processes.len() {
            return;
        }
        for rank in 0..self.processes.len() as u32 {
            let delay = self.processes[rank as usize].launch.delay;
            if delay > 0.0 {
                self.around.after(delay, Activity::Delayed(rank));
            } else {
                self.start(rank);
            }
        }
    }

    fn start(&mut self, process: u32) {
        let thread = ThreadId { process, thread: 0 };
        self.around.ready.push_back((thread, Return::Done));
    }
}

//! A kernel without a network: sleeps, barriers and parking, in the order of time and of asking.

use packetloom_portals::{Call, Code, Library, Place, Return, ThreadId};
use packetloom_portals_host::{Ended, Kernel, Next};
use std::collections::BTreeMap;

/// What a poll costs from the second of a series on.
const POLL: f64 = 10e-9;

/// Nanoseconds, and the order of asking.
type Key = (u64, u64);

pub struct Toy {
    now: f64,
    order: u64,
    due: BTreeMap<Key, (f64, ThreadId, Return)>,
    parked: BTreeMap<ThreadId, Option<Key>>,
    at_barrier: Vec<ThreadId>,
    waits: BTreeMap<ThreadId, String>,
    alive: Vec<bool>,
    series: BTreeMap<ThreadId, u32>,
    hosts: Vec<String>,
    libraries: Vec<Library>,
    /// Asked when the first process ends
    pub at_first_end: Option<fn() -> u64>,
    /// Its answer
    pub seen_at_first_end: u64,
}

impl Toy {
    pub fn new(processes: u32) -> Self {
        let mut toy = Self {
            now: 0.0,
            order: 0,
            due: BTreeMap::new(),
            parked: BTreeMap::new(),
            at_barrier: Vec::new(),
            waits: BTreeMap::new(),
            alive: vec![true; processes as usize],
            series: BTreeMap::new(),
            hosts: (0..processes).map(|rank| format!("node{rank}")).collect(),
            libraries: (0..processes)
                .map(|nid| Library::new(Place { nid, uid: 0, jid: 0 }))
                .collect(),
            at_first_end: None,
            seen_at_first_end: 0,
        };
        for process in 0..processes {
            toy.later(0.0, ThreadId { process, thread: 0 }, Return::Done);
        }
        toy
    }

    fn later(&mut self, seconds: f64, thread: ThreadId, returned: Return) -> Key {
        let time = self.now + seconds;
        self.order += 1;
        let key = ((time * 1e12).round() as u64, self.order);
        self.due.insert(key, (time, thread, returned));
        key
    }

    fn release_barrier(&mut self) {
        let alive = self.alive.iter().filter(|alive| **alive).count();
        if !self.at_barrier.is_empty() && self.at_barrier.len() == alive {
            for thread in std::mem::take(&mut self.at_barrier) {
                self.later(0.0, thread, Return::Done);
            }
        }
    }
}

impl Kernel for Toy {
    fn now(&self) -> f64 {
        self.now
    }

    fn call(&mut self, thread: ThreadId, call: Call) -> Option<Return> {
        if !matches!(call, Call::Poll) {
            self.series.remove(&thread);
        }
        match call {
            Call::Sleep(seconds) => {
                self.waits.insert(thread, "a sleep".to_owned());
                self.later(seconds, thread, Return::Done);
                None
            }
            Call::Poll => {
                let polls = self.series.entry(thread).or_default();
                *polls += 1;
                if *polls < 2 {
                    return Some(Return::Done);
                }
                self.later(POLL, thread, Return::Done);
                None
            }
            Call::Barrier => {
                self.waits.insert(thread, "s4bxi_barrier".to_owned());
                self.at_barrier.push(thread);
                self.release_barrier();
                None
            }
            Call::Park(limit) => {
                let key = limit.map(|seconds| self.later(seconds, thread, Return::TimedOut));
                self.parked.insert(thread, key);
                None
            }
            _ => Some(Return::Failed(Code::NoInit)),
        }
    }

    fn next(&mut self) -> Next {
        let Some((_, (time, thread, returned))) = self.due.pop_first() else {
            return if self.alive.contains(&true) {
                Next::Deadlock
            } else {
                Next::Finished
            };
        };
        self.now = self.now.max(time);
        self.parked.remove(&thread);
        self.waits.remove(&thread);
        Next::Resume(thread, returned)
    }

    fn spawn(&mut self, thread: ThreadId) {
        self.later(0.0, thread, Return::Done);
    }

    fn wake(&mut self, thread: ThreadId) -> bool {
        let Some(key) = self.parked.remove(&thread) else {
            return false;
        };
        if let Some(key) = key {
            self.due.remove(&key);
        }
        self.later(0.0, thread, Return::Woken);
        true
    }

    fn thread_ended(&mut self, _: ThreadId) {}

    fn process_ended(&mut self, process: u32, _: Ended) {
        if let Some(ask) = self.at_first_end.take() {
            self.seen_at_first_end = ask();
        }
        self.alive[process as usize] = false;
        self.due.retain(|_, (_, thread, _)| thread.process != process);
        self.parked.retain(|thread, _| thread.process != process);
        self.at_barrier.retain(|thread| thread.process != process);
        self.release_barrier();
    }

    fn library(&mut self, process: u32) -> &mut Library {
        &mut self.libraries[process as usize]
    }

    fn processes(&self) -> u32 {
        self.alive.len() as u32
    }

    fn host_name(&self, process: u32) -> &str {
        &self.hosts[process as usize]
    }

    fn nid(&self, process: u32) -> u32 {
        process
    }

    fn waits_for(&self, thread: ThreadId) -> Option<String> {
        self.waits.get(&thread).cloned()
    }
}

//! The RDMA application on one host: a closed loop of writes on each of its initiators' connections.
//!
//! From the start of data transfer each connection keeps its number of work requests outstanding: it posts that many at
//! once, then one more each time one completes, until the run stops. No clock and no NIC here; the host asks what to post
//! and tells what completed.

use packetloom_des::{Bytes, Time};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Bytes of UDP and IPv4 headers around a doorbell's payload.
pub const DOORBELL_HEADERS: u64 = 28;

/// What is settled about a connection before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionPlan {
    /// The initiator's instance: its place among all of the run.
    pub instance: u32,
    /// When the connection request is sent.
    pub start: Time,
    /// Work requests kept outstanding.
    pub pending: u64,
    /// Size of each work request.
    pub size: Bytes,
    /// Payload of the doorbell message.
    pub doorbell: Bytes,
}

/// A connection's initiator.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Initiator {
    plan: ConnectionPlan,
    connected: bool,
    /// When each outstanding work request was posted, oldest first.
    outstanding: VecDeque<Time>,
    posted: u64,
    completed: u64,
}

/// A work request that has completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The initiator's instance.
    pub instance: u32,
    /// When its doorbell was rung.
    pub posted_at: Time,
    /// Its number on the connection, from 1.
    pub work_request: u64,
    /// Work requests the connection has posted, before the one that replaces this.
    pub posted: u64,
    /// Work requests the connection has completed, with this one.
    pub completed: u64,
    /// Its size.
    pub size: Bytes,
}

/// All initiators of one host.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Initiators {
    connections: Vec<Initiator>,
    /// Connections by start time, then number; those before `started` have started.
    order: Vec<u32>,
    started: usize,
    data_start: Time,
}

impl Initiators {
    /// The initiators of a host with these connections, posting from `data_start` on.
    pub fn new(plans: Vec<ConnectionPlan>, data_start: Time) -> Self {
        let mut order: Vec<u32> = (0..plans.len() as u32).collect();
        order.sort_by_key(|&connection| plans[connection as usize].start);
        let connections = plans
            .into_iter()
            .map(|plan| Initiator {
                plan,
                connected: false,
                outstanding: VecDeque::new(),
                posted: 0,
                completed: 0,
            })
            .collect();
        Initiators {
            connections,
            order,
            started: 0,
            data_start,
        }
    }

    /// Number of connections.
    pub fn len(&self) -> usize {
        self.connections.len()
    }

    /// Whether the host runs no initiator.
    pub fn is_empty(&self) -> bool {
        self.connections.is_empty()
    }

    /// When posting starts.
    pub fn data_start(&self) -> Time {
        self.data_start
    }

    /// When the next connection starts.
    pub fn next_start(&self) -> Option<Time> {
        self.order
            .get(self.started)
            .map(|&connection| self.connections[connection as usize].plan.start)
    }

    /// The next connection that starts at or before `now`; each comes once.
    pub fn start(&mut self, now: Time) -> Option<u32> {
        let connection = *self.order.get(self.started)?;
        if self.connections[connection as usize].plan.start > now {
            return None;
        }
        self.started += 1;
        Some(connection)
    }

    /// A connection is set up. Returns how many work requests it posts now.
    pub fn connected(&mut self, connection: u32, now: Time) -> u64 {
        let initiator = &mut self.connections[connection as usize];
        initiator.connected = true;
        if now >= self.data_start {
            initiator.plan.pending
        } else {
            0
        }
    }

    /// Data transfer starts. Returns how many work requests this connection posts now.
    pub fn begin(&self, connection: u32) -> u64 {
        let initiator = &self.connections[connection as usize];
        // One that was set up at this very instant may have begun already.
        if initiator.connected && initiator.posted == 0 {
            initiator.plan.pending
        } else {
            0
        }
    }

    /// Posts a work request now. Returns its size and the size of the doorbell message.
    #[inline]
    pub fn post(&mut self, connection: u32, now: Time) -> (Bytes, Bytes) {
        let initiator = &mut self.connections[connection as usize];
        initiator.posted += 1;
        initiator.outstanding.push_back(now);
        debug_assert!(initiator.outstanding.len() as u64 <= initiator.plan.pending);
        (
            initiator.plan.size,
            initiator.plan.doorbell + Bytes(DOORBELL_HEADERS),
        )
    }

    /// The oldest work request of a connection has completed.
    #[inline]
    pub fn complete(&mut self, connection: u32) -> Completion {
        let initiator = &mut self.connections[connection as usize];
        let posted_at = initiator
            .outstanding
            .pop_front()
            .expect("only a posted work request completes");
        initiator.completed += 1;
        Completion {
            instance: initiator.plan.instance,
            posted_at,
            work_request: initiator.completed,
            posted: initiator.posted,
            completed: initiator.completed,
            size: initiator.plan.size,
        }
    }

    /// Work requests posted and completed by all connections of the host.
    pub fn totals(&self) -> (u64, u64) {
        self.connections
            .iter()
            .fold((0, 0), |(p, c), i| (p + i.posted, c + i.completed))
    }

    /// Instance, posted and completed work requests of each connection.
    pub fn counts(&self) -> impl Iterator<Item = (u32, u64, u64)> + '_ {
        self.connections
            .iter()
            .map(|i| (i.plan.instance, i.posted, i.completed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(instance: u32, start: u64) -> ConnectionPlan {
        let start = Time::from_ps(start);
        ConnectionPlan {
            instance,
            start,
            pending: 10,
            size: Bytes(250_000),
            doorbell: Bytes(64),
        }
    }

    #[test]
    fn keeps_ten_outstanding() {
        let mut initiators = Initiators::new(vec![plan(0, 0)], Time::from_ps(100));
        assert_eq!(
            initiators.connected(0, Time::from_ps(50)),
            0,
            "set up before data transfer starts"
        );
        assert_eq!(initiators.begin(0), 10);
        for _ in 0..10 {
            assert_eq!(
                initiators.post(0, Time::from_ps(100)),
                (Bytes(250_000), Bytes(92))
            );
        }
        assert_eq!(initiators.begin(0), 0, "begins once");
        let first = initiators.complete(0);
        assert_eq!((first.work_request, first.posted, first.completed), (1, 10, 1));
        initiators.post(0, Time::from_ps(900));
        let second = initiators.complete(0);
        assert_eq!((second.work_request, second.posted, second.completed), (2, 11, 2));
        assert_eq!(second.posted_at, Time::from_ps(100));
        assert_eq!(initiators.totals(), (11, 2));
    }

    #[test]
    fn a_late_connection_posts_at_once() {
        let mut initiators = Initiators::new(vec![plan(0, 0)], Time::from_ps(100));
        assert_eq!(initiators.connected(0, Time::from_ps(100)), 10);
    }

    #[test]
    fn connections_start_in_time_order() {
        let mut initiators = Initiators::new(vec![plan(0, 30), plan(1, 10), plan(2, 10)], Time::from_ps(100));
        assert_eq!(initiators.next_start(), Some(Time::from_ps(10)));
        assert_eq!(initiators.start(Time::from_ps(10)), Some(1));
        assert_eq!(initiators.start(Time::from_ps(10)), Some(2));
        assert_eq!(initiators.start(Time::from_ps(10)), None);
        assert_eq!(initiators.start(Time::from_ps(30)), Some(0));
        assert_eq!(initiators.next_start(), None);
    }
}

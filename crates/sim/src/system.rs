//! Totals over all nodes, and the books that must balance whatever the run.

use crate::host::System;
use crate::observe::Observer;
use packetloom_des::queue::Queue;
use packetloom_des::{Engine, Time};
use packetloom_fabric::port::PortCounters;
use packetloom_tcp::Connection;

/// Sums over the whole system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Frames that finished their serialization on a port.
    pub packet_hops: u64,
    /// Frames being serialized.
    pub sending: u64,
    /// Frames that arrived at a node.
    pub received: u64,
    /// Frames lost on purpose.
    pub lost: u64,
    /// Frames dropped by switches and receive pools.
    pub drops: u64,
    /// Those of them that switches dropped though their class is lossless there.
    pub lossless_drops: u64,
    /// Those of them that NICs had no room for in a receive pool.
    pub nic_drops: u64,
    /// PFC pauses sent, refreshes included.
    pub pauses: u64,
    /// Retransmission episodes.
    pub retransmissions: u64,
    /// Data packets sent again, and those of TCP that set a connection up.
    pub repeats: u64,
    /// Transport timer expiries at RoCE NICs.
    pub timeouts: u64,
    /// TCP retransmission timeouts.
    pub tcp_timeouts: u64,
    /// Work requests posted.
    pub posted: u64,
    /// Work requests completed.
    pub completed: u64,
    /// Requests and replies of the traffic generator.
    pub requests: Requests,
}

/// Requests and replies of the traffic generator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// Requests that clients have handed to TCP.
    pub handed: u64,
    /// Replies that clients have received in full.
    pub completed: u64,
    /// Requests that servers have received in full.
    pub received: u64,
    /// Replies that servers have handed to TCP.
    pub answered: u64,
    /// Bytes of the requests that servers have received in full in the recording window.
    pub recorded_bytes: u64,
}

impl Totals {
    /// Adds up all nodes.
    pub fn of<Q: Queue>(engine: &Engine<System, Q, Observer>) -> Totals {
        let mut totals = Totals::default();
        for node in engine.nodes() {
            match node {
                System::Switch(switch) => {
                    totals.lost += switch.lost();
                    totals.lossless_drops += switch.lossless_drops();
                    for port in switch.ports() {
                        totals.add_port(&port.counters, port.busy());
                    }
                }
                System::Rdma(host) => {
                    let nic = host.nic();
                    totals.lost += nic.lost();
                    totals.nic_drops += nic.port().counters.receive_drops;
                    totals.add_port(&nic.port().counters, nic.port().busy());
                    totals.retransmissions += nic.stats().retransmissions;
                    totals.repeats += nic.stats().repeats;
                    totals.timeouts += nic.stats().timeouts;
                    let (posted, completed) = host.initiators().totals();
                    totals.posted += posted;
                    totals.completed += completed;
                }
                System::Tcp(host) => {
                    let nic = host.nic();
                    totals.lost += nic.lost();
                    totals.add_port(&nic.port().counters, nic.port().busy());
                    for (client, _) in host.clients() {
                        totals.requests.handed += client.handed();
                        totals.requests.completed += client.completed();
                    }
                    for (server, _) in host.servers() {
                        totals.requests.received += server.received_requests();
                        totals.requests.answered += server.sent();
                        totals.requests.recorded_bytes += server.recorded_bytes();
                    }
                    let connections = host
                        .clients()
                        .map(|(_, c)| c)
                        .chain(host.servers().map(|(_, c)| c));
                    for report in connections.map(Connection::report) {
                        totals.retransmissions += report.fast_retransmits + report.timeouts;
                        totals.repeats += report.segments_resent;
                        totals.tcp_timeouts += report.timeouts;
                    }
                }
            }
        }
        totals
    }

    fn add_port(&mut self, counters: &PortCounters, busy: bool) {
        self.packet_hops += counters.sent;
        self.sending += busy as u64;
        self.received += counters.received;
        self.drops += counters.send_drops + counters.receive_drops;
        self.pauses += counters.pauses_sent.iter().sum::<u64>();
    }
}

/// Between windows: lets every node catch up with what has ended before `at` without an event, so that counters and books are
/// exact.
pub fn settle<Q: Queue>(engine: &mut Engine<System, Q, Observer>, at: Time) {
    for partition in engine.partitions_mut() {
        for node in partition.nodes_mut() {
            node.settle_before(at);
        }
    }
}

/// Checks the conservation laws, after [`settle`]: every frame sent was received, lost or is in flight; buffers hold what is in them; every
/// work request that completed was posted; and every reply has its request.
///
/// # Panics
/// When one is broken, which is always a fault of the models.
pub fn check<Q: Queue>(engine: &Engine<System, Q, Observer>) {
    let totals = Totals::of(engine);
    assert_eq!(
        totals.packet_hops + totals.sending,
        totals.received + totals.lost + engine.in_flight(),
        "packets sent = received + lost + in flight"
    );
    assert!(
        totals.completed <= totals.posted,
        "a work request completes only after it was posted"
    );
    let requests = totals.requests;
    assert!(
        requests.completed <= requests.answered
            && requests.answered <= requests.received
            && requests.received <= requests.handed,
        "a request is handed over, received, answered, completed, in this order"
    );
    for node in engine.nodes() {
        match node {
            System::Switch(switch) => switch.check(),
            System::Rdma(host) => host.nic().check(),
            System::Tcp(host) => host.check(),
        }
    }
}

//! Rows about TCP connections.

use super::Reporter;
use crate::assemble::Layout;
use crate::host::System;
use crate::host::tcp::TcpHost;
use crate::observe::Observer;
use packetloom_config::scenario::Scenario;
use packetloom_des::queue::Queue;
use packetloom_des::{Engine, Span, Time};
use packetloom_fabric::topology::Endpoint;
use packetloom_records::{Gigabytes, Microseconds, Record, RecordsError, Seconds, TcpStatsRow};
use packetloom_tcp::{CongestionState, Report};

/// What a threshold that is not set yet is written as.
const NO_THRESHOLD: u64 = u32::MAX as u64;

/// The client connections that `tcp-stats` tells of.
#[derive(Default)]
pub(super) struct Connections {
    list: Vec<Reported>,
}

struct Reported {
    /// Place among all instances of the run.
    instance: u32,
    host: u32,
    /// Place among the clients of its host.
    client: u32,
    /// Payload sent and received at the last report.
    sent: u64,
    received: u64,
}

impl Connections {
    pub fn new(layout: &Layout, scenario: &Scenario) -> Self {
        let mut clients = vec![0u32; layout.topology.hosts.len()];
        let mut list = Vec::new();
        for (number, instance) in layout.instances.iter().enumerate() {
            let attributes = &scenario.applications[instance.application as usize].attributes;
            let Some(generator) = attributes.generator() else {
                continue;
            };
            let client = &mut clients[instance.client as usize];
            if generator.attributes.enable_tcp_stats {
                list.push(Reported {
                    instance: number as u32,
                    host: instance.client,
                    client: *client,
                    sent: 0,
                    received: 0,
                });
            }
            *client += 1;
        }
        Connections { list }
    }
}

/// When the first TCP connection of the run starts, before the first event. It may be one that `tcp-stats` does not tell of.
pub(crate) fn first_tcp_start<Q: Queue>(engine: &Engine<System, Q, Observer>) -> Option<Time> {
    let hosts = engine.nodes().filter_map(System::as_tcp);
    hosts
        .flat_map(TcpHost::clients)
        .map(|(client, _)| client.next())
        .min()
}

impl Reporter {
    /// Rows of `tcp-stats` for every client connection.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn tcp_stats<Q: Queue>(
        &mut self,
        at: Time,
        interval: Span,
        layout: &Layout,
        engine: &Engine<System, Q, Observer>,
    ) -> Result<(), RecordsError> {
        if !self.files.writes(Record::TcpStats) {
            return Ok(());
        }
        self.files.tick();
        for reported in &mut self.tcp.list {
            let node = engine.node(layout.topology.engine_node(Endpoint::Host(reported.host)));
            let host = node.as_tcp().expect("clients are on hosts under TCP");
            let now = host.client_connection(reported.client).report();
            let rates = [
                megabytes_per_second(now.sent_bytes - reported.sent, interval),
                megabytes_per_second(now.received_bytes - reported.received, interval),
            ];
            (reported.sent, reported.received) = (now.sent_bytes, now.received_bytes);
            let name = &self.names[reported.instance as usize].client;
            self.files.write(&row(at, name, &now, rates))?;
        }
        Ok(())
    }
}

fn megabytes_per_second(bytes: u64, interval: Span) -> f64 {
    if interval == Span::ZERO {
        0.0
    } else {
        bytes as f64 * 1e6 / interval.ps() as f64
    }
}

fn row<'a>(at: Time, name: &'a str, now: &Report, [sent, received]: [f64; 2]) -> TcpStatsRow<'a> {
    TcpStatsRow {
        sim_time_sec: Seconds::from_ps(at.ps()),
        AppId: name,
        Type: "CLIENT",
        CongestionWindow: now.congestion_window,
        CongestionWindowInflated: now.inflated_window,
        RWND: now.receive_window,
        AdvWND: now.advertised_window,
        BytesInFlight: now.in_flight,
        SlowStartThreshold: now.slow_start_threshold.min(NO_THRESHOLD),
        RTO: Microseconds::from_ps(now.retransmission_timeout.ps()),
        RTT: Microseconds::from_ps(now.smoothed_round_trip.unwrap_or(Span::ZERO).ps()),
        State: now.state.name(),
        CongState: now.congestion_state.name(),
        NACKSRecvd: now.acks_with_sack,
        TotalSegmentsTX: now.segments_sent,
        OPEN: now.entered.times(CongestionState::Open),
        DISORDER: now.entered.times(CongestionState::Disorder),
        CWR: now.entered.times(CongestionState::Cwr),
        RECOVERY: now.entered.times(CongestionState::Recovery),
        LOSS: now.entered.times(CongestionState::Loss),
        NumRTO: now.timeouts,
        NumFastRetrans: now.fast_retransmits,
        DupAcksOrSacks: now.duplicates,
        total_bytes_tx_GB: Gigabytes::from_bytes(now.sent_bytes),
        tx_interval_throughput_rate_MBps: sent,
        total_bytes_rx_GB: Gigabytes::from_bytes(now.received_bytes),
        rx_interval_throughput_rate_MBps: received,
    }
}

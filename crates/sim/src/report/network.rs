//! Rows about links and ports: what is connected, what went through, what PFC held back.

use super::{Device, Reporter, SUBTIER, device, gbps, percent, ports};
use crate::assemble::Layout;
use crate::host::System;
use crate::observe::Observer;
use packetloom_des::queue::Queue;
use packetloom_des::{Engine, Span, Time};
use packetloom_fabric::port::{self, Carries};
use packetloom_fabric::topology::{Endpoint, Port, Tier};
use packetloom_records::{
    EcnPfcStatsRow, Gbps, Gigabytes, Megabytes, Microseconds, Nanoseconds, NdStatsRow, Record, RecordsError,
    Seconds, TierHopRow, TopologyReportRow,
};

impl Reporter {
    pub(super) fn topology_report(&mut self, layout: &Layout) -> Result<(), RecordsError> {
        for link in layout.topology.links() {
            let upper = device(layout, Endpoint::Switch(link.upper));
            let lower = device(layout, link.lower);
            self.files.write(&TopologyReportRow {
                component_name: upper.name,
                component_type: upper.component_type,
                tier: upper.tier,
                subtier: SUBTIER,
                node_id: upper.node,
                net_device: upper.net_device,
                dev_id: link.upper_port as u64,
                peer_component_name: lower.name,
                peer_component_type: lower.component_type,
                peer_tier: lower.tier,
                peer_subtier: SUBTIER,
                peer_node_id: lower.node,
                peer_net_device: lower.net_device,
                peer_dev_id: link.lower_port as u64,
                linkspeed_Gbps: Gbps::from_bps(link.rate.bps()),
                prop_delay_ns: Nanoseconds::from_ps(link.delay.ps()),
            })?;
        }
        Ok(())
    }

    /// Rows of `nd-stats` for every port.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn nd_stats<Q: Queue>(
        &mut self,
        at: Time,
        interval: Span,
        layout: &Layout,
        engine: &Engine<System, Q, Observer>,
    ) -> Result<(), RecordsError> {
        if !self.files.writes(Record::NdStats) {
            return Ok(());
        }
        self.files.tick();
        let mut place = 0;
        for (engine_node, node) in engine.nodes().enumerate() {
            let engine_node = engine_node as u32;
            let device = device(layout, layout.topology.endpoint(engine_node));
            for (number, (port, counters)) in ports(layout, engine_node, node).enumerate() {
                let before = std::mem::replace(&mut self.ports[place], *counters);
                place += 1;
                let sent = counters.sent_bytes - before.sent_bytes;
                let received = counters.received_bytes - before.received_bytes;
                self.files.write(&NdStatsRow {
                    sim_time_sec: Seconds::from_ps(at.ps()),
                    component_name: device.name,
                    nd_name: device.net_device,
                    component_type: device.component_type,
                    ifid: number as u64,
                    uldl: if port.up { "ul" } else { "dl" },
                    node_id: device.node,
                    tier: device.tier,
                    subtier: SUBTIER,
                    total_packets_tx: counters.sent,
                    total_packets_rx: counters.received,
                    total_bytes_tx_GB: Gigabytes::from_bytes(counters.sent_bytes),
                    total_bytes_rx_GB: Gigabytes::from_bytes(counters.received_bytes),
                    interval_bytes_tx_MB: Megabytes::from_bytes(sent),
                    interval_bytes_rx_MB: Megabytes::from_bytes(received),
                    tx_rate_Gbps: gbps(sent, interval),
                    rx_rate_Gbps: gbps(received, interval),
                    tx_link_percent_util: percent(sent, interval, port.rate),
                    rx_link_percent_util: percent(received, interval, port.rate),
                    tx_drops: counters.send_drops,
                    rx_drops: counters.receive_drops,
                })?;
            }
        }
        Ok(())
    }

    /// Rows of `ecn-pfc-stats`: for every port, the classes in which something has happened; of RoCE NICs, those with a
    /// receive pool.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn ecn_pfc_stats<Q: Queue>(
        &mut self,
        at: Time,
        interval: Span,
        layout: &Layout,
        engine: &mut Engine<System, Q, Observer>,
    ) -> Result<(), RecordsError> {
        if !self.files.writes(Record::EcnPfcStats) {
            return Ok(());
        }
        self.files.tick();
        let topology = &layout.topology;
        for engine_node in 0..(topology.switches.len() + topology.hosts.len()) as u32 {
            let endpoint = topology.endpoint(engine_node);
            let wired = topology.ports(endpoint);
            let named = device(layout, endpoint);
            let (report, node) = (Report { at, interval }, engine.node_mut(engine_node));
            match (endpoint, node) {
                (Endpoint::Switch(_), System::Switch(switch)) => {
                    for (number, port) in switch.ports_mut().iter_mut().enumerate() {
                        self.class_rows(&report, &named, &wired[number], number, port, u8::MAX)?;
                    }
                }
                (Endpoint::Host(host), System::Rdma(node)) => {
                    let classes = self.receive_pools[host as usize];
                    self.class_rows(&report, &named, &wired[0], 0, node.nic_mut().port_mut(), classes)?;
                }
                (Endpoint::Host(_), System::Tcp(node)) => {
                    let port = node.nic_mut().port_mut();
                    self.class_rows(&report, &named, &wired[0], 0, port, u8::MAX)?;
                }
                _ => unreachable!("nodes of the topology are nodes of the engine"),
            }
        }
        Ok(())
    }

    /// The rows of one port in `ecn-pfc-stats`: those of the given classes whose counters are not all 0.
    fn class_rows<T: Carries>(
        &mut self,
        report: &Report,
        device: &Device<'_>,
        wired: &Port,
        number: usize,
        port: &mut port::Port<T>,
        classes: u8,
    ) -> Result<(), RecordsError> {
        let us = |span: Span| Microseconds::from_ps(span.ps());
        for (class, times) in port.report_pauses(report.at).iter().enumerate() {
            let counters = &port.counters;
            let frames = [
                counters.pauses_sent[class],
                counters.pauses_received[class],
                counters.resumes_sent[class],
                counters.resumes_received[class],
            ];
            // A class that has received no pause has not been paused either.
            if classes & 1 << class == 0 || frames == [0; 4] {
                continue;
            }
            let (paused, waiting) = (&times.paused, &times.waiting);
            self.files.write(&EcnPfcStatsRow {
                sim_time_sec: Seconds::from_ps(report.at.ps()),
                node_id: device.node,
                component_name: device.name,
                component_type: device.component_type,
                ifid: number as u64,
                uldl: if wired.up { "ul" } else { "dl" },
                tier: device.tier,
                subtier: SUBTIER,
                priority: class as u64,
                pfcxoff_tx: frames[0],
                pfcxoff_rx: frames[1],
                pfcxon_tx: frames[2],
                pfcxon_rx: frames[3],
                pfc_time_paused_usec: us(paused.total),
                interval_total_time_xoff_usec: us(paused.interval),
                interval_max_time_xoff_usec: us(paused.longest),
                interval_total_time_xoff_egr_occ_usec: us(waiting.interval),
                interval_max_time_xoff_egr_occ_usec: us(waiting.longest),
                total_xoff_time_egr_occ_usec: us(waiting.total),
                percent_xon: share(report.interval - paused.interval, report.interval, 100.0),
                xoff_egr_occ_ratio: share(waiting.interval, paused.interval, 1.0),
                pkts_ecn_marked: 0,
            })?;
        }
        Ok(())
    }

    /// A row of `tier-hop`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn tier_hop<Q: Queue>(
        &mut self,
        at: Time,
        layout: &Layout,
        engine: &Engine<System, Q, Observer>,
    ) -> Result<(), RecordsError> {
        if !self.files.writes(Record::TierHop) {
            return Ok(());
        }
        self.files.tick();
        let mut sums = [0; 3];
        let switches = engine.nodes().filter_map(System::as_switch);
        for (switch, wired) in switches.zip(&layout.topology.switches) {
            let sum = match wired.tier {
                Tier::Spine => &mut sums[0],
                Tier::Fabric => &mut sums[1],
                Tier::Rack => &mut sums[2],
            };
            let ports = switch.ports().iter();
            *sum += ports
                .map(|port| port.counters.sent - port.counters.sent_pfc)
                .sum::<u64>();
        }
        let before = std::mem::replace(&mut self.tiers, sums);
        self.files.write(&TierHopRow {
            sim_time_sec: Seconds::from_ps(at.ps()),
            spine: sums[0],
            fabric: sums[1],
            rack: sums[2],
            spineInt: sums[0] - before[0],
            fabricInt: sums[1] - before[1],
            rackInt: sums[2] - before[2],
        })
    }
}

/// When a report is due, and what it covers.
struct Report {
    at: Time,
    interval: Span,
}

/// `part` of a `whole` that counts as `all`; 0 of nothing. One division, so that a round figure comes out round.
fn share(part: Span, whole: Span, all: f64) -> f64 {
    if whole == Span::ZERO {
        0.0
    } else {
        part.ps() as f64 * all / whole.ps() as f64
    }
}

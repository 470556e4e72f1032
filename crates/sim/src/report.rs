//! From nodes and observations to rows of records.

use crate::assemble::Layout;
use crate::host::System;
use crate::observe::{Observed, Observer};
use packetloom_config::scenario::Scenario;
use packetloom_des::queue::Queue;
use packetloom_des::{Engine, Rate, Span, Time};
use packetloom_fabric::port::PortCounters;
use packetloom_fabric::topology::{Endpoint, NIC_TIER, Port};
use packetloom_nic::roce::TransportStats;
use packetloom_records::{
    ApplicationReportRow, BeaconRow, Gbps, Gigabytes, Megabytes, Microseconds, Nanoseconds, NdStatsRow,
    RdmaPerfRow, Record, RecordFiles, RecordsError, RoceTransportStatsRow, Seconds, TopologyReportRow,
};

/// `subtier` of everything: not divided further.
const SUBTIER: u64 = u32::MAX as u64;
/// Class of a switch's ports in the records.
const SWITCH_DEVICE: &str = "scala_switch::ScalaSwitchEthNetDevice";
/// Class of a RoCE NIC's port in the records.
const NIC_DEVICE: &str = "scala_roce_nic::ScalaRoceNicNetDevice";

/// Writes the records of a run and keeps what their intervals are counted from.
pub struct Reporter {
    files: RecordFiles,
    names: Vec<InstanceNames>,
    ports: Vec<PortCounters>,
    transports: Vec<TransportStats>,
    /// Completions of the window, from all partitions.
    rows: Vec<Observed>,
    ect: Vec<bool>,
}

struct InstanceNames {
    initiator: String,
    host_node: u64,
}

/// A device as records name it.
struct Device<'a> {
    name: &'a str,
    component_type: &'static str,
    net_device: &'static str,
    tier: u64,
    node: u64,
}

fn device(layout: &Layout, endpoint: Endpoint) -> Device<'_> {
    let topology = &layout.topology;
    let (component_type, net_device, tier) = match endpoint {
        Endpoint::Switch(index) => (
            "Switch",
            SWITCH_DEVICE,
            topology.switches[index as usize].tier.number(),
        ),
        Endpoint::Host(_) => ("Nic", NIC_DEVICE, NIC_TIER),
    };
    Device {
        name: topology.name(endpoint),
        component_type,
        net_device,
        tier: tier as u64,
        node: topology.record_node(endpoint) as u64,
    }
}

/// The ports of a node in the topology and their counters, by port number.
pub(crate) fn ports<'a>(
    layout: &'a Layout,
    engine_node: u32,
    node: &'a System,
) -> impl Iterator<Item = (&'a Port, &'a PortCounters)> {
    let wired = layout.topology.ports(layout.topology.endpoint(engine_node));
    let counters: Box<dyn Iterator<Item = &PortCounters>> = match node {
        System::Switch(switch) => Box::new(switch.ports().iter().map(|port| &port.counters)),
        System::Host(host) => Box::new(std::iter::once(&host.nic().port().counters)),
    };
    wired.iter().zip(counters)
}

impl Reporter {
    /// A reporter into `files`.
    pub fn new(files: RecordFiles, layout: &Layout, scenario: &Scenario) -> Self {
        let names = layout
            .instances
            .iter()
            .map(|instance| InstanceNames {
                initiator: instance.initiator_name(layout.place(instance.client)),
                host_node: layout.topology.hosts[instance.client as usize].host_node as u64,
            })
            .collect();
        let ports = layout
            .topology
            .switches
            .iter()
            .map(|s| s.ports.len())
            .sum::<usize>()
            + layout.topology.hosts.len();
        let ect = layout
            .topology
            .hosts
            .iter()
            .map(|host| {
                scenario.nics[host.component as usize]
                    .attributes
                    .ecn_handler
                    .enable_ecn
            })
            .collect();
        Reporter {
            files,
            names,
            ports: vec![PortCounters::default(); ports],
            transports: vec![TransportStats::default(); layout.topology.hosts.len()],
            rows: Vec::new(),
            ect,
        }
    }

    /// What is known before the first event: `topology-report` and `application-report`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn start(&mut self, layout: &Layout, scenario: &Scenario) -> Result<(), RecordsError> {
        self.topology_report(layout)?;
        self.application_report(layout, scenario)?;
        self.files.flush()
    }

    fn topology_report(&mut self, layout: &Layout) -> Result<(), RecordsError> {
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

    fn application_report(&mut self, layout: &Layout, scenario: &Scenario) -> Result<(), RecordsError> {
        for instance in &layout.instances {
            let attributes = &scenario.applications[instance.application as usize].attributes;
            let client = &layout.topology.hosts[instance.client as usize];
            let server = &layout.topology.hosts[instance.server as usize];
            let initiator = instance.initiator_name(layout.place(instance.client));
            let responder = instance.responder_name(layout.place(instance.server));
            // Data is sent by the initiator; what the responder sends is control, never ECN-capable.
            self.files.write(&ApplicationReportRow {
                component_name: &client.name,
                node_id: client.host_node as u64,
                socket_type: "CLIENT",
                app_typeid: "ScalaRdmaInitiator",
                app_name: &initiator,
                dscp: attributes.rdma_data_packet_tc * 8,
                ect: self.ect[instance.client as usize] as u64,
                peer_node_id: server.host_node as u64,
            })?;
            self.files.write(&ApplicationReportRow {
                component_name: &server.name,
                node_id: server.host_node as u64,
                socket_type: "SERVER",
                app_typeid: "ScalaRdmaResponder",
                app_name: &responder,
                dscp: attributes.rdma_control_packet_tc * 8,
                ect: 0,
                peer_node_id: client.host_node as u64,
            })?;
        }
        Ok(())
    }

    /// Takes the completions of a window from a partition's observer.
    pub fn collect(&mut self, observer: &mut Observer) {
        self.rows.append(&mut observer.completions);
    }

    /// Writes the completions of a window, sorted by time and node, and counts those of the recording window by instance.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_window(
        &mut self,
        recording: (Time, Time),
        recorded: &mut [u64],
    ) -> Result<(), RecordsError> {
        // Stable: a node's rows stay in the order in which it observed them.
        self.rows.sort_by_key(|row| (row.at, row.node));
        for Observed { at, completion, .. } in self.rows.drain(..) {
            if recording.0 <= at && at <= recording.1 {
                recorded[completion.instance as usize] += 1;
            }
            let names = &self.names[completion.instance as usize];
            self.files.write(&RdmaPerfRow {
                sim_time_sec: Seconds::from_ps(at.ps()),
                metric_name: "RDMA-WRITE",
                perf_metric_usec: Microseconds::from_ps(at.since(completion.posted_at).ps()),
                transfer_size: completion.size.0,
                start_time_sec: Seconds::from_ps(completion.posted_at.ps()),
                application_name: &names.initiator,
                node_id: names.host_node,
                rdma_verb: "RDMA_VERB_POST_WRITE",
                wqe_id: completion.work_request,
                num_wqe_sent: completion.posted,
                num_wqe_complete: completion.completed,
            })?;
        }
        Ok(())
    }

    /// A row of `beacon`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn beacon<Q: Queue>(
        &mut self,
        at: Time,
        interval: Span,
        engine: &Engine<System, Q, Observer>,
    ) -> Result<(), RecordsError> {
        self.files.tick();
        let hosts = engine.nodes().filter_map(System::as_host);
        let (posted, completed) = hosts
            .map(|h| h.initiators().totals())
            .fold((0, 0), |(p, c), (posted, done)| (p + posted, c + done));
        self.files.write(&BeaconRow {
            sim_time_sec: Seconds::from_ps(at.ps()),
            interval_duration_sec: Seconds::from_ps(interval.ps()),
            tx_client: posted,
            rx_client: completed,
            tx_server: 0,
            rx_server: 0,
            rx_bytes_reader: 0,
            rx_bytes_writer: 0,
            goodput_reader_MB_per_sec: 0.0,
            goodput_writer_MB_per_sec: 0.0,
        })
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

    /// Rows of `roce-transport-stats` for every RoCE NIC.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn transport_stats<Q: Queue>(
        &mut self,
        at: Time,
        layout: &Layout,
        engine: &mut Engine<System, Q, Observer>,
    ) -> Result<(), RecordsError> {
        if !self.files.writes(Record::RoceTransportStats) {
            return Ok(());
        }
        self.files.tick();
        for (index, host) in layout.topology.hosts.iter().enumerate() {
            let engine_node = layout.topology.engine_node(Endpoint::Host(index as u32));
            let System::Host(node) = engine.node_mut(engine_node) else {
                unreachable!("hosts of the topology are hosts of the engine")
            };
            let now = node.nic_mut().report_stats();
            let before = std::mem::replace(&mut self.transports[index], now);
            self.files.write(&transport_row(
                at,
                &host.name,
                host.nic_node as u64,
                &now,
                &before,
            ))?;
        }
        Ok(())
    }

    /// Writes everything out to the disk.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(&mut self) -> Result<(), RecordsError> {
        self.files.flush_and_sync()
    }

    /// Names of the files.
    pub fn file_names(&self) -> Vec<String> {
        self.files.names()
    }

    /// Removes the files of a run that failed before its first event.
    pub fn abort(self) {
        self.files.abort();
    }
}

/// Gigabits per second of `bytes` in `interval`. One division, so that a round figure comes out round.
pub(crate) fn gbps(bytes: u64, interval: Span) -> f64 {
    if interval == Span::ZERO {
        0.0
    } else {
        (bytes * 8) as f64 / (interval.ps() as f64 / 1e3)
    }
}

/// `bytes` in `interval` as a share of a link's rate, in percent.
pub(crate) fn percent(bytes: u64, interval: Span, rate: Rate) -> f64 {
    let bits_in_interval = rate.bps() as f64 * (interval.ps() as f64 / 1e12);
    if interval == Span::ZERO {
        0.0
    } else {
        (bytes * 800) as f64 / bits_in_interval
    }
}

/// A row of `roce-transport-stats`: totals, and what came since the last report.
fn transport_row<'a>(
    at: Time,
    name: &'a str,
    node_id: u64,
    now: &TransportStats,
    before: &TransportStats,
) -> RoceTransportStatsRow<'a> {
    let sent = now.data_sent + now.control_sent();
    let sent_before = before.data_sent + before.control_sent();
    RoceTransportStatsRow {
        sim_time_sec: Seconds::from_ps(at.ps()),
        component_name: name,
        node_id,
        num_pkts_sent: sent,
        ivl_num_pkts_sent: sent - sent_before,
        num_verb_pkts_sent: now.data_sent,
        ivl_num_verb_pkts_sent: now.data_sent - before.data_sent,
        num_non_verb_pkts_sent: now.control_sent(),
        ivl_num_non_verb_pkts_sent: now.control_sent() - before.control_sent(),
        num_conn_pkts_sent: now.connection_sent,
        ivl_num_conn_pkts_sent: now.connection_sent - before.connection_sent,
        num_conn_pkts_recvd: now.connection_received,
        ivl_num_conn_pkts_recvd: now.connection_received - before.connection_received,
        rdma_write_cnt: now.data_sent,
        ivl_rdma_write_cnt: now.data_sent - before.data_sent,
        rdma_send_cnt: 0,
        ivl_rdma_send_cnt: 0,
        rdma_atomic_cnt: 0,
        ivl_rdma_atomic_cnt: 0,
        num_acks_sent: now.acks_sent,
        ivl_num_acks_sent: now.acks_sent - before.acks_sent,
        num_acks_recvd: now.acks_received,
        ivl_num_acks_recvd: now.acks_received - before.acks_received,
        num_sacks_sent: 0,
        ivl_num_sacks_sent: 0,
        num_sacks_recvd: 0,
        ivl_num_sacks_recvd: 0,
        num_nacks_sent: now.naks_sent,
        ivl_num_nacks_sent: now.naks_sent - before.naks_sent,
        num_nacks_recvd: now.naks_received,
        ivl_num_nacks_recvd: now.naks_received - before.naks_received,
        num_writes_recvd: now.data_received,
        ivl_num_writes_recvd: now.data_received - before.data_received,
        num_sends_recvd: 0,
        ivl_num_sends_recvd: 0,
        num_cnp_sent: now.cnps_sent,
        ivl_num_cnp_sent: now.cnps_sent - before.cnps_sent,
        num_cnp_recvd: now.cnps_received,
        ivl_num_cnp_recvd: now.cnps_received - before.cnps_received,
        num_seq_out_of_order: now.out_of_order,
        ivl_num_seq_out_of_order: now.out_of_order - before.out_of_order,
        num_duplicate: now.duplicates,
        ivl_num_duplicate: now.duplicates - before.duplicates,
        ivl_min_size_reorder_buf_psn: 0,
        max_size_reorder_buf_psn: 0,
        ivl_max_size_reorder_buf_psn: 0,
        avg_size_reorder_buf_psn: 0.0,
        ivl_avg_size_reorder_buf_psn: 0.0,
        num_wqe_created: now.work_requests,
        ivl_num_wqe_created: now.work_requests - before.work_requests,
        num_wqe_completed: now.completed,
        ivl_num_wqe_completed: now.completed - before.completed,
        num_rtx: now.retransmissions,
        ivl_num_rtx: now.retransmissions - before.retransmissions,
        num_rto: now.timeouts,
        ivl_num_rto: now.timeouts - before.timeouts,
        ivl_min_calc_rtt_usec: Microseconds::from_ps(now.interval_round_trips.min().ps()),
        max_calc_rtt_usec: Microseconds::from_ps(now.round_trips.max().ps()),
        ivl_max_calc_rtt_usec: Microseconds::from_ps(now.interval_round_trips.max().ps()),
        avg_calc_rtt_usec: now.round_trips.mean_us(),
        ivl_avg_calc_rtt_usec: now.interval_round_trips.mean_us(),
        num_rx_drops: now.receive_drops(),
        ivl_num_rx_drops: now.receive_drops() - before.receive_drops(),
        num_rx_drops_no_qp_data: now.no_queue_pair_data,
        ivl_num_rx_drops_no_qp_data: now.no_queue_pair_data - before.no_queue_pair_data,
        num_rx_drops_no_qp_ctrl: now.no_queue_pair_control,
        ivl_num_rx_drops_no_qp_ctrl: now.no_queue_pair_control - before.no_queue_pair_control,
        num_rx_drops_after_nak: now.after_nak,
        ivl_num_rx_drops_after_nak: now.after_nak - before.after_nak,
        num_rx_drops_ghost_ack: now.ghost_acks,
        ivl_num_rx_drops_ghost_ack: now.ghost_acks - before.ghost_acks,
        num_tx_payload_discards: now.payload_discards,
        ivl_num_tx_payload_discards: now.payload_discards - before.payload_discards,
    }
}

//! Rows about applications: their connections, their completions, their totals.

use super::Reporter;
use crate::assemble::Layout;
use crate::host::System;
use crate::observe::{Observed, Observer};
use packetloom_config::scenario::Scenario;
use packetloom_des::queue::Queue;
use packetloom_des::{Engine, Span, Time};
use packetloom_records::{ApplicationReportRow, BeaconRow, Microseconds, RdmaPerfRow, RecordsError, Seconds};

impl Reporter {
    pub(super) fn application_report(
        &mut self,
        layout: &Layout,
        scenario: &Scenario,
    ) -> Result<(), RecordsError> {
        for instance in &layout.instances {
            let attributes = &scenario.applications[instance.application as usize].attributes;
            let Some(attributes) = attributes.rdma() else {
                continue;
            };
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
}

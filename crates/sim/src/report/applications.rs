//! Rows about applications: their connections, their completions, their totals.

use super::Reporter;
use crate::assemble::Layout;
use crate::host::System;
use crate::observe::{Observation, Observed, Observer};
use crate::system::Totals;
use packetloom_config::scenario::{ApplicationAttributes, Scenario};
use packetloom_des::queue::Queue;
use packetloom_des::{Engine, Span, Time};
use packetloom_records::{
    ApplicationReportRow, BeaconRow, Microseconds, PerfRow, RdmaPerfRow, RecordsError, Seconds,
};

/// What the goodput in `beacon` is taken over.
pub(super) struct Goodput {
    recording: (Time, Time),
    /// Hosts that run a server of the traffic generator.
    server_hosts: u64,
}

impl Goodput {
    pub fn new(layout: &Layout, scenario: &Scenario) -> Self {
        let placements = layout.placements.iter().zip(&scenario.applications);
        Goodput {
            recording: layout.timeline.recording,
            server_hosts: placements
                .filter(|(_, application)| application.attributes.generator().is_some())
                .map(|(placement, _)| placement.servers.len() as u64)
                .sum(),
        }
    }

    /// MB/s of one server host, of `bytes` received in the recording window up to `at`.
    fn writer(&self, bytes: u64, at: Time) -> f64 {
        let (from, to) = (self.recording.0, at.min(self.recording.1));
        if to <= from || self.server_hosts == 0 {
            return 0.0;
        }
        bytes as f64 * 1e6 / to.since(from).ps() as f64 / self.server_hosts as f64
    }
}

impl Reporter {
    pub(super) fn application_report(
        &mut self,
        layout: &Layout,
        scenario: &Scenario,
    ) -> Result<(), RecordsError> {
        for (number, instance) in layout.instances.iter().enumerate() {
            let client = &layout.topology.hosts[instance.client as usize];
            let server = &layout.topology.hosts[instance.server as usize];
            let place = layout.place(instance.server);
            // Data of RDMA is sent by the initiator; what the responder sends is control, never ECN-capable. TCP is not
            // ECN-capable and has DSCP 0.
            let (types, server_name, dscp, ect) =
                match &scenario.applications[instance.application as usize].attributes {
                    ApplicationAttributes::Rdma(attributes) => (
                        ["ScalaRdmaInitiator", "ScalaRdmaResponder"],
                        instance.responder_name(place),
                        [
                            attributes.rdma_data_packet_tc * 8,
                            attributes.rdma_control_packet_tc * 8,
                        ],
                        self.ect[instance.client as usize],
                    ),
                    ApplicationAttributes::Generator(_) => (
                        [
                            "ScalaTrafficGeneratorApplication",
                            "ScalaTrafficServerApplication",
                        ],
                        instance.generator_server_name(place),
                        [0, 0],
                        false,
                    ),
                };
            self.files.write(&ApplicationReportRow {
                component_name: &client.name,
                node_id: client.host_node as u64,
                socket_type: "CLIENT",
                app_typeid: types[0],
                app_name: &self.names[number].client,
                dscp: dscp[0],
                ect: ect as u64,
                peer_node_id: server.host_node as u64,
            })?;
            self.files.write(&ApplicationReportRow {
                component_name: &server.name,
                node_id: server.host_node as u64,
                socket_type: "SERVER",
                app_typeid: types[1],
                app_name: &server_name,
                dscp: dscp[1],
                ect: 0,
                peer_node_id: client.host_node as u64,
            })?;
        }
        Ok(())
    }

    /// Takes what was observed in a window from a partition's observer.
    pub fn collect(&mut self, observer: &mut Observer) {
        self.rows.append(&mut observer.observed);
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
        for Observed { at, what, .. } in self.rows.drain(..) {
            if recording.0 <= at && at <= recording.1 {
                recorded[what.instance() as usize] += 1;
            }
            let names = &self.names[what.instance() as usize];
            let latency = Microseconds::from_ps(at.since(what.began()).ps());
            match what {
                Observation::Completion(completion) => self.files.write(&RdmaPerfRow {
                    sim_time_sec: Seconds::from_ps(at.ps()),
                    metric_name: names.metric,
                    perf_metric_usec: latency,
                    transfer_size: completion.size.0,
                    start_time_sec: Seconds::from_ps(completion.posted_at.ps()),
                    application_name: &names.client,
                    node_id: names.host_node,
                    rdma_verb: "RDMA_VERB_POST_WRITE",
                    wqe_id: completion.work_request,
                    num_wqe_sent: completion.posted,
                    num_wqe_complete: completion.completed,
                })?,
                Observation::Transaction(transaction) => self.files.write(&PerfRow {
                    sim_time_sec: Seconds::from_ps(at.ps()),
                    metric_name: names.metric,
                    perf_metric_usec: latency,
                    metric_path: f64::NAN,
                    metric_aggregation_id: f64::NAN,
                    node_id: names.host_node,
                    transaction_number: transaction.number,
                    start_time_sec: Seconds::from_ps(transaction.generated_at.ps()),
                    transfer_size_b: f64::NAN,
                    application_name: &names.client,
                })?,
            }
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
        let totals = Totals::of(engine);
        let requests = totals.requests;
        self.files.write(&BeaconRow {
            sim_time_sec: Seconds::from_ps(at.ps()),
            interval_duration_sec: Seconds::from_ps(interval.ps()),
            tx_client: totals.posted + requests.handed,
            rx_client: totals.completed + requests.completed,
            tx_server: requests.answered,
            rx_server: requests.received,
            rx_bytes_reader: 0,
            rx_bytes_writer: requests.recorded_bytes,
            goodput_reader_MB_per_sec: 0.0,
            goodput_writer_MB_per_sec: self.goodput.writer(requests.recorded_bytes, at),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goodput_is_over_the_recording_window_so_far() {
        let goodput = Goodput {
            recording: (Time::from_ps(5_000_000_000), Time::from_ps(505_000_000_000)),
            server_hosts: 8,
        };
        assert_eq!(
            goodput.writer(0, Time::from_ps(5_000_000_000)),
            0.0,
            "no time yet"
        );
        // 8 MB in 1 ms to 8 hosts: 1,000 MB/s each.
        assert_eq!(goodput.writer(8_000_000, Time::from_ps(6_000_000_000)), 1_000.0);
        // The published example row: 1,314,708 B in the 1 ms up to 0.006 s at 52.5883 MB/s are 25 hosts.
        let published = Goodput {
            server_hosts: 25,
            ..goodput
        };
        let rate = published.writer(1_314_708, Time::from_ps(6_000_000_000));
        assert!((rate - 52.5883).abs() < 5e-5, "{rate}");
        // After the window's end it stays.
        assert_eq!(
            published.writer(5_000_000, Time::from_ps(505_000_000_000)),
            published.writer(5_000_000, Time::from_ps(506_000_000_000))
        );
    }
}

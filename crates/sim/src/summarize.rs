//! From the end of a run to its summary.

use crate::host::System;
use crate::host::tcp::TcpHost;
use crate::observe::LatencyHistogram;
use crate::report;
use crate::run::Simulation;
use crate::summary::{ApplicationModel, ApplicationSummary, GoodputPerPair, Summary, TierUtilization};
use crate::system::Totals;
use packetloom_config::scenario::ApplicationAttributes;
use packetloom_des::queue::Queue;
use packetloom_des::{Span, Time};
use packetloom_fabric::topology::{Endpoint, Tier};
use packetloom_tcp::State;
use packetloom_traffic::instances::Instance;
use std::time::Instant;

/// Totals at one end of the recording window.
pub(crate) struct Mark {
    at: Time,
    /// Bytes each port has sent, by engine node and port.
    sent: Vec<u64>,
    /// Payload that each instance's responder has received in order; over TCP, that both its ends have.
    delivered: Vec<u64>,
}

impl<Q: Queue> Simulation<'_, Q> {
    /// The totals now.
    pub(crate) fn mark(&self) -> Mark {
        let sent = self
            .engine
            .nodes()
            .enumerate()
            .flat_map(|(node, system)| report::ports(&self.layout, node as u32, system))
            .map(|(_, counters)| counters.sent_bytes)
            .collect();
        let delivered = self.delivered();
        Mark {
            at: self.engine.now(),
            sent,
            delivered,
        }
    }

    /// Payload received in order, by instance. The ends of connections at a host are in the order of their instances.
    fn delivered(&self) -> Vec<u64> {
        let hosts: Vec<&System> = self
            .engine
            .nodes()
            .filter(|node| node.as_switch().is_none())
            .collect();
        let mut clients: Vec<_> = hosts
            .iter()
            .map(|node| {
                let clients = node.as_tcp().into_iter().flat_map(TcpHost::clients);
                clients.map(|(_, connection)| connection.delivered())
            })
            .collect();
        let mut servers: Vec<_> = hosts
            .iter()
            .map(|node| {
                let servers = node.as_tcp().into_iter().flat_map(TcpHost::servers);
                let servers = servers.map(|(_, connection)| connection.delivered());
                let responders = node.as_rdma().into_iter().flat_map(|host| host.nic().delivered());
                servers.chain(responders)
            })
            .collect();
        let mut of = |instance: &Instance| {
            let server = servers[instance.server as usize]
                .next()
                .expect("a server for each instance");
            // An initiator receives nothing but acknowledgements.
            server + clients[instance.client as usize].next().unwrap_or(0)
        };
        self.layout.instances.iter().map(&mut of).collect()
    }

    /// The summary of a run with the totals at both ends of its recording window.
    pub(crate) fn summary(
        &self,
        interrupted: bool,
        clock: (Instant, cpu_time::ProcessTime),
        window: [Mark; 2],
    ) -> Summary {
        let wall_seconds = clock.0.elapsed().as_secs_f64();
        let totals = Totals::of(&self.engine);
        let applications = self.applications(&window);
        let mut warnings = self.scenario.warnings.clone();
        self.warn(&totals, &applications, interrupted, &mut warnings);
        Summary {
            simulation: self.name.clone(),
            out: self.out.display().to_string(),
            interrupted,
            simulated_seconds: self.engine.now().as_seconds(),
            wall_seconds,
            cpu_seconds: clock.1.elapsed().as_secs_f64(),
            events: self.engine.events(),
            packet_hops: totals.packet_hops,
            packet_hops_per_second: totals.packet_hops as f64 / wall_seconds,
            peak_rss_bytes: peak_rss_bytes(),
            drops: totals.drops,
            retransmissions: totals.retransmissions,
            packets_resent: totals.repeats,
            pfc_pauses: totals.pauses,
            ecn_marks: 0,
            applications,
            utilization: self.utilization(&window),
            files: self.reporter.file_names(),
            warnings,
        }
    }

    /// What whoever reads the summary should know before believing it.
    fn warn(
        &self,
        totals: &Totals,
        applications: &[ApplicationSummary],
        interrupted: bool,
        warnings: &mut Vec<String>,
    ) {
        if totals.lossless_drops > 0 {
            warnings.push(format!(
                "{} packets of lossless classes were dropped by switches: look for rx_drops in nd-stats, and compare Xoff, \
                 headroom and pools with what a lossless class needs",
                totals.lossless_drops
            ));
        }
        if totals.nic_drops > 0 {
            warnings.push(format!(
                "{} packets were dropped by NICs whose receive pool was full: look for rx_drops in nd-stats, and at \
                 PFCEnableVector, PfcStaticXoffThreshold and the host link (PhysicalLayer) of these NICs",
                totals.nic_drops
            ));
        }
        let lossy = totals.drops - totals.lossless_drops - totals.nic_drops;
        if lossy > 0 {
            warnings.push(format!(
                "{lossy} packets of lossy classes were dropped by switches, as EnablePFC lets them: look for tx_drops in nd-stats"
            ));
        }
        if totals.timeouts > 0 && totals.drops == 0 && totals.lost == 0 {
            warnings.push(format!(
                "{} transport timers expired though no packet was lost: RetransmitTimeout is shorter than acknowledgements take \
                 under this load",
                totals.timeouts
            ));
        }
        let warm_up_us = self.scenario.global.simulation_parameters.warm_up * 1e6;
        for (number, application) in applications.iter().enumerate() {
            let name = &application.name;
            // The 99th percentile, so that a slow pair does not hide behind fast ones. An open loop may be overloaded for good;
            // of it something else is said.
            let closed_loop = self.scenario.applications[number].attributes.rdma().is_some();
            if let Some(latency) = application
                .latency_us
                .as_ref()
                .filter(|latency| closed_loop && latency.p99 > warm_up_us)
            {
                warnings.push(format!(
                    "work requests of {name} take up to {:.0} us (99th percentile), longer than the warm-up of {warm_up_us:.0} us: \
                     the recording window may open before the steady state; raise WarmUp",
                    latency.p99
                ));
            }
            let attributes = &self.scenario.applications[number].attributes;
            let nothing = attributes.rdma().is_some_and(|rdma| rdma.max_pending_wqes == 0);
            if nothing {
                warnings.push(format!("MaxPendingWQEs of {name} is 0: it posts nothing"));
            }
            if interrupted || nothing {
                continue;
            }
            let requests = match attributes {
                ApplicationAttributes::Rdma(_) => "work request",
                ApplicationAttributes::Generator(_) => "transaction",
            };
            let (connections, open) = self.connections(number as u32);
            if open < connections {
                warnings.push(format!(
                    "{} of {connections} connections of {name} were not set up by the stop time",
                    connections - open
                ));
            }
            let silent = self
                .by_pair(number as u32, &self.recorded)
                .into_iter()
                .filter(|&n| n == 0)
                .count();
            if silent > 0 {
                warnings.push(format!(
                    "{silent} of {} pairs of {name} completed no {requests} in the recording window: latency says nothing of \
                     them",
                    application.pairs
                ));
            }
        }
    }

    /// Connections of an application, and how many of them are set up.
    fn connections(&self, application: u32) -> (usize, usize) {
        let mut clients: Vec<_> = self
            .engine
            .nodes()
            .filter(|node| node.as_switch().is_none())
            .map(|node| {
                let requesters = node.as_rdma().into_iter().flat_map(|host| host.nic().connected());
                let clients = node.as_tcp().into_iter().flat_map(TcpHost::clients);
                requesters.chain(clients.map(|(_, connection)| connection.state() == State::Established))
            })
            .collect();
        let (mut connections, mut open) = (0, 0);
        for instance in &self.layout.instances {
            let connected = clients[instance.client as usize]
                .next()
                .expect("a client for each instance");
            if instance.application == application {
                connections += 1;
                open += connected as usize;
            }
        }
        (connections, open)
    }

    /// A figure of each instance, summed by the application's pairs.
    fn by_pair(&self, application: u32, of_instance: &[u64]) -> Vec<u64> {
        let mut pairs = vec![0; self.layout.placements[application as usize].pairs.len()];
        for ((instance, &pair), &figure) in self
            .layout
            .instances
            .iter()
            .zip(&self.layout.pair_of)
            .zip(of_instance)
        {
            if instance.application == application {
                pairs[pair as usize] += figure;
            }
        }
        pairs
    }

    fn applications(&self, [before, after]: &[Mark; 2]) -> Vec<ApplicationSummary> {
        let window = after.at.since(before.at);
        let delivered: Vec<u64> = after
            .delivered
            .iter()
            .zip(&before.delivered)
            .map(|(after, before)| after - before)
            .collect();
        let mut latency = vec![LatencyHistogram::default(); self.scenario.applications.len()];
        for partition in self.engine.partitions() {
            for (ours, theirs) in latency.iter_mut().zip(&partition.probe().latency) {
                ours.merge(theirs);
            }
        }
        let mut posted = vec![(0, 0); self.scenario.applications.len()];
        for node in self.engine.nodes() {
            let initiators = node
                .as_rdma()
                .into_iter()
                .flat_map(|host| host.initiators().counts());
            let clients = node.as_tcp().into_iter().flat_map(TcpHost::clients);
            let clients =
                clients.map(|(client, _)| (client.instance(), client.generated(), client.completed()));
            for (instance, sent, completed) in initiators.chain(clients) {
                let sums = &mut posted[self.layout.instances[instance as usize].application as usize];
                *sums = (sums.0 + sent, sums.1 + completed);
            }
        }
        let applications = self.scenario.applications.iter().enumerate();
        applications
            .map(|(number, application)| {
                let recorded = self.by_pair(number as u32, &self.recorded);
                let bytes = self.by_pair(number as u32, &delivered);
                let rates: Vec<f64> = bytes.iter().map(|&bytes| report::gbps(bytes, window)).collect();
                let goodput_gbps = report::gbps(bytes.iter().sum(), window);
                ApplicationSummary {
                    name: application.name.clone(),
                    model: match application.attributes {
                        ApplicationAttributes::Rdma(_) => ApplicationModel::Rdma,
                        ApplicationAttributes::Generator(_) => ApplicationModel::TrafficGenerator,
                    },
                    pairs: rates.len() as u64,
                    posted: posted[number].0,
                    completed: posted[number].1,
                    recorded: recorded.iter().sum(),
                    goodput_gbps,
                    goodput_per_pair_gbps: GoodputPerPair {
                        min: rates.iter().copied().reduce(f64::min).unwrap_or(0.0),
                        mean: if rates.is_empty() {
                            0.0
                        } else {
                            goodput_gbps / rates.len() as f64
                        },
                        max: rates.iter().copied().reduce(f64::max).unwrap_or(0.0),
                    },
                    latency_us: latency[number].summary(),
                }
            })
            .collect()
    }

    /// Utilization of each tier's ports in the recording window.
    fn utilization(&self, [before, after]: &[Mark; 2]) -> Vec<TierUtilization> {
        let window: Span = after.at.since(before.at);
        let mut place = 0;
        let mut rows: Vec<TierUtilization> = Vec::new();
        for (node, system) in self.engine.nodes().enumerate() {
            let endpoint = self.layout.topology.endpoint(node as u32);
            let tier = match endpoint {
                Endpoint::Host(_) => "nic",
                Endpoint::Switch(index) => match self.layout.topology.switches[index as usize].tier {
                    Tier::Spine => "spine",
                    Tier::Fabric => "fabric",
                    Tier::Rack => "rack",
                },
            };
            for (number, (port, _)) in report::ports(&self.layout, node as u32, system).enumerate() {
                let percent = report::percent(after.sent[place] - before.sent[place], window, port.rate);
                place += 1;
                let direction = if port.up { "up" } else { "down" };
                let row = match rows
                    .iter_mut()
                    .find(|row| row.tier == tier && row.direction == direction)
                {
                    Some(row) => row,
                    None => {
                        let (tier, direction) = (tier.to_owned(), direction.to_owned());
                        rows.push(TierUtilization {
                            tier,
                            direction,
                            ..Default::default()
                        });
                        rows.last_mut().expect("just pushed")
                    }
                };
                row.ports += 1;
                // A sum for now; a mean once all ports are in.
                row.mean_percent += percent;
                if percent > row.max_percent || row.busiest.is_empty() {
                    row.max_percent = percent;
                    row.busiest = format!("{} port {number}", self.layout.topology.name(endpoint));
                }
            }
        }
        for row in &mut rows {
            row.mean_percent /= row.ports as f64;
        }
        rows
    }
}

/// Greatest resident memory of this process, 0 where the system does not say.
fn peak_rss_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|kb| kb.trim().trim_end_matches(" kB").parse::<u64>().ok())
        .map_or(0, |kb| kb * 1024)
}

//! Runs a document: windows, reports at their times, the summary at the end.

use crate::assemble::{AssembleError, Layout};
use crate::host::System;
use crate::observe::{LatencyHistogram, Observer};
use crate::progress::Progress;
use crate::report::{self, Reporter};
use crate::summary::{ApplicationSummary, GoodputPerPair, Summary, TierUtilization};
use crate::system;
use packetloom_config::scenario::Scenario;
use packetloom_des::queue::{Queue, Wheel};
use packetloom_des::{Alone, Engine, Span, Time};
use packetloom_fabric::loss::{Loss, Losses};
use packetloom_fabric::topology::{Cut, Endpoint, Tier};
use packetloom_records::{Record, RecordFiles, RecordsError};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The simulation's name, the first part of the records' file names.
    pub name: String,
    /// Folder for the records; created if missing, and must hold no records yet.
    pub out: PathBuf,
    /// How nodes are spread over partitions. Results do not depend on it.
    pub cut: Cut,
    /// Records to write, of those the document turns on.
    pub records: Vec<Record>,
    /// Frames lost on purpose on the links into a node (switches first, then hosts), for tests.
    pub losses: Vec<(Endpoint, Vec<Loss>)>,
    /// First PSN of every queue pair, for tests of the 24-bit wrap.
    pub first_psn: u32,
}

impl RunOptions {
    /// Options for a run called `name` with its records in `out`, all others at their defaults.
    pub fn new(name: impl Into<String>, out: impl Into<PathBuf>) -> Self {
        RunOptions {
            name: name.into(),
            out: out.into(),
            cut: Cut::Default,
            records: Record::ALL.to_vec(),
            losses: Vec::new(),
            first_psn: 0,
        }
    }
}

/// Why a run ended without a result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The document, or what the user gave with it, cannot be run.
    #[error("{0}")]
    Input(String),
    /// The machine failed.
    #[error("{0}")]
    Machine(String),
}

impl From<RecordsError> for RunError {
    fn from(error: RecordsError) -> Self {
        if error.is_input() {
            RunError::Input(error.to_string())
        } else {
            RunError::Machine(error.to_string())
        }
    }
}

impl From<AssembleError> for RunError {
    fn from(error: AssembleError) -> Self {
        RunError::Input(error.to_string())
    }
}

/// Runs `scenario` to its stop time, or until `progress` is interrupted.
///
/// # Errors
/// [`RunError::Input`] before the first event when the document cannot be run; nothing is left behind then.
/// [`RunError::Machine`] when a record cannot be written.
pub fn run(scenario: &Scenario, options: &RunOptions, progress: &Progress) -> Result<Summary, RunError> {
    Simulation::<Wheel>::new(scenario, options)?.run(progress)
}

/// A report that comes back at its interval.
#[derive(Clone, Copy, Debug)]
struct Periodic {
    next: Time,
    interval: Span,
}

impl Periodic {
    /// First due at `from` + interval.
    fn new(from: Time, seconds: f64) -> Self {
        // Validation keeps intervals within range and at a picosecond or more.
        let interval = Span::from_seconds(seconds)
            .unwrap_or(Span::MAX)
            .max(Span::from_ps(1));
        Periodic {
            next: from.saturating_add(interval),
            interval,
        }
    }

    /// Whether it is due at `at`; the next one is set then.
    fn due(&mut self, at: Time) -> bool {
        let due = self.next == at;
        if due {
            self.next = self.next.saturating_add(self.interval);
        }
        due
    }
}

/// Bytes each port has sent up to the ends of the recording window, by engine node and port.
#[derive(Default)]
struct PortMarks {
    at: Time,
    sent_bytes: Vec<u64>,
}

/// A document put together, ready to run.
pub struct Simulation<'a, Q> {
    scenario: &'a Scenario,
    layout: Layout,
    engine: Engine<System, Q, Observer>,
    reporter: Reporter,
    name: String,
    out: PathBuf,
    recorded: Vec<u64>,
}

impl<'a, Q: Queue> Simulation<'a, Q> {
    /// Puts the document together and creates the record files.
    ///
    /// # Errors
    /// As [`run`].
    pub fn new(scenario: &'a Scenario, options: &RunOptions) -> Result<Self, RunError> {
        let layout = Layout::new(scenario)?;
        let mut engine = layout.engine::<Q>(scenario, options)?;
        for (endpoint, losses) in &options.losses {
            let losses = Losses::new(losses.clone());
            match engine.node_mut(layout.topology.engine_node(*endpoint)) {
                System::Switch(switch) => switch.set_losses(losses),
                System::Host(host) => host.nic_mut().set_losses(losses),
            }
        }
        let records: Vec<Record> = options
            .records
            .iter()
            .copied()
            .filter(|&record| turned_on(scenario, record))
            .collect();
        let files = RecordFiles::create(&options.out, &options.name, 0, &records)?;
        let mut reporter = Reporter::new(files, &layout, scenario);
        if let Err(error) = reporter.start(&layout, scenario) {
            reporter.abort();
            return Err(error.into());
        }
        let recorded = vec![0; layout.instances.len()];
        let (name, out) = (options.name.clone(), options.out.clone());
        Ok(Simulation {
            scenario,
            layout,
            engine,
            reporter,
            name,
            out,
            recorded,
        })
    }

    /// The engine, between windows.
    pub fn engine(&self) -> &Engine<System, Q, Observer> {
        &self.engine
    }

    /// What does not change while the simulation runs.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Runs to the stop time, or until `progress` is interrupted.
    ///
    /// # Errors
    /// When a record cannot be written.
    pub fn run(mut self, progress: &Progress) -> Result<Summary, RunError> {
        let clock = (Instant::now(), cpu_time::ProcessTime::now());
        let times = &self.scenario.global.simulation_parameters;
        let timeline = self.layout.timeline;
        let first = timeline.client_window.0;
        let mut beacon = Periodic::new(first, times.beacon_report_interval);
        let mut devices = Periodic::new(first, times.nd_stats_report_interval);
        let mut marks = [PortMarks::default(), PortMarks::default()];
        let mut interrupted = false;
        loop {
            let mut next = beacon.next.min(devices.next).min(timeline.stop);
            let now = self.engine.now();
            for edge in [timeline.recording.0, timeline.recording.1] {
                if now < edge {
                    next = next.min(edge);
                }
            }
            if self.advance(next, progress)?.is_break() || progress.interrupted() {
                interrupted = true;
                break;
            }
            if beacon.due(next) {
                self.reporter.beacon(next, beacon.interval, &self.engine)?;
            }
            if devices.due(next) {
                self.reporter
                    .nd_stats(next, devices.interval, &self.layout, &self.engine)?;
                self.reporter
                    .transport_stats(next, &self.layout, &mut self.engine)?;
            }
            for (mark, edge) in marks.iter_mut().zip([timeline.recording.0, timeline.recording.1]) {
                if next == edge {
                    *mark = self.mark_ports();
                }
            }
            if next == timeline.stop {
                break;
            }
        }
        // An interrupted run may not have come to the recording window's end, or not even to its start: then it is empty.
        for mark in &mut marks {
            if mark.sent_bytes.is_empty() {
                *mark = self.mark_ports();
            }
        }
        self.reporter.finish()?;
        self.publish(progress);
        #[cfg(debug_assertions)]
        system::check(&self.engine);
        Ok(self.summary(interrupted, clock, marks))
    }

    /// Runs up to `until`, writing the rows of each window.
    fn advance(&mut self, until: Time, progress: &Progress) -> Result<ControlFlow<()>, RunError> {
        let recording = self.layout.timeline.recording;
        let stop = self.layout.timeline.stop;
        let (reporter, recorded) = (&mut self.reporter, &mut self.recorded);
        let mut failure = None;
        let mut windows = 0u32;
        let flow = self.engine.run_until(until, &mut Alone, |partitions, end| {
            for partition in partitions.iter_mut() {
                reporter.collect(partition.probe_mut());
            }
            if let Err(error) = reporter.write_window(recording, recorded) {
                failure = Some(error);
                return ControlFlow::Break(());
            }
            windows += 1;
            if windows.is_multiple_of(64) {
                let events = partitions.iter().map(|p| p.events()).sum();
                let hops = partitions
                    .iter()
                    .flat_map(|p| p.nodes())
                    .map(System::packet_hops)
                    .sum();
                progress.publish(end.ps(), stop.ps(), events, hops);
            }
            if progress.interrupted() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        self.publish(progress);
        match failure {
            Some(error) => Err(error.into()),
            None => Ok(flow),
        }
    }

    fn publish(&self, progress: &Progress) {
        let hops = self.engine.nodes().map(System::packet_hops).sum();
        progress.publish(
            self.engine.now().ps(),
            self.layout.timeline.stop.ps(),
            self.engine.events(),
            hops,
        );
    }

    fn mark_ports(&self) -> PortMarks {
        let sent_bytes = self
            .engine
            .nodes()
            .enumerate()
            .flat_map(|(node, system)| report::ports(&self.layout, node as u32, system))
            .map(|(_, counters)| counters.sent_bytes)
            .collect();
        PortMarks {
            at: self.engine.now(),
            sent_bytes,
        }
    }

    fn summary(
        &self,
        interrupted: bool,
        clock: (Instant, cpu_time::ProcessTime),
        marks: [PortMarks; 2],
    ) -> Summary {
        let wall_seconds = clock.0.elapsed().as_secs_f64();
        let totals = system::Totals::of(&self.engine);
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
            pfc_pauses: totals.pauses,
            ecn_marks: 0,
            applications: self.applications(),
            utilization: self.utilization(marks),
            files: self.reporter.file_names(),
            warnings: self.scenario.warnings.clone(),
        }
    }

    fn applications(&self) -> Vec<ApplicationSummary> {
        // Up to where the run came, if that is before the window's end.
        let recording = self.layout.timeline.recording;
        let end = recording.1.min(self.engine.now());
        let window = if end > recording.0 {
            end.since(recording.0)
        } else {
            Span::ZERO
        };
        let mut latency = vec![LatencyHistogram::default(); self.scenario.applications.len()];
        for partition in self.engine.partitions() {
            for (ours, theirs) in latency.iter_mut().zip(&partition.probe().latency) {
                ours.merge(theirs);
            }
        }
        let mut summaries: Vec<ApplicationSummary> = self
            .scenario
            .applications
            .iter()
            .zip(&self.layout.placements)
            .zip(&latency)
            .map(|((application, placement), latency)| ApplicationSummary {
                name: application.name.clone(),
                pairs: placement.pairs.len() as u64,
                latency_us: latency.summary(),
                ..Default::default()
            })
            .collect();
        let mut pairs: Vec<Vec<u64>> = summaries.iter().map(|s| vec![0; s.pairs as usize]).collect();
        for ((instance, &pair), &recorded) in self
            .layout
            .instances
            .iter()
            .zip(&self.layout.pair_of)
            .zip(&self.recorded)
        {
            let application = instance.application as usize;
            let size = self.scenario.applications[application].attributes.transfer_size.0;
            summaries[application].recorded += recorded;
            pairs[application][pair as usize] += recorded * size;
        }
        for host in self.engine.nodes().filter_map(System::as_host) {
            for (instance, posted, completed) in host.initiators().counts() {
                let summary = &mut summaries[self.layout.instances[instance as usize].application as usize];
                summary.posted += posted;
                summary.completed += completed;
            }
        }
        for (summary, pairs) in summaries.iter_mut().zip(pairs) {
            let rates: Vec<f64> = pairs.iter().map(|&bytes| report::gbps(bytes, window)).collect();
            summary.goodput_gbps = report::gbps(pairs.iter().sum(), window);
            summary.goodput_per_pair_gbps = GoodputPerPair {
                min: rates.iter().copied().reduce(f64::min).unwrap_or(0.0),
                mean: if rates.is_empty() {
                    0.0
                } else {
                    summary.goodput_gbps / rates.len() as f64
                },
                max: rates.iter().copied().reduce(f64::max).unwrap_or(0.0),
            };
        }
        summaries
    }

    /// Utilization of each tier's ports between the two marks.
    fn utilization(&self, [before, after]: [PortMarks; 2]) -> Vec<TierUtilization> {
        let interval = if after.at > before.at {
            after.at.since(before.at)
        } else {
            Span::ZERO
        };
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
                let since = before.sent_bytes.get(place).copied().unwrap_or(0);
                let percent = report::percent(after.sent_bytes[place] - since, interval, port.rate);
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

/// Whether the document turns a record on.
fn turned_on(scenario: &Scenario, record: Record) -> bool {
    let switches = &scenario.global.simulation_parameters;
    match record {
        Record::NdStats => switches.enable_net_device_stat_logging,
        Record::RoceTransportStats => switches.enable_roce_transport_stats,
        Record::RdmaPerf | Record::Beacon | Record::ApplicationReport | Record::TopologyReport => true,
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

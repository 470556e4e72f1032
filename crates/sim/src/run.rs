//! Runs a document: windows, reports at their times, the summary at the end.

use crate::assemble::{AssembleError, Layout};
use crate::host::System;
use crate::observe::Observer;
use crate::progress::Progress;
use crate::report::{Reporter, first_tcp_start};
use crate::schedule::Schedule;
use crate::summary::Summary;
use crate::system;
use packetloom_config::scenario::{NicAttributes, Scenario};
use packetloom_des::queue::{Queue, Wheel};
use packetloom_des::{Alone, Engine, Time};
use packetloom_fabric::loss::{Loss, Losses};
use packetloom_fabric::switch::attributes::SwitchAttributes;
use packetloom_fabric::topology::{Cut, Endpoint};
use packetloom_records::{Formats, Record, RecordFiles, RecordsError, RunApplication, RunEnd, RunFile};
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
    /// In which formats to leave them.
    pub formats: Formats,
    /// The document with every attribute written out, to be left beside the records as `{name}-configuration.json`.
    pub document: Option<String>,
    /// Frames lost on purpose on the links into a node (switches first, then hosts), for tests.
    pub losses: Vec<(Endpoint, Vec<Loss>)>,
    /// First PSN of every queue pair, for tests of the 24-bit wrap.
    pub first_psn: u32,
    /// Initial sequence number of both ends of every TCP connection, for tests of the 32-bit wrap.
    pub first_sequence: u32,
    /// Every transmission ends with an event, even when nothing happens then. Slower; results do not depend on it.
    pub eager: bool,
}

impl RunOptions {
    /// Options for a run called `name` with its records in `out`, all others at their defaults.
    pub fn new(name: impl Into<String>, out: impl Into<PathBuf>) -> Self {
        RunOptions {
            name: name.into(),
            out: out.into(),
            cut: Cut::Default,
            records: Record::ALL.to_vec(),
            formats: Formats::default(),
            document: None,
            losses: Vec::new(),
            first_psn: 0,
            first_sequence: 0,
            eager: false,
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

/// A document put together, ready to run.
pub struct Simulation<'a, Q> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) layout: Layout,
    pub(crate) engine: Engine<System, Q, Observer>,
    pub(crate) reporter: Reporter,
    schedule: Schedule,
    pub(crate) name: String,
    pub(crate) out: PathBuf,
    formats: Formats,
    /// What the run is, for the file beside the records.
    run_file: RunFile,
    /// Work requests of each instance that completed in the recording window.
    pub(crate) recorded: Vec<u64>,
}

impl<'a, Q: Queue> Simulation<'a, Q> {
    /// Puts the document together and creates the record files.
    ///
    /// # Errors
    /// As [`run`].
    pub fn new(scenario: &'a Scenario, options: &RunOptions) -> Result<Self, RunError> {
        options.formats.check()?;
        let layout = Layout::new(scenario)?;
        let mut engine = layout.engine::<Q>(scenario, options)?;
        for (endpoint, losses) in &options.losses {
            let node = engine.node_mut(layout.topology.engine_node(*endpoint));
            node.set_losses(Losses::new(losses.clone()));
        }
        if options.eager {
            for partition in engine.partitions_mut() {
                for node in partition.nodes_mut() {
                    node.set_eager(true);
                }
            }
        }
        let mut records = options.records.clone();
        records.retain(|&record| turned_on(&layout, scenario, record));
        let files = RecordFiles::create(&options.out, &options.name, 0, &records)?;
        let mut reporter = Reporter::new(files, &layout, scenario);
        let first_tcp = first_tcp_start(&engine);
        let schedule = Schedule::new(&layout, scenario, first_tcp, |record| records.contains(&record));
        let run_file = run_file(scenario, &layout, &options.name);
        if let Err(error) = reporter
            .start(&layout, scenario)
            .and_then(|()| match &options.document {
                Some(text) => reporter.document(&options.name, text),
                None => Ok(()),
            })
            .and_then(|()| reporter.describe(&run_file))
        {
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
            schedule,
            name,
            out,
            formats: options.formats,
            run_file,
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
        let timeline = self.layout.timeline;
        // A window that opens at time 0 opens before the first event.
        let mut marks = [timeline.recording.0, timeline.recording.1]
            .map(|edge| (edge == Time::ZERO).then(|| self.mark()));
        let mut interrupted = false;
        loop {
            let mut next = self.schedule.next().min(timeline.stop);
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
            system::settle(&mut self.engine, next);
            self.report(next)?;
            for (mark, edge) in marks.iter_mut().zip([timeline.recording.0, timeline.recording.1]) {
                if next == edge {
                    *mark = Some(self.mark());
                }
            }
            if next == timeline.stop {
                break;
            }
        }
        let end = self.engine.now();
        system::settle(&mut self.engine, end);
        // An interrupted run may not have come to the recording window's end, or not even to its start: then it is empty.
        let marks = marks.map(|mark| mark.unwrap_or_else(|| self.mark()));
        let last = self.schedule.last_balances(end);
        self.reporter
            .load_balancing_stats(end, &last, &self.layout, &self.engine)?;
        self.run_file.ended = Some(RunEnd {
            simulated_ps: end.ps(),
            interrupted,
        });
        self.reporter.describe(&self.run_file)?;
        self.publish(progress);
        self.reporter.finish(self.formats, progress)?;
        if cfg!(debug_assertions) {
            system::check(&self.engine);
        }
        Ok(self.summary(interrupted, clock, marks))
    }

    /// Writes the periodic reports that are due at `at`.
    fn report(&mut self, at: Time) -> Result<(), RunError> {
        let due = self.schedule.due(at);
        let (reporter, layout, engine) = (&mut self.reporter, &self.layout, &mut self.engine);
        if let Some(interval) = due.beacon {
            reporter.beacon(at, interval, engine)?;
            reporter.cpu_mem_stats(at)?;
        }
        if let Some(interval) = due.devices {
            reporter.nd_stats(at, interval, layout, engine)?;
            reporter.ecn_pfc_stats(at, interval, layout, engine)?;
            reporter.tier_hop(at, layout, engine)?;
            reporter.transport_stats(at, layout, engine)?;
            reporter.pcie_stats(at, interval, layout, engine)?;
        }
        if let Some(interval) = due.tcp {
            reporter.tcp_stats(at, interval, layout, engine)?;
        }
        if let Some(interval) = due.pools {
            reporter.pool_stats(at, interval, layout, engine)?;
        }
        reporter.buffer_stats(at, &due.buffers, layout, engine)?;
        let balances: Vec<bool> = due.balances.iter().map(Option::is_some).collect();
        reporter.load_balancing_stats(at, &balances, layout, engine)?;
        Ok(())
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
}

/// What the file of the run says before its end.
fn run_file(scenario: &Scenario, layout: &Layout, name: &str) -> RunFile {
    let recording = layout.timeline.recording;
    let applications = scenario.applications.iter().enumerate();
    let applications = applications.map(|(number, application)| {
        let instances = || {
            let instances = layout.instances.iter();
            instances.filter(|instance| instance.application == number as u32)
        };
        RunApplication {
            name: application.name.clone(),
            model: Some(application.attributes.kind().model().to_owned()),
            pairs: layout.placements[number].pairs.len() as u64,
            first_connection: instances().next().map_or(0, |first| first.number as u64),
            connections: instances().count() as u64,
        }
    });
    RunFile {
        simulation: name.to_owned(),
        random_seed: scenario.global.simulation_parameters.random_seed,
        hosts: layout.topology.hosts.len() as u64,
        switches: layout.topology.switches.len() as u64,
        recording_window_ps: (recording.0.ps(), recording.1.ps()),
        stop_ps: layout.timeline.stop.ps(),
        applications: applications.collect(),
        ended: None,
    }
}

/// Whether the document turns a record on.
fn turned_on(layout: &Layout, scenario: &Scenario, record: Record) -> bool {
    let global = &scenario.global.simulation_parameters;
    let of_a_switch = |wants: fn(&SwitchAttributes) -> bool| {
        let mut kinds = layout.topology.switches.iter().map(|s| s.component as usize);
        kinds.any(|kind| wants(&scenario.switches[kind].attributes))
    };
    let nics = || {
        let kinds = layout.topology.hosts.iter().map(|h| h.component as usize);
        kinds.map(|kind| &scenario.nics[kind].attributes)
    };
    let roce = || nics().any(|nic| matches!(nic, NicAttributes::Roce(_)));
    let pools = |nic: &NicAttributes| match nic {
        NicAttributes::Roce(given) => given.enable_buffer_stats,
        NicAttributes::Ethernet(given) => given.enable_buffer_stats,
    };
    let mut applications = scenario.applications.iter().map(|a| &a.attributes);
    match record {
        Record::NdStats => global.enable_net_device_stat_logging,
        Record::RoceTransportStats => global.enable_roce_transport_stats && roce(),
        Record::TcpStats => {
            global.enable_tcp_stack_reporting
                && applications.any(|a| a.generator().is_some_and(|g| g.attributes.enable_tcp_stats))
        }
        Record::RdmaPerf => applications.any(|a| a.rdma().is_some()),
        Record::Perf => applications.any(|a| a.generator().is_some()),
        Record::EcnPfcStats => global.enable_pfc_ecn_stats_logging,
        Record::BuffStats => of_a_switch(|given| given.shared_buffer_manager.report_per_port_buffer_stats),
        Record::LoadBalancingStats => of_a_switch(|given| given.enable_load_balancing_stats),
        Record::NetBuffStats => global.enable_network_buffer_stats_reporting && nics().any(pools),
        Record::PcieStats => global.enable_pcie_stats_logging && roce(),
        Record::Beacon
        | Record::TierHop
        | Record::AggBuffStats
        | Record::ApplicationReport
        | Record::TopologyReport
        | Record::CpuMemStats => true,
    }
}

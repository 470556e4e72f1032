//! From the files of a run to its summary.

use crate::applications::Applications;
use crate::error::AnalysisError;
use crate::inputs::Inputs;
use crate::machine;
use crate::network::Network;
use crate::pauses::Pauses;
use crate::queues;
use crate::scan::{Progress, READ, Scan};
use crate::summary::{
    ApplicationSummary, Counters, DocumentSummary, RecordSummary, RequestSummary, RunSummary, State,
    WindowSource, WindowSummary, seconds,
};
use crate::tcp::TcpConnections;
use crate::transport::Transports;
use crate::window::{Reports, Window};
use packetloom_des::{Span, Time};
use packetloom_records::{Record, RunFile};
use std::path::PathBuf;

/// What to sum up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Start of the window, in place of the recording window's.
    pub from: Option<Time>,
    /// End of the window, in place of the recording window's.
    pub to: Option<Time>,
}

/// Sums up the records of one run: those in `paths`, which are folders and files. `progress` tells meanwhile how far that
/// is.
///
/// # Errors
/// When a file cannot be read, or there is something else in it than the record's rows.
pub fn summarize(
    paths: &[PathBuf],
    options: &Options,
    progress: &Progress,
) -> Result<RunSummary, AnalysisError> {
    let inputs = Inputs::find(paths)?;
    let (asked, source) = asked(options, inputs.run.as_ref())?;
    let is_read = |record| READ.contains(&record) || queues::record() == Some(record);
    let (read, unread): (Vec<_>, Vec<_>) = inputs.files.iter().partition(|file| is_read(file.name.record));
    progress.begin(read.iter().map(|file| file.bytes).sum());
    let mut scan = Scan::new(&inputs, progress);

    let mut applications = Applications::new(inputs.run.as_ref());
    applications.read_report(&mut scan)?;
    let mut network = Network::default();
    network.read_topology(&mut scan)?;
    let completions = applications.read_perf(&mut scan, asked)?;
    let requests = machine::requests(&mut scan)?;

    let [mut of_ports, mut of_tiers, mut of_pauses, mut of_transports] = [Reports::default(); 4];
    network.read_ports(&mut scan, asked, &mut of_ports)?;
    network.read_tiers(&mut scan, asked, &mut of_tiers)?;
    let mut pauses = Pauses::default();
    pauses.read(&mut scan, asked, &mut of_pauses)?;
    let mut transports = Transports::default();
    transports.read(&mut scan, asked, &mut of_transports)?;
    let mut connections = TcpConnections::default();
    connections.read(&mut scan, asked)?;
    let mut reports = Reports::default();
    for more in [&of_ports, &of_tiers, &of_transports] {
        reports.join(asked, more);
    }
    pauses.settle(asked, &mut of_pauses, &reports);
    reports.join(asked, &of_pauses);
    let reported = reports.known(asked);
    let (fullest_buffers, no_buffers) = queues::fullest(&mut scan, reported.unwrap_or(asked))?;
    let machine = machine::machine(&mut scan)?;

    let reached = reached(&inputs, &applications, &reports, requests);
    let window = Window {
        from: match source {
            WindowSource::WholeRun => applications.first_posted.unwrap_or(0),
            _ => asked.from.min(reached),
        },
        to: asked.to.min(reached),
    };
    let length = Span::from_ps(window.to.saturating_sub(window.from));
    let mut tiers = network.tiers();
    pauses.add_to(&mut tiers);
    let mut counters = Counters::default();
    [
        counters.packets_dropped_by_switches,
        counters.packets_dropped_by_nics,
    ] = network.drops();
    [counters.pauses_sent, counters.packets_ecn_marked] = pauses.counters();
    transports.add_to(&mut counters);
    connections.add_to(&mut counters);

    let run = inputs.run.as_ref();
    let mut summary = RunSummary {
        simulation: inputs.simulation.clone(),
        state: state(run),
        simulated_seconds: seconds(reached),
        stop_seconds: run.map(|run| seconds(run.stop_ps)),
        document: run.map(|run| DocumentSummary {
            hosts: run.hosts,
            switches: run.switches,
            random_seed: run.random_seed,
        }),
        shards: inputs.shards() as u64,
        window: WindowSummary {
            seconds: window.into(),
            source,
        },
        report_window: reported.map(Into::into),
        requests,
        // Without the record nobody knows what they completed.
        applications: if completions {
            applications.summary(length)
        } else {
            Vec::new()
        },
        slowest: applications.slowest(length),
        utilization: network.utilization(),
        tiers: tiers.into_values().collect(),
        fullest_buffers,
        counters,
        machine,
        records: std::mem::take(&mut scan.records),
        ignored: inputs.ignored.clone(),
        notes: Vec::new(),
    };
    let unread = unread
        .into_iter()
        .map(|file| RecordSummary::new(file, None, false));
    summary.records.extend(unread);
    summary.notes = notes(&summary, asked);
    summary.notes.extend(first_end(&scan.ends));
    let unknown = [
        (Record::NdStats, network.read && !network.known),
        // It stands in for the other.
        (
            Record::TierHop,
            network.read_hops && !network.hops_known && !network.known,
        ),
        (Record::EcnPfcStats, pauses.read && pauses.known.is_none()),
        (Record::RoceTransportStats, transports.read && !transports.known),
        (Record::TcpStats, connections.read && !connections.known),
    ];
    let unknown = unknown
        .into_iter()
        .filter_map(|(record, unknown)| unknown.then_some(record));
    summary.notes.extend(
        unknown
            .chain(queues::record().filter(|_| no_buffers))
            .map(|record| {
                format!(
                    "{} has no report in the window after its start: what it would tell of it is left out",
                    record.name()
                )
            }),
    );
    Ok(summary)
}

/// The window that is asked for, open where nobody knows an end, and where it comes from.
fn asked(options: &Options, run: Option<&RunFile>) -> Result<(Window, WindowSource), AnalysisError> {
    let recording = run.map(|run| run.recording_window_ps);
    let (from, to) = recording.unwrap_or((0, u64::MAX));
    let mut window = Window {
        from: options.from.map_or(from, Time::ps),
        to: options.to.map_or(to, Time::ps),
    };
    if window.to < window.from && options.to.is_none() {
        // Not the recording window's end is what is wrong if the run did not come that far.
        match run.and_then(|run| run.ended) {
            Some(end) if end.simulated_ps < window.from => {
                return Err(AnalysisError::Beyond {
                    end: Time::from_ps(end.simulated_ps).seconds_text(),
                    from: Time::from_ps(window.from).seconds_text(),
                });
            }
            Some(_) => {}
            None => window.to = u64::MAX,
        }
    }
    if window.to < window.from {
        return Err(AnalysisError::Window {
            from: Time::from_ps(window.from).seconds_text(),
            to: Time::from_ps(window.to).seconds_text(),
        });
    }
    let source = if options.from.is_some() || options.to.is_some() {
        WindowSource::Given
    } else if recording.is_some() {
        WindowSource::RecordingWindow
    } else {
        WindowSource::WholeRun
    };
    Ok((window, source))
}

/// Simulated time reached: what the run says, else the last row of all.
fn reached(
    inputs: &Inputs,
    applications: &Applications,
    reports: &Reports,
    requests: Option<RequestSummary>,
) -> u64 {
    let ended = inputs.run.as_ref().and_then(|run| run.ended);
    ended.map_or_else(
        || {
            let beacon = requests.map(|requests| (requests.at_seconds * 1e12).round() as u64);
            let times = [applications.last_completed, reports.last(), beacon];
            times.into_iter().flatten().max().unwrap_or(0)
        },
        |end| end.simulated_ps,
    )
}

pub(crate) fn state(run: Option<&RunFile>) -> State {
    match run.map(|run| run.ended) {
        None => State::Unknown,
        Some(None) => State::Unfinished,
        Some(Some(end)) if end.interrupted => State::Interrupted,
        Some(Some(_)) => State::Finished,
    }
}

/// What to say of files that end at different times, as after a full disk.
fn first_end(ends: &[(String, u64)]) -> Option<String> {
    let (file, first) = ends.iter().min_by_key(|&&(_, end)| end)?;
    let last = ends.iter().map(|&(_, end)| end).max()?;
    (*first < last).then(|| {
        format!(
            "the run did not come to its end, and its records end at different times, {file} first, at {} s, the last at \
             {} s: figures beyond the first are incomplete",
            Time::from_ps(*first).seconds_text(),
            Time::from_ps(last).seconds_text()
        )
    })
}

/// What whoever reads the summary should know.
fn notes(summary: &RunSummary, asked: Window) -> Vec<String> {
    let mut notes = Vec::new();
    for record in summary.records.iter().filter(|record| record.torn) {
        notes.push(format!(
            "{} ends in the middle of a row, which is left out: the run goes on, or was killed",
            record.file
        ));
    }
    for record in summary.records.iter().filter(|record| record.bytes == 0) {
        notes.push(format!(
            "{} has no header: the file is empty and tells nothing",
            record.file
        ));
    }
    if !summary.ignored.is_empty() {
        notes.push(format!(
            "left out, being no records: {}",
            summary.ignored.join(", ")
        ));
    }
    if summary.window.source == WindowSource::WholeRun {
        notes.push(format!(
            "figures are of the whole run, from the first request on: {} is not there to tell the recording window; --from \
             and --to choose a part",
            RunFile::file_name(&summary.simulation)
        ));
    }
    let reached = (summary.simulated_seconds * 1e12).round() as u64;
    if asked.from > reached {
        notes.push(format!(
            "the records end at {} s, before the window starts at {} s: there is nothing in it",
            Time::from_ps(reached).seconds_text(),
            Time::from_ps(asked.from).seconds_text()
        ));
    }
    notes.extend(summary.applications.iter().filter_map(silent));
    notes
}

fn silent(application: &ApplicationSummary) -> Option<String> {
    (application.silent_pairs > 0).then(|| {
        format!(
            "{} of {} pairs of {} completed no request in the window: latency says nothing of them",
            application.silent_pairs, application.pairs, application.name
        )
    })
}

//! The summary of a run's records as tables.

use crate::report::{goodput, latency, utilization};
use crate::table::Table;
use crate::text::{count, memory, seconds, significant};
use packetloom_analysis::summary::{ApplicationSummary, Counter, RunSummary, State, WindowSource};
use std::fmt::Write;

/// The whole summary, ready to print. What the records do not tell is left out.
pub fn tables<'a>(summary: &'a RunSummary) -> String {
    let mut parts = vec![heading(summary)];
    if !summary.applications.is_empty() {
        let all = || summary.applications.iter();
        parts.push(applications(summary));
        // Where no record tells how much was carried there is nothing to show.
        let known = |a: &'a ApplicationSummary| {
            let pairs = a.goodput_per_pair_gbps.as_ref();
            a.goodput_gbps
                .zip(pairs)
                .map(|(in_all, pairs)| (&*a.name, in_all, pairs))
        };
        if all().any(|a| known(a).is_some()) {
            parts.push(goodput(all().filter_map(known)));
        }
        parts.push(latency(all().map(|a| (&*a.name, a.latency_us.as_ref()))));
    }
    if !summary.slowest.is_empty() {
        parts.push(slowest(summary));
    }
    if !summary.utilization.is_empty() {
        parts.push(utilization(&summary.utilization));
    }
    if !summary.tiers.is_empty() {
        parts.push(tiers(summary));
    }
    if !summary.fullest_buffers.is_empty() {
        parts.push(buffers(summary));
    }
    parts.extend(counters(summary));
    parts.extend(machine(summary));
    parts.push(records(summary));
    parts.join("\n")
}

fn heading(summary: &RunSummary) -> String {
    let mut text = format!(
        "{}: {} simulated",
        summary.simulation,
        seconds(summary.simulated_seconds)
    );
    let stop = summary.stop_seconds.map(seconds).unwrap_or_default();
    match summary.state {
        State::Finished => {}
        State::Interrupted => text += &format!(" (interrupted; it was to stop at {stop})"),
        State::Unfinished => text += &format!(" of {stop} (it goes on, or was killed)"),
        State::Unknown => text += " at least",
    }
    if let Some(document) = &summary.document {
        text += &format!(
            ", {}, {}, seed {}",
            many(document.hosts, "host", "hosts"),
            many(document.switches, "switch", "switches"),
            document.random_seed
        );
    }
    let source = match summary.window.source {
        WindowSource::RecordingWindow => "the recording window",
        WindowSource::Given => "the window asked for",
        WindowSource::WholeRun => "the whole run",
    };
    let between = |from: f64, to: f64| format!("{} to {}", seconds(from), seconds(to));
    let window = summary.window.seconds;
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "\nFigures are of {source}, {}",
        between(window.from_seconds, window.to_seconds)
    );
    match summary.report_window {
        Some(reports) if reports != window => {
            let _ = writeln!(
                text,
                "; those of ports, NICs and queues of the reports from {}.",
                between(reports.from_seconds, reports.to_seconds)
            );
        }
        _ => text += ".\n",
    }
    text
}

fn many(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { several })
}

fn applications(summary: &RunSummary) -> String {
    let mut table = Table::new(&["Requests", ">Pairs", ">Completed", ">In window", ">Fairness"]);
    for a in &summary.applications {
        table.row([
            a.name.clone(),
            count(a.pairs),
            count(a.completed),
            count(a.recorded),
            a.fairness.map_or("-".to_owned(), significant),
        ]);
    }
    table.to_string()
}

fn slowest(summary: &RunSummary) -> String {
    let headings = [
        "Slowest connections",
        "From",
        "To",
        ">In window",
        ">Goodput [Gbps]",
        ">Mean [us]",
        ">Max [us]",
    ];
    let mut table = Table::new(&headings);
    let or_none = |name: &Option<String>| name.clone().unwrap_or_else(|| "-".to_owned());
    for connection in &summary.slowest {
        table.row([
            connection.instance.clone(),
            or_none(&connection.host),
            or_none(&connection.peer_host),
            count(connection.recorded),
            connection.goodput_gbps.map_or("-".to_owned(), significant),
            significant(connection.latency_mean_us),
            significant(connection.latency_max_us),
        ]);
    }
    table.to_string()
}

fn tiers(summary: &RunSummary) -> String {
    let headings = [
        "Tier",
        ">Sent",
        ">Received",
        ">Dropped",
        ">Pauses sent",
        ">Pauses received",
        ">Paused [us]",
        "Paused longest",
    ];
    let mut table = Table::new(&headings);
    let or_none = |number: Option<u64>| number.map_or("-".to_owned(), count);
    for tier in &summary.tiers {
        let longest = tier.most_paused.as_ref().map_or(String::new(), |most| {
            let share = most.percent.map_or("-".to_owned(), significant);
            format!("{} class {}, {share} % of the time", most.port, most.class)
        });
        table.row([
            tier.tier.clone(),
            or_none(tier.packets_sent),
            or_none(tier.packets_received),
            or_none(tier.packets_dropped),
            or_none(tier.pauses_sent),
            or_none(tier.pauses_received),
            tier.paused_us.map_or("-".to_owned(), significant),
            longest,
        ]);
    }
    table.to_string()
}

fn buffers(summary: &RunSummary) -> String {
    let mut table = Table::new(&[
        "Fullest buffers",
        "Buffer",
        ">Pool",
        ">Most [B]",
        ">Of [B]",
        ">Share [%]",
    ]);
    for buffer in &summary.fullest_buffers {
        table.row([
            buffer.component.clone(),
            format!("{} {}", buffer.buffer, buffer.direction),
            count(buffer.pool),
            count(buffer.max_bytes),
            count(buffer.limit_bytes),
            significant(buffer.max_percent),
        ]);
    }
    table.to_string()
}

/// Counters that some record tells of.
fn counters(summary: &RunSummary) -> Option<String> {
    let mut table = Table::new(&["Counters", ">In window", ">Whole run", "Most of it at"]);
    let counters = &summary.counters;
    let rows: [(&str, &Option<Counter>); 12] = [
        (
            "packets dropped by switches",
            &counters.packets_dropped_by_switches,
        ),
        ("packets dropped by NICs", &counters.packets_dropped_by_nics),
        ("PFC pauses sent", &counters.pauses_sent),
        ("packets marked by ECN", &counters.packets_ecn_marked),
        ("data packets sent", &counters.data_packets_sent),
        ("retransmission episodes", &counters.retransmissions),
        ("of these by timeout", &counters.timeouts),
        ("NAKs sent", &counters.naks_sent),
        ("NAKs received", &counters.naks_received),
        ("gaps in what arrived", &counters.out_of_order),
        ("packets that arrived again", &counters.duplicates),
        ("packets discarded by transports", &counters.packets_discarded),
    ];
    let told = rows
        .into_iter()
        .filter_map(|(name, counter)| Some((name, counter.as_ref()?)));
    let mut any = false;
    for (name, counter) in told {
        any = true;
        table.row([
            name.to_owned(),
            counter.window.map_or("-".to_owned(), count),
            count(counter.run),
            counter.most_at.clone().unwrap_or_default(),
        ]);
    }
    any.then(|| table.to_string())
}

/// What the simulator took, and the totals of the whole run.
fn machine(summary: &RunSummary) -> Option<String> {
    let mut table = Table::new(&["Run", ">Value"]);
    let mut rows = Vec::new();
    if let Some(requests) = &summary.requests {
        rows.push(("requests posted", count(requests.posted)));
        rows.push(("requests completed", count(requests.completed)));
    }
    if let Some(machine) = &summary.machine {
        rows.push(("wall time", seconds(machine.wall_seconds)));
        rows.push(("CPU time", seconds(machine.cpu_seconds)));
        rows.push(("peak memory", memory(machine.peak_rss_bytes)));
        rows.push(("memory of the machine", memory(machine.machine_memory_bytes)));
    }
    let any = !rows.is_empty();
    for (name, value) in rows {
        table.row([name.to_owned(), value]);
    }
    any.then(|| table.to_string())
}

fn records(summary: &RunSummary) -> String {
    let mut table = Table::new(&["Records", ">Rows", ">Size"]);
    for record in &summary.records {
        table.row([
            record.file.clone(),
            record.rows.map_or("not read".to_owned(), count),
            memory(record.bytes),
        ]);
    }
    table.to_string()
}

//! The summary of a run as tables.

use crate::table::Table;
use crate::text::{count, large, memory, seconds, significant};
use packetloom_sim::summary::{ApplicationModel, GoodputPerPair, Latency, Summary, TierUtilization};
use std::fmt::Write;

/// The whole summary, ready to print.
pub fn tables(summary: &Summary) -> String {
    let mut parts = vec![heading(summary)];
    if !summary.applications.is_empty() {
        parts.push(applications(summary));
        let all = || summary.applications.iter();
        parts.push(goodput(
            all().map(|a| (&*a.name, a.goodput_gbps, &a.goodput_per_pair_gbps)),
        ));
        parts.push(latency(all().map(|a| (&*a.name, a.latency_us.as_ref()))));
    }
    if !summary.utilization.is_empty() {
        parts.push(utilization(&summary.utilization));
    }
    parts.push(counters(summary));
    parts.push(effort(summary));
    parts.push(files(summary));
    parts.join("\n")
}

fn heading(summary: &Summary) -> String {
    let ended = if summary.interrupted {
        " (interrupted: the figures are of the part that ran)"
    } else {
        ""
    };
    format!(
        "{}: {} simulated{ended}\n",
        summary.simulation,
        seconds(summary.simulated_seconds)
    )
}

fn applications(summary: &Summary) -> String {
    let all = |model| summary.applications.iter().all(|a| a.model == model);
    let (what, begun) = if all(ApplicationModel::Rdma) {
        ("Work requests", ">Posted")
    } else if all(ApplicationModel::TrafficGenerator) {
        ("Transactions", ">Generated")
    } else {
        ("Requests", ">Posted")
    };
    let mut table = Table::new(&[what, ">Pairs", begun, ">Completed", ">In recording window"]);
    for a in &summary.applications {
        table.row([
            a.name.clone(),
            count(a.pairs),
            count(a.posted),
            count(a.completed),
            count(a.recorded),
        ]);
    }
    table.to_string()
}

/// Goodput of applications: name, in all, of pairs.
pub fn goodput<'a>(rows: impl Iterator<Item = (&'a str, f64, &'a GoodputPerPair)>) -> String {
    let mut table = Table::new(&[
        "Goodput [Gbps]",
        ">In all",
        ">Least pair",
        ">Mean pair",
        ">Greatest pair",
    ]);
    for (name, in_all, pair) in rows {
        let numbers = [in_all, pair.min, pair.mean, pair.max];
        table.row(std::iter::once(name.to_owned()).chain(numbers.map(significant)));
    }
    table.to_string()
}

/// Latency of applications: name and figures, if there are any.
pub fn latency<'a>(rows: impl Iterator<Item = (&'a str, Option<&'a Latency>)>) -> String {
    let headings = [
        "Latency [us]",
        ">Min",
        ">Mean",
        ">p50",
        ">p90",
        ">p99",
        ">p99.9",
        ">Max",
    ];
    let mut table = Table::new(&headings);
    for (name, latency) in rows {
        let cells = match latency {
            Some(Latency {
                min,
                mean,
                p50,
                p90,
                p99,
                p999,
                max,
            }) => [min, mean, p50, p90, p99, p999, max].map(|&number| significant(number)),
            None => std::array::from_fn(|_| "-".to_owned()),
        };
        table.row(std::iter::once(name.to_owned()).chain(cells));
    }
    table.to_string()
}

/// How busy ports are, by tier and direction.
pub fn utilization(tiers: &[TierUtilization]) -> String {
    let mut table = Table::new(&[
        "Link utilization",
        ">Ports",
        ">Mean [%]",
        ">Max [%]",
        "Busiest port",
    ]);
    for tier in tiers {
        table.row([
            format!("{} {}", tier.tier, tier.direction),
            count(tier.ports),
            significant(tier.mean_percent),
            significant(tier.max_percent),
            tier.busiest.clone(),
        ]);
    }
    table.to_string()
}

fn counters(summary: &Summary) -> String {
    let mut table = Table::new(&["Network", ">Count"]);
    for (name, number) in [
        ("packets dropped", summary.drops),
        ("PFC pauses sent", summary.pfc_pauses),
        ("packets marked by ECN", summary.ecn_marks),
        ("retransmission episodes", summary.retransmissions),
        ("packets sent again", summary.packets_resent),
    ] {
        table.row([name.to_owned(), count(number)]);
    }
    table.to_string()
}

fn effort(summary: &Summary) -> String {
    let mut table = Table::new(&["Run", ">Value"]);
    for (name, value) in [
        ("packet-hops", count(summary.packet_hops)),
        ("events", count(summary.events)),
        ("wall time", seconds(summary.wall_seconds)),
        ("CPU time", seconds(summary.cpu_seconds)),
        ("packet-hops a second", large(summary.packet_hops_per_second)),
        ("peak memory", memory(summary.peak_rss_bytes)),
    ] {
        table.row([name.to_owned(), value]);
    }
    table.to_string()
}

fn files(summary: &Summary) -> String {
    let mut text = format!("Records in {}\n", summary.out);
    for file in &summary.files {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {file}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use packetloom_sim::summary::ApplicationSummary;

    fn example() -> Summary {
        Summary {
            simulation: "demo".to_owned(),
            out: "runs/demo".to_owned(),
            simulated_seconds: 0.506,
            wall_seconds: 12.345,
            cpu_seconds: 12.3,
            events: 40_000_000,
            packet_hops: 30_000_000,
            packet_hops_per_second: 2_430_134.0,
            peak_rss_bytes: 50 << 20,
            drops: 0,
            retransmissions: 3,
            packets_resent: 40,
            pfc_pauses: 17,
            ecn_marks: 1_234,
            applications: vec![ApplicationSummary {
                name: "Rdma".to_owned(),
                model: ApplicationModel::Rdma,
                pairs: 8,
                posted: 81_234,
                completed: 81_154,
                recorded: 80_000,
                goodput_gbps: 2560.5,
                goodput_per_pair_gbps: GoodputPerPair {
                    min: 300.25,
                    mean: 320.0625,
                    max: 394.4,
                },
                latency_us: Some(Latency {
                    min: 5.9,
                    mean: 62.1,
                    p50: 61.0,
                    p90: 70.5,
                    p99: 81.25,
                    p999: 90.0,
                    max: 101.0,
                }),
            }],
            utilization: vec![TierUtilization {
                tier: "rack".to_owned(),
                direction: "down".to_owned(),
                ports: 16,
                mean_percent: 40.2,
                max_percent: 99.5,
                busiest: "ScalaRackSwitch-2-2-0-0-2-0 port 3".to_owned(),
            }],
            files: vec!["demo-rdma-perf-0.csv".to_owned()],
            ..Summary::default()
        }
    }

    #[test]
    fn the_summary_reads_well() {
        let expected = "\
demo: 506 ms simulated

Work requests  Pairs  Posted  Completed  In recording window
Rdma               8  81,234     81,154               80,000

Goodput [Gbps]  In all  Least pair  Mean pair  Greatest pair
Rdma              2560       300.2      320.1          394.4

Latency [us]  Min  Mean  p50   p90    p99  p99.9  Max
Rdma          5.9  62.1   61  70.5  81.25     90  101

Link utilization  Ports  Mean [%]  Max [%]  Busiest port
rack down            16      40.2     99.5  ScalaRackSwitch-2-2-0-0-2-0 port 3

Network                  Count
packets dropped              0
PFC pauses sent             17
packets marked by ECN    1,234
retransmission episodes      3
packets sent again          40

Run                        Value
packet-hops           30,000,000
events                40,000,000
wall time                12.35 s
CPU time                  12.3 s
packet-hops a second      2.43 M
peak memory               50 MiB

Records in runs/demo
  demo-rdma-perf-0.csv
";
        let text = tables(&example());
        assert_eq!(text, expected, "\n{text}");
    }

    #[test]
    fn the_table_says_what_applications_do() {
        let mut summary = example();
        summary.applications[0].model = ApplicationModel::TrafficGenerator;
        let text = tables(&summary);
        assert!(
            text.contains("Transactions  Pairs  Generated  Completed  In recording window\n"),
            "{text}"
        );
        summary.applications.extend(example().applications);
        let text = tables(&summary);
        assert!(
            text.contains("Requests  Pairs  Posted  Completed  In recording window\n"),
            "{text}"
        );
    }

    #[test]
    fn a_run_without_completions_says_so() {
        let mut summary = example();
        summary.applications[0].latency_us = None;
        summary.interrupted = true;
        let text = tables(&summary);
        assert!(
            text.contains("Rdma            -     -    -    -    -      -    -\n"),
            "{text}"
        );
        assert!(text.starts_with("demo: 506 ms simulated (interrupted"), "{text}");
    }
}

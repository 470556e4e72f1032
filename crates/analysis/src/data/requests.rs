//! Records with a row for each request: `rdma-perf` and `perf`.

use super::series::{Merging, Series, TimeSeries};
use super::statistics::{Distribution, Statistics};
use super::{Metric, Span};
use crate::applications::text;
use crate::inputs::Inputs;
use crate::scan::{Scan, columns};
use packetloom_records::read::RowRef;
use packetloom_records::{ReadError, Record, RunFile};
use serde::Serialize;
use std::collections::BTreeMap;

/// Points in time of a series.
const BINS: u64 = 1_000;

/// The requests of an application that completed in the recording window.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestsSummary {
    /// The application; `all` where nobody knows which.
    pub application: String,
    /// How many completed.
    pub requests: u64,
    /// Their payload in bytes, where the record tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Their latency, in microseconds.
    pub latency_usec: Statistics,
    /// Points of the distribution function of the latency.
    pub cdf: Vec<LatencyPoint>,
}

/// A point of a distribution function.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LatencyPoint {
    /// The part of all requests, above 0 and at most 1.
    pub fraction: f64,
    /// The latency, in microseconds, that this part does not exceed.
    pub latency_usec: f64,
}

/// Parts for which the latency is told: every hundredth, and ever finer towards the tail.
fn fractions() -> impl Iterator<Item = f64> {
    let tail = [(0.99, 0.001), (0.999, 0.000_1), (0.999_9, 0.000_01)];
    let coarse = (1..=99).map(|n| f64::from(n) / 100.0);
    let fine = tail
        .into_iter()
        .flat_map(|(from, step)| (1..=9).map(move |n| from + step * f64::from(n)));
    coarse.chain(fine).chain([1.0])
}

/// A row.
struct Request {
    at_ps: u64,
    latency_usec: f64,
    bytes: Option<u64>,
    application: usize,
}

/// Which application an instance belongs to.
struct Applications<'a> {
    run: Option<&'a RunFile>,
}

impl Applications<'_> {
    fn names(&self) -> Vec<String> {
        let named = self.run.map_or(&[][..], |run| &run.applications);
        named
            .iter()
            .map(|application| application.name.clone())
            .chain(["all".to_owned()])
            .collect()
    }

    /// By the number of the connection, which the instance's name ends with; the last one is for those of nobody.
    fn of(&self, name: &str) -> usize {
        let all = self.run.map_or(&[][..], |run| &run.applications);
        let number: Option<u64> = name.rsplit('-').next().and_then(|last| last.parse().ok());
        let found = number.and_then(|number| {
            all.iter().position(|application| {
                let first = application.first_connection;
                (first..first.saturating_add(application.connections)).contains(&number)
            })
        });
        found.unwrap_or(all.len())
    }
}

/// Gives every request of the record to `take`; how many there were.
fn read(
    scan: &mut Scan<'_>,
    applications: &Applications<'_>,
    metric: Metric,
    mut take: impl FnMut(Request),
) -> Result<u64, ReadError> {
    let mut rows = 0;
    if metric == Metric::RdmaPerf {
        columns! { RdmaPerf: TIME = "sim_time_sec", LATENCY = "perf_metric_usec", SIZE = "transfer_size", NAME = "application_name", }
        scan.rows(Record::RdmaPerf, WANTED, |_, row: RowRef<'_>| {
            rows += 1;
            take(Request {
                at_ps: row.scaled(TIME, 12)?,
                latency_usec: row.number(LATENCY)?,
                bytes: Some(row.count(SIZE)?),
                application: applications.of(&text(row.text(NAME))),
            });
            Ok(())
        })?;
    } else {
        columns! { Perf: TIME = "sim_time_sec", LATENCY = "perf_metric_usec", NAME = "application_name", }
        scan.rows(Record::Perf, WANTED, |_, row: RowRef<'_>| {
            rows += 1;
            take(Request {
                at_ps: row.scaled(TIME, 12)?,
                latency_usec: row.number(LATENCY)?,
                bytes: None,
                application: applications.of(&text(row.text(NAME))),
            });
            Ok(())
        })?;
    }
    Ok(rows)
}

/// Latency and payload by application.
pub(super) fn summary(
    scan: &mut Scan<'_>,
    inputs: &Inputs,
    metric: Metric,
    span: Span,
) -> Result<(Vec<RequestsSummary>, u64), ReadError> {
    let applications = Applications {
        run: inputs.run.as_ref(),
    };
    let names = applications.names();
    let mut latency = vec![Distribution::new(3); names.len()];
    let mut bytes = vec![None; names.len()];
    let rows = read(scan, &applications, metric, |request| {
        if (span.from_ps..=span.to_ps).contains(&request.at_ps) {
            latency[request.application].add(request.latency_usec);
            if let Some(size) = request.bytes {
                *bytes[request.application].get_or_insert(0) += size;
            }
        }
    })?;
    let found = names
        .into_iter()
        .zip(latency)
        .zip(bytes)
        .filter(|((_, latency), _)| latency.count() > 0);
    let found = found.map(|((application, latency), bytes)| RequestsSummary {
        application,
        requests: latency.count(),
        bytes,
        latency_usec: latency.statistics(),
        cdf: fractions()
            .map(|fraction| LatencyPoint {
                fraction,
                latency_usec: latency.quantile(fraction),
            })
            .collect(),
    });
    Ok((found.collect(), rows))
}

/// What completed in a part of the run.
struct Bin {
    latency: Distribution,
    bytes: u64,
}

/// Requests, goodput and latency over time, by application.
pub(super) fn series(
    scan: &mut Scan<'_>,
    inputs: &Inputs,
    metric: Metric,
) -> Result<(TimeSeries, u64), ReadError> {
    let applications = Applications {
        run: inputs.run.as_ref(),
    };
    let names = applications.names();
    // Where nobody knows the end of the run: a millisecond a bin, as reports are by default.
    let stop = applications
        .run
        .map_or(BINS * 1_000_000_000, |run| run.stop_ps)
        .max(BINS);
    let width = stop.div_ceil(BINS);
    let mut bins: Vec<BTreeMap<u64, Bin>> = names.iter().map(|_| BTreeMap::new()).collect();
    let mut last = 0;
    let rows = read(scan, &applications, metric, |request| {
        last = last.max(request.at_ps);
        let bin = bins[request.application]
            .entry((request.at_ps / width).min(BINS - 1))
            .or_insert_with(|| Bin {
                latency: Distribution::new(2),
                bytes: 0,
            });
        bin.latency.add(request.latency_usec);
        bin.bytes += request.bytes.unwrap_or(0);
    })?;
    // Of what has not been simulated, or not yet, nothing is told; of a run that goes on, records know no more than the last request.
    let ended = applications.run.and_then(|run| run.ended);
    let reached = ended.map_or(last, |end| end.simulated_ps);
    let many = match reached >= stop {
        true => BINS,
        false => (reached / width).clamp(1, BINS),
    };
    let seconds = width as f64 / 1e12;
    let times_sec = (1..=many).map(|n| n as f64 * seconds).collect();
    let mut series = Vec::new();
    for (name, bins) in names.iter().zip(&bins).filter(|(_, bins)| !bins.is_empty()) {
        let mut push =
            |what: &str, column, unit, merging, value: &dyn Fn(&Bin) -> Option<f64>, nothing: Option<f64>| {
                series.push(Series {
                    name: what.to_owned(),
                    tier: None,
                    direction: None,
                    component: None,
                    application: Some(name.clone()),
                    column,
                    unit,
                    values: (0..many).map(|n| bins.get(&n).map_or(nothing, value)).collect(),
                    merging,
                });
            };
        push(
            "requests",
            "perf_metric_usec",
            "",
            Merging::Sum,
            &|bin| Some(bin.latency.count() as f64),
            Some(0.0),
        );
        if metric == Metric::RdmaPerf {
            let goodput = |bin: &Bin| Some(bin.bytes as f64 * 8.0 / seconds / 1e9);
            push(
                "goodput",
                "transfer_size",
                "Gbps",
                Merging::Mean,
                &goodput,
                Some(0.0),
            );
        }
        push(
            "mean latency",
            "perf_metric_usec",
            "us",
            Merging::Mean,
            &|bin| bin.latency.mean(),
            None,
        );
        push(
            "p50 latency",
            "perf_metric_usec",
            "us",
            Merging::Mean,
            &|bin| Some(bin.latency.quantile(0.5)),
            None,
        );
        push(
            "p99 latency",
            "perf_metric_usec",
            "us",
            Merging::Max,
            &|bin| Some(bin.latency.quantile(0.99)),
            None,
        );
        push(
            "max latency",
            "perf_metric_usec",
            "us",
            Merging::Max,
            &|bin| bin.latency.max(),
            None,
        );
    }
    Ok((
        TimeSeries {
            times_sec,
            series,
            merged: 1,
        },
        rows,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_function_is_fine_towards_the_tail() {
        let all: Vec<f64> = fractions().collect();
        // 99 + 3 * 9 + 1.
        assert_eq!(all.len(), 127);
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{all:?}");
        assert!(all.iter().any(|&fraction| (fraction - 0.999_99).abs() < 1e-9));
    }
}

//! Ports over time: a matrix in which hot spots can be seen.

use super::fields::layout;
use super::order::by_place;
use super::periodic::Places;
use super::place::{Key, Place};
use super::{Metric, Tier};
use crate::scan::Scan;
use packetloom_records::ReadError;
use serde::Serialize;
use std::collections::HashMap;

/// Most points in time.
pub const MOST_COLUMNS: usize = 512;
/// Most rows.
pub const MOST_ROWS: usize = 512;

/// A row: a port or a class of one, or neighbours merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HeatRow {
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// How many ports it stands for; they are of one tier and direction.
    pub merged: usize,
    /// The last switch or host of those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_component: Option<String>,
    /// The last port of those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_port: Option<u64>,
}

/// A matrix of ports and times over the whole run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HeatMap {
    /// What the values are.
    pub column: &'static str,
    /// Their unit.
    pub unit: &'static str,
    /// What that means.
    pub description: &'static str,
    /// The end of each column, in seconds of simulated time.
    pub times_sec: Vec<f64>,
    /// How many reports of a port became one.
    pub merged_times: u64,
    /// The rows, tier by tier.
    pub rows: Vec<HeatRow>,
    /// By row, a value for each column: the greatest of what was merged; none without a report.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Reports on their way to a matrix. Those of a file come in the order of time, and another file begins at the front again; when
/// there are more columns than there may be, pairs of them become one.
#[derive(Debug, Default)]
struct Matrix {
    /// How many reports a column holds: a power of two.
    each: usize,
    /// The points in time there were, and the last of each column.
    reports: usize,
    ends: Vec<u64>,
    /// The shortest time from one report to the next.
    shortest: Option<u64>,
    lines: HashMap<Key, Vec<f64>>,
}

impl Matrix {
    fn add(&mut self, at: u64, key: Key, value: f64, most: usize) {
        self.each = self.each.max(1);
        if self.ends.last().is_none_or(|last| *last < at) {
            if let Some(last) = self.ends.last() {
                let passed = at.saturating_sub(*last);
                self.shortest = Some(self.shortest.map_or(passed, |least| least.min(passed)));
            }
            self.reports += 1;
            if self.reports > most * self.each {
                self.halve();
            }
            match (self.reports - 1) % self.each {
                0 => self.ends.push(at),
                _ => *self.ends.last_mut().unwrap_or(&mut 0) = at,
            }
        }
        let column = self.ends.partition_point(|end| *end < at);
        let line = self.lines.entry(key).or_default();
        line.resize(line.len().max(column + 1), f64::NAN);
        // The greater one; `max` passes over what is no number.
        line[column] = line[column].max(value);
    }

    fn halve(&mut self) {
        self.each *= 2;
        let last = |pair: &[u64]| pair[pair.len() - 1];
        self.ends = self.ends.chunks(2).map(last).collect();
        for line in self.lines.values_mut() {
            *line = line.chunks(2).map(greatest).collect();
        }
    }

    /// The rows in their order, with no more than `most`, and their values, each times `factor`.
    fn rows(self, most: usize, factor: f64) -> (Vec<HeatRow>, Vec<Vec<Option<f64>>>) {
        let columns = self.ends.len();
        let mut lines: Vec<(Key, Vec<f64>)> = self.lines.into_iter().collect();
        lines.sort_by(|(a, _), (b, _)| by_place(a, b));
        let group = |key: &Key| (key.tier, key.up);
        let groups: Vec<&[(Key, Vec<f64>)]> = lines.chunk_by(|(a, _), (b, _)| group(a) == group(b)).collect();
        // As few as suffice, so that all groups together have no more rows than there may be.
        let fits = |each: &usize| {
            groups
                .iter()
                .map(|group| group.len().div_ceil(*each))
                .sum::<usize>()
                <= most
        };
        let each = (1..=lines.len()).find(fits).unwrap_or(lines.len().max(1));
        let merged = groups.iter().flat_map(|group| group.chunks(each));
        merged
            .map(|chunk| {
                let ((first, _), (last, _)) = (&chunk[0], &chunk[chunk.len() - 1]);
                let row = HeatRow {
                    place: first.place(),
                    merged: chunk.len(),
                    last_component: (chunk.len() > 1).then(|| last.name.to_string()),
                    last_port: last.port.filter(|_| chunk.len() > 1),
                };
                let values = (0..columns).map(|column| {
                    let of_column: Vec<f64> = chunk
                        .iter()
                        .filter_map(|(_, line)| line.get(column).copied())
                        .collect();
                    Some(greatest(&of_column) * factor).filter(|value| !value.is_nan())
                });
                (row, values.collect())
            })
            .unzip()
    }
}

/// The greatest of those that are numbers.
fn greatest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NAN, f64::max)
}

/// The matrix of a record about ports.
pub(super) fn heat_map(scan: &mut Scan<'_>, metric: Metric, tier: Tier) -> Result<(HeatMap, u64), ReadError> {
    let schema = metric.record().schema();
    let places = Places::of(&layout(metric), schema);
    let source = match metric {
        Metric::Pfc => "interval_total_time_xoff_usec",
        _ => "tx_link_percent_util",
    };
    let column = places.fields.iter().find(|(field, _)| field.column == source);
    let column = column.map_or(0, |(_, column)| *column);
    let mut matrix = Matrix::default();
    let mut rows = 0;
    scan.rows(metric.record(), &places.wanted, |_, row| {
        let key = places.key(row)?;
        if tier.number().is_some_and(|tier| key.tier != Some(tier)) {
            return Ok(());
        }
        rows += 1;
        matrix.add(
            row.scaled(places.time, 12)?,
            key,
            row.number(column)?,
            MOST_COLUMNS,
        );
        Ok(())
    })?;
    // Of microseconds in an interval, percent: the interval is the time from one report to the next, and if there is only one
    // report, the time up to it.
    let interval = matrix
        .shortest
        .or(matrix.ends.first().copied())
        .filter(|ps| *ps > 0);
    let (column, unit, description, factor) = match metric {
        Metric::Pfc => (
            "percent_xoff",
            "%",
            "Share of the report interval in which the class was paused",
            interval.map_or(0.0, |ps| 1e6 / ps as f64 * 100.0),
        ),
        _ => (
            source,
            schema.columns[column].unit,
            schema.columns[column].description,
            1.0,
        ),
    };
    let times_sec = matrix.ends.iter().map(|at| *at as f64 / 1e12).collect();
    let merged_times = matrix.each.max(1) as u64;
    let (names, values) = matrix.rows(MOST_ROWS, factor);
    let map = HeatMap {
        column,
        unit,
        description,
        times_sec,
        merged_times,
        rows: names,
        values,
    };
    Ok((map, rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(name: &str, port: u64, tier: u64) -> Key {
        Key {
            name: name.into(),
            port: Some(port),
            class: None,
            tier: Some(tier),
            up: Some(true),
        }
    }

    #[test]
    fn neighbours_in_time_become_their_greatest() {
        let mut matrix = Matrix::default();
        for (at, value) in [(10, 1.0), (20, 5.0), (30, 2.0), (40, 3.0), (50, 4.0)] {
            matrix.add(at, key("a", 0, 2), value, 4);
            if at == 30 {
                matrix.add(at, key("b", 0, 2), 9.0, 4);
            }
        }
        // Five reports in four columns at most: two each, (1, 5), (2, 3), (4).
        assert_eq!(
            (matrix.each, matrix.ends.as_slice(), matrix.shortest),
            (2, &[20, 40, 50][..], Some(10))
        );
        let (rows, values) = matrix.rows(10, 10.0);
        assert_eq!(
            rows.iter()
                .map(|row| row.place.component.as_str())
                .collect::<Vec<_>>(),
            ["a", "b"]
        );
        assert_eq!(values[0], [Some(50.0), Some(30.0), Some(40.0)]);
        assert_eq!(values[1], [None, Some(90.0), None]);
    }

    #[test]
    fn neighbouring_ports_of_a_tier_become_one_row() {
        let mut matrix = Matrix::default();
        for port in [0, 1, 2, 10] {
            matrix.add(1, key("s", port, 1), port as f64, 4);
        }
        for host in ["h-10", "h-9"] {
            matrix.add(1, key(host, 0, 3), 1.0, 4);
        }
        // Four rows at most for six ports: two each, of one tier.
        let (rows, values) = matrix.rows(4, 1.0);
        let told: Vec<_> = rows
            .iter()
            .map(|row| {
                (
                    row.place.component.as_str(),
                    row.place.port,
                    row.merged,
                    row.last_component.as_deref(),
                    row.last_port,
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("s", Some(0), 2, Some("s"), Some(1)),
                ("s", Some(2), 2, Some("s"), Some(10)),
                ("h-9", Some(0), 2, Some("h-10"), Some(0)),
            ]
        );
        assert_eq!(values, [[Some(1.0)], [Some(10.0)], [Some(1.0)]]);
    }

    proptest! {
        #[test]
        fn peaks_stay_and_limits_hold(
            reports in prop::collection::vec(prop::collection::vec(0u32..1_000, 1..20), 1..80),
            most_columns in 1usize..10,
            most_rows in 1usize..8,
        ) {
            let mut matrix = Matrix::default();
            for (at, ports) in reports.iter().enumerate() {
                for (port, value) in ports.iter().enumerate() {
                    matrix.add(at as u64 + 1, key("s", port as u64, 0), f64::from(*value), most_columns);
                }
            }
            prop_assert!(matrix.ends.len() <= most_columns);
            prop_assert_eq!(matrix.ends.last().copied(), Some(reports.len() as u64));
            let (rows, values) = matrix.rows(most_rows, 1.0);
            prop_assert!(rows.len() <= most_rows);
            let ports = reports.iter().map(Vec::len).max().unwrap_or(0);
            prop_assert_eq!(rows.iter().map(|row| row.merged).sum::<usize>(), ports);
            let peak = values.iter().flatten().flatten().fold(0.0, |a: f64, b| a.max(*b));
            prop_assert_eq!(peak, f64::from(*reports.iter().flatten().max().unwrap()));
        }
    }
}

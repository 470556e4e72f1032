//! Records with a row for each report: ports, pauses, transports, connections.

use super::fields::{Field, Layout, Nature, layout, unit};
use super::place::{Key, Place};
use super::series::{MOST_POINTS, Merging, Series, TimeSeries};
use super::statistics::{Distribution, Rise, Statistics};
use super::{Metric, Span, Tier};
use crate::applications::text;
use crate::network::tier_name;
use crate::scan::Scan;
use packetloom_records::read::RowRef;
use packetloom_records::{ReadError, Schema};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// How many of those that have most are told.
const WORST: usize = 50;

/// A column's figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldSummary {
    /// The column.
    pub column: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What it holds.
    pub description: &'static str,
    /// Over everything.
    #[serde(flatten)]
    pub all: Figures,
    /// By tier and direction, where there are tiers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_tier: Vec<GroupSummary>,
    /// Those that have most, most first: by their mean, or by how much they rose. What has nothing is left out.
    pub worst: Vec<Worst>,
}

/// A level's distribution over reports, or a total's rise in the window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Figures {
    /// Of a level or an amount an interval.
    Distribution(Statistics),
    /// Of a total since the start.
    Rise(Rise),
}

/// The figures of the ports of a tier and direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupSummary {
    /// `spine`, `fabric`, `rack` or `nic`.
    pub tier: String,
    /// `up` or `down`.
    pub direction: String,
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
}

/// One that has much.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worst {
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// How much.
    pub value: f64,
}

/// Where the columns are that a reader looks at.
pub(super) struct Places {
    pub time: usize,
    name: usize,
    port: Option<usize>,
    class: Option<usize>,
    tier: Option<usize>,
    direction: Option<usize>,
    pub fields: Vec<(Field, usize)>,
    pub wanted: Vec<usize>,
}

impl Places {
    pub fn of(layout: &Layout, schema: &Schema) -> Places {
        let find = |column: &str| schema.find(column);
        let tiers = |column| layout.tiers.then(|| find(column)).flatten();
        let fields: Vec<(Field, usize)> = layout
            .fields
            .iter()
            .filter_map(|field| Some((*field, find(field.column)?)))
            .collect();
        let mut places = Places {
            time: find("sim_time_sec").unwrap_or(0),
            name: find(layout.name).unwrap_or(0),
            port: layout.port.and_then(find),
            class: layout.class.and_then(find),
            tier: tiers("tier"),
            direction: tiers("uldl"),
            wanted: fields.iter().map(|(_, at)| *at).collect(),
            fields,
        };
        let others = [
            Some(places.time),
            Some(places.name),
            places.port,
            places.class,
            places.tier,
            places.direction,
        ];
        places.wanted.extend(others.into_iter().flatten());
        places
    }

    /// What a row is of.
    pub fn key(&self, row: RowRef<'_>) -> Result<Key, ReadError> {
        let count = |at: Option<usize>| at.map(|at| row.count(at)).transpose();
        Ok(Key {
            name: text(row.text(self.name)).into(),
            port: count(self.port)?,
            class: count(self.class)?,
            tier: count(self.tier)?,
            up: self.direction.map(|at| row.text(at) == b"ul"),
        })
    }
}

/// What one has of one column.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
    sum: f64,
    count: u64,
    /// The total at or before the window's start, and the last one up to its end.
    before: f64,
    last: f64,
    /// The greatest value of a report in the window; of a total, its greatest rise from one report to the next.
    peak: Option<f64>,
}

impl Own {
    /// Takes the value of a report, which is `inside` the window or before it.
    pub fn take(&mut self, nature: Nature, value: f64, inside: bool) {
        let total = nature == Nature::Total;
        let peak = if total { value - self.last } else { value };
        if total {
            self.last = value;
            if !inside {
                self.before = value;
            }
        }
        if inside {
            self.sum += value;
            self.count += 1;
            self.peak = Some(self.peak.map_or(peak, |most| most.max(peak)));
        }
    }

    /// The mean of a level or an amount, the rise of a total; none without a report in the window.
    pub fn value(&self, nature: Nature) -> Option<f64> {
        (self.count > 0).then(|| match nature {
            Nature::Total => self.last - self.before,
            Nature::Level | Nature::Amount => self.sum / self.count as f64,
        })
    }

    /// The greatest value of a report in the window.
    pub fn peak(&self) -> Option<f64> {
        self.peak
    }
}

/// Figures of the columns of interest.
pub(super) fn summary(
    scan: &mut Scan<'_>,
    metric: Metric,
    tier: Tier,
    span: Span,
) -> Result<(Vec<FieldSummary>, u64), ReadError> {
    let (layout, schema) = (layout(metric), metric.record().schema());
    let places = Places::of(&layout, schema);
    let mut own: HashMap<Key, Vec<Own>> = HashMap::new();
    let mut all: Vec<Distribution> = vec![Distribution::new(3); places.fields.len()];
    let mut groups: BTreeMap<(u64, bool), Vec<Distribution>> = BTreeMap::new();
    let mut rows = 0;
    scan.rows(metric.record(), &places.wanted, |_, row| {
        let key = places.key(row)?;
        if tier.number().is_some_and(|tier| key.tier != Some(tier)) {
            return Ok(());
        }
        rows += 1;
        let at = row.scaled(places.time, 12)?;
        if at > span.to_ps {
            return Ok(());
        }
        let inside = at > span.from_ps;
        let group = key.tier.zip(key.up);
        let own = own
            .entry(key)
            .or_insert_with(|| vec![Own::default(); places.fields.len()]);
        let mut group = group.map(|group| {
            groups
                .entry(group)
                .or_insert_with(|| vec![Distribution::new(3); places.fields.len()])
        });
        for (n, (field, column)) in places.fields.iter().enumerate() {
            let value = row.number(*column)?;
            own[n].take(field.nature, value, inside);
            if field.nature != Nature::Total && inside {
                all[n].add(value);
                if let Some(group) = &mut group {
                    group[n].add(value);
                }
            }
        }
        Ok(())
    })?;
    let columns = places.fields.iter().enumerate().map(|(n, (field, column))| {
        let rise = |fits: &dyn Fn(&Key) -> bool| {
            let risen = own
                .iter()
                .filter(|(key, _)| fits(key))
                .map(|(_, own)| own[n].last - own[n].before);
            risen.fold(Rise::default(), |all, one| Rise {
                count: all.count + 1,
                sum: all.sum + one,
                max: all.max.max(one),
            })
        };
        let total = field.nature == Nature::Total;
        let by_tier = groups.iter().map(|(&(tier, up), group)| GroupSummary {
            tier: tier_name(tier),
            direction: if up { "up" } else { "down" }.to_owned(),
            figures: match total {
                true => Figures::Rise(rise(&|key| key.tier == Some(tier) && key.up == Some(up))),
                false => Figures::Distribution(group[n].statistics()),
            },
        });
        FieldSummary {
            column: field.column,
            unit: schema.columns[*column].unit,
            description: schema.columns[*column].description,
            all: match total {
                true => Figures::Rise(rise(&|_| true)),
                false => Figures::Distribution(all[n].statistics()),
            },
            by_tier: by_tier.collect(),
            worst: worst(&own, n, field.nature),
        }
    });
    Ok((columns.collect(), rows))
}

/// Those with most of column `n`.
fn worst(own: &HashMap<Key, Vec<Own>>, n: usize, nature: Nature) -> Vec<Worst> {
    let mut most: Vec<(f64, &Key)> = own
        .iter()
        .map(|(key, own)| (own[n].value(nature).unwrap_or(0.0), key))
        .filter(|(value, _)| *value > 0.0)
        .collect();
    most.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    most.truncate(WORST);
    let told = most.into_iter().map(|(value, key)| Worst {
        place: key.place(),
        value,
    });
    told.collect()
}

/// What comes together at one point in time.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    sum: f64,
    count: u64,
    max: f64,
}

/// What a series is of: the ports of a tier and direction, or one of them, or everything.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    tier: Option<u64>,
    up: Option<bool>,
    one: Option<String>,
}

/// Series of the columns of interest.
pub(super) fn series(
    scan: &mut Scan<'_>,
    metric: Metric,
    tier: Tier,
    component: Option<&str>,
) -> Result<(TimeSeries, u64), ReadError> {
    let (layout, schema) = (layout(metric), metric.record().schema());
    let places = Places::of(&layout, schema);
    let mut last: HashMap<Key, Vec<f64>> = HashMap::new();
    let mut lines: BTreeMap<Line, Vec<BTreeMap<u64, Point>>> = BTreeMap::new();
    let mut times: BTreeMap<u64, ()> = BTreeMap::new();
    let mut rows = 0;
    scan.rows(metric.record(), &places.wanted, |_, row| {
        let key = places.key(row)?;
        let elsewhere = tier.number().is_some_and(|tier| key.tier != Some(tier));
        if elsewhere || component.is_some_and(|component| *key.name != *component) {
            return Ok(());
        }
        rows += 1;
        let at = row.scaled(places.time, 12)?;
        times.insert(at, ());
        let line = Line {
            tier: key.tier,
            up: key.up,
            one: component.map(|name| match (key.port, key.class) {
                (Some(port), Some(class)) => format!("{name} port {port} class {class}"),
                (Some(port), None) => format!("{name} port {port}"),
                _ => name.to_owned(),
            }),
        };
        let line = lines
            .entry(line)
            .or_insert_with(|| vec![BTreeMap::new(); places.fields.len()]);
        let last = last.entry(key).or_insert_with(|| vec![0.0; places.fields.len()]);
        for (n, (field, column)) in places.fields.iter().enumerate() {
            let mut value = row.number(*column)?;
            if field.nature == Nature::Total {
                value -= std::mem::replace(&mut last[n], value);
            }
            let point = line[n].entry(at).or_default();
            point.sum += value;
            point.count += 1;
            point.max = point.max.max(value);
        }
        Ok(())
    })?;
    let times: Vec<u64> = times.into_keys().collect();
    let mut series = Vec::new();
    for (line, points) in &lines {
        for (n, (field, _)) in places.fields.iter().enumerate() {
            let mut push = |how: &str, merging: Merging, value: &dyn Fn(&Point) -> f64| {
                series.push(Series {
                    name: format!("{how} {}", field.column),
                    tier: line.tier.map(tier_name),
                    direction: line.up.map(|up| if up { "up" } else { "down" }.to_owned()),
                    component: line.one.clone(),
                    application: None,
                    column: field.column,
                    unit: unit(schema, field.column),
                    values: times.iter().map(|at| points[n].get(at).map(value)).collect(),
                    merging,
                });
            };
            match field.nature {
                Nature::Level => {
                    push("mean", Merging::Mean, &|point| point.sum / point.count as f64);
                    push("max", Merging::Max, &|point| point.max);
                }
                // A rate merged is the mean of rates; what is counted adds up.
                Nature::Amount if field.column.contains("rate") => {
                    push("sum", Merging::Mean, &|point| point.sum)
                }
                Nature::Amount => push("sum", Merging::Sum, &|point| point.sum),
                Nature::Total => push("rise", Merging::Sum, &|point| point.sum),
            }
        }
    }
    let series = TimeSeries {
        times_sec: times.into_iter().map(|at| at as f64 / 1e12).collect(),
        series,
        merged: 1,
    };
    Ok((series.thinned(MOST_POINTS), rows))
}

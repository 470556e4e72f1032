//! The figures of every port, NIC or connection.

use super::fields::{Nature, layout};
use super::order::by_place;
use super::periodic::{Own, Places};
use super::place::{Key, Place};
use super::{Metric, Span, Tier, WindowSeconds};
use crate::scan::Scan;
use packetloom_records::ReadError;
use serde::Serialize;
use std::collections::HashMap;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A level or a rate.
    Level,
    /// An amount of a report's interval.
    Amount,
    /// A total since the start.
    Total,
}

impl From<Nature> for Kind {
    fn from(nature: Nature) -> Self {
        match nature {
            Nature::Level => Kind::Level,
            Nature::Amount => Kind::Amount,
            Nature::Total => Kind::Total,
        }
    }
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PortColumn {
    /// Its name.
    pub column: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What it holds.
    pub description: &'static str,
    /// What kind of values these are.
    pub kind: Kind,
}

/// One port, class of a port, NIC or connection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PortFigures {
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// By column: the mean over the reports in the window of a level or amount, the rise in it of a total; none without a report.
    pub values: Vec<Option<f64>>,
    /// By column: the greatest value of one report in the window, of a total its greatest rise from one report to the next.
    pub peaks: Vec<Option<f64>>,
}

/// Figures of all ports in the recording window, tier by tier.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ports {
    /// The part of the run they are of.
    pub window: WindowSeconds,
    /// The columns.
    pub columns: Vec<PortColumn>,
    /// The ports.
    pub ports: Vec<PortFigures>,
}

/// The figures of each port that has a row up to the window's end.
pub(super) fn ports(
    scan: &mut Scan<'_>,
    metric: Metric,
    tier: Tier,
    span: Span,
) -> Result<(Ports, u64), ReadError> {
    let schema = metric.record().schema();
    let places = Places::of(&layout(metric), schema);
    let mut own: HashMap<Key, Vec<Own>> = HashMap::new();
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
        let own = own
            .entry(key)
            .or_insert_with(|| vec![Own::default(); places.fields.len()]);
        for (own, (field, column)) in own.iter_mut().zip(&places.fields) {
            own.take(field.nature, row.number(*column)?, at > span.from_ps);
        }
        Ok(())
    })?;
    let mut own: Vec<(Key, Vec<Own>)> = own.into_iter().collect();
    own.sort_by(|(a, _), (b, _)| by_place(a, b));
    let columns = places.fields.iter().map(|(field, column)| PortColumn {
        column: field.column,
        unit: schema.columns[*column].unit,
        description: schema.columns[*column].description,
        kind: field.nature.into(),
    });
    let ports = own.into_iter().map(|(key, own)| PortFigures {
        place: key.place(),
        values: own
            .iter()
            .zip(&places.fields)
            .map(|(own, (field, _))| own.value(field.nature))
            .collect(),
        peaks: own.iter().map(Own::peak).collect(),
    });
    let ports = Ports {
        window: span.seconds(),
        columns: columns.collect(),
        ports: ports.collect(),
    };
    Ok((ports, rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_peaks_are_of_the_window() {
        // Reports 10 and 30 before the window, then 50, 20 and 80 in it.
        let reports = [
            (10.0, false),
            (30.0, false),
            (50.0, true),
            (20.0, true),
            (80.0, true),
        ];
        let mut level = Own::default();
        for (value, inside) in reports {
            level.take(Nature::Level, value, inside);
        }
        // (50 + 20 + 80) / 3 = 50.
        assert_eq!(
            (level.value(Nature::Level), level.peak()),
            (Some(50.0), Some(80.0))
        );

        // A total of 10 and 30 before the window, then 50, 55 and 80: it rises by 80 - 30, at most by 80 - 55 at once.
        let reports = [
            (10.0, false),
            (30.0, false),
            (50.0, true),
            (55.0, true),
            (80.0, true),
        ];
        let mut total = Own::default();
        for (value, inside) in reports {
            total.take(Nature::Total, value, inside);
        }
        assert_eq!(
            (total.value(Nature::Total), total.peak()),
            (Some(50.0), Some(25.0))
        );

        // Without a report in the window nothing is known.
        let mut before = Own::default();
        before.take(Nature::Total, 7.0, false);
        assert_eq!((before.value(Nature::Total), before.peak()), (None, None));
    }
}

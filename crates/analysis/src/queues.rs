//! How full the buffers of switches were: `scala-switch-agg-buff-stats`.

use crate::applications::text;
use crate::scan::Scan;
use crate::summary::BufferSummary;
use crate::window::Window;
use packetloom_records::{ReadError, Record};
use std::collections::BTreeMap;

/// Name of the record. It is looked up by name, so that a build whose schemas do not have it reads all others.
const RECORD: &str = "scala-switch-agg-buff-stats";

/// How many buffers are told.
const FULLEST: usize = 5;

/// The record, if there is one.
pub(crate) fn record() -> Option<Record> {
    Record::by_name(RECORD)
}

/// The fullest buffers in the intervals that end in `window`, its start left out, and whether there is a file that has no
/// report there.
pub(crate) fn fullest(scan: &mut Scan<'_>, window: Window) -> Result<(Vec<BufferSummary>, bool), ReadError> {
    let (mut read, mut any) = (false, false);
    let mut buffers = Buffers::default();
    let columns = record().and_then(|record| {
        let names = [
            "sim_time_sec",
            "component_name",
            "buff_id",
            "uldl",
            "pool_num",
            "ivl_max_bytes",
            "buffer_limit",
        ];
        let places = names.map(|name| record.schema().find(name));
        Some((record, every(places)?))
    });
    if let Some((record, wanted)) = columns {
        let [time, name, buffer, direction, pool, max, limit] = wanted;
        read = scan.rows(record, &wanted, |_, row| {
            let at = row.scaled(time, 12)?;
            if window.from < at && at <= window.to {
                any = true;
                let key = Key {
                    component: text(row.text(name)),
                    buffer: text(row.text(buffer)),
                    direction: text(row.text(direction)),
                    pool: row.count(pool)?,
                };
                buffers.take(key, row.count(max)?, row.count(limit)?);
            }
            Ok(())
        })?;
    }
    Ok((buffers.fullest(), read && !any))
}

/// All of them, or nothing if one is missing.
fn every<const N: usize>(places: [Option<usize>; N]) -> Option<[usize; N]> {
    places
        .iter()
        .all(Option::is_some)
        .then(|| places.map(Option::unwrap_or_default))
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    component: String,
    buffer: String,
    direction: String,
    pool: u64,
}

/// Greatest use of each buffer, and its limit then.
#[derive(Default)]
struct Buffers(BTreeMap<Key, (u64, u64)>);

impl Buffers {
    fn take(&mut self, key: Key, max: u64, limit: u64) {
        let most = self.0.entry(key).or_insert((max, limit));
        if max > most.0 {
            *most = (max, limit);
        }
    }

    /// The fullest as a share of their limits, those never used left out.
    fn fullest(self) -> Vec<BufferSummary> {
        let buffers = self.0.into_iter().filter(|(_, (max, _))| *max > 0);
        let mut buffers: Vec<BufferSummary> = buffers
            .map(|(key, (max, limit))| BufferSummary {
                component: key.component,
                buffer: key.buffer,
                direction: key.direction,
                pool: key.pool,
                max_bytes: max,
                limit_bytes: limit,
                max_percent: 100.0 * max as f64 / limit.max(1) as f64,
            })
            .collect();
        // Stable: equal ones stay in the order of their names.
        buffers.sort_by(|a, b| b.max_percent.total_cmp(&a.max_percent));
        buffers.truncate(FULLEST);
        buffers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fullest_come_first() {
        let mut buffers = Buffers::default();
        let key = |component: &str, pool| Key {
            component: component.to_owned(),
            buffer: "egressQueue".to_owned(),
            direction: "dl".to_owned(),
            pool,
        };
        for (component, pool, max, limit) in [
            ("a", 0, 10, 100),
            ("a", 0, 30, 100),
            ("a", 0, 20, 100),
            ("a", 1, 40, 50),
            ("b", 0, 0, 100),
        ] {
            buffers.take(key(component, pool), max, limit);
        }
        let fullest = buffers.fullest();
        let figures: Vec<_> = fullest
            .iter()
            .map(|b| (b.pool, b.max_bytes, b.max_percent))
            .collect();
        assert_eq!(
            figures,
            [(1, 40, 80.0), (0, 30, 30.0)],
            "what was never used is not there"
        );
    }

    #[test]
    fn one_missing_column_is_enough() {
        assert_eq!(every([Some(1), Some(0)]), Some([1, 0]));
        assert_eq!(every([Some(1), None]), None);
    }
}

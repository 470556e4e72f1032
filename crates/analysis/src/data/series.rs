//! Values over time.

use serde::Serialize;

/// Most points of a series; neighbours are merged until there are no more.
pub const MOST_POINTS: usize = 65_536;

/// Series over the same points in time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeSeries {
    /// The points, in seconds of simulated time: each the end of an interval.
    pub times_sec: Vec<f64>,
    /// The series.
    pub series: Vec<Series>,
    /// How many neighbours were merged into one point; 1 if none were.
    pub merged: u64,
}

/// A series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// What it shows, such as `mean tx_link_percent_util`.
    pub name: String,
    /// The tier of its ports, if it is of ports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// `up` or `down`: the direction of its ports, if it is of ports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// The switch or host with its port, if it is of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// The application, if it is of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application: Option<String>,
    /// The column it comes from.
    pub column: &'static str,
    /// The unit of its values.
    pub unit: &'static str,
    /// A value for each point; null where there is none.
    pub values: Vec<Option<f64>>,
    /// How neighbours are merged.
    #[serde(skip)]
    pub(super) merging: Merging,
}

/// How values become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merging {
    /// By their mean.
    Mean,
    /// By the greatest.
    Max,
    /// By their sum.
    Sum,
}

impl TimeSeries {
    /// The series with no more than `most` points.
    pub(super) fn thinned(mut self, most: usize) -> Self {
        self.merged = self.merged.max(1);
        while self.times_sec.len() > most.max(1) {
            self.merged *= 2;
            self.times_sec = self
                .times_sec
                .chunks(2)
                .map(|pair| pair[pair.len() - 1])
                .collect();
            for series in &mut self.series {
                series.values = series
                    .values
                    .chunks(2)
                    .map(|pair| merge(series.merging, pair))
                    .collect();
            }
        }
        self
    }
}

fn merge(merging: Merging, values: &[Option<f64>]) -> Option<f64> {
    let known = || values.iter().flatten().copied();
    let count = known().count();
    (count > 0).then(|| match merging {
        Merging::Mean => known().sum::<f64>() / count as f64,
        Merging::Max => known().fold(f64::NEG_INFINITY, f64::max),
        Merging::Sum => known().sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn series(merging: Merging, values: Vec<Option<f64>>) -> TimeSeries {
        TimeSeries {
            times_sec: (1..=values.len()).map(|n| n as f64).collect(),
            series: vec![Series {
                name: String::new(),
                tier: None,
                direction: None,
                component: None,
                application: None,
                column: "",
                unit: "",
                values,
                merging,
            }],
            merged: 1,
        }
    }

    #[test]
    fn neighbours_merge_as_fits() {
        let values = vec![Some(1.0), Some(3.0), None, Some(5.0), None, None, Some(7.0)];
        for (merging, right) in [
            (Merging::Mean, [Some(2.0), Some(5.0), None, Some(7.0)]),
            (Merging::Max, [Some(3.0), Some(5.0), None, Some(7.0)]),
            (Merging::Sum, [Some(4.0), Some(5.0), None, Some(7.0)]),
        ] {
            let thin = series(merging, values.clone()).thinned(4);
            assert_eq!(thin.series[0].values, right);
            assert_eq!((thin.times_sec, thin.merged), (vec![2.0, 4.0, 6.0, 7.0], 2));
        }
        assert_eq!(series(Merging::Sum, values).thinned(7).merged, 1);
    }

    proptest! {
        #[test]
        fn thinning_keeps_sums_and_peaks(values in prop::collection::vec(0u32..1_000, 1..300), most in 1usize..50) {
            let all: Vec<Option<f64>> = values.iter().map(|&v| Some(f64::from(v))).collect();
            let sum = series(Merging::Sum, all.clone()).thinned(most);
            prop_assert!(sum.times_sec.len() <= most);
            prop_assert_eq!(sum.series[0].values.iter().flatten().sum::<f64>(), values.iter().map(|&v| f64::from(v)).sum::<f64>());
            let max = series(Merging::Max, all).thinned(most);
            let peak = max.series[0].values.iter().flatten().fold(0.0, |a: f64, &b| a.max(b));
            prop_assert_eq!(peak, f64::from(*values.iter().max().unwrap()));
        }
    }
}

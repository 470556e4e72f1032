//! Distributions and rises.

use hdrhistogram::Histogram;
use serde::Serialize;

/// How values are distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Statistics {
    /// How many there are.
    pub count: u64,
    /// Least.
    pub min: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// Greatest.
    pub max: f64,
}

/// How much totals rose, over everything that has one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Rise {
    /// How many have one.
    pub count: u64,
    /// All together.
    pub sum: f64,
    /// The most that one has.
    pub max: f64,
}

/// Values on their way to statistics. Sum, least and greatest are exact.
#[derive(Clone, Debug)]
pub(super) struct Distribution {
    /// Of values in thousandths; none if there can be none.
    histogram: Option<Histogram<u64>>,
    count: u64,
    sum: f64,
    min: f64,
    max: f64,
}

/// Steps of the histogram in one unit.
const STEPS: f64 = 1e3;

impl Distribution {
    /// None yet; percentiles will have `digits` significant digits.
    pub fn new(digits: u8) -> Self {
        Distribution {
            histogram: Histogram::new(digits).ok(),
            count: 0,
            sum: 0.0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }

    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        if let Some(histogram) = &mut self.histogram {
            // It grows as it needs to; beyond 2^63 thousandths of anything there is nothing.
            let _ = histogram.record((value.max(0.0) * STEPS).round() as u64);
        }
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    pub fn max(&self) -> Option<f64> {
        (self.count > 0).then_some(self.max)
    }

    /// The value that a part `quantile` of all values does not exceed.
    pub fn quantile(&self, quantile: f64) -> f64 {
        let found = self
            .histogram
            .as_ref()
            .map_or(0, |histogram| histogram.value_at_quantile(quantile));
        (found as f64 / STEPS).clamp(self.min.min(self.max), self.max)
    }

    pub fn statistics(&self) -> Statistics {
        if self.count == 0 {
            return Statistics::default();
        }
        Statistics {
            count: self.count,
            min: self.min,
            mean: self.sum / self.count as f64,
            p50: self.quantile(0.5),
            p90: self.quantile(0.9),
            p99: self.quantile(0.99),
            p999: self.quantile(0.999),
            max: self.max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_values_have_their_percentiles() {
        let mut values = Distribution::new(3);
        for value in 1..=100 {
            values.add(f64::from(value));
        }
        let found = values.statistics();
        assert_eq!(
            (found.count, found.min, found.mean, found.max),
            (100, 1.0, 50.5, 100.0)
        );
        for (found, right) in [
            (found.p50, 50.0),
            (found.p90, 90.0),
            (found.p99, 99.0),
            (found.p999, 100.0),
        ] {
            assert!((found - right).abs() <= right * 1e-3, "{found} for {right}");
        }
        assert_eq!(Distribution::new(3).statistics(), Statistics::default());
    }
}

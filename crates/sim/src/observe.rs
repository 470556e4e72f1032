//! What a partition's nodes observe, kept until the window's end.

use hdrhistogram::Histogram;
use packetloom_des::{Probe, Span, Time};
use packetloom_traffic::generator::Transaction;
use packetloom_traffic::rdma::Completion;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a node tells.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Observation {
    /// A work request has completed.
    Completion(Completion),
    /// A transaction of the traffic generator has completed.
    Transaction(Transaction),
}

impl Observation {
    /// The client instance it is of.
    #[inline]
    pub fn instance(&self) -> u32 {
        match self {
            Observation::Completion(completion) => completion.instance,
            Observation::Transaction(transaction) => transaction.instance,
        }
    }

    /// When what has completed began.
    #[inline]
    pub fn began(&self) -> Time {
        match self {
            Observation::Completion(completion) => completion.posted_at,
            Observation::Transaction(transaction) => transaction.generated_at,
        }
    }
}

/// An observation with its place in the order of rows: time, then node.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Observed {
    /// When.
    pub at: Time,
    /// The engine node that observed it.
    pub node: u32,
    /// What.
    pub what: Observation,
}

/// Watches one partition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Observer {
    /// What was observed in the current window.
    pub observed: Vec<Observed>,
    /// Latency of the recording window, by application.
    pub latency: Vec<LatencyHistogram>,
    /// Application of each instance.
    application_of: std::sync::Arc<[u16]>,
    recording: (Time, Time),
}

impl Observer {
    /// An observer that takes the latency of completions within `recording`, both ends included.
    pub fn new(application_of: std::sync::Arc<[u16]>, applications: usize, recording: (Time, Time)) -> Self {
        Observer {
            observed: Vec::new(),
            latency: vec![LatencyHistogram::default(); applications],
            application_of,
            recording,
        }
    }
}

impl Probe<Observation> for Observer {
    #[inline]
    fn observe(&mut self, at: Time, node: u32, what: Observation) {
        if self.recording.0 <= at && at <= self.recording.1 {
            let application = self.application_of[what.instance() as usize];
            self.latency[application as usize].add(at.since(what.began()));
        } else if matches!(what, Observation::Transaction(_)) {
            // `perf` is of the recording window alone.
            return;
        }
        self.observed.push(Observed { at, node, what });
    }
}

/// A histogram of latencies whose percentiles are right to 0.1 %, with exact extremes and mean.
#[derive(Clone, Debug, Default)]
pub struct LatencyHistogram {
    /// In picoseconds with three significant digits; absent until the first latency.
    histogram: Option<Histogram<u64>>,
    sum: u128,
    min: u64,
    max: u64,
}

impl LatencyHistogram {
    /// Takes one latency.
    #[inline]
    pub fn add(&mut self, latency: Span) {
        self.add_many(latency.ps(), 1);
        self.sum += latency.ps() as u128;
        self.max = self.max.max(latency.ps());
        self.min = if self.count() == 1 {
            latency.ps()
        } else {
            self.min.min(latency.ps())
        };
    }

    fn add_many(&mut self, ps: u64, count: u64) {
        self.histogram
            .get_or_insert_with(|| Histogram::new(3).expect("three digits are allowed"))
            .record_n(ps, count)
            .expect("the histogram grows with its values");
    }

    /// Adds what another partition saw.
    pub fn merge(&mut self, other: &LatencyHistogram) {
        let Some(theirs) = &other.histogram else { return };
        self.min = if self.count() == 0 {
            other.min
        } else {
            self.min.min(other.min)
        };
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        match &mut self.histogram {
            None => self.histogram = Some(theirs.clone()),
            Some(ours) => ours.add(theirs).expect("the histogram grows with its values"),
        }
    }

    /// Number of latencies taken.
    pub fn count(&self) -> u64 {
        self.histogram.as_ref().map_or(0, Histogram::len)
    }

    /// The figures in microseconds; nothing when no latency was taken.
    pub fn summary(&self) -> Option<crate::summary::Latency> {
        let histogram = self.histogram.as_ref()?;
        let us = |ps: u64| ps as f64 / 1e6;
        // A bucket's upper end may lie outside what was seen.
        let quantile = |q| us(histogram.value_at_quantile(q).clamp(self.min, self.max));
        Some(crate::summary::Latency {
            min: us(self.min),
            mean: self.sum as f64 / self.count() as f64 / 1e6,
            p50: quantile(0.5),
            p90: quantile(0.9),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: us(self.max),
        })
    }
}

/// How a histogram is stored: its non-empty buckets.
#[derive(Serialize, Deserialize)]
struct Stored {
    buckets: Vec<(u64, u64)>,
    sum: u128,
    min: u64,
    max: u64,
}

impl Serialize for LatencyHistogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let buckets = self
            .histogram
            .iter()
            .flat_map(|h| h.iter_recorded())
            .map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value()))
            .collect();
        Stored {
            buckets,
            sum: self.sum,
            min: self.min,
            max: self.max,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LatencyHistogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Stored::deserialize(deserializer)?;
        let mut latency = LatencyHistogram {
            histogram: None,
            sum: stored.sum,
            min: stored.min,
            max: stored.max,
        };
        for (value, count) in stored.buckets {
            latency.add_many(value, count);
        }
        Ok(latency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(values: impl IntoIterator<Item = u64>) -> LatencyHistogram {
        let mut latency = LatencyHistogram::default();
        values.into_iter().for_each(|ps| latency.add(Span::from_ps(ps)));
        latency
    }

    #[test]
    fn percentiles_are_right_to_a_thousandth() {
        // 1 to 10,000 us: the q-quantile is q x 10,000 us.
        let summary = histogram((1..=10_000).map(|us| us * 1_000_000))
            .summary()
            .expect("not empty");
        for (found, right) in [
            (summary.p50, 5_000.0),
            (summary.p90, 9_000.0),
            (summary.p99, 9_900.0),
            (summary.p999, 9_990.0),
        ] {
            assert!((found / right - 1.0).abs() <= 0.001, "{found} is not {right}");
        }
        assert_eq!((summary.min, summary.max), (1.0, 10_000.0));
        assert_eq!(summary.mean, 5_000.5);
    }

    #[test]
    fn partitions_merge_to_what_one_would_have_seen() {
        let whole = histogram(1..=1_000);
        let mut parts = histogram(1..=300);
        parts.merge(&histogram(301..=1_000));
        parts.merge(&LatencyHistogram::default());
        assert_eq!(parts.summary(), whole.summary());
        let mut empty = LatencyHistogram::default();
        empty.merge(&whole);
        assert_eq!(empty.summary(), whole.summary());
    }

    #[test]
    fn stored_and_read_back() {
        let latency = histogram((1..=500).map(|n| n * n * 977));
        let bytes = postcard::to_stdvec(&latency).expect("stores");
        let back: LatencyHistogram = postcard::from_bytes(&bytes).expect("reads back");
        assert_eq!(back.summary(), latency.summary());
        assert!(LatencyHistogram::default().summary().is_none());
    }
}

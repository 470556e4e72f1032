//! What applications got done: `application-report`, `rdma-perf` and `perf`.

use crate::scan::{Scan, columns};
use crate::summary::{ApplicationSummary, ConnectionSummary};
use crate::window::Window;
use packetloom_des::Span;
use packetloom_records::read::RowRef;
use packetloom_records::{ReadError, Record, RunFile};
use packetloom_sim::observe::LatencyHistogram;
use packetloom_sim::report::gbps;
use packetloom_sim::summary::GoodputPerPair;
use std::collections::HashMap;

/// How many of the slowest connections are told.
const SLOWEST: usize = 5;
/// The model whose requests have no sizes in the records.
const GENERATOR: &str = "ScalaTrafficGeneratorApplication";
/// What the names of its clients begin with.
const GENERATOR_CLIENT: &str = "TrafficGeneratorClient";

/// Everything about requests and who made them.
pub(crate) struct Applications {
    /// In the order of the document, or in that in which they turned up.
    groups: Vec<Group>,
    connections: Vec<Connection>,
    /// By the name of the client's instance.
    by_name: HashMap<Box<[u8]>, usize>,
    /// Names of hosts by node id.
    hosts: HashMap<u64, Box<str>>,
    /// When the first request was posted, and when the last one completed.
    pub first_posted: Option<u64>,
    pub last_completed: Option<u64>,
}

/// The connections of an application.
struct Group {
    name: String,
    latency: LatencyHistogram,
    completed: u64,
    /// Its rows do not say how much was carried, as those of `perf`; or would not, if it had any.
    without_sizes: bool,
    /// Number of its pairs by what their instances' names have in common.
    pairs: HashMap<Box<str>, usize>,
    /// How many pairs it has, where the file of the run says so.
    pair_count: usize,
    /// First number of its connections, and the one behind its last.
    numbers: Option<(u64, u64)>,
}

impl Group {
    fn new(name: String, pair_count: usize, numbers: Option<(u64, u64)>) -> Self {
        Group {
            name,
            latency: LatencyHistogram::default(),
            completed: 0,
            without_sizes: false,
            pairs: HashMap::new(),
            pair_count,
            numbers,
        }
    }
}

#[derive(Default)]
struct Connection {
    group: usize,
    pair: usize,
    node: Option<u64>,
    peer: Option<u64>,
    /// Of the window.
    recorded: u64,
    bytes: u64,
    latency_sum_ps: u64,
    latency_max_ps: u64,
}

impl Applications {
    /// None yet, but those that the file of the run names.
    pub fn new(run: Option<&RunFile>) -> Self {
        let applications = run.map_or(&[][..], |run| &run.applications);
        let groups = applications.iter().map(|application| {
            let first = application.first_connection;
            let numbers = Some((first, first.saturating_add(application.connections)));
            let mut group = Group::new(application.name.clone(), application.pairs as usize, numbers);
            group.without_sizes = application.model.as_deref() == Some(GENERATOR);
            group
        });
        Applications {
            groups: groups.collect(),
            connections: Vec::new(),
            by_name: HashMap::new(),
            hosts: HashMap::new(),
            first_posted: None,
            last_completed: None,
        }
    }

    /// Reads who talks to whom.
    pub fn read_report(&mut self, scan: &mut Scan<'_>) -> Result<(), ReadError> {
        columns! { ApplicationReport:
            HOST = "component_name",
            NODE = "node_id",
            SOCKET = "socket_type",
            NAME = "app_name",
            PEER = "peer_node_id",
        }
        scan.rows(Record::ApplicationReport, WANTED, |_, row| {
            let node = row.count(NODE)?;
            self.hosts
                .entry(node)
                .or_insert_with(|| text(row.text(HOST)).into());
            if row.text(SOCKET) == b"CLIENT" {
                let connection = self.connection(row.text(NAME));
                self.connections[connection].node = Some(node);
                self.connections[connection].peer = Some(row.count(PEER)?);
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Reads the completed requests. Those that complete in the window are recorded; its ends are open where they are not
    /// known yet.
    pub fn read_perf(&mut self, scan: &mut Scan<'_>, window: Window) -> Result<bool, ReadError> {
        let work_requests = self.read_rdma_perf(scan, window)?;
        let transactions = self.read_tcp_perf(scan, window)?;
        Ok(work_requests || transactions)
    }

    fn read_rdma_perf(&mut self, scan: &mut Scan<'_>, window: Window) -> Result<bool, ReadError> {
        columns! { RdmaPerf:
            TIME = "sim_time_sec",
            LATENCY = "perf_metric_usec",
            SIZE = "transfer_size",
            POSTED = "start_time_sec",
            NAME = "application_name",
            NODE = "node_id",
        }
        scan.rows(Record::RdmaPerf, WANTED, |_, row| {
            let completion = Completion {
                at: row.scaled(TIME, 12)?,
                posted: row.scaled(POSTED, 12)?,
                latency_ps: row.scaled(LATENCY, 6)?,
                bytes: Some(row.count(SIZE)?),
                node: row.count(NODE)?,
            };
            let connection = self.connection(row.text(NAME));
            self.take(connection, completion, window, row)
        })
    }

    fn read_tcp_perf(&mut self, scan: &mut Scan<'_>, window: Window) -> Result<bool, ReadError> {
        columns! { Perf:
            TIME = "sim_time_sec",
            LATENCY = "perf_metric_usec",
            GENERATED = "start_time_sec",
            NAME = "application_name",
            NODE = "node_id",
        }
        scan.rows(Record::Perf, WANTED, |_, row| {
            let completion = Completion {
                at: row.scaled(TIME, 12)?,
                posted: row.scaled(GENERATED, 12)?,
                latency_ps: row.scaled(LATENCY, 6)?,
                bytes: None,
                node: row.count(NODE)?,
            };
            let connection = self.connection(row.text(NAME));
            self.take(connection, completion, window, row)
        })
    }

    fn take(
        &mut self,
        connection: usize,
        completion: Completion,
        window: Window,
        row: RowRef<'_>,
    ) -> Result<(), ReadError> {
        let Completion { at, posted, .. } = completion;
        self.first_posted = Some(self.first_posted.map_or(posted, |first| first.min(posted)));
        self.last_completed = Some(self.last_completed.map_or(at, |last| last.max(at)));
        let connection = &mut self.connections[connection];
        connection.node = Some(completion.node);
        let group = &mut self.groups[connection.group];
        group.completed += 1;
        group.without_sizes |= completion.bytes.is_none();
        if !window.holds(at) {
            return Ok(());
        }
        group.latency.add(Span::from_ps(completion.latency_ps));
        connection.recorded += 1;
        connection.latency_max_ps = connection.latency_max_ps.max(completion.latency_ps);
        let too_much =
            || row.error("the sums of these requests' sizes and latencies are beyond 2^64".to_owned());
        connection.bytes = connection
            .bytes
            .checked_add(completion.bytes.unwrap_or(0))
            .ok_or_else(too_much)?;
        connection.latency_sum_ps = connection
            .latency_sum_ps
            .checked_add(completion.latency_ps)
            .ok_or_else(too_much)?;
        Ok(())
    }

    /// The connection whose client instance has that name.
    fn connection(&mut self, name: &[u8]) -> usize {
        if let Some(&connection) = self.by_name.get(name) {
            return connection;
        }
        let text = text(name);
        let (kind, pair, number) = instance(&text);
        let of_number = |group: &Group| {
            let numbers = group.numbers.zip(number);
            numbers.is_some_and(|((first, end), number)| (first..end).contains(&number))
        };
        let place = self.groups.iter().position(of_number);
        let place = place.or_else(|| {
            let unnumbered = |group: &Group| group.numbers.is_none() && group.name == kind;
            self.groups.iter().position(unnumbered)
        });
        let place = place.unwrap_or_else(|| {
            self.groups.push(Group::new(kind.to_owned(), 0, None));
            self.groups.len() - 1
        });
        let group = &mut self.groups[place];
        group.without_sizes |= kind == GENERATOR_CLIENT;
        let next = group.pairs.len();
        let pair = *group.pairs.entry(pair.into()).or_insert(next);
        let connection = self.connections.len();
        self.connections.push(Connection {
            group: place,
            pair,
            ..Connection::default()
        });
        self.by_name.insert(name.into(), connection);
        connection
    }

    /// The figures of each application over a window of that length.
    pub fn summary(&self, length: Span) -> Vec<ApplicationSummary> {
        let mut bytes: Vec<Vec<u64>> = self
            .groups
            .iter()
            // Pairs that are in no record at all have done nothing.
            .map(|group| vec![0; group.pairs.len().max(group.pair_count)])
            .collect();
        let mut recorded = bytes.clone();
        for connection in &self.connections {
            let sum = &mut bytes[connection.group][connection.pair];
            *sum = sum.saturating_add(connection.bytes);
            recorded[connection.group][connection.pair] += connection.recorded;
        }
        let groups = self.groups.iter().zip(bytes.iter().zip(&recorded));
        groups
            .map(|(group, (bytes, recorded))| {
                let rates: Vec<f64> = bytes.iter().map(|&bytes| gbps(bytes, length)).collect();
                let goodput_gbps = gbps(bytes.iter().copied().fold(0, u64::saturating_add), length);
                ApplicationSummary {
                    name: group.name.clone(),
                    pairs: bytes.len() as u64,
                    silent_pairs: recorded.iter().filter(|&&n| n == 0).count() as u64,
                    completed: group.completed,
                    recorded: recorded.iter().sum(),
                    goodput_gbps: (!group.without_sizes).then_some(goodput_gbps),
                    goodput_per_pair_gbps: (!group.without_sizes).then(|| GoodputPerPair {
                        min: rates.iter().copied().reduce(f64::min).unwrap_or(0.0),
                        mean: if rates.is_empty() {
                            0.0
                        } else {
                            goodput_gbps / rates.len() as f64
                        },
                        max: rates.iter().copied().reduce(f64::max).unwrap_or(0.0),
                    }),
                    fairness: fairness(bytes),
                    latency_us: group.latency.summary(),
                }
            })
            .collect()
    }

    /// The connections with the greatest mean latency over a window of that length, slowest first.
    pub fn slowest(&self, length: Span) -> Vec<ConnectionSummary> {
        let mut names: Vec<(&[u8], &Connection)> = self
            .by_name
            .iter()
            .map(|(name, &at)| (&**name, &self.connections[at]))
            .filter(|(_, connection)| connection.recorded > 0)
            .collect();
        let mean =
            |connection: &Connection| connection.latency_sum_ps as f64 / connection.recorded as f64 / 1e6;
        names.sort_by(|a, b| mean(b.1).total_cmp(&mean(a.1)).then_with(|| a.0.cmp(b.0)));
        names.truncate(SLOWEST);
        let host = |node: Option<u64>| {
            node.and_then(|node| self.hosts.get(&node))
                .map(|name| name.to_string())
        };
        names
            .into_iter()
            .map(|(name, connection)| ConnectionSummary {
                instance: text(name),
                host: host(connection.node),
                peer_host: host(connection.peer),
                recorded: connection.recorded,
                goodput_gbps: (!self.groups[connection.group].without_sizes)
                    .then(|| gbps(connection.bytes, length)),
                latency_mean_us: mean(connection),
                latency_max_us: connection.latency_max_ps as f64 / 1e6,
            })
            .collect()
    }
}

/// A completed request.
struct Completion {
    at: u64,
    posted: u64,
    latency_ps: u64,
    /// Its payload, where the record tells.
    bytes: Option<u64>,
    node: u64,
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What an instance's name, `{kind}-P:{pod}-R:{rack}-S:{server}-R:{peer}-C:{connection}-{number}`, says: its kind, what the
/// connections of a pair have in common, and its number.
fn instance(name: &str) -> (&str, &str, Option<u64>) {
    let kind = name.split_once("-P:").map_or(name, |(kind, _)| kind);
    match name.rsplit_once("-C:") {
        Some((pair, rest)) => {
            let number = rest.rsplit_once('-').and_then(|(_, number)| number.parse().ok());
            (kind, pair, number)
        }
        None => (kind, name, None),
    }
}

/// Jain's index: the square of the sum over the number times the sum of squares.
fn fairness(shares: &[u64]) -> Option<f64> {
    let sum: f64 = shares.iter().map(|&share| share as f64).sum();
    let squares: f64 = shares.iter().map(|&share| (share as f64).powi(2)).sum();
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_are_known_by_the_name_of_their_model() {
        use packetloom_config::scenario::ApplicationKind;
        assert_eq!(ApplicationKind::Generator.model(), GENERATOR);
        assert_ne!(ApplicationKind::Rdma.model(), GENERATOR);
    }

    #[test]
    fn names_of_instances_are_taken_apart() {
        assert_eq!(
            instance("RdmaInitiator-P:0-R:3-S:24-R:1-C:2-1554"),
            ("RdmaInitiator", "RdmaInitiator-P:0-R:3-S:24-R:1", Some(1554))
        );
        assert_eq!(instance("mine"), ("mine", "mine", None));
        assert_eq!(instance("a-C:x"), ("a-C:x", "a", None));
    }

    #[test]
    fn fairness_is_jains_index() {
        assert_eq!(fairness(&[7, 7, 7]), Some(1.0));
        assert_eq!(fairness(&[9, 0, 0]), Some(1.0 / 3.0));
        // (1 + 3)^2 / (2 x (1 + 9)) = 16 / 20.
        assert_eq!(fairness(&[1, 3]), Some(0.8));
        assert_eq!(fairness(&[0, 0]), None);
        assert_eq!(fairness(&[]), None);
    }
}

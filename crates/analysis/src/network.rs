//! What ports carried and dropped: `topology-report`, `nd-stats` and `tier-hop`.

use crate::applications::text;
use crate::scan::{Scan, columns};
use crate::summary::{Counter, TierSummary};
use crate::window::{Reports, Totals, Window};
use packetloom_des::{Rate, Span};
use packetloom_records::{ReadError, Record};
use packetloom_sim::report::percent;
use packetloom_sim::summary::TierUtilization;
use std::collections::{BTreeMap, HashMap};

/// Number of the tier of NICs.
const NIC: u64 = 3;

/// Name of a tier.
pub(crate) fn tier_name(tier: u64) -> String {
    match tier {
        0 => "spine".to_owned(),
        1 => "fabric".to_owned(),
        2 => "rack".to_owned(),
        NIC => "nic".to_owned(),
        other => format!("tier {other}"),
    }
}

/// Ports by node id and number.
#[derive(Default)]
pub(crate) struct Network {
    ports: HashMap<(u64, u64), Port>,
    /// Rates of links, as the topology tells them, by the ports at both ends.
    rates: HashMap<(u64, u64), u64>,
    /// Packets that switches of each tier sent, of each shard.
    hops: BTreeMap<u32, Totals<3>>,
    /// Whether there is a file of ports.
    pub read: bool,
    /// Whether there is a file of tiers.
    pub read_hops: bool,
    /// Whether reports of ports tell of the window.
    pub known: bool,
    /// Whether those of tiers do.
    pub hops_known: bool,
}

struct Port {
    name: Box<str>,
    tier: u64,
    up: bool,
    rate_bps: Option<u64>,
    totals: Totals<5>,
}

// What the totals of a port are.
const SENT: usize = 0;
const RECEIVED: usize = 1;
const SENT_BYTES: usize = 2;
const SEND_DROPS: usize = 3;
const RECEIVE_DROPS: usize = 4;

impl Network {
    /// Reads how fast links are.
    pub fn read_topology(&mut self, scan: &mut Scan<'_>) -> Result<(), ReadError> {
        columns! { TopologyReport:
            NODE = "node_id",
            PORT = "dev_id",
            PEER_NODE = "peer_node_id",
            PEER_PORT = "peer_dev_id",
            RATE = "linkspeed_Gbps",
        }
        scan.rows(Record::TopologyReport, WANTED, |_, row| {
            let rate = row.scaled(RATE, 9)?;
            self.rates.insert((row.count(NODE)?, row.count(PORT)?), rate);
            self.rates
                .insert((row.count(PEER_NODE)?, row.count(PEER_PORT)?), rate);
            Ok(())
        })?;
        Ok(())
    }

    /// Reads the reports of ports.
    pub fn read_ports(
        &mut self,
        scan: &mut Scan<'_>,
        window: Window,
        reports: &mut Reports,
    ) -> Result<(), ReadError> {
        columns! { NdStats:
            TIME = "sim_time_sec",
            NAME = "component_name",
            PORT = "ifid",
            DIRECTION = "uldl",
            NODE = "node_id",
            TIER = "tier",
            PACKETS_TX = "total_packets_tx",
            PACKETS_RX = "total_packets_rx",
            BYTES_TX = "total_bytes_tx_GB",
            RATE_TX = "tx_rate_Gbps",
            SHARE_TX = "tx_link_percent_util",
            DROPS_TX = "tx_drops",
            DROPS_RX = "rx_drops",
        }
        let rates = &self.rates;
        let ports = &mut self.ports;
        self.read = scan.rows(Record::NdStats, WANTED, |_, row| {
            let at = row.scaled(TIME, 12)?;
            reports.take(window, at);
            let key = (row.count(NODE)?, row.count(PORT)?);
            let tier = row.count(TIER)?;
            let port = ports.entry(key).or_insert_with(|| Port {
                name: format!("{} port {}", text(row.text(NAME)), key.1).into(),
                tier,
                up: row.text(DIRECTION) == b"ul",
                rate_bps: rates.get(&key).copied(),
                totals: Totals::default(),
            });
            if port.rate_bps.is_none() {
                port.rate_bps = link_rate(row.number(RATE_TX)?, row.number(SHARE_TX)?);
            }
            let values = [
                row.count(PACKETS_TX)?,
                row.count(PACKETS_RX)?,
                row.scaled(BYTES_TX, 9)?,
                row.count(DROPS_TX)?,
                row.count(DROPS_RX)?,
            ];
            port.totals.take(window, at, values, row)
        })?;
        self.known = self.read && reports.known(window).is_some();
        Ok(())
    }

    /// Reads how many packets each tier sent.
    pub fn read_tiers(
        &mut self,
        scan: &mut Scan<'_>,
        window: Window,
        reports: &mut Reports,
    ) -> Result<(), ReadError> {
        columns! { TierHop:
            TIME = "sim_time_sec",
            SPINE = "spine",
            FABRIC = "fabric",
            RACK = "rack",
        }
        self.read_hops = scan.rows(Record::TierHop, WANTED, |input, row| {
            let at = row.scaled(TIME, 12)?;
            reports.take(window, at);
            let values = [row.count(SPINE)?, row.count(FABRIC)?, row.count(RACK)?];
            let totals = self.hops.entry(input.name.shard).or_default();
            totals.take(window, at, values, row)
        })?;
        self.hops_known = self.read_hops && reports.known(window).is_some();
        Ok(())
    }

    /// Ports in the order of their nodes and numbers.
    fn sorted(&self) -> Vec<&Port> {
        let mut ports: Vec<_> = self.ports.iter().collect();
        ports.sort_by_key(|(key, _)| **key);
        ports.into_iter().map(|(_, port)| port).collect()
    }

    /// How busy the ports of each tier and direction were between the reports around the window; nothing of ports for which
    /// these are one report.
    pub fn utilization(&self) -> Vec<TierUtilization> {
        let mut rows: Vec<TierUtilization> = Vec::new();
        for port in self.sorted() {
            let length = Span::from_ps(port.totals.length());
            if length == Span::ZERO {
                continue;
            }
            let (tier, direction) = (tier_name(port.tier), if port.up { "up" } else { "down" });
            let same = |row: &TierUtilization| row.tier == tier && row.direction == direction;
            let place = rows.iter().position(same).unwrap_or_else(|| {
                rows.push(TierUtilization {
                    tier: tier.clone(),
                    direction: direction.to_owned(),
                    ..TierUtilization::default()
                });
                rows.len() - 1
            });
            // The rate of a port that never sent is not known and makes no difference.
            let rate = Rate::from_bps(port.rate_bps.unwrap_or(u64::MAX).max(1));
            let share = percent(port.totals.in_window()[SENT_BYTES], length, rate);
            let row = &mut rows[place];
            row.ports += 1;
            // A sum for now; a mean once all ports are in.
            row.mean_percent += share;
            if share > row.max_percent || row.busiest.is_empty() {
                row.max_percent = share;
                row.busiest = port.name.to_string();
            }
        }
        for row in &mut rows {
            row.mean_percent /= row.ports as f64;
        }
        rows
    }

    /// What each tier's ports sent, received and dropped in the window.
    pub fn tiers(&self) -> BTreeMap<u64, TierSummary> {
        let mut tiers: BTreeMap<u64, TierSummary> = BTreeMap::new();
        if self.known {
            for port in self.ports.values() {
                let totals = port.totals.in_window();
                let tier = tiers.entry(port.tier).or_default();
                add(tier.packets_sent.get_or_insert(0), totals[SENT]);
                add(tier.packets_received.get_or_insert(0), totals[RECEIVED]);
                add(tier.packets_dropped.get_or_insert(0), drops(totals));
            }
        } else if self.hops_known {
            for totals in self.hops.values() {
                for (tier, packets) in (0..).zip(totals.in_window()) {
                    // The record has a column for every tier, though there be none.
                    if totals.last[tier as usize] > 0 {
                        let sent = &mut tiers.entry(tier).or_default().packets_sent;
                        add(sent.get_or_insert(0), packets);
                    }
                }
            }
        }
        for (number, tier) in &mut tiers {
            tier.tier = tier_name(*number);
        }
        tiers
    }

    /// Packets dropped by switches, and by NICs.
    pub fn drops(&self) -> [Option<Counter>; 2] {
        let mut counted = [(); 2].map(|()| (!self.ports.is_empty()).then(|| Most::new(self.known)));
        for port in self.sorted() {
            if let Some(most) = &mut counted[usize::from(port.tier == NIC)] {
                most.add(
                    drops(port.totals.in_window()),
                    drops(port.totals.last),
                    &port.name,
                );
            }
        }
        counted.map(|most| most.map(Most::counter))
    }
}

/// Adds without running over: a damaged file may hold any number.
pub(crate) fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

/// What a port dropped, both ways.
fn drops(totals: [u64; 5]) -> u64 {
    totals[SEND_DROPS].saturating_add(totals[RECEIVE_DROPS])
}

/// The rate of a link, in bits per second to the megabit, from the rate of sending in Gbps and its share in percent.
fn link_rate(gbps: f64, percent: f64) -> Option<u64> {
    let megabits = (gbps / percent * 1e5).round();
    (percent > 0.0 && megabits.is_finite()).then(|| megabits as u64 * 1_000_000)
}

/// Adds up a counter over places and remembers where most was counted.
pub(crate) struct Most {
    counter: Counter,
    most: u64,
}

impl Most {
    /// Of a record whose reports tell of the window, or do not.
    pub fn new(known: bool) -> Self {
        Most {
            counter: Counter {
                window: known.then_some(0),
                ..Counter::default()
            },
            most: 0,
        }
    }

    /// Adds what `name` counted in the window and in the run.
    pub fn add(&mut self, window: u64, run: u64, name: &str) {
        if let Some(sum) = &mut self.counter.window {
            add(sum, window);
        }
        self.counter.run = self.counter.run.saturating_add(run);
        if run > self.most {
            self.most = run;
            self.counter.most_at = Some(name.to_owned());
        }
    }

    pub fn counter(self) -> Counter {
        self.counter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_a_link_follows_from_its_load() {
        // The published example row of nd-stats: 0.584496 Gbps are 0.073062 % of 800 Gbps.
        assert_eq!(link_rate(0.584496, 0.073062), Some(800_000_000_000));
        assert_eq!(link_rate(0.0, 0.0), None);
        assert_eq!(link_rate(21.3, 21.3 / 4.0), Some(400_000_000_000));
    }

    #[test]
    fn the_place_with_most_is_named() {
        let mut most = Most::new(true);
        for (window, run, name) in [(0, 0, "a"), (1, 5, "b"), (3, 5, "c"), (0, 4, "d")] {
            most.add(window, run, name);
        }
        let counter = most.counter();
        assert_eq!((counter.window, counter.run), (Some(4), 14));
        assert_eq!(counter.most_at.as_deref(), Some("b"), "the first of equal ones");
    }
}

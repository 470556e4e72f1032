//! What PFC held back: `ecn-pfc-stats`.

use crate::applications::text;
use crate::network::{Most, add, tier_name};
use crate::scan::{Scan, columns};
use crate::summary::{Counter, MostPaused, TierSummary};
use crate::window::{Reports, Totals, Window};
use packetloom_des::Span;
use packetloom_records::{ReadError, Record};
use std::collections::{BTreeMap, HashMap};

/// Classes of ports, by node id, port and class.
#[derive(Default)]
pub(crate) struct Pauses {
    classes: HashMap<(u64, u64, u64), Class>,
    read: bool,
}

struct Class {
    port: Box<str>,
    tier: u64,
    totals: Totals<4>,
}

// What the totals of a class are.
const SENT: usize = 0;
const RECEIVED: usize = 1;
const PAUSED_PS: usize = 2;
const MARKED: usize = 3;

impl Pauses {
    pub fn read(
        &mut self,
        scan: &mut Scan<'_>,
        window: Window,
        reports: &mut Reports,
    ) -> Result<(), ReadError> {
        columns! { EcnPfcStats:
            TIME = "sim_time_sec",
            NODE = "node_id",
            NAME = "component_name",
            PORT = "ifid",
            TIER = "tier",
            CLASS = "priority",
            PAUSES_TX = "pfcxoff_tx",
            PAUSES_RX = "pfcxoff_rx",
            PAUSED = "pfc_time_paused_usec",
            ECN = "pkts_ecn_marked",
        }
        let classes = &mut self.classes;
        self.read = scan.rows(Record::EcnPfcStats, WANTED, |_, row| {
            let at = row.scaled(TIME, 12)?;
            reports.take(window, at);
            let key = (row.count(NODE)?, row.count(PORT)?, row.count(CLASS)?);
            let tier = row.count(TIER)?;
            let class = classes.entry(key).or_insert_with(|| Class {
                port: format!("{} port {}", text(row.text(NAME)), key.1).into(),
                tier,
                totals: Totals::default(),
            });
            let values = [
                row.count(PAUSES_TX)?,
                row.count(PAUSES_RX)?,
                row.scaled(PAUSED, 6)?,
                row.count(ECN)?,
            ];
            class.totals.take(window, at, values, row)
        })?;
        Ok(())
    }

    fn sorted(&self) -> Vec<(&(u64, u64, u64), &Class)> {
        let mut classes: Vec<_> = self.classes.iter().collect();
        classes.sort_by_key(|(key, _)| **key);
        classes
    }

    /// Adds pauses in a window of that length to what is known of the tiers.
    pub fn add_to(&self, tiers: &mut BTreeMap<u64, TierSummary>, length: Span) {
        if !self.read {
            return;
        }
        for tier in tiers.values_mut() {
            (tier.pauses_sent, tier.pauses_received, tier.paused_us) = (Some(0), Some(0), Some(0.0));
        }
        let mut paused_ps: BTreeMap<u64, u64> = BTreeMap::new();
        for (&(_, _, number), class) in self.sorted() {
            let totals = class.totals.in_window();
            let tier = tiers.entry(class.tier).or_insert_with(|| TierSummary {
                tier: tier_name(class.tier),
                ..TierSummary::default()
            });
            add(tier.pauses_sent.get_or_insert(0), totals[SENT]);
            add(tier.pauses_received.get_or_insert(0), totals[RECEIVED]);
            let sum = paused_ps.entry(class.tier).or_default();
            add(sum, totals[PAUSED_PS]);
            tier.paused_us = Some(us(*sum));
            let longest = tier.most_paused.as_ref().map_or(0.0, |most| most.paused_us);
            if us(totals[PAUSED_PS]) > longest {
                tier.most_paused = Some(MostPaused {
                    port: class.port.to_string(),
                    class: number,
                    paused_us: us(totals[PAUSED_PS]),
                    percent: 100.0 * totals[PAUSED_PS] as f64 / length.ps().max(1) as f64,
                });
            }
        }
    }

    /// Pauses sent and packets marked.
    pub fn counters(&self) -> [Option<Counter>; 2] {
        [SENT, MARKED].map(|which| {
            self.read.then(|| {
                let mut most = Most::default();
                // Classes of a port count together: they follow one another.
                let classes = self.sorted();
                for port in classes.chunk_by(|(a, _), (b, _)| (a.0, a.1) == (b.0, b.1)) {
                    let sum = |figure: fn(&Totals<4>) -> [u64; 4]| {
                        port.iter()
                            .map(|(_, class)| figure(&class.totals)[which])
                            .fold(0, u64::saturating_add)
                    };
                    most.add(sum(Totals::in_window), sum(|totals| totals.last), &port[0].1.port);
                }
                most.counter()
            })
        })
    }
}

fn us(ps: u64) -> f64 {
    ps as f64 / 1e6
}

//! What PFC held back: `ecn-pfc-stats`.

use crate::applications::text;
use crate::network::{Most, add, tier_name};
use crate::scan::{Scan, columns};
use crate::summary::{Counter, MostPaused, TierSummary};
use crate::window::{Reports, Totals, Window};
use packetloom_records::{ReadError, Record};
use std::collections::{BTreeMap, HashMap};

/// Classes of ports, by node id, port and class.
#[derive(Default)]
pub(crate) struct Pauses {
    classes: HashMap<(u64, u64, u64), Class>,
    /// Whether there is a file.
    pub read: bool,
    /// The reports around the window, if they tell of it.
    pub known: Option<Window>,
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

    /// Finds the reports around the window. The record leaves out classes in which nothing has happened yet, and so whole
    /// reports: `own` are those with a row, `others` those of the records that report at the same times. Without these, the
    /// times of reports without a row follow from those with one.
    pub fn settle(&mut self, window: Window, own: &mut Reports, others: &Reports) {
        if !self.read {
            return;
        }
        if others.last().is_some() {
            own.join(window, others);
        } else {
            own.fill_in(window);
        }
        self.known = own.known(window);
    }

    /// What a class counted in the window.
    fn in_window(&self, class: &Class) -> [u64; 4] {
        self.known
            .map_or([0; 4], |known| class.totals.in_window_until(known.to))
    }

    fn sorted(&self) -> Vec<(&(u64, u64, u64), &Class)> {
        let mut classes: Vec<_> = self.classes.iter().collect();
        classes.sort_by_key(|(key, _)| **key);
        classes
    }

    /// Adds pauses in the window to what is known of the tiers.
    pub fn add_to(&self, tiers: &mut BTreeMap<u64, TierSummary>) {
        let Some(known) = self.known else {
            return;
        };
        let length = known.to - known.from;
        for tier in tiers.values_mut() {
            (tier.pauses_sent, tier.pauses_received, tier.paused_us) = (Some(0), Some(0), Some(0.0));
        }
        let mut paused_ps: BTreeMap<u64, u64> = BTreeMap::new();
        for (&(_, _, number), class) in self.sorted() {
            let totals = self.in_window(class);
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
                    percent: (length > 0).then(|| 100.0 * totals[PAUSED_PS] as f64 / length as f64),
                });
            }
        }
    }

    /// Pauses sent and packets marked.
    pub fn counters(&self) -> [Option<Counter>; 2] {
        [SENT, MARKED].map(|which| {
            // A file without rows says that nothing happened only where something else says that there were reports.
            let told = self.known.is_some() || !self.classes.is_empty();
            told.then(|| {
                let mut most = Most::new(self.known.is_some());
                // Classes of a port count together: they follow one another.
                let classes = self.sorted();
                for port in classes.chunk_by(|(a, _), (b, _)| (a.0, a.1) == (b.0, b.1)) {
                    let (mut in_window, mut run) = (0, 0);
                    for (_, class) in port {
                        add(&mut in_window, self.in_window(class)[which]);
                        add(&mut run, class.totals.last[which]);
                    }
                    most.add(in_window, run, &port[0].1.port);
                }
                most.counter()
            })
        })
    }
}

fn us(ps: u64) -> f64 {
    ps as f64 / 1e6
}

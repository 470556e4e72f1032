//! The flow-level network in time.
//!
//! A transfer first spends its route's latency and uses no bandwidth; then it shares the links with the others until its bytes
//! are through. How they share is SimGrid's model CM02: max-min fair with the weight 1 / latency, each transfer bounded by
//! TCP's window over the round trip, and with cross-traffic each also taking 5 % of its rate on the links of its reverse route.
//!
//! - `paths`: links and paths, and the transfers that share on each
//! - `redundant`: links that cannot hold anything up
//! - `solver`: the rates; `crowd`: the rates of many
//! - `heap`: what is due when; `activities`: what waits there
//! - `changes`: what profiles do to links
//! - `twofold`: sums that lose nothing to rounding

mod activities;
mod changes;
mod crowd;
mod heap;
#[cfg(debug_assertions)]
mod invariants;
mod paths;
mod redundant;
mod solver;
#[cfg(test)]
mod tests;
mod twofold;

pub use activities::SleepId;
pub use paths::PathId;

use crate::link::{Link, LinkId, NetworkSettings};
use activities::{Activities, Activity, Kind};
use changes::{Change, Changed, Changes};
use heap::{Heap, Name, Named};
use paths::{Member, Paths};
use solver::Solver;

/// How an activity ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All bytes are through, or the time is over
    Done,
    /// A link on the way, or with cross-traffic on the way back, went down or was down at the start
    Failed,
}

/// An activity that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// What it was started with
    pub token: u64,
    /// How it ended
    pub outcome: Outcome,
}

/// What is due within one date, until it is put in order.
#[derive(Clone, Copy, Debug)]
struct Due {
    date: f64,
    sequence: u64,
    ended: Ended,
}

/// Links over which transfers share bandwidth in simulated time, and sleeps beside them.
///
/// ```
/// use packetloom_flow::{Link, LinkId, Network, NetworkSettings, Outcome, Sharing};
///
/// let wire = |name: &str| Link {
///     name: name.into(),
///     bandwidth: 11.1e9,
///     latency: 500e-9,
///     sharing: Sharing::Shared,
///     bandwidth_profile: None,
///     latency_profile: None,
///     state_profile: None,
/// };
/// let mut network = Network::new(&[wire("left"), wire("right")], &NetworkSettings::default());
/// let way = [LinkId(0), LinkId(1)];
/// let path = network.path(&way, &[LinkId(1), LinkId(0)]);
/// network.transfer(path, 8, 42);
/// let mut ended = Vec::new();
/// assert!(network.advance(&mut ended));
/// assert_eq!((ended[0].token, ended[0].outcome), (42, Outcome::Done));
/// // 1000 ns, then 8 B at 11.1 / 1.05 GB/s: the reverse route is over the same links.
/// assert!((network.now() - 1000.756757e-9).abs() < 1e-15);
/// assert!(!network.advance(&mut ended));
/// ```
#[derive(Debug)]
pub struct Network {
    now: f64,
    precision: f64,
    bandwidth_factor: f64,
    paths: Paths,
    solver: Solver,
    activities: Activities,
    heap: Heap,
    changes: Changes,
    due: Vec<Due>,
    /// Transfers whose latency is over now
    joining: Vec<u32>,
    /// Transfers of the crowd that end now, with their dates and paths
    gone: Vec<(Member, f64, u32)>,
}

impl Network {
    /// A network of `links` at time 0, with what profiles say at time 0 already in force.
    pub fn new(links: &[Link], settings: &NetworkSettings) -> Self {
        let mut network = Self {
            now: 0.0,
            precision: settings.precision,
            bandwidth_factor: settings.bandwidth_factor,
            paths: Paths::new(links, settings),
            solver: Solver::default(),
            activities: Activities::default(),
            heap: Heap::default(),
            changes: Changes::new(links),
            due: Vec::new(),
            joining: Vec::new(),
            gone: Vec::new(),
        };
        network.change(0.0);
        network
    }

    /// The simulated time in seconds.
    pub fn now(&self) -> f64 {
        self.now
    }

    /// How many transfers and sleeps have not ended.
    pub fn pending(&self) -> usize {
        self.activities.len()
    }

    /// The path over the links of `forward`, whose reverse route is over those of `backward`. The same links give the same
    /// path, so it may be asked for again and again; without cross-traffic `backward` does not matter.
    ///
    /// # Panics
    ///
    /// If a link is not one of the network's.
    pub fn path(&mut self, forward: &[LinkId], backward: &[LinkId]) -> PathId {
        self.paths.intern(forward, backward)
    }

    /// The sum of the latencies of a path's links, in seconds, as they are now.
    pub fn path_latency(&self, path: PathId) -> f64 {
        self.paths.paths[path.0 as usize].latency
    }

    /// Starts a transfer of `bytes` over `path`.
    ///
    /// Without bytes it ends when the latency is over, over no links at the same date. A link that is down makes it fail at the
    /// same date. Both are told by the next [`advance`](Self::advance).
    #[inline]
    pub fn transfer(&mut self, path: PathId, bytes: u64, token: u64) {
        let way = &self.paths.paths[path.0 as usize];
        let (start, down, empty) = (way.start, way.down, way.is_empty());
        let kind = if down {
            Kind::Doomed
        } else if empty || bytes == 0 {
            Kind::Wait
        } else {
            Kind::Latency
        };
        let slot = self.activities.start(Activity::new(token, kind, path.0, bytes));
        if down {
            self.heap.set(Name::activity(slot), self.now);
        } else if start > 0.0 || kind == Kind::Wait {
            self.heap.set(Name::activity(slot), self.now + start);
        } else {
            self.share(slot);
        }
    }

    /// Starts a sleep of `span` seconds. A span below the precision counts as the precision; one of 0, or less, ends at the
    /// same date.
    #[inline]
    pub fn sleep(&mut self, span: f64, token: u64) -> SleepId {
        debug_assert!(span.is_finite(), "a sleep of {span} s never ends");
        let span = if span > 0.0 { span.max(self.precision) } else { 0.0 };
        let slot = self
            .activities
            .start(Activity::new(token, Kind::Sleep, u32::MAX, 0));
        self.heap.set(Name::activity(slot), self.now + span);
        self.activities.sleep_id(slot)
    }

    /// Ends a sleep without telling: it is as if it had never been started. False if it has ended already.
    #[inline]
    pub fn cancel_sleep(&mut self, sleep: SleepId) -> bool {
        let Some(slot) = self.activities.slot_of(sleep) else {
            return false;
        };
        self.heap.remove(Name::activity(slot));
        self.activities.end(slot);
        true
    }

    /// The next date at which something happens to an activity, be it only that its latency is over or a link changes.
    pub fn next_date(&mut self) -> Option<f64> {
        if self.pending() == 0 {
            return None;
        }
        self.share_out();
        match (self.due_date(), self.changes.date()) {
            (Some(due), Some(change)) => Some(due.min(change)),
            (None, change) => change.filter(|_| self.will_go_on()),
            (due, None) => due,
        }
    }

    /// Moves time on until activities end, and puts these into `ended` (which is cleared first): those due earlier first, those
    /// due at the same date in the order of their starts. What is due less than the precision after the first ends with it.
    ///
    /// False, and nothing in `ended`, when nothing will ever end: when nothing is pending, or only transfers over links whose
    /// bandwidth is 0 for good. What profiles have left to say does not count.
    pub fn advance(&mut self, ended: &mut Vec<Ended>) -> bool {
        ended.clear();
        while self.pending() > 0 {
            self.share_out();
            let due = self.due_date();
            match self.changes.date() {
                Some(date) if due.is_none_or(|due| date <= due) => {
                    if due.is_none() && !self.will_go_on() {
                        return false;
                    }
                    self.go_to(date);
                    self.change(date);
                }
                _ => {
                    let Some(due) = due else { return false };
                    self.go_to(due);
                }
            }
            self.happen();
            if !self.due.is_empty() {
                if self.due.len() > 1 {
                    let order =
                        |a: &Due, b: &Due| a.date.total_cmp(&b.date).then(a.sequence.cmp(&b.sequence));
                    self.due.sort_unstable_by(order);
                }
                ended.extend(self.due.drain(..).map(|d| d.ended));
                return true;
            }
        }
        false
    }

    /// The date of what ends or begins to share first, at rates worked out.
    #[inline]
    fn due_date(&self) -> Option<f64> {
        let date = self.heap.date();
        if !self.solver.crowd.on {
            return date;
        }
        match (date, self.solver.crowd.date()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn go_to(&mut self, date: f64) {
        debug_assert!(date >= self.now, "time goes back from {} to {date}", self.now);
        self.now = date;
    }

    #[inline]
    fn share_out(&mut self) {
        self.solver
            .solve(&mut self.paths, &mut self.heap, self.now, self.bandwidth_factor);
    }

    /// All that is due now or less than the precision after.
    #[inline]
    fn happen(&mut self) {
        let (now, precision) = (self.now, self.precision);
        let is_due = |date: f64| date - now < precision || date <= now;
        while self.heap.date().is_some_and(is_due) {
            let (date, name) = self.heap.pop().expect("it has a date");
            match name.what() {
                Named::Activity(slot) => match self.activities.get(slot).kind {
                    // It has no rate before all is shared anew, so it cannot end with what else is due now.
                    Kind::Latency => self.joining.push(slot),
                    Kind::Doomed => self.end(slot, date, Outcome::Failed),
                    Kind::Wait | Kind::Sleep => self.end(slot, date, Outcome::Done),
                    Kind::Sharing | Kind::Free => unreachable!("only what waits for a date has one"),
                },
                Named::Path(path) => {
                    while let Some(member) = self.paths.paths[path as usize].members().first().copied() {
                        let way = &mut self.paths.paths[path as usize];
                        let date = way.end_of(&member);
                        if !is_due(date) {
                            break;
                        }
                        self.paths.leave(path);
                        self.end(member.slot, date, Outcome::Done);
                    }
                    self.paths.paths[path as usize].settle(now);
                    self.solver.mark(&mut self.paths, path);
                }
            }
        }
        if self.solver.crowd.on {
            let crowd = &mut self.solver.crowd;
            let mut gone = std::mem::take(&mut self.gone);
            crowd.take_due(&mut self.paths, now, is_due, &mut gone);
            for (member, date, path) in gone.drain(..) {
                self.solver.mark(&mut self.paths, path);
                self.end(member.slot, date, Outcome::Done);
            }
            self.gone = gone;
        }
        while let Some(slot) = self.joining.pop() {
            self.share(slot);
        }
    }

    /// Its latency is over: it uses bandwidth.
    #[inline]
    fn share(&mut self, slot: u32) {
        let activity = self.activities.get_mut(slot);
        activity.kind = Kind::Sharing;
        let (path, bytes) = (activity.path, activity.bytes as f64);
        if self.solver.crowd.on {
            self.solver.crowd.catch_up(&mut self.paths, path, self.now);
        }
        self.paths.join(path, slot, bytes, self.now);
        self.solver.mark(&mut self.paths, path);
    }

    #[inline]
    fn end(&mut self, slot: u32, date: f64, outcome: Outcome) {
        let Activity { token, sequence, .. } = self.activities.end(slot);
        self.due.push(Due {
            date,
            sequence,
            ended: Ended { token, outcome },
        });
    }

    /// Applies what profiles say up to `date`.
    fn change(&mut self, date: f64) {
        while let Some(Change { link, what, value }) = self.changes.pop(date) {
            self.solver.disperse(&mut self.paths, &mut self.heap, date);
            let pipe = &mut self.paths.pipes[link as usize];
            match what {
                Changed::Bandwidth => pipe.capacity = value,
                Changed::Latency => pipe.latency = value,
                Changed::State => pipe.up = value > 0.0,
            }
            let failed = what == Changed::State && !pipe.up;
            for path in 0..self.paths.paths.len() as u32 {
                if self.paths.crosses(path, link) {
                    self.paths.refresh(path);
                    self.solver.mark(&mut self.paths, path);
                }
            }
            if failed {
                self.fail(link);
            }
        }
    }

    /// Ends every transfer over `link`.
    fn fail(&mut self, link: u32) {
        for path in 0..self.paths.paths.len() as u32 {
            if self.paths.crosses(path, link) {
                while let Some(member) = self.paths.leave(path) {
                    self.end(member.slot, self.now, Outcome::Failed);
                }
            }
        }
        for slot in 0..self.activities.slots() {
            let Activity { kind, path, .. } = *self.activities.get(slot);
            if matches!(kind, Kind::Latency | Kind::Wait) && self.paths.crosses(path, link) {
                self.heap.remove(Name::activity(slot));
                self.end(slot, self.now, Outcome::Failed);
            }
        }
    }

    /// When nothing has a date, because links have no bandwidth: whether a profile will give one of them some, or end what
    /// waits there.
    fn will_go_on(&self) -> bool {
        self.changes.any_ahead(|change| {
            let matters = match change.what {
                Changed::Bandwidth => {
                    change.value > 0.0 && self.paths.pipes[change.link as usize].capacity == 0.0
                }
                Changed::Latency => false,
                Changed::State => change.value <= 0.0,
            };
            matters && self.paths.is_used(change.link)
        })
    }
}

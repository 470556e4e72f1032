//! When reports are due. A switch says itself how often its own records are written, so those come by kind of switch.

use crate::assemble::Layout;
use packetloom_config::scenario::Scenario;
use packetloom_des::{Span, Time};
use packetloom_records::Record;

/// A report that comes back at its interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Periodic {
    next: Time,
    interval: Span,
    /// When it was taken last.
    last: Option<Time>,
}

impl Periodic {
    /// First due at `from` + interval.
    fn new(from: Time, interval: Span) -> Self {
        let interval = interval.max(Span::from_ps(1));
        Periodic {
            next: from.saturating_add(interval),
            interval,
            last: None,
        }
    }

    fn of_seconds(from: Time, seconds: f64) -> Self {
        // Validation keeps intervals within range.
        Self::new(from, Span::from_seconds(seconds).unwrap_or(Span::MAX))
    }

    /// The interval if it is due at `at`; the next one is set then.
    fn due(&mut self, at: Time) -> Option<Span> {
        (self.next == at).then(|| {
            self.last = Some(at);
            self.next = self.next.saturating_add(self.interval);
            self.interval
        })
    }

    /// Whether it was due at `at`, and taken.
    fn was_due(&self, at: Time) -> bool {
        self.last == Some(at)
    }
}

/// All periodic reports of a run.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    beacon: Periodic,
    devices: Periodic,
    /// Of TCP connections, if they are reported on.
    tcp: Option<Periodic>,
    /// Of the NICs' pools, if they are reported on.
    pools: Option<Periodic>,
    /// Of the switches' buffers, by kind of switch, if they are reported on.
    buffers: Vec<Option<Periodic>>,
    /// Of the switches' load balancing, by kind of switch, if it is reported on.
    balances: Vec<Option<Periodic>>,
}

/// What is due at an instant, with its interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Due {
    /// `beacon` and the record of the machine.
    pub beacon: Option<Span>,
    /// Records of ports, transports, host links and tiers.
    pub devices: Option<Span>,
    /// The record of TCP connections.
    pub tcp: Option<Span>,
    /// The record of the NICs' pools.
    pub pools: Option<Span>,
    /// The buffer records, by kind of switch.
    pub buffers: Vec<Option<Span>>,
    /// The load balancing record, by kind of switch.
    pub balances: Vec<Option<Span>>,
}

impl Schedule {
    /// The schedule of a run that writes the records for which `writes` says so. `first_tcp` is when the first TCP connection
    /// starts.
    pub fn new(
        layout: &Layout,
        scenario: &Scenario,
        first_tcp: Option<Time>,
        writes: impl Fn(Record) -> bool,
    ) -> Self {
        let times = &scenario.global.simulation_parameters;
        let from = layout.timeline.client_window.0;
        let seconds = |seconds| Periodic::of_seconds(from, seconds);
        let used = |component: usize| {
            let switches = &layout.topology.switches;
            switches.iter().any(|s| s.component as usize == component)
        };
        let switches = || scenario.switches.iter().enumerate();
        let buffers = writes(Record::AggBuffStats) || writes(Record::BuffStats);
        let balances = writes(Record::LoadBalancingStats);
        Schedule {
            beacon: seconds(times.beacon_report_interval),
            devices: seconds(times.nd_stats_report_interval),
            tcp: first_tcp
                .filter(|_| writes(Record::TcpStats))
                .map(|first| Periodic::of_seconds(first, times.tcp_stack_report_interval)),
            pools: writes(Record::NetBuffStats)
                .then(|| seconds(times.network_buffer_stats_reporting_interval)),
            buffers: switches()
                .map(|(number, switch)| {
                    let buffer = &switch.attributes.shared_buffer_manager;
                    (buffers && used(number))
                        .then(|| Periodic::new(from, buffer.buffer_stats_report_interval))
                })
                .collect(),
            balances: switches()
                .map(|(number, switch)| {
                    let given = &switch.attributes;
                    (balances && used(number) && given.enable_load_balancing_stats)
                        .then(|| Periodic::new(from, given.load_balancing_stats_report_interval))
                })
                .collect(),
        }
    }

    /// When the next report is due.
    pub fn next(&self) -> Time {
        let switches = self.buffers.iter().chain(&self.balances).flatten();
        [self.beacon, self.devices]
            .iter()
            .chain(&self.tcp)
            .chain(&self.pools)
            .chain(switches)
            .map(|periodic| periodic.next)
            .min()
            .expect("beacon always comes back")
    }

    /// What is due at `at`.
    pub fn due(&mut self, at: Time) -> Due {
        let take = |periodic: &mut Option<Periodic>| periodic.as_mut().and_then(|periodic| periodic.due(at));
        Due {
            beacon: self.beacon.due(at),
            devices: self.devices.due(at),
            tcp: take(&mut self.tcp),
            pools: take(&mut self.pools),
            buffers: self.buffers.iter_mut().map(take).collect(),
            balances: self.balances.iter_mut().map(take).collect(),
        }
    }

    /// By kind of switch: whether the load balancing record lacks its last row when the run ends at `at`.
    pub fn last_balances(&self, at: Time) -> Vec<bool> {
        let lacks = |periodic: &Option<Periodic>| periodic.is_some_and(|periodic| !periodic.was_due(at));
        self.balances.iter().map(lacks).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    #[test]
    fn reports_are_due_one_interval_after_the_start_and_then_again() {
        let mut periodic = Periodic::new(at(100), Span::from_ps(30));
        assert_eq!(periodic.due(at(100)), None);
        assert!(!periodic.was_due(at(100)));
        assert_eq!(periodic.due(at(130)), Some(Span::from_ps(30)));
        assert!(periodic.was_due(at(130)) && !periodic.was_due(at(131)));
        assert_eq!((periodic.due(at(130)), periodic.next), (None, at(160)));
    }

    #[test]
    fn an_interval_of_nothing_still_goes_on() {
        let mut periodic = Periodic::new(at(100), Span::ZERO);
        assert_eq!(periodic.due(at(101)), Some(Span::from_ps(1)));
        assert_eq!(periodic.next, at(102));
    }
}

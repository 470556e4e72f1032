//! What whoever reads a summary should know before believing it.

use crate::host::tcp::TcpHost;
use crate::run::Simulation;
use crate::summarize::Mark;
use crate::summary::ApplicationSummary;
use crate::system::Totals;
use packetloom_config::scenario::ApplicationAttributes;
use packetloom_des::Span;
use packetloom_des::queue::Queue;
use packetloom_tcp::State;

impl<Q: Queue> Simulation<'_, Q> {
    /// What whoever reads the summary should know before believing it.
    pub(crate) fn warn(
        &self,
        totals: &Totals,
        applications: &[ApplicationSummary],
        window: &[Mark; 2],
        interrupted: bool,
        warnings: &mut Vec<String>,
    ) {
        if totals.lossless_drops > 0 {
            warnings.push(format!(
                "{} packets of lossless classes were dropped by switches: look for rx_drops in nd-stats, and compare Xoff, \
                 headroom and pools with what a lossless class needs",
                totals.lossless_drops
            ));
        }
        if totals.nic_drops > 0 {
            warnings.push(format!(
                "{} packets were dropped by NICs whose receive pool was full: look for rx_drops in nd-stats, and at \
                 PFCEnableVector, PfcStaticXoffThreshold and the host link (PhysicalLayer) of these NICs",
                totals.nic_drops
            ));
        }
        let lossy = totals.drops - totals.lossless_drops - totals.nic_drops;
        if lossy > 0 {
            warnings.push(format!(
                "{lossy} packets of lossy classes were dropped by switches, as EnablePFC lets them: look for tx_drops in nd-stats"
            ));
        }
        let nothing_lost = totals.drops == 0 && totals.lost == 0;
        if totals.timeouts > 0 && nothing_lost {
            warnings.push(format!(
                "{} transport timers expired though no packet was lost: RetransmitTimeout is shorter than acknowledgements take \
                 under this load",
                totals.timeouts
            ));
        }
        if totals.tcp_timeouts > 0 && nothing_lost {
            warnings.push(format!(
                "TCP's retransmission timer went off {} times though no packet was lost: round trips were longer than it allowed \
                 for, as it begins with 1 s and then follows those it has measured; look for long delays, long queues and \
                 pauses",
                totals.tcp_timeouts
            ));
        }
        let warm_up_us = self.scenario.global.simulation_parameters.warm_up * 1e6;
        for (number, application) in applications.iter().enumerate() {
            let name = &application.name;
            // The 99th percentile, so that a slow pair does not hide behind fast ones. An open loop may be overloaded for good;
            // of it something else is said.
            let closed_loop = self.scenario.applications[number].attributes.rdma().is_some();
            if let Some(latency) = application
                .latency_us
                .as_ref()
                .filter(|latency| closed_loop && latency.p99 > warm_up_us)
            {
                warnings.push(format!(
                    "work requests of {name} take up to {:.0} us (99th percentile), longer than the warm-up of {warm_up_us:.0} us: \
                     the recording window may open before the steady state; raise WarmUp",
                    latency.p99
                ));
            }
            let attributes = &self.scenario.applications[number].attributes;
            let nothing = attributes.rdma().is_some_and(|rdma| rdma.max_pending_wqes == 0);
            if nothing {
                warnings.push(format!("MaxPendingWQEs of {name} is 0: it posts nothing"));
            }
            warnings.extend(self.overload(number as u32, window));
            if interrupted || nothing {
                continue;
            }
            let requests = match attributes {
                ApplicationAttributes::Rdma(_) => "work request",
                ApplicationAttributes::Generator(_) => "transaction",
            };
            let (connections, open) = self.connections(number as u32);
            if open < connections {
                warnings.push(format!(
                    "{} of {connections} connections of {name} were not set up by the stop time",
                    connections - open
                ));
            }
            let silent = self
                .by_pair(number as u32, &self.recorded)
                .into_iter()
                .filter(|&n| n == 0)
                .count();
            if silent > 0 {
                warnings.push(format!(
                    "{silent} of {} pairs of {name} completed no {requests} in the recording window: latency says nothing of \
                     them",
                    application.pairs
                ));
            }
        }
    }

    /// What to say of a traffic generator that asks for more than gets through in the recording window.
    fn overload(&self, number: u32, [before, after]: &[Mark; 2]) -> Option<String> {
        let application = &self.scenario.applications[number as usize];
        let attributes = &application.attributes.generator()?.attributes;
        // Requests of a connection that was never established wait for something else.
        let established = self.established();
        let sum = |figures: &[u64]| {
            let figures = figures.iter().zip(&established);
            let figures: Vec<u64> = figures.map(|(&figure, &open)| figure * u64::from(open)).collect();
            self.by_pair(number, &figures).iter().sum()
        };
        let requests = Requests {
            generated: [&before.requests[0], &after.requests[0]].map(|figures| sum(figures)),
            completed: [&before.requests[1], &after.requests[1]].map(|figures| sum(figures)),
        };
        let burst = match attributes.burst_off_cycle_time {
            Span::ZERO => 0.0,
            _ => attributes.request_rate * attributes.burst_on_cycle_time.ps() as f64 / 1e12,
        };
        let connections = self.connections(number).1 as f64;
        requests.pile_up(connections * (1.0 + burst)).then(|| {
            format!(
                "{} of {} requests of {} had no whole reply by the end of the recording window: they come faster than they are \
                 answered, and latency grows for as long as the run lasts; lower RequestRate, NumConnections or sizes, or look \
                 for what holds them up",
                requests.waiting(1),
                requests.generated[1],
                application.name
            )
        })
    }

    /// Connections of an application, and how many of them are set up.
    fn connections(&self, application: u32) -> (usize, usize) {
        let established = self.established();
        let instances = self.layout.instances.iter().zip(established);
        let (mut connections, mut open) = (0, 0);
        for (_, established) in instances.filter(|(instance, _)| instance.application == application) {
            connections += 1;
            open += usize::from(established);
        }
        (connections, open)
    }

    /// Whether its connection is set up, by instance.
    fn established(&self) -> Vec<bool> {
        let mut clients: Vec<_> = self
            .engine
            .nodes()
            .filter(|node| node.as_switch().is_none())
            .map(|node| {
                let requesters = node.as_rdma().into_iter().flat_map(|host| host.nic().connected());
                let clients = node.as_tcp().into_iter().flat_map(TcpHost::clients);
                requesters.chain(clients.map(|(_, connection)| connection.state() == State::Established))
            })
            .collect();
        let instances = self.layout.instances.iter();
        let established = instances.map(|instance| {
            clients[instance.client as usize]
                .next()
                .expect("a client for each instance")
        });
        established.collect()
    }
}

/// Requests of an application at both ends of the recording window.
struct Requests {
    generated: [u64; 2],
    completed: [u64; 2],
}

impl Requests {
    /// Not answered yet.
    fn waiting(&self, end: usize) -> u64 {
        self.generated[end] - self.completed[end]
    }

    /// Whether they pile up: more than a tenth of all had no answer at the window's end, and by more than a tenth of those
    /// generated in the window did their number grow. Twice as many as `expected` may wait whatever the load: what a burst
    /// brings at once, or one a connection.
    fn pile_up(&self, expected: f64) -> bool {
        let waiting = self.waiting(1);
        let more = waiting.saturating_sub(self.waiting(0));
        10 * waiting > self.generated[1]
            && 10 * more > self.generated[1] - self.generated[0]
            && waiting as f64 > 2.0 * expected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_pile_up_when_they_come_faster_than_they_are_answered() {
        let pile_up = |generated, completed, expected| Requests { generated, completed }.pile_up(expected);
        // 8 connections: 16 may wait. A quarter more than gets through.
        assert!(pile_up([200, 1_000], [160, 800], 8.0));
        // As many wait at both ends: it was so before the window, and gets no worse.
        assert!(!pile_up([300, 1_100], [100, 900], 8.0));
        // A tenth exactly, and one more.
        assert!(!pile_up([0, 1_000], [0, 900], 8.0));
        assert!(pile_up([0, 1_000], [0, 899], 8.0));
        // The window ended with a burst of 26 on each of 8 connections, or soon after the start.
        assert!(!pile_up([208, 416], [208, 208], 208.0));
        assert!(!pile_up([0, 20], [0, 4], 8.0));
        assert!(pile_up([0, 20], [0, 3], 8.0));
        assert!(!pile_up([0, 0], [0, 0], 8.0));
    }
}

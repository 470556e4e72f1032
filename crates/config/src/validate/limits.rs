//! What follows from where everything runs: hosts for each role, and no more connections than there may be.

use super::reports::grouped;
use crate::scenario::{Application, ApplicationAttributes, Scenario};
use packetloom_des::Span;
use packetloom_params::Errors;
use packetloom_traffic::placement::Placement;

/// Most connections of a run, about 4 million: every one of them may end on one host, whose timers are numbered with 24
/// bits.
const MOST_CONNECTIONS: u64 = 1 << 22;
/// Most work requests outstanding at a time, about 17 million: each takes some 50 B, so that is 0.8 GB.
const MOST_WORK_REQUESTS: u64 = 1 << 24;
/// The most requests of a traffic generator that give no warning.
const MANY_REQUESTS: f64 = 1e8;
/// Memory of a request without its whole reply: 24 B for its time, its size and its reply's, in a list that may have just
/// doubled its room.
const REQUEST_MEMORY: f64 = 48.0;
/// The first TCP port of a host's clients; they take one for each connection, up to the last port, 65,535.
const CLIENT_PORTS: u64 = 49_152;
/// The first TCP port of a host's servers; they take one for each connection, up to those of its clients.
const SERVER_PORTS: u64 = 5_000;
/// One more than the last port.
const PORTS: u64 = 65_536;

/// Applications must find hosts and counterparts; the rules are those of the placement itself.
pub(super) fn check(scenario: &Scenario, errors: &mut Errors, warnings: &mut Vec<String>) {
    let placement = match scenario.placement() {
        Ok(placement) => placement,
        Err(error) => {
            // The message of a placement says what to do about it.
            errors.push("topology.appDistribution", error.to_string(), "");
            return;
        }
    };
    let (mut connections, mut outstanding) = (0u64, 0u64);
    for (application, placed) in scenario.applications.iter().zip(&placement.applications) {
        let each = application.attributes.num_connections();
        let own = each.saturating_mul(placed.pairs.len() as u64);
        connections = connections.saturating_add(own);
        match &application.attributes {
            ApplicationAttributes::Rdma(rdma) => {
                outstanding = outstanding.saturating_add(own.saturating_mul(rdma.max_pending_wqes));
            }
            ApplicationAttributes::Generator(_) => warn_of_requests(scenario, application, own, warnings),
        }
    }
    if outstanding > MOST_WORK_REQUESTS {
        errors.push(
            "applications",
            format!(
                "the run's {connections} connections keep {outstanding} work requests outstanding; at most \
                 {MOST_WORK_REQUESTS} are possible"
            ),
            "lower MaxPendingWQEs or NumConnections",
        );
    }
    if connections > MOST_CONNECTIONS {
        errors.push(
            "applications",
            format!("the run has {connections} connections; at most {MOST_CONNECTIONS} are possible"),
            "lower NumConnections",
        );
    }
    ports(scenario, &placement, errors);
}

/// Requests come whether or not they are answered, and wait in a list without a limit.
fn warn_of_requests(
    scenario: &Scenario,
    application: &Application,
    connections: u64,
    warnings: &mut Vec<String>,
) {
    let Some(generator) = application.attributes.generator() else {
        return;
    };
    let (given, times) = (&generator.attributes, &scenario.global.simulation_parameters);
    let length = times.client_start_interval + times.warm_up + times.run_time;
    let rate = if given.burst_off_cycle_time == Span::ZERO {
        given.request_rate
    } else {
        // (1 + rate x on) requests in on + 1 / rate + off.
        let (on, off) = (
            given.burst_on_cycle_time.as_seconds(),
            given.burst_off_cycle_time.as_seconds(),
        );
        (1.0 + given.request_rate * on) / (on + 1.0 / given.request_rate + off)
    };
    let requests = connections as f64 * rate * length;
    if requests > MANY_REQUESTS {
        warnings.push(format!(
            "RequestRate of {} asks for some {} requests in this run; those without a reply take up to {REQUEST_MEMORY} B of \
             memory each, {} GB if the network cannot keep up",
            application.name,
            grouped(requests),
            grouped(requests * REQUEST_MEMORY / 1e9)
        ));
    }
}

/// Each TCP connection takes a port at either end.
fn ports(scenario: &Scenario, placement: &Placement, errors: &mut Errors) {
    let mut taken = vec![(0u64, 0u64); scenario.plan.hosts()];
    for (application, placed) in scenario.applications.iter().zip(&placement.applications) {
        let ApplicationAttributes::Generator(_) = application.attributes else {
            continue;
        };
        let connections = application.attributes.num_connections();
        for &(client, server) in &placed.pairs {
            taken[client as usize].0 += connections;
            taken[server as usize].1 += connections;
        }
    }
    // The first of those with the most.
    let most = |end: fn(&(u64, u64)) -> u64| {
        let ends = taken.iter().map(end).enumerate();
        ends.rev().max_by_key(|&(_, count)| count).unwrap_or((0, 0))
    };
    for ((host, count), possible, end, part) in [
        (most(|taken| taken.0), PORTS - CLIENT_PORTS, "client", "clients"),
        (
            most(|taken| taken.1),
            CLIENT_PORTS - SERVER_PORTS,
            "server",
            "servers",
        ),
    ] {
        if count > possible {
            let (pod, rack, server) = scenario.plan.place_of(host).unwrap_or_default();
            let message = format!(
                "host ScalaHost-0-{pod}-{rack}-{server} is the {end} of {count} TCP connections; there are ports for at \
                 most {possible}"
            );
            let remedy = format!("lower NumConnections, or raise the part of the hosts that runs {part}");
            errors.push("applications", message, remedy);
        }
    }
}

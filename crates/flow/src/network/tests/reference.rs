//! Random networks and arrivals against a slow reference: plain progressive filling of all transfers at each event, bytes
//! counted one transfer at a time.

use super::*;
use proptest::prelude::*;

/// A transfer to come.
#[derive(Clone, Debug)]
struct Plan {
    at: f64,
    forward: Vec<u32>,
    backward: Vec<u32>,
    bytes: u64,
}

/// A transfer of the reference.
struct Flow {
    token: u64,
    /// What it takes of each link, per byte
    takes: Vec<(usize, f64)>,
    penalty: f64,
    cap: f64,
    starts: f64,
    left: f64,
    rate: f64,
}

/// Rates by progressive filling: all levels rise together until a link is full or a cap is reached.
fn rates(links: &[Link], flows: &mut [&mut Flow]) {
    let mut fixed = vec![false; flows.len()];
    while fixed.iter().any(|f| !f) {
        let mut least = (f64::INFINITY, None);
        for (number, link) in links.iter().enumerate() {
            let (mut remaining, mut usage) = (link.bandwidth, 0.0);
            for (flow, fixed) in flows.iter().zip(&fixed) {
                for (_, times) in flow.takes.iter().filter(|t| t.0 == number) {
                    match (link.sharing, fixed) {
                        (Sharing::Shared, true) => remaining -= times * flow.rate,
                        (Sharing::Shared, false) => usage += times / flow.penalty,
                        (Sharing::FatPipe, _) => {}
                    }
                }
            }
            if usage > 0.0 && remaining / usage < least.0 {
                least = (remaining / usage, Some(number));
            }
        }
        let capped = (0..flows.len())
            .filter(|&f| !fixed[f])
            .map(|f| flows[f].cap * flows[f].penalty);
        let cap = capped.fold(f64::INFINITY, f64::min);
        for (flow, fixed) in flows.iter_mut().zip(&mut fixed).filter(|f| !*f.1) {
            if cap <= least.0 {
                if flow.cap * flow.penalty <= cap {
                    (flow.rate, *fixed) = (flow.cap, true);
                }
            } else if flow.takes.iter().any(|t| Some(t.0) == least.1) {
                (flow.rate, *fixed) = (least.0 / flow.penalty, true);
            }
        }
    }
}

/// When each plan ends, by its place.
fn reference(links: &[Link], plans: &[Plan], settings: &NetworkSettings) -> Vec<f64> {
    let mut flows: Vec<Flow> = plans
        .iter()
        .enumerate()
        .map(|(token, plan)| {
            let mut takes: Vec<(usize, f64)> = plan.forward.iter().map(|&l| (l as usize, 1.0)).collect();
            if settings.cross_traffic {
                takes.extend(plan.backward.iter().map(|&l| (l as usize, 0.05)));
            }
            let latency: f64 = plan.forward.iter().map(|&l| links[l as usize].latency).sum();
            let fat = takes.iter().filter(|t| links[t.0].sharing == Sharing::FatPipe);
            let fat = fat
                .map(|t| links[t.0].bandwidth / t.1)
                .fold(f64::INFINITY, f64::min);
            let window = if latency > 0.0 {
                settings.tcp_gamma / (2.0 * latency)
            } else {
                f64::INFINITY
            };
            Flow {
                token: token as u64,
                penalty: if latency > 0.0 { latency } else { 1.0 },
                cap: fat.min(window),
                takes,
                starts: plan.at + latency,
                left: plan.bytes as f64,
                rate: 0.0,
            }
        })
        .collect();
    let mut ends = vec![f64::NAN; plans.len()];
    let mut now = 0.0;
    while !flows.is_empty() {
        let mut sharing: Vec<&mut Flow> = flows.iter_mut().filter(|f| f.starts <= now).collect();
        rates(links, &mut sharing);
        let next = sharing
            .iter()
            .map(|f| now + f.left / f.rate)
            .fold(f64::INFINITY, f64::min);
        let next = flows
            .iter()
            .filter(|f| f.starts > now)
            .map(|f| f.starts)
            .fold(next, f64::min);
        for flow in flows.iter_mut().filter(|f| f.starts <= now) {
            flow.left -= flow.rate * (next - now);
        }
        now = next;
        flows.retain(|flow| {
            // Rounding may leave so little that its end is no later date.
            let little = flow.left <= plans[flow.token as usize].bytes as f64 * 1e-12;
            let over = flow.starts <= now && (little || now + flow.left / flow.rate <= now);
            if over {
                ends[flow.token as usize] = now;
            }
            !over
        });
    }
    ends
}

/// When each plan ends in the network, by its place, with the network's own token for the arrivals.
/// With `crowd`, so many paths that depend on each other are taken for a crowd.
fn simulate(links: &[Link], plans: &[Plan], settings: &NetworkSettings, crowd: Option<usize>) -> Vec<f64> {
    const ARRIVAL: u64 = 1 << 32;
    let mut network = Network::new(links, settings);
    if let Some(paths) = crowd {
        network.solver.crowd_from(paths);
    }
    let ids = |links: &[u32]| links.iter().map(|&l| LinkId(l)).collect::<Vec<_>>();
    for (token, plan) in plans.iter().enumerate() {
        network.sleep(plan.at, ARRIVAL | token as u64);
    }
    let mut ends = vec![f64::NAN; plans.len()];
    let mut ended = Vec::new();
    while network.advance(&mut ended) {
        for end in &ended {
            assert_eq!(end.outcome, Outcome::Done);
            let token = (end.token & (ARRIVAL - 1)) as usize;
            if end.token & ARRIVAL == 0 {
                assert!(ends[token].is_nan(), "ends once");
                ends[token] = network.now();
            } else {
                let plan = &plans[token];
                let way = network.path(&ids(&plan.forward), &ids(&plan.backward));
                network.transfer(way, plan.bytes, token as u64);
            }
        }
    }
    ends
}

/// Links of few bandwidths and latencies, so that ties happen.
fn links() -> impl Strategy<Value = Vec<Link>> {
    let bandwidth = prop_oneof![Just(1e6), Just(2e6), Just(10e6), 1e5..1e7];
    let latency = prop_oneof![Just(0.0), Just(0.01), Just(0.5), 0.001..2.0];
    let sharing = prop_oneof![4 => Just(Sharing::Shared), 1 => Just(Sharing::FatPipe)];
    let link = (bandwidth, latency, sharing)
        .prop_map(|(bandwidth, latency, sharing)| super::link(bandwidth, latency, sharing));
    prop::collection::vec(link, 1..30)
}

fn plans(links: usize) -> impl Strategy<Value = Vec<Plan>> {
    let route = || prop::collection::vec(0..links as u32, 1..5);
    let at = prop_oneof![Just(0.0), Just(1.0), 0.0..5.0];
    let plan = (at, route(), route(), 1u64..10_000_000);
    let plan = plan.prop_map(|(at, forward, backward, bytes)| Plan {
        at,
        forward,
        backward,
        bytes,
    });
    prop::collection::vec(plan, 1..60)
}

fn cases() -> impl Strategy<Value = (Vec<Link>, Vec<Plan>, NetworkSettings)> {
    links().prop_flat_map(|links| {
        let plans = plans(links.len());
        (Just(links), plans, any::<bool>()).prop_map(|(links, plans, cross_traffic)| {
            // Without joining of dates, which the reference does not know.
            let settings = NetworkSettings {
                cross_traffic,
                precision: 0.0,
                ..NetworkSettings::default()
            };
            (links, plans, settings)
        })
    })
}

proptest! {
    #[test]
    fn dates_are_those_of_progressive_filling((links, plans, settings) in cases()) {
        let expected = reference(&links, &plans, &settings);
        for crowd in [None, Some(1), Some(12)] {
            let got = simulate(&links, &plans, &settings, crowd);
            for (token, (got, expected)) in got.iter().zip(&expected).enumerate() {
                let near = (got - expected).abs() <= expected * 1e-9;
                prop_assert!(near, "{} ended at {}, not at {} (crowd {:?})", token, got, expected, crowd);
            }
        }
    }

    /// Whatever fails when: each transfer ends once, and the sharing holds (debug builds check it).
    #[test]
    fn links_that_come_and_go_leave_nobody_behind(
        (mut links, plans, settings) in cases(),
        outages in prop::collection::vec((0..30_usize, 0.0..2.0, 0.01..1.0, 0.01..2.0), 1..4),
        precision in prop_oneof![Just(0.0), Just(1e-3)],
    ) {
        for (place, from, long, again) in outages {
            let count = links.len();
            let points = [(0.0, 1.0), (from, 0.0), (from + long, 1.0)];
            links[place % count].state_profile = super::profile(&points, Some(again));
        }
        let settings = NetworkSettings { precision, ..settings };
        for crowd in [None, Some(1), Some(12)] {
            let mut network = Network::new(&links, &settings);
            if let Some(paths) = crowd {
                network.solver.crowd_from(paths);
            }
            let ids = |links: &[u32]| links.iter().map(|&l| LinkId(l)).collect::<Vec<_>>();
            let mut left = 3 * plans.len();
            let start = |network: &mut Network, token: usize| {
                let plan = &plans[token % plans.len()];
                let way = network.path(&ids(&plan.forward), &ids(&plan.backward));
                network.transfer(way, plan.bytes, token as u64);
            };
            (0..plans.len()).for_each(|token| start(&mut network, token));
            let mut counts = vec![0; left];
            let mut ended = Vec::new();
            while network.advance(&mut ended) {
                for end in &ended {
                    let token = end.token as usize;
                    counts[token] += 1;
                    left -= 1;
                    // Whoever ends, well or not, has two successors in turn.
                    if token + plans.len() < counts.len() {
                        start(&mut network, token + plans.len());
                    }
                }
            }
            prop_assert_eq!(left, 0);
            prop_assert!(counts.iter().all(|&count| count == 1));
        }
    }

    #[test]
    fn two_runs_are_equal_bit_for_bit((links, plans, settings) in cases()) {
        let bits = |ends: Vec<f64>| ends.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        for crowd in [None, Some(1)] {
            let run = || bits(simulate(&links, &plans, &settings, crowd));
            prop_assert_eq!(run(), run());
        }
    }

    /// Bytes are conserved: with one shared link that is never idle, the last end is when all bytes are through.
    #[test]
    fn a_link_that_is_never_idle_gives_all_it_has(sizes in prop::collection::vec(1u64..1_000_000, 1..200)) {
        let mut network = Network::new(&[shared(1e6, 0.0), fat(1e9, 0.0)], &one_way());
        for (token, &bytes) in sizes.iter().enumerate() {
            let way = path(&mut network, [&[0][..], &[0, 0], &[0, 1]][token % 3]);
            network.transfer(way, bytes, token as u64);
        }
        let crossings: u64 = sizes.iter().enumerate().map(|(token, bytes)| if token % 3 == 1 { 2 * bytes } else { *bytes }).sum();
        let last = run(&mut network).last().unwrap().0;
        prop_assert!((last - crossings as f64 / 1e6).abs() < 2e-9 + last * 1e-12, "{last}");
    }
}

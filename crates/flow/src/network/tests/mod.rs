//! The network against closed forms and against a slow reference.

mod changes;
mod closed_forms;
mod crowds;
mod pci;
mod reference;
mod time;

use super::*;
use crate::link::{Profile, Sharing};
use std::sync::Arc;

/// A link without profiles; bandwidth in bytes per second, latency in seconds.
pub(super) fn link(bandwidth: f64, latency: f64, sharing: Sharing) -> Link {
    Link {
        name: format!("{bandwidth}-{latency}"),
        bandwidth,
        latency,
        sharing,
        bandwidth_profile: None,
        latency_profile: None,
        state_profile: None,
    }
}

pub(super) fn shared(bandwidth: f64, latency: f64) -> Link {
    link(bandwidth, latency, Sharing::Shared)
}

pub(super) fn fat(bandwidth: f64, latency: f64) -> Link {
    link(bandwidth, latency, Sharing::FatPipe)
}

pub(super) fn profile(points: &[(f64, f64)], repeats_after: Option<f64>) -> Option<Arc<Profile>> {
    Some(Arc::new(Profile {
        points: points.to_vec(),
        repeats_after,
    }))
}

/// The defaults without cross-traffic.
pub(super) fn one_way() -> NetworkSettings {
    NetworkSettings {
        cross_traffic: false,
        ..NetworkSettings::default()
    }
}

/// The path over links of these numbers, and back over the same.
pub(super) fn path(network: &mut Network, links: &[u32]) -> PathId {
    let forward: Vec<LinkId> = links.iter().map(|&l| LinkId(l)).collect();
    let backward: Vec<LinkId> = forward.iter().rev().copied().collect();
    network.path(&forward, &backward)
}

/// Everything that ends, in order: date, token, outcome.
pub(super) fn run(network: &mut Network) -> Vec<(f64, u64, Outcome)> {
    let mut all = Vec::new();
    let mut ended = Vec::new();
    while network.advance(&mut ended) {
        all.extend(ended.iter().map(|e| (network.now(), e.token, e.outcome)));
    }
    all
}

/// Checks that `run` ended as `expected` says (token, date), all done, to 12 digits.
#[track_caller]
pub(super) fn assert_ends(network: &mut Network, expected: &[(u64, f64)]) {
    let ends = run(network);
    let tokens: Vec<u64> = ends.iter().map(|e| e.1).collect();
    assert_eq!(
        tokens,
        expected.iter().map(|e| e.0).collect::<Vec<_>>(),
        "{ends:?}"
    );
    for (&(date, token, outcome), &(_, due)) in ends.iter().zip(expected) {
        assert_eq!(outcome, Outcome::Done);
        assert!(
            (date - due).abs() <= due.abs() * 1e-12,
            "{token} ended at {date:e}, not at {due:e}"
        );
    }
}

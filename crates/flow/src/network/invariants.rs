//! What must hold after each sharing; debug builds check it.

use super::paths::Paths;

/// How far rounding may take a sum.
const SLACK: f64 = 1e-6;

/// No link gives more than it has, and every transfer has a bottleneck: its own cap, or a full link on which nobody has a
/// higher level than it. (That is what makes rates max-min fair: none could rise but at the cost of a lower one.)
pub(super) fn check(all: &Paths, links: &[u32], paths: &[u32]) {
    let level = |path: u32| all.paths[path as usize].value * all.paths[path as usize].penalty;
    let load = |link: u32| -> f64 {
        let riders = all.pipes[link as usize].riders.iter();
        riders
            .map(|r| {
                r.times * all.paths[r.path as usize].value * all.paths[r.path as usize].members().len() as f64
            })
            .sum()
    };
    let mut full = Vec::new();
    for &link in links {
        let (capacity, load) = (all.pipes[link as usize].capacity, load(link));
        assert!(
            load <= capacity * (1.0 + SLACK),
            "link {link} has {capacity} B/s and gives {load} B/s"
        );
        let riders = all.pipes[link as usize].riders.iter();
        if load >= capacity * (1.0 - SLACK) {
            full.push((link, riders.map(|r| level(r.path)).fold(0.0, f64::max)));
        }
    }
    full.sort_unstable_by_key(|f| f.0);
    for &path in paths {
        let entry = &all.paths[path as usize];
        let bottleneck = |link: u32| {
            let at = full.binary_search_by_key(&link, |f| f.0);
            at.is_ok_and(|at| level(path) >= full[at].1 * (1.0 - SLACK))
        };
        let held = entry.value >= entry.cap * (1.0 - SLACK)
            || all.charges[entry.charges()].iter().any(|c| bottleneck(c.link));
        assert!(
            held && entry.value <= entry.cap,
            "path {path} has {} B/s and no bottleneck",
            entry.value
        );
    }
}

//! A thousand processes.

use super::compile::compile;
use super::toy::Toy;
use packetloom_portals_host::{Options, Run, Terminal};
use std::time::Instant;

/// Memory of this program that is its own or its share of what others use too, bytes.
fn share_of_memory() -> u64 {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
    let line = rollup.lines().find(|line| line.starts_with("Pss:")).unwrap();
    let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes << 10
}

/// Runs a thousand processes of a program, and gives the memory in use when the first one ends.
fn thousand(program: &std::path::Path) -> u64 {
    let start = Instant::now();
    let run = Run::new(program, &super::launches(1000, &[]), Options::default()).unwrap();
    let loaded = start.elapsed();
    let mut toy = Toy::new(1000);
    toy.at_first_end = Some(share_of_memory);
    let mut out = Vec::new();
    let report = run
        .run(&mut toy, &mut Terminal::new(&mut out, std::io::sink(), true))
        .unwrap();
    let memory = toy.seen_at_first_end;
    println!(
        "loaded after {loaded:?}, done after {:?}, {} MiB",
        start.elapsed(),
        memory >> 20
    );
    assert_eq!(report.exit_code(), 0);
    assert_eq!(String::from_utf8(out).unwrap().lines().count(), 1000);
    memory
}

#[test]
fn a_thousand_processes_fit_into_a_gibibyte() {
    let memory = thousand(&compile("many.c"));
    assert!(memory > 0 && memory < 1 << 30, "{memory}");
}

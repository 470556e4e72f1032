//! Somebody compares times with S4BXI's.

use crate::portals_lab::{change, lab, program, words};

/// One way in nanoseconds, by size: 8 B, 1 KiB, 64 KiB, 1 MiB.
fn one_way(variables: &str, pci_of_nodes: bool) -> Vec<f64> {
    let lab = lab();
    if !pci_of_nodes {
        let memory = "<prop id=\"use_real_memory\" value=\"true\"/>";
        change(
            &lab,
            "two.xml",
            memory,
            "<prop id=\"model_pci\" value=\"false\"/>",
        );
    }
    let program = program("one-way");
    let line = words(&["--quiet"], &program, &[]).join(" ");
    let outcome = lab
        .bash(&format!("{variables} \"$packetloom\" {line}"))
        .succeeded();
    outcome
        .stdout
        .lines()
        .map(|line| line.parse().expect("a number"))
        .collect()
}

#[track_caller]
fn near(ours: &[f64], expected: [f64; 4], tolerance: f64) {
    assert_eq!(ours.len(), 4);
    for (ours, expected) in ours.iter().zip(expected) {
        // 0.0005 for the digits printed.
        assert!(
            (ours - expected).abs() <= tolerance + 0.0005,
            "{ours} ns instead of {expected}"
        );
    }
}

/// Measured with S4BXI on the same platform, in nanoseconds to a tenth.
const WITH_PCI: [f64; 4] = [1767.2, 2357.3, 8462.6, 101_452.8];
const WITHOUT_PCI: [f64; 4] = [1252.8, 1348.9, 7454.4, 100_444.6];

#[test]
fn one_way_times_of_a_program_are_s4bxis() {
    near(&one_way("", true), WITH_PCI, 0.1);
    near(&one_way("", false), WITHOUT_PCI, 0.1);
    near(&one_way("S4BXI_MODEL_PCI=0", true), WITHOUT_PCI, 0.1);
}

#[test]
fn without_end_to_end_they_are_at_most_9_ns_from_it() {
    near(&one_way("S4BXI_E2E_OFF=1", true), WITH_PCI, 9.0);
    near(&one_way("S4BXI_E2E_OFF=1", false), WITHOUT_PCI, 9.0);
}

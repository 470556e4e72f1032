//! Somebody runs many processes in one simulation.

use crate::lab::{Lab, PROGRAM};
use crate::portals_lab::{program, star};
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The lab with a star of nodes, and the words to run the ring on it.
fn ring(nodes: u32, each: u32) -> (Lab, Vec<String>) {
    let lab = Lab::new();
    let (platform, deployment) = star(nodes, each);
    lab.write("platform.xml", &platform);
    lab.write("deployment.xml", &deployment);
    let library = program("ring").display().to_string();
    let words = [
        "portals",
        "run",
        "platform.xml",
        "deployment.xml",
        &library,
        "ring",
    ];
    (lab, words.map(str::to_owned).to_vec())
}

/// The pages of a process in kilobytes, those it shares with others in proportion.
fn proportional(process: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix("Pss:"))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}

#[test]
#[cfg(target_os = "linux")]
fn a_thousand_processes_fit_in_a_gibibyte() {
    let (lab, words) = ring(1000, 1);
    let mut child = Command::new(PROGRAM)
        .args(&words)
        .current_dir(lab.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let (mut most, mut samples) = (0, 0);
    let begun = Instant::now();
    while child.try_wait().expect("asked").is_none() {
        assert!(begun.elapsed() < Duration::from_secs(300), "it does not end");
        let now = proportional(child.id());
        most = most.max(now);
        samples += u32::from(now > 0);
        std::thread::sleep(Duration::from_millis(10));
    }
    let ended = child.wait_with_output().expect("ended");
    // The sum of 0 to 999.
    assert_eq!(
        String::from_utf8_lossy(&ended.stdout),
        "1000 ranks: the sum is 499500\n"
    );
    assert!(ended.status.success());
    assert!(samples > 10, "{samples} samples");
    assert!(most > 10_000 && most < 1 << 20, "{most} kB");
}

#[test]
fn many_processes_on_each_of_64_nodes() {
    let (lab, words) = ring(64, 8);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // The sum of 0 to 511.
    assert_eq!(
        lab.packetloom(&words).succeeded().stdout,
        "512 ranks: the sum is 130816\n"
    );
}

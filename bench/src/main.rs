//! Benchmarks of Packetloom: packet-hops per CPU second of each scenario, and as a ratio to a fixed kernel that is run in
//! turn with it, since machines are noisy.

mod calibrate;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Parser, ValueEnum};
use cpu_time::ProcessTime;
use packetloom_config::{Scenario, document, overrides, template, validate};
use packetloom_des::queue::{Heap, Queue, Wheel};
use packetloom_sim::progress::Progress;
use packetloom_sim::summary::Summary;
use packetloom_sim::{RunOptions, Simulation};
use std::process::Command;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures scenarios against the calibration kernel.
#[derive(Parser)]
#[command(
    after_help = "Examples:\n  cargo run --release -p packetloom-bench\n  cargo run --release -p packetloom-bench -- \
    --scenario rdma-16 --runs 9\n  cargo run --release -p packetloom-bench -- --instructions"
)]
struct Arguments {
    /// Scenarios to run, or documents (*.json); all scenarios when none is named
    #[arg(long)]
    scenario: Vec<String>,
    /// Runs of each, of which the best counts
    #[arg(long, default_value_t = 5)]
    runs: u32,
    /// Also count instructions with valgrind's callgrind, on shorter runs
    #[arg(long)]
    instructions: bool,
    /// Run one scenario once with one queue and print nothing; for profilers
    #[arg(long, value_name = "SCENARIO", conflicts_with = "scenario")]
    once: Option<String>,
    /// The queue of --once
    #[arg(long, default_value = "wheel")]
    queue: Kind,
    /// Write and keep no records, to see what they cost
    #[arg(long)]
    without_records: bool,
    /// Set an event for the end of every transmission, to see what leaving them out gives
    #[arg(long)]
    eager: bool,
    /// Override an attribute, as `packetloom run --set`
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

/// Which queue of pending events.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Kind {
    /// The 4-ary heap.
    Heap,
    /// The timing wheel.
    Wheel,
}

impl Kind {
    const ALL: [(Kind, &'static str); 2] = [(Kind::Wheel, "wheel"), (Kind::Heap, "heap")];
}

/// A scenario and the template it is, unchanged.
const SCENARIOS: [(&str, &str); 3] = [
    ("rdma-16", "rdma-16-hosts"),
    ("rdma-three-tier", "rdma-three-tier"),
    ("rdma-16k", "rdma-16k"),
];

/// The two lengths, in seconds of data transfer, of the runs that instructions are counted on.
fn short_and_long(scenario: &str) -> (&'static str, &'static str) {
    match scenario {
        "rdma-16k" => ("0.000005", "0.00001"),
        "rdma-three-tier" => ("0.00003", "0.00006"),
        _ => ("0.0015", "0.0025"),
    }
}

fn scenario(name: &str, set: &[String]) -> Result<Scenario> {
    let mut document = if let Some((_, template)) = SCENARIOS.iter().find(|(known, _)| *known == name) {
        template::document(template).map_err(|e| anyhow!("{e}"))?
    } else if name.ends_with(".json") {
        let text = std::fs::read_to_string(name).with_context(|| format!("cannot read {name}"))?;
        document::read(&text).map_err(|e| anyhow!("{name}: {e}"))?
    } else {
        let known: Vec<&str> = SCENARIOS.iter().map(|(known, _)| *known).collect();
        bail!(
            "there is no scenario {name:?}; the scenarios are {}, or the path of a document that ends with .json",
            known.join(", ")
        );
    };
    for setting in set {
        overrides::apply(&mut document, setting).map_err(|e| anyhow!("{e}"))?;
    }
    validate(&document).map_err(|e| anyhow!("{e}"))
}

/// Runs once, into a folder that is removed again, with those records that the scenario turns on or with none.
fn run<Q: Queue>(scenario: &Scenario, arguments: &Arguments) -> Result<Summary> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut options = RunOptions::new("bench", folder.path().join("records"));
    if arguments.without_records {
        options.records.clear();
    }
    options.eager = arguments.eager;
    Ok(Simulation::<Q>::new(scenario, &options)?.run(&Progress::default())?)
}

fn run_with(kind: Kind, scenario: &Scenario, arguments: &Arguments) -> Result<Summary> {
    match kind {
        Kind::Heap => run::<Heap>(scenario, arguments),
        Kind::Wheel => run::<Wheel>(scenario, arguments),
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if let Some(name) = &arguments.once {
        let scenario = scenario(name, &arguments.set)?;
        run_with(arguments.queue, &scenario, &arguments)?;
        return Ok(());
    }
    let names: Vec<String> = if arguments.scenario.is_empty() {
        SCENARIOS.iter().map(|(name, _)| (*name).to_owned()).collect()
    } else {
        arguments.scenario.clone()
    };
    println!(
        "{:<15} {:<6} {:>13} {:>10} {:>9} {:>8} {:>12} {:>9} {:>11} {:>9}",
        "scenario",
        "queue",
        "packet-hops",
        "events/hop",
        "CPU [s]",
        "ns/hop",
        "hops/CPU s",
        "calibrate",
        "hops/step",
        "instr/hop"
    );
    for name in &names {
        let scenario = scenario(name, &arguments.set)?;
        for (kind, queue) in Kind::ALL {
            measure(name, &scenario, kind, queue, &arguments)?;
        }
    }
    println!(
        "\nBest of {} runs each, records {}. calibrate: million steps of the fixed kernel a CPU second, best of the runs in\n\
         turn with the scenario; hops/step: packet-hops done in the time of one such step.",
        arguments.runs,
        if arguments.without_records { "off" } else { "on" }
    );
    Ok(())
}

fn measure(name: &str, scenario: &Scenario, kind: Kind, queue: &str, arguments: &Arguments) -> Result<()> {
    let (mut best, mut calibrate, mut hops, mut events) = (f64::MAX, f64::MAX, 0, 0);
    for _ in 0..arguments.runs.max(1) {
        let start = ProcessTime::now();
        calibrate::kernel();
        calibrate = calibrate.min(start.elapsed().as_secs_f64());
        let summary = run_with(kind, scenario, arguments)?;
        best = best.min(summary.cpu_seconds);
        (hops, events) = (summary.packet_hops, summary.events);
    }
    let rate = hops as f64 / best;
    let steps = calibrate::STEPS as f64 / calibrate;
    let instructions = match arguments.instructions {
        true => format!("{:.0}", instructions(name, queue, arguments)?),
        false => "-".to_owned(),
    };
    println!(
        "{name:<15} {queue:<6} {hops:>13} {:>10.2} {best:>9.3} {:>8.1} {:>10.3} M {:>7.2} M {:>11.3} {instructions:>9}",
        events as f64 / hops as f64,
        1e9 / rate,
        rate / 1e6,
        steps / 1e6,
        rate / steps,
    );
    Ok(())
}

/// Instructions a packet-hop: the difference of two runs of different length, so that start-up does not count.
fn instructions(name: &str, queue: &str, arguments: &Arguments) -> Result<f64> {
    let count = |run_time: &str| -> Result<(f64, f64)> {
        let mut set = arguments.set.clone();
        set.push("SimulationParameters.WarmUp=0".to_owned());
        set.push("SimulationParameters.CoolDown=0".to_owned());
        set.push(format!("SimulationParameters.RunTime={run_time}"));
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe()?)
            .args(["--once", name, "--queue", queue])
            .args(set.iter().flat_map(|setting| ["--set", setting]))
            .args(arguments.without_records.then_some("--without-records"))
            .args(arguments.eager.then_some("--eager"))
            .output()
            .context("cannot start valgrind; install it, or leave --instructions out")?;
        let text = String::from_utf8_lossy(&output.stderr);
        let total = text
            .lines()
            .find_map(|line| line.split_once("Collected :").map(|(_, count)| count.trim()))
            .with_context(|| format!("valgrind printed no count:\n{text}"))?;
        let summary = run_with(Kind::Wheel, &scenario(name, &set)?, arguments)?;
        Ok((total.parse()?, summary.packet_hops as f64))
    };
    let (short, long) = short_and_long(name);
    let (short, long) = (count(short)?, count(long)?);
    Ok((long.0 - short.0) / (long.1 - short.1))
}

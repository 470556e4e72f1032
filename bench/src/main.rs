//! Benchmarks of Packetloom: packet-hops per CPU second of each scenario, and as a ratio to a fixed kernel that is run in
//! turn with it, since machines are noisy.

mod calibrate;
mod hosted;
mod portals;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Parser, ValueEnum};
use cpu_time::ProcessTime;
use packetloom_config::{Scenario, document, overrides, template, validate};
use packetloom_des::queue::{Heap, Queue, Wheel};
use packetloom_sim::progress::Progress;
use packetloom_sim::summary::{ApplicationModel, Summary};
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
    /// Instead of scenarios: Portals puts of 8 bytes with acknowledgement, so many in all, without and with programs in C
    #[arg(long, value_name = "PUTS", num_args = 0..=1, default_missing_value = "200000")]
    portals: Option<u32>,
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

/// A scenario: a template with settings.
struct Known {
    name: &'static str,
    template: &'static str,
    /// Overrides, as of `packetloom run --set`.
    set: &'static [&'static str],
    /// The two lengths, in seconds of data transfer, of the runs that instructions are counted on.
    lengths: (&'static str, &'static str),
}

const SCENARIOS: [Known; 5] = [
    Known {
        name: "rdma-16",
        template: "rdma-16-hosts",
        set: &[],
        lengths: DEFAULT_LENGTHS,
    },
    Known {
        name: "rdma-three-tier",
        template: "rdma-three-tier",
        set: &[],
        lengths: ("0.00003", "0.00006"),
    },
    Known {
        name: "rdma-16k",
        template: "rdma-16k",
        set: &[],
        lengths: ("0.000005", "0.00001"),
    },
    // Short transactions, ten times as many as the template has.
    Known {
        name: "tcp-16",
        template: "tcp-16-hosts",
        set: &[
            "Tcp.RequestRate=5000",
            "Tcp.RequestSizeDistribution=uniform",
            "Tcp.RequestSizeMin=400 B",
            "Tcp.RequestSizeMax=3000 B",
            "Tcp.ReplySizeDistribution=uniform",
            "Tcp.ReplySizeMin=1000 B",
            "Tcp.ReplySizeMax=10000 B",
            "SimulationParameters.RunTime=0.1",
        ],
        lengths: ("0.01", "0.02"),
    },
    // One flow a pair that does not end: its only request is 1 TB, and the next one is a million seconds away.
    Known {
        name: "tcp-bulk",
        template: "tcp-16-hosts",
        set: &[
            "Tcp.NumConnections=1",
            "Tcp.RequestRate=0.000001",
            "Tcp.RequestSizeDistribution=constant",
            "Tcp.RequestSizeMin=1000000000000 B",
            "Tcp.RequestSizeMax=1000000000000 B",
            "SimulationParameters.RunTime=0.02",
        ],
        lengths: ("0.001", "0.002"),
    },
];

/// [`Known::lengths`] of a document.
const DEFAULT_LENGTHS: (&str, &str) = ("0.0015", "0.0025");

fn known(name: &str) -> Option<&'static Known> {
    SCENARIOS.iter().find(|known| known.name == name)
}

fn scenario(name: &str, set: &[String]) -> Result<Scenario> {
    let mut settings: Vec<&str> = Vec::new();
    let mut document = if let Some(known) = known(name) {
        settings.extend(known.set);
        template::document(known.template).map_err(|e| anyhow!("{e}"))?
    } else if name.ends_with(".json") {
        let text = std::fs::read_to_string(name).with_context(|| format!("cannot read {name}"))?;
        document::read(&text).map_err(|e| anyhow!("{name}: {e}"))?
    } else {
        let known: Vec<&str> = SCENARIOS.iter().map(|known| known.name).collect();
        bail!(
            "there is no scenario {name:?}; the scenarios are {}, or the path of a document that ends with .json",
            known.join(", ")
        );
    };
    for setting in settings.into_iter().chain(set.iter().map(String::as_str)) {
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
    if let Some(puts) = arguments.portals {
        return portals::table(puts, arguments.runs);
    }
    if let Some(name) = &arguments.once {
        let scenario = scenario(name, &arguments.set)?;
        run_with(arguments.queue, &scenario, &arguments)?;
        return Ok(());
    }
    let names: Vec<String> = if arguments.scenario.is_empty() {
        SCENARIOS.iter().map(|known| known.name.to_owned()).collect()
    } else {
        arguments.scenario.clone()
    };
    println!(
        "{:<15} {:<6} {:>13} {:>10} {:>9} {:>8} {:>12} {:>9} {:>11} {:>9} {:>12} {:>11}",
        "scenario",
        "queue",
        "packet-hops",
        "events/hop",
        "CPU [s]",
        "ns/hop",
        "hops/CPU s",
        "calibrate",
        "hops/step",
        "instr/hop",
        "trans/CPU s",
        "instr/trans"
    );
    for name in &names {
        let scenario = scenario(name, &arguments.set)?;
        for (kind, queue) in Kind::ALL {
            measure(name, &scenario, kind, queue, &arguments)?;
        }
    }
    println!(
        "\nBest of {} runs each, records {}. calibrate: million steps of the fixed kernel a CPU second, best of the runs in\n\
         turn with the scenario; hops/step: packet-hops done in the time of one such step; trans: transactions of the\n\
         traffic generator.",
        arguments.runs,
        if arguments.without_records { "off" } else { "on" }
    );
    Ok(())
}

/// Transactions of the traffic generator that were completed.
fn transactions(summary: &Summary) -> u64 {
    let generators = summary
        .applications
        .iter()
        .filter(|application| application.model == ApplicationModel::TrafficGenerator);
    generators.map(|application| application.completed).sum()
}

fn measure(name: &str, scenario: &Scenario, kind: Kind, queue: &str, arguments: &Arguments) -> Result<()> {
    let (mut best, mut calibrate, mut last) = (f64::MAX, f64::MAX, Summary::default());
    for _ in 0..arguments.runs.max(1) {
        let start = ProcessTime::now();
        calibrate::kernel();
        calibrate = calibrate.min(start.elapsed().as_secs_f64());
        last = run_with(kind, scenario, arguments)?;
        best = best.min(last.cpu_seconds);
    }
    let hops = last.packet_hops;
    let rate = hops as f64 / best;
    let steps = calibrate::STEPS as f64 / calibrate;
    let counted = match arguments.instructions {
        true => Some(instructions(name, queue, arguments)?),
        false => None,
    };
    let figure = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.0}"));
    let transactions = Some(transactions(&last)).filter(|&count| count > 0);
    println!(
        "{name:<15} {queue:<6} {hops:>13} {:>10.2} {best:>9.3} {:>8.1} {:>10.3} M {:>7.2} M {:>11.3} {:>9} {:>12} {:>11}",
        last.events as f64 / hops as f64,
        1e9 / rate,
        rate / 1e6,
        steps / 1e6,
        rate / steps,
        figure(counted.map(|counted| counted.per_hop)),
        figure(transactions.map(|count| count as f64 / best)),
        figure(counted.and_then(|counted| counted.per_transaction)),
    );
    Ok(())
}

/// Instructions, the difference of two runs of different length, so that start-up does not count.
#[derive(Clone, Copy)]
struct Instructions {
    /// A packet-hop.
    per_hop: f64,
    /// A transaction; none where there are no transactions.
    per_transaction: Option<f64>,
}

fn instructions(name: &str, queue: &str, arguments: &Arguments) -> Result<Instructions> {
    let count = |run_time: &str| -> Result<[f64; 3]> {
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
        Ok([
            total.parse()?,
            summary.packet_hops as f64,
            transactions(&summary) as f64,
        ])
    };
    let (short, long) = known(name).map_or(DEFAULT_LENGTHS, |known| known.lengths);
    let (short, long) = (count(short)?, count(long)?);
    let [total, hops, transactions] = std::array::from_fn(|at| long[at] - short[at]);
    Ok(Instructions {
        per_hop: total / hops,
        per_transaction: (transactions > 0.0).then(|| total / transactions),
    })
}

//! `packetloom portals run`: a program as simulated processes on a platform.

use super::log_file::LogFile;
use crate::failure::Failure;
use crate::interrupt::on_interrupt;
use crate::output::complain;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use packetloom_flow::{Deployment, Platform};
use packetloom_portals_host::{
    Launch, LoadError, Options as HostOptions, ProcessMemory, Report, Run as HostRun, RunError,
    SimulatedMachine, Terminal,
};
use packetloom_sim::portals::{Machine, Options, World};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use std::{env, io};

const EXAMPLES: &str = "\
Examples, in examples/portals:
  packetloom portals cc ring.c                         build ring.so
  packetloom portals run star.xml ring.deploy.xml ring.so ring
  packetloom portals run --prefix star.xml ring.deploy.xml ring.so ring
                                                       output by rank
  packetloom portals run --log runs/ring star.xml ring.deploy.xml ring.so ring
                                                       every transfer, as CSV
  packetloom portals run star.xml ring.deploy.xml ring.so ring 100 --fast
                                                       what follows NAME is for main
  S4BXI_E2E_OFF=1 packetloom portals run star.xml ring.deploy.xml ring.so ring
                                                       S4BXI's variables are heard

Exit codes: 0 all processes ended with 0; else that of the first process that failed,
128 and the signal's number for one that crashed; 1 all wait for ever, or the machine
failed (disk, permissions); 2 bad input; 130 interrupted.
Ctrl-C ends a run with what it has; one more, half a second later or more, ends it at once.";

/// Where launchers of MPI say how many processes they have started.
const RANKS: [&str; 2] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];

/// A run that takes less than this shows nothing of its progress.
const PATIENCE: Duration = Duration::from_secs(1);

/// Run a Portals program as simulated processes.
///
/// PLATFORM says which hosts, NICs and links there are, DEPLOY where processes run; both are files as S4BXI and SimGrid have
/// them. PROGRAM is a shared library that `packetloom portals cc` has built.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Run {
    /// SimGrid platform file (XML)
    platform: PathBuf,

    /// Deployment file (XML): actors user_app, nic_initiator, nic_target and nic_e2e
    deploy: PathBuf,

    /// The program: a shared library with a main
    program: PathBuf,

    /// What the program finds as its own name, argv[0]
    name: String,

    /// Arguments of main, behind those of the deployment; options of this command come before NAME
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,

    /// Write a log of all operations into this folder: operations.csv
    /// [default: S4BXI_LOG_FOLDER, or none]
    #[arg(long, value_name = "DIR")]
    log: Option<PathBuf>,

    /// Begin each line of output with the rank it comes from
    #[arg(long)]
    prefix: bool,

    /// Stack of each thread, KiB
    #[arg(long, value_name = "KIB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(16..=1 << 20))]
    stack_size: u64,

    /// Simulated seconds for each second of processor time that the program takes itself; above 0 runs are not repeatable
    /// [default: S4BXI_CPU_FACTOR or 0]
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    cpu_factor: Option<f64>,

    /// Seconds from the last arrival at a barrier (s4bxi_barrier, PMI_Barrier) to its release, for programs that take a
    /// barrier for a wait on messages under way
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, value_parser = seconds, allow_negative_numbers = true)]
    barrier_latency: f64,

    /// Asked for by name so that it can be refused by name
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "", value_name = "FILE")]
    checkpoint: Option<String>,

    /// Likewise
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "", value_name = "FILE")]
    resume: Option<String>,

    /// Say neither warnings nor how the run ended
    #[arg(long, short)]
    quiet: bool,

    /// Seconds of the machine after which a program that calls nothing is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 10, hide = true)]
    longest_without_call: u64,
}

impl Run {
    /// Runs the program.
    pub fn execute(self) -> Result<(), Failure> {
        let begun = Instant::now();
        let input = |error: &dyn std::fmt::Display| Failure::Input(error.to_string());
        let quiet = self.quiet;
        let warn = |text: String| {
            if !quiet {
                complain(&format!("warning: {text}"));
            }
        };
        self.refuse_what_is_not_there()?;
        let variable = |name: &str| env::var(format!("S4BXI_{name}")).ok();
        let mut options = Options::from_environment(variable, warn).map_err(|error| input(&error))?;
        options.barrier_latency = self.barrier_latency;
        let cpu_factor = self.cpu_factor(variable("CPU_FACTOR"))?;
        let platform = Platform::read(&self.platform).map_err(|error| input(&error))?;
        let deployment = Deployment::read(&self.deploy).map_err(|error| input(&error))?;
        let machine = Machine::new(&platform, &deployment, &options).map_err(|error| input(&error))?;
        machine.warnings.iter().cloned().for_each(warn);
        if cpu_factor > 0.0 {
            warn("with --cpu-factor above 0 the run is not repeatable".to_owned());
        }
        let launches: Vec<Launch> = machine
            .launches
            .iter()
            .map(|launch| Launch {
                name: self.name.clone(),
                arguments: launch.arguments.iter().chain(&self.arguments).cloned().collect(),
            })
            .collect();
        let memories = (0..launches.len() as u32).map(ProcessMemory::new).collect();
        let host_options = HostOptions {
            stack_size: (self.stack_size << 10) as usize,
            cpu_factor,
            longest_without_call: Duration::from_secs(self.longest_without_call.max(1)),
            ..HostOptions::default()
        };
        let interrupt = Arc::clone(&host_options.interrupt);
        on_interrupt(move || interrupt.store(true, Ordering::Relaxed))?;
        let mut world = World::new(platform, &machine, &options, memories).map_err(|error| input(&error))?;
        let run = HostRun::new(&self.program, &launches, host_options).map_err(refused)?;
        let folder = self
            .log
            .clone()
            .or_else(|| variable("LOG_FOLDER").map(PathBuf::from));
        let log = match folder.filter(|folder| folder != Path::new("/dev/null")) {
            Some(folder) => Some(LogFile::begin(&folder)?),
            None => None,
        };
        if let Some(log) = &log {
            world.set_log(log.writer()?);
        }
        let bar = spinner(quiet);
        let shown = bar.clone();
        let mut kernel = SimulatedMachine::new(world, move |now| {
            if begun.elapsed() > PATIENCE {
                shown.set_message(format!("{} simulated", time(now)));
                shown.tick();
            }
        });
        let mut output = Terminal::new(io::stdout(), io::stderr(), self.prefix);
        let report = run.run(&mut kernel, &mut output);
        bar.finish_and_clear();
        let mut world = kernel.into_world();
        let end = world.now();
        // A log is there whole or not at all: that of a run that broke off goes.
        let report = report.map_err(refused)?;
        if let (Some(log), Some(rows)) = (log, world.take_log()) {
            log.finish(rows)?;
        }
        self.tell(&report, launches.len(), end, begun.elapsed())
    }

    /// Runs over several ranks of MPI, and checkpoints: other runs may have them, those of Portals programs have not.
    fn refuse_what_is_not_there(&self) -> Result<(), Failure> {
        if self.checkpoint.is_some() || self.resume.is_some() {
            return Err(Failure::Input(
                "Portals runs have no checkpoints: processes in C cannot be saved; leave --checkpoint and --resume out"
                    .to_owned(),
            ));
        }
        for name in RANKS {
            if env::var(name).is_ok_and(|ranks| ranks.trim().parse().is_ok_and(|ranks: u32| ranks > 1)) {
                return Err(Failure::Input(format!(
                    "Portals runs have no MPI ranks: one process simulates all nodes, and {name} says that there are several; \
                     run it without mpirun"
                )));
            }
        }
        Ok(())
    }

    fn cpu_factor(&self, variable: Option<String>) -> Result<f64, Failure> {
        let (given, factor) = match (self.cpu_factor, variable) {
            (Some(factor), _) => ("--cpu-factor".to_owned(), Some(factor)),
            (None, Some(text)) => (format!("S4BXI_CPU_FACTOR={text}"), text.parse().ok()),
            (None, None) => return Ok(0.0),
        };
        factor
            .filter(|factor: &f64| factor.is_finite() && *factor >= 0.0)
            .ok_or_else(|| Failure::Input(format!("{given}: a number of at least 0 is expected")))
    }

    /// Says how the run ended, and makes its exit code of that.
    fn tell(&self, report: &Report, processes: usize, end: f64, took: Duration) -> Result<(), Failure> {
        for failure in &report.failures {
            complain(&format!("error: {failure}"));
        }
        if let Some(waiting) = &report.deadlock {
            complain(&format!(
                "error: deadlock at {}: nothing is under way any more, and",
                time(end)
            ));
            for thread in waiting {
                complain(&format!("  {thread}"));
            }
        }
        if report.interrupted {
            complain(&format!("interrupted at {} (simulated)", time(end)));
            return Err(Failure::Interrupted);
        }
        let code = report.exit_code();
        if code == 0 && !self.quiet {
            complain(&format!(
                "{processes} process{} ended at {} (simulated), after {:.2} s",
                if processes == 1 { "" } else { "es" },
                time(end),
                took.as_secs_f64()
            ));
        }
        match u8::try_from(code) {
            Ok(0) => Ok(()),
            Ok(code) => Err(Failure::Child(code)),
            Err(_) => Err(Failure::Child(1)),
        }
    }
}

/// A span of seconds, 0 or above.
fn seconds(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|span: &f64| span.is_finite() && *span >= 0.0)
        .ok_or_else(|| "seconds of at least 0 are expected, as in 1e-6".to_owned())
}

/// Why a run did not start, or broke off.
fn refused(error: RunError) -> Failure {
    match error {
        RunError::Load(LoadError::Copy { .. }) => Failure::Machine(error.to_string()),
        RunError::Load(_) | RunError::Argument(_) | RunError::Machine(_) => Failure::Input(error.to_string()),
        RunError::Output(error) => Failure::Machine(format!(
            "cannot write to standard output: {error}; redirect it elsewhere"
        )),
        _ => Failure::Machine(error.to_string()),
    }
}

/// A simulated time with its unit.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.3} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.3} us", s * 1e6),
        s if s < 1.0 => format!("{:.3} ms", s * 1e3),
        s => format!("{s:.3} s"),
    }
}

fn spinner(quiet: bool) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_draw_target(if quiet {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    });
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar
}

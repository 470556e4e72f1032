//! What the process of a simulation does: it takes an order on its input, runs, and tells how it goes on its output.

use super::log::{Level, Log};
use super::protocol::{FromJob, Order, ToJob};
use crate::scenario;
use packetloom_config::document::from_value;
use packetloom_sim::progress::Progress;
use packetloom_sim::summary::Summary;
use packetloom_sim::{RunError, RunOptions};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How often the process tells how far it has come.
const TELL: Duration = Duration::from_millis(250);

/// Takes one order from standard input and carries it out. `progress` may be interrupted from outside.
///
/// # Errors
/// When there is no order, or nobody listens; everything else is told to the server.
pub fn run(progress: &Arc<Progress>) -> io::Result<()> {
    let mut first = String::new();
    io::stdin().lock().read_line(&mut first)?;
    let order: Order = serde_json::from_str(&first)?;
    let _lock = hold(&order.lock)?;
    let listener = Arc::clone(progress);
    thread::spawn(move || listen(&listener));
    let log = Log::of(&order.folder);
    let done = Arc::new(AtomicBool::new(false));
    let teller = thread::spawn({
        let (done, progress) = (Arc::clone(&done), Arc::clone(progress));
        move || {
            while !done.load(Ordering::Relaxed) {
                thread::park_timeout(TELL);
                // Nobody to tell is found out by the listener.
                let _ = tell(&reached(&progress));
            }
        }
    });
    let result = simulate(&order, progress, &log);
    done.store(true, Ordering::Relaxed);
    teller.thread().unpark();
    let _ = teller.join();
    tell(&reached(progress))?;
    tell(&match result {
        Ok(summary) => FromJob::Ended {
            interrupted: summary.interrupted,
            summary: serde_json::to_value(&summary)?,
        },
        Err(reason) => {
            // The disk may be full, which is then the reason.
            let _ = log.add(Level::Error, "simulation", &reason);
            FromJob::Failed { reason }
        }
    })
}

/// Locks a file for as long as this process lives, and leaves its number in it.
fn hold(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)?;
    file.try_lock().map_err(io::Error::from)?;
    // Too small to matter on a full disk; without the number the lock still says what it has to.
    let _ = file
        .set_len(0)
        .and_then(|()| write!(file, "{}", std::process::id()));
    Ok(file)
}

/// Ends the run when the server says so, or is gone.
fn listen(progress: &Progress) {
    let mut line = String::new();
    loop {
        line.clear();
        match io::stdin().lock().read_line(&mut line) {
            Ok(0) | Err(_) => break progress.interrupt(),
            Ok(_) => {
                if let Ok(ToJob::Terminate) = serde_json::from_str(&line) {
                    progress.interrupt();
                }
            }
        }
    }
}

fn reached(progress: &Progress) -> FromJob {
    let (simulated_ps, stop_ps) = progress.simulated();
    FromJob::Progress {
        simulated_ps,
        stop_ps,
        events: progress.events(),
        packet_hops: progress.packet_hops(),
    }
}

fn tell(message: &FromJob) -> io::Result<()> {
    let mut line = serde_json::to_string(message)?;
    line.push('\n');
    let mut output = io::stdout().lock();
    output.write_all(line.as_bytes())?;
    output.flush()
}

/// Runs the order; the reason if that does not come to its end.
fn simulate(order: &Order, progress: &Arc<Progress>, log: &Log) -> Result<Summary, String> {
    let mut document = from_value(&order.document).map_err(|errors| errors.to_string())?;
    document.base = Some(order.files.clone());
    let checked = scenario::check(&document).map_err(|errors| errors.to_string())?;
    let told = |error: io::Error| format!("cannot write into the folder of the simulation: {error}");
    log.add(
        Level::Info,
        "simulation",
        &format!(
            "{} starts: {} hosts, seed {}",
            order.name,
            checked.plan.hosts(),
            checked.seed
        ),
    )
    .map_err(told)?;
    for warning in &checked.warnings {
        log.add(Level::Warning, "configuration", warning).map_err(told)?;
    }
    write_whole(
        &order.folder.join("configuration.json"),
        &pretty(&scenario::complete(&document))?,
    )
    .map_err(told)?;
    let options = RunOptions::new(order.name.clone(), order.folder.clone());
    let summary = packetloom_sim::run(&checked, &options, progress).map_err(|error| match error {
        RunError::Input(message) | RunError::Machine(message) => message,
    })?;
    for warning in summary
        .warnings
        .iter()
        .filter(|warning| !checked.warnings.contains(warning))
    {
        log.add(Level::Warning, "simulation", warning).map_err(told)?;
    }
    write_whole(&order.folder.join("summary.json"), &pretty(&summary)?).map_err(told)?;
    let how = if summary.interrupted {
        "was ended"
    } else {
        "came to its end"
    };
    let line = format!(
        "{} {how} at {} of simulated time: {} events in {}",
        order.name,
        crate::text::seconds(summary.simulated_seconds),
        summary.events,
        crate::text::seconds(summary.wall_seconds)
    );
    log.add(Level::Info, "simulation", &line).map_err(told)?;
    Ok(summary)
}

fn pretty(value: &impl serde::Serialize) -> Result<String, String> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(|error| error.to_string())
}

/// Writes a file under another name first.
pub(crate) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let part = path.with_extension("part");
    let written = File::create(&part).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_data()
    });
    written.and_then(|()| fs::rename(&part, path)).inspect_err(|_| {
        let _ = fs::remove_file(&part);
    })
}

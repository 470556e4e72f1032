//! One simulation while it runs: its process, what it tells, and what it came to.

use super::log::{Level, Log};
use super::protocol::{FromJob, LONGEST_LINE, Order, ToJob};
use super::{Live, Running, Stop};
use crate::platform::App;
use crate::scenario::files_folder;
use crate::store::simulations::Reached;
use crate::store::simulations::SimulationStatus::{self, Completed, Failed, Terminated};
use crate::text;
use futures_util::StreamExt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio_util::codec::{FramedRead, LinesCodec};

/// How often a running simulation's progress is written down.
const WRITE_DOWN: Duration = Duration::from_secs(5);
/// How long a simulation may take to end when it is asked to.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest name with which files begin, in characters; a name has only ASCII ones.
const LONGEST_FILE_NAME: usize = 200;
/// How much of what the process says on its standard error is kept: the end.
const COMPLAINT: usize = 2_000;

/// The folder of the locks that processes hold.
pub(super) fn locks(data: &Path) -> PathBuf {
    data.join("jobs")
}

/// The file that the process of simulation `id` holds locked.
pub(super) fn lock_of(data: &Path, id: &str) -> PathBuf {
    locks(data).join(format!("{id}.lock"))
}

/// Counts a simulation as running.
pub(super) fn register(app: &App, id: &str) -> mpsc::Receiver<Stop> {
    let (stop, asked) = mpsc::channel(1);
    let live = Live {
        reached: Reached::default(),
        since: Instant::now(),
    };
    app.jobs.running().insert(id.to_owned(), Running { live, stop });
    asked
}

/// What a simulation came to.
struct End {
    status: SimulationStatus,
    reason: Option<String>,
    summary: Option<String>,
}

impl End {
    fn failed(reason: impl Into<String>) -> End {
        End {
            status: Failed,
            reason: Some(reason.into()),
            summary: None,
        }
    }
}

/// Runs a simulation that has been counted as running, to its end.
pub(super) async fn run(app: App, id: String, mut asked: mpsc::Receiver<Stop>) {
    let begun = Instant::now();
    let end = match start(&app, &id).await {
        Ok((child, input)) => watch(&app, &id, child, input, &mut asked).await,
        Err(reason) => End::failed(reason),
    };
    let reached = app.jobs.live(&id).map(|live| live.reached);
    if let Some(reason) = &end.reason {
        let log = Log::of(&app.results.of(&id));
        if let Err(error) = log.add(Level::Error, "server", reason) {
            tracing::warn!(simulation = id, %error, "its log cannot be written");
        }
        tracing::warn!(simulation = id, reason, "a simulation failed");
    }
    metrics::histogram!("packetloom_simulation_seconds").record(begun.elapsed().as_secs_f64());
    loop {
        match app
            .store
            .end_simulation(
                &id,
                end.status,
                end.reason.as_deref(),
                reached,
                end.summary.as_deref(),
            )
            .await
        {
            Ok(_) => break,
            Err(error) => {
                tracing::error!(simulation = id, %error, "the end of a simulation cannot be written down; trying again");
                if app.jobs.closing() && begun.elapsed() > PATIENCE {
                    break; // found by the next start
                }
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    }
    let _ = std::fs::remove_file(lock_of(&app.options.data, &id));
    app.jobs.running().remove(&id);
    app.jobs.ended(&id, end.status);
}

/// Starts the process and gives it its order.
async fn start(app: &App, id: &str) -> Result<(Child, ChildStdin), String> {
    let row = app
        .store
        .simulation(id)
        .await
        .map_err(|error| format!("the database failed: {error}"))?;
    let document = app
        .store
        .simulation_document(id)
        .await
        .map_err(|error| format!("the database failed: {error}"))?;
    let (Some(row), Some(document)) = (row, document) else {
        return Err("it was deleted before it ran".to_owned());
    };
    let folder = app.results.of(id);
    let made =
        std::fs::create_dir_all(&folder).and_then(|()| std::fs::create_dir_all(locks(&app.options.data)));
    made.map_err(|error| format!("cannot make the folder of its results: {error}"))?;
    let order = Order {
        // Names of files have less room: what is longer is cut there.
        name: row.name.chars().take(LONGEST_FILE_NAME).collect(),
        document: serde_json::from_str(&document)
            .map_err(|error| format!("its document cannot be read: {error}"))?,
        folder,
        files: files_folder(&app.options.data),
        lock: lock_of(&app.options.data, id),
    };
    let mut line = serde_json::to_string(&order).map_err(|error| error.to_string())?;
    line.push('\n');
    let mut child = Command::new(&app.options.program)
        .arg("job")
        // Found by whoever looks for the process of a simulation.
        .arg(id)
        // Ctrl-C in the server's terminal is the server's business.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("its process cannot be started: {error}"))?;
    let Some(mut input) = child.stdin.take() else {
        return Err("its process has no input".to_owned());
    };
    // A process that dies at once is found out by its exit.
    if let Err(error) = input.write_all(line.as_bytes()).await {
        tracing::warn!(simulation = id, %error, "its process did not take its order");
    }
    Ok((child, input))
}

/// Follows the process to its end.
async fn watch(
    app: &App,
    id: &str,
    mut child: Child,
    mut input: ChildStdin,
    asked: &mut mpsc::Receiver<Stop>,
) -> End {
    let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
        return End::failed("its process has no output");
    };
    let complaint = tokio::spawn(tail(errors));
    let mut lines = FramedRead::new(output, LinesCodec::new_with_max_length(LONGEST_LINE));
    let (mut stop, mut deadline, mut told) = (None, None, None);
    let mut written = Instant::now();
    loop {
        let patience = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            line = lines.next() => match line {
                None => break,
                Some(Err(error)) => {
                    told = Some(Err(format!("its process said something that is no message: {error}")));
                    let _ = child.start_kill();
                    break;
                }
                Some(Ok(line)) => match serde_json::from_str(&line) {
                    Ok(FromJob::Progress { simulated_ps, stop_ps, events, packet_hops }) => {
                        let reached = Reached { simulated_ps, stop_ps, events, packet_hops };
                        if let Some(running) = app.jobs.running().get_mut(id) {
                            running.live.reached = reached;
                        }
                        app.jobs.tell(id, SimulationStatus::Running);
                        if written.elapsed() >= WRITE_DOWN {
                            written = Instant::now();
                            if let Err(error) = app.store.reach(id, reached).await {
                                tracing::warn!(simulation = id, %error, "its progress cannot be written down");
                            }
                        }
                    }
                    Ok(FromJob::Ended { interrupted, summary }) => told = Some(Ok((interrupted, summary.to_string()))),
                    Ok(FromJob::Failed { reason }) => told = Some(Err(reason)),
                    // Something printed by accident is no reason to fail.
                    Err(error) => tracing::warn!(simulation = id, %error, "a line of its process is no message"),
                },
            },
            Some(why) = asked.recv() => {
                stop = stop.or(Some(why));
                deadline = deadline.or(Some(tokio::time::Instant::now() + PATIENCE));
                let message = serde_json::to_string(&ToJob::Terminate).unwrap_or_default() + "\n";
                // A process that is gone already needs no telling.
                let _ = input.write_all(message.as_bytes()).await;
            }
            () = patience => {
                let _ = child.start_kill();
                deadline = None;
            }
        }
    }
    drop(input);
    let status = child.wait().await;
    let complaint = complaint.await.unwrap_or_default();
    let reached = app.jobs.live(id).map_or(Reached::default(), |live| live.reached);
    judge(stop, told, status, &complaint, reached)
}

/// What it came to, from what it was asked, what it told, and how its process ended.
fn judge(
    stop: Option<Stop>,
    told: Option<Result<(bool, String), String>>,
    status: io::Result<ExitStatus>,
    complaint: &str,
    reached: Reached,
) -> End {
    let up_to = up_to(reached);
    match (told, stop) {
        (Some(Ok((false, summary))), _) => End {
            status: Completed,
            reason: None,
            summary: Some(summary),
        },
        (Some(Ok((true, summary))), Some(Stop::Terminated)) => End {
            status: Terminated,
            reason: None,
            summary: Some(summary),
        },
        (Some(Ok((true, summary))), Some(Stop::Shutdown)) => End {
            summary: Some(summary),
            ..End::failed(format!("the server was shut down while it ran; {up_to}"))
        },
        (Some(Ok((true, summary))), None) => End {
            summary: Some(summary),
            ..End::failed(format!("its process was asked to end from outside; {up_to}"))
        },
        (Some(Err(reason)), _) => End::failed(format!("{reason}; {up_to}")),
        (None, _) => {
            let how = match status {
                Ok(status) => how_it_ended(status),
                Err(error) => format!("ended in a way that is not known ({error})"),
            };
            let complaint = match complaint.trim() {
                "" => String::new(),
                said => format!(", saying: {said}"),
            };
            End::failed(format!("its process {how}{complaint}; {up_to}"))
        }
    }
}

/// How far the records of a simulation that did not end reach.
pub(super) fn up_to(reached: Reached) -> String {
    match reached.simulated_ps {
        0 => "it had not begun to simulate".to_owned(),
        ps => format!(
            "its records reach up to about {} of simulated time",
            text::seconds(ps as f64 / 1e12)
        ),
    }
}

#[cfg(unix)]
fn how_it_ended(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code} before its time"),
        (None, Some(9)) => {
            "was killed (signal 9, SIGKILL: by somebody, or by the system for lack of memory)".to_owned()
        }
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended in a way that is not known".to_owned(),
    }
}

#[cfg(not(unix))]
fn how_it_ended(status: ExitStatus) -> String {
    format!("ended before its time ({status})")
}

/// The end of what comes.
async fn tail(mut from: impl tokio::io::AsyncRead + Unpin) -> String {
    let (mut kept, mut buffer) = (Vec::new(), [0; 4_096]);
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        kept.extend_from_slice(&buffer[..read]);
        let over = kept.len().saturating_sub(COMPLAINT);
        kept.drain(..over);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(stop: Option<Stop>, told: Option<Result<(bool, String), String>>) -> (SimulationStatus, String) {
        let reached = Reached {
            simulated_ps: 2_500_000_000,
            ..Reached::default()
        };
        let end = judge(stop, told, Ok(ExitStatus::default()), " oh\n", reached);
        (end.status, end.reason.unwrap_or_default())
    }

    #[test]
    fn every_end_has_its_status_and_reason() {
        let ok = |interrupted| Some(Ok((interrupted, "{}".to_owned())));
        assert_eq!(end(None, ok(false)), (Completed, String::new()));
        // It came to its end before it heard.
        assert_eq!(end(Some(Stop::Terminated), ok(false)), (Completed, String::new()));
        assert_eq!(end(Some(Stop::Terminated), ok(true)), (Terminated, String::new()));
        let (status, reason) = end(Some(Stop::Shutdown), ok(true));
        assert_eq!(status, Failed);
        assert!(
            reason.contains("shut down") && reason.contains("2.5ms"),
            "{reason}"
        );
        let (status, reason) = end(None, Some(Err("disk full".to_owned())));
        assert_eq!(status, Failed);
        assert!(reason.starts_with("disk full; "), "{reason}");
        let (status, reason) = end(Some(Stop::Terminated), None);
        assert_eq!(status, Failed);
        assert!(
            reason.contains("exit code 0") && reason.contains("saying: oh"),
            "{reason}"
        );
    }
}

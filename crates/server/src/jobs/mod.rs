//! Simulations in processes of their own, so that neither a crash nor a lack of memory of one takes the server down.
//!
//! - `queue`: checking what comes, and giving each its turn
//! - `child`: one simulation while it runs
//! - `recovery`: what a server that died has left
//! - [`process`]: what runs in the process; [`protocol`]: what it and the server say to each other
//! - [`log`]: the log of a simulation
//!
//! **Invariant: a change of status is written before it acts.** So whenever the server dies, what is in the database tells
//! what may have been done, and nothing is done twice.

mod child;
pub mod log;
pub mod process;
pub mod protocol;
mod queue;
mod recovery;

use crate::platform::App;
use crate::store::simulations::{Reached, SimulationStatus};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::{Notify, broadcast, mpsc};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tokio_util::task::TaskTracker;

/// Something that happened to a simulation.
#[derive(Clone, Debug)]
pub struct Event {
    /// To which one.
    pub id: String,
    /// How it stands now.
    pub status: SimulationStatus,
}

/// How far a running simulation has come, and how fast.
#[derive(Clone, Copy, Debug)]
pub struct Live {
    /// How far.
    pub reached: Reached,
    /// When it began.
    pub since: Instant,
}

/// A running simulation, as the rest of the server sees it.
#[derive(Debug)]
struct Running {
    live: Live,
    stop: mpsc::Sender<Stop>,
}

/// Why a running simulation is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Somebody asked for it.
    Terminated,
    /// The server is going away.
    Shutdown,
}

/// Simulations that run and wait.
#[derive(Debug)]
pub struct Jobs {
    /// How many run at once.
    pub slots: usize,
    running: Mutex<HashMap<String, Running>>,
    /// Rung when a simulation may have to start.
    bell: Notify,
    events: broadcast::Sender<Event>,
    /// Cancelled when nobody is told anything any more.
    silent: CancellationToken,
    closing: AtomicBool,
    tasks: TaskTracker,
}

/// Events kept for a listener that is slow; it misses what is older.
const EVENTS: usize = 1_024;

impl Jobs {
    /// With room for `slots` at once.
    pub fn new(slots: usize) -> Self {
        Jobs {
            slots,
            running: Mutex::default(),
            bell: Notify::new(),
            events: broadcast::channel(EVENTS).0,
            silent: CancellationToken::new(),
            closing: AtomicBool::new(false),
            tasks: TaskTracker::new(),
        }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, Running>> {
        // Nothing in there is left half done by a panic.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far a simulation has come, if it runs.
    pub fn live(&self, id: &str) -> Option<Live> {
        self.running().get(id).map(|running| running.live)
    }

    /// What happens from now on.
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// Ends all that is listened to: whoever follows a simulation would otherwise hold a server that wants to end.
    pub(crate) fn fall_silent(&self) {
        self.silent.cancel();
    }

    /// Comes when there is nothing more to listen to.
    pub(crate) fn silence(&self) -> WaitForCancellationFutureOwned {
        self.silent.clone().cancelled_owned()
    }

    pub(crate) fn tell(&self, id: &str, status: SimulationStatus) {
        // Nobody may listen.
        let _ = self.events.send(Event {
            id: id.to_owned(),
            status,
        });
    }

    /// Tells that a simulation has ended, and that there may be room for another.
    pub(crate) fn ended(&self, id: &str, status: SimulationStatus) {
        metrics::counter!("packetloom_simulations_ended_total", "status" => status.as_str()).increment(1);
        self.tell(id, status);
        self.bell.notify_one();
    }

    /// Lets whoever follows a simulation find out that it was deleted, and whatever waits behind it have its turn.
    pub(crate) fn gone(&self, id: &str) {
        self.tell(id, SimulationStatus::Terminated);
        self.bell.notify_one();
    }

    fn closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// Asks a running simulation to end; whether it runs.
    pub(crate) fn stop(&self, id: &str, why: Stop) -> bool {
        let stop = self.running().get(id).map(|running| running.stop.clone());
        // One that is full has been asked already, and one that is closed is ending.
        stop.map(|stop| stop.try_send(why)).is_some()
    }

    /// Starts what there is to start: takes care of what an earlier server left, then gives the waiting their turns.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn start(&self, app: &App) -> Result<(), crate::store::StoreError> {
        recovery::recover(app).await?;
        for id in app.store.simulations_with(SimulationStatus::Validating).await? {
            self.submit(app, id);
        }
        let waiting = app.clone();
        self.tasks.spawn(queue::take_turns(waiting));
        Ok(())
    }

    /// Has a simulation checked and put into the queue.
    pub(crate) fn submit(&self, app: &App, id: String) {
        self.tasks.spawn(queue::check(app.clone(), id));
    }

    /// Ends: running simulations are asked to end with whole files, waiting ones stay for the next start.
    pub async fn shutdown(&self) {
        self.closing.store(true, Ordering::Relaxed);
        let running: Vec<String> = self.running().keys().cloned().collect();
        for id in running {
            self.stop(&id, Stop::Shutdown);
        }
        self.bell.notify_one();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

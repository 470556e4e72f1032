//! Checking what comes, and giving each its turn, those asked for first first.

use super::child;
use crate::api::configurations::stored;
use crate::platform::App;
use crate::scenario::scenario;
use crate::store::StoreError;
use crate::store::simulations::SimulationStatus::{Failed, Provisioning, Running, Validating};
use std::time::Duration;

/// How long to wait before the database is asked again after it failed.
const PAUSE: Duration = Duration::from_secs(1);

/// Checks the document of a simulation, which then waits for its turn or has failed.
pub(super) async fn check(app: App, id: String) {
    while let Err(error) = checked(&app, &id).await {
        tracing::error!(simulation = id, %error, "the database failed while a simulation was checked; trying again");
        if app.jobs.closing() {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn checked(app: &App, id: &str) -> Result<(), StoreError> {
    let Some(document) = app.store.simulation_document(id).await? else {
        return Ok(()); // deleted meanwhile
    };
    let wrong = match stored(&document) {
        Err(_) => Some("its document cannot be read".to_owned()),
        Ok(document) => scenario(app, &document)
            .await
            .err()
            .map(|errors| errors.to_string()),
    };
    match wrong {
        Some(reason) => {
            if app
                .store
                .end_simulation(id, Failed, Some(&reason), None, None)
                .await?
            {
                app.jobs.ended(id, Failed);
            }
        }
        None => {
            if app.store.move_simulation(id, Validating, Provisioning).await? {
                app.jobs.tell(id, Provisioning);
                app.jobs.bell.notify_one();
            }
        }
    }
    Ok(())
}

/// Starts waiting simulations as slots come free.
pub(super) async fn take_turns(app: App) {
    while !app.jobs.closing() {
        match next(&app).await {
            Ok(true) => continue,
            Ok(false) => app.jobs.bell.notified().await,
            Err(error) => {
                tracing::error!(%error, "the database failed while simulations wait; trying again");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Starts the next one if there is one and room for it; whether it did.
async fn next(app: &App) -> Result<bool, StoreError> {
    let running = app.jobs.running().len();
    metrics::gauge!("packetloom_simulations_running").set(running as f64);
    if running >= app.jobs.slots || app.jobs.closing() {
        return Ok(false);
    }
    let Some(id) = app.store.next_simulation().await? else {
        return Ok(false);
    };
    // Counted before it is written, so that one that stands as running can always be asked to end.
    let stop = child::register(app, &id);
    // Written before it runs: whatever happens now, it does not run again.
    match app.store.move_simulation(&id, Provisioning, Running).await {
        Ok(true) => {
            app.jobs.tell(&id, Running);
            app.jobs.tasks.spawn(child::run(app.clone(), id, stop));
        }
        // Somebody ended it meanwhile, or it is tried again.
        other => {
            app.jobs.running().remove(&id);
            other?;
        }
    }
    Ok(true)
}

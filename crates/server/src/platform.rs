//! The parts put together.

use crate::jobs::Jobs;
use crate::options::ServeOptions;
use crate::results::Results;
use crate::store::Store;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Why the server did not start, or ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// What it was asked for cannot be.
    #[error("{0}")]
    Input(String),
    /// The machine failed.
    #[error("{0}")]
    Machine(String),
}

/// Everything a request may need.
#[derive(Debug)]
pub struct Platform {
    /// How to serve.
    pub options: ServeOptions,
    /// The database.
    pub store: Store,
    /// The files of simulations.
    pub results: Results,
    /// Simulations that run and wait.
    pub jobs: Jobs,
    /// Heavy work in requests (checking documents, computing data) takes one of these permits, one a core.
    pub heavy: Arc<Semaphore>,
}

/// What handlers share.
pub type App = Arc<Platform>;

impl Platform {
    /// Opens the folder of data and everything in it. Nothing runs yet.
    ///
    /// # Errors
    /// When the folder cannot be used.
    pub async fn open(options: ServeOptions) -> Result<App, ServeError> {
        let store = Store::open(&options.data).await?;
        let results = Results::open(&options.data, &store).await?;
        let jobs = Jobs::new(options.jobs);
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        Ok(Arc::new(Platform {
            options,
            store,
            results,
            jobs,
            heavy: Arc::new(Semaphore::new(cores)),
        }))
    }
}

/// Serves until SIGTERM or Ctrl-C.
///
/// # Errors
/// When it cannot start.
pub async fn serve(options: ServeOptions) -> Result<(), ServeError> {
    let app = Platform::open(options).await?;
    crate::listen::run(app).await
}

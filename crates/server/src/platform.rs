//! The parts put together.

use crate::api::auth::Known;
use crate::jobs::Jobs;
use crate::listen;
use crate::options::ServeOptions;
use crate::results::Results;
use crate::scenario::files_folder;
use crate::store::Store;
use crate::telemetry;
use crate::viewer::{self, ShownRun};
use std::fs::{File, OpenOptions, TryLockError};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

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
    /// Tokens that were right a moment ago.
    pub known: Known,
    /// When its health was last found to be good.
    pub health: tokio::sync::Mutex<Option<Instant>>,
    /// When it was opened.
    pub since: Instant,
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
        let files = files_folder(&options.data);
        std::fs::create_dir_all(&files)
            .map_err(|error| ServeError::Machine(format!("{}: {error}", files.display())))?;
        Ok(Arc::new(Platform {
            options,
            store,
            results,
            jobs,
            heavy: Arc::new(Semaphore::new(cores)),
            known: Known::default(),
            health: tokio::sync::Mutex::default(),
            since: Instant::now(),
        }))
    }
}

/// Makes the folder of data, for its owner alone: it holds the key that links are signed with.
fn private(data: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(data)
}

/// Keeps other servers off the folder of data for as long as it lives.
fn claim(data: &Path) -> Result<File, ServeError> {
    let path = data.join("server.lock");
    let failed = |error: &dyn std::fmt::Display| ServeError::Machine(format!("{}: {error}", path.display()));
    private(data).map_err(|error| failed(&error))?;
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|error| failed(&error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(ServeError::Input(format!(
            "another server uses {}; stop it, or give another folder with --data",
            data.display()
        ))),
        Err(TryLockError::Error(error)) => Err(failed(&error)),
    }
}

/// What there is to tell when the server is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Where it listens.
    pub address: SocketAddr,
    /// The token that was made because there was none.
    pub first_token: Option<String>,
}

/// Serves until `end` is cancelled. `ready` is called once, when requests are answered.
///
/// # Errors
/// When it cannot start.
pub async fn serve(
    options: ServeOptions,
    end: CancellationToken,
    ready: impl FnOnce(Ready),
) -> Result<(), ServeError> {
    serve_with(options, Vec::new(), end, ready).await
}

/// Shows `runs` until `end` is cancelled, on `listen`, with the folder `data` for what is computed. There is a token, which
/// `ready` is told.
///
/// # Errors
/// When it cannot start.
pub async fn show(
    runs: Vec<ShownRun>,
    listen: SocketAddr,
    data: PathBuf,
    end: CancellationToken,
    ready: impl FnOnce(Ready),
) -> Result<(), ServeError> {
    let options = ServeOptions {
        listen,
        data,
        jobs: 0,
        no_auth: false,
        program: PathBuf::new(), // nothing is run
        connections: 1_024,
        shows_only: true,
    };
    serve_with(options, runs, end, ready).await
}

async fn serve_with(
    options: ServeOptions,
    runs: Vec<ShownRun>,
    end: CancellationToken,
    ready: impl FnOnce(Ready),
) -> Result<(), ServeError> {
    if options.no_auth && !options.listen.ip().is_loopback() {
        return Err(ServeError::Input(format!(
            "--no-auth: whoever can reach {} could do everything; listen on 127.0.0.1, or leave it out and use tokens",
            options.listen.ip()
        )));
    }
    let _claim = claim(&options.data)?;
    telemetry::start_metrics();
    let app = Platform::open(options).await?;
    // Before anything is started, so that a server that cannot listen changes nothing.
    let listener = listen::bind(&app).await?;
    let failed = |error: &dyn std::fmt::Display| ServeError::Machine(format!("the database: {error}"));
    let address = listener
        .local_addr()
        .map_err(|error| ServeError::Machine(error.to_string()))?;
    let first_token = match app.options.no_auth
        || !app
            .store
            .tokens()
            .await
            .map_err(|error| failed(&error))?
            .is_empty()
    {
        true => None,
        false => app
            .store
            .create_token("first")
            .await
            .map_err(|error| failed(&error))?,
    };
    for run in runs {
        viewer::add(&app, run).await?;
    }
    app.jobs.start(&app).await.map_err(|error| failed(&error))?;
    crate::api::workspaces::finish_deletions(&app)
        .await
        .map_err(|error| failed(&error))?;
    tracing::info!(%address, data = %app.options.data.display(), jobs = app.options.jobs, "the server is ready");
    ready(Ready { address, first_token });
    tokio::select! {
        () = listen::serve(&app, listener, end) => {}
        () = telemetry::keep_metrics_small() => {}
    }
    tracing::info!("the server ends");
    app.jobs.shutdown().await;
    app.store.close().await;
    Ok(())
}

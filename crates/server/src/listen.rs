//! Connections: how many there may be, and how slow.

use crate::api;
use crate::platform::{App, ServeError};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long the head of a request may take, and a connection be idle.
const HEAD: Duration = Duration::from_secs(10);
/// How long a client may not take what it is sent.
const STALL: Duration = Duration::from_secs(60);
/// How long requests may take to end when the server ends.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most that the head of a request may be, in bytes; a body has a limit of its own.
const LARGEST_HEAD: usize = 64 << 10;

/// Opens the address.
///
/// # Errors
/// When it cannot be had.
pub async fn bind(app: &App) -> Result<TcpListener, ServeError> {
    let address = app.options.listen;
    TcpListener::bind(address).await.map_err(|error| {
        ServeError::Machine(format!(
            "cannot listen on {address}: {error}; give another address with --listen"
        ))
    })
}

/// Files that are open besides connections: the database, records that are read, pipes to simulations.
const OTHER_FILES: u64 = 512;

/// Allows as many open files as the connections need, as far as the system lets it: many systems start programs with 1,024.
#[cfg(unix)]
fn allow_files(connections: usize) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let needed = (connections as u64).saturating_add(OTHER_FILES);
    let mut limit = getrlimit(Resource::Nofile);
    // None is no limit.
    if limit.current.is_none_or(|now| now >= needed) {
        return;
    }
    let allowed = limit.maximum.map_or(needed, |most| most.min(needed));
    limit.current = Some(allowed);
    let done = setrlimit(Resource::Nofile, limit);
    if done.is_err() || allowed < needed {
        tracing::warn!(
            connections,
            needed,
            "the limit on open files (ulimit -n) is too low for so many connections"
        );
    }
}

/// Serves connections until `end` is cancelled, then lets requests come to their end.
pub async fn serve(app: &App, listener: TcpListener, end: CancellationToken) {
    #[cfg(unix)]
    allow_files(app.options.connections);
    let service = TowerToHyperService::new(api::router(app.clone()));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(LARGEST_HEAD)
        .keep_alive(true);
    let places = Arc::new(Semaphore::new(app.options.connections));
    let (connections, mut complaints) = (TaskTracker::new(), Complaints::default());
    loop {
        let accepted = tokio::select! {
            () = end.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Too many open files, or a client that has gone already: neither is the end.
                complaints.say(|| tracing::warn!(%error, "a connection cannot be accepted"));
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            metrics::counter!("packetloom_connections_refused_total").increment(1);
            complaints.say(|| {
                tracing::warn!(
                    limit = app.options.connections,
                    "connections are refused: there are as many as there may be"
                )
            });
            continue; // closed by being dropped
        };
        connections.spawn(connection(
            stream,
            http.clone(),
            service.clone(),
            end.clone(),
            place,
        ));
    }
    drop(listener);
    app.jobs.fall_silent();
    connections.close();
    if tokio::time::timeout(PATIENCE, connections.wait()).await.is_err() {
        tracing::info!(open = connections.len(), "connections are closed in the middle");
    }
}

async fn connection(
    stream: TcpStream,
    http: http1::Builder,
    service: TowerToHyperService<axum::Router>,
    end: CancellationToken,
    _place: OwnedSemaphorePermit,
) {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(STALL));
    let open = metrics::gauge!("packetloom_connections_open");
    open.increment(1);
    let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service);
    tokio::pin!(connection);
    let done = tokio::select! {
        done = connection.as_mut() => done,
        () = end.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = done {
        // Clients go away in the middle, send no HTTP or are too slow; that is their business.
        tracing::debug!(%error, "a connection ended early");
    }
    open.decrement(1);
}

/// Says something at most once a second.
#[derive(Default)]
struct Complaints {
    last: Option<Instant>,
}

impl Complaints {
    fn say(&mut self, say: impl FnOnce()) {
        if self
            .last
            .is_none_or(|last| last.elapsed() > Duration::from_secs(1))
        {
            self.last = Some(Instant::now());
            say();
        }
    }
}

//! Logs and metrics.

use crate::api::auth::Caller;
use crate::platform::{App, ServeError};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tracing_subscriber::EnvFilter;

/// How lines of the log look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// A JSON object a line.
    Json,
}

/// Starts the log on standard error; `level` is `error`, `warn`, `info`, `debug` or `trace`.
///
/// # Errors
/// When that is no level.
pub fn start_log(format: LogFormat, level: &str) -> Result<(), ServeError> {
    let wrong = |_| {
        ServeError::Input(format!(
            "--log-level: {level:?} is none; give error, warn, info, debug or trace"
        ))
    };
    let level: tracing::Level = level.parse().map_err(wrong)?;
    // What libraries have to say about each packet is of no use here.
    let filter = EnvFilter::new(format!("warn,packetloom_server={level}"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false);
    let done = match format {
        LogFormat::Text => log
            .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
            .try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
    // One that runs already will do.
    let _ = done;
    Ok(())
}

/// Bounds of the histogram of answering times, in seconds.
const SECONDS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5, 10.0];

/// The collector of metrics: one a process, whoever asks for it first starts it.
fn recorder() -> Option<&'static PrometheusHandle> {
    static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    RECORDER
        .get_or_init(|| {
            let builder = PrometheusBuilder::new().set_buckets_for_metric(
                Matcher::Full("packetloom_http_request_seconds".to_owned()),
                &SECONDS,
            );
            let handle = builder.and_then(PrometheusBuilder::install_recorder);
            handle
                .inspect_err(|error| tracing::error!(%error, "there are no metrics"))
                .ok()
        })
        .as_ref()
}

/// Starts collecting metrics.
pub fn start_metrics() {
    let _ = recorder();
}

/// How often samples are put into their histograms.
const UPKEEP: Duration = Duration::from_secs(5);

/// Puts samples into their histograms now and then, until it is dropped: they would take memory until somebody asks for metrics.
pub(crate) async fn keep_metrics_small() {
    let mut again = tokio::time::interval(UPKEEP);
    loop {
        again.tick().await;
        if let Some(recorder) = recorder() {
            recorder.run_upkeep();
        }
    }
}

/// Gives the metrics in the text format of Prometheus.
pub(crate) async fn metrics(State(app): State<App>) -> Response {
    let Some(recorder) = recorder() else {
        return crate::api::error::ApiError::internal("there are no metrics").into_response();
    };
    metrics::gauge!("packetloom_uptime_seconds").set(app.since.elapsed().as_secs_f64());
    if let Ok(waiting) = app.store.waiting().await {
        metrics::gauge!("packetloom_simulations_waiting").set(waiting as f64);
    }
    recorder.run_upkeep();
    (
        [(header::CONTENT_TYPE, "text/plain; version=0.0.4")],
        recorder.render(),
    )
        .into_response()
}

/// The method as metrics tell it: whoever makes up methods makes no new series.
fn method_label(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}

/// Counts a request and writes a line about it.
pub(crate) async fn observe(request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let matched = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("none", |path| path.as_str())
        .to_owned();
    let response = next.run(request).await;
    // The guard leaves it there.
    let caller = response
        .extensions()
        .get::<Caller>()
        .map_or("-", |caller| caller.name.as_str());
    let (status, seconds) = (response.status().as_u16(), begun.elapsed().as_secs_f64());
    metrics::counter!("packetloom_http_requests_total", "method" => method_label(&method), "path" => matched.clone(), "status" => status.to_string()).increment(1);
    metrics::histogram!("packetloom_http_request_seconds", "path" => matched).record(seconds);
    // Without the query, which may hold a signature.
    tracing::debug!(%method, path, status, milliseconds = seconds * 1e3, caller, "request");
    response
}

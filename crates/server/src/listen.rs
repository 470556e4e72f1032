//! Connections: how many there may be, and how slow.

use crate::api;
use crate::platform::{App, ServeError};

/// Accepts connections until the process is asked to end.
pub(crate) async fn run(app: App) -> Result<(), ServeError> {
    let listener = tokio::net::TcpListener::bind(app.options.listen)
        .await
        .map_err(|error| ServeError::Machine(format!("cannot listen on {}: {error}", app.options.listen)))?;
    axum::serve(listener, api::router(app))
        .await
        .map_err(|error| ServeError::Machine(error.to_string()))
}

//! The platform over HTTP: the REST API, its database, the jobs that run simulations, and the store of their results.
//!
//! - [`api`]: the routes, one file a resource; who may come in; how errors look
//! - [`edit`]: what the endpoints of a configuration do to its document, without I/O
//! - [`store`]: the database, one file a table
//! - [`scenario`]: from a stored document to something that can run, within what the server allows
//! - [`jobs`]: simulations in child processes: the queue, the protocol, what is left after a crash
//! - [`results`]: the files of simulations, signed links to them, and data computed from them
//! - [`viewer`]: runs in folders of somebody's own, to look at
//! - [`listen`](mod@listen): connections
//! - [`telemetry`]: logs and metrics
//!
//! [`serve()`] puts them together.

pub mod api;
pub mod edit;
pub mod id;
pub mod jobs;
pub mod listen;
pub mod options;
pub mod platform;
pub mod results;
pub mod scenario;
pub mod store;
pub mod telemetry;
mod text;
pub mod time;
pub mod viewer;

pub use options::ServeOptions;
pub use platform::{Platform, Ready, ServeError, serve, show};
pub use tokio_util::sync::CancellationToken;
pub use viewer::ShownRun;

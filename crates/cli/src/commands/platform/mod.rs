//! The server and its clients.

mod client;
mod job;
mod open;
mod remote;
mod serve;
mod token;

pub use job::Job;
pub use open::Open;
pub use remote::Remote;
pub use serve::Serve;
pub use token::Token;

use crate::failure::Failure;
use packetloom_server::ServeError;
use std::env;
use std::path::PathBuf;

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Input(message) => Failure::Input(message),
            ServeError::Machine(message) => Failure::Machine(message),
        }
    }
}

/// The folder of data that was named, or else the user's.
fn data_folder(named: Option<PathBuf>) -> Result<PathBuf, Failure> {
    if let Some(named) = named {
        return Ok(named);
    }
    // The XDG Base Directory Specification: a path that is not absolute is as good as none.
    let absolute = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let base = absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")));
    base.map(|base| base.join("packetloom")).ok_or_else(|| {
        Failure::Input(
            "--data: neither XDG_DATA_HOME nor HOME is set; name a folder for the server's data".to_owned(),
        )
    })
}

/// What asynchronous work runs on.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Machine(format!("cannot start threads: {error}")))
}

//! How to serve.

use std::net::SocketAddr;
use std::path::PathBuf;

/// How to serve.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Where to listen; port 0 takes any free one.
    pub listen: SocketAddr,
    /// The folder with the database and the results; created if missing.
    pub data: PathBuf,
    /// How many simulations run at once; 0 starts none.
    pub jobs: usize,
    /// Whether everybody may do everything; on loopback only.
    pub no_auth: bool,
    /// The program that runs a simulation when it is called with the argument `job`: this one.
    pub program: PathBuf,
    /// Most connections at once; more are closed as soon as they come.
    pub connections: usize,
    /// Whether it only shows runs that have ended: nothing can be changed then.
    pub shows_only: bool,
}

/// Most simulations that wait at once.
pub const LONGEST_QUEUE: u64 = 1_000;
/// The largest body of a request, in bytes.
pub const LARGEST_BODY: usize = 16 << 20;
/// For how long a signed link holds, in seconds.
pub const LINK_SECONDS: u64 = 900;

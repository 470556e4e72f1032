//! `packetloom job`: the process of one simulation of a server. Only the server starts it.

use crate::failure::Failure;
use crate::interrupt;
use clap::Args;
use packetloom_server::jobs::process;
use packetloom_sim::progress::Progress;
use std::sync::Arc;

/// Run one simulation for a server, which says which one on standard input.
#[derive(Args)]
#[command(after_help = "Examples:\n  packetloom serve     starts these by itself")]
pub struct Job {
    /// The simulation's identifier, so that it can be seen in a list of processes
    id: String,
}

impl Job {
    /// Carries the order out.
    pub fn execute(self) -> Result<(), Failure> {
        let progress = Arc::new(Progress::default());
        let interrupted = Arc::clone(&progress);
        interrupt::on_interrupt(move || interrupted.interrupt())?;
        process::run(&progress).map_err(|error| Failure::Machine(format!("{}: {error}", self.id)))
    }
}

//! `packetloom portals`: Portals 4 programs in C.

mod cc;
mod include_folder;
mod log_file;
mod run;

use crate::failure::Failure;
use clap::{Args, Subcommand};
use packetloom_portals_host::c_interface;
use std::hint::black_box;

const EXAMPLES: &str = "\
Examples:
  packetloom portals cc examples/portals/hello.c       build hello.so
  packetloom portals run examples/portals/star.xml examples/portals/hello.deploy.xml hello.so hello
                                                       run it
  packetloom portals cc --help                         what the compiler wrapper does";

/// Build and run Portals 4 programs in C.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Portals {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(Box<run::Run>),
    Cc(cc::Cc),
}

impl Portals {
    /// Carries the command out.
    pub fn execute(self) -> Result<(), Failure> {
        // Programs find these functions in this one by name: they must be there though nothing here calls them.
        black_box(c_interface::exports());
        match self.command {
            Command::Run(run) => run.execute(),
            Command::Cc(cc) => cc.execute(),
        }
    }
}

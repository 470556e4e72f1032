//! The commands of the server in a program built without it: they say how to build one that has it.

use crate::failure::Failure;
use clap::Args;

/// Needs a build with the feature "platform".
#[derive(Args)]
#[command(
    disable_help_flag = true,
    after_help = "Examples:\n  cargo build --release --features platform     builds packetloom with it"
)]
pub struct Absent {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

impl Absent {
    /// Says how to get it.
    pub fn execute(self) -> Result<(), Failure> {
        let _ = self.rest;
        Err(Failure::Input(
            "this program was built without the server; build one with it: cargo build --release --features platform".to_owned(),
        ))
    }
}

//! `packetloom completions`: completion scripts for shells.

use crate::failure::Failure;
use crate::output;
use clap::Args;
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  packetloom completions bash > ~/.local/share/bash-completion/completions/packetloom
  packetloom completions zsh > ~/.zfunc/_packetloom
  packetloom completions fish > ~/.config/fish/completions/packetloom.fish";

/// Print the completion script for a shell.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    /// Prints the script that completes `command`.
    pub fn execute(self, command: &mut clap::Command) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, command, "packetloom", &mut script);
        output::print(&String::from_utf8_lossy(&script))
    }
}

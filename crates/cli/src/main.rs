//! The command line of Packetloom.
//!
//! Exit codes: 0 done, 1 the machine failed, 2 bad input, 130 interrupted.

mod commands;
mod failure;
mod interrupt;
mod output;
mod records_report;
mod report;
mod source;
mod table;
mod text;
mod watch;

use clap::{CommandFactory, Parser, Subcommand};
use failure::Failure;
use std::io::{self, Write};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const EXAMPLES: &str = "\
Examples:
  packetloom template                                list the templates
  packetloom run template:rdma-16-hosts              run one: RDMA writes
  packetloom run template:tcp-16-hosts               another: requests and replies over TCP
  packetloom template rdma-16-hosts > fabric.json    make it your own
  packetloom validate fabric.json                    check what you changed
  packetloom run fabric.json --set SimulationParameters.RunTime=0.01 --out runs/short
  packetloom summary runs/short                      sum its records up
  packetloom report runs/short                       its plots as one file, for any browser
  packetloom open runs/short                         look at it in a browser, in builds that have the server
  packetloom serve                                   all of it over HTTP and in the browser, in the same builds

Exit codes: 0 done, 1 the machine failed (disk, permissions), 2 bad input, 130 interrupted.";

/// Simulates datacenter fabrics packet by packet: RDMA over RoCE NICs on PCIe, TCP over Ethernet NICs, switches with a
/// shared buffer, and the applications that drive them.
#[derive(Parser)]
#[command(name = "packetloom", version, after_help = EXAMPLES, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(commands::run::Run),
    Summary(commands::summary::Summary),
    Report(commands::report::Report),
    Validate(commands::validate::Validate),
    Template(commands::template::Template),
    Models(commands::models::Models),
    Portals(commands::portals::Portals),
    #[cfg(feature = "platform")]
    Open(commands::platform::Open),
    #[cfg(feature = "platform")]
    Serve(commands::platform::Serve),
    #[cfg(feature = "platform")]
    Token(commands::platform::Token),
    #[cfg(feature = "platform")]
    Remote(commands::platform::Remote),
    #[cfg(feature = "platform")]
    #[command(hide = true)]
    Job(commands::platform::Job),
    /// Look at runs on disk in a browser (in builds with the feature "platform")
    #[cfg(not(feature = "platform"))]
    Open(commands::no_platform::Absent),
    /// Serve configurations, simulations and results over HTTP (in builds with the feature "platform")
    #[cfg(not(feature = "platform"))]
    Serve(commands::no_platform::Absent),
    /// Make, list and revoke tokens for the server (in builds with the feature "platform")
    #[cfg(not(feature = "platform"))]
    Token(commands::no_platform::Absent),
    /// Send simulations to a server (in builds with the feature "platform")
    #[cfg(not(feature = "platform"))]
    Remote(commands::no_platform::Absent),
    Completions(commands::completions::Completions),
}

fn main() -> ExitCode {
    let done = match Arguments::try_parse() {
        Ok(arguments) => execute(arguments.command),
        Err(error) if error.use_stderr() => error.exit(),
        // What was asked for with --help or --version.
        Err(text) => output::written(text.print().and_then(|()| io::stdout().flush())),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            failure.code()
        }
    }
}

fn execute(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(run) => run.execute(),
        Command::Summary(summary) => summary.execute(),
        Command::Report(report) => report.execute(),
        Command::Validate(validate) => validate.execute(),
        Command::Template(template) => template.execute(),
        Command::Models(models) => models.execute(),
        Command::Portals(portals) => portals.execute(),
        Command::Open(open) => open.execute(),
        Command::Serve(serve) => serve.execute(),
        Command::Token(token) => token.execute(),
        Command::Remote(remote) => remote.execute(),
        #[cfg(feature = "platform")]
        Command::Job(job) => job.execute(),
        Command::Completions(completions) => completions.execute(&mut Arguments::command()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_shows_examples() {
        for command in Arguments::command().get_subcommands() {
            let help = command
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(
                help.contains("Examples:") && help.contains("packetloom "),
                "{}",
                command.get_name()
            );
        }
    }
}

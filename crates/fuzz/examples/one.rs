//! Calls a fuzz target with the bytes of a file, without libFuzzer: for a look at what a finding does.
//!
//! `cargo run -p packetloom-fuzz --example one -- TARGET FILE`

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, file] = &arguments[..] else {
        eprintln!("error: give a target and a file");
        return ExitCode::from(2);
    };
    let Some((_, run)) = packetloom_fuzz::TARGETS
        .into_iter()
        .find(|(name, _)| name == target)
    else {
        let known: Vec<&str> = packetloom_fuzz::TARGETS.iter().map(|(name, _)| *name).collect();
        eprintln!(
            "error: there is no target \"{target}\"; the targets are {}",
            known.join(", ")
        );
        return ExitCode::from(2);
    };
    match std::fs::read(file) {
        Ok(bytes) => run(&bytes),
        Err(error) => {
            eprintln!("error: {file}: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

//! Whole runs of C programs as simulated processes, over a kernel without a network.

mod compile;
mod ends;
mod hello;
mod languages;
mod many;
mod privacy;
mod refusals;
mod startup;
mod threads;
mod toy;

use packetloom_portals_host::{Launch, Options, Report, Run, RunError, Terminal};
use std::path::Path;

/// What came of a run, and what it printed.
struct Done {
    report: Report,
    out: String,
    err: String,
}

fn launches(count: u32, arguments: &[&str]) -> Vec<Launch> {
    let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
    vec![
        Launch {
            name: "program".to_owned(),
            arguments
        };
        count as usize
    ]
}

fn run_with(program: &Path, processes: u32, arguments: &[&str], options: Options) -> Result<Done, RunError> {
    let run = Run::new(program, &launches(processes, arguments), options)?;
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let report = run.run(
        &mut toy::Toy::new(processes),
        &mut Terminal::new(&mut out, &mut err, true),
    )?;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ok(Done {
        report,
        out: text(out),
        err: text(err),
    })
}

/// Runs so many processes of a C program.
fn run(source: &str, processes: u32, arguments: &[&str]) -> Done {
    run_with(
        &compile::compile(source),
        processes,
        arguments,
        Options::default(),
    )
    .unwrap()
}

//! Start-up calls, S4BXI's helpers, and arguments that are null.

use super::{Done, compile, run_with};
use packetloom_portals_host::{Options, c_interface};
use std::hint::black_box;
use std::path::PathBuf;

fn start(processes: u32, arguments: &[&str]) -> Done {
    // What programs call must be in the test's program.
    black_box(c_interface::exports());
    let include = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("include");
    let program = compile::compile_with("cc", "startup.c", &["-I", include.to_str().unwrap()]);
    run_with(&program, processes, arguments, Options::default()).unwrap()
}

/// Twice on the same thread: a run finds nothing of the one before.
#[test]
fn each_rank_finds_what_it_should_in_every_run() {
    for processes in [3, 3, 1] {
        let done = start(processes, &[]);
        assert_eq!(
            (done.out.as_str(), done.err.as_str()),
            ("[0] all is as it should be\n", "")
        );
        assert_eq!(done.report.exit_code(), 0);
    }
}

#[test]
fn an_abort_says_why_and_gives_the_exit_code() {
    let done = start(1, &["9"]);
    assert_eq!((done.out.as_str(), done.err.as_str()), ("", "[0] as asked for\n"));
    assert_eq!(done.report.exit_code(), 9);
}

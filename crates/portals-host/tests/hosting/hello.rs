//! Output, time, arguments and exit codes of the simplest programs.

use super::run;
use packetloom_portals_host::{Fault, ProcessEnd};

#[test]
fn two_processes_say_hello_in_the_order_of_time_and_rank() {
    let done = run("hello.c", 2, &["world"]);
    let expected = "\
[0] hello world from process 1000 on node0 at 0.000000
[1] hello world from process 1001 on node1 at 0.000000
[1] process 1001 slept until 1.000000
[0] process 1000 slept until 2.000000
";
    assert_eq!(done.out, expected);
    assert_eq!(done.err, "");
    assert_eq!(done.report.exit_code(), 0);
    assert_eq!(done.report.ends, [Some(ProcessEnd::Exited(0)); 2]);
}

#[test]
fn the_first_process_that_fails_gives_the_exit_code() {
    // Rank 1 ends first, with 3; rank 0 a second later, with 5.
    let done = run("hello.c", 2, &["world", "5", "3"]);
    assert_eq!(
        done.report.ends,
        [Some(ProcessEnd::Exited(5)), Some(ProcessEnd::Exited(3))]
    );
    assert_eq!(done.report.exit_code(), 3);
    let failure = &done.report.failures[0];
    assert_eq!((failure.rank, &failure.fault), (1, &Fault::ExitCode(3)));
    assert_eq!(
        failure.to_string(),
        "rank 1 on node1 ended with exit code 3, at 1.000000000 s"
    );
}

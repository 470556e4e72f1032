//! Ends of processes: what is reported, and with which exit code.

use super::{Done, compile::compile, run, run_with};
use packetloom_portals_host::{Fault, Options, ProcessEnd};
use std::time::Duration;

fn ends(how: &str) -> Done {
    run("ends.c", 2, &[how])
}

fn message(done: &Done) -> String {
    assert_eq!(done.report.failures.len(), 1, "{:?}", done.report);
    done.report.failures[0].to_string()
}

#[test]
fn exit_runs_handlers_and_shows_what_was_begun() {
    let done = ends("exit");
    // 300 is 44 in the eight bits that an exit code has
    assert_eq!(
        done.report.ends,
        [Some(ProcessEnd::Exited(0)), Some(ProcessEnd::Exited(44))]
    );
    assert_eq!(done.report.exit_code(), 44);
    assert_eq!(done.out.matches("begunhandler").count(), 2, "{}", done.out);
}

#[test]
fn exit_at_once_runs_nothing_more() {
    for (how, code) in [("_exit", 9), ("quick_exit", 8)] {
        let done = ends(how);
        assert_eq!(done.report.exit_code(), code);
        assert!(!done.out.contains("[1] begun"), "{}", done.out);
        assert!(done.out.contains("[0] begunhandler"));
    }
}

#[test]
fn abort_ends_the_run_by_its_signal() {
    let done = ends("abort");
    assert_eq!(done.report.exit_code(), 128 + 6);
    assert_eq!(
        message(&done),
        "rank 1 on node1 was ended: aborted (SIGABRT), at 0.000001000 s"
    );
    assert_eq!(done.report.ends, [None, Some(ProcessEnd::Killed(6))]);
    let caught = ends("caught-abort");
    assert_eq!(caught.report.exit_code(), 128 + 6);
    assert!(caught.out.contains("caught 6"), "{}", caught.out);
}

#[test]
fn a_failed_assertion_is_shown_and_reported() {
    let done = ends("assert");
    assert_eq!(done.report.exit_code(), 128 + 6);
    let text = message(&done);
    assert!(
        text.contains("ends.c:") && text.contains("main: Assertion `argc == 17' failed."),
        "{text}"
    );
    assert!(
        done.err.starts_with("[1] ") && done.err.contains("Assertion `argc == 17' failed."),
        "{}",
        done.err
    );
}

#[test]
fn a_segmentation_fault_names_rank_host_address_and_function() {
    let done = ends("segfault");
    assert_eq!(done.report.exit_code(), 128 + 11);
    let text = message(&done);
    let start = "rank 1 on node1 crashed: segmentation fault (SIGSEGV), address 0x0, at main+0x";
    assert!(text.starts_with(start), "{text}");
    assert!(
        done.out.contains("[0] whole line") && done.out.contains("[1] whole line"),
        "{}",
        done.out
    );
}

#[test]
fn other_crashes_have_their_own_codes() {
    for (how, signal) in [("division", 8), ("illegal", 4), ("raise", 15)] {
        let done = ends(how);
        assert_eq!(done.report.exit_code(), 128 + signal, "{how}");
        assert_eq!(done.report.ends[1], Some(ProcessEnd::Killed(signal)));
    }
}

#[test]
fn signals_that_are_caught_or_ignored_do_not_end_a_process() {
    let done = ends("raise-caught");
    assert_eq!(done.report.exit_code(), 0, "{:?}", done.report);
    assert_eq!(done.out.matches("caught 15").count(), 2, "{}", done.out);
}

#[test]
fn a_stack_overflow_is_called_so() {
    let done = ends("overflow");
    assert_eq!(done.report.exit_code(), 128 + 11);
    let text = message(&done);
    assert!(
        text.contains("stack overflow") && text.contains("deeper+0x") && text.contains("--stack-size"),
        "{text}"
    );
}

#[test]
fn the_stack_has_the_size_that_is_asked_for() {
    let with = |stack_size| {
        let options = Options {
            stack_size,
            ..Options::default()
        };
        run_with(&compile("ends.c"), 2, &["deep"], options)
            .unwrap()
            .report
            .exit_code()
    };
    assert_eq!(with(1 << 20), 0);
    assert_eq!(with(Options::default().stack_size), 128 + 11);
}

#[test]
fn a_loop_that_calls_nothing_is_stopped_and_named() {
    let options = Options {
        longest_without_call: Duration::from_millis(200),
        ..Options::default()
    };
    let done = run_with(&compile("ends.c"), 2, &["endless"], options).unwrap();
    assert_eq!(done.report.exit_code(), 1);
    let text = message(&done);
    assert!(
        text.starts_with("rank 1 on node1 runs without end at endless+0x"),
        "{text}"
    );
}

#[test]
fn making_processes_is_refused_and_said() {
    let done = ends("fork");
    assert_eq!(done.report.exit_code(), 0);
    assert!(
        done.err
            .contains("packetloom: rank 1: making or awaiting a process"),
        "{}",
        done.err
    );
}

#[test]
fn a_deadlock_names_each_process_and_the_call_it_waits_in() {
    let done = run("deadlock.c", 4, &[]);
    assert_eq!(done.report.exit_code(), 1);
    let waiting: Vec<String> = done
        .report
        .deadlock
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        waiting,
        [
            "rank 0 on node0 waits in pthread_cond_wait",
            "rank 1 on node1 waits in pthread_mutex_lock",
            "rank 2 on node2 waits in pthread_join",
            "rank 2 on node2, thread 1, waits in sem_wait",
        ]
    );
    assert_eq!(done.report.ends[3], Some(ProcessEnd::Exited(0)));
}

#[test]
fn a_failure_before_a_deadlock_gives_the_exit_code() {
    let done = run("deadlock.c", 4, &["6"]);
    assert_eq!(done.report.exit_code(), 6);
    assert_eq!(done.report.failures[0].fault, Fault::ExitCode(6));
    assert!(done.report.deadlock.is_some());
}

#[test]
fn what_was_begun_is_shown_when_all_wait_for_ever() {
    let done = run("ends.c", 2, &["mutex"]);
    assert_eq!(done.report.exit_code(), 1);
    assert!(done.out.contains("[1] begun\n"), "{}", done.out);
}

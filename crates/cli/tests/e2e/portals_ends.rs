//! A Portals program does not come to a good end.

use crate::portals_lab::{lab, program, words};

/// Runs the program to an end; gives the exit code and the errors without their source's folder.
fn end(options: &[&str], name: &str) -> (Option<i32>, String) {
    let outcome = lab().packetloom(&words(options, &program("ends"), &[name]));
    assert_eq!(outcome.stdout, "rank 0\nrank 1\n", "{outcome:#?}");
    let errors = outcome
        .stderr
        .split(' ')
        .map(|word| {
            word.rsplit_once("/ends.c")
                .map_or(word.to_owned(), |(_, rest)| format!("ends.c{rest}"))
        })
        .collect::<Vec<_>>()
        .join(" ");
    // Distances in a function are the compiler's.
    let mut shown = String::new();
    let mut rest = errors.as_str();
    while let Some((before, after)) = rest.split_once("+0x") {
        shown.push_str(before);
        rest = after.trim_start_matches(|character: char| character.is_ascii_hexdigit());
    }
    (outcome.code, shown + rest)
}

#[test]
fn each_bad_end_is_told_with_rank_host_and_time() {
    for (name, code, told) in [
        (
            "crash",
            128 + 11,
            "error: rank 1 on node1 crashed: segmentation fault (SIGSEGV), address 0x10, at main, at 0.000000000 s\n",
        ),
        (
            "divide",
            128 + 8,
            "error: rank 1 on node1 crashed: arithmetic error (SIGFPE) at main, at 0.000000000 s\n",
        ),
        (
            "abort",
            128 + 6,
            "error: rank 1 on node1 was ended: aborted (SIGABRT), at 0.000000000 s\n",
        ),
        (
            "return",
            7,
            "error: rank 1 on node1 ended with exit code 7, at 0.000000000 s\n",
        ),
        (
            "exit",
            3,
            "error: rank 1 on node1 ended with exit code 3, at 0.000000000 s\n",
        ),
        (
            "overflow",
            128 + 11,
            "error: rank 1 on node1 crashed: stack overflow at deep; --stack-size gives more, at 0.000000000 s\n",
        ),
        (
            "wide",
            128 + 11,
            "error: rank 1 on node1 crashed: stack overflow at wide; --stack-size gives more, at 0.000000000 s\n",
        ),
        (
            // 1 ns of PtlInit, and two commands of 64 B over PCI: 250 ns + 64 B / 11.1 GB/s each.
            "wait",
            1,
            "error: deadlock at 512.532 ns: nothing is under way any more, and\n  \
             rank 0 on node0 waits in PMI_Barrier\n  rank 1 on node1 waits in PtlEQWait\n",
        ),
    ] {
        assert_eq!(end(&[], name), (Some(code), told.to_owned()), "{name}");
    }
}

#[test]
fn a_failed_assertion_is_told_by_the_process_and_of_it() {
    let (code, told) = end(&[], "assert");
    assert_eq!(code, Some(128 + 6));
    let (own, of) = told.split_once('\n').expect("two lines");
    assert!(own.ends_with("main: Assertion `rank == 0' failed."), "{own}");
    assert_eq!(
        of,
        format!("error: rank 1 on node1 was ended: aborted (SIGABRT): {own}, at 0.000000000 s\n")
    );
}

#[test]
fn a_loop_that_calls_nothing_is_stopped() {
    let (code, told) = end(&["--longest-without-call", "1"], "endless");
    assert_eq!(code, Some(1));
    assert_eq!(
        told,
        "error: rank 1 on node1 runs without end at endless: a loop that calls nothing cannot let simulated time pass; \
         call a clock or sched_yield in it, at 0.000000000 s\n"
    );
}

#[test]
fn more_stack_is_used_up_later() {
    // 4 KiB a call: 16 KiB hold some, 1 MiB more than 200; both end.
    for size in ["16", "1024"] {
        let (code, told) = end(&["--stack-size", size], "overflow");
        assert_eq!(code, Some(128 + 11), "{told}");
        assert!(told.contains("stack overflow at deep"), "{told}");
    }
}

#[test]
fn quiet_still_tells_what_went_wrong() {
    let (code, told) = end(&["--quiet"], "return");
    assert_eq!(code, Some(7));
    assert!(told.contains("exit code 7"), "{told}");
    assert_eq!(end(&["--quiet"], "well"), (Some(0), String::new()));
}

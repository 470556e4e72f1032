//! POSIX threads of programs.

use super::run;

#[test]
fn threads_wait_for_each_other_in_simulated_time() {
    let done = run("threads.c", 2, &[]);
    let of = |rank| {
        format!(
            "\
[{rank}] three threads took 43 us
[{rank}] timed out after 0.500 s
[{rank}] readers together took 100 us
"
        )
    };
    let lines = |rank: &str| -> String {
        done.out
            .lines()
            .filter(|line| line.starts_with(rank))
            .map(|line| format!("{line}\n"))
            .collect()
    };
    assert_eq!(lines("[0]"), of(0), "{}", done.out);
    assert_eq!(lines("[1]"), of(1));
    assert_eq!(done.report.exit_code(), 0, "{:?}", done.report);
}

#[test]
fn threads_of_the_c_language_are_the_same() {
    let done = run("c11.c", 1, &[]);
    assert_eq!(done.out, "[0] -12 -22 1 30 2\n");
    assert_eq!(done.report.exit_code(), 0);
}

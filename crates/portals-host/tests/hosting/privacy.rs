//! What each process has of its own.

use super::{Done, compile::compile_with, run, run_with};
use packetloom_portals_host::Options;

const ARGUMENTS: &[&str] = &["-a", "-b", "42", "-c", "last"];

fn check(done: &Done) {
    let expected = "\
[0] constructor of 1000
[1] constructor of 1001
[2] constructor of 1002
[0] handler of 1000
[0] destructor of 1000 sees 1000
[1] handler of 1001
[1] destructor of 1001 sees 1001
[2] handler of 1002
[2] destructor of 1002 sees 1002
";
    assert_eq!(done.out, expected);
    assert_eq!(done.report.exit_code(), 0);
}

#[test]
fn globals_and_hidden_state_of_the_c_library_are_each_processs_own() {
    check(&run("privacy.c", 3, ARGUMENTS));
}

#[test]
fn images_that_are_bound_at_once_are_the_same() {
    let program = compile_with("cc", "privacy.c", &["-Wl,-z,now", "-Wl,-z,relro"]);
    check(&run_with(&program, 3, ARGUMENTS, Options::default()).unwrap());
    let program = compile_with("cc", "privacy.c", &["-fno-plt"]);
    check(&run_with(&program, 3, ARGUMENTS, Options::default()).unwrap());
}

#[test]
fn two_runs_are_equal() {
    let (one, other) = (run("privacy.c", 3, ARGUMENTS), run("privacy.c", 3, ARGUMENTS));
    assert_eq!(
        (one.out, one.err, one.report),
        (other.out, other.err, other.report)
    );
}

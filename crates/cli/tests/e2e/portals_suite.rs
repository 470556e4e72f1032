//! Somebody holds Packetloom against the public header: programs in C, one a topic, of which each check cites its rule.

use crate::lab::Lab;
use std::fmt::Write;
use std::path::Path;

/// The deployment of a program on the first nodes of the star: processor and NIC, with end-to-end retransmission.
fn deployment(ranks: usize) -> String {
    let mut text = String::from(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n",
    );
    for rank in 0..ranks {
        let node = format!("node{rank}");
        let mut actor = |host: &str, function: &str, property: &str, value: &str| {
            writeln!(
                text,
                "<actor host=\"{host}\" function=\"{function}\"><prop id=\"{property}\" value=\"{value}\"/></actor>"
            )
            .expect("written");
        };
        actor(&node, "user_app", "use_real_memory", "true");
        let nic = format!("{node}_NIC");
        for function in ["nic_initiator", "nic_target"] {
            actor(&nic, function, "VN", "1");
            actor(&nic, function, "VN", "3");
        }
        writeln!(text, "<actor host=\"{nic}\" function=\"nic_e2e\"/>").expect("written");
    }
    text.push_str("</platform>\n");
    text
}

/// Compiles a program of the suite and runs it on 2 and on 4 ranks, each of which must make so many checks on 2 ranks, and
/// `more` for each further one.
#[track_caller]
fn holds(topic: &str, checks: usize, more: usize) {
    let lab = Lab::new();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = tests.join(format!("tests/portals/suite/{topic}.c"));
    let star = tests.join("../../examples/portals/star.xml");
    lab.bash(&format!(
        "XDG_CACHE_HOME=$PWD/cache \"$packetloom\" portals cc -Wall -Wextra -Werror -std=c99 '{}' -o {topic}.so",
        source.display()
    ))
    .succeeded();
    for ranks in [2, 4] {
        lab.write("deploy.xml", &deployment(ranks));
        let outcome = lab
            .packetloom(&[
                "portals",
                "run",
                star.to_str().expect("text"),
                "deploy.xml",
                &format!("./{topic}.so"),
                topic,
            ])
            .succeeded();
        let checks = checks + more * (ranks - 2);
        let said: String = (0..ranks)
            .map(|rank| format!("rank {rank}: {checks} checks, 0 failed\n"))
            .collect();
        assert_eq!(outcome.stdout, said, "{outcome:#?}");
    }
}

/// The suite itself: what does not hold is told by rule and line, and fails the run.
#[test]
fn a_check_that_fails_is_told_with_its_rule() {
    let lab = Lab::new();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    lab.write(
        "wrong.c",
        "#include \"suite.h\"\nint main(void) {\n suite_start();\n CHECK(\"a rule\", suite_size == 7);\n \
         CHECK(\"another\", suite_size == 2);\n return suite_end();\n}\n",
    );
    lab.write("deploy.xml", &deployment(2));
    let outcome = lab.bash(&format!(
        "XDG_CACHE_HOME=$PWD/cache \"$packetloom\" portals cc -I '{}' wrong.c && \
         \"$packetloom\" portals run '{}' deploy.xml ./wrong.so wrong",
        tests.join("tests/portals/suite").display(),
        tests.join("../../examples/portals/star.xml").display()
    ));
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    assert_eq!(
        outcome.stdout, "rank 0: 2 checks, 1 failed\nrank 1: 2 checks, 1 failed\n",
        "{outcome:#?}"
    );
    assert!(
        outcome
            .stderr
            .contains("wrong.c:4: rank 1: a rule\n    not so: suite_size == 7"),
        "{outcome:#?}"
    );
}

#[test]
fn start_and_end_are_counted_and_nothing_works_before() {
    holds("no_init", 64, 0);
}

#[test]
fn interfaces_have_options_limits_and_registers() {
    holds("interfaces", 106, 0);
}

#[test]
fn processes_have_identifiers_and_ranks() {
    holds("identity", 50, 2);
}

#[test]
fn portal_table_entries_are_allocated_and_disabled() {
    holds("table", 51, 0);
}

#[test]
fn memory_descriptors_have_bounds_vectors_and_options() {
    holds("descriptors", 81, 0);
}

#[test]
fn list_entries_live_as_long_as_they_should() {
    holds("entries", 118, 0);
}

#[test]
fn match_list_entries_match_and_permit() {
    holds("matching", 91, 0);
}

#[test]
fn unexpected_messages_wait_for_an_entry() {
    holds("unexpected", 83, 0);
}

#[test]
fn searches_find_and_delete() {
    holds("search", 51, 0);
}

#[test]
fn flow_control_disables_and_recovers() {
    holds("flow", 44, 0);
}

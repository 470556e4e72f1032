//! Somebody who has never used it looks around.

use crate::lab::Lab;

#[test]
fn every_command_explains_itself_with_examples() {
    let lab = Lab::new();
    for command in [
        vec![],
        vec!["run"],
        vec!["summary"],
        vec!["report"],
        vec!["validate"],
        vec!["template"],
        vec!["models"],
        vec!["portals"],
        vec!["portals", "cc"],
        vec!["completions"],
    ] {
        let help = lab.packetloom(&[&command[..], &["--help"]].concat()).succeeded();
        assert!(help.stdout.contains("Examples:"), "{}", help.stdout);
        assert!(help.stdout.contains("Usage: packetloom"), "{}", help.stdout);
    }
    assert!(
        lab.packetloom(&["--version"])
            .succeeded()
            .stdout
            .starts_with("packetloom ")
    );
}

#[test]
fn without_a_command_it_shows_what_there_is() {
    let outcome = Lab::new().packetloom(&[]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("run") && outcome.stderr.contains("validate"),
        "{outcome:#?}"
    );
}

#[test]
fn a_misspelt_command_or_option_is_bad_input_with_a_hint() {
    let lab = Lab::new();
    for (arguments, hint) in [
        (vec!["vaildate"], "validate"),
        (vec!["run", "x.json", "--sett", "a=b"], "--set"),
    ] {
        let outcome = lab.packetloom(&arguments);
        assert_eq!(outcome.code, Some(2));
        assert!(
            outcome.stderr.starts_with("error: ") && outcome.stderr.contains(hint),
            "{outcome:#?}"
        );
    }
}

#[test]
fn completions_are_printed_for_each_shell() {
    let lab = Lab::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = lab.packetloom(&["completions", shell]).succeeded().stdout;
        assert!(
            script.contains("packetloom") && script.contains("validate"),
            "{shell}"
        );
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let lab = Lab::new();
    for command in ["completions bash", "template", "models", "--help", "run --help"] {
        let outcome = lab.bash(&format!("set -o pipefail; \"$packetloom\" {command} | true"));
        assert_eq!(
            (outcome.code, outcome.stderr.as_str()),
            (Some(0), ""),
            "{command}"
        );
    }
}

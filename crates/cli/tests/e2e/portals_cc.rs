//! Somebody builds a Portals program.

use crate::lab::{Lab, PROGRAM};
use std::fs;
use std::path::Path;

const HELLO: &str = "#include <portals4.h>\n#include <pmi.h>\nint main(void) { return PtlInit(); }\n";

/// A lab with a cache of its own, and the words before a command that make it used.
fn lab() -> (Lab, &'static str) {
    let lab = Lab::new();
    lab.write("hello.c", HELLO);
    (lab, "export XDG_CACHE_HOME=$PWD/cache; unset CC CXX; ")
}

#[test]
fn a_source_becomes_a_shared_library_with_its_name() {
    let (lab, own) = lab();
    lab.bash(&format!("{own} \"$packetloom\" portals cc hello.c"))
        .succeeded();
    let found = lab.bash("nm -D hello.so").succeeded().stdout;
    assert!(found.contains("T main") && found.contains("U PtlInit"), "{found}");
    lab.bash(&format!(
        "{own} \"$packetloom\" portals cc -O2 -DX=1 -o other.so hello.c"
    ))
    .succeeded();
    assert!(lab.path("other.so").exists());
    // What is there is used again, and nothing else lies beside it.
    assert_eq!(lab.listing("cache").len(), 1);
}

#[test]
fn cxx_is_told_by_the_name_or_asked_for() {
    let (lab, own) = lab();
    lab.write(
        "hello.cpp",
        "#include <portals4.h>\n#include <vector>\nint main() { std::vector<int> v; return PtlInit(); }\n",
    );
    lab.bash(&format!(
        "{own} \"$packetloom\" portals cc -Wall -Werror hello.cpp"
    ))
    .succeeded();
    let shown = lab
        .bash(&format!("{own} \"$packetloom\" portals cc --show --cxx hello.c"))
        .succeeded()
        .stdout;
    assert!(
        shown.starts_with("c++ -shared -fPIC -fstack-clash-protection -I "),
        "{shown}"
    );
}

#[test]
fn the_command_is_shown_and_can_be_run() {
    let (lab, own) = lab();
    let shown = lab
        .bash(&format!(
            "{own} \"$packetloom\" portals cc --show hello.c -o 'a b.so'"
        ))
        .succeeded()
        .stdout;
    assert!(
        shown.starts_with("cc -shared -fPIC -fstack-clash-protection -I ")
            && shown.ends_with("hello.c -o 'a b.so'\n"),
        "{shown}"
    );
    assert!(!lab.path("a b.so").exists());
    lab.bash(&shown).succeeded();
    assert!(lab.path("a b.so").exists());
}

#[test]
fn the_include_folder_can_be_used_without_the_wrapper() {
    let (lab, own) = lab();
    let folder = lab
        .bash(&format!("{own} \"$packetloom\" portals cc --include-dir"))
        .succeeded()
        .stdout;
    assert!(
        folder
            .trim_end()
            .starts_with(&lab.path("cache").display().to_string()),
        "{folder}"
    );
    lab.bash(&format!(
        "cc -shared -fPIC -fstack-clash-protection -I {} hello.c -o hello.so",
        folder.trim_end()
    ))
    .succeeded();
}

#[test]
fn without_a_cache_the_headers_lie_among_the_temporary_files() {
    let (lab, _) = lab();
    let folder = lab
        .bash("unset XDG_CACHE_HOME HOME; mkdir t; TMPDIR=$PWD/t \"$packetloom\" portals cc --include-dir")
        .succeeded()
        .stdout;
    assert!(
        folder.starts_with(&lab.path("t").display().to_string()),
        "{folder}"
    );
}

#[test]
fn what_the_compiler_says_and_its_exit_code_are_passed_on() {
    let (lab, own) = lab();
    lab.write("wrong.c", "int main(void) { return nothing; }\n");
    let outcome = lab.bash(&format!("{own} \"$packetloom\" portals cc wrong.c"));
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    assert!(outcome.stderr.contains("nothing"), "{outcome:#?}");
    let outcome = lab.bash(&format!(
        "{own} CC=\"bash -c\" \"$packetloom\" portals cc hello.c"
    ));
    assert_ne!(outcome.code, Some(0), "{outcome:#?}");
    lab.write("seven", "#!/bin/sh\nexit 7\n");
    let outcome = lab.bash(&format!(
        "{own} chmod +x seven; CC=./seven \"$packetloom\" portals cc hello.c"
    ));
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(7), ""));
}

#[test]
fn no_compiler_and_no_source_are_bad_input() {
    let (lab, own) = lab();
    lab.bash(&format!("{own} CC=no-such-cc \"$packetloom\" portals cc hello.c"))
        .failed(2)
        .says(&["no-such-cc", "install", "CC"]);
    lab.bash(&format!("{own} \"$packetloom\" portals cc"))
        .failed(2)
        .says(&["sources", "hello.c"]);
}

/// Each example builds without a warning, and has a deployment beside it.
#[test]
fn the_examples_build() {
    let (lab, own) = lab();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/portals");
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("a folder") {
        let source = entry.expect("an entry").path();
        if source.extension().is_none_or(|ending| ending != "c") {
            continue;
        }
        let path = source.display();
        lab.bash(&format!(
            "{own} \"$packetloom\" portals cc -std=c11 -Wall -Wextra -Werror '{path}'"
        ))
        .succeeded();
        assert!(source.with_extension("deploy.xml").exists(), "{path}");
        count += 1;
    }
    assert_eq!(
        (
            count,
            lab.listing(".")
                .iter()
                .filter(|name| name.ends_with(".so"))
                .count()
        ),
        (6, 6)
    );
}

/// Names of the functions that a header declares.
fn declared(header: &str) -> Vec<String> {
    let text = fs::read_to_string(header).expect("a header");
    let text = text
        .split("*/")
        .map(|part| part.split("/*").next().unwrap_or(""))
        .collect::<String>();
    text.split(['(', ')', ';', '\n', ' ', '*', ','])
        .zip(text.match_indices(['(', ')', ';', '\n', ' ', '*', ',']))
        .filter(|(word, (_, next))| {
            *next == "("
                && ["Ptl", "PMI_", "s4bxi_"]
                    .iter()
                    .any(|start| word.starts_with(start))
        })
        .map(|(word, _)| word.to_owned())
        // Those that the header itself defines.
        .filter(|word| !word.ends_with("printf"))
        .collect()
}

/// Programs are loaded at run time, and find what they call in the program that runs them.
#[test]
fn the_program_exports_each_function_that_the_headers_declare() {
    let exported = Lab::new()
        .bash(&format!("nm -D --defined-only '{PROGRAM}'"))
        .succeeded()
        .stdout;
    let exported: Vec<&str> = exported
        .lines()
        .filter_map(|line| line.split(' ').nth(2))
        .collect();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../portals-host/include");
    let mut count = 0;
    for header in [
        "portals4.h",
        "portals4_bxiext.h",
        "portals4_nb.h",
        "pmi.h",
        "s4bxi/s4bxi_c_util.h",
        "s4bxi/s4bxi_shared.h",
    ] {
        for name in declared(include.join(header).to_str().expect("text")) {
            assert!(
                exported.contains(&name.as_str()),
                "{name} of {header} is not exported"
            );
            count += 1;
        }
    }
    assert!(exported.contains(&"_s4bxi_should_allow_polling"));
    // 71 of portals4.h, and more than 50 others.
    assert!(count > 120, "{count}");
}

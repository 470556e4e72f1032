//! The kept corpus of every fuzz target, as ordinary tests.

use std::fs;
use std::path::{Path, PathBuf};

/// The kept inputs of a target, in the order of their names.
fn kept(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    files
}

/// Calls a target with everything kept for it. When one panics, its file is named.
fn replay(target: &str) {
    let (_, run) = packetloom_fuzz::TARGETS
        .into_iter()
        .find(|(name, _)| *name == target)
        .expect("a known target");
    let files = kept(target);
    assert!(
        files.len() >= 10,
        "{} inputs of {target}: the corpus is gone",
        files.len()
    );
    for file in files {
        let bytes = fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        if let Err(panic) = std::panic::catch_unwind(|| run(&bytes)) {
            eprintln!("the input is {}", file.display());
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn document() {
    replay("document");
}

#[test]
fn overrides() {
    replay("overrides");
}

#[test]
fn document_structured() {
    replay("document_structured");
}

#[test]
fn codec() {
    replay("codec");
}

#[test]
fn nic() {
    replay("nic");
}

#[test]
fn ethernet() {
    replay("ethernet");
}

#[test]
fn switch() {
    replay("switch");
}

#[test]
fn every_target_has_a_corpus_and_a_binary() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    for (name, _) in packetloom_fuzz::TARGETS {
        assert!(root.join("corpus").join(name).is_dir(), "no corpus of {name}");
        assert!(
            root.join("fuzz_targets").join(format!("{name}.rs")).is_file(),
            "no binary of {name}"
        );
    }
}

#[test]
fn tcp() {
    replay("tcp");
}

#[test]
fn cdf() {
    replay("cdf");
}

#[test]
fn platform() {
    replay("platform");
}

#[test]
fn configuration() {
    replay("configuration");
}

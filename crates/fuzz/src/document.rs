//! Documents and overrides as text.

use packetloom_config::document::Document;
use packetloom_config::{check, overrides as set, template, validate};
use packetloom_params::Errors;
use std::sync::LazyLock;

/// Larger inputs find nothing that smaller ones do not.
const LONGEST: usize = 1 << 16;

/// Checks the text before the first zero byte as a document with the texts after it, parted by zero bytes, as overrides.
pub fn document(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(&data[..data.len().min(LONGEST)]) else {
        return;
    };
    let mut parts = text.split('\0');
    let text = parts.next().unwrap_or_default();
    let settings: Vec<String> = parts.map(str::to_owned).collect();
    let is_json = serde_json::from_str::<serde_json::Value>(text).is_ok();
    if let Err(errors) = check(text, &settings) {
        assert!(!errors.is_empty(), "a refusal has a reason");
        for problem in &errors {
            // A text without anything in it has no line to name.
            assert!(!is_json || !problem.path.is_empty(), "no path: {problem}");
        }
        say_something(&errors);
    }
}

/// Applies overrides, one a line, to the template that the first byte picks, and validates what comes out.
pub fn overrides(data: &[u8]) {
    static TEMPLATES: LazyLock<Vec<Document>> = LazyLock::new(|| {
        let read = |name| template::document(name).expect("templates are documents");
        template::names().map(read).collect()
    });
    let Some((&pick, rest)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(&rest[..rest.len().min(LONGEST)]) else {
        return;
    };
    let mut document = TEMPLATES[pick as usize % TEMPLATES.len()].clone();
    for setting in text.lines() {
        if let Err(errors) = set::apply(&mut document, setting) {
            assert_eq!(errors.len(), 1, "one override, one problem");
            for problem in &errors {
                assert!(problem.path.starts_with("--set "), "{problem}");
            }
            say_something(&errors);
        }
    }
    if let Err(errors) = validate(&document) {
        for problem in &errors {
            assert!(!problem.path.is_empty(), "no path: {problem}");
        }
        say_something(&errors);
    }
}

/// Each problem is one line that says what is wrong.
pub(crate) fn say_something(errors: &Errors) {
    for problem in errors {
        assert!(!problem.message.is_empty(), "no message at {}", problem.path);
        let line = problem.to_string();
        assert!(!line.contains(['\n', '\r']), "more than a line: {line}");
    }
}

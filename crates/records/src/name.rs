//! What a simulation may be called.

use crate::error::RecordsError;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Longest name of a simulation, so that a record's file name stays below the 255 bytes that file systems allow.
const LONGEST_NAME: usize = 200;

/// Whether `name` can name a simulation: it becomes part of file names and stands in records.
pub fn check_simulation_name(name: &str) -> Result<(), RecordsError> {
    let problem = if name.is_empty() {
        "is empty"
    } else if name.len() > LONGEST_NAME {
        "is longer than 200 bytes"
    } else if name.contains(['/', '\\']) {
        "has a path separator"
    } else if name.starts_with('.') {
        "starts with a dot, which would hide its files"
    } else if name.starts_with('-') {
        "starts with a hyphen, with which its files would look like options"
    } else if name.chars().any(is_unseen) {
        "has a character that controls how text is shown"
    } else {
        return Ok(());
    };
    Err(RecordsError::Name {
        name: name.to_owned(),
        problem,
    })
}

/// Whether `c` is not seen itself but changes what is: it ends a line, turns the direction of writing, joins or parts.
fn is_unseen(c: char) -> bool {
    matches!(
        c.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_do_not_make_good_file_names_are_refused() {
        for name in [
            "",
            "a/b",
            "..\\a",
            "..",
            ".hidden",
            "-x",
            "--json",
            "a\nb",
            "a\u{202E}vsc.b",
            "a\u{200B}b",
            "a\u{2028}b",
            "\u{FEFF}a",
            &"x".repeat(201),
        ] {
            let error = check_simulation_name(name).expect_err(name);
            assert!(error.is_input());
            let text = error.to_string();
            assert!(text.contains("choose another --name"), "{text}");
            assert!(
                !text.chars().any(is_unseen),
                "the error shows it as it is: {text:?}"
            );
        }
    }

    #[test]
    fn anything_else_may_be_in_them() {
        for name in [
            &"x".repeat(200),
            "Größe 2, \"quoted\"",
            "a-b.c",
            "試験",
            "e\u{301}",
        ] {
            check_simulation_name(name).expect(name);
        }
    }
}

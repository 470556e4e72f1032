//! Problems found in a document, and the list that collects them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One thing that is wrong: where it is, what it is, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Where in the document, such as `components[2].typedParameters.EnableBufferStats`; may be empty.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What would be right; may be empty.
    pub remedy: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        if !self.remedy.is_empty() {
            write!(f, "; {}", self.remedy)?;
        }
        Ok(())
    }
}

/// All problems of a document, in the order they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Errors(Vec<Problem>);

impl Errors {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// A list of one problem.
    pub fn one(path: impl Into<String>, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        let mut errors = Self::new();
        errors.push(path, message, remedy);
        errors
    }

    /// Adds a problem.
    pub fn push(&mut self, path: impl Into<String>, message: impl Into<String>, remedy: impl Into<String>) {
        let [path, message, remedy] = [path.into(), message.into(), remedy.into()].map(one_line);
        self.0.push(Problem {
            path,
            message,
            remedy,
        });
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many problems there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The problems in the order they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// Adds all problems of `other`.
    pub fn append(&mut self, other: Errors) {
        self.0.extend(other.0);
    }

    /// `value` if nothing is wrong, else the problems.
    pub fn or<T>(self, value: T) -> Result<T, Errors> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}

/// A problem quotes what a document holds; line breaks and terminal controls in it are escaped.
fn one_line(text: String) -> String {
    if !text.chars().any(char::is_control) {
        return text;
    }
    text.chars()
        .map(|c| {
            if c.is_control() {
                c.escape_default().to_string()
            } else {
                c.to_string()
            }
        })
        .collect()
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

impl IntoIterator for Errors {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Errors {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// The candidate that `name` most likely is a misspelling of, if any is close enough.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| {
            let known = candidate.to_lowercase();
            // Typing errors are few edits; a name cut short or run on shares its beginning.
            let edits = strsim::normalized_damerau_levenshtein(&wanted, &known);
            let prefix = if known.starts_with(&wanted) && wanted.len() >= 3 {
                0.6
            } else {
                0.0
            };
            (edits.max(prefix), candidate)
        })
        .filter(|(score, _)| *score >= 0.5)
        // The first of equals wins, so that the answer follows the order of the declaration.
        .fold(None, |best: Option<(f64, &str)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        })
        .map(|(_, candidate)| candidate)
}

/// The remedy for an unknown name: the nearest known one, or what is known here.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    if let Some(near) = nearest(name, known.clone()) {
        return format!("did you mean \"{near}\"?");
    }
    let known: Vec<&str> = known.into_iter().collect();
    if known.is_empty() {
        "nothing may stand here".to_owned()
    } else {
        format!("known here: {}", known.join(", "))
    }
}

/// `path.name`, or just the name at the top. An empty name is shown by quotation marks.
pub fn join(path: &str, name: &str) -> String {
    let name = if name.is_empty() { "\"\"" } else { name };
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_one_line_with_path_fault_and_remedy() {
        let errors = Errors::one(
            "components[2].typedParameters.Size",
            "-3 MB is negative",
            "give a size of 0 B or more",
        );
        assert_eq!(
            errors.to_string(),
            "components[2].typedParameters.Size: -3 MB is negative; give a size of 0 B or more"
        );
    }

    #[test]
    fn what_a_document_holds_does_not_break_the_line() {
        let errors = Errors::one("a\nb", "\u{1b}[31m is not known here", "");
        assert_eq!(errors.to_string(), "a\\nb: \\u{1b}[31m is not known here");
    }

    #[test]
    fn a_misspelt_name_finds_its_neighbour() {
        let known = ["AckThreshold", "AckDelay", "RetransmitTimeout"];
        assert_eq!(nearest("AckTreshold", known), Some("AckThreshold"));
        assert_eq!(nearest("ackdelay", known), Some("AckDelay"));
        assert_eq!(nearest("Retransmit", known), Some("RetransmitTimeout"));
        assert_eq!(nearest("Colour", known), None);
    }

    #[test]
    fn without_a_neighbour_the_known_names_are_listed() {
        assert_eq!(did_you_mean("zzz", ["A1", "B2"]), "known here: A1, B2");
        assert_eq!(did_you_mean("zzz", []), "nothing may stand here");
    }
}

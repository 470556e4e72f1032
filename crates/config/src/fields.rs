//! Reading the fixed parts of a document field by field, so that one fault does not hide the next.

use crate::faults::Faults;
use packetloom_params::Errors;
use packetloom_params::problem::{did_you_mean, join, nearest};
use serde_json::{Map, Value};

/// What was found wrong while reading.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The problems to report.
    pub errors: Errors,
    /// The places that have stand-ins now.
    pub faults: Faults,
}

impl Reading {
    /// Reports a problem of a place that gets a stand-in.
    pub fn push(&mut self, path: impl Into<String>, message: impl Into<String>, remedy: impl Into<String>) {
        let path = path.into();
        self.faults.add(path.clone());
        self.errors.push(path, message, remedy);
    }
}

/// An object of a document with its path.
pub(crate) struct Fields<'a> {
    /// None if there is something else: every field is left out then, and nothing is said of it.
    object: Option<&'a Map<String, Value>>,
    path: String,
}

/// A value for an error message.
fn shown(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl<'a> Fields<'a> {
    /// `value` as an object whose keys are all among `known`.
    pub fn open(
        value: &'a Value,
        path: impl Into<String>,
        known: &[&'static str],
        errors: &mut Reading,
    ) -> Self {
        let path = path.into();
        let object = value.as_object();
        if object.is_none() {
            errors.faults.add(path.clone());
            errors.errors.push(
                // The whole document has no place in itself.
                if path.is_empty() { "document" } else { &path },
                format!("{} stands where an object belongs", shown(value)),
                "give an object: { ... }",
            );
        }
        let keys = object.into_iter().flat_map(Map::keys);
        for key in keys.filter(|key| !known.contains(&key.as_str())) {
            errors.errors.push(
                join(&path, key),
                "is not known here",
                did_you_mean(key, known.iter().copied()),
            );
            // The one it is meant for is misspelt rather than left out.
            let meant = nearest(key, known.iter().copied());
            if let Some(meant) = meant.filter(|&meant| object.is_some_and(|o| !o.contains_key(meant))) {
                errors.faults.add(join(&path, meant));
            }
        }
        Fields { object, path }
    }

    /// The object of a field, with `remedy` if it has to be there.
    pub fn part(
        &self,
        key: &str,
        known: &[&'static str],
        remedy: Option<&str>,
        errors: &mut Reading,
    ) -> Fields<'a> {
        if let Some(value) = self.get(key) {
            return Fields::open(value, self.path(key), known, errors);
        }
        if let Some(remedy) = remedy {
            self.missing(key, remedy, errors);
        }
        Fields {
            object: None,
            path: self.path(key),
        }
    }

    /// The path of a field.
    pub fn path(&self, key: &str) -> String {
        join(&self.path, key)
    }

    /// A field's value; null counts as left out.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.object?.get(key).filter(|value| !value.is_null())
    }

    fn wrong(&self, key: &str, value: &Value, right: &str, errors: &mut Reading) {
        errors.push(
            self.path(key),
            format!("{} stands where {right} belongs", shown(value)),
            format!("give {right}"),
        );
    }

    fn missing(&self, key: &str, remedy: &str, errors: &mut Reading) {
        let path = self.path(key);
        // Misspelt, it was reported with the name that is meant.
        if self.object.is_some() && !errors.faults.cover(&path) {
            errors.push(path, "is missing", remedy);
        }
    }

    /// A text that may be left out.
    pub fn optional_text(&self, key: &str, errors: &mut Reading) -> Option<String> {
        match self.get(key)? {
            Value::String(text) => Some(text.clone()),
            other => {
                self.wrong(key, other, "a text", errors);
                None
            }
        }
    }

    /// A text that must be there and not empty. Whatever is wrong, reading goes on with an empty one.
    pub fn text(&self, key: &str, errors: &mut Reading) -> String {
        let before = errors.errors.len();
        let text = self.optional_text(key, errors);
        if errors.errors.len() > before {
            return String::new();
        }
        match text {
            None => self.missing(key, &format!("add \"{key}\""), errors),
            Some(text) if text.trim().is_empty() => {
                errors.push(self.path(key), "is empty", "give a text");
            }
            Some(text) => return text,
        }
        String::new()
    }

    /// A name: a text on one line that can stand in a path and in a record.
    pub fn name(&self, errors: &mut Reading) -> String {
        let name = self.text("name", errors);
        if name.chars().any(char::is_control) || name.chars().count() > 200 {
            errors.push(
                self.path("name"),
                "the name has line breaks, other control characters, or more than 200 characters",
                "give a short name on one line",
            );
        }
        name
    }

    /// One of a few texts.
    pub fn one_of(&self, key: &str, allowed: &[&'static str], errors: &mut Reading) -> String {
        let text = self.text(key, errors);
        if !text.is_empty() && !allowed.contains(&text.as_str()) {
            errors.push(
                self.path(key),
                format!("\"{}\" is not a known choice", text.escape_debug()),
                format!("give one of {}", allowed.join(", ")),
            );
        }
        text
    }

    /// A whole number from 0.
    pub fn uint(&self, key: &str, default: u64, errors: &mut Reading) -> u64 {
        match self.get(key) {
            None => default,
            Some(value) => value.as_u64().unwrap_or_else(|| {
                let message = format!("{value} is not a whole number from 0");
                errors.push(self.path(key), message, "give a whole number");
                default
            }),
        }
    }

    /// A list of texts; left out, it is empty.
    pub fn texts(&self, key: &str, errors: &mut Reading) -> Vec<String> {
        self.list(key, false, errors, |value, path, errors| match value {
            Value::String(text) => text.clone(),
            other => {
                let message = format!("{} stands where a text belongs", shown(other));
                errors.push(path, message, "give a text");
                String::new()
            }
        })
    }

    /// A list whose entries `read` reads. Each keeps its position, whatever is wrong with it.
    pub fn list<T>(
        &self,
        key: &str,
        required: bool,
        errors: &mut Reading,
        mut read: impl FnMut(&Value, &str, &mut Reading) -> T,
    ) -> Vec<T> {
        match self.get(key) {
            Some(Value::Array(values)) => values
                .iter()
                .enumerate()
                .map(|(i, value)| read(value, &format!("{}[{i}]", self.path(key)), errors))
                .collect(),
            Some(other) => {
                self.wrong(key, other, "a list", errors);
                Vec::new()
            }
            None => {
                if required {
                    self.missing(key, &format!("add \"{key}\": []"), errors);
                }
                Vec::new()
            }
        }
    }

    /// An object left for later; an empty one if left out.
    pub fn object(&self, key: &str, required: bool, errors: &mut Reading) -> Map<String, Value> {
        match self.get(key) {
            Some(Value::Object(object)) => object.clone(),
            Some(other) => {
                self.wrong(key, other, "an object", errors);
                Map::new()
            }
            None => {
                if required {
                    self.missing(key, &format!("add \"{key}\": {{}}"), errors);
                }
                Map::new()
            }
        }
    }
}

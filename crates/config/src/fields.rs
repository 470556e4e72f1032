//! Reading the fixed parts of a document field by field, so that one fault does not hide the next.

use packetloom_params::Errors;
use packetloom_params::problem::{did_you_mean, join};
use serde_json::{Map, Value};

/// An object of a document with its path.
pub(crate) struct Fields<'a> {
    object: &'a Map<String, Value>,
    path: &'a str,
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
        path: &'a str,
        known: &[&'static str],
        errors: &mut Errors,
    ) -> Option<Self> {
        let Value::Object(object) = value else {
            errors.push(
                path,
                format!("{} stands where an object belongs", shown(value)),
                "give an object: { ... }",
            );
            return None;
        };
        for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
            errors.push(
                join(path, key),
                "is not known here",
                did_you_mean(key, known.iter().copied()),
            );
        }
        Some(Fields { object, path })
    }

    /// The path of a field.
    pub fn path(&self, key: &str) -> String {
        join(self.path, key)
    }

    /// A field's value; null counts as left out.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    fn wrong(&self, key: &str, value: &Value, right: &str, errors: &mut Errors) {
        errors.push(
            self.path(key),
            format!("{} stands where {right} belongs", shown(value)),
            format!("give {right}"),
        );
    }

    fn missing(&self, key: &str, remedy: &str, errors: &mut Errors) {
        errors.push(self.path(key), "is missing", remedy);
    }

    /// A text that may be left out.
    pub fn optional_text(&self, key: &str, errors: &mut Errors) -> Option<String> {
        match self.get(key)? {
            Value::String(text) => Some(text.clone()),
            other => {
                self.wrong(key, other, "a text", errors);
                None
            }
        }
    }

    /// A text that must be there and not empty. Whatever is wrong, reading goes on with an empty one.
    pub fn text(&self, key: &str, errors: &mut Errors) -> String {
        let before = errors.len();
        let text = self.optional_text(key, errors);
        if errors.len() > before {
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
    pub fn name(&self, errors: &mut Errors) -> String {
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
    pub fn one_of(&self, key: &str, allowed: &[&'static str], errors: &mut Errors) -> String {
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
    pub fn uint(&self, key: &str, default: u64, errors: &mut Errors) -> u64 {
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
    pub fn texts(&self, key: &str, errors: &mut Errors) -> Vec<String> {
        self.list(key, false, errors, |value, path, errors| match value {
            Value::String(text) => Some(text.clone()),
            other => {
                errors.push(
                    path,
                    format!("{} stands where a text belongs", shown(other)),
                    "give a text",
                );
                None
            }
        })
    }

    /// A list whose entries `read` reads. Entries that cannot be read are left out, with their faults reported.
    pub fn list<T>(
        &self,
        key: &str,
        required: bool,
        errors: &mut Errors,
        mut read: impl FnMut(&Value, &str, &mut Errors) -> Option<T>,
    ) -> Vec<T> {
        match self.get(key) {
            Some(Value::Array(values)) => values
                .iter()
                .enumerate()
                .filter_map(|(i, value)| read(value, &format!("{}[{i}]", self.path(key)), errors))
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
    pub fn object(&self, key: &str, required: bool, errors: &mut Errors) -> Map<String, Value> {
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

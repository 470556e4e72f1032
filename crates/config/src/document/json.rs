//! From text to JSON, without the loss that a key given twice would be.

use packetloom_params::Errors;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// What is wrong with a text that is no document.
#[derive(Debug)]
pub(crate) struct TextFault {
    /// Line and column, where one can be named.
    place: Option<(usize, usize)>,
    message: String,
    remedy: &'static str,
}

impl TextFault {
    /// As the problem of a file, if there is one.
    pub fn errors(self, file: Option<&str>) -> Errors {
        let place = self
            .place
            .map(|(line, column)| format!("line {line}, column {column}"));
        let parts: Vec<&str> = file.into_iter().chain(place.as_deref()).collect();
        Errors::one(parts.join(", "), self.message, self.remedy)
    }
}

/// Reads the text of a document.
pub(crate) fn parse(text: &str) -> Result<Value, TextFault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(TextFault {
            place: None,
            message: "is empty".to_owned(),
            remedy: "give a configuration, which is JSON",
        });
    }
    let Node(value) = serde_json::from_str(text).map_err(|error: serde_json::Error| {
        // The message of the parser ends with the position; the path says it instead.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message);
        let (message, remedy) = match error.is_data() {
            true => (message.to_owned(), "leave one of them"),
            false => (format!("not valid JSON: {message}"), "correct the text there"),
        };
        TextFault {
            place: Some((error.line(), error.column())),
            message,
            remedy,
        }
    })?;
    Ok(value)
}

/// A value whose objects have each key once; its only error of its own is about that.
struct Node(Value);

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor).map(Node)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        // The parser has refused what is not finite.
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Node(entry)) = entries.next_element()? {
            list.push(entry);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format_args!(
                    "\"{}\" is given twice in one object",
                    key.escape_debug()
                )));
            }
            let Node(value) = entries.next_value()?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

//! What the tests of documents share.
#![allow(dead_code, missing_docs)]

use packetloom_config::{Scenario, document, template, validate};
use packetloom_params::Errors;
use serde_json::Value;

/// A template as JSON.
pub fn json(name: &str) -> Value {
    serde_json::from_str(template::text(name).expect("a known template")).expect("templates are JSON")
}

/// Reads and validates.
pub fn check(value: &Value) -> Result<Scenario, Errors> {
    validate(&document::from_value(value)?)
}

/// A document with the values at some places, given as JSON pointers, replaced or added.
pub fn with(name: &str, changes: &[(&str, Value)]) -> Value {
    let mut value = json(name);
    for (pointer, new) in changes {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        let mut at = &mut value;
        for part in parent.split('/').skip(1) {
            at = match at {
                Value::Array(list) => &mut list[part.parse::<usize>().expect("a position")],
                other => &mut other[part],
            };
            if at.is_null() {
                *at = serde_json::json!({});
            }
        }
        match at {
            Value::Array(list) => match key.parse::<usize>() {
                Ok(i) => list[i] = new.clone(),
                Err(_) => list.push(new.clone()),
            },
            other => other[key] = new.clone(),
        }
    }
    value
}

/// The lines of what is wrong with a changed template; empty if it is accepted.
pub fn faults(name: &str, changes: &[(&str, Value)]) -> Vec<String> {
    match check(&with(name, changes)) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

/// The warnings that a changed template gives and the template does not.
pub fn new_warnings(name: &str, changes: &[(&str, Value)]) -> Vec<String> {
    let usual = check(&json(name)).unwrap().warnings;
    let scenario = check(&with(name, changes)).unwrap_or_else(|errors| panic!("{errors}"));
    let new = |warning: &String| !usual.contains(warning);
    scenario.warnings.into_iter().filter(new).collect()
}

/// The one line of what is wrong.
pub fn fault(name: &str, changes: &[(&str, Value)]) -> String {
    faults(name, changes).join("\n")
}

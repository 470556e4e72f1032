//! Documents changed at random: reading and validation always come to an answer, and what is accepted means the same in
//! its full form.

use crate::common::json;
use packetloom_config::{catalog, check, document, template, validate};
use proptest::prelude::*;
use serde_json::{Value, json as j};
use std::collections::BTreeSet;

/// Values that fit somewhere, and values that fit nowhere.
fn value() -> impl Strategy<Value = Value> {
    let quantity = (
        0u64..10_000,
        prop::sample::select(vec!["B", "KB", "MiB", "Gbps", "Mbps", "ns", "us", "ms", "s", "m"]),
    )
        .prop_map(|(number, unit)| j!(format!("{number}{unit}")));
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0u64..40).prop_map(Value::from),
        (0.0..2.0f64).prop_map(|x| j!((x * 100.0).round() / 100.0)),
        any::<f64>().prop_map(|x| j!(x)),
        quantity,
        "(?s).{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "Nic",
            "Rack",
            "Pod",
            "Server",
            "RackSwitch",
            "SpineSwitch",
            "SpinePlane",
            "Rdma",
            "Tcp",
            "TcpNic",
            "ScalaNic",
            "ScalaTrafficGeneratorApplication",
            "prScalaTrafficServer",
            "empirical",
            "constant",
            "rack",
            "pod",
            "layer",
            "nic",
            "switch"
        ])
        .prop_map(Value::from),
        prop::collection::vec(0u64..3, 0..10).prop_map(|list| j!(list)),
        prop::collection::vec(0.0..1.0f64, 8).prop_map(|list| j!(list)),
        Just(j!({})),
        Just(j!([])),
        Just(j!({"type": "uint", "value": 1})),
    ]
}

/// A template that is quick to validate: all but the largest.
fn name() -> impl Strategy<Value = &'static str> {
    let names: Vec<_> = template::names().filter(|&name| name != "rdma-16k").collect();
    prop::sample::select(names)
}

/// Paths of everything in a document.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| {
            pointers(
                value,
                &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")),
                found,
            );
        }),
        Value::Array(list) => {
            list.iter()
                .enumerate()
                .for_each(|(i, value)| pointers(value, &format!("{at}/{i}"), found));
        }
        _ => {}
    }
}

fn change(document: &mut Value, place: prop::sample::Index, kind: u8, new: Value) {
    let mut places = Vec::new();
    pointers(document, "", &mut places);
    let place = place.get(&places);
    match kind {
        // Removes a member, or repeats the entry of a list.
        0 => {
            let Some((parent, key)) = place.rsplit_once('/') else {
                return;
            };
            match document.pointer_mut(parent) {
                Some(Value::Object(object)) => drop(object.remove(key)),
                Some(Value::Array(list)) => {
                    let copy = list.first().cloned().unwrap_or(new);
                    list.push(copy);
                }
                _ => {}
            }
        }
        _ => {
            if let Some(at) = document.pointer_mut(place) {
                *at = new;
            }
        }
    }
}

fn settle(given: &Value) -> Result<(), TestCaseError> {
    // Through text, as a document comes.
    let text = given.to_string();
    let read = document::read(&text);
    let by_steps = read.clone().and_then(|read| validate(&read));
    match (check(&text, &[]), by_steps) {
        (Ok(scenario), by_steps) => prop_assert_eq!(Ok(scenario), by_steps),
        (Err(errors), by_steps) => {
            prop_assert!(by_steps.is_err());
            let lines: BTreeSet<String> = errors.iter().map(ToString::to_string).collect();
            prop_assert_eq!(lines.len(), errors.len(), "{}", errors);
        }
    }
    let Ok(read) = read else {
        return Ok(());
    };
    match validate(&read) {
        Ok(scenario) => {
            let full = catalog::full_leaves(&read);
            let text = serde_json::to_string(&full).expect("a document can be written");
            let again = document::read(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
            let again = validate(&again).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(again, scenario);
        }
        Err(errors) => {
            prop_assert!(!errors.is_empty());
            for problem in &errors {
                let line = problem.to_string();
                prop_assert!(!line.contains('\n'), "{}", line);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn changed_anywhere(
        name in name(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0u8..6, value()), 1..4),
    ) {
        let mut given = json(name);
        for (place, kind, new) in changes {
            change(&mut given, place, kind, new);
        }
        settle(&given)?;
    }

    #[test]
    fn changed_attributes(
        name in name(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), value()), 1..4),
    ) {
        let read = template::document(name).expect("templates are documents");
        let full = serde_json::to_value(catalog::full_leaves(&read)).expect("a document can be written");
        let mut given = full;
        let mut places = Vec::new();
        pointers(&given, "", &mut places);
        let values: Vec<String> = places.into_iter().filter(|place| place.ends_with("/value")).collect();
        for (place, new) in changes {
            if let Some(at) = given.pointer_mut(place.get(&values).as_str()) {
                *at = new;
            }
        }
        settle(&given)?;
    }

    #[test]
    fn any_text(text in ".{0,200}") {
        prop_assert!(document::read(&text).is_err());
    }
}

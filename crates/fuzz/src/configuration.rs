//! Documents as a server gets them, and patches of attributes.

use crate::document::say_something;
use packetloom_config::catalog;
use packetloom_config::document::from_value;
use packetloom_config::parameters::{Owner, merge};
use serde_json::{Map, Value};

/// Larger inputs find nothing that smaller ones do not.
const LONGEST: usize = 1 << 16;

/// Reads the text before the first zero byte as a body, as it is stored and read again, and merges the text after it as a
/// patch of the attributes that the first byte picks.
pub fn configuration(data: &[u8]) {
    let Some((&pick, rest)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(&rest[..rest.len().min(LONGEST)]) else {
        return;
    };
    let (body, change) = text.split_once('\0').unwrap_or((text, ""));
    if let Ok(value) = serde_json::from_str::<Value>(body) {
        read(&value);
    }
    if let Ok(value) = serde_json::from_str::<Value>(change) {
        patch(pick, &value);
    }
}

/// What is accepted is the same after it has been stored.
fn read(body: &Value) {
    match from_value(body) {
        Ok(document) => {
            let stored = serde_json::to_string(&document).expect("a document is JSON");
            let value = serde_json::from_str(&stored).expect("JSON is read again");
            let again = from_value(&value).unwrap_or_else(|errors| panic!("stored, but refused: {errors}"));
            assert_eq!(serde_json::to_string(&again).ok(), Some(stored));
        }
        Err(errors) => {
            assert!(!errors.is_empty(), "a refusal has a reason");
            say_something(&errors);
        }
    }
}

/// What is merged changes nothing when it is merged again, and is shown.
fn patch(pick: u8, change: &Value) {
    let mut owners: Vec<Owner> = catalog::models().map(Owner::Model).collect();
    owners.push(Owner::Global);
    let owner = owners[pick as usize % owners.len()];
    match merge(owner, &Map::new(), change) {
        Ok(merged) => {
            assert!(!merged.is_empty(), "an empty patch was taken");
            let again = merge(owner, &merged, change).unwrap_or_else(|errors| panic!("not twice: {errors}"));
            assert_eq!(again, merged);
            // All that was stored is among what is shown.
            let full = owner.filled(&merged);
            assert!(merged.keys().all(|key| full.contains_key(key)), "{merged:?}");
        }
        Err(errors) => {
            assert!(!errors.is_empty(), "a refusal has a reason");
            say_something(&errors);
        }
    }
}

//! From text to a scenario in one step, with everything that is wrong on the way.

use crate::document::{self, Document, json};
use crate::scenario::Scenario;
use crate::{overrides, validate};
use packetloom_params::Errors;
use serde_json::Value;
use std::path::PathBuf;

/// Reads the text of a document, applies overrides of the form `PATH=VALUE`, and makes it ready to run.
///
/// # Errors
/// Everything that is wrong with the shape of the document, with the overrides, and with what the document means, in
/// this order. What follows from a part that could not be read is left out. Text that is no JSON is the only problem, as
/// nothing can be said beyond it.
pub fn check(text: &str, settings: &[String]) -> Result<Scenario, Errors> {
    check_value(&json::parse(text).map_err(|fault| fault.errors(None))?, settings)
}

/// The same, with the document as the overrides have left it.
///
/// # Errors
/// As for [`check`].
pub fn check_both(text: &str, settings: &[String]) -> Result<(Document, Scenario), Errors> {
    let value = json::parse(text).map_err(|fault| fault.errors(None))?;
    check_in(&value, settings, None)
}

/// The same for a document that is JSON already.
///
/// # Errors
/// As for [`check`].
pub fn check_value(value: &Value, settings: &[String]) -> Result<Scenario, Errors> {
    check_in(value, settings, None).map(|(_, scenario)| scenario)
}

/// The same for a document in the folder `base`.
pub(crate) fn check_in(
    value: &Value,
    settings: &[String],
    base: Option<PathBuf>,
) -> Result<(Document, Scenario), Errors> {
    let (mut document, reading) = document::partly(value);
    document.base = base;
    let mut errors = reading.errors;
    for setting in settings {
        errors.append(overrides::apply_partly(&mut document, setting, &reading.faults));
    }
    match validate::partly(&document, &reading.faults) {
        Ok(scenario) => errors.or((document, scenario)),
        Err(wrong) => {
            errors.append(wrong);
            Err(errors)
        }
    }
}

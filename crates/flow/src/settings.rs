//! `<config>`: what a platform file sets for the whole network.

use crate::error::{Error, did_you_mean, show};
use crate::link::NetworkSettings;
use crate::xml::Element;

/// Keys that are honoured. SimGrid also takes them with an underscore for the hyphen.
const HONOURED: [&str; 10] = [
    "network/model",
    "network/loopback-lat",
    "network/loopback-bw",
    "network/crosstraffic",
    "network/weight-S",
    "network/TCP-gamma",
    "network/latency-factor",
    "network/bandwidth-factor",
    "precision/timing",
    "surf/precision",
];

/// Takes the properties of a `<config>` over into the settings. What has no meaning here is told in `warnings`.
///
/// # Errors
///
/// A value that is none, and a key that asks for another model than is simulated.
pub fn apply(
    config: Element<'_>,
    settings: &mut NetworkSettings,
    warnings: &mut Vec<String>,
) -> Result<(), Error> {
    config.allow(&["id"])?;
    for property in config.children()? {
        if property.tag() != "prop" {
            return Err(property.unexpected("config", &["prop"]));
        }
        property.allow(&["id", "value"])?;
        let id = property.required("id")?;
        let value = property.required("value")?;
        let key = id.replace('_', "-");
        match key.as_str() {
            "network/model" => model(property, id, value, &["CM02"])?,
            "host/model" => model(property, id, value, &["default", "compound"])?,
            "cpu/model" => model(property, id, value, &["Cas01"])?,
            "network/loopback-lat" => settings.loopback_latency = number(property, id, value, 0.0)?,
            "network/loopback-bw" => settings.loopback_bandwidth = number(property, id, value, LEAST)?,
            "network/weight-S" => settings.weight_s = number(property, id, value, 0.0)?,
            "network/TCP-gamma" => settings.tcp_gamma = number(property, id, value, 0.0)?,
            "network/latency-factor" => settings.latency_factor = factor(property, id, value, 0.0)?,
            "network/bandwidth-factor" => settings.bandwidth_factor = factor(property, id, value, LEAST)?,
            "precision/timing" | "surf/precision" => {
                settings.precision = number(property, id, value, 0.0)?;
            }
            "network/crosstraffic" => settings.cross_traffic = truth(property, id, value)?,
            _ => {
                let remedy = did_you_mean(id, HONOURED, "it is left out of account");
                warnings.push(format!(
                    "{}: the setting {} has no effect here; {remedy}",
                    property.place(),
                    show(id)
                ));
            }
        }
    }
    Ok(())
}

/// The least value of what must be above 0.
const LEAST: f64 = f64::MIN_POSITIVE;

fn model(property: Element<'_>, id: &str, value: &str, simulated: &[&str]) -> Result<(), Error> {
    if simulated.contains(&value) {
        return Ok(());
    }
    let message = format!("{} {} is not simulated", show(id), show(value));
    Err(property.wrong_value("value", message, format!("write {}", simulated.join(" or "))))
}

fn number(property: Element<'_>, id: &str, value: &str, least: f64) -> Result<f64, Error> {
    let number = value.trim().parse::<f64>().ok();
    let number = number.filter(|number| number.is_finite() && *number >= least);
    number.ok_or_else(|| {
        let message = format!("{} is no value of {}", show(value), show(id));
        let range = if least > 0.0 { "above 0" } else { "of 0 or more" };
        property.wrong_value("value", message, format!("write a number {range} without a unit"))
    })
}

/// A factor is one number here; for SimGrid it may also depend on the size, as its model SMPI has it.
fn factor(property: Element<'_>, id: &str, value: &str, least: f64) -> Result<f64, Error> {
    if value.contains([':', ';']) {
        let message = format!(
            "a factor that depends on the size ({}) is not simulated",
            show(id)
        );
        return Err(property.wrong_value("value", message, "write one number"));
    }
    number(property, id, value, least)
}

fn truth(property: Element<'_>, id: &str, value: &str) -> Result<bool, Error> {
    match value.trim().to_ascii_lowercase().as_str() {
        "yes" | "on" | "true" | "1" => Ok(true),
        "no" | "off" | "false" | "0" => Ok(false),
        _ => {
            let message = format!("{} is no value of {}", show(value), show(id));
            Err(property.wrong_value("value", message, "write yes or no"))
        }
    }
}

//! Lists of eight numbers, one for each traffic class or pool.

use crate::leaf::{Kind, LeafType, read_double, read_uint, shown, write_double};
use crate::units::Fault;
use serde_json::Value;

/// Entries of every list.
const ENTRIES: usize = 8;

/// Reads a JSON list, or a text such as `[0.9, 0.1, 0, 0, 0, 0, 0, 0]` with or without its brackets.
fn read_list<T: Copy + Default>(
    value: &Value,
    unit: Option<&str>,
    entry: impl Fn(&Value) -> Result<T, Fault>,
) -> Result<[T; ENTRIES], Fault> {
    if let Some(unit) = unit.filter(|unit| !unit.is_empty()) {
        return Err(Fault::new(
            format!("\"{unit}\" stands where no unit belongs"),
            "leave \"unit\" out",
        ));
    }
    let values = match value {
        Value::Array(values) => values.clone(),
        Value::String(text) => split(text)?,
        other => {
            return Err(Fault::new(
                format!("{} is not a list", shown(other)),
                "give a list of eight numbers",
            ));
        }
    };
    if values.len() != ENTRIES {
        let entries = if values.len() == 1 { "entry" } else { "entries" };
        return Err(Fault::new(
            format!("the list has {} {entries}", values.len()),
            "give eight numbers, one for each class or pool",
        ));
    }
    let mut list = [T::default(); ENTRIES];
    for (i, (place, value)) in list.iter_mut().zip(&values).enumerate() {
        *place = entry(value)
            .map_err(|fault| Fault::new(format!("entry {i}: {}", fault.message), fault.remedy))?;
    }
    Ok(list)
}

/// The entries of a list written as text. An entry that is no number stays a text, for the error to show.
fn split(text: &str) -> Result<Vec<Value>, Fault> {
    let inner = text.trim();
    let inner = match (inner.strip_prefix('['), inner.ends_with(']')) {
        (Some(rest), true) => &rest[..rest.len() - 1],
        (None, false) => inner,
        _ => {
            return Err(Fault::new(
                format!("{} has one bracket", shown(&text.into())),
                "write both brackets or none",
            ));
        }
    };
    if inner.trim().is_empty() {
        return Ok(Vec::new());
    }
    let entry = |part: &str| match serde_json::from_str(part.trim()) {
        Ok(Value::Number(number)) => Value::Number(number),
        _ => Value::String(part.trim().to_owned()),
    };
    Ok(inner.split(',').map(entry).collect())
}

fn bracketed(entries: impl Iterator<Item = Value>) -> Value {
    let texts: Vec<String> = entries
        .map(|entry| match &entry {
            // 0.0 and 1.0 are written 0 and 1, as documents do.
            Value::Number(number) => {
                let text = number.to_string();
                text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
            }
            other => other.to_string(),
        })
        .collect();
    format!("[{}]", texts.join(", ")).into()
}

impl LeafType for [f64; ENTRIES] {
    type Bound = f64;
    const KIND: Kind = Kind::String;
    const IS_LIST: bool = true;

    fn read(value: &Value, unit: Option<&str>) -> Result<Self, Fault> {
        read_list(value, unit, read_double)
    }

    fn write(&self, _: Option<&'static str>) -> (Value, Option<&'static str>) {
        (bracketed(self.iter().map(|&entry| write_double(entry))), None)
    }

    fn bounded(&self) -> Vec<f64> {
        self.to_vec()
    }

    fn write_bound(bound: &f64, _: Option<&'static str>) -> (Value, Option<&'static str>) {
        f64::write(bound, None)
    }
}

impl LeafType for [u64; ENTRIES] {
    type Bound = u64;
    const KIND: Kind = Kind::String;
    const IS_LIST: bool = true;

    fn read(value: &Value, unit: Option<&str>) -> Result<Self, Fault> {
        read_list(value, unit, read_uint)
    }

    fn write(&self, _: Option<&'static str>) -> (Value, Option<&'static str>) {
        (bracketed(self.iter().map(|&entry| entry.into())), None)
    }

    fn bounded(&self) -> Vec<u64> {
        self.to_vec()
    }

    fn write_bound(bound: &u64, _: Option<&'static str>) -> (Value, Option<&'static str>) {
        u64::write(bound, None)
    }
}

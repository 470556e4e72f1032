//! The untyped description of attributes, for tables, schemas and full documents.

use crate::decimal::Decimal;
use crate::leaf::Kind;
use crate::problem::join;
use serde::Serialize;
use serde_json::{Map, Value};

/// A value with its unit, as documents write it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Literal {
    /// The number, text or truth value.
    pub value: Value,
    /// The unit of a quantity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
}

impl std::fmt::Display for Literal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.value {
            Value::String(text) => f.write_str(text)?,
            // 1000000.0 and 1e-12 read better as plain decimals.
            Value::Number(number) => match Decimal::from_json(number) {
                Ok(decimal) => write!(f, "{decimal}")?,
                Err(_) => write!(f, "{number}")?,
            },
            other => write!(f, "{other}")?,
        }
        match self.unit {
            Some(unit) => write!(f, " {unit}"),
            None => Ok(()),
        }
    }
}

/// One attribute.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Leaf {
    /// The documented name.
    pub name: &'static str,
    /// What it means.
    pub text: String,
    /// Its type.
    pub kind: Kind,
    /// Whether it holds eight entries, one for each class or pool.
    pub list: bool,
    /// The published default.
    pub default: Literal,
    /// The least value, or that of an entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<Literal>,
    /// Whether `min` itself is too small.
    pub min_excluded: bool,
    /// The largest value, or that of an entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Literal>,
    /// The spellings of a choice.
    pub allowed: &'static [&'static str],
    /// Whether it stays at its default.
    pub readonly: bool,
}

/// A named group of attributes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// The documented name; empty at the root.
    pub name: &'static str,
    /// What the group is about.
    pub text: String,
    /// Its attributes and groups, in documented order.
    pub members: Vec<Member>,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all members are leaves, so boxes would save nothing"
)]
pub enum Member {
    /// An attribute.
    Leaf(Leaf),
    /// A group inside.
    Group(Group),
}

impl Member {
    /// The documented name.
    pub fn name(&self) -> &'static str {
        match self {
            Member::Leaf(leaf) => leaf.name,
            Member::Group(group) => group.name,
        }
    }
}

impl Group {
    /// All attributes below this group with their dotted paths.
    pub fn leaves(&self) -> Vec<(String, &Leaf)> {
        let mut leaves = Vec::new();
        self.collect("", &mut leaves);
        leaves
    }

    fn collect<'a>(&'a self, path: &str, leaves: &mut Vec<(String, &'a Leaf)>) {
        for member in &self.members {
            let path = join(path, member.name());
            match member {
                Member::Leaf(leaf) => leaves.push((path, leaf)),
                Member::Group(group) => group.collect(&path, leaves),
            }
        }
    }
}

/// A range in words: `16 or less`, `1 to 16`, `above 0`.
pub fn range_text(min: Option<&Literal>, min_excluded: bool, max: Option<&Literal>) -> String {
    match (min, max) {
        (Some(min), Some(max)) if min_excluded => format!("more than {min} and at most {max}"),
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) if min_excluded => format!("more than {min}"),
        (Some(min), None) => format!("{min} or more"),
        (None, Some(max)) => format!("{max} or less"),
        (None, None) => "any value".to_owned(),
    }
}

impl Leaf {
    /// The full leaf object of a document with this value.
    pub fn to_json(&self, value: Value, unit: Option<&'static str>) -> Value {
        let mut object = Map::new();
        object.insert("type".into(), self.kind.as_str().into());
        object.insert("value".into(), value);
        if let Some(unit) = unit {
            object.insert("unit".into(), unit.into());
        }
        object.insert("default".into(), self.default.value.clone());
        if let Some(unit) = self.default.unit {
            object.insert("defaultUnit".into(), unit.into());
        }
        object.insert("description".into(), self.text.clone().into());
        for (key, bound) in [("min", &self.min), ("max", &self.max)] {
            if let Some(bound) = bound {
                let mut stated = Map::new();
                stated.insert("value".into(), bound.value.clone());
                // A bound of zero needs no unit.
                if let Some(unit) = bound.unit.filter(|_| bound.value.as_f64() != Some(0.0)) {
                    stated.insert("unit".into(), unit.into());
                }
                object.insert(key.into(), Value::Object(stated));
            }
        }
        if !self.allowed.is_empty() {
            object.insert("enum".into(), self.allowed.to_vec().into());
        }
        if self.readonly {
            object.insert("readonly".into(), true.into());
        }
        Value::Object(object)
    }
}

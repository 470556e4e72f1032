//! The typed description of one attribute, by which it is read and written.

use crate::declaration::{Leaf, Literal, Member, range_text};
use crate::leaf::{Kind, LeafType, WHOLE, shown};
use crate::problem::{Errors, did_you_mean, join};
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// The typed description of an attribute while it is read.
#[doc(hidden)]
pub struct Spec<T: LeafType> {
    name: &'static str,
    text: &'static str,
    kind: Kind,
    default: T,
    unit: Option<&'static str>,
    min: Option<T::Bound>,
    min_excluded: bool,
    max: Option<T::Bound>,
    readonly: bool,
    plain_uint: bool,
}

impl<T: LeafType> Spec<T> {
    /// An attribute without a range.
    pub fn new(name: &'static str, text: &'static str, default: T) -> Self {
        Spec {
            name,
            text,
            kind: T::KIND,
            default,
            unit: None,
            min: None,
            min_excluded: false,
            max: None,
            readonly: false,
            plain_uint: false,
        }
    }

    /// The least value, or that of an entry of a list.
    pub fn min(mut self, bound: T::Bound) -> Self {
        self.min = Some(bound);
        self
    }

    /// Values must be above this.
    pub fn above(mut self, bound: T::Bound) -> Self {
        self.min = Some(bound);
        self.min_excluded = true;
        self
    }

    /// The largest value, or that of an entry of a list.
    pub fn max(mut self, bound: T::Bound) -> Self {
        self.max = Some(bound);
        self
    }

    /// The value cannot be changed.
    pub fn readonly(mut self) -> Self {
        self.readonly = true;
        self
    }

    /// The unit in which the value is written.
    pub fn unit(mut self, unit: &'static str) -> Self {
        self.unit = Some(unit);
        self
    }

    /// Another type in documents for the same Rust type.
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// A size that documents also write as a plain `uint` of bytes.
    pub fn or_plain_bytes(mut self) -> Self {
        self.plain_uint = true;
        self
    }

    /// The published default.
    pub fn default(self) -> T {
        self.default
    }

    fn literal(&self, value: &T) -> Literal {
        let (value, unit) = value.write(self.unit.or_else(|| self.default_unit()));
        Literal { value, unit }
    }

    fn default_unit(&self) -> Option<&'static str> {
        self.default.write(self.unit).1
    }

    fn bound(&self, bound: &T::Bound) -> Literal {
        let (value, unit) = T::write_bound(bound, None);
        Literal { value, unit }
    }

    /// The untyped description.
    pub fn member(self) -> Member {
        Member::Leaf(Leaf {
            name: self.name,
            text: self.text.trim().to_owned(),
            kind: self.kind,
            list: T::IS_LIST,
            default: self.literal(&self.default),
            min: self.min.as_ref().map(|bound| self.bound(bound)),
            min_excluded: self.min_excluded,
            max: self.max.as_ref().map(|bound| self.bound(bound)),
            allowed: T::allowed(),
            readonly: self.readonly,
        })
    }

    /// Reads a leaf object or a plain value into `place`, which keeps its value if anything is wrong.
    pub fn read(&self, place: &mut T, value: &Value, path: &str, errors: &mut Errors) {
        let before = errors.len();
        let (value, unit, plain) = match value {
            Value::Object(leaf) => match self.open(leaf, path, errors) {
                Some(opened) => opened,
                None => return,
            },
            plain => (plain, None, self.plain_uint && plain.is_number()),
        };
        if errors.len() > before {
            return;
        }
        let unit = if plain && unit.is_none() {
            self.kind.quantity().map(|q| q.base)
        } else {
            unit
        };
        match T::read(value, unit) {
            Ok(read) => {
                self.check(&read, path, errors);
                if errors.len() == before {
                    *place = read;
                }
            }
            Err(fault) => {
                let limited = match fault.beyond {
                    Some(Ordering::Less) => self.min.is_some(),
                    Some(_) => self.max.is_some(),
                    None => false,
                };
                let remedy = match limited {
                    true => format!("give {}", self.range()),
                    false if fault.remedy == WHOLE => match (&self.min, &self.max) {
                        (None, None) => fault.remedy,
                        (None, Some(max)) => format!("give a whole number of 0 to {}", self.bound(max)),
                        (Some(_), _) => format!("give a whole number of {}", self.range()),
                    },
                    false => fault.remedy,
                };
                errors.push(path, fault.message, remedy);
            }
        }
    }

    /// The value and unit of a leaf object, and whether it is a size written as a plain number.
    fn open<'a>(
        &self,
        leaf: &'a Map<String, Value>,
        path: &str,
        errors: &mut Errors,
    ) -> Option<(&'a Value, Option<&'a str>, bool)> {
        const KEYS: [&str; 10] = [
            "type",
            "value",
            "unit",
            "default",
            "defaultUnit",
            "description",
            "min",
            "max",
            "enum",
            "readonly",
        ];
        for key in leaf.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            errors.push(
                join(path, key),
                "is not a part of an attribute",
                did_you_mean(key, KEYS),
            );
        }
        let mut plain = false;
        match leaf.get("type") {
            Some(Value::String(kind)) => {
                let known = Kind::from_text(kind);
                plain = self.plain_uint && known == Some(Kind::Uint);
                if !plain && !known.is_some_and(|known| self.kind.accepts(known)) {
                    let message = format!("the type is \"{kind}\"");
                    errors.push(path, message, format!("make it \"{}\"", self.kind.as_str()));
                }
            }
            Some(other) => {
                let message = format!("the type is {}", shown(other));
                errors.push(path, message, format!("make it \"{}\"", self.kind.as_str()));
            }
            None => {
                let remedy = format!(
                    "add \"type\": \"{}\", or give the plain value",
                    self.kind.as_str()
                );
                errors.push(path, "the attribute has no type", remedy);
            }
        }
        let unit = match leaf.get("unit") {
            None | Some(Value::Null) => None,
            Some(Value::String(unit)) => Some(unit.as_str()),
            Some(other) => {
                errors.push(
                    path,
                    format!("the unit is {}", shown(other)),
                    "give the unit as a text",
                );
                None
            }
        };
        let value = leaf.get("value");
        if value.is_none() {
            errors.push(path, "the attribute has no value", "add \"value\"");
        }
        Some((value?, unit, plain))
    }

    fn check(&self, read: &T, path: &str, errors: &mut Errors) {
        if self.readonly && *read != self.default {
            let message = format!(
                "{} differs from {}, and the attribute is read-only",
                self.literal(read),
                { self.literal(&self.default) }
            );
            errors.push(path, message, "leave it out");
            return;
        }
        for (i, entry) in read.bounded().iter().enumerate() {
            let low = self.min.as_ref().is_some_and(|min| {
                if self.min_excluded {
                    entry <= min
                } else {
                    entry < min
                }
            });
            let high = self.max.as_ref().is_some_and(|max| entry > max);
            if low || high {
                let (value, unit) = T::write_bound(entry, None);
                let value = Literal { value, unit };
                let message = match T::IS_LIST {
                    true => format!("entry {i} is {value}, which is out of range"),
                    false => format!("{value} is out of range"),
                };
                errors.push(path, message, format!("give {}", self.range()));
            }
        }
    }

    /// The range in words.
    fn range(&self) -> String {
        let min = self.min.as_ref().map(|bound| self.bound(bound));
        let max = self.max.as_ref().map(|bound| self.bound(bound));
        range_text(min.as_ref(), self.min_excluded, max.as_ref())
    }

    /// The full leaf with `value`.
    pub fn leaves(self, value: &T) -> Value {
        let Literal { value, unit } = self.literal(value);
        let Member::Leaf(leaf) = self.member() else {
            // `member` of an attribute is always a leaf.
            return value;
        };
        leaf.to_json(value, unit)
    }
}

//! The types of leaves and how each reads from and writes to JSON.

use crate::decimal::{Decimal, Whole};
use crate::problem::did_you_mean;
use crate::units::{Fault, Quantity, RATE, SIZE, TIME};
use packetloom_des::{Bytes, Rate, Span};
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

/// The type of a leaf as documents spell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A whole number from 0.
    Uint,
    /// A decimal number; a time of this type is in seconds.
    Double,
    /// True or false.
    Bool,
    /// A text: one of a set of spellings, a list of eight numbers, or any text.
    String,
    /// A size in bytes.
    Bytes,
    /// A size of a buffer in bytes.
    QueueSize,
    /// A data rate.
    DataRate,
    /// A span of time.
    TimeVal,
}

impl Kind {
    /// The spelling in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Uint => "uint",
            Kind::Double => "double",
            Kind::Bool => "bool",
            Kind::String => "string",
            Kind::Bytes => "bytes",
            Kind::QueueSize => "queuesize",
            Kind::DataRate => "datarate",
            Kind::TimeVal => "timeval",
        }
    }

    /// The quantity of a type that has units.
    pub fn quantity(self) -> Option<&'static Quantity> {
        match self {
            Kind::Bytes | Kind::QueueSize => Some(&SIZE),
            Kind::DataRate => Some(&RATE),
            Kind::TimeVal => Some(&TIME),
            Kind::Uint | Kind::Double | Kind::Bool | Kind::String => None,
        }
    }

    /// The type spelled `text`.
    pub fn from_text(text: &str) -> Option<Self> {
        const ALL: [Kind; 8] = [
            Kind::Uint,
            Kind::Double,
            Kind::Bool,
            Kind::String,
            Kind::Bytes,
            Kind::QueueSize,
            Kind::DataRate,
            Kind::TimeVal,
        ];
        ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Whether a leaf of this type may be written as a leaf of `other`: the two types of sizes hold the same values.
    pub fn accepts(self, other: Kind) -> bool {
        self == other
            || matches!(
                (self, other),
                (Kind::Bytes, Kind::QueueSize) | (Kind::QueueSize, Kind::Bytes)
            )
    }
}

/// A Rust type that a leaf can have.
pub trait LeafType: Clone + PartialEq {
    /// What a range is stated in: the type itself, or the entries of a list.
    type Bound: Clone + PartialOrd;
    /// The type in documents.
    const KIND: Kind;
    /// Whether the leaf is a list of eight entries.
    const IS_LIST: bool = false;

    /// Reads a value. `unit` is what the leaf object states beside it.
    fn read(value: &Value, unit: Option<&str>) -> Result<Self, Fault>;

    /// The value as JSON, with its unit. `preferred` is the unit of the published default.
    fn write(&self, preferred: Option<&'static str>) -> (Value, Option<&'static str>);

    /// The entries a range applies to.
    fn bounded(&self) -> Vec<Self::Bound>;

    /// A bound as JSON, with its unit.
    fn write_bound(bound: &Self::Bound, preferred: Option<&'static str>) -> (Value, Option<&'static str>);

    /// The allowed spellings of a choice.
    fn allowed() -> &'static [&'static str] {
        &[]
    }
}

/// A JSON value for an error message: short, on one line.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Null => "null".to_owned(),
        Value::String(text) if text.chars().count() > 60 => {
            format!(
                "\"{}...\"",
                text.chars().take(57).collect::<String>().escape_debug()
            )
        }
        other => other.to_string(),
    }
}

fn no_unit(unit: Option<&str>) -> Result<(), Fault> {
    match unit {
        None | Some("") => Ok(()),
        Some(unit) => Err(Fault::new(
            format!("\"{unit}\" stands where no unit belongs"),
            "leave \"unit\" out",
        )),
    }
}

/// What is right where a whole number should be; the range of an attribute that has one says it better.
pub(crate) const WHOLE: &str = "give a whole number of 0 or more";

/// A whole number from 0.
pub(crate) fn read_uint(value: &Value) -> Result<u64, Fault> {
    let wrong = |message: String| Fault::new(message, WHOLE);
    let Value::Number(number) = value else {
        return Err(wrong(format!("{} is not a whole number", shown(value))));
    };
    let decimal = Decimal::from_json(number).map_err(|e| wrong(format!("{number} is {e}")))?;
    if decimal.is_negative() {
        return Err(wrong(format!("{number} is negative")));
    }
    match decimal.scale(1) {
        Whole::Exact(whole) => Ok(whole),
        Whole::Fraction => Err(wrong(format!("{number} is not a whole number"))),
        Whole::TooLarge => Err(Fault::new(
            format!("{number} is too large"),
            format!("give at most {}", u64::MAX),
        )),
    }
}

/// A finite number.
pub(crate) fn read_double(value: &Value) -> Result<f64, Fault> {
    // JSON has no infinities, but a reader may make one of 1e999.
    value.as_f64().filter(|number| number.is_finite()).ok_or_else(|| {
        Fault::new(
            format!("{} is not a number", shown(value)),
            "give a decimal number",
        )
    })
}

/// A finite double as JSON.
pub(crate) fn write_double(value: f64) -> Value {
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

impl LeafType for u64 {
    type Bound = u64;
    const KIND: Kind = Kind::Uint;

    fn read(value: &Value, unit: Option<&str>) -> Result<Self, Fault> {
        no_unit(unit)?;
        read_uint(value)
    }

    fn write(&self, _: Option<&'static str>) -> (Value, Option<&'static str>) {
        (Value::from(*self), None)
    }

    fn bounded(&self) -> Vec<u64> {
        vec![*self]
    }

    fn write_bound(bound: &u64, _: Option<&'static str>) -> (Value, Option<&'static str>) {
        (Value::from(*bound), None)
    }
}

impl LeafType for f64 {
    type Bound = f64;
    const KIND: Kind = Kind::Double;

    fn read(value: &Value, unit: Option<&str>) -> Result<Self, Fault> {
        no_unit(unit)?;
        read_double(value)
    }

    fn write(&self, _: Option<&'static str>) -> (Value, Option<&'static str>) {
        (write_double(*self), None)
    }

    fn bounded(&self) -> Vec<f64> {
        vec![*self]
    }

    fn write_bound(bound: &f64, _: Option<&'static str>) -> (Value, Option<&'static str>) {
        (write_double(*bound), None)
    }
}

impl LeafType for bool {
    type Bound = bool;
    const KIND: Kind = Kind::Bool;

    fn read(value: &Value, unit: Option<&str>) -> Result<Self, Fault> {
        no_unit(unit)?;
        value.as_bool().ok_or_else(|| {
            Fault::new(
                format!("{} is neither true nor false", shown(value)),
                "give true or false, without quotes",
            )
        })
    }

    fn write(&self, _: Option<&'static str>) -> (Value, Option<&'static str>) {
        (Value::from(*self), None)
    }

    fn bounded(&self) -> Vec<bool> {
        vec![*self]
    }

    fn write_bound(bound: &bool, _: Option<&'static str>) -> (Value, Option<&'static str>) {
        (Value::from(*bound), None)
    }
}

/// Most characters of a free text: as long as a path may be.
const LONGEST_TEXT: usize = 4_096;

/// A free text, such as the name of a file.
impl LeafType for String {
    type Bound = bool;
    const KIND: Kind = Kind::String;

    fn read(value: &Value, unit: Option<&str>) -> Result<Self, Fault> {
        no_unit(unit)?;
        let Value::String(text) = value else {
            return Err(Fault::new(
                format!("{} is not a text", shown(value)),
                "give a text in quotes",
            ));
        };
        let length = text.chars().count();
        if length > LONGEST_TEXT {
            return Err(Fault::new(
                format!("the text has {length} characters"),
                format!("give at most {LONGEST_TEXT}"),
            ));
        }
        Ok(text.clone())
    }

    fn write(&self, _: Option<&'static str>) -> (Value, Option<&'static str>) {
        (Value::from(self.as_str()), None)
    }

    fn bounded(&self) -> Vec<bool> {
        Vec::new()
    }

    fn write_bound(bound: &bool, _: Option<&'static str>) -> (Value, Option<&'static str>) {
        (Value::from(*bound), None)
    }
}

/// A type that is a whole number of a smallest unit.
macro_rules! quantity_leaf {
    ($Type:ty, $kind:expr, $quantity:ident, $from:expr, $into:expr) => {
        impl LeafType for $Type {
            type Bound = $Type;
            const KIND: Kind = $kind;

            fn read(value: &Value, unit: Option<&str>) -> Result<Self, Fault> {
                $quantity.read(value, unit).map($from)
            }

            fn write(&self, preferred: Option<&'static str>) -> (Value, Option<&'static str>) {
                let (number, unit) = $quantity.split($into(*self), preferred);
                (Value::Number(number), Some(unit))
            }

            fn bounded(&self) -> Vec<$Type> {
                vec![*self]
            }

            fn write_bound(bound: &$Type, preferred: Option<&'static str>) -> (Value, Option<&'static str>) {
                bound.write(preferred)
            }
        }
    };
}

quantity_leaf!(Bytes, Kind::QueueSize, SIZE, Bytes, |bytes: Bytes| bytes.0);
quantity_leaf!(Rate, Kind::DataRate, RATE, Rate::from_bps, Rate::bps);
quantity_leaf!(Span, Kind::TimeVal, TIME, Span::from_ps, Span::ps);

/// Reads one of the spellings of a choice, giving its position.
#[doc(hidden)]
pub fn read_choice(
    value: &Value,
    unit: Option<&str>,
    allowed: &'static [&'static str],
) -> Result<usize, Fault> {
    no_unit(unit)?;
    let Value::String(text) = value else {
        let message = format!("{} is not a text", shown(value));
        return Err(Fault::new(message, format!("give one of {}", allowed.join(", "))));
    };
    allowed
        .iter()
        .position(|spelling| spelling == text)
        .ok_or_else(|| {
            let message = format!("{} is not a known choice", shown(value));
            let remedy = did_you_mean(text, allowed.iter().copied());
            let remedy = if remedy.starts_with("did") {
                format!("{remedy} The choices are {}", allowed.join(", "))
            } else {
                format!("give one of {}", allowed.join(", "))
            };
            Fault::new(message, remedy)
        })
}

/// Declares an `enum` whose values are texts in documents.
///
/// ```
/// packetloom_params::choice! {
///     /// How classes take turns.
///     pub enum Scheduling {
///         /// The highest class first.
///         Strict = "StrictPriority",
///         /// One packet of each class in turn.
///         RoundRobin = "RoundRobin",
///     }
/// }
/// assert_eq!(Scheduling::Strict.as_str(), "StrictPriority");
/// ```
#[macro_export]
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $vis:vis enum $Name:ident {
            $( $(#[$variant_meta:meta])* $Variant:ident = $text:literal ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash,
            $crate::internal::serde::Serialize, $crate::internal::serde::Deserialize,
        )]
        #[serde(crate = "packetloom_params::internal::serde")]
        $vis enum $Name {
            $( $(#[$variant_meta])* #[serde(rename = $text)] $Variant ),+
        }

        impl $Name {
            /// All values, in the order of their declaration.
            pub const ALL: &'static [$Name] = &[$($Name::$Variant),+];
            const TEXTS: &'static [&'static str] = &[$($text),+];

            /// The spelling in documents.
            pub fn as_str(self) -> &'static str {
                match self {
                    $( $Name::$Variant => $text ),+
                }
            }
        }

        impl $crate::LeafType for $Name {
            type Bound = bool;
            const KIND: $crate::Kind = $crate::Kind::String;

            fn read(
                value: &$crate::internal::serde_json::Value,
                unit: Option<&str>,
            ) -> Result<Self, $crate::units::Fault> {
                $crate::internal::read_choice(value, unit, Self::TEXTS).map(|index| Self::ALL[index])
            }

            fn write(
                &self,
                _: Option<&'static str>,
            ) -> ($crate::internal::serde_json::Value, Option<&'static str>) {
                (self.as_str().into(), None)
            }

            fn bounded(&self) -> Vec<bool> {
                Vec::new()
            }

            fn write_bound(
                bound: &bool,
                _: Option<&'static str>,
            ) -> ($crate::internal::serde_json::Value, Option<&'static str>) {
                ((*bound).into(), None)
            }

            fn allowed() -> &'static [&'static str] {
                Self::TEXTS
            }
        }
    };
}

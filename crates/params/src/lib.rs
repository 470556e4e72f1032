//! Typed parameters: leaves with units and ranges, and the one declaration by which a model states its attributes.
//!
//! A model writes its attributes once, with [`attributes!`](crate::attributes). From that come the struct the model
//! reads, its published defaults, the reading of documents with every error collected, the full leaf form of a
//! document, and the tables of the documentation.
//!
//! Numbers with a unit are converted in decimal, so `31.52 Gbps` is exactly 31,520,000,000 bits per second.

#![forbid(unsafe_code)]

// The macros name this crate by its outside name, also in its own tests.
extern crate self as packetloom_params;

pub mod decimal;
pub mod declaration;
mod declare;
pub mod leaf;
mod list;
pub mod problem;
mod spec;
pub mod table;
pub mod units;

pub use decimal::Decimal;
pub use declaration::{Group, Leaf, Literal, Member};
pub use declare::Attributes;
pub use leaf::{Kind, LeafType};
pub use problem::{Errors, Problem, nearest};

/// What the macros of this crate expand to; not for use by hand.
#[doc(hidden)]
pub mod internal {
    pub use crate::declare::{GroupSpec, check_keys, object_of};
    pub use crate::leaf::read_choice;
    pub use crate::spec::Spec;
    pub use serde;
    pub use serde_json;
}

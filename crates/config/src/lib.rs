//! Configuration documents: reading, overrides, templates, the catalog of models, and validation.
//!
//! [`document::read`] takes the text of a document, [`overrides::apply`] changes single attributes of it, and
//! [`validate()`] turns it into a [`Scenario`]: typed, complete and ready to run. [`check()`] does all three. Each
//! reports everything that is wrong at once, with the path of each fault and what would be right.

#![forbid(unsafe_code)]

pub mod catalog;
mod check;
pub mod document;
mod faults;
mod fields;
pub mod global;
pub mod load;
pub mod overrides;
pub mod parameters;
pub mod scenario;
pub mod template;
mod validate;

pub use check::{check, check_both, check_value};
pub use document::Document;
pub use global::GlobalParameters;
pub use scenario::Scenario;
pub use validate::validate;

//! The crate as its users see it: documents go in, scenarios or messages come out.
#![allow(missing_docs)]

mod accepted;
mod checked;
mod common;
mod mixed;
mod random_documents;
mod refused;
mod refused_attributes;
mod sizes;
mod tcp;
mod templates;
mod tiers;
mod warned;

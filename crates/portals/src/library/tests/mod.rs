//! The rules of the interface, each cited by the name that the header gives it.

mod interfaces;
mod put;
mod table;
mod world;

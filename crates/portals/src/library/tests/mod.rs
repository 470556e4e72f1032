//! The rules of the interface, each cited by the name that the header gives it.

mod put;
mod world;

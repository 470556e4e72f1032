//! The rules of the interface, each cited by the name that the header gives it.

mod access;
mod descriptors;
mod fetching;
mod interfaces;
mod matching;
mod model;
mod put;
mod queues;
mod random;
mod search;
mod steady;
mod table;
mod triggered;
mod unexpected;
mod world;

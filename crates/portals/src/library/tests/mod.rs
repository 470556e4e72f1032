//! The rules of the interface, each cited by the name that the header gives it.

mod descriptors;
mod fetching;
mod interfaces;
mod matching;
mod put;
mod queues;
mod table;
mod triggered;
mod unexpected;
mod world;

//! The NIC without an engine.

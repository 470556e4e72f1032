//! The fabric: frames, ports, pause, the shared-buffer switch, topology and routes.

pub mod frame;

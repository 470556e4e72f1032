//! The fabric: frames, ports, pause, the shared-buffer switch, topology and routes.

pub mod codec;
pub mod ecmp;
pub mod frame;
pub mod gauge;
pub mod loss;
pub mod pause;
pub mod port;
pub mod scheduler;
pub mod switch;
pub mod testing;
pub mod topology;

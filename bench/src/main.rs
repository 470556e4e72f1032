//! Benchmarks of Packetloom.
fn main() {}

//! The command line of Packetloom.
fn main() {}

//! Calls a target with a file: `cargo run -p packetloom-fuzz --example one -- TARGET FILE`.
fn main() {
    let mut arguments = std::env::args().skip(1);
    let (target, file) = (arguments.next().unwrap(), arguments.next().unwrap());
    let (_, run) = packetloom_fuzz::TARGETS
        .into_iter()
        .find(|(name, _)| *name == target)
        .unwrap();
    run(&std::fs::read(file).unwrap());
}

//! Somebody runs the examples of Portals programs.

use crate::lab::Lab;
use crate::portals_lab::{EXAMPLES, program};
use std::path::Path;

/// Each example with what it prints and how the run is summed up.
const SHOWN: [(&str, &str, &str); 6] = [
    (
        "hello",
        "hello from rank 0 of 4 on node 0\nhello from rank 1 of 4 on node 1\n\
         hello from rank 2 of 4 on node 2\nhello from rank 3 of 4 on node 3\n",
        "4 processes ended at ",
    ),
    (
        "ping-pong",
        "      8 B: 1.7672 us\n   1024 B: 2.3573 us\n  65536 B: 8.4626 us\n1048576 B: 101.4529 us\n",
        "2 processes ended at ",
    ),
    ("ring", "8 ranks: the sum is 28\n", "8 processes ended at "),
    (
        "tour",
        "rank 1: \"put by rank 0\", sums up to 80, and a message that came early\n\
         rank 0: put, get, atomics and swaps are done\n",
        "2 processes ended at ",
    ),
    (
        "triggered-barrier",
        "8 ranks left together after 3 rounds\n",
        "8 processes ended at ",
    ),
    (
        "halo",
        "20 steps on 4 ranks: the heat is still 1000.000\n",
        "4 processes ended at ",
    ),
];

/// And twice the same, byte for byte: what it prints, and the log.
#[test]
fn the_examples_run_and_are_repeatable() {
    for (name, shown, told) in SHOWN {
        let lab = Lab::new();
        let program = program(name);
        let platform = Path::new(EXAMPLES).join("star.xml");
        let deployment = Path::new(EXAMPLES).join(format!("{name}.deploy.xml"));
        let run = |log: &str| {
            let path = |path: &Path| path.to_str().expect("text").to_owned();
            let words = ["portals", "run", "--log", log]
                .map(str::to_owned)
                .into_iter()
                .chain([
                    path(&platform),
                    path(&deployment),
                    path(&program),
                    name.to_owned(),
                ])
                .collect::<Vec<_>>();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let outcome = lab.packetloom(&words).succeeded();
            assert_eq!(outcome.stdout, shown, "{name}");
            assert!(outcome.stderr.starts_with(told), "{outcome:#?}");
            let simulated = |text: &str| text.split(", after").next().map(str::to_owned);
            (
                simulated(&outcome.stderr),
                lab.read(&format!("{log}/operations.csv")),
            )
        };
        let (first, second) = (run("one"), run("two"));
        assert_eq!(first, second, "{name}");
        assert!(
            first.1.lines().count() > 10 || name == "hello",
            "{name}: {}",
            first.1
        );
        assert_eq!(lab.listing("one"), ["operations.csv"]);
    }
}

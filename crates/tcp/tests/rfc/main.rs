//! What the RFCs say, as scripts: segments that arrive, and segments that must leave at exact times.

mod parse;
mod run;

/// Plays the cases of a file and tells of all that fail. `CASE=words` in the environment plays only those named so.
fn play_all(name: &str, text: &str) {
    let only = std::env::var("CASE").unwrap_or_default();
    let cases = parse::cases(name, text);
    assert!(!cases.is_empty(), "{name} has no case");
    let faults: Vec<String> = cases
        .iter()
        .filter(|case| case.name.contains(&only))
        .filter_map(|case| {
            let fault = run::play(case).err()?;
            Some(format!("{}\n  {}", case.name, fault.replace('\n', "\n  ")))
        })
        .collect();
    assert!(
        faults.is_empty(),
        "{} of {} cases fail\n\n{}",
        faults.len(),
        cases.len(),
        faults.join("\n\n")
    );
}

macro_rules! scripts {
    ($($name:ident)*) => { $(
        #[test]
        fn $name() {
            let name = concat!(stringify!($name), ".script");
            play_all(name, include_str!(concat!("../scripts/", stringify!($name), ".script")));
        }
    )* };
}

scripts! {
    rfc9293
    rfc7323
    rfc5681
    rfc6298
    rfc2018
    rfc6675
    rfc6937
    rfc3042
    rfc6582
    rfc9438
    rfc9406
    known_cases
    wrap
}

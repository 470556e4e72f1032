//! What the RFCs say, as scripts: segments that arrive, and segments that must leave at exact times.

mod bottleneck;
mod parse;
mod response;
mod run;

/// Plays the cases of a file. The error tells of all that fail.
fn play_all(name: &str, text: &str, only: &str) -> Result<(), String> {
    let cases = parse::cases(name, text)?;
    let faults: Vec<String> = cases
        .iter()
        .filter(|case| case.name.contains(only))
        .filter_map(|case| {
            let fault = run::play(case).err()?;
            Some(format!("{}\n  {}", case.name, fault.replace('\n', "\n  ")))
        })
        .collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} of {} cases fail\n\n{}",
        faults.len(),
        cases.len(),
        faults.join("\n\n")
    ))
}

/// Plays a file; `CASE=words` in the environment plays only the cases named so.
fn play_file(name: &str, text: &str) {
    let only = std::env::var("CASE").unwrap_or_default();
    if let Err(faults) = play_all(name, text, &only) {
        panic!("{faults}");
    }
}

macro_rules! scripts {
    ($($name:ident)*) => { $(
        #[test]
        fn $name() {
            let name = concat!(stringify!($name), ".script");
            play_file(name, include_str!(concat!("../scripts/", stringify!($name), ".script")));
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

/// What a script is told when it is wrong.
fn refusal(text: &str) -> String {
    play_all("file", text, "").expect_err("it is wrong")
}

#[test]
fn an_unknown_word_is_an_error_that_names_the_line() {
    let setup = refusal("=== a case\nclient fast\n");
    assert!(setup.contains("file:2: client fast\n"), "{setup}");
    assert!(setup.contains("unknown word \"fast\""), "{setup}");
    let step = refusal("=== a case\nclient # a comment\n\n0 open wide\n");
    assert!(step.contains("file:4: 0 open wide\n"), "{step}");
    let segment = refusal("=== a case\nserver\n0 < X\n");
    assert!(segment.contains("file:3: 0 < X\n"), "{segment}");
    let flag = refusal("=== a case\nserver\n0 < S ack 1\n");
    assert!(flag.contains("`ack N` goes with the flag `.`"), "{flag}");
}

#[test]
fn a_script_that_expects_something_else_fails() {
    let syn = "=== a case\nclient isn 7\n0 open\n+0 > S seq 7 <mss:1460,sackOK,wscale:6>\n";
    assert_eq!(play_all("file", syn, ""), Ok(()));
    for (right, wrong, why) in [
        ("seq 7", "seq 8", "but 0 > S 7:7"),
        ("+0 >", "+0.1 >", "but 0 > S 7:7"),
        ("> S ", "> S. ack 1 ", "but 0 > S 7:7"),
        ("sackOK,", "", "but 0 > S 7:7"),
        (
            "+0 > S seq 7 <mss:1460,sackOK,wscale:6>",
            "+0 quiet",
            "unexpected: 0 > S 7:7",
        ),
        (
            "+0 > S seq 7 <mss:1460,sackOK,wscale:6>",
            "",
            "unexpected: 0 > S 7:7",
        ),
        ("0 open\n", "", "nothing has left"),
        ("0 open\n", "0 open\n0 is cwnd 1\n", "cwnd is 14600"),
    ] {
        let text = syn.replacen(right, wrong, 1);
        assert_ne!(text, syn);
        let refusal = refusal(&text);
        assert!(refusal.contains(why), "{text}\n{refusal}");
    }
}

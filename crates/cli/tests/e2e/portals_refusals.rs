//! What Portals programs are run with is wrong: one clear error, exit code 2, nothing run.

use crate::lab::{Lab, Outcome};
use crate::portals_lab::{change, lab, program, words};
use std::fs;

#[track_caller]
fn refused(outcome: Outcome, told: &str) {
    let outcome = outcome.failed(2);
    assert_eq!(outcome.stderr, format!("error: {told}\n"));
}

/// A run of what is in the lab.
fn run(lab: &Lab, platform: &str, deployment: &str, library: &str) -> Outcome {
    lab.packetloom(&["portals", "run", platform, deployment, library, "program"])
}

#[test]
fn a_library_that_is_none() {
    let lab = lab();
    let build = |source: &str| {
        lab.write("source.c", source);
        lab.bash("cc -shared -fPIC -o built.so source.c").succeeded();
    };
    let of = |library: &str| run(&lab, "star.xml", "two.xml", library);
    let advice = "compile the program with `packetloom portals cc` or `cc -shared -fPIC`";
    build("int other(void) { return 1; }");
    refused(
        of("./built.so"),
        "./built.so has no function `main`: a program needs one, not `static` and not hidden",
    );
    lab.write("text.so", "a text");
    refused(
        of("./text.so"),
        &format!("./text.so is not a shared library: it is not an ELF file; {advice}"),
    );
    let whole = fs::read(program("ends")).expect("a library");
    fs::write(lab.path("short.so"), &whole[..3000]).expect("written");
    let outcome = of("./short.so").failed(2);
    outcome.says(&[
        "./short.so is not a shared library: the file is cut short or damaged",
        advice,
    ]);
    lab.write("source.c", "int main(void) { return 0; }");
    lab.bash("cc -o executable source.c").succeeded();
    refused(
        of("./executable"),
        &format!("./executable is an executable, not a shared library; {advice}"),
    );
    build("void nowhere(void); int main(void) { nowhere(); return 0; }");
    refused(
        of("./built.so"),
        "./built.so needs `nowhere`, which no library that it names has",
    );
    refused(
        of("./none.so"),
        "cannot read ./none.so: No such file or directory (os error 2)",
    );
    refused(of("."), "cannot read .: Is a directory (os error 21)");
}

#[test]
fn a_platform_that_is_wrong() {
    for (from, to, told) in [
        (
            "<host id=\"node1\" ",
            "<host id=\"node0\" ",
            "star.xml:23:15: there is a host \"node0\" already; give each host, router and zone a name of its own",
        ),
        (
            "<link id=\"node0_wire\" bandwidth=\"11.1GBps\"",
            "<link id=\"node0_wire\" bandwidth=\"11.1GBq\"",
            "star.xml:14:38: \"11.1GBq\" is no value of \"bandwidth\"; there is no such unit: write a bandwidth such as \
             \"10GBps\" (bytes) or \"80Gbps\" (bits)",
        ),
        (
            "<route src=\"node1\" dst=\"node1_NIC\">",
            "<route src=\"node1\" dst=\"node1\">",
            "star.xml: no route from \"node1\" to \"node1_NIC\": ",
        ),
        (
            "<router id=\"router\"/>",
            "<router id=\"router\"/><zone id=\"star\" routing=\"Full\"/>",
            "star.xml:6:36: a cyclic zone: \"star\" is inside itself; give the inner zone a name of its own",
        ),
    ] {
        let lab = lab();
        change(&lab, "star.xml", from, to);
        let library = program("ends");
        let outcome = lab.packetloom(&words(&[], &library, &[])).failed(2);
        assert!(
            outcome.stderr.starts_with(&format!("error: {told}")),
            "{outcome:#?}"
        );
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:#?}");
    }
}

/// Only the message that needs it shows that a route is missing; it must not hang.
#[test]
fn a_route_between_nodes_that_is_missing() {
    let lab = lab();
    change(
        &lab,
        "star.xml",
        "<route src=\"node1_NIC\" dst=\"router\">",
        "<route src=\"node7\" dst=\"node6\">",
    );
    let library = program("tour");
    let outcome = lab.packetloom(&words(&["--log", "log"], &library, &[]));
    assert_eq!(outcome.code, Some(2), "{outcome:#?}");
    assert!(
        outcome
            .stderr
            .starts_with("error: star.xml: no route from \"node"),
        "{outcome:#?}"
    );
    // A log is there whole or not at all.
    assert!(!lab.path("log").exists());
}

#[test]
fn what_is_no_platform() {
    let lab = lab();
    let library = program("ends");
    let library = library.to_str().expect("text");
    lab.write("fabric.json", "{ \"name\": \"a document\" }");
    refused(
        run(&lab, "fabric.json", "two.xml", library),
        "fabric.json is a configuration document; Portals programs run on platform files (XML) only, for now",
    );
    fs::copy(library, lab.path("platform.so")).expect("copied");
    refused(
        run(&lab, "platform.so", "two.xml", library),
        "platform.so:1:1: a shared object; describe the platform in XML: functions such as load_platform are not called",
    );
    refused(
        run(&lab, "none.xml", "two.xml", library),
        "none.xml: cannot be read: No such file or directory (os error 2); give the path of a file that can be",
    );
    let exchanged = run(&lab, "two.xml", "star.xml", library).failed(2);
    exchanged.says(&["two.xml:", "is this the deployment?"]);
}

#[test]
fn a_deployment_that_is_wrong() {
    let memory = "<prop id=\"use_real_memory\" value=\"true\"/>";
    for (from, to, told) in [
        (
            "host=\"node1\"",
            "host=\"elsewhere\"",
            "two.xml:21:1: the host \"elsewhere\" of \"user_app\" is not in star.xml",
        ),
        (
            "function=\"user_app\"",
            "function=\"nic_e2e\"",
            "two.xml:5: actor nic_e2e on host node0: a part of a NIC runs on a NIC: host=\"node0_NIC\" is expected",
        ),
        (
            "function=\"nic_e2e\"",
            "function=\"nic_other\"",
            "two.xml:20: actor nic_other on host node0_NIC: function nic_other is not known: \
             user_app, nic_initiator, nic_target or nic_e2e is expected",
        ),
        (
            memory,
            "<prop id=\"rank\" value=\"0\"/>",
            "two.xml:21: actor user_app on host node1: rank 0 is that of the actor on line 5: a rank once is expected",
        ),
        (
            memory,
            "<prop id=\"rank\" value=\"first\"/>",
            "two.xml:5: actor user_app on host node0: property rank is first: a whole number is expected",
        ),
        (
            memory,
            "<prop id=\"delay_start\" value=\"-1\"/>",
            "two.xml:5: actor user_app on host node0: property delay_start is -1: seconds of at least 0 are expected",
        ),
    ] {
        let lab = lab();
        change(&lab, "two.xml", from, to);
        let library = program("ends");
        let outcome = lab.packetloom(&words(&[], &library, &[])).failed(2);
        assert!(
            outcome.stderr.starts_with(&format!("error: {told}")),
            "{outcome:#?}"
        );
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:#?}");
    }
    let lab = lab();
    lab.write(
        "two.xml",
        "<platform version=\"4.1\"><actor host=\"node0_NIC\" function=\"nic_e2e\"/></platform>",
    );
    let library = program("ends");
    refused(
        lab.packetloom(&words(&[], &library, &[])),
        "two.xml: no actor user_app: add <actor host=\"...\" function=\"user_app\"/> for each process",
    );
}

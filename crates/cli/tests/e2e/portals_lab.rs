//! Portals programs to run: built once, and the folder of examples.

use crate::lab::{Lab, PROGRAM};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex};
use tempfile::TempDir;

/// The folder of examples.
pub const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/portals");
/// The folder of programs that only tests use.
const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/portals/programs");

static BUILT: LazyLock<Mutex<TempDir>> = LazyLock::new(|| Mutex::new(tempfile::tempdir().expect("a folder")));

/// The shared library of a program of the examples, or of those for tests.
pub fn program(name: &str) -> PathBuf {
    let folder = BUILT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let built = folder.path().join(name).with_extension("so");
    if !built.exists() {
        let source = [EXAMPLES, PROGRAMS]
            .map(|folder| Path::new(folder).join(name).with_extension("c"))
            .into_iter()
            .find(|source| source.exists());
        let status = Command::new(PROGRAM)
            .args(["portals", "cc", "-g", "-I", EXAMPLES, "-o"])
            .arg(&built)
            .arg(source.unwrap_or_else(|| panic!("no program {name}")))
            .env("XDG_CACHE_HOME", folder.path())
            .status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "{name} does not build"
        );
    }
    built
}

/// A lab with the platform of the examples as `star.xml`, and the deployment on two nodes as `two.xml`.
pub fn lab() -> Lab {
    let lab = Lab::new();
    for (from, to) in [("star.xml", "star.xml"), ("ping-pong.deploy.xml", "two.xml")] {
        std::fs::copy(Path::new(EXAMPLES).join(from), lab.path(to)).expect("copied");
    }
    lab
}

/// The lab with `file` changed; what is to be replaced must be there.
#[track_caller]
pub fn change(lab: &Lab, file: &str, from: &str, to: &str) {
    let text = lab.read(file);
    assert!(text.contains(from), "no {from:?} in {file}");
    lab.write(file, &text.replace(from, to));
}

/// The words of `packetloom portals run` of a program on two nodes.
pub fn words<'a>(options: &[&'a str], program: &'a Path, arguments: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["portals", "run"];
    words.extend(options);
    words.extend(["star.xml", "two.xml", program.to_str().expect("text"), "program"]);
    words.extend(arguments);
    words
}

/// A platform of so many nodes around one router, as the examples have it, and a deployment of `each` processes a node.
pub fn star(nodes: u32, each: u32) -> (String, String) {
    use std::fmt::Write as _;
    let mut platform = String::from(
        "<platform version=\"4.1\">\n<zone id=\"star\" routing=\"Floyd\">\n<router id=\"r\"/>\n",
    );
    let mut deployment = String::from("<platform version=\"4.1\">\n");
    for n in 0..nodes {
        let _ = writeln!(
            platform,
            "<host id=\"n{n}\" speed=\"10Gf\"/><host id=\"n{n}_NIC\" speed=\"1Gf\"/>\n\
             <link id=\"fat{n}\" bandwidth=\"11.1GBps\" latency=\"0ns\" sharing_policy=\"FATPIPE\"/>\n\
             <link id=\"pci{n}\" bandwidth=\"15.75GBps\" latency=\"250ns\"/>\n\
             <link id=\"wire{n}\" bandwidth=\"11.1GBps\" latency=\"500ns\"/>\n\
             <route src=\"n{n}\" dst=\"n{n}_NIC\"><link_ctn id=\"fat{n}\"/><link_ctn id=\"pci{n}\"/></route>\n\
             <route src=\"n{n}_NIC\" dst=\"r\"><link_ctn id=\"wire{n}\"/></route>"
        );
        for _ in 0..each {
            let _ = writeln!(deployment, "<actor host=\"n{n}\" function=\"user_app\"/>");
        }
        for function in ["nic_initiator", "nic_target"] {
            for vn in [1, 3] {
                let _ = writeln!(
                    deployment,
                    "<actor host=\"n{n}_NIC\" function=\"{function}\"><prop id=\"VN\" value=\"{vn}\"/></actor>"
                );
            }
        }
        let _ = writeln!(deployment, "<actor host=\"n{n}_NIC\" function=\"nic_e2e\"/>");
    }
    platform.push_str("</zone>\n</platform>\n");
    deployment.push_str("</platform>\n");
    (platform, deployment)
}

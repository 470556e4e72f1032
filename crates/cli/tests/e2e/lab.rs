//! A folder to run the program in, and a small document to run.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Longer than any run here takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_packetloom");

/// An empty folder of its own for one test.
pub struct Lab {
    folder: TempDir,
}

/// What the program did.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Lab {
    pub fn new() -> Self {
        Lab {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    /// A folder that holds `document` as `fabric.json`.
    pub fn with(document: &Value) -> Self {
        let lab = Lab::new();
        lab.write("fabric.json", &document.to_string());
        lab
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }

    /// Names of what is in `folder` of the lab, sorted.
    pub fn listing(&self, folder: &str) -> Vec<String> {
        names(&self.path(folder))
    }

    /// Runs the program in the lab.
    pub fn packetloom(&self, arguments: &[&str]) -> Outcome {
        self.command(PROGRAM, arguments)
    }

    /// Runs a line of bash in the lab, with the program as `$packetloom`.
    pub fn bash(&self, line: &str) -> Outcome {
        self.command("bash", &["-c", line])
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Outcome {
        let output = assert_cmd::Command::new(program)
            .args(arguments)
            .current_dir(self.folder.path())
            .env("packetloom", PROGRAM)
            // Wall-clock times would make two runs differ.
            .env("SOURCE_DATE_EPOCH", "1768331499")
            .timeout(PATIENCE)
            .output()
            .expect("started");
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

impl Outcome {
    /// It did what it was asked.
    #[track_caller]
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:#?}");
        assert!(!self.stderr.contains("error"), "{self:#?}");
        self
    }

    /// It refused with `code`: nothing on standard output, and on the other an error, perhaps with warnings before it,
    /// each on its line.
    #[track_caller]
    pub fn failed(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
        assert_eq!(self.stdout, "", "{self:#?}");
        let mut errors = self
            .stderr
            .lines()
            .skip_while(|line| line.starts_with("warning: "))
            .peekable();
        assert!(errors.peek().is_some(), "{self:#?}");
        assert!(
            errors.all(|line| line.starts_with("error: ") && line.len() > 20),
            "{self:#?}"
        );
        self
    }

    /// The words of the command line were refused, with all of `words` and where to find help.
    #[track_caller]
    pub fn failed_by_clap(self, words: &[&str]) -> Self {
        assert_eq!((self.code, self.stdout.as_str()), (Some(2), ""), "{self:#?}");
        self.says(&["error: ", "--help"]).says(words)
    }

    /// Its errors contain all of `words`.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in {self:#?}");
        }
        self
    }

    /// Standard output as one JSON object.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.stdout.lines().count(), 1, "{self:#?}");
        serde_json::from_str(&self.stdout).expect("JSON")
    }
}

/// Names of what is in `folder`, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

/// One rack of four hosts with the RDMA application, for a tenth of a millisecond.
pub fn document() -> Value {
    json!({
        "name": "four hosts",
        "components": [
            { "type": "switch", "name": "Leaf", "model": "ScalaSwitch", "version": "3.7.0", "typedParameters": {} },
            { "type": "nic", "name": "Nic", "model": "ScalaRoceNic", "version": "4.6.0", "typedParameters": {} },
            {
                "type": "server", "name": "Server", "model": "ScalaHost", "version": "3.1.1",
                "typedParameters": {},
                "components": [{ "type": "nic", "name": "Nic", "count": 1 }]
            }
        ],
        "containers": [
            {
                "type": "rack", "name": "Rack", "model": "ScalaRack", "version": "4.0.0", "configuration": null,
                "allowedComponents": ["switch", "server"],
                "components": [
                    { "type": "switch", "name": "Leaf", "count": 1 },
                    { "type": "server", "name": "Server", "count": 4 }
                ]
            },
            {
                "type": "pod", "name": "Pod", "configuration": null,
                "allowedComponents": ["switch", "rack"],
                "components": [{ "type": "rack", "name": "Rack", "count": 1 }]
            }
        ],
        "applications": [
            {
                "type": "application", "name": "Rdma", "model": "ScalaRdmaApplication", "version": "3.1.1",
                "trafficType": "non-coordinated", "typedParameters": {}
            }
        ],
        "links": [],
        "topology": {
            "name": null, "type": "clos", "topologyTiers": 1, "allowedComponents": ["switch", "pod"],
            "components": [{ "type": "pod", "name": "Pod", "count": 1 }],
            "appDistribution": {
                "description": null,
                "randomApplicationDistribution": [
                    {
                        "parentApplication": "Rdma", "name": "Initiator", "applicationType": "client",
                        "distributionPercent": { "distributionId": "prScalaRdmaInitiator", "value": 0.5 }
                    },
                    {
                        "parentApplication": "Rdma", "name": "Responder", "applicationType": "server",
                        "distributionPercent": { "distributionId": "prScalaRdmaResponder", "value": 0.5 }
                    }
                ]
            }
        },
        "globalParameters": {
            "SimulationParameters": { "WarmUp": 0.0, "RunTime": 0.0001, "CoolDown": 0.0, "BeaconReportInterval": 0.0001 }
        }
    })
}

/// The document with what `pointer` names replaced by `value`.
pub fn document_with(pointer: &str, value: Value) -> Value {
    let mut document = document();
    let place = document.pointer_mut(pointer);
    *place.unwrap_or_else(|| panic!("no {pointer} in the document")) = value;
    document
}

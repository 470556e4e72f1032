//! What the server and the process of a simulation say to each other: JSON, a message a line.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

/// The longest line, in bytes.
pub(crate) const LONGEST_LINE: usize = 1 << 20;

/// The first line that the server writes: what to simulate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The simulation's name, with which its files begin.
    pub name: String,
    /// The document.
    pub document: Value,
    /// The folder for all its files.
    pub folder: PathBuf,
    /// The folder of the files that the document may name.
    pub files: PathBuf,
    /// The file that the process holds locked while it lives.
    pub lock: PathBuf,
}

/// What the server may write later. The end of its input tells the process that the server is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ToJob {
    /// End with what there is.
    Terminate,
}

/// What the process writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FromJob {
    /// How far it has come.
    Progress {
        /// Simulated time, in picoseconds.
        simulated_ps: u64,
        /// The stop time, in picoseconds.
        stop_ps: u64,
        /// Events handled.
        events: u64,
        /// Packet-hops.
        packet_hops: u64,
    },
    /// It ended with whole files.
    Ended {
        /// Whether that was before the stop time.
        interrupted: bool,
        /// What it came to.
        summary: Value,
    },
    /// It did not.
    Failed {
        /// Why.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_objects_with_a_kind() {
        let progress = FromJob::Progress {
            simulated_ps: 1,
            stop_ps: 2,
            events: 3,
            packet_hops: 4,
        };
        let text = json!({"kind": "progress", "simulatedPs": 1, "stopPs": 2, "events": 3, "packetHops": 4});
        assert_eq!(serde_json::to_value(&progress).unwrap(), text);
        assert_eq!(serde_json::from_value::<FromJob>(text).unwrap(), progress);
        assert_eq!(
            serde_json::to_value(ToJob::Terminate).unwrap(),
            json!({"kind": "terminate"})
        );
    }
}

//! A declaration gives the struct, its defaults, its reading, its full leaves and its table.
#![allow(missing_docs)]

use packetloom_des::{Bytes, Rate, Span};
use packetloom_params::{Attributes, Errors, Kind, table};
use serde_json::{Value, json};

packetloom_params::choice! {
    /// A choice.
    pub enum Scheduling {
        /// Strict.
        Strict = "StrictPriority",
        /// In turn.
        RoundRobin = "RoundRobin",
    }
}

packetloom_params::attributes! {
    /// A device.
    pub struct Device {
        /// Ports.
        ports "NumPorts": u64 = 1, readonly();
        /// Gain
        /// of the estimate.
        gain "Gain": f64 = 0.5, min(0.0), max(1.0);
        /// Whether it is on.
        on "On": bool = true;
        /// The order.
        scheduling "Scheduling": Scheduling = Scheduling::Strict;
        /// Parts.
        parts "Parts": [f64; 8] = [0.9, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], min(0.0);
        /// Weights.
        weights "Weights": [u64; 8] = [1, 3, 0, 0, 0, 0, 0, 0], max(9);
        /// The link.
        link "PCIeGen3.0": Link;
    }

    /// A link.
    pub struct Link {
        /// Room.
        buffer "Buffer": Bytes = Bytes(256_000);
        /// Segment.
        segment "Segment": Bytes = Bytes(4_096), kind(Kind::Bytes), min(Bytes(1));
        /// Rate.
        rate "Rate": Rate = Rate::from_bps(31_520_000_000), unit("Gbps");
        /// Delay.
        delay "Delay": Span = Span::from_ns(100), max(Span::from_ms(2_000));
        /// Frame.
        frame "Frame": Bytes = Bytes(4_184), kind(Kind::Bytes), or_plain_bytes();
    }
}

fn read(value: Value) -> Result<Device, String> {
    let mut errors = Errors::new();
    let device = Device::from_json(&value, "d", &mut errors);
    errors.or(device).map_err(|errors| errors.to_string())
}

#[test]
fn what_is_left_out_takes_the_default() {
    assert_eq!(read(json!({})), Ok(Device::default()));
    assert_eq!(read(json!({"PCIeGen3.0": {}})), Ok(Device::default()));
    assert_eq!(Device::default().link.rate, Rate::from_bps(31_520_000_000));
}

#[test]
fn leaves_and_plain_values_read_alike() {
    let full = json!({
        "Gain": {"type": "double", "value": 0.25, "default": 0.5, "min": {"value": 0}, "description": "x"},
        "On": {"type": "bool", "value": false},
        "Scheduling": {"type": "string", "value": "RoundRobin", "enum": ["StrictPriority", "RoundRobin"]},
        "Parts": {"type": "string", "value": "[0.5, 0.5, 0, 0, 0, 0, 0, 0]"},
        "Weights": {"type": "string", "value": "1, 2, 0, 0, 0, 0, 0, 0"},
        "PCIeGen3.0": {
            "Buffer": {"type": "bytes", "value": 1.5, "unit": "KB"},
            "Rate": {"type": "datarate", "value": 0.4, "unit": "Tbps", "defaultUnit": "Gbps"},
            "Delay": {"type": "timeval", "value": 0.5, "unit": "us"},
            "Frame": {"type": "uint", "value": 9000},
        },
    });
    let plain = json!({
        "Gain": 0.25, "On": false, "Scheduling": "RoundRobin", "Parts": [0.5, 0.5, 0, 0, 0, 0, 0, 0],
        "Weights": "[1,2,0,0,0,0,0,0]",
        "PCIeGen3.0": {"Buffer": "1500B", "Rate": "400 Gbps", "Delay": "500ns", "Frame": "9 KB"},
    });
    assert_eq!(read(full.clone()), read(plain));
    let device = read(full).unwrap();
    assert_eq!(device.link.buffer, Bytes(1500));
    assert_eq!(device.link.delay, Span::from_ns(500));
    assert_eq!(device.link.frame, Bytes(9000));
}

#[test]
fn every_fault_is_reported() {
    let wrong = json!({
        "NumPorts": 2,
        "Gain": 1.5,
        "On": "true",
        "Scheduling": "Fifo",
        "Parts": [0.5, "x", 0, 0, 0, 0, 0, 0],
        "Weights": [1, 10, 0, 0, 0, 0, 0, 0],
        "Wieghts": 1,
        "PCIeGen3.0": {
            "Buffer": {"type": "bits", "value": 1, "unit": "B"},
            "Segment": {"type": "bytes", "value": 1, "unit": "KBytes"},
            "Rate": {"value": 1, "unit": "Gbps"},
            "Delay": "3 s",
            "Frame": {"type": "bytes", "unit": "B", "valu": 3},
        },
    });
    let expected = [
        "d.Wieghts: is not known here; did you mean \"Weights\"?",
        "d.NumPorts: 2 differs from 1, and the attribute is read-only; leave it out",
        "d.Gain: 1.5 is out of range; give 0 to 1",
        "d.On: \"true\" is neither true nor false; give true or false, without quotes",
        "d.Scheduling: \"Fifo\" is not a known choice; give one of StrictPriority, RoundRobin",
        "d.Parts: entry 1: \"x\" is not a number; give a decimal number",
        "d.Weights: entry 1 is 10, which is out of range; give 9 or less",
        "d.PCIeGen3.0.Buffer: the type is \"bits\"; make it \"queuesize\"",
        "d.PCIeGen3.0.Segment: \"KBytes\" is not a unit of size; use one of B, KB, KiB, MB, MiB, GB, GiB",
        "d.PCIeGen3.0.Rate: the attribute has no type; add \"type\": \"datarate\", or give the plain value",
        "d.PCIeGen3.0.Delay: 3 s is out of range; give 2 s or less",
        "d.PCIeGen3.0.Frame.valu: is not a part of an attribute; did you mean \"value\"?",
        "d.PCIeGen3.0.Frame: the attribute has no value; add \"value\"",
    ];
    assert_eq!(read(wrong).unwrap_err().lines().collect::<Vec<_>>(), expected);
    assert_eq!(
        read(json!({"PCIeGen3.0": 3})).unwrap_err(),
        "d.PCIeGen3.0: 3 is not a group of attributes; give an object: { ... }"
    );
    assert_eq!(
        read(json!([])).unwrap_err(),
        "d: a list is not a group of attributes; give an object: { ... }"
    );
}

#[test]
fn a_value_that_is_wrong_keeps_the_default() {
    let mut errors = Errors::new();
    let device = Device::from_json(&json!({"Gain": -1, "On": false}), "", &mut errors);
    assert_eq!((device.gain, device.on), (0.5, false));
    assert_eq!(errors.to_string(), "Gain: -1 is out of range; give 0 to 1");
}

#[test]
fn full_leaves_read_back() {
    let mut device = Device::default();
    device.link.buffer = Bytes(123_457);
    device.link.rate = Rate::from_bps(1);
    device.link.delay = Span::from_ps(1_000_000_000_001);
    device.gain = 0.1 + 0.2;
    device.parts = [1.0 / 3.0; 8];
    assert_eq!(read(device.to_leaves()), Ok(device.clone()));
    let leaves = Device::default().to_leaves();
    assert_eq!(
        leaves["PCIeGen3.0"]["Rate"],
        json!({
            "type": "datarate", "value": 31.52, "unit": "Gbps", "default": 31.52, "defaultUnit": "Gbps",
            "description": "Rate."
        })
    );
    assert_eq!(leaves["NumPorts"]["readonly"], true);
    assert_eq!(leaves["Gain"]["max"], json!({"value": 1.0}));
    assert_eq!(
        leaves["PCIeGen3.0"]["Delay"]["max"],
        json!({"value": 2, "unit": "s"})
    );
    assert_eq!(leaves["Parts"]["value"], "[0.9, 0.1, 0, 0, 0, 0, 0, 0]");
    assert_eq!(
        leaves["Scheduling"]["enum"],
        json!(["StrictPriority", "RoundRobin"])
    );
}

#[test]
fn the_table_has_a_row_for_each_attribute() {
    let table = table::markdown(&Device::declaration());
    for row in [
        "| `NumPorts` | `uint` | `1` | read-only | Ports. |",
        "| `Gain` | `double` | `0.5` | 0 to 1 | Gain of the estimate. |",
        "| `Scheduling` | `string` | `StrictPriority` | `StrictPriority`, `RoundRobin` | The order. |",
        "| `Parts` | `string` | `[0.9, 0.1, 0, 0, 0, 0, 0, 0]` | eight entries, each 0 or more | Parts. |",
        "| `PCIeGen3.0.Segment` | `bytes` | `4096 B` | 1 B or more | Segment. |",
        "| `PCIeGen3.0.Delay` | `timeval` | `100 ns` | 2 s or less | Delay. |",
    ] {
        assert!(table.contains(row), "{row}\n{table}");
    }
}

#[test]
fn doubles_keep_their_last_digit_through_text() {
    let device = Device {
        gain: 1.3561869139310114e-18,
        ..Device::default()
    };
    let text = device.to_leaves().to_string();
    assert_eq!(read(serde_json::from_str(&text).unwrap()), Ok(device));
}

packetloom_params::attributes! {
    /// A source.
    pub struct Source {
        /// Where it reads from.
        file "File": String = String::new();
        /// What it is called.
        label "Label": String = "none".to_owned();
    }
}

fn source(value: Value) -> Result<Source, String> {
    let mut errors = Errors::new();
    let source = Source::from_json(&value, "s", &mut errors);
    errors.or(source).map_err(|errors| errors.to_string())
}

#[test]
fn a_free_text_takes_any_text() {
    assert_eq!(Source::default().file, "");
    let given =
        source(json!({"File": "sizes/web search.cdf", "Label": {"type": "string", "value": "Größe"}}));
    let given = given.unwrap();
    assert_eq!((&*given.file, &*given.label), ("sizes/web search.cdf", "Größe"));
    assert_eq!(source(given.to_leaves()), Ok(given));
    assert_eq!(
        Source::default().to_leaves()["File"],
        json!({"type": "string", "value": "", "default": "", "description": "Where it reads from."})
    );
    let table = table::markdown(&Source::declaration());
    assert!(
        table.contains("| `File` | `string` |  |  | Where it reads from. |"),
        "{table}"
    );
    assert!(
        table.contains("| `Label` | `string` | `none` |  | What it is called. |"),
        "{table}"
    );
}

#[test]
fn what_is_no_free_text_is_refused() {
    assert_eq!(
        source(json!({"File": 7})).unwrap_err(),
        "s.File: 7 is not a text; give a text in quotes"
    );
    assert_eq!(
        source(json!({"File": {"type": "string", "value": "a", "unit": "B"}})).unwrap_err(),
        "s.File: \"B\" stands where no unit belongs; leave \"unit\" out"
    );
    // Characters count, not bytes: each of these has two.
    assert!(source(json!({"File": "ö".repeat(4_096)})).is_ok());
    assert_eq!(
        source(json!({"File": "ö".repeat(4_097)})).unwrap_err(),
        "s.File: the text has 4097 characters; give at most 4096"
    );
}

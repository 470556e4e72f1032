//! What the system tests share: documents, runs, and reading the records back exactly.

use packetloom_config::scenario::Scenario;
use packetloom_config::{document, overrides, template, validate};
use packetloom_fabric::topology::Cut;
use packetloom_sim::progress::Progress;
use packetloom_sim::summary::Summary;
use packetloom_sim::{RunOptions, run};
use serde_json::{Value, json};
use std::ops::Index;
use std::path::Path;

/// Picoseconds in a nanosecond, a microsecond and a second.
pub const NS: u64 = 1_000;
pub const US: u64 = 1_000_000;
pub const S: u64 = 1_000_000_000_000;

/// Where data transfer starts at the default timeline: the end of the client start window, 0.003 s.
pub const DATA_START: u64 = 3_000 * US;

/// Bits per second in 1 Gbps.
pub const GBPS: u64 = 1_000_000_000;

/// Paths of attributes that several tests set.
pub const NIC_RATE: &str = "Nic.NetworkInterface.UplinkNetworkInterface.DataRate";
pub const NIC_DELAY: &str = "Nic.NetworkInterface.TransmissionMedium.Delay";
pub const RACK_DOWN_RATE: &str = "RackSwitch.NetworkInterface.DownlinkNetworkInterface.DataRate";
pub const RACK_UP_RATE: &str = "RackSwitch.NetworkInterface.UplinkNetworkInterface.DataRate";
pub const RACK_DELAY: &str = "RackSwitch.NetworkInterface.TransmissionMedium.Delay";
pub const NIC_LANES: &str =
    "Nic.HostInterface.NICSide.PCIeGen3.0.NicDeviceLayer.NicPCIeInterface.PhysicalLayer";
pub const HOST_LANES: &str =
    "Nic.HostInterface.HostSide.PCIeGen3.0.ScalaHostPCIeDeviceLayer.HostPCIeInterface.PhysicalLayer";

/// A document of one pair: host `Sender` writes to host `Receiver`, in one rack under one switch, or each in a rack of
/// its own under two fabric switches. Components are called `Nic` (both hosts), `RackSwitch`, `FabricSwitch`; the
/// application is `Rdma`.
pub fn pair(racks: usize) -> Value {
    let server = |name: &str, role: &str| {
        json!({
            "type": "server", "name": name, "model": "ScalaHost", "version": "3.1.1", "typedParameters": {},
            "components": [
                {"name": "Nic", "type": "nic", "count": 1},
                {"name": role, "type": "application", "count": 1, "parentApplicationName": "Rdma"},
            ],
        })
    };
    let switch = |name: &str| json!({"type": "switch", "name": name, "model": "ScalaSwitch", "version": "3.7.0", "typedParameters": {}});
    let rack = |name: &str, servers: &[&str]| {
        let mut components = vec![json!({"name": "RackSwitch", "type": "switch", "count": 1})];
        components.extend(
            servers
                .iter()
                .map(|name| json!({"name": name, "type": "server", "count": 1})),
        );
        json!({
            "type": "rack", "name": name, "model": "ScalaRack", "version": "4.0.0", "configuration": null,
            "allowedComponents": ["switch", "server"], "components": components,
        })
    };
    let reference = |name: &str, kind: &str, count: u64| json!({"name": name, "type": kind, "count": count});
    let (mut containers, pod) = match racks {
        1 => (
            vec![rack("Rack", &["Sender", "Receiver"])],
            vec![reference("Rack", "rack", 1)],
        ),
        2 => (
            vec![rack("RackA", &["Sender"]), rack("RackB", &["Receiver"])],
            vec![
                reference("FabricSwitch", "switch", 2),
                reference("RackA", "rack", 1),
                reference("RackB", "rack", 1),
            ],
        ),
        other => panic!("no document of a pair in {other} racks"),
    };
    containers.push(json!({
        "type": "pod", "name": "Pod", "model": "ScalaPod", "version": "4.0.0", "configuration": null,
        "allowedComponents": ["switch", "rack"], "components": pod,
    }));
    let mut components = vec![
        switch("RackSwitch"),
        json!({"type": "nic", "name": "Nic", "model": "ScalaRoceNic", "version": "4.6.0", "typedParameters": {}}),
        server("Sender", "RdmaInitiator"),
        server("Receiver", "RdmaResponder"),
    ];
    if racks == 2 {
        components.push(switch("FabricSwitch"));
    }
    json!({
        "name": "pair",
        "components": components,
        "containers": containers,
        "applications": [{
            "type": "application", "name": "Rdma", "model": "ScalaRdmaApplication", "version": "3.1.1",
            "trafficType": "non-coordinated", "typedParameters": {},
        }],
        "links": [],
        "topology": {
            "name": null, "type": "clos", "topologyTiers": racks, "allowedComponents": ["switch", "pod"],
            "components": [reference("Pod", "pod", 1)], "appDistribution": null,
        },
        "globalParameters": {},
        "activeTraceset": null,
    })
}

/// A template as JSON.
pub fn template(name: &str) -> Value {
    serde_json::from_str(template::text(name).expect("a known template")).expect("templates are JSON")
}

/// Reads and validates a document after some overrides of the form `PATH=VALUE`.
pub fn scenario(document: &Value, settings: &[String]) -> Scenario {
    let mut document = document::from_value(document).expect("a readable document");
    for setting in settings {
        overrides::apply(&mut document, setting).unwrap_or_else(|e| panic!("{setting}: {e}"));
    }
    validate(&document).unwrap_or_else(|e| panic!("{e}"))
}

/// Overrides that let the run stop at `seconds` of simulated time, all of it after data start being recorded.
pub fn stop_at(seconds: f64) -> Vec<String> {
    vec![
        "SimulationParameters.WarmUp=0".into(),
        format!("SimulationParameters.RunTime={}", seconds - 0.003),
        "SimulationParameters.CoolDown=0".into(),
    ]
}

/// Overrides as owned text.
pub fn settings<const N: usize>(list: [&str; N]) -> Vec<String> {
    list.map(str::to_owned).to_vec()
}

/// A finished run and its records.
pub struct Outcome {
    pub summary: Summary,
    pub out: tempfile::TempDir,
}

/// Runs a document after some overrides, under every cut.
pub fn play(document: &Value, settings: &[String]) -> Outcome {
    run_under_every_cut(&scenario(document, settings), |_| {})
}

/// Runs with the nodes cut as by default, in one partition, and with a partition for each node (but for links without delay);
/// and once more with an event for the end of every transmission, whether or not something happens then. All that is recorded
/// must be the same, and so must the summary's figures of the simulated system. Gives the first.
#[track_caller]
pub fn run_under_every_cut(scenario: &Scenario, change: impl Fn(&mut RunOptions)) -> Outcome {
    let forms = [
        (Cut::Default, false),
        (Cut::One, false),
        (Cut::Each, false),
        (Cut::One, true),
    ];
    let [first, others @ ..] = forms.map(|(cut, eager)| {
        let out = tempfile::tempdir().expect("a temporary folder");
        let mut options = RunOptions {
            cut,
            eager,
            ..RunOptions::new("t", out.path())
        };
        change(&mut options);
        let summary = run(scenario, &options, &Progress::default()).unwrap_or_else(|e| panic!("{e}"));
        assert!(!summary.interrupted);
        Outcome { summary, out }
    });
    for (other, (_, eager)) in others.iter().zip(&forms[1..]) {
        assert_same_records(&first.texts(), &other.texts());
        let (left, right) = (&first.summary, &other.summary);
        assert_eq!(left.applications, right.applications);
        assert_eq!(left.utilization, right.utilization);
        assert_eq!(left.packet_hops, right.packet_hops);
        // Each transmission that ends without an event saves one.
        if *eager {
            assert!(left.events < right.events);
        } else {
            assert_eq!(left.events, right.events);
        }
    }
    first
}

/// Whether a file is about the machine that runs the simulation, which is never the same.
pub fn is_of_the_machine(name: &str) -> bool {
    name.contains("-cpu-mem-stats-")
}

/// Compares records row by row, so that the first difference is seen.
#[track_caller]
pub fn assert_same_records(one: &[(String, String)], other: &[(String, String)]) {
    assert_eq!(one.len(), other.len(), "as many records");
    for ((name, left), (_, right)) in one.iter().zip(other) {
        for (number, (left, right)) in left.lines().zip(right.lines()).enumerate() {
            assert_eq!(left, right, "{name}, row {number}");
        }
        assert_eq!(left.len(), right.len(), "{name}: as many rows");
    }
}

impl Outcome {
    /// Every record that is the same in every run: its name and its text without the wall-clock column.
    pub fn texts(&self) -> Vec<(String, String)> {
        let text = |name: &String| {
            let table = Table::read(&self.out.path().join(name));
            let clock = table.header.iter().position(|column| column == "time_utc");
            let mut text = String::new();
            for row in &table.rows {
                for (column, cell) in row
                    .iter()
                    .enumerate()
                    .filter(|&(column, _)| Some(column) != clock)
                {
                    text.push_str(if column == 0 { "" } else { "," });
                    text.push_str(cell);
                }
                text.push('\n');
            }
            text
        };
        self.summary
            .files
            .iter()
            .filter(|name| name.ends_with(".csv") && !is_of_the_machine(name))
            .map(|name| (name.clone(), text(name)))
            .collect()
    }

    /// The rows of a record.
    pub fn table(&self, record: &str) -> Table {
        Table::read(&self.out.path().join(format!("t-{record}-0.csv")))
    }
}

/// A record read back as text.
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// One row of a record.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    header: &'a [String],
    cells: &'a [String],
}

impl Table {
    /// Reads a record; rows of unequal length are an error.
    pub fn read(path: &Path) -> Table {
        let mut reader = csv::Reader::from_path(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let cells = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
        let header = cells(reader.headers().expect("a header"));
        let rows = reader
            .records()
            .map(|row| cells(&row.unwrap_or_else(|e| panic!("{}: {e}", path.display()))));
        Table {
            rows: rows.collect(),
            header,
        }
    }

    /// The names of the columns.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The rows in their order.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row {
            header: &self.header,
            cells,
        })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The distinct times of the rows, in picoseconds.
    pub fn times(&self) -> Vec<u64> {
        let mut times: Vec<u64> = self.rows().map(|row| row.time()).collect();
        assert!(times.is_sorted(), "rows are in the order of time");
        times.dedup();
        times
    }

    /// The one row that fits.
    pub fn one(&self, fits: impl Fn(&Row<'_>) -> bool) -> Row<'_> {
        let found: Vec<_> = self.rows().filter(fits).collect();
        assert_eq!(found.len(), 1, "rows that fit");
        found[0]
    }
}

impl Index<&str> for Row<'_> {
    type Output = str;

    fn index(&self, column: &str) -> &str {
        let place = self.header.iter().position(|name| name == column);
        &self.cells[place.unwrap_or_else(|| panic!("no column {column}"))]
    }
}

impl<'a> Row<'a> {
    /// A cell for as long as the table lives.
    pub fn text(&self, column: &str) -> &'a str {
        let place = self.header.iter().position(|name| name == column);
        &self.cells[place.unwrap_or_else(|| panic!("no column {column}"))]
    }
}

impl Row<'_> {
    /// A whole number.
    pub fn int(&self, column: &str) -> u64 {
        self[column]
            .parse()
            .unwrap_or_else(|_| panic!("{column} holds {}", &self[column]))
    }

    /// A number.
    pub fn float(&self, column: &str) -> f64 {
        self[column]
            .parse()
            .unwrap_or_else(|_| panic!("{column} holds {}", &self[column]))
    }

    /// An exact decimal fraction times 10^`digits`.
    pub fn scaled(&self, column: &str, digits: usize) -> u64 {
        let text = &self[column];
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        assert!(fraction.len() <= digits, "{column} holds {text}");
        format!("{whole}{fraction:0<digits$}")
            .parse()
            .unwrap_or_else(|_| panic!("{column} holds {text}"))
    }

    /// `sim_time_sec` in picoseconds.
    pub fn time(&self) -> u64 {
        self.scaled("sim_time_sec", 12)
    }

    /// `perf_metric_usec` in picoseconds.
    pub fn latency(&self) -> u64 {
        self.scaled("perf_metric_usec", 6)
    }

    /// `total_bytes_tx_GB` or `total_bytes_rx_GB` in bytes.
    pub fn total_bytes(&self, direction: &str) -> u64 {
        self.scaled(&format!("total_bytes_{direction}_GB"), 9)
    }

    /// `interval_bytes_tx_MB` or `interval_bytes_rx_MB` in bytes.
    pub fn interval_bytes(&self, direction: &str) -> u64 {
        self.scaled(&format!("interval_bytes_{direction}_MB"), 6)
    }
}

// ---- Arithmetic of the specification ----

/// Serialization of `bytes` at `rate` bits per second: `round(bytes x 8 x 10^12 / rate)` ps (engine.md, "Time").
pub fn serialization(bytes: u64, rate: u64) -> u64 {
    let bits = bytes as u128 * 8 * S as u128;
    ((2 * bits + rate as u128) / (2 * rate as u128)) as u64
}

/// A message of `bytes` over PCIe lanes of `rate` together: transfers of at most 512 B, each with 34 B of overhead and
/// each rounded on its own; no payload is one transfer of 34 B (rdma.md, "PCIe transfers").
pub fn pcie(bytes: u64, rate: u64) -> u64 {
    let whole = bytes / 512 * serialization(512 + 34, rate);
    match bytes % 512 {
        0 if bytes > 0 => whole,
        rest => whole + serialization(rest + 34, rate),
    }
}

/// Packets of a message: `ceil(bytes / MSS)`, at least one.
pub fn packets(bytes: u64) -> u64 {
    bytes.div_ceil(4_096).max(1)
}

/// Payload of a message's last packet.
pub fn last_payload(bytes: u64) -> u64 {
    bytes - (packets(bytes) - 1) * 4_096
}

/// Doorbell on the PCIe link: `DoorbellPayloadSize` 64 B + 28 B of headers.
pub const DOORBELL: u64 = 64 + 28;
/// `ReadRequestSize`.
pub const READ_REQUEST: u64 = 64;
/// Headers of a data packet: BTH 12, UDP 8, IPv4 20, Ethernet 14 + 4.
pub const HEADERS: u64 = 12 + 8 + 20 + 14 + 4;
/// A full data packet at `MSS` 4,096 B.
pub const FULL_PACKET: u64 = 4_096 + HEADERS;
/// ACK: 64 B, AETH 4, BTH 12, UDP 8, IPv4 20, Ethernet 18.
pub const ACK: u64 = 64 + 4 + 12 + 8 + 20 + 18;
/// A packet of connection set-up: as an ACK, without its extended header.
pub const CONNECTION_PACKET: u64 = ACK - 4;
/// Packet generation starts this long after its cause.
pub const RESTART: u64 = 80 * NS;
/// 16 lanes of 31.52 Gbps.
pub const DEFAULT_PCIE: u64 = 504_320_000_000;

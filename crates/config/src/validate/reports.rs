//! Records that would fill a disk, records without a row, and records that are asked for by half.

use super::Parts;
use packetloom_des::Span;

/// The most reports of a kind that give no warning.
const MANY: f64 = 1e6;

/// Warns of what [`too_many`] and [`half_asked_for`] find.
pub(super) fn warn(parts: &Parts, warnings: &mut Vec<String>) {
    too_many(parts, warnings);
    half_asked_for(parts, warnings);
}

/// Intervals much shorter than the run, or longer. Reports begin with the client start window and end with the run.
fn too_many(parts: &Parts, warnings: &mut Vec<String>) {
    let times = &parts.global.simulation_parameters;
    let length = times.client_start_interval + times.warm_up + times.run_time + times.cool_down;
    // To the picosecond, so that the sum is shown as it would be written.
    let length = (length * 1e12).round() / 1e12;
    let mut warn = |path: String, interval: f64, rows: &str| {
        let reports = (length / interval).floor();
        if reports > MANY {
            warnings.push(format!(
                "{path} of {interval:e} s asks for {} rows of {rows}",
                grouped(reports)
            ));
        } else if reports < 1.0 && length > 0.0 {
            warnings.push(format!(
                "{path} of {interval} s is longer than the {length} s of this run that reports cover: there will be no \
                 row of {rows}"
            ));
        }
    };
    let devices: Vec<&str> = [
        (times.enable_net_device_stat_logging, "nd-stats for each port"),
        (
            times.enable_roce_transport_stats,
            "roce-transport-stats for each NIC",
        ),
        (
            times.enable_pcie_stats_logging,
            "pcie-stats for each direction of each host's link",
        ),
    ]
    .into_iter()
    .filter_map(|(on, rows)| on.then_some(rows))
    .collect();
    let devices = match devices.is_empty() {
        true => "tier-hop".to_owned(),
        false => devices.join(" and of "),
    };
    let of_run = |name: &str| format!("globalParameters.SimulationParameters.{name}");
    warn(
        of_run("BeaconReportInterval"),
        times.beacon_report_interval,
        "beacon and of cpu-mem-stats",
    );
    warn(
        of_run("NDStatsReportInterval"),
        times.nd_stats_report_interval,
        &devices,
    );
    if times.enable_network_buffer_stats_reporting {
        warn(
            of_run("NetworkBufferStatsReportingInterval"),
            times.network_buffer_stats_reporting_interval,
            "net-buff-stats for each pool of each NIC",
        );
    }
    let seconds = |span: Span| span.ps() as f64 / 1e12;
    if times.enable_tcp_stack_reporting && observed(parts) {
        warn(
            of_run("TcpStackReportInterval"),
            times.tcp_stack_report_interval,
            "tcp-stats for each connection",
        );
    }
    for switch in &parts.declared.switches {
        let given = &switch.component.attributes;
        let buffer = &given.shared_buffer_manager;
        let rows = if buffer.report_per_port_buffer_stats {
            "scala-switch-agg-buff-stats for each pool and of scala-switch-buff-stats for each port and pool"
        } else {
            "scala-switch-agg-buff-stats for each pool"
        };
        warn(
            format!("{}.SharedBufferManager.BufferStatsReportInterval", switch.path),
            seconds(buffer.buffer_stats_report_interval),
            rows,
        );
        // A short run has this record's last row all the same.
        if given.enable_load_balancing_stats && seconds(given.load_balancing_stats_report_interval) < length {
            warn(
                format!("{}.LoadBalancingStatsReportInterval", switch.path),
                seconds(given.load_balancing_stats_report_interval),
                "scala-switch-load-balancing-stats for each member of each set",
            );
        }
    }
}

/// Whether any connection of a traffic generator is one that `tcp-stats` tells of.
fn observed(parts: &Parts) -> bool {
    let mut attributes = parts.applications.iter().map(|app| &app.component.attributes);
    attributes.any(|app| app.generator().is_some_and(|app| app.attributes.enable_tcp_stats))
}

/// `net-buff-stats` and `tcp-stats` take two attributes; one alone does nothing. Of `tcp-stats` the one is on by default.
fn half_asked_for(parts: &Parts, warnings: &mut Vec<String>) {
    let given = &parts.global.simulation_parameters;
    if given.enable_tcp_stack_reporting && !observed(parts) {
        warnings.push(
            "tcp-stats is not written: globalParameters.SimulationParameters.EnableTcpStackReporting is true, but \
             EnableTcpStats of no ScalaTrafficGeneratorApplication is"
                .to_owned(),
        );
    }
    let asks = given.enable_network_buffer_stats_reporting;
    let counting: Vec<&str> = parts
        .declared
        .nics
        .iter()
        .filter(|nic| nic.component.attributes.enable_buffer_stats())
        .map(|nic| nic.component.name.as_str())
        .collect();
    const GLOBAL: &str = "globalParameters.SimulationParameters.EnableNetworkBufferStatsReporting";
    if asks && counting.is_empty() {
        warnings.push(format!(
            "net-buff-stats is not written: {GLOBAL} is true, but EnableBufferStats of no NIC is"
        ));
    } else if !asks && !counting.is_empty() {
        warnings.push(format!(
            "net-buff-stats is not written: EnableBufferStats of {} is true, but {GLOBAL} is not",
            counting.join(", ")
        ));
    }
}

/// A whole number with a comma between thousands.
pub(super) fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

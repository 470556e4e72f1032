//! Report intervals that would fill a disk.

use crate::global::GlobalParameters;

/// The most reports of a kind that give no warning.
const MANY: f64 = 1e6;

/// Warns of intervals much shorter than the run. Reports begin with the client start window and end with the run.
pub(super) fn warn(global: &GlobalParameters, warnings: &mut Vec<String>) {
    let times = &global.simulation_parameters;
    let length = times.client_start_interval + times.warm_up + times.run_time + times.cool_down;
    let devices = match (
        times.enable_net_device_stat_logging,
        times.enable_roce_transport_stats,
    ) {
        (true, true) => "nd-stats for each port and of roce-transport-stats for each NIC",
        (true, false) => "nd-stats for each port",
        (false, true) => "roce-transport-stats for each NIC",
        (false, false) => "tier-hop",
    };
    for (attribute, interval, record) in [
        (
            "BeaconReportInterval",
            times.beacon_report_interval,
            "beacon and of cpu-mem-stats",
        ),
        ("NDStatsReportInterval", times.nd_stats_report_interval, devices),
    ] {
        let reports = (length / interval).floor();
        if reports > MANY {
            warnings.push(format!(
                "globalParameters.SimulationParameters.{attribute} of {interval:e} s asks for {} rows of {record}",
                grouped(reports)
            ));
        }
    }
}

/// A whole number with a comma between thousands.
fn grouped(number: f64) -> String {
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

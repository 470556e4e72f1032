//! The global parameters of a run.

use crate::document::Parameters;
use packetloom_des::Bytes;
use packetloom_params::Kind;

/// The longest time, in seconds, that a global parameter may hold; a run's end stays within 64 bits of picoseconds.
const LONGEST: f64 = 1e6;

packetloom_params::attributes! {
    /// What holds for the whole run.
    pub struct GlobalParameters {
        /// The timeline, the records and the seed.
        simulation_parameters "SimulationParameters": SimulationParameters;
        /// Defaults of all devices.
        default_network_parameters "DefaultNetworkParameters": DefaultNetworkParameters;
    }

    /// The timeline, the records and the seed. Times are in seconds.
    pub struct SimulationParameters {
        /// When servers of an application start to listen.
        start_time "StartTime": f64 = 0.001, min(0.0), max(LONGEST);
        /// From `StartTime` to the start of the client start window.
        client_start_offset "ClientStartOffset": f64 = 0.001, min(0.0), max(LONGEST);
        /// The length of the client start window.
        client_start_interval "ClientStartInterval": f64 = 0.001, min(0.0), max(LONGEST);
        /// From the end of the client start window to the start of the recording window.
        warm_up "WarmUp": f64 = 0.002, min(0.0), max(LONGEST);
        /// The length of the recording window.
        run_time "RunTime": f64 = 0.5, above(0.0), max(LONGEST);
        /// From the end of the recording window to the end of the run.
        cool_down "CoolDown": f64 = 0.001, min(0.0), max(LONGEST);
        /// Time between rows of `beacon`, and of `cpu-mem-stats`.
        beacon_report_interval "BeaconReportInterval": f64 = 0.001, above(0.0), max(LONGEST);
        /// Time between rows of `nd-stats`, `ecn-pfc-stats`, `roce-transport-stats`, `tier-hop` and `pcie-stats`.
        nd_stats_report_interval "NDStatsReportInterval": f64 = 0.001, above(0.0), max(LONGEST);
        /// Time between rows of `net-buff-stats`.
        network_buffer_stats_reporting_interval "NetworkBufferStatsReportingInterval": f64 = 0.001,
            above(0.0), max(LONGEST);
        /// Time between rows of `tcp-stats`.
        tcp_stack_report_interval "TcpStackReportInterval": f64 = 0.1, above(0.0), max(LONGEST);
        /// The seed of everything drawn at random; the same document with the same seed gives the same run.
        random_seed "RandomSeed": u64 = 18_760;
        /// Whether `nd-stats` is written.
        enable_net_device_stat_logging "EnableNetDeviceStatLogging": bool = true;
        /// Whether `ecn-pfc-stats` is written.
        enable_pfc_ecn_stats_logging "EnablePFCECNStatsLogging": bool = true;
        /// Whether `roce-transport-stats` is written.
        enable_roce_transport_stats "EnableRoceTransportStats": bool = true;
        /// Whether `net-buff-stats` is written, for NICs with `EnableBufferStats`.
        enable_network_buffer_stats_reporting "EnableNetworkBufferStatsReporting": bool = false;
        /// Whether `tcp-stats` is written.
        enable_tcp_stack_reporting "EnableTcpStackReporting": bool = false;
        /// Whether `pcie-stats` is written.
        enable_pcie_stats_logging "EnablePCIeStatsLogging": bool = false;
    }

    /// Defaults of all devices.
    pub struct DefaultNetworkParameters {
        /// Every network device.
        generic_net_device "GenericNetDevice": GenericNetDevice;
    }

    /// Every network device.
    pub struct GenericNetDevice {
        /// The largest frame, headers included.
        mtu "Mtu": Bytes = Bytes(4_184), min(Bytes(1)), max(Bytes(65_535)), kind(Kind::Bytes), or_plain_bytes();
    }
}

/// Sections that a server may add to its answers.
pub const READ_ONLY: [&str; 1] = ["SoftwareVersion"];

/// The sections without what a server adds to its answers.
pub(crate) fn known_sections(given: &Parameters) -> Parameters {
    let mut sections = given.clone();
    // Read-only, and of no meaning to a run.
    for section in READ_ONLY {
        sections.shift_remove(section);
    }
    sections
}

//! What documents may ask for and is not simulated yet.
//!
//! A value that asks for it is refused. Where it is the published default it is left out, with one warning.

use super::components::Declarations;
use packetloom_des::Span;
use packetloom_fabric::switch::attributes::LoadBalancingMethod;
use packetloom_nic::roce::attributes::RatePacing;
use packetloom_params::Errors;

pub(super) fn check(declared: &Declarations, errors: &mut Errors, warnings: &mut Vec<String>) {
    switches(declared, errors);
    nics(declared, errors);

    // TCP is not ECN-capable: without a RoCE NIC there is nothing to mark.
    let markable = declared
        .nics
        .iter()
        .any(|nic| nic.component.attributes.roce().is_some());
    let marking: Vec<&str> = declared
        .switches
        .iter()
        .filter(|switch| markable && switch.component.attributes.ecn_handler.enable_ecn)
        .map(|switch| switch.component.name.as_str())
        .collect();
    no_effect("ECN marking is", "EcnHandler.EnableEcn", &marking, warnings);
    let reacting: Vec<&str> = declared
        .nics
        .iter()
        .filter(|nic| {
            let roce = nic.component.attributes.roce();
            roce.is_some_and(|roce| roce.ecn_handler.enable_ecn)
        })
        .map(|nic| nic.component.name.as_str())
        .collect();
    no_effect("Reaction to ECN is", "ECNHandler.EnableECN", &reacting, warnings);
}

fn no_effect(what: &str, attribute: &str, names: &[&str], warnings: &mut Vec<String>) {
    if !names.is_empty() {
        warnings.push(format!(
            "{what} not simulated yet: {attribute} of {} has no effect",
            names.join(", ")
        ));
    }
}

/// Refuses each attribute whose value asks for what is not there, with the value that does not.
fn refuse(path: &str, asked: &[(&str, bool, &str, &str)], errors: &mut Errors) {
    for (attribute, asks, what, remedy) in asked {
        if *asks {
            errors.push(
                format!("{path}.{attribute}"),
                format!("{what} not available yet"),
                *remedy,
            );
        }
    }
}

const OFF: &str = "make it false";

fn switches(declared: &Declarations, errors: &mut Errors) {
    for switch in &declared.switches {
        let given = &switch.component.attributes;
        let buffer = &given.shared_buffer_manager;
        let asked = [
            (
                "LoadBalancingMethod",
                given.load_balancing_method != LoadBalancingMethod::None,
                "flowlet balancing is",
                "use none",
            ),
            (
                "SharedBufferManager.UETPolicyEnabled",
                buffer.uet_policy_enabled,
                "the Ultra Ethernet policy is",
                OFF,
            ),
            (
                "PacketTrimmer.TrimmingEnabled",
                given.packet_trimmer.trimming_enabled,
                "packet trimming is",
                OFF,
            ),
            (
                "PacketTrimmer.TrimmingStatsEnabled",
                given.packet_trimmer.trimming_stats_enabled,
                "packet trimming is",
                OFF,
            ),
        ];
        refuse(&switch.path, &asked, errors);
    }
}

fn nics(declared: &Declarations, errors: &mut Errors) {
    for nic in &declared.nics {
        let Some(given) = nic.component.attributes.roce() else {
            continue;
        };
        let asked = [
            (
                "ECNHandler.RatePacing",
                given.ecn_handler.rate_pacing != RatePacing::Port,
                "pacing of queue pairs is",
                "use port",
            ),
            (
                "ECNHandler.CnpInterval",
                given.ecn_handler.cnp_interval != Span::ZERO,
                "pacing of CNPs is",
                "make it 0",
            ),
        ];
        refuse(&nic.path, &asked, errors);
    }
}

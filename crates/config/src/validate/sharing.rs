//! Warnings where TCP and RDMA, or lossless and lossy traffic, are in each other's way.

use super::Parts;
use super::fabric::connected_ports;
use super::traffic::TCP_CLASS;
use crate::scenario::{ApplicationAttributes, ApplicationKind};
use packetloom_fabric::switch::shared_buffer::POOLS;
use std::collections::BTreeSet;

/// Warns of what [`classes`] and [`pools`] find.
pub(super) fn warn(parts: &Parts, warnings: &mut Vec<String>) {
    classes(parts, warnings);
    pools(parts, warnings);
}

/// RDMA in the class of TCP, which is always the same.
fn classes(parts: &Parts, warnings: &mut Vec<String>) {
    let tcp: Vec<String> = parts
        .applications
        .iter()
        .map(|application| &application.component)
        .filter(|application| application.attributes.kind() == ApplicationKind::Generator)
        .map(|application| format!("\"{}\"", application.name))
        .collect();
    if tcp.is_empty() {
        return;
    }
    for application in parts.applications {
        let ApplicationAttributes::Rdma(rdma) = &application.component.attributes else {
            continue;
        };
        for (attribute, class) in [
            ("RdmaDataPacketTC", rdma.rdma_data_packet_tc),
            ("RdmaControlPacketTC", rdma.rdma_control_packet_tc),
        ] {
            if class as usize == TCP_CLASS {
                warnings.push(format!(
                    "{}.{attribute} is {TCP_CLASS}, the class of the TCP traffic of {}: they share queues, pools and pauses",
                    application.path,
                    tcp.join(" and ")
                ));
            }
        }
    }
}

/// A pool of a switch with a lossless and a lossy class.
fn pools(parts: &Parts, warnings: &mut Vec<String>) {
    let classes: BTreeSet<usize> = parts
        .applications
        .iter()
        .flat_map(|application| parts.traffic(&application.component, 0))
        .map(|traffic| traffic.class)
        .collect();
    for &switch in connected_ports(parts.declared, parts.plan).keys() {
        let switch = &parts.declared.switches[switch];
        let buffer = &switch.component.attributes.shared_buffer_manager;
        for pool in 0..POOLS {
            let first = |lossless: bool| {
                let here = |class: &usize| buffer.traffic_class_pool_mapping[*class] as usize == pool;
                let same = |class: &usize| (buffer.enable_pfc[*class] == 1) == lossless;
                classes.iter().copied().find(|class| here(class) && same(class))
            };
            if let (Some(lossless), Some(lossy)) = (first(true), first(false)) {
                warnings.push(format!(
                    "{}.SharedBufferManager.TrafficClassPoolMapping puts class {lossless}, which is lossless (EnablePFC), and \
                     class {lossy}, which is not, into pool {pool}: it may be full of the latter and drop the former",
                    switch.path
                ));
            }
        }
    }
}
